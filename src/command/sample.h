/*
 * sample.h
 *		Lists the DynamoDB tables of a server, and samples a table: its
 *		description, first items, and attributes.
 */
#ifndef DYN_COMMAND_SAMPLE_H
#define DYN_COMMAND_SAMPLE_H

#include "nodes/pg_list.h"

#include "../exec/statement/statement.h"

/*
 * Runs ListTables, and calls `each` for every table whose name begins with the
 * server's table_prefix.  `name` is the name without this prefix.  Names are
 * NUL-terminated, and valid only during the call; `each` may raise an error.
 */
extern void dyn_list_tables(DynConnection *connection,
							void (*each) (void *arg, const char *name),
							void *arg);

/* An attribute of an item. */
typedef struct DynSampleValue
{
	const char *name;			/* name (UTF-8); NULL if it contains U+0000 */
	DynType		type;
} DynSampleValue;

typedef struct DynSampleItem
{
	List	   *values;			/* attributes (DynSampleValue *) */
	DynType		tag_type;		/* type of the tag (DynSample.tag); ABSENT if
								 * the item has none */
	const char *tag;			/* text of the tag.  S: UTF-8; N: canonical;
								 * BOOL: true or false.  NULL for other types,
								 * and for S with U+0000 */
} DynSampleItem;

typedef struct DynSample
{
	DynConnection *connection;
	const char *table;			/* table name in DynamoDB */
	EState	   *estate;			/* executor state for dyn_sample_take */
	const char *tag;			/* attribute whose value is stored for each
								 * item (UTF-8); NULL: none */
	int			limit;			/* maximum number of items */

	const DynTableMeta *meta;	/* description; NULL if not read yet */
	List	   *items;			/* items (DynSampleItem *) */
	bool		taken;			/* true if the items were read */
} DynSample;

/*
 * Steps for dyn_attempt(), since each request may be denied.  They take a
 * DynSample *, allocate their results in CurrentMemoryContext, and raise the
 * errors of their requests.
 */

/* Sends DescribeTable, even if a description is cached; sets `meta`. */
extern void dyn_sample_describe(void *sample);

/* Scans one page of at most `limit` full items; sets `items` and `taken`. */
extern void dyn_sample_take(void *sample);

/* Returns the palloc'd text (UTF-8) of an S; NULL if it contains U+0000. */
extern char *dyn_sample_text(const DynValue *value);

/* An attribute of keys or items. */
typedef struct DynAttribute
{
	const char *name;			/* name (UTF-8); a description if it contains
								 * U+0000 */
	bool		has_nul;		/* true if the name contains U+0000; all such
								 * attributes are one entry */
	bool		in_key;			/* true if it is in the key of the table */
	bool		in_any_key;		/* true if it is in the key of the table or an
								 * index */
	unsigned	types;			/* bit mask of the DynTypes of its values */
	int			items;			/* number of items that have it */
	int			last_item;		/* position of the last item that has it; -1:
								 * none */
} DynAttribute;

/*
 * Returns the attributes of all keys, in the order of the keys, followed by the
 * other attributes of these items (a List of DynSampleItem *), sorted bytewise
 * by name.  The result is an array of *n entries, in CurrentMemoryContext.
 */
extern DynAttribute *dyn_sample_attributes(const DynTableMeta *meta,
										   const List *items, int *n);

#endif

/*
 * sample.h
 *		What a DynamoDB table looks like: its description, its first items, and the
 *		names and types of the attributes of both.
 */
#ifndef DYN_COMMAND_SAMPLE_H
#define DYN_COMMAND_SAMPLE_H

#include "nodes/pg_list.h"

#include "../exec/statement/statement.h"

/* An attribute of an item. */
typedef struct DynSampleValue
{
	const char *name;			/* UTF-8; NULL: it contains U+0000 */
	DynType		type;
} DynSampleValue;

typedef struct DynSampleItem
{
	List	   *values;			/* of DynSampleValue * */
	DynType		tag_type;		/* of the tag; ABSENT if it has none */
	const char *tag;			/* S: UTF-8; N: canonical; BOOL: true or false;
								 * NULL: other types, and S with U+0000 */
} DynSampleItem;

typedef struct DynSample
{
	DynConnection *connection;
	const char *table;			/* in DynamoDB */
	EState	   *estate;			/* of dyn_sample_take */
	const char *tag;			/* UTF-8: whose values are kept; NULL: none */
	int			limit;			/* of the items */

	const DynTableMeta *meta;	/* NULL: not described */
	List	   *items;			/* of DynSampleItem * */
	bool		taken;			/* they were read */
} DynSample;

/*
 * The steps for dyn_attempt(), as each may be denied; they take a DynSample *,
 * and what they set is in CurrentMemoryContext.  The first one sends
 * DescribeTable, whatever is cached; the second one Scan, whose Limit is
 * `limit`, for whole items.  They raise errors of these requests.
 */
extern void dyn_sample_describe(void *sample);
extern void dyn_sample_take(void *sample);

/* An attribute of keys or items. */
typedef struct DynAttribute
{
	const char *name;			/* UTF-8; words if it contains U+0000 */
	bool		has_nul;		/* it does; all such attributes are one */
	bool		in_key;			/* of the table */
	bool		in_any_key;		/* of the table or an index */
	unsigned	types;			/* DynTypes, as bits */
	int			items;			/* that have it */
} DynAttribute;

/*
 * Those of all keys in their order, and then the others of these items (a List of
 * DynSampleItem *) by the bytes of their names.  Array of *n, in
 * CurrentMemoryContext.
 */
extern DynAttribute *dyn_sample_attributes(const DynTableMeta *meta,
										   const List *items, int *n);

#endif

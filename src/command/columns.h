/*
 * columns.h
 *		The columns of a foreign table for items of a sample, and the command
 *		that creates it.
 *
 * Types follow from DynamoDB's types alone, never from values, so that later
 * items are likely to fit.
 */
#ifndef DYN_COMMAND_COLUMNS_H
#define DYN_COMMAND_COLUMNS_H

#include "sample.h"

typedef struct DynNewColumn
{
	char	   *name;
	char	   *attribute;		/* in the database's encoding */
	unsigned	types;			/* DynTypes seen, as bits; NULL is none */
	bool		not_null;		/* a key attribute of the table */
	bool		bytewise;		/* a key attribute, also of an index */
} DynNewColumn;

typedef struct DynNewColumns
{
	int			n;
	DynNewColumn *columns;		/* keys first, then by attribute */
	List	   *left_out;		/* of char *: attributes without a column */
} DynNewColumns;

/*
 * UTF-8 text in the database's encoding; NULL if an option cannot say it, since
 * that would not be the same text in UTF-8 again.
 */
extern char *dyn_option_text_of(const char *utf8);

/*
 * The columns for these items (a List of DynSampleItem *): the keys of the
 * table and its indexes, and every attribute that an item has.  In
 * CurrentMemoryContext.
 */
extern DynNewColumns *dyn_columns_infer(const DynTableMeta *meta,
										const List *items);

/*
 * Appends CREATE FOREIGN TABLE, in the same meaning on every search_path.
 * `match` may be NULL.
 */
extern void dyn_columns_write(StringInfo sql, const char *name,
							  const DynNewColumns *columns, const char *server,
							  const char *table_name, const char *match);

#endif

/*
 * columns.h
 *		Infers the columns of a foreign table, and writes the command to create
 *		it.
 *
 * Types follow from DynamoDB's types alone, never from values, so that later
 * items are likely to match.
 */
#ifndef DYN_COMMAND_COLUMNS_H
#define DYN_COMMAND_COLUMNS_H

#include "sample.h"

typedef struct DynNewColumn
{
	char	   *name;
	char	   *attribute;		/* attribute name in the database's encoding */
	unsigned	types;			/* DynTypes seen, as a bit mask; NULL is not
								 * included */
	bool		not_null;		/* true for a key attribute of the table */
	bool		bytewise;		/* true for a key attribute of the table or an
								 * index */
} DynNewColumn;

typedef struct DynNewColumns
{
	int			n;
	DynNewColumn *columns;		/* columns: keys first, then by attribute */
	List	   *left_out;		/* attributes without a column (char *) */
} DynNewColumns;

/*
 * Returns UTF-8 text in the database's encoding; NULL if an option cannot
 * represent it, since it would not convert back to the same UTF-8.
 */
extern char *dyn_option_text_of(const char *utf8);

/*
 * Returns the columns for these items (a List of DynSampleItem *): the keys of
 * the table and its indexes, and every attribute that an item has.  Allocated
 * in CurrentMemoryContext.
 */
extern DynNewColumns *dyn_columns_infer(const DynTableMeta *meta,
										const List *items);

/*
 * Appends CREATE FOREIGN TABLE, with the same meaning on every search_path.
 * `match` may be NULL.
 */
extern void dyn_columns_write(StringInfo sql, const char *name,
							  const DynNewColumns *columns, const char *server,
							  const char *table_name, const char *match);

#endif

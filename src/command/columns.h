/*
 * columns.h
 *		Infers the columns of a foreign table, and writes the command to create
 *		it, with names that PostgreSQL allows.
 *
 * A column's SQL type depends on DynamoDB's types only, not on values, so that
 * later items are likely to match.
 *
 * A name that is too long is truncated in the same way as PostgreSQL truncates
 * names in SQL.  So the full name can still be used in statements.  If the
 * resulting name is already used, or another long name is truncated to the
 * same name, a checksum of the full name is appended.
 */
#ifndef DYN_COMMAND_COLUMNS_H
#define DYN_COMMAND_COLUMNS_H

#include "nodes/pg_list.h"
#include "utils/hsearch.h"

#include "sample.h"

typedef struct DynNewColumn
{
	char	   *name;
	char	   *attribute;		/* attribute name in the database's encoding */
	unsigned	types;			/* bit mask of the DynTypes in the sample,
								 * without NULL */
	bool		not_null;		/* true for a key attribute of the table */
	bool		bytewise;		/* true for a key attribute of the table or an
								 * index */
} DynNewColumn;

typedef struct DynNewColumns
{
	int			n;
	DynNewColumn *columns;		/* columns: first the keys, then the others in
								 * the order of attribute names */
	List	   *left_out;		/* attributes without a column (char *) */
} DynNewColumns;

/*
 * Returns UTF-8 text in the database's encoding; NULL if it cannot be an
 * option, because it would not be converted back to the same UTF-8.
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
 * Appends CREATE FOREIGN TABLE, in a form that does not depend on search_path.
 * `match` is the option item_filter, or NULL.
 */
extern void dyn_columns_write(StringInfo sql, const char *name,
							  const DynNewColumns *columns, const char *server,
							  const char *table_name, const char *match);

/* Returns an empty set of used names, in CurrentMemoryContext. */
extern HTAB *dyn_names_create(void);

/*
 * Returns a List of names (char *) for the texts (List of char *), in
 * CurrentMemoryContext, and adds the names to `taken`.  Texts that are not too
 * long, and not used yet, remain unchanged.
 */
extern List *dyn_names_assign(HTAB *taken, List *texts);

#endif

/*
 * columns.h
 *		Infers the columns of a foreign table, and writes the command to create
 *		it, with names that PostgreSQL allows.
 *
 * Types follow from DynamoDB's types alone, never from values, so that later
 * items are likely to match.
 *
 * A name that is too long is truncated, as PostgreSQL itself does, so that the
 * full name still finds it in SQL.  If the truncated name is not unique, a
 * checksum of the full name is appended, so that the result does not depend on
 * other names.
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
	unsigned	types;			/* DynTypes seen, as a bit mask; NULL is not
								 * included */
	bool		not_null;		/* true for a key attribute of the table */
	bool		bytewise;		/* true for a key attribute of the table or an
								 * index */
} DynNewColumn;

typedef struct DynNewColumns
{
	int			n;
	DynNewColumn *columns;		/* columns: keys first, then others by name of
								 * the attribute */
	List	   *left_out;		/* attributes without a column (char *) */
} DynNewColumns;

/*
 * Returns UTF-8 text in the database's encoding; NULL if it would not be
 * converted back to the same UTF-8, so that it cannot be an option.
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

/* Returns an empty set of used names, in CurrentMemoryContext. */
extern HTAB *dyn_names_create(void);

/*
 * Returns the names for these texts (Lists of char *), in
 * CurrentMemoryContext, and marks them as used.  Texts that are valid names,
 * and not used yet, remain unchanged.
 */
extern List *dyn_names_assign(HTAB *taken, List *texts);

#endif

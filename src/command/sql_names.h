/*
 * sql_names.h
 *		Makes names of tables and columns that PostgreSQL allows.
 *
 * A name that is too long is truncated, as PostgreSQL itself does, so that the
 * full name still finds it in SQL.  If that is not unique, a checksum of the
 * full name is appended, which does not depend on the other names.
 */
#ifndef DYN_COMMAND_SQL_NAMES_H
#define DYN_COMMAND_SQL_NAMES_H

#include "nodes/pg_list.h"
#include "utils/hsearch.h"

/* Returns an empty set of used names, in CurrentMemoryContext. */
extern HTAB *dyn_names_create(void);

extern void dyn_names_reserve(HTAB *taken, const char *name);

/*
 * Returns the names for these texts (Lists of char *), in
 * CurrentMemoryContext, and marks them as used.  Texts that are valid, unused
 * names remain unchanged.
 */
extern List *dyn_names_assign(HTAB *taken, List *texts);

#endif

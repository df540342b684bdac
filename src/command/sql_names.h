/*
 * sql_names.h
 *		Names of tables and columns, made of names that PostgreSQL may not allow:
 *		too long, or taken.
 *
 * A name that is too long is cut, as PostgreSQL itself does, so that it is
 * found when it is written out.  Where that is not unique, a checksum of the
 * whole name is appended, which does not depend on the other names.
 */
#ifndef DYN_COMMAND_SQL_NAMES_H
#define DYN_COMMAND_SQL_NAMES_H

#include "nodes/pg_list.h"
#include "utils/hsearch.h"

/* A set of names that are taken; in CurrentMemoryContext. */
extern HTAB *dyn_names_create(void);

extern void dyn_names_reserve(HTAB *taken, const char *name);

/*
 * The names for these texts (Lists of char *), in CurrentMemoryContext; takes
 * them.  Texts that are names and not taken remain what they are.
 */
extern List *dyn_names_assign(HTAB *taken, List *texts);

#endif

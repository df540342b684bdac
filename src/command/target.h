/*
 * target.h
 *		Finds the servers and foreign tables in arguments of SQL-callable
 *		functions, and the foreign tables over a DynamoDB table.
 */
#ifndef DYN_COMMAND_TARGET_H
#define DYN_COMMAND_TARGET_H

#include "foreign/foreign.h"
#include "utils/relcache.h"

#include "../model/tables/relation.h"

/* Returns this wrapper's server with this name, or raises an error. */
extern ForeignServer *dyn_target_find_server(const char *name);

/* Returns the current user's connection to the server; checks USAGE. */
extern DynConnection *dyn_target_server(const char *name);

/*
 * Locks a relation until the transaction ends, and returns its owner.  Raises
 * an error if it is not a foreign table of this wrapper, or if the current
 * user does not have the rights of the owner.
 */
extern Oid	dyn_target_check(Oid relid);

/*
 * Raises an error if converting the column's values could run user-defined
 * code, such as a domain's constraint, with the privileges of another role.
 * check_table.c runs such code as `owner` (the foreign table's owner), but the
 * current user chooses the items and the search_path; so the current user must
 * have the owner's privileges.  keys.c runs the code, which the owner chose,
 * as the current user; so if the current user is a superuser, the owner must
 * be one, too.
 */
extern void dyn_target_check_column(const DynColumn *column, Oid owner);

/* Returns the sorted OIDs of a server's foreign tables, without locks. */
extern List *dyn_tables_of_server(Oid serverid);

/* Returns true if `rel` reads the DynamoDB table with this name or ARN. */
extern bool dyn_is_table_over(Relation rel, const DynConnection *connection,
							  const char *table);

#endif

/*
 * foreign_tables.h
 *		Finds the foreign tables over a DynamoDB table.
 */
#ifndef DYN_COMMAND_FOREIGN_TABLES_H
#define DYN_COMMAND_FOREIGN_TABLES_H

#include "utils/relcache.h"

#include "../model/tables/relation.h"

/*
 * Returns all foreign tables of a server, in the order of their OIDs.  They
 * may be dropped concurrently.
 */
extern List *dyn_tables_of_server(Oid serverid);

/*
 * Returns true if it is over this DynamoDB table, specified by its name or
 * ARN.
 */
extern bool dyn_is_table_over(Relation rel, const DynConnection *connection,
							  const char *table);

#endif

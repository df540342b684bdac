/*
 * foreign_tables.h
 *		The foreign tables over a DynamoDB table.
 */
#ifndef DYN_COMMAND_FOREIGN_TABLES_H
#define DYN_COMMAND_FOREIGN_TABLES_H

#include "utils/relcache.h"

#include "../model/tables/relation.h"

/* All of a server, in the order of their OIDs; they may be dropped meanwhile. */
extern List *dyn_tables_of_server(Oid serverid);

/* Is it over this DynamoDB table, given by its name or ARN? */
extern bool dyn_is_table_over(Relation rel, const DynConnection *connection,
							  const char *table);

#endif

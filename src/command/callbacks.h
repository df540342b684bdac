/*
 * callbacks.h
 *		Callbacks for the commands ANALYZE and IMPORT FOREIGN SCHEMA.
 */
#ifndef DYN_COMMAND_CALLBACKS_H
#define DYN_COMMAND_CALLBACKS_H

#include "foreign/fdwapi.h"

/*
 * Supports ANALYZE for every foreign table of this wrapper, and sets
 * *totalpages to its size in PostgreSQL pages.  The table is read as its
 * owner, not as the current user.
 */
extern bool dynAnalyzeForeignTable(Relation rel, AcquireSampleRowsFunc *func,
								   BlockNumber *totalpages);

/*
 * Returns the CREATE FOREIGN TABLE commands for the DynamoDB tables of the
 * server, as the current user's access key sees them.  A server has one
 * schema, so its name does not matter.
 */
extern List *dynImportForeignSchema(ImportForeignSchemaStmt *stmt, Oid serverid);

#endif

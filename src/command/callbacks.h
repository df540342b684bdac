/*
 * callbacks.h
 *		Callbacks for the commands ANALYZE and IMPORT FOREIGN SCHEMA.
 */
#ifndef DYN_COMMAND_CALLBACKS_H
#define DYN_COMMAND_CALLBACKS_H

#include "foreign/fdwapi.h"

/*
 * Returns true, since every foreign table supports ANALYZE.  Sets *totalpages
 * to the table's size in PostgreSQL pages.  The table is read as its owner,
 * not as the current user.
 */
extern bool dynAnalyzeForeignTable(Relation rel, AcquireSampleRowsFunc *func,
								   BlockNumber *totalpages);

/*
 * Returns the CREATE FOREIGN TABLE commands (char *) for the DynamoDB tables
 * of the server that the current user's access key can list.  The name of the
 * remote schema is ignored.
 */
extern List *dynImportForeignSchema(ImportForeignSchemaStmt *stmt, Oid serverid);

#endif

/*
 * import.h
 *		Implements IMPORT FOREIGN SCHEMA.
 */
#ifndef DYN_COMMAND_IMPORT_H
#define DYN_COMMAND_IMPORT_H

#include "foreign/fdwapi.h"

/*
 * Returns the CREATE FOREIGN TABLE commands for the DynamoDB tables of the
 * server, as the current user's access key sees them.  A server has one
 * schema, so its name does not matter.
 */
extern List *dynImportForeignSchema(ImportForeignSchemaStmt *stmt, Oid serverid);

#endif

/*
 * callbacks.h
 *		Callbacks for the commands ANALYZE and IMPORT FOREIGN SCHEMA.
 */
#ifndef DYN_COMMAND_CALLBACKS_H
#define DYN_COMMAND_CALLBACKS_H

#include "foreign/fdwapi.h"

/* Prepares ANALYZE, which reads the table as its owner. */
extern bool dynAnalyzeForeignTable(Relation rel, AcquireSampleRowsFunc *func,
								   BlockNumber *totalpages);

/*
 * Returns the CREATE FOREIGN TABLE commands (char *) for the tables that the
 * current user's access key can list.  Ignores the name of the remote schema.
 */
extern List *dynImportForeignSchema(ImportForeignSchemaStmt *stmt, Oid serverid);

#endif

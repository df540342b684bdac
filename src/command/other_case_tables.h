/*
 * other_case_tables.h
 *		Columns whose attribute exists under a name in other case, of all foreign
 *		tables over a DynamoDB table (other_case.h has the judgement).
 */
#ifndef DYN_COMMAND_OTHER_CASE_TABLES_H
#define DYN_COMMAND_OTHER_CASE_TABLES_H

#include "../model/tables/relation.h"

typedef struct DynFoldedTables DynFoldedTables;

/*
 * Those of the server, and their columns, that the current user may read.
 * Leaves out foreign tables whose definition is faulty, that somebody is
 * changing, or whose rows depend on functions that users have made.
 * CurrentMemoryContext.
 */
extern DynFoldedTables *dyn_folded_tables_open(const DynConnection *connection,
											   Oid serverid, const char *table,
											   const DynTableMeta *meta);

/* What dyn_folded_tables_see_item needs of an item. */
extern const DynPath *dyn_folded_tables_paths(const DynFoldedTables *tables,
											  int *npaths);

/* An item, and the values of these paths. */
extern void dyn_folded_tables_see_item(void *tables, const DynValue *item,
									   const DynValue *values);

extern void dyn_folded_tables_report(const DynFoldedTables *tables);

#endif

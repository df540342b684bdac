/*
 * other_case_tables.h
 *		Columns whose attribute exists under a name in other case, of all foreign
 *		tables over a DynamoDB table (other_case.h has the judgement).
 */
#ifndef DYN_COMMAND_OTHER_CASE_TABLES_H
#define DYN_COMMAND_OTHER_CASE_TABLES_H

#include "sample.h"

/*
 * Reports those of the server, and their columns, that the current user may
 * read; `items` are a List of DynSampleItem *.  Leaves out foreign tables that
 * do not have a row for each item, whose definition is faulty, or that somebody
 * is changing.
 */
extern void dyn_report_other_cases(const DynConnection *connection, Oid serverid,
								   const char *table, const List *items);

#endif

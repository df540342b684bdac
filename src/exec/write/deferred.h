/*
 * deferred.h
 *		Stores the rows of a statement that reads the table that it writes,
 *		until all reads have ended.
 *
 * A statement on local tables does not see its own writes.  On DynamoDB it
 * would see them: INSERT INTO t SELECT ... FROM t would read the rows that it
 * has just inserted, and might never end.  So if a scan (other than the scan
 * that finds the rows to change) reads the DynamoDB table that the statement
 * writes, perhaps through another foreign table, the rows to write are stored.
 * Their writes are composed and sent when all scans have ended.
 */
#ifndef DYN_EXEC_DEFERRED_H
#define DYN_EXEC_DEFERRED_H

#include "modify.h"

/* Returns true if the target's rows are deferred. */
extern bool dyn_modify_is_deferred(DynModify *modify);

extern void dyn_modify_defer(DynModify *modify, TupleTableSlot *row,
							 TupleTableSlot *planSlot);

/*
 * Sends the deferred rows of all targets of the writer's statement.  Rows of
 * one DynamoDB table are sent in the order in which they were computed.
 */
extern void dyn_modifies_send_deferred(DynWriter *writer);

#endif

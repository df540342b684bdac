/*
 * flush.h
 *		Stores deferred rows, and completes a statement's writes before core
 *		uses their results.
 *
 * A statement on local tables does not see its own writes.  On DynamoDB it
 * would see them: INSERT INTO t SELECT ... FROM t would read the rows that it
 * has just inserted, and might never end.  So if a scan (other than the scan
 * that finds the rows to change) reads the DynamoDB table that the statement
 * writes, perhaps through another foreign table, the rows to write are stored
 * (deferred).  Their writes are composed and sent when all scans have ended.
 *
 * Core reads the number of rows after ExecutorRun, and fires AFTER triggers in
 * ExecutorFinish.  Before a flush, the hooks of both functions run the
 * data-modifying parts of WITH to completion, which core would do later.
 * These parts may read tables that the main query writes, and must not see its
 * writes.
 */
#ifndef DYN_EXEC_FLUSH_H
#define DYN_EXEC_FLUSH_H

#include "modify.h"

/* Installs the hooks.  Called once, when the library is loaded. */
extern void dyn_flush_init(void);

/* Returns true if the target's rows are deferred. */
extern bool dyn_modify_is_deferred(DynModify *modify);

extern void dyn_modify_defer(DynModify *modify, TupleTableSlot *row,
							 TupleTableSlot *planSlot);

/*
 * Sends the deferred rows of all targets of the writer's statement, and waits
 * for all writes in flight.  Rows of one DynamoDB table are sent in the order
 * in which they were computed.
 */
extern void dyn_writer_flush(DynWriter *writer);

#endif

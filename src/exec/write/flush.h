/*
 * flush.h
 *		Completes a statement's writes before core uses their results.
 *
 * Core reads the number of rows after ExecutorRun, and fires AFTER triggers in
 * ExecutorFinish.  Before a flush, the hooks of both functions run the
 * data-modifying parts of WITH to completion, which core would do later.
 * These parts may read tables that the main query writes, and must not see its
 * writes.
 */
#ifndef DYN_EXEC_FLUSH_H
#define DYN_EXEC_FLUSH_H

/* Installs the hooks.  Called once, when the library is loaded. */
extern void dyn_flush_init(void);

#endif

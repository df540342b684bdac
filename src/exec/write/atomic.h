/*
 * atomic.h
 *		write_mode 'atomic': all writes of a statement in one
 *		TransactWriteItems.
 *
 * The writes are collected, and sent in the flush (flush.h).  DynamoDB applies
 * all of them or none.  Each request has a token.  DynamoDB executes only one
 * of the requests with the same token, so a request can be sent again if its
 * outcome is unknown, or if it was canceled because of throttling or a
 * conflict.
 */
#ifndef DYN_EXEC_ATOMIC_H
#define DYN_EXEC_ATOMIC_H

#include "writer.h"

/*
 * Adds a write, which the writer then owns.  Raises an error if the statement
 * needs a transaction that DynamoDB does not accept: one that is too large,
 * writes an item twice, or writes tables of several servers.
 */
extern void dyn_atomic_add(DynWriter *writer, DynWrite *write);

/*
 * Renders one request for all collected writes.  `transaction` is the write
 * that represents them, and that the writer sends like any other write.
 */
extern void dyn_atomic_render(DynWriter *writer, DynWrite *transaction);

/*
 * Handles the response, like dyn_write_judge.  Raises an error if a condition
 * has failed and the statement cannot continue; in this case, nothing was
 * written.
 */
extern void dyn_atomic_judge(DynWriter *writer, DynWrite *transaction);

#endif

/*
 * atomic.h
 *		write_mode 'atomic': all writes of a statement in one
 *		TransactWriteItems.
 *
 * The writes are collected, and sent at the flush.  DynamoDB applies all of
 * them or none.  Each request has a token.  DynamoDB executes only one of the
 * requests with the same token, so a request can be sent again if its outcome
 * is unknown, or if it was canceled because of throttling or a conflict.
 */
#ifndef DYN_EXEC_ATOMIC_H
#define DYN_EXEC_ATOMIC_H

#include "writer.h"

/*
 * Adds a write, which the writer then owns.  Raises an error if the
 * statement's transaction would be too large.
 */
extern void dyn_atomic_add(DynWriter *writer, DynWrite *write);

/*
 * Writes the request of the collected writes.  `transaction` is the write that
 * represents all of them, and that the writer sends like any other write.
 */
extern void dyn_atomic_render(DynWriter *writer, DynWrite *transaction);

/*
 * Handles the response, like dyn_write_judge.  Raises an error if a condition
 * has failed and the statement cannot continue; in this case, nothing was
 * written.
 */
extern void dyn_atomic_judge(DynWriter *writer, DynWrite *transaction);

#endif

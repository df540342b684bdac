/*
 * atomic.h
 *		write_mode 'atomic': all writes of a statement in one
 *		TransactWriteItems.
 *
 * The writes are collected, and sent at the flush.  DynamoDB applies all of
 * them or none.  Each request has a token.  DynamoDB executes only one of the
 * requests with the same token, so a request of unknown outcome can be sent
 * again.
 */
#ifndef DYN_EXEC_ATOMIC_H
#define DYN_EXEC_ATOMIC_H

#include "writer.h"

/*
 * Adds a write, which the writer then owns.  Raises an error if the
 * statement's transaction would be too large.
 */
extern void dyn_atomic_add(DynWriter *writer, DynWrite *write);

/* Sends the collected writes, and waits for the response. */
extern void dyn_atomic_send(DynWriter *writer);

#endif

/*
 * attempt.h
 *		Steps whose errors do not end the command.
 */
#ifndef DYN_COMMAND_ATTEMPT_H
#define DYN_COMMAND_ATTEMPT_H

#include "utils/elog.h"

/*
 * Runs a step in a subtransaction, in CurrentMemoryContext.  Returns NULL, or
 * the error that it raised; the caller raises again (ReThrowError) those that it
 * does not handle, cancellation among them.
 */
extern ErrorData *dyn_attempt(void (*step) (void *arg), void *arg);

/* Message, detail and hint as one text; palloc'd. */
extern char *dyn_failure_text(const ErrorData *failure);

#endif

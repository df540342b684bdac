/*
 * subtransaction.h
 *		Steps whose errors do not end the command.
 */
#ifndef DYN_COMMAND_SUBTRANSACTION_H
#define DYN_COMMAND_SUBTRANSACTION_H

#include "utils/elog.h"

/*
 * Runs a step in a subtransaction, in CurrentMemoryContext.  Returns NULL, or
 * the error that it raised; the caller raises again (ReThrowError) those that it
 * does not handle, cancellation among them.
 */
extern ErrorData *dyn_attempt(void (*step) (void *arg), void *arg);

/*
 * Could it be about what the step reads, as opposed to what ends the command
 * whatever it does?
 */
extern bool dyn_failure_is_of_definition(const ErrorData *failure);

/* Message, detail and hint as one text; palloc'd. */
extern char *dyn_failure_text(const ErrorData *failure);

#endif

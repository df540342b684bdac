/*
 * subtransaction.h
 *		Runs steps whose errors do not end the command.
 */
#ifndef DYN_MODEL_SUBTRANSACTION_H
#define DYN_MODEL_SUBTRANSACTION_H

#include "utils/elog.h"

/*
 * Runs a step in a subtransaction, in CurrentMemoryContext.  Returns NULL, or
 * the error that it raised.  The caller raises again (ReThrowError) those that
 * it does not handle, including cancellation.
 */
extern ErrorData *dyn_attempt(void (*step) (void *arg), void *arg);

/*
 * Returns true if the error may concern the object that the step reads.  Other
 * errors end the command regardless of the step.
 */
extern bool dyn_failure_is_of_definition(const ErrorData *failure);

/* Returns message, detail and hint as one text; palloc'd. */
extern char *dyn_failure_text(const ErrorData *failure);

#endif

/*
 * soft_errors.h
 *		Runs steps whose errors do not end the command.
 */
#ifndef DYN_MODEL_SOFT_ERRORS_H
#define DYN_MODEL_SOFT_ERRORS_H

#include "utils/elog.h"
#include "utils/palloc.h"

/*
 * Runs a step in a subtransaction, in CurrentMemoryContext.  Returns NULL, or
 * a copy of the error that the step raised.  The caller must rethrow errors
 * that it does not handle, including cancellation (ReThrowError).
 */
extern ErrorData *dyn_attempt(void (*step) (void *arg), void *arg);

/*
 * Returns true if the error may be due to the definition of the object (such as
 * a foreign table) that the step has read.  Other errors, such as cancellation,
 * should end the command.
 */
extern bool dyn_failure_is_of_definition(const ErrorData *failure);

/* Returns message, detail and hint as one palloc'd string. */
extern char *dyn_failure_text(const ErrorData *failure);

#endif

/*
 * failure.h
 *		Which expressions may be evaluated before it is known that they are needed.
 */
#ifndef DYN_PLAN_FAILURE_H
#define DYN_PLAN_FAILURE_H

#include "nodes/primnodes.h"

/*
 * Might evaluating the expression, or list of expressions, raise an error or
 * have effects?  True wherever it is not known.
 */
extern bool dyn_may_fail(Node *node);

#endif

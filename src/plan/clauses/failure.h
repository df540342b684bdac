/*
 * failure.h
 *		Decides which expressions may be evaluated speculatively.
 */
#ifndef DYN_PLAN_FAILURE_H
#define DYN_PLAN_FAILURE_H

#include "nodes/primnodes.h"

/*
 * Can evaluating the expression, or list of expressions, raise an error or
 * have side effects?  True if unknown.
 */
extern bool dyn_may_fail(Node *node);

#endif

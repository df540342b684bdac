/*
 * failure.h
 *		Decides which expressions may be evaluated speculatively.
 */
#ifndef DYN_PLAN_FAILURE_H
#define DYN_PLAN_FAILURE_H

#include "nodes/primnodes.h"

/*
 * Returns true if evaluating the expression, or list of expressions, can raise
 * an error or have side effects, or if that is unknown.
 */
extern bool dyn_may_fail(Node *node);

#endif

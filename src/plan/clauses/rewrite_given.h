/*
 * rewrite_given.h
 *		Conditions without columns of the table, beside others in an OR or AND.
 *
 * They are evaluated at the start of each execution: `$1 IS NULL OR k = $1` is
 * a condition on k in some executions, and true in others.  A local table would
 * not evaluate an arm that follows a true one, so nothing is evaluated that
 * might raise an error where that arm is not needed.
 */
#ifndef DYN_PLAN_REWRITE_GIVEN_H
#define DYN_PLAN_REWRITE_GIVEN_H

#include "classify.h"

/*
 * coalesce(x, k) = k as x IS NULL OR x = k, which is true for the same rows that
 * have a value of k; NULL if the operator is something else.
 */
extern Node *dyn_expand_coalesce(const DynClassify *context, const OpExpr *op);

/*
 * DYN_PRED_GIVEN; NULL if the expression is something else, or might fail, as
 * every subquery might.
 */
extern DynPred *dyn_classify_given(const DynClassify *context, Node *node);

/*
 * Values that might fail are only evaluated where no arm of an OR without
 * columns is true, and all those of an AND are.
 */
extern void dyn_guard_values(const DynClassify *context, DynPred *pred);

#endif

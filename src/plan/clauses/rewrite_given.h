/*
 * rewrite_given.h
 *		Classifies conditions without columns of the table, next to others in
 *		an OR or AND.
 *
 * They are evaluated at the start of each execution: `$1 IS NULL OR k = $1` is
 * a condition on k in some executions, and true in others.  A local table
 * would not evaluate an arm after a true one.  So values that might raise an
 * error are not evaluated if their arm is not needed.
 */
#ifndef DYN_PLAN_REWRITE_GIVEN_H
#define DYN_PLAN_REWRITE_GIVEN_H

#include "classify.h"

/*
 * Returns coalesce(x, k) = k as x IS NULL OR x = k.  Both are true for the
 * same rows among those that have a value of k.  Returns NULL if the operator
 * has other operands.
 */
extern Node *dyn_expand_coalesce(const DynClassify *context, const OpExpr *op);

/*
 * Returns a DYN_PRED_GIVEN.  Returns NULL if the expression is not such a
 * condition, or might fail, as every subquery might.
 */
extern DynPred *dyn_classify_given(const DynClassify *context, Node *node);

/*
 * Guards values that might fail: they are only evaluated if no arm without
 * columns is true in their OR, and all of them are true in their AND.
 */
extern void dyn_guard_values(const DynClassify *context, DynPred *pred);

#endif

/*
 * filter.h
 *		Converts predicates with run-time values to conditions of DynamoDB.
 *
 * A condition is true for every item whose row satisfies the predicate.  If an
 * operand is NULL, the condition is FALSE, since SQL rejects the row as well.
 * If no item can store the compared value, the condition is FALSE, or only
 * tests the type of the attribute if other values may satisfy the predicate.
 */
#ifndef DYN_EXEC_FILTER_H
#define DYN_EXEC_FILTER_H

#include "resolve_keys.h"

/* Returns an unsimplified condition for `pred`, in CurrentMemoryContext. */
extern DynCond *dyn_filter_cond(const DynRelation *relation, const DynPred *pred,
								const DynValues *values);

/* Return the condition for a term of the item filter, and for all terms. */
extern DynCond *dyn_filter_term_cond(const DynFilterTerm *term);
extern DynCond *dyn_item_filter_cond(const DynItemFilter *test);

#endif

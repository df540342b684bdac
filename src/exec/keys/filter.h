/*
 * filter.h
 *		Converts predicates with run-time values to conditions of DynamoDB.
 *
 * A condition selects every row that its predicate selects.  NULL operands
 * make a predicate FALSE (SQL's UNKNOWN rejects the row as well).  Values that
 * no item can have make it FALSE or leave only the test for the attribute's
 * type.
 */
#ifndef DYN_EXEC_FILTER_H
#define DYN_EXEC_FILTER_H

#include "resolve_keys.h"

/* Returns the condition, in CurrentMemoryContext; not simplified yet. */
extern DynCond *dyn_filter_cond(const DynRelation *relation, const DynPred *pred,
								const DynValues *values);

/* Return the condition for a term of the item filter, and for all terms. */
extern DynCond *dyn_filter_term_cond(const DynFilterTerm *term);
extern DynCond *dyn_item_filter_cond(const DynItemFilter *test);

#endif

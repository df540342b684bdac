/*
 * item_match.h
 *		Evaluates a condition on an item, as DynamoDB would.
 *
 * The items were requested without a filter.  This file decides whether
 * DynamoDB would have returned them with the condition as the filter (Amazon
 * DynamoDB Developer Guide, "Condition and filter expressions").  The logic
 * has two values; values of different types are unequal and have no order; a
 * missing attribute is unequal to everything.
 *
 * Comparisons of two paths are not supported: dyn_cond_bind rejects them.
 *
 * The functions allocate only in the scratch buffer.
 */
#ifndef DYN_DYNAMODB_ITEM_MATCH_H
#define DYN_DYNAMODB_ITEM_MATCH_H

#include "expression.h"

/*
 * Sets the slot of each path in the condition to the position of the path in
 * `paths`.  Returns false if `paths` lacks a path of the condition, or if the
 * condition compares two paths.
 */
extern bool dyn_cond_bind(DynCond *cond, const DynPath *paths, int npaths);

/*
 * Returns true if the item with these slots satisfies the condition, which
 * must be bound.  The scratch buffer must be empty.  If memory runs out,
 * scratch->failed is set, and the result is meaningless.
 */
extern bool dyn_item_matches(const DynCond *cond, const DynValue *slots,
							 DynBuffer *scratch);

#endif

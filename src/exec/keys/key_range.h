/*
 * key_range.h
 *		The values that a key attribute may have, by predicates with their
 *		run-time values.
 *
 * All predicates on the attribute are intersected.
 *
 * Allocates in CurrentMemoryContext.
 */
#ifndef DYN_EXEC_KEY_RANGE_H
#define DYN_EXEC_KEY_RANGE_H

#include "../../dynamodb/expression.h"
#include "interval.h"

/*
 * The predicates matched to an attribute, in a part of a key of this size.
 * Raises an error if they allow more values than can be collected.
 */
extern void dyn_resolve_attribute(const DynResolveContext *context,
								  const DynKeyMatch *match, size_t max_bytes,
								  DynKeyRange *range);

/* The points of one predicate that allows finitely many; there may be none. */
extern void dyn_resolve_points(const DynResolveContext *context,
							   const DynPred *pred, const DynKeyAttr *attr,
							   size_t max_bytes, DynPointSet *set);

/*
 * The same for the sort key of a Query, where several values of a template's
 * leading parts are several ranges, which have no text in common.  Returns
 * their number, at least 1; *ranges is one that is a contradiction, or one that
 * contains all of them, and other texts, if there are too many.
 */
extern int	dyn_resolve_sort_attribute(const DynResolveContext *context,
									   const DynKeyMatch *match,
									   size_t max_bytes, DynKeyRange **ranges);

/*
 * A condition for a filter that a predicate of kind SPELLED implies, which may
 * hold for other texts, too: nothing relies on it.  It may be constant.
 */
extern DynCond *dyn_spelled_cond(const DynRelation *relation,
								 const DynPred *pred, const DynValues *values);

#endif

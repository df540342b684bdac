/*
 * key_range.h
 *		The values that a key attribute may have, by predicates with their
 *		run-time values.
 *
 * Either finitely many points, or an interval or a prefix.  All predicates on
 * the attribute are intersected into it.  DynamoDB's rules for keys hold here:
 * no empty values, at most 2048 bytes in a partition key and 1024 in a sort
 * key, one condition on a sort key, no BETWEEN with reversed bounds.
 *
 * Allocates in CurrentMemoryContext.
 */
#ifndef DYN_EXEC_KEY_RANGE_H
#define DYN_EXEC_KEY_RANGE_H

#include "../../dynamodb/expression.h"
#include "points.h"

typedef struct DynKeyLimit
{
	bool		set;
	bool		inclusive;
	DynScalar	value;
} DynKeyLimit;

typedef struct DynKeyRange
{
	DynKeyRoom	room;
	bool		contradiction;
	bool		has_points;
	int			npoints;		/* sorted, distinct */
	DynScalar  *points;
	DynKeyLimit lower;
	DynKeyLimit upper;
	bool		has_prefix;
	DynScalar	prefix;
} DynKeyRange;

/* The predicates matched to an attribute, in a part of a key of this size. */
extern void dyn_resolve_attribute(const DynResolveContext *context,
								  const DynKeyMatch *match, size_t max_bytes,
								  DynKeyRange *range);

/*
 * The same for the sort key of a Query, where several values of a template's
 * leading parts are several ranges, which have no text in common.  Returns
 * their number, at least 1; *ranges is one that is a contradiction, or one that
 * contains all of them if there are too many.
 */
extern int	dyn_resolve_sort_attribute(const DynResolveContext *context,
									   const DynKeyMatch *match,
									   size_t max_bytes, DynKeyRange **ranges);

/* Is the value one of the range's? */
extern bool dyn_key_range_has(const DynKeyRange *range, const DynScalar *value);

/*
 * A condition for the range, which is no contradiction; NULL if it excludes
 * nothing.  Of several points it is the interval between the first and the
 * last: keys have no IN.
 */
extern DynCond *dyn_key_range_cond(const DynKeyRange *range,
								   const DynPath *path);

/*
 * A condition for a filter that a predicate of kind SPELLED implies; it may be
 * constant.
 */
extern DynCond *dyn_spelled_cond(const DynRelation *relation,
								 const DynPred *pred, const DynValues *values);

#endif

/*
 * interval.h
 *		A set of values of a key attribute, as keys can be asked for.
 *
 * Either finitely many points, or an interval or a prefix.  DynamoDB's rules
 * for keys hold here: no empty values, at most 2048 bytes in a partition key
 * and 1024 in a sort key, one condition on a sort key, no BETWEEN with reversed
 * bounds.  A range begins as zeroes but for its room, and holds everything.
 *
 * Allocates in CurrentMemoryContext.
 */
#ifndef DYN_EXEC_INTERVAL_H
#define DYN_EXEC_INTERVAL_H

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

/* Intersects it with sorted points, which are the range's from now on. */
extern void dyn_range_add_points(DynKeyRange *range, const DynPointSet *set);

/* Intersects it with what is above or below a bound, and with a prefix. */
extern void dyn_range_add_bound(DynKeyRange *range, DynKeyLimit bound,
								bool lower);
extern void dyn_range_add_prefix(DynKeyRange *range, DynScalar prefix);

/* After all of them: one condition is left, or a contradiction. */
extern void dyn_range_finish(DynKeyRange *range);

/* Does the first lower (or upper) bound admit more than the second? */
extern bool dyn_limit_is_wider(const DynKeyLimit *a, const DynKeyLimit *b,
							   bool lower);

/* Is the value one of the finished range's? */
extern bool dyn_range_has(const DynKeyRange *range, const DynScalar *value);

/*
 * A condition for the range, which is no contradiction; NULL if it excludes
 * nothing.  Of several points it is the interval between the first and the
 * last: keys have no IN.
 */
extern DynCond *dyn_range_cond(const DynKeyRange *range, const DynPath *path);

#endif

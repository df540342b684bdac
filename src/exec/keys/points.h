/*
 * points.h
 *		Sets of values of a key attribute, or of a part of its text.
 *
 * Allocates in CurrentMemoryContext.
 */
#ifndef DYN_EXEC_POINTS_H
#define DYN_EXEC_POINTS_H

#include "../../dynamodb/wire.h"
#include "../../plan/keys/access.h"
#include "../statement/values.h"

/* More keys than this are refused rather than collected. */
#define DYN_MAX_KEYS	10000000

/* What a value must be to count at all. */
typedef struct DynKeyRoom
{
	size_t		max_bytes;
	bool		may_be_empty;
} DynKeyRoom;

typedef struct DynPointSet
{
	int			n;
	int			space;
	DynScalar  *points;
} DynPointSet;

typedef struct DynResolveContext
{
	const DynRelation *relation;
	const DynValues *values;
	const DynPart *part;		/* the predicates are on it; or NULL */
} DynResolveContext;

/* The column as the predicate's attribute or part spells it. */
extern const DynColumn *dyn_compared_column(const DynResolveContext *context,
											const DynPred *pred);

/* Is a condition without columns (DYN_PRED_GIVEN) true? */
extern bool dyn_given_holds(const DynValues *values, const DynPred *pred);

/* Raises an error for more keys than can be collected. */
extern void dyn_refuse_too_many(double nkeys);

/* Adds a point, unless it has no room. */
extern void dyn_add_point(DynPointSet *set, const DynScalar *point,
						  const DynKeyRoom *room);

/* Adds the points of =, IN, a term of the row test, MEMBERS, or an OR. */
extern void dyn_collect_points(const DynResolveContext *context,
							   const DynPred *pred, DynType type,
							   DynPointSet *set, const DynKeyRoom *room);

/* In order, each once. */
extern void dyn_sort_points(DynPointSet *set);

#endif

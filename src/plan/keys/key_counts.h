/*
 * key_counts.h
 *		How many values predicates leave a key attribute, and keys an access plan.
 */
#ifndef DYN_PLAN_KEY_COUNTS_H
#define DYN_PLAN_KEY_COUNTS_H

#include "access.h"

/*
 * What a predicate on a key attribute leaves it, and what all of several do.
 * With `root` the number is an estimate; if it is NULL, the most that there can
 * be.
 */
extern DynCount dyn_count(PlannerInfo *root, const DynRelation *relation,
						  const DynPred *pred);
extern DynCount dyn_count_all(PlannerInfo *root, const DynRelation *relation,
							  const List *preds);

/*
 * How many ranges are asked for one by one, of what predicates leave a sort key.
 * One range contains them all if there are more than DYN_MAX_SORT_RANGES.
 */
extern double dyn_count_ranges(PlannerInfo *root, const DynRelation *relation,
							   const List *preds);

/* Estimated maximum number of keys that the access plan reads. */
extern double dyn_access_keys(PlannerInfo *root, const DynRelation *relation,
							  const DynAccess *access);

#endif

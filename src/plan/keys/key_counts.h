/*
 * key_counts.h
 *		Counts the values that predicates leave for a key attribute, and the
 *		keys that an access plan reads.
 */
#ifndef DYN_PLAN_KEY_COUNTS_H
#define DYN_PLAN_KEY_COUNTS_H

#include "access.h"

/*
 * Returns the values that a predicate leaves for a key attribute, or that all
 * of several predicates do.  With `root` the number is an estimate; if it is
 * NULL, the maximum.
 */
extern DynCount dyn_count(PlannerInfo *root, const DynRelation *relation,
						  const DynPred *pred);
extern DynCount dyn_count_all(PlannerInfo *root, const DynRelation *relation,
							  const List *preds);

/*
 * Returns the number of ranges in a sort key that are requested one by one.
 * If there are more than DYN_MAX_SORT_RANGES, one range contains them all.
 */
extern double dyn_count_ranges(PlannerInfo *root, const DynRelation *relation,
							   const List *preds);

/* Returns the estimated maximum number of keys that the access plan reads. */
extern double dyn_access_keys(PlannerInfo *root, const DynRelation *relation,
							  const DynAccess *access);

#endif

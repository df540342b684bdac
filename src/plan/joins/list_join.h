/*
 * list_join.h
 *		Joins of relations that are read by the same list of keys
 */
#ifndef DYN_PLAN_LIST_JOIN_H
#define DYN_PLAN_LIST_JOIN_H

#include "nodes/pathnodes.h"

/*
 * Adds the hash join that reads both relations at the same time, if one of
 * them can be read by a list of the other's keys (DynRelPlan.lists).
 */
extern void dyn_add_list_join(PlannerInfo *root, RelOptInfo *joinrel,
							  RelOptInfo *outerrel, RelOptInfo *innerrel,
							  JoinType jointype, JoinPathExtraData *extra);

#endif

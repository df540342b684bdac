/*
 * readahead_path.h
 *		The node that reads rows ahead, as the planner sees it.
 *
 * Its rows are its child's.  It stands below whatever executes scans of ours for
 * each of those rows, and knows where these are: in the nested loop whose outer
 * side it is (lookup_path.c), or in correlated subplans (subplan_path.c).
 */
#ifndef DYN_PLAN_READAHEAD_PATH_H
#define DYN_PLAN_READAHEAD_PATH_H

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

#include "cost.h"

/*
 * The path, read ahead; `subplans`: for these, a List of SubPlan, or NIL for a
 * nested loop.
 */
extern Path *dyn_read_ahead_path(Path *child, List *subplans);

/* What the plan node says to the executor. */
typedef struct DynReadAheadPlan
{
	bool		may_stop_early;			/* something above may stop early */
	List	   *subplans;		/* of int: plan_id of each subplan; or NIL */
	List	   *params;			/* of int: which parameter each of the plan's
								 * custom_exprs is for */
} DynReadAheadPlan;

extern void dyn_read_ahead_decode(const CustomScan *plan, DynReadAheadPlan *decoded);

/* Is it one of ours? */
extern bool dyn_is_read_ahead(const Plan *plan);
extern bool dyn_is_read_ahead_path(const Path *path);

/* An item read by its key is one row at most: nothing to read ahead. */
extern bool dyn_is_one_row(Path *path);

/* Once, when the library is loaded; `methods` are the executor's. */
extern void dyn_read_ahead_init(const CustomScanMethods *methods);

#endif

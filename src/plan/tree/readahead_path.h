/*
 * readahead_path.h
 *		Paths and plans of the node that reads rows ahead.
 *
 * Its rows are its child's.  The scans of ours that are executed for each of
 * these rows are on the inner side of the nested loop above it
 * (lookup_path.c), or in correlated subplans (subplan_path.c).
 */
#ifndef DYN_PLAN_READAHEAD_PATH_H
#define DYN_PLAN_READAHEAD_PATH_H

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * Puts the node above the path.  `subplans` is a List of SubPlan, or NIL for a
 * nested loop.
 */
extern Path *dyn_read_ahead_path(Path *child, List *subplans);

/* The private data of the plan node. */
typedef struct DynReadAheadPlan
{
	bool		may_stop_early; /* a node above may stop early */
	List	   *subplans;		/* of int: plan_id of each subplan; or NIL */
	List	   *params;			/* of int: the parameter for each of the
								 * plan's custom_exprs */
} DynReadAheadPlan;

extern void dyn_read_ahead_decode(const CustomScan *plan, DynReadAheadPlan *decoded);

/* Is it a read-ahead node? */
extern bool dyn_is_read_ahead(const Plan *plan);
extern bool dyn_is_read_ahead_path(const Path *path);

/* Called once, when the library is loaded; `methods` are the executor's. */
extern void dyn_read_ahead_init(const CustomScanMethods *methods);

#endif

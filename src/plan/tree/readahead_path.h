/*
 * readahead_path.h
 *		Creates paths and plans of the lookup join node, which reads rows
 *		ahead.
 *
 * The node returns the rows of its child.  For each row, our scans are
 * executed: on the inner side of the nested loop above the node
 * (lookup_path.c), or in correlated subplans (subplan_path.c).
 */
#ifndef DYN_PLAN_READAHEAD_PATH_H
#define DYN_PLAN_READAHEAD_PATH_H

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * Returns true for a column that identifies rows of a partitioned or inherited
 * target of UPDATE, DELETE or MERGE.
 */
static inline bool
dyn_identifies_row(const Expr *expr)
{
	return IsA(expr, Var) && ((const Var *) expr)->varno == ROWID_VAR;
}

/*
 * Returns a path that puts the node above `child`.  `subplans` is a List of
 * SubPlan, or NIL for a nested loop.  In a server with assertions, returns NULL
 * if `child` returns columns that identify rows.
 */
extern Path *dyn_read_ahead_path(Path *child, List *subplans);

/*
 * Returns how many rows of a scan or join, which has `rows` rows in all, are
 * expected to be needed for a LIMIT or EXISTS.  Returns 0 if all are needed,
 * or if the number is unknown (until the joins have been planned).
 */
extern double dyn_rows_needed(const PlannerInfo *root, double rows);

/* Private data of the plan node */
typedef struct DynReadAheadPlan
{
	int			first_rows;		/* number of rows that are probably needed, if
								 * a node above may stop early; else 0 */
	List	   *subplans;		/* plan_id (int) of each subplan, or NIL */
	List	   *params;			/* ids (int) of the parameters that receive the
								 * values of custom_exprs */
} DynReadAheadPlan;

extern DynReadAheadPlan dyn_read_ahead_decode(const CustomScan *plan);

/* Return true if the plan, or the path, is a lookup join node. */
extern bool dyn_is_read_ahead(const Plan *plan);
extern bool dyn_is_read_ahead_path(const Path *path);

/* Registers the node.  Called once, when the library is loaded. */
extern void dyn_read_ahead_init(const CustomScanMethods *methods);

#endif

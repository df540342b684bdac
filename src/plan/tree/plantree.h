/*
 * plantree.h
 *		Functions on plan trees and path trees that planner and executor share.
 */
#ifndef DYN_PLAN_PLANTREE_H
#define DYN_PLAN_PLANTREE_H

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * The foreign scans, of any wrapper, that always run exactly once, from the
 * start, per execution of the plan.  A List of ForeignScan *.  `subplans` are
 * those of the statement, by plan_id.
 */
extern List *dyn_plan_scans_once(Plan *plan, List *subplans);

/* The same of a path: a List of ForeignPath *. */
extern List *dyn_path_scans_once(Path *path);

/*
 * The foreign scans that are executed once unless an input is empty; scans
 * that a limit might skip are not included.  `limited`: the plan may be
 * stopped before its end.
 */
extern List *dyn_plan_scans_unless_empty(Plan *plan, bool limited);

/*
 * When the first row of the node's plan or subplan is fetched, will all rows
 * of the node be read in any case?  `to_end`: the plan is run to its end.
 */
extern bool dyn_plan_is_full_scan(const PlannedStmt *statement, const Plan *node,
								  bool to_end);

/* Is the node executed once at most, and by the statement or an initplan? */
extern bool dyn_plan_runs_once(const PlannedStmt *statement, const Plan *node);

/* The nested loop whose outer side the node is; NULL: none. */
extern NestLoop *dyn_plan_loop_over(const PlannedStmt *statement,
									const Plan *outer);

/* The parameters that are set while a statement runs, in an expression or List. */
extern Bitmapset *dyn_running_params(Node *node);

/* The parameters that initplans of the statement set. */
extern Bitmapset *dyn_plan_initplan_params(const PlannedStmt *statement);

/* The plan or subplan of the statement that the node belongs to. */
extern Plan *dyn_plan_tree_of(const PlannedStmt *statement, const Plan *node);

#endif

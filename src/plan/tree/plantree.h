/*
 * plantree.h
 *		Functions on plan trees and path trees, shared by planner and executor
 */
#ifndef DYN_PLAN_PLANTREE_H
#define DYN_PLAN_PLANTREE_H

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * Returns the foreign scans, of any wrapper, that always run exactly once,
 * from the start, per execution of the plan: a List of ForeignScan *.
 * `subplans` are those of the statement, by plan_id.
 */
extern List *dyn_plan_scans_once(Plan *plan, List *subplans);

/* Returns the same for a path: a List of ForeignPath *. */
extern List *dyn_path_scans_once(Path *path);

/*
 * Returns the foreign scans that are executed once unless an input is empty.
 * Scans that a limit might skip are not included.  `limited` is true if the
 * plan may be stopped before its end.
 */
extern List *dyn_plan_scans_unless_empty(Plan *plan, bool limited);

/*
 * Returns true if all rows of the node are read in any case once the first row
 * of its plan or subplan was fetched.  `to_end` is true if the plan is run to
 * its end.
 */
extern bool dyn_plan_is_full_scan(const PlannedStmt *statement, const Plan *node,
								  bool to_end);

/*
 * Returns true if the node is executed at most once, by the statement or an
 * initplan.
 */
extern bool dyn_plan_runs_once(const PlannedStmt *statement, const Plan *node);

/*
 * Returns the nested loop that has the node as its outer side; NULL if there
 * is none.
 */
extern NestLoop *dyn_plan_loop_over(const PlannedStmt *statement,
									const Plan *outer);

/* Returns the parameters in an expression or List that are set at run time. */
extern Bitmapset *dyn_running_params(Node *node);

/* Returns the parameters that initplans of the statement set. */
extern Bitmapset *dyn_plan_initplan_params(const PlannedStmt *statement);

/* Returns the plan or subplan of the statement that contains the node. */
extern Plan *dyn_plan_tree_of(const PlannedStmt *statement, const Plan *node);

#endif

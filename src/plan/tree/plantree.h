/*
 * plantree.h
 *		Functions on plan trees and path trees, shared by planner and executor
 *
 * A path contains the kind of its plan node, so plans and paths share one
 * table of node kinds.  Planner and executor thereby agree on the scans that
 * an execution reaches.
 */
#ifndef DYN_PLAN_PLANTREE_H
#define DYN_PLAN_PLANTREE_H

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/* Uses of a child by one execution of its parent, as bits; 0 if unknown */
#define DYN_CHILD_ONCE			0x01	/* each execution of the parent
										 * executes the child exactly once, as
										 * soon as the execution begins */
#define DYN_CHILD_UNLESS_EMPTY	0x02	/* child is executed once, unless
										 * another input of a join is empty */
#define DYN_CHILD_FULL			0x04	/* child is read to its end if the
										 * parent is */
#define DYN_CHILD_FULL_FIRST	0x08	/* child is read to its end before the
										 * parent returns a row */
#define DYN_CHILD_LIMITED		0x10	/* parent may end the child early */
#define DYN_CHILD_UPPER			0x20	/* parent is above the scans and joins
										 * of its query level */

/* Gets a child and its DYN_CHILD bits; returns true to end the visit. */
typedef bool (*DynPlanVisitor) (Plan *child, int use, void *context);
typedef bool (*DynPathVisitor) (Path *child, int use, void *context);

/*
 * Visits the children of a node.  Returns true if the visitor ended the visit.
 * If `subplans` (all subplans of the statement) is not NIL, also visits the
 * initplans that compute min and max for a Result without a child.  The `use`
 * of such an initplan is 0 if the Result may end without evaluating it.
 */
extern bool dyn_visit_child_plans(Plan *plan, List *subplans,
								  DynPlanVisitor visit, void *context);

/* Visits the children of a path, if plantree.c supports its kind. */
extern bool dyn_visit_child_paths(Path *path, DynPathVisitor visit,
								  void *context);

/* Returns the subplan with this plan_id; NULL if core has dropped it. */
extern Plan *dyn_plan_of_subplan(List *subplans, int plan_id);

/*
 * Returns the foreign scans (ForeignScan *), of any wrapper, that run exactly
 * once in each execution of the plan, and begin as soon as the plan begins.
 */
extern List *dyn_plan_scans_once(Plan *plan, List *subplans);

/* Like dyn_plan_scans_once, but for a path; returns a List of ForeignPath. */
extern List *dyn_path_scans_once(Path *path);

/*
 * Returns the foreign scans (ForeignScan *) that are executed once, or perhaps
 * not at all if another input of a join above them is empty.  Omits those that
 * a LIMIT may skip or end early.  `limited` is true if the plan may end early.
 */
extern List *dyn_plan_scans_unless_empty(Plan *plan, bool limited);

/*
 * Returns true if fetching the first row from the node's plan tree (the
 * statement's plan, or a subplan) is certain to read all rows of the node.
 * `to_end` is true if all rows of the statement's plan are fetched instead.
 */
extern bool dyn_plan_is_full_scan(const PlannedStmt *statement, const Plan *node,
								  bool to_end);

/*
 * Returns true if a LIMIT above the node may stop the node before its end.  If
 * the node is in the plan of a CTE, the LIMIT may be above the CTE's scans.
 */
extern bool dyn_plan_is_limited(const PlannedStmt *statement, const Plan *node);

/* Returns the initplan whose plan contains the node; NULL if there is none. */
extern const SubPlan *dyn_plan_initplan_of(const PlannedStmt *statement,
										   const Plan *node);

/* Returns true if the statement or an initplan runs the node at most once. */
extern bool dyn_plan_runs_once(const PlannedStmt *statement, const Plan *node);

/*
 * Returns true if reading a row of the plan may have side effects: volatile
 * functions are called, or rows are locked.  `subplans` is a copy of the
 * statement's list; a subplan becomes NULL there when it has been searched.
 */
extern bool dyn_plan_has_effects(Plan *plan, List *subplans);

/* Returns the nested loop with this outer side; NULL if there is none. */
extern NestLoop *dyn_plan_loop_over(const PlannedStmt *statement,
									const Plan *outer);

/* Returns the ids of the PARAM_EXEC parameters in an expression or List. */
extern Bitmapset *dyn_running_params(Node *node);

/* Returns the ids of the parameters set by initplans of the statement. */
extern Bitmapset *dyn_plan_initplan_params(const PlannedStmt *statement);

/* Returns the plan tree (the statement's plan, or a subplan) with the node. */
extern Plan *dyn_plan_tree_of(const PlannedStmt *statement, const Plan *node);

/*
 * Like expression_tree_walker, but leaves out the parts of this node that may
 * remain unevaluated, such as all arguments of an OR except the first.
 */
extern bool dyn_walk_evaluated(Node *node, bool (*walker) (Node *, void *),
							   void *context);

/*
 * Returns true if evaluating the target list of a plan always needs the
 * PARAM_EXEC `param`, which an initplan sets.  Until the end of planning, an
 * Aggref (min or max) is in the place of the Param.  So also returns true if
 * the list always evaluates an Aggref.
 */
extern bool dyn_targets_evaluate(List *targetlist, int param);

#endif

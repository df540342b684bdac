/*
 * plantree.h
 *		Questions about plan trees and path trees that planner and executor must
 *		answer alike.
 */
#ifndef DYN_PLAN_PLANTREE_H
#define DYN_PLAN_PLANTREE_H

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * The foreign scans, of any wrapper, that executing the plan once executes once:
 * every time, and from the start.  A List of ForeignScan *.  `subplans` are the
 * statement's, by plan_id.
 */
extern List *dyn_plan_scans_once(Plan *plan, List *subplans);

/* The same of a path: a List of ForeignPath *. */
extern List *dyn_path_scans_once(Path *path);

/*
 * The foreign scans that are executed once unless an input is empty, whatever is
 * limited above or below them; `limited`: the plan may be left before its end.
 */
extern List *dyn_plan_scans_unless_empty(Plan *plan, bool limited);

/*
 * Once the node's plan or subplan is asked for its first row, are all rows of the
 * node read, in any case?
 */
extern bool dyn_plan_is_read_whole(const PlannedStmt *statement, const Plan *node);

/* The nested loop whose outer side the node is; NULL: none. */
extern NestLoop *dyn_plan_loop_over(const PlannedStmt *statement,
									const Plan *outer);

/* The plan or subplan of the statement that the node belongs to. */
extern Plan *dyn_plan_tree_of(const PlannedStmt *statement, const Plan *node);

#endif

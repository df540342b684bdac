/*
 * plantree.h
 *		Questions about plan trees that planner and executor must answer alike.
 */
#ifndef DYN_PLAN_PLANTREE_H
#define DYN_PLAN_PLANTREE_H

#include "nodes/plannodes.h"

/*
 * The foreign scans, of any wrapper, that executing the plan once executes once:
 * every time, and from the start.  A List of ForeignScan *.  `subplans` are the
 * statement's, by plan_id.
 */
extern List *dyn_plan_scans_once(Plan *plan, List *subplans);

/* Does the node read all rows below before it returns the first? */
extern bool dyn_plan_reads_all(const Plan *plan);

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

/* A subplan by its plan_id, from 1; NULL if it was dropped. */
extern Plan *dyn_plan_of_subplan(List *subplans, int plan_id);

#endif

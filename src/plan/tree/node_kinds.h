/*
 * node_kinds.h
 *		Describes how each kind of plan node executes its children.
 *
 * Plans and paths share one table, since a path names the plan node that it
 * becomes.  Therefore planner and executor agree on the scans that an
 * execution reaches.
 */
#ifndef DYN_PLAN_NODE_KINDS_H
#define DYN_PLAN_NODE_KINDS_H

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/* Uses of a child in one execution of the parent; 0 if unknown. */
#define DYN_CHILD_ONCE			0x01	/* always executes it once, from the
										 * start */
#define DYN_CHILD_UNLESS_EMPTY	0x02	/* executes it once, unless another
										 * input is empty */
#define DYN_CHILD_FULL			0x04	/* reads it to the end if the parent
										 * is read to the end */
#define DYN_CHILD_FULL_FIRST	0x08	/* reads it to the end before it
										 * returns a row */
#define DYN_CHILD_LIMITED		0x10	/* may stop when it has enough rows */
#define DYN_CHILD_UPPER			0x20	/* processes rows of scans and joins,
										 * at the same query level */

/*
 * Called with a child and its DYN_CHILD bits; returns true to end the visit.
 */
typedef bool (*DynPlanVisitor) (Plan *child, int use, void *context);
typedef bool (*DynPathVisitor) (Path *child, int use, void *context);

/*
 * Visits all children of a node of any kind; returns true if the visitor ended
 * the visit.  `subplans` are those of the statement, or NIL.  If they are
 * given, a Result that only returns values of initplans has the initplans as
 * children (min and max from the end of an index).
 */
extern bool dyn_visit_child_plans(Plan *plan, List *subplans,
								  DynPlanVisitor visit, void *context);

/*
 * Visits all children of a path in the same way, but only for kinds in the
 * table.
 */
extern bool dyn_visit_child_paths(Path *path, DynPathVisitor visit,
								  void *context);

/* Returns the subplan with this plan_id (from 1); NULL if it was dropped. */
extern Plan *dyn_plan_of_subplan(List *subplans, int plan_id);

#endif

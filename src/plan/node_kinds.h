/*
 * node_kinds.h
 *		What each kind of plan node does with its children.
 *
 * One table serves plans and paths, since a path says which plan node it will
 * become; planner and executor so agree which scans an execution reaches.
 */
#ifndef DYN_PLAN_NODE_KINDS_H
#define DYN_PLAN_NODE_KINDS_H

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/* What executing the parent once means for a child; nothing is known: 0. */
#define DYN_CHILD_ONCE			0x01	/* executed once, every time, and from the
										 * start */
#define DYN_CHILD_UNLESS_EMPTY	0x02	/* executed once, unless another input of the
										 * parent is empty */
#define DYN_CHILD_WHOLE			0x04	/* read whole if the parent is read whole */
#define DYN_CHILD_WHOLE_FIRST	0x08	/* read whole before the parent returns a row */
#define DYN_CHILD_LIMITED		0x10	/* the parent may stop for having rows enough */
#define DYN_CHILD_UPPER			0x20	/* the parent processes rows of scans and joins,
										 * at the same query level */

/* Called with a child and its DYN_CHILD bits; true ends the visit. */
typedef bool (*DynPlanVisitor) (Plan *child, int use, void *context);
typedef bool (*DynPathVisitor) (Path *child, int use, void *context);

/*
 * Visits all children of a node, of whatever kind it is; true if the visitor
 * ended the visit.  With `subplans`, the statement's, a Result that only returns
 * the values of initplans (min and max by an index's end) has their plans as
 * children.
 */
extern bool dyn_visit_child_plans(Plan *plan, List *subplans,
								  DynPlanVisitor visit, void *context);

/* The same for a path, but only the children of kinds that the table has. */
extern bool dyn_visit_child_paths(Path *path, DynPathVisitor visit,
								  void *context);

/* A subplan by its plan_id, from 1; NULL if it was dropped. */
extern Plan *dyn_plan_of_subplan(List *subplans, int plan_id);

#endif

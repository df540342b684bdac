/*
 * plantree.c
 *		Searches plan trees and path trees.
 *
 * node_kinds.c has the properties of each kind of node; this file combines
 * them along the path from one node to another.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"

#include "node_kinds.h"
#include "plantree.h"

/* ---- scans that are executed once ---- */

typedef struct ScanSearch
{
	List	   *subplans;
	List	   *found;
} ScanSearch;

static bool
find_once(Plan *plan, int use, void *context)
{
	ScanSearch *search = context;

	check_stack_depth();
	if (!(use & DYN_CHILD_ONCE))
		return false;
	if (IsA(plan, ForeignScan))
		search->found = lappend(search->found, plan);
	else
		(void) dyn_visit_child_plans(plan, search->subplans, find_once, search);
	return false;
}

List *
dyn_plan_scans_once(Plan *plan, List *subplans)
{
	ScanSearch	search = {subplans, NIL};

	if (plan != NULL)
		(void) find_once(plan, DYN_CHILD_ONCE, &search);
	return search.found;
}

static bool
find_path_once(Path *path, int use, void *context)
{
	List	  **found = context;

	check_stack_depth();
	if (!(use & DYN_CHILD_ONCE))
		return false;
	if (IsA(path, ForeignPath))
		*found = lappend(*found, path);
	else
		(void) dyn_visit_child_paths(path, find_path_once, found);
	return false;
}

List *
dyn_path_scans_once(Path *path)
{
	List	   *found = NIL;

	(void) find_path_once(path, DYN_CHILD_ONCE, &found);
	return found;
}

/* ---- scans that are executed unless an input is empty ---- */

typedef struct UnlessEmptySearch
{
	bool		limited;		/* true if the current node may be stopped
								 * early */
	List	   *found;
} UnlessEmptySearch;

static bool
find_unless_empty(Plan *plan, int use, void *context)
{
	UnlessEmptySearch *search = context;
	bool		above = search->limited;

	check_stack_depth();
	if (!(use & DYN_CHILD_UNLESS_EMPTY))
		return false;
	search->limited = (above || (use & DYN_CHILD_LIMITED)) &&
		!(use & DYN_CHILD_FULL_FIRST);
	if (!IsA(plan, ForeignScan))
		(void) dyn_visit_child_plans(plan, NIL, find_unless_empty, search);
	else if (!search->limited)
		search->found = lappend(search->found, plan);
	search->limited = above;
	return false;
}

List *
dyn_plan_scans_unless_empty(Plan *plan, bool limited)
{
	UnlessEmptySearch search = {limited, NIL};

	(void) find_unless_empty(plan, DYN_CHILD_UNLESS_EMPTY, &search);
	return search.found;
}

/* ---- full scans ---- */

typedef struct FullSearch
{
	const Plan *node;			/* node to find */
	bool		full;			/* true if the current node is read to the
								 * end */
} FullSearch;

/*
 * Visits the plan until the node is found.  `full` is then the value for that
 * node.
 */
static bool
find_full(Plan *plan, int use, void *context)
{
	FullSearch *search = context;
	bool		above = search->full;

	check_stack_depth();
	search->full = (use & DYN_CHILD_FULL_FIRST) != 0 ||
		(above && (use & DYN_CHILD_FULL) != 0);
	if (plan == search->node ||
		dyn_visit_child_plans(plan, NIL, find_full, search))
		return true;
	search->full = above;
	return false;
}

/* ---- position of a node ---- */

/* The nodes of each tree are numbered consecutively, starting at the top. */
Plan *
dyn_plan_tree_of(const PlannedStmt *statement, const Plan *node)
{
	Plan	   *tree = statement->planTree;
	ListCell   *lc;

	foreach(lc, statement->subplans)
	{
		Plan	   *subplan = lfirst(lc);

		if (subplan != NULL && subplan->plan_node_id <= node->plan_node_id &&
			subplan->plan_node_id > tree->plan_node_id)
			tree = subplan;
	}
	Assert(tree->plan_node_id <= node->plan_node_id);
	return tree;
}

bool
dyn_plan_is_full_scan(const PlannedStmt *statement, const Plan *node, bool to_end)
{
	Plan	   *tree = dyn_plan_tree_of(statement, node);
	bool		full = to_end && tree == statement->planTree;
	FullSearch	search = {node, full};

	return find_full(tree, full ? DYN_CHILD_FULL : 0, &search) && search.full;
}

/* ---- nodes that are executed at most once ---- */

typedef struct RepeatSearch
{
	const Plan *node;			/* node to find */
	bool		once;			/* true if the current node is executed at most
								 * once */
	bool		may_skip;		/* true if its parent executes no child
								 * twice */
} RepeatSearch;

static bool
find_repeated(Plan *plan, int use, void *context)
{
	RepeatSearch *search = context;
	bool		above = search->once;
	bool		may_skip = search->may_skip;

	check_stack_depth();
	search->once = above && (may_skip ||
							 (use & (DYN_CHILD_ONCE | DYN_CHILD_UNLESS_EMPTY)) != 0);
	if (plan == search->node)
		return true;
	/* they may skip a child, or compare rows from two of them */
	search->may_skip = IsA(plan, Result) || IsA(plan, Append) ||
		IsA(plan, MergeAppend) || IsA(plan, SetOp);
	if (IsA(plan, NestLoop))
	{
		/*
		 * the inner side is rescanned for each outer row, unless it is cached
		 */
		bool		cached = IsA(innerPlan(plan), Material) &&
			((NestLoop *) plan)->nestParams == NIL;

		if (find_repeated(outerPlan(plan), DYN_CHILD_ONCE, search) ||
			find_repeated(innerPlan(plan), cached ? DYN_CHILD_UNLESS_EMPTY : 0,
						  search))
			return true;
	}
	else if (dyn_visit_child_plans(plan, NIL, find_repeated, search))
		return true;
	search->once = above;
	search->may_skip = may_skip;
	return false;
}

typedef struct InitplanSearch
{
	List	   *subplans;
	const Plan *plan;
} InitplanSearch;

static bool
find_initplan(Plan *plan, int use, void *context)
{
	InitplanSearch *search = context;
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, plan->initPlan)
	{
		if (dyn_plan_of_subplan(search->subplans,
								lfirst_node(SubPlan, lc)->plan_id) == search->plan)
			return true;
	}
	return dyn_visit_child_plans(plan, NIL, find_initplan, search);
}

/*
 * Returns true for an initplan that no parameter causes to run again, wherever
 * its result is used.
 */
static bool
is_constant_initplan(const PlannedStmt *statement, const Plan *tree)
{
	InitplanSearch search = {statement->subplans, tree};
	ListCell   *lc;

	if (!bms_is_empty(tree->extParam))
		return false;
	foreach(lc, statement->subplans)
	{
		if (lfirst(lc) != NULL && find_initplan(lfirst(lc), 0, &search))
			return true;
	}
	return find_initplan(statement->planTree, 0, &search);
}

bool
dyn_plan_runs_once(const PlannedStmt *statement, const Plan *node)
{
	RepeatSearch search = {node, true, false};
	Plan	   *tree = dyn_plan_tree_of(statement, node);

	return (tree == statement->planTree || is_constant_initplan(statement, tree)) &&
		find_repeated(tree, DYN_CHILD_ONCE, &search) && search.once;
}

/* ---- loops ---- */

typedef struct LoopSearch
{
	const Plan *outer;
	NestLoop   *found;
} LoopSearch;

static bool
find_loop(Plan *plan, int use, void *context)
{
	LoopSearch *search = context;

	check_stack_depth();
	if (!IsA(plan, NestLoop) || outerPlan(plan) != search->outer)
		return dyn_visit_child_plans(plan, NIL, find_loop, search);
	search->found = (NestLoop *) plan;
	return true;
}

NestLoop *
dyn_plan_loop_over(const PlannedStmt *statement, const Plan *outer)
{
	LoopSearch	search = {outer, NULL};

	Assert(outer != NULL);
	(void) find_loop(dyn_plan_tree_of(statement, outer), 0, &search);
	return search.found;
}

/* ---- parameters ---- */

static bool
find_running_params(Node *node, void *context)
{
	Bitmapset **params = context;

	if (node == NULL)
		return false;
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC)
		*params = bms_add_member(*params, ((Param *) node)->paramid);
	return expression_tree_walker(node, find_running_params, context);
}

Bitmapset *
dyn_running_params(Node *node)
{
	Bitmapset  *params = NULL;

	(void) find_running_params(node, &params);
	return params;
}

static bool
find_initplan_params(Plan *plan, int use, void *context)
{
	Bitmapset **params = context;
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, plan->initPlan)
	{
		ListCell   *param;

		foreach(param, lfirst_node(SubPlan, lc)->setParam)
			*params = bms_add_member(*params, lfirst_int(param));
	}
	return dyn_visit_child_plans(plan, NIL, find_initplan_params, params);
}

Bitmapset *
dyn_plan_initplan_params(const PlannedStmt *statement)
{
	Bitmapset  *params = NULL;
	ListCell   *lc;

	(void) find_initplan_params(statement->planTree, 0, &params);
	foreach(lc, statement->subplans)
	{
		if (lfirst(lc) != NULL)
			(void) find_initplan_params(lfirst(lc), 0, &params);
	}
	return params;
}

/*
 * plantree.c
 *		Describes how plan nodes execute their children, and searches plan
 *		trees and path trees.
 *
 * The array `kinds` has the properties of each kind of node.  The searches
 * combine these properties on their way down the tree.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "../../model/server/pg_compat.h"
#include "plantree.h"
#include "readahead_path.h"

#define ONCE		DYN_CHILD_ONCE
#define UNLESS		DYN_CHILD_UNLESS_EMPTY
#define FULL		DYN_CHILD_FULL
#define FIRST		DYN_CHILD_FULL_FIRST
#define LIMITED		DYN_CHILD_LIMITED
#define UPPER		DYN_CHILD_UPPER

/* The child runs once; if the parent is read to its end, so is the child */
#define PROCESSES	(ONCE | UNLESS | FULL)

typedef struct NodeKind
{
	NodeTag		tag;			/* tag of the plan node */
	int			outer;			/* DYN_CHILD bits of the outer child */
	int			inner;			/* DYN_CHILD bits of the inner child */
	int			list;			/* DYN_CHILD bits of all listed_children */
} NodeKind;

/*
 * A hash join with an empty hash table may skip its outer side.  A merge join
 * ends when one side ends; other joins read their outer side to the end.
 */
static const NodeKind kinds[] = {
	{T_Agg, PROCESSES | UPPER, 0, 0},
	{T_Append, 0, 0, PROCESSES | UPPER},
	{T_CustomScan, 0, 0, PROCESSES},
	{T_Gather, FULL, 0, 0},
	{T_GatherMerge, FULL, 0, 0},
	{T_Group, PROCESSES | UPPER, 0, 0},
	{T_Hash, UNLESS | FIRST, 0, 0},
	{T_HashJoin, UNLESS | FULL, UNLESS, 0},
	{T_IncrementalSort, PROCESSES | UPPER, 0, 0},
	{T_Limit, ONCE | UNLESS | LIMITED | UPPER, 0, 0},
	{T_LockRows, UNLESS | FULL | UPPER, 0, 0},
	{T_Material, PROCESSES, 0, 0},
	{T_MergeAppend, 0, 0, UNLESS | FULL | UPPER},
	{T_MergeJoin, UNLESS, UNLESS, 0},
	{T_ModifyTable, UNLESS | FULL | UPPER, 0, 0},
	{T_NestLoop, PROCESSES, UNLESS, 0},
	{T_ProjectSet, PROCESSES | UPPER, 0, 0},
	{T_RecursiveUnion, FULL, 0, 0},
	{T_Result, PROCESSES | UPPER, 0, 0},
	{T_SetOp, FULL, 0, 0},
	{T_Sort, PROCESSES | FIRST | UPPER, 0, 0},
	{T_SubqueryScan, 0, 0, PROCESSES},
	{T_Unique, PROCESSES | UPPER, 0, 0},
	{T_WindowAgg, PROCESSES | UPPER, 0, 0},
	{T_Invalid, 0, 0, 0}		/* all other kinds */
};

static const NodeKind *
kind_of(NodeTag tag)
{
	const NodeKind *kind = kinds;

	while (kind->tag != tag && kind->tag != T_Invalid)
		kind++;
	return kind;
}

/* ---- plans ---- */

Plan *
dyn_plan_of_subplan(List *subplans, int plan_id)
{
	Assert(plan_id > 0 && plan_id <= list_length(subplans));
	return list_nth(subplans, plan_id - 1);
}

/* Returns the DYN_CHILD bits in `kinds` that do not apply to this node. */
static int
exceptions(Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Append:
			/* run-time pruning may skip children */
			return dyn_append_is_pruned((Append *) plan) ? ONCE | UNLESS : 0;
		case T_MergeAppend:
			return dyn_append_is_pruned((MergeAppend *) plan)
				? ONCE | UNLESS : 0;
		case T_Result:
			/* a one-time filter may skip the child */
			return ((Result *) plan)->resconstantqual ? ONCE | UNLESS : 0;
		case T_WindowAgg:
			/* the node ends when a run condition (row_number() < 3) is false */
			return ((WindowAgg *) plan)->runCondition != NIL ? FULL | FIRST : 0;
		case T_Limit:
			/* an OFFSET alone does not stop early */
			return ((Limit *) plan)->limitCount == NULL ? LIMITED : 0;
		case T_CustomScan:
			/* nodes of other extensions are unknown */
			return dyn_is_read_ahead(plan) ? 0 : ~0;
		default:
			return 0;
	}
}

static List *
listed_children(Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Append:
			return ((Append *) plan)->appendplans;
		case T_MergeAppend:
			return ((MergeAppend *) plan)->mergeplans;
		case T_CustomScan:
			return ((CustomScan *) plan)->custom_plans;
		case T_SubqueryScan:
			return list_make1(((SubqueryScan *) plan)->subplan);
		default:
			return NIL;
	}
}

bool
dyn_visit_child_plans(Plan *plan, List *subplans, DynPlanVisitor visit,
					  void *context)
{
	const NodeKind *kind = kind_of(nodeTag(plan));
	int			all = ~exceptions(plan);
	int			outer = kind->outer;
	ListCell   *lc;

	foreach(lc, listed_children(plan))
	{
		if (visit(lfirst(lc), kind->list & all, context))
			return true;
	}
	/* visit the initplans of a Result that only returns their values */
	foreach(lc, subplans != NIL && IsA(plan, Result) && outerPlan(plan) == NULL
			? plan->initPlan : NIL)
	{
		const SubPlan *subplan = lfirst_node(SubPlan, lc);
		Plan	   *initplan = dyn_plan_of_subplan(subplans, subplan->plan_id);
		bool		always = dyn_targets_evaluate(plan->targetlist,
												  linitial_int(subplan->setParam));

		if (initplan != NULL && visit(initplan, always ? outer & all : 0, context))
			return true;
	}
	/*
	 * an Agg without groups, or with only hashed groups (not AGG_MIXED), reads
	 * its input to the end first, like a ModifyTable without RETURNING
	 */
	if ((IsA(plan, Agg) && (((Agg *) plan)->aggstrategy == AGG_PLAIN ||
							((Agg *) plan)->aggstrategy == AGG_HASHED)) ||
		(IsA(plan, ModifyTable) && ((ModifyTable *) plan)->returningLists == NIL))
		outer |= FIRST;
	if (outerPlan(plan) != NULL && visit(outerPlan(plan), outer & all, context))
		return true;
	/* a parameterized inner side is executed for each outer row */
	if (IsA(plan, NestLoop) && ((NestLoop *) plan)->nestParams != NIL)
		all = 0;
	return innerPlan(plan) != NULL &&
		visit(innerPlan(plan), kind->inner & all, context);
}

/* ---- paths ---- */

static Path *
only_child(Path *path)
{
	switch (nodeTag(path))
	{
		case T_AggPath:
			return ((AggPath *) path)->subpath;
		case T_GroupPath:
			return ((GroupPath *) path)->subpath;
		case T_IncrementalSortPath:
			return ((IncrementalSortPath *) path)->spath.subpath;
		case T_LimitPath:
			return ((LimitPath *) path)->subpath;
		case T_LockRowsPath:
			return ((LockRowsPath *) path)->subpath;
		case T_MaterialPath:
			return ((MaterialPath *) path)->subpath;
		case T_ModifyTablePath:
			return ((ModifyTablePath *) path)->subpath;
		case T_ProjectionPath:
			return ((ProjectionPath *) path)->subpath;
		case T_ProjectSetPath:
			return ((ProjectSetPath *) path)->subpath;
		case T_SortPath:
			return ((SortPath *) path)->subpath;
		case T_UpperUniquePath:
			return ((UpperUniquePath *) path)->subpath;
		case T_WindowAggPath:
			return ((WindowAggPath *) path)->subpath;
		default:
			return NULL;
	}
}

static List *
listed_child_paths(Path *path)
{
	List	   *found = NIL;
	ListCell   *lc;

	switch (nodeTag(path))
	{
		case T_AppendPath:
			return ((AppendPath *) path)->subpaths;
		case T_MergeAppendPath:
			return ((MergeAppendPath *) path)->subpaths;
		case T_CustomPath:
			return dyn_is_read_ahead_path(path) ? ((CustomPath *) path)->custom_paths
				: NIL;
		case T_SubqueryScanPath:
			return list_make1(((SubqueryScanPath *) path)->subpath);
		case T_MinMaxAggPath:
			foreach(lc, ((MinMaxAggPath *) path)->mmaggregates)
				found = lappend(found, lfirst_node(MinMaxAggInfo, lc)->path);
			return found;
		default:
			return NIL;
	}
}

bool
dyn_visit_child_paths(Path *path, DynPathVisitor visit, void *context)
{
	const NodeKind *kind = kind_of(path->pathtype);
	Path	   *child = only_child(path);
	ListCell   *lc;

	if (child != NULL)
		return visit(child, kind->outer, context);
	if (IsA(path, NestPath) || IsA(path, MergePath) || IsA(path, HashPath))
		return visit(((JoinPath *) path)->outerjoinpath, kind->outer, context) ||
			visit(((JoinPath *) path)->innerjoinpath, kind->inner, context);
	foreach(lc, listed_child_paths(path))
	{
		if (visit(lfirst(lc), kind->list | (IsA(path, MinMaxAggPath)
											? kind->outer : 0), context))
			return true;
	}
	return false;
}

/* ---- searches ---- */

/* The way in which an execution of a plan tree reaches one of its nodes */
typedef struct Reach
{
	Plan	   *parent;			/* parent node; NULL for the root */
	bool		once;			/* true if each execution of the tree runs the
								 * node exactly once, from the start */
	bool		unless_empty;	/* true if executed once, unless another input
								 * of a join above is empty */
	bool		limited;		/* true if the node may be stopped early */
	bool		full;			/* true if the node is read to its end */
	bool		at_most_once;	/* true if never executed twice */
} Reach;

typedef struct Search
{
	List	   *subplans;		/* argument of dyn_visit_child_plans */
	bool		(*visit) (Plan *plan, const Reach *reach, void *context);
	void	   *context;		/* argument of `visit` */
	Reach		reach;			/* Reach of the current node, but with the node
								 * itself as `parent` */
} Search;

static bool
runs_at_most_once(const Plan *plan, int use, const Plan *parent)
{
	switch (nodeTag(parent))
	{
		case T_Append:
		case T_MergeAppend:
		case T_Result:
		case T_SetOp:
			return true;		/* may skip or alternate between children */
		case T_NestLoop:
			/* the inner side is rescanned for each outer row, unless cached */
			if (plan == innerPlan(parent) && !IsA(plan, Material))
				return false;
			break;
		default:
			break;
	}
	return (use & (DYN_CHILD_ONCE | DYN_CHILD_UNLESS_EMPTY)) != 0;
}

/* Calls search->visit for the node and those below, until it returns true. */
static bool
search_plan(Plan *plan, int use, void *context)
{
	Search	   *search = context;
	Reach		above = search->reach;
	Reach	   *reach = &search->reach;

	check_stack_depth();
	reach->once &= (use & DYN_CHILD_ONCE) != 0;
	reach->unless_empty &= (use & DYN_CHILD_UNLESS_EMPTY) != 0;
	reach->limited |= (use & DYN_CHILD_LIMITED) != 0;
	reach->limited &= !(use & DYN_CHILD_FULL_FIRST);
	reach->full &= (use & DYN_CHILD_FULL) != 0;
	reach->full |= (use & DYN_CHILD_FULL_FIRST) != 0;
	reach->at_most_once &= reach->parent == NULL ||
		runs_at_most_once(plan, use, reach->parent);
	if (search->visit(plan, reach, search->context))
		return true;
	reach->parent = plan;
	if (dyn_visit_child_plans(plan, search->subplans, search_plan, search))
		return true;
	search->reach = above;
	return false;
}

/* Searches a tree that may end early (`limited`) or is read fully (`full`). */
static bool
search_tree(Plan *tree, List *subplans, bool limited, bool full,
			bool (*visit) (Plan *, const Reach *, void *), void *context)
{
	Search		search = {subplans, visit, context,
	{NULL, true, true, limited, full, true}};

	return search_plan(tree, PROCESSES, &search);
}

/* ---- scans that are executed once ---- */

static bool
add_scan_once(Plan *plan, const Reach *reach, void *context)
{
	List	  **found = context;

	if (IsA(plan, ForeignScan) && reach->once)
		*found = lappend(*found, plan);
	return false;
}

List *
dyn_plan_scans_once(Plan *plan, List *subplans)
{
	List	   *found = NIL;

	if (plan != NULL)
		(void) search_tree(plan, subplans, false, false, add_scan_once, &found);
	return found;
}

static bool
add_scan_unless_empty(Plan *plan, const Reach *reach, void *context)
{
	List	  **found = context;

	if (IsA(plan, ForeignScan) && reach->unless_empty && !reach->limited)
		*found = lappend(*found, plan);
	return false;
}

List *
dyn_plan_scans_unless_empty(Plan *plan, bool limited)
{
	List	   *found = NIL;

	(void) search_tree(plan, NIL, limited, false, add_scan_unless_empty, &found);
	return found;
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

/* ---- the execution of one node ---- */

/* Relies on plan_node_ids, which are consecutive within a tree, root first. */
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

typedef struct NodeSearch
{
	const Plan *node;			/* node to find */
	Reach		reach;
} NodeSearch;

static bool
find_node(Plan *plan, const Reach *reach, void *context)
{
	NodeSearch *search = context;

	if (plan != search->node)
		return false;
	search->reach = *reach;
	return true;
}

/*
 * Returns the node's Reach in an execution of its tree; all zero if the node
 * is not found.  `to_end` is true if the statement's plan is run to its end.
 */
static Reach
reach_of(const PlannedStmt *statement, const Plan *node, bool to_end)
{
	NodeSearch	search = {.node = node};
	Plan	   *tree = dyn_plan_tree_of(statement, node);

	(void) search_tree(tree, NIL, false, to_end && tree == statement->planTree,
					   find_node, &search);
	return search.reach;
}

bool
dyn_plan_is_full_scan(const PlannedStmt *statement, const Plan *node, bool to_end)
{
	return reach_of(statement, node, to_end).full;
}

static bool
add_cte_scan(Plan *plan, const Reach *reach, void *context)
{
	List	  **found = context;

	if (IsA(plan, CteScan))
		*found = lappend(*found, plan);
	return false;
}

bool
dyn_plan_is_limited(const PlannedStmt *statement, const Plan *node)
{
	List	   *nodes = list_make1(unconstify(Plan *, node));
	List	   *scans = NIL;
	ListCell   *lc,
			   *lc2;

	foreach(lc, list_concat(list_make1(statement->planTree), statement->subplans))
	{
		if (lfirst(lc) != NULL)
			(void) search_tree(lfirst(lc), NIL, false, false, add_cte_scan, &scans);
	}
	/* a CTE is limited only if all CteScans of it are: check these, too */
	foreach(lc, nodes)
	{
		Plan	   *tree = dyn_plan_tree_of(statement, lfirst(lc));
		bool		found = false;

		if (reach_of(statement, lfirst(lc), false).limited)
			continue;
		/* data-modifying CTEs always run to their end */
		if (tree == statement->planTree || IsA(tree, ModifyTable))
			return false;
		foreach(lc2, scans)
		{
			int			plan_id = ((const CteScan *) lfirst(lc2))->ctePlanId;

			if (dyn_plan_of_subplan(statement->subplans, plan_id) != tree)
				continue;
			nodes = list_append_unique_ptr(nodes, lfirst(lc2));
			found = true;
		}
		if (!found)
			return false;
	}
	return true;
}

NestLoop *
dyn_plan_loop_over(const PlannedStmt *statement, const Plan *outer)
{
	Plan	   *parent = reach_of(statement, outer, false).parent;

	return parent != NULL && IsA(parent, NestLoop) && outerPlan(parent) == outer
		? (NestLoop *) parent : NULL;
}

/* ---- initplans, and side effects of plans ---- */

static bool
add_initplans(Plan *plan, const Reach *reach, void *context)
{
	List	  **found = context;

	*found = list_concat(*found, plan->initPlan);
	return false;
}

/* Returns the initplans (SubPlan *) of the statement and of its subplans. */
static List *
all_initplans(const PlannedStmt *statement)
{
	List	   *found = NIL;
	ListCell   *lc;

	foreach(lc, list_concat(list_make1(statement->planTree), statement->subplans))
	{
		if (lfirst(lc) != NULL)
			(void) search_tree(lfirst(lc), NIL, false, false, add_initplans, &found);
	}
	return found;
}

const SubPlan *
dyn_plan_initplan_of(const PlannedStmt *statement, const Plan *node)
{
	Plan	   *tree = dyn_plan_tree_of(statement, node);
	ListCell   *lc;

	foreach(lc, all_initplans(statement))
	{
		const SubPlan *initplan = lfirst_node(SubPlan, lc);

		if (dyn_plan_of_subplan(statement->subplans, initplan->plan_id) == tree)
			return initplan;
	}
	return NULL;
}

bool
dyn_plan_runs_once(const PlannedStmt *statement, const Plan *node)
{
	Plan	   *tree = dyn_plan_tree_of(statement, node);

	/* an initplan runs once, unless it depends on a parameter */
	if (tree != statement->planTree &&
		(dyn_plan_initplan_of(statement, node) == NULL || !bms_is_empty(tree->extParam)))
		return false;
	return reach_of(statement, node, false).at_most_once;
}

/* `context` is the argument `subplans` of dyn_plan_has_effects. */
static bool
subplans_have_effects(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubPlan) &&
		dyn_plan_has_effects(dyn_plan_of_subplan(context, ((SubPlan *) node)->plan_id),
							 context))
		return true;
	return expression_tree_walker(node, subplans_have_effects, context);
}

static bool
list_has_effects(List *expressions, List *subplans)
{
	return contain_volatile_functions((Node *) expressions) ||
		subplans_have_effects((Node *) expressions, subplans);
}

static bool
has_effects(Plan *plan, const Reach *reach, void *context)
{
	/* without parameters, initplans and functions in FROM run only once */
	bool		repeated = !bms_is_empty(plan->allParam);

	if (list_has_effects(plan->targetlist, context) ||
		list_has_effects(plan->qual, context) ||
		(repeated && list_has_effects(plan->initPlan, context)))
		return true;
	switch (nodeTag(plan))
	{
		case T_LockRows:
			return true;
		case T_NestLoop:
			return list_has_effects(((Join *) plan)->joinqual, context);
		case T_HashJoin:
		case T_MergeJoin:
			return list_has_effects(((Join *) plan)->joinqual, context) ||
				list_has_effects(IsA(plan, HashJoin) ? ((HashJoin *) plan)->hashclauses
								 : ((MergeJoin *) plan)->mergeclauses, context);
		case T_FunctionScan:
			return repeated && list_has_effects(((FunctionScan *) plan)->functions, context);
		case T_TableFuncScan:
			return repeated && list_has_effects(list_make1(((TableFuncScan *) plan)->tablefunc), context);
		case T_ValuesScan:
			return list_has_effects(((ValuesScan *) plan)->values_lists, context);
		case T_CteScan:
			return dyn_plan_has_effects(dyn_plan_of_subplan(context, ((CteScan *) plan)->ctePlanId),
										context);
		default:
			return false;
	}
}

bool
dyn_plan_has_effects(Plan *plan, List *subplans)
{
	ListCell   *lc;

	foreach(lc, subplans)
	{
		if (lfirst(lc) == plan)
			lfirst(lc) = NULL;
	}
	return plan != NULL && search_tree(plan, NIL, false, false, has_effects, subplans);
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

Bitmapset *
dyn_plan_initplan_params(const PlannedStmt *statement)
{
	Bitmapset  *params = NULL;
	ListCell   *lc,
			   *param;

	foreach(lc, all_initplans(statement))
	{
		foreach(param, lfirst_node(SubPlan, lc)->setParam)
			params = bms_add_member(params, lfirst_int(param));
	}
	return params;
}

/* ---- expressions ---- */

bool
dyn_walk_evaluated(Node *node, bool (*walker) (Node *, void *), void *context)
{
	Node	   *json = dyn_json_input(node);

	switch (nodeTag(node))
	{
		case T_CoalesceExpr:
			return walker(linitial(((CoalesceExpr *) node)->args), context);
		case T_BoolExpr:
			/* AND, OR: only the first argument; NOT has just one */
			return walker(linitial(((BoolExpr *) node)->args), context);
		case T_CaseExpr:
			return walker((Node *) ((CaseExpr *) node)->arg, context) ||
				walker((Node *) linitial_node(CaseWhen, ((CaseExpr *) node)->args)->expr,
					   context);
		case T_RowCompareExpr:
			return walker(linitial(((RowCompareExpr *) node)->largs), context) ||
				walker(linitial(((RowCompareExpr *) node)->rargs), context);
		case T_SubscriptingRef:
			return walker((Node *) ((SubscriptingRef *) node)->refexpr, context);
		default:
			return json != NULL ? walker(json, context)
				: expression_tree_walker(node, walker, context);
	}
}

static bool
evaluates(Node *node, void *param)
{
	if (node == NULL || IsA(node, SubPlan) || IsA(node, AlternativeSubPlan))
		return false;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind == PARAM_EXEC &&
			((Param *) node)->paramid == *(const int *) param;
	return IsA(node, Aggref) || dyn_walk_evaluated(node, evaluates, param);
}

bool
dyn_targets_evaluate(List *targetlist, int param)
{
	return evaluates((Node *) targetlist, &param);
}

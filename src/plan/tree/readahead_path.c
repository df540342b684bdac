/*
 * readahead_path.c
 *		Creates paths and plans of the lookup join node.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/optimizer.h"

#include "../../model/server/pg_compat.h"
#include "readahead_path.h"

static const CustomScanMethods *scan_methods = NULL;
static const struct CustomPathMethods path_methods;

/*
 * Returns true if an assertion of core would fail for a node above this path.
 * In servers with assertions, set_customscan_references() refuses columns that
 * identify rows (hide_row_ids in subplan_path.c).
 */
static bool
core_refuses(const Path *child)
{
#ifdef USE_ASSERT_CHECKING
	ListCell   *lc;

	foreach(lc, child->pathtarget->exprs)
	{
		if (dyn_identifies_row(lfirst(lc)))
			return true;
	}
#endif
	return false;
}

/*
 * Allows the node to project, unless it reads ahead for subplans, which core
 * must evaluate in a node above this one.
 */
Path *
dyn_read_ahead_path(Path *child, List *subplans)
{
	CustomPath *path = makeNode(CustomPath);

	Assert(!dyn_is_read_ahead_path(child));
	if (core_refuses(child))
		return NULL;
	path->path.pathtype = T_CustomScan;
	path->path.parent = child->parent;
	path->path.pathtarget = child->pathtarget;
	path->path.param_info = child->param_info;
	path->path.rows = child->rows;
	path->path.startup_cost = child->startup_cost;
	path->path.total_cost = child->total_cost + child->rows * cpu_operator_cost;
	path->path.pathkeys = child->pathkeys;
	dyn_copy_disabled_nodes(&path->path, child);
	path->flags = subplans == NIL ? CUSTOMPATH_SUPPORT_PROJECTION : 0;
	path->custom_paths = list_make1(child);
	path->custom_private = subplans;
	path->methods = &path_methods;
	return &path->path;
}

bool
dyn_is_read_ahead_path(const Path *path)
{
	return IsA(path, CustomPath) &&
		((const CustomPath *) path)->methods == &path_methods;
}

/* Returns the number of rows that joins of this query level need to return. */
static double
joined_rows_needed(const PlannerInfo *root)
{
	const Query *parse = root->parse;
	ListCell   *lc;

	if (root->limit_tuples > 0)
		return root->limit_tuples;
	if (root->tuple_fraction < 1 || parse->hasAggs || parse->groupClause != NIL ||
		parse->groupingSets != NIL || parse->havingQual != NULL ||
		parse->hasTargetSRFs || parse->setOperations != NULL)
		return 0;
	for (const PlannerInfo *level = root; level != NULL; level = level->parent_root)
	{
		foreach(lc, level->parse->windowClause)
		{
			const WindowClause *window = lfirst_node(WindowClause, lc);

			if (window->orderClause == NIL ||
				(window->frameOptions & FRAMEOPTION_END_UNBOUNDED_FOLLOWING))
				return 0;
		}
	}
	/* to detect the end of a window frame, one more row may be necessary */
	return root->tuple_fraction + parse->hasWindowFuncs;
}

double
dyn_rows_needed(const PlannerInfo *root, double rows)
{
	double		needed = joined_rows_needed(root);
	ListCell   *lc;

	if (bms_membership(root->all_baserels) == BMS_SINGLETON)
		return needed;
	/* return 0 on the inner side of a nested loop, which runs repeatedly */
	foreach(lc, bms_is_empty(root->curOuterRels) ? root->join_rel_list : NIL)
	{
		const RelOptInfo *join = lfirst(lc);

		if (bms_is_subset(root->all_baserels, join->relids))
			return ceil(needed * rows / Max(join->rows, 1));
	}
	return 0;
}

/*
 * Returns the plan node.  Its custom_exprs contains the arguments of the
 * subplans whose lookups the node batches by reading rows ahead.
 */
static Plan *
plan_read_ahead(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
				List *tlist, List *clauses, List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	Plan	   *child = linitial(custom_plans);
	List	   *ids = NIL;
	List	   *params = NIL;

	/* a parameterized path may be in a semijoin, which stops at a match */
	bool		may_stop_early = root->tuple_fraction > 0 ||
		root->limit_tuples > 0 || best_path->path.param_info != NULL;
	/* the number estimated from joins may be higher than the LIMIT */
	double		rows = Min(dyn_rows_needed(root, best_path->path.rows),
						   root->tuple_fraction);
	ListCell   *lc;

	/* without projection, return all columns, even those added for a Sort */
	scan->scan.plan.targetlist = tlist != NIL && best_path->custom_private == NIL
		? tlist : copyObject(child->targetlist);
	scan->scan.scanrelid = 0;
	scan->flags = best_path->flags;
	scan->custom_plans = custom_plans;
	scan->custom_scan_tlist = copyObject(child->targetlist);
	foreach(lc, best_path->custom_private)
	{
		const SubPlan *subplan = lfirst_node(SubPlan, lc);

		ids = lappend_int(ids, subplan->plan_id);
		params = list_concat(params, subplan->parParam);
		scan->custom_exprs = list_concat(scan->custom_exprs,
										 copyObject(subplan->args));
	}
	scan->custom_private = list_make3(makeInteger(may_stop_early ? (int) Max(1, Min(rows, INT_MAX)) : 0),
									  ids, params);
	scan->methods = scan_methods;
	return &scan->scan.plan;
}

DynReadAheadPlan
dyn_read_ahead_decode(const CustomScan *plan)
{
	Assert(list_length(lthird(plan->custom_private)) == list_length(plan->custom_exprs));
	return (DynReadAheadPlan) {intVal(linitial(plan->custom_private)),
		lsecond(plan->custom_private), lthird(plan->custom_private)};
}

bool
dyn_is_read_ahead(const Plan *plan)
{
	return IsA(plan, CustomScan) &&
		((const CustomScan *) plan)->methods == scan_methods;
}

static const struct CustomPathMethods path_methods = {
	.CustomName = "DynamoLookupJoin",
	.PlanCustomPath = plan_read_ahead,
};

void
dyn_read_ahead_init(const CustomScanMethods *methods)
{
	scan_methods = methods;
	RegisterCustomScanMethods(methods);
}

/*
 * lookup_path.c
 *		Adds lookup join paths.
 *
 * Core joins by key with a nested loop, which executes the parameterized inner
 * path for each outer row, one request after the other.  A lookup join is the
 * same nested loop with the lookup join node above the outer side
 * (exec/node/readahead.c).  This node batches the inner side's requests for
 * many rows.  Core still implements the join: its types, its conditions, NULLs
 * of outer joins, rescans, EvalPlanQual.
 *
 * This file pairs each outer path with each parameterized inner path that
 * reads our table by key.  For each pair it builds the nested loop with the
 * node, and computes its cost.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "utils/selfuncs.h"

#include "../../model/server/pg_compat.h"
#include "../../model/session/guc.h"
#include "../paths/cost.h"
#include "../paths/planner.h"
#include "../tree/plantree.h"
#include "../tree/readahead_path.h"

/*
 * Outer rows that come from a join often have more keys than estimated, while
 * the cost of the alternative (a Scan) is known.  So if the outer side is a
 * join, an estimate of more than FEW_KEYS keys is multiplied by JOIN_SPREAD.
 */
#define JOIN_SPREAD		1.2
#define FEW_KEYS		16.0

static set_join_pathlist_hook_type previous_hook = NULL;

/*
 * Among the scans that run exactly once per execution of the path, returns the
 * first that can be batched; NULL if there is none.  Sets lookups->kind and
 * lookups->estimate.
 */
static const ForeignPath *
find_scan(Path *path, DynLookupCost *lookups)
{
	ListCell   *lc;

	foreach(lc, dyn_path_scans_once(path))
	{
		const ForeignPath *scan = lfirst(lc);
		const RelOptInfo *rel = scan->path.parent;

		if (!dyn_is_our_relation(rel))
			continue;
		if (IS_UPPER_REL(rel))
		{
			const DynAccess *access = rel->fdw_private;

			if (access == NULL || access->kind != DYN_ACCESS_QUERY)
				continue;
			lookups->kind = access->kind;
			lookups->estimate = &access->estimate;
		}
		else
		{
			const DynPathChoice *choice = dyn_choice_of(scan);

			if (!choice->batchable)
				continue;
			lookups->kind = choice->kind;
			lookups->estimate = choice->estimate;
		}
		return scan;
	}
	return NULL;
}

/*
 * Returns the outer columns (Var *) that parameterize the inner path or its
 * `scan`.  Both are examined, because the param_info of an inner path that is
 * a join lacks the scan's clauses.
 */
static List *
outer_columns(RelOptInfo *outerrel, Path *inner, const ForeignPath *scan)
{
	const ParamPathInfo *params[] = {inner->param_info, scan->path.param_info};
	List	   *exprs = list_copy(inner->parent->lateral_vars);
	List	   *found = NIL;
	ListCell   *lc;

	for (int i = 0; i < lengthof(params); i++)
	{
		foreach(lc, params[i] != NULL ? params[i]->ppi_clauses : NIL)
			exprs = list_concat(exprs,
								pull_var_clause((Node *) lfirst_node(RestrictInfo, lc)->clause,
												PVC_RECURSE_PLACEHOLDERS));
	}
	foreach(lc, exprs)
	{
		if (IsA(lfirst(lc), Var) &&
			bms_is_member(((Var *) lfirst(lc))->varno, outerrel->relids))
			found = list_append_unique(found, lfirst(lc));
	}
	return found;
}

/*
 * Returns the estimated number of distinct keys in the outer rows.  Without
 * statistics, returns the maximum: the product of the rows of all relations
 * whose columns are in the key, but at most the outer rows.  Core's default of
 * 200 is not used, because it may be too low, and each key costs at least a
 * part of a request.
 */
static double
distinct_keys(PlannerInfo *root, RelOptInfo *outerrel, Path *inner,
			  const ForeignPath *scan)
{
	List	   *columns = outer_columns(outerrel, inner, scan);
	Relids		relids = NULL;
	double		most = 1;
	bool		unknown = false;
	int			relid = -1;
	ListCell   *lc;

	if (columns == NIL)
		return 1;
	foreach(lc, columns)
	{
		VariableStatData variable;
		bool		is_default;

		examine_variable(root, lfirst(lc), 0, &variable);
		(void) get_variable_numdistinct(&variable, &is_default);
		unknown |= is_default || dyn_is_guess(&variable);
		ReleaseVariableStats(variable);
		relids = bms_add_member(relids, lfirst_node(Var, lc)->varno);
	}
	if (!unknown)
		return estimate_num_groups(root, columns, outerrel->rows, NULL, NULL);
	while ((relid = bms_next_member(relids, relid)) >= 0)
		most *= find_base_rel(root, relid)->rows;
	bms_free(relids);
	return Min(outerrel->rows, Max(most, 1));
}

/*
 * Returns a path that reads the scan's table or index by Queries of partitions
 * that the statement itself names; NULL if there is none.
 */
static const ForeignPath *
named_partitions(const ForeignPath *scan)
{
	const RelOptInfo *rel = scan->path.parent;
	const ForeignPath *found = NULL;
	ListCell   *lc;

	foreach(lc, !IS_UPPER_REL(rel) && dyn_is_our_relation(rel) ? rel->pathlist : NIL)
	{
		const ForeignPath *path = lfirst(lc);

		if (IsA(path, ForeignPath) && path->path.param_info == NULL &&
			dyn_choice_of(path)->kind == DYN_ACCESS_QUERY &&
			dyn_choice_of(path)->target == dyn_choice_of(scan)->target)
			found = path;
	}
	return found;
}

/*
 * Returns the scans (ForeignPath *) that run once per execution of the path.
 * In a nested loop whose outer side is one GetItem, the inner side also runs
 * once; then only the scans of the inner side are returned.
 */
static List *
scans_once(Path *path)
{
	const NestPath *join = (const NestPath *) path;

	if (IsA(path, UniquePath))
		return scans_once(((UniquePath *) path)->subpath);
	return IsA(path, NestPath) && dyn_is_one_row(join->jpath.outerjoinpath)
		? scans_once(join->jpath.innerjoinpath) : dyn_path_scans_once(path);
}

/*
 * Returns the number of lookups if each partition of the outer table that the
 * statement names is assumed to have a page of rows; 0 if this is not assumed.
 * It is assumed before ANALYZE, if the statement also names partitions of the
 * inner table, and reading these once costs less than the lookups.  It is not
 * assumed if the statement may stop early, or if one outer row is expected,
 * because core then uses a nested loop without lookups.
 */
static double
page_keys(PlannerInfo *root, Path *outer, const ForeignPath *scan,
		  const DynLookupCost *lookups)
{
	const ForeignPath *once = named_partitions(scan);
	double		keys = 0;
	ListCell   *lc;

	if (once == NULL || root->tuple_fraction > 0 || outer->rows <= 1)
		return 0;
	foreach(lc, scans_once(outer))
	{
		const ForeignPath *of = lfirst(lc);
		const DynRelPlan *plan;

		if (of->path.param_info != NULL || named_partitions(of) == NULL ||
			dyn_choice_of(of)->kind != DYN_ACCESS_QUERY)
			continue;
		plan = of->path.parent->fdw_private;
		if (!plan->analyzed)
			keys = Max(keys, dyn_estimate_page_rows(plan, dyn_choice_of(of)->estimate));
	}
	return keys * lookups->estimate->reads.units >
		dyn_estimate_page_units(dyn_choice_of(once)->estimate) ? keys : 0;
}

static void
set_costs(NestPath *path, DynLookupCost *lookups, double keys)
{
	Path	   *outer = path->jpath.outerjoinpath;
	Path	   *inner = path->jpath.innerjoinpath;
	/* if only the first inner row is used, only this row is joined */
	double		joined = lookups->first_only ? Min(inner->rows, 1) : inner->rows;
	Cost		startup,
				total;

	Assert(IsA(path, NestPath));
	lookups->startup = inner->startup_cost;
	lookups->execution = inner->total_cost;
	lookups->executions = outer->rows;
	lookups->keys = Max(1.0, Min(keys, outer->rows));
	if (bms_membership(outer->parent->relids) == BMS_MULTIPLE &&
		lookups->keys > FEW_KEYS)
		lookups->keys *= JOIN_SPREAD;
	lookups->keys = Max(lookups->keys, lookups->page_keys);
	dyn_cost_lookups(lookups, &startup, &total);
	startup += dyn_disabled_nestloop_cost();
	total += dyn_disabled_nestloop_cost();
	path->jpath.path.startup_cost = outer->startup_cost + startup;
	path->jpath.path.total_cost = outer->total_cost + total +
		outer->rows * joined * cpu_tuple_cost;
}

/*
 * Computes the required_outer of a join of the two paths; returns false if
 * this join is useless or unsafe.  The tests are stricter than those of core's
 * try_nestloop_path.  A join that fails only here still has core's own nested
 * loop.
 */
static bool
join_parameters(PlannerInfo *root, JoinPathExtraData *extra, Path *outer,
				Path *inner, Relids *required)
{
	Relids		outer_needs = PATH_REQ_OUTER(outer);
	Relids		inner_needs = PATH_REQ_OUTER(inner);
	Relids		outerrelids = outer->parent->relids;

	*required = NULL;
	if (bms_overlap(outer_needs, inner->parent->relids))
		return false;
	if (bms_nonempty_difference(inner_needs, outerrelids) &&
		(root->placeholder_list != NIL ||
		 bms_overlap(inner_needs, dyn_outer_join_relids(root))))
		return false;
	*required = calc_nestloop_required_outer(outerrelids, outer_needs,
											 inner->parent->relids, inner_needs);
	return bms_is_empty(*required) ||
		bms_overlap(*required, extra->param_source_rels);
}

static void
add_lookup_join(PlannerInfo *root, RelOptInfo *joinrel, JoinType jointype,
				JoinPathExtraData *extra, Path *outer, Path *inner,
				DynLookupCost *lookups, double keys)
{
	JoinCostWorkspace workspace;
	Relids		required;
	List	   *pathkeys;
	NestPath   *path;

	Assert(keys >= 0);
	if (!join_parameters(root, extra, outer, inner, &required))
		return;
	outer = dyn_read_ahead_path(outer, NIL);
	pathkeys = build_join_pathkeys(root, joinrel, jointype, outer->pathkeys);
	dyn_initial_cost_nestloop(root, &workspace, jointype, outer, inner, extra);
	path = create_nestloop_path(root, joinrel, jointype, &workspace, extra, outer,
								inner, extra->restrictlist, pathkeys, required);
	/*
	 * A semijoin or antijoin without join clauses of its own uses only the
	 * first inner row, so only that row is requested.
	 */
	lookups->first_only =
		(path->jpath.jointype == JOIN_SEMI || path->jpath.jointype == JOIN_ANTI) &&
		path->jpath.joinrestrictinfo == NIL && IsA(inner, ForeignPath) &&
		!IS_UPPER_REL(inner->parent);
	if (lookups->first_only)
	{
		ForeignPath *copy = makeNode(ForeignPath);
		DynPathChoice choice = *dyn_choice_of((ForeignPath *) inner);

		*copy = *(ForeignPath *) inner;
		choice.first_row_only = true;
		copy->fdw_private = dyn_choice_add(inner->parent->fdw_private, &choice);
		path->jpath.innerjoinpath = &copy->path;
	}
	set_costs(path, lookups, keys);
	add_path(joinrel, (Path *) path);
}

/*
 * Returns true for a scan by a list of another relation's keys.  As the outer
 * side, such a scan would save no lookups, because the other relation has no
 * more keys than the list.
 */
static bool
is_listed(const Path *path)
{
	return IsA(path, ForeignPath) && IS_SIMPLE_REL(path->parent) &&
		dyn_is_our_relation(path->parent) &&
		dyn_choice_of((const ForeignPath *) path)->listed;
}

static void
offer_lookup_joins(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
				   RelOptInfo *innerrel, JoinType jointype,
				   JoinPathExtraData *extra)
{
	ListCell   *lc,
			   *outer;

	if (previous_hook)
		previous_hook(root, joinrel, outerrel, innerrel, jointype, extra);
	dyn_add_list_join(root, joinrel, outerrel, innerrel, jointype, extra);
	if (dyn_outer_was_made_unique(jointype))
		jointype = JOIN_INNER;
	if (!dyn_guc_enable_lookup_join || outerrel->top_parent_relids != NULL ||
		(jointype != JOIN_INNER && jointype != JOIN_LEFT &&
		 jointype != JOIN_SEMI && jointype != JOIN_ANTI &&
		 jointype != JOIN_UNIQUE_OUTER))
		return;
	foreach(lc, innerrel->pathlist)
	{
		Path	   *inner = lfirst(lc);
		DynLookupCost lookups;
		const ForeignPath *scan = !bms_overlap(PATH_REQ_OUTER(inner), outerrel->relids)
			? NULL : find_scan(inner, &lookups);
		double		keys;

		if (scan == NULL)
			continue;
		keys = distinct_keys(root, outerrel, inner, scan);
		if (jointype == JOIN_UNIQUE_OUTER)
		{
			Path	   *unique = dyn_unique_outer_path(root, outerrel, extra->sjinfo);

			if (unique == NULL)
				continue;
			lookups.page_keys = page_keys(root, unique, scan, &lookups);
			add_lookup_join(root, joinrel, JOIN_INNER, extra, unique, inner,
							&lookups, keys);
			continue;
		}
		foreach(outer, outerrel->pathlist)
		{
			if (dyn_is_one_row(lfirst(outer)) || is_listed(lfirst(outer)))
				continue;
			lookups.page_keys = page_keys(root, lfirst(outer), scan, &lookups);
			add_lookup_join(root, joinrel, jointype, extra, lfirst(outer), inner,
							&lookups, keys);
		}
	}
}

void
dyn_lookup_join_init(void)
{
	previous_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = offer_lookup_joins;
}

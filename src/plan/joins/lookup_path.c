/*
 * lookup_path.c
 *		Adds lookup join paths, and paths of hash joins whose two sides are
 *		read by the same list of keys: a.k = b.k AND a.k IN (1, 2).
 *
 * Core joins by key with a nested loop, which executes the parameterized inner
 * path for each outer row, one request after the other.  A lookup join is the
 * same nested loop with the lookup join node above the outer side
 * (exec/node/readahead.c).  This node batches the inner side's requests for
 * many rows.  Core still implements the join: its types, its conditions, NULLs
 * of outer joins, rescans, EvalPlanQual.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "utils/selfuncs.h"

#include "../../model/server/pg_compat.h"
#include "../../model/session/guc.h"
#include "../paths/planner.h"
#include "../tree/plantree.h"
#include "../tree/readahead_path.h"

/*
 * If the outer side is a join, an estimate of more than FEW_KEYS keys is
 * multiplied by JOIN_SPREAD.  Outer rows that come from a join often have more
 * keys than estimated, while the cost of the alternative (a Scan) is known.
 */
#define JOIN_SPREAD		1.2
#define FEW_KEYS		16.0

static set_join_pathlist_hook_type previous_hook = NULL;

static Path *
copy_scan(const Path *scan, const DynPathChoice *choice)
{
	ForeignPath *copy = makeNode(ForeignPath);

	*copy = *(const ForeignPath *) scan;
	copy->fdw_private = dyn_choice_add(scan->parent->fdw_private, choice);
	return &copy->path;
}

/* ---- scans by the same list of keys ---- */

/*
 * Joins of relations that are read by one list have this form:
 *
 *		FROM a JOIN b ON a.k = b.k WHERE a.k IN (1, 2)
 *
 * A lookup join reads a, and then b by the keys of a's rows.  A hash join can
 * read both tables by the list.  Then the requests for a and b are sent
 * together (exec/node/scan.c), or only once if a and b read the same keys of
 * one DynamoDB table (exec/source/sharing.c).  Core adds up the costs of both
 * sides although their requests overlap, so the hash join is added with a
 * lower cost.
 *
 * The hash join is not added if a lookup join reads fewer items of b.  This is
 * the case if further conditions reject most rows of a, or if the join
 * compares the full key of b, but the list has only a part of this key.
 */

/*
 * A hash join is considered only if, in each relation with a list of its own,
 * at least this fraction of the rows passes the clauses that are not on keys.
 */
#define MIN_SELECTIVITY	0.5

/*
 * Adds the path's scans (Path *) to *scans.  Returns false unless these are
 * unparameterized reads by key of our relations, and all joins are hash joins.
 */
static bool
collect_scans(const Path *path, List **scans)
{
	const JoinPath *join = (const JoinPath *) path;
	const DynPathChoice *choice = dyn_choice_of(path);

	if (IsA(path, HashPath))
		return collect_scans(join->outerjoinpath, scans) &&
			collect_scans(join->innerjoinpath, scans);
	if (choice == NULL || path->param_info != NULL || choice->kind > DYN_ACCESS_QUERY)
		return false;
	*scans = lappend(*scans, (void *) path);
	return true;
}

/* Finds the cheapest path that collect_scans accepts, or NULL; sets *scans. */
static Path *
cheapest_by_key(const RelOptInfo *rel, List **scans)
{
	Path	   *cheapest = NULL;
	ListCell   *lc;

	*scans = NIL;
	foreach(lc, rel->pathlist)
	{
		Path	   *path = lfirst(lc);
		List	   *found = NIL;

		if ((cheapest == NULL || path->total_cost < cheapest->total_cost) &&
			collect_scans(path, &found))
		{
			cheapest = path;
			*scans = found;
		}
	}
	return cheapest;
}

/*
 * Returns true if the scan is a Query, and a lookup join with `other` could
 * instead read single items by their full keys.
 */
static bool
reads_more_than_lookups(const Path *scan, const RelOptInfo *other)
{
	ListCell   *lc;

	if (dyn_choice_of(scan)->kind == DYN_ACCESS_GET)
		return false;
	foreach(lc, scan->parent->pathlist)
	{
		const Path *path = lfirst(lc);
		const DynPathChoice *choice = dyn_choice_of(path);

		if (choice != NULL && choice->kind == DYN_ACCESS_GET && path->param_info != NULL &&
			bms_is_subset(PATH_REQ_OUTER(path), other->relids))
			return true;
	}
	return false;
}

/*
 * Returns false if a lookup join with `other` (the other side of the join)
 * would read fewer items than one of `scans`.  Otherwise returns true, and
 * sets *listed to true if one of `scans` has keys that were derived from a
 * clause on another relation.
 */
static bool
use_lists(List *scans, const RelOptInfo *other, bool *listed)
{
	ListCell   *lc;

	foreach(lc, scans)
	{
		const Path *scan = lfirst(lc);
		const DynPathChoice *choice = dyn_choice_of(scan);

		if (choice->listed ? reads_more_than_lookups(scan, other)
			: choice->estimate->local_selectivity < MIN_SELECTIVITY)
			return false;
		*listed |= choice->listed;
	}
	return true;
}

static bool
same_template(const DynRelation *a, const DynRelation *b, const char *name)
{
	const DynTemplatedAttr *one = dyn_relation_templated(a, name);
	const DynTemplatedAttr *other = dyn_relation_templated(b, name);

	if (one == NULL || other == NULL)
		return one == other;
	if (one->tmpl->nparts != other->tmpl->nparts)
		return false;
	for (int i = 0; i <= one->tmpl->nparts; i++)
	{
		DynText		literal = one->tmpl->literals[i];

		if (literal.len != other->tmpl->literals[i].len ||
			memcmp(literal.data, other->tmpl->literals[i].data, literal.len) != 0)
			return false;
	}
	return true;
}

static bool
add_value(DynPred *pred, void *arg)
{
	List	  **values = arg;

	if (pred->value != NULL)
		*values = lappend(*values, pred->value);
	return false;
}

/*
 * Returns the values (Expr *) with which the relation's restriction clauses
 * compare the table's key.  Returns NIL unless these clauses determine either
 * the full primary key, or the partition key without restricting the sort key.
 */
static List *
key_values(const DynRelPlan *plan)
{
	const DynAccess *access = plan->keyed;
	List	   *values = NIL;

	if (access == NULL || (access->kind != DYN_ACCESS_GET && access->nrange > 0))
		return NIL;
	(void) dyn_preds_visit(dyn_access_key_preds(access), true, add_value, &values);
	return values;
}

/*
 * Returns true if `a` and `b` will probably share their requests: they read
 * the same number of keys of one table or index, and both lists of keys have
 * the same values, or one list was derived from the other.
 */
static bool
reads_same_keys(const Path *a, const Path *b)
{
	const DynPathChoice *one = dyn_choice_of(a);
	const DynPathChoice *other = dyn_choice_of(b);
	const DynRelPlan *plan = a->parent->fdw_private;
	const DynRelPlan *same = b->parent->fdw_private;
	const DynKeySchema *key = dyn_key_number(plan->meta, one->target);

	if (!dyn_guc_enable_shared_reads || one->kind != other->kind ||
		one->target != other->target ||
		plan->relation->connection != same->relation->connection ||
		strcmp(plan->relation->table, same->relation->table) != 0 ||
		rint(one->estimate->reads.keys) != rint(other->estimate->reads.keys))
		return false;
	for (int i = 0; i < key->nhash + key->nrange; i++)
	{
		if (!same_template(plan->relation, same->relation, dyn_key_attr(key, i)->name))
			return false;
	}
	return one->listed || other->listed ||
		(one->target == 0 && key_values(plan) != NIL &&
		 equal(key_values(plan), key_values(same)));
}

/* Returns true if one of `scans` probably reads the same keys as the path. */
static bool
is_contained(const Path *path, List *scans)
{
	ListCell   *lc;

	foreach(lc, IsA(path, ForeignPath) ? scans : NIL)
	{
		if (reads_same_keys(path, lfirst(lc)))
			return true;
	}
	return false;
}

/* Returns the join clauses that can be hashed, and sets their outer_is_left. */
static List *
hash_clauses(const JoinPathExtraData *extra, const RelOptInfo *outerrel,
			 const RelOptInfo *innerrel)
{
	List	   *clauses = NIL;
	ListCell   *lc;

	foreach(lc, extra->restrictlist)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		bool		left = bms_is_subset(rinfo->left_relids, outerrel->relids) &&
			bms_is_subset(rinfo->right_relids, innerrel->relids);
		bool		right = bms_is_subset(rinfo->left_relids, innerrel->relids) &&
			bms_is_subset(rinfo->right_relids, outerrel->relids);

		if (!rinfo->can_join || !OidIsValid(rinfo->hashjoinoperator) || (!left && !right))
			continue;
		rinfo->outer_is_left = left;
		clauses = lappend(clauses, rinfo);
	}
	return clauses;
}

/*
 * If the path is a scan, returns a copy that sends its requests together with
 * those of the join's other side; otherwise returns the path unchanged.
 */
static Path *
read_together(Path *path)
{
	DynPathChoice choice;

	if (!IsA(path, ForeignPath))
		return path;
	choice = *dyn_choice_of(path);
	choice.together = true;
	return copy_scan(path, &choice);
}

/* Adds a hash join that reads both relations by the same list of keys. */
static void
add_list_join(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
			  RelOptInfo *innerrel, JoinType jointype, JoinPathExtraData *extra)
{
	List	   *outer_scans,
			   *inner_scans;
	Path	   *outer = cheapest_by_key(outerrel, &outer_scans);
	Path	   *inner = cheapest_by_key(innerrel, &inner_scans);
	bool		inner_shares = inner != NULL && is_contained(inner, outer_scans);
	bool		outer_shares = outer != NULL && is_contained(outer, inner_scans);
	bool		listed = inner_shares || outer_shares;
	List	   *clauses;
	JoinCostWorkspace workspace;
	Path	   *path;

	if (jointype != JOIN_INNER || outer == NULL || inner == NULL ||
		!use_lists(outer_scans, innerrel, &listed) ||
		!use_lists(inner_scans, outerrel, &listed) || !listed)
		return;
	clauses = hash_clauses(extra, outerrel, innerrel);
	if (clauses == NIL)
		return;
	outer = read_together(outer);
	inner = read_together(inner);
	initial_cost_hashjoin(root, &workspace, jointype, clauses, outer, inner, extra,
						  false);
	path = (Path *) create_hashjoin_path(root, joinrel, jointype, &workspace, extra,
										 outer, inner, false, extra->restrictlist,
										 NULL, clauses);
	path->total_cost -= inner_shares ? inner->total_cost
		: outer_shares ? outer->total_cost
		: Min(outer->startup_cost, inner->startup_cost);
	path->startup_cost = Min(path->startup_cost, path->total_cost);
	add_path(joinrel, path);
}

/* ---- lookup joins ---- */

/*
 * Returns the first batchable scan that runs exactly once per execution of the
 * path, and sets *estimate; NULL if there is none.
 */
static const Path *
find_scan(Path *path, const DynEstimate **estimate)
{
	ListCell   *lc;

	foreach(lc, dyn_path_scans_once(path))
	{
		const Path *scan = lfirst(lc);
		const DynPathChoice *choice = dyn_choice_of(scan);
		const DynAccess *count = IS_UPPER_REL(scan->parent) &&
			dyn_is_our_relation(scan->parent) ? scan->parent->fdw_private : NULL;

		*estimate = choice != NULL && choice->batchable ? choice->estimate
			: count != NULL && dyn_access_can(count, DYN_CAN_BATCH) ? &count->estimate
			: NULL;
		if (*estimate != NULL)
			return scan;
	}
	return NULL;
}

/*
 * Returns the outer columns (Var *) that parameterize the inner path or its
 * scan.  If the inner path is a join, its param_info lacks the scan's clauses.
 */
static List *
outer_columns(RelOptInfo *outerrel, Path *inner, const Path *scan)
{
	const ParamPathInfo *params[] = {inner->param_info, scan->param_info};
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
 * statistics, core's default of 200 may be too low, and each key costs at
 * least a part of a request, so this function returns an upper bound.
 */
static double
distinct_keys(PlannerInfo *root, RelOptInfo *outerrel, Path *inner,
			  const Path *scan)
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
 * Returns the DynPathChoice of a path that reads the table or index of `scan`
 * with Queries whose partition keys come from clauses, not from the rows of
 * another relation; NULL if there is none.
 */
static const DynPathChoice *
named_partitions(const Path *scan)
{
	const DynPathChoice *of = dyn_choice_of(scan);
	const DynPathChoice *found = NULL;
	ListCell   *lc;

	foreach(lc, of != NULL ? scan->parent->pathlist : NIL)
	{
		const Path *path = lfirst(lc);
		const DynPathChoice *choice = dyn_choice_of(path);

		if (choice != NULL && choice->kind == DYN_ACCESS_QUERY &&
			choice->target == of->target && path->param_info == NULL)
			found = choice;
	}
	return found;
}

/*
 * Returns the scans (ForeignPath *) that run once per execution of the path.
 * If the outer side of a nested loop is one GetItem, the inner side also runs
 * once.  Then only the inner side's scans are returned, without the GetItem.
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

/* Returns the number of rows of all Queries, assuming a full page for each. */
static double
page_rows(const DynRelPlan *plan, const DynEstimate *estimate)
{
	double		items = DYN_PAGE_BYTES / dyn_default_item_bytes(plan->meta, NULL);

	return estimate->item_rows *
		Min(plan->items, Max(1, estimate->reads.keys) * Max(1, items));
}

/*
 * Returns a lower bound for the number of keys of a lookup join: before
 * ANALYZE, the estimate may be too low.  The bound assumes that each partition
 * that the outer side reads fills a page, and that each row on this page needs
 * a lookup.  Returns 0 (no bound) unless clauses give the partitions of the
 * inner table, and reading these once would cost less than the lookups.  Also
 * returns 0 if the statement may stop early, or if one outer row is expected:
 * core then uses its own nested loop.
 */
static double
page_keys(PlannerInfo *root, Path *outer, const Path *scan,
		  const DynEstimate *lookup)
{
	const DynPathChoice *once = named_partitions(scan);
	double		keys = 0;
	ListCell   *lc;

	if (once == NULL || root->tuple_fraction > 0 || outer->rows <= 1)
		return 0;
	foreach(lc, scans_once(outer))
	{
		const Path *of = lfirst(lc);
		const DynPathChoice *choice = dyn_choice_of(of);
		const DynRelPlan *plan = of->parent->fdw_private;

		if (of->param_info == NULL && named_partitions(of) != NULL &&
			choice->kind == DYN_ACCESS_QUERY && !plan->analyzed)
			keys = Max(keys, page_rows(plan, choice->estimate));
	}
	return keys * lookup->reads.units >
		Min(Max(1, once->estimate->reads.keys) * DYN_FULL_PAGE_UNITS,
			once->estimate->prices.most_units) ? keys : 0;
}

static void
set_costs(NestPath *path, DynLookupCost *lookups)
{
	Path	   *outer = path->jpath.outerjoinpath;
	Path	   *inner = path->jpath.innerjoinpath;
	/* with first_only, an outer row is joined to at most one inner row */
	double		joined = lookups->first_only ? Min(inner->rows, 1) : inner->rows;
	Cost		startup,
				total;

	Assert(IsA(path, NestPath));
	lookups->startup = inner->startup_cost;
	lookups->execution = inner->total_cost;
	lookups->executions = outer->rows;
	dyn_cost_lookups(lookups, &startup, &total);
	startup += dyn_disabled_nestloop_cost();
	total += dyn_disabled_nestloop_cost();
	path->jpath.path.startup_cost = outer->startup_cost + startup;
	path->jpath.path.total_cost = outer->total_cost + total +
		outer->rows * joined * cpu_tuple_cost;
}

/*
 * Sets *required to the required_outer of a join of the two paths; returns
 * false if this join is useless or unsafe.  The tests are stricter than those
 * of core's try_nestloop_path.  If a join fails only the stricter tests,
 * core's own nested loop remains.
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

/* Adds a lookup join; the outer rows have `keys` distinct keys for `scan`. */
static void
add_lookup_join(PlannerInfo *root, RelOptInfo *joinrel, JoinType jointype,
				JoinPathExtraData *extra, Path *outer, Path *inner,
				const Path *scan, DynLookupCost *lookups, double keys)
{
	JoinCostWorkspace workspace;
	Relids		required;
	List	   *pathkeys;
	NestPath   *path;

	Assert(keys >= 0);
	if (!join_parameters(root, extra, outer, inner, &required))
		return;
	lookups->keys = Max(1.0, Min(keys, outer->rows));
	if (bms_membership(outer->parent->relids) == BMS_MULTIPLE &&
		lookups->keys > FEW_KEYS)
		lookups->keys *= JOIN_SPREAD;
	lookups->keys = Max(lookups->keys,
						page_keys(root, outer, scan, lookups->estimate));
	outer = dyn_read_ahead_path(outer, NIL);
	if (outer == NULL)
		return;
	pathkeys = build_join_pathkeys(root, joinrel, jointype, outer->pathkeys);
	dyn_initial_cost_nestloop(root, &workspace, jointype, outer, inner, extra);
	path = create_nestloop_path(root, joinrel, jointype, &workspace, extra, outer,
								inner, extra->restrictlist, pathkeys, required);
	/* without join clauses, a semijoin or antijoin uses only one inner row */
	lookups->first_only =
		(path->jpath.jointype == JOIN_SEMI || path->jpath.jointype == JOIN_ANTI) &&
		path->jpath.joinrestrictinfo == NIL && dyn_choice_of(inner) != NULL;
	if (lookups->first_only)
	{
		DynPathChoice choice = *dyn_choice_of(inner);

		choice.first_row_only = true;
		path->jpath.innerjoinpath = copy_scan(inner, &choice);
	}
	set_costs(path, lookups);
	add_path(joinrel, (Path *) path);
}

static void
offer_lookup_joins(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
				   RelOptInfo *innerrel, JoinType jointype,
				   JoinPathExtraData *extra)
{
	List	   *outers = outerrel->pathlist;
	ListCell   *lc,
			   *outer;

	if (previous_hook)
		previous_hook(root, joinrel, outerrel, innerrel, jointype, extra);
	add_list_join(root, joinrel, outerrel, innerrel, jointype, extra);
	if (dyn_outer_was_made_unique(jointype))
		jointype = JOIN_INNER;
	if (!dyn_guc_enable_lookup_join || outerrel->top_parent_relids != NULL ||
		(jointype != JOIN_INNER && jointype != JOIN_LEFT &&
		 jointype != JOIN_SEMI && jointype != JOIN_ANTI &&
		 jointype != JOIN_UNIQUE_OUTER))
		return;
	if (jointype == JOIN_UNIQUE_OUTER)
	{
		Path	   *unique = dyn_unique_outer_path(root, outerrel, extra->sjinfo);

		outers = unique != NULL ? list_make1(unique) : NIL;
		jointype = JOIN_INNER;
	}
	foreach(lc, innerrel->pathlist)
	{
		Path	   *inner = lfirst(lc);
		DynLookupCost lookups;
		const Path *scan = !bms_overlap(PATH_REQ_OUTER(inner), outerrel->relids)
			? NULL : find_scan(inner, &lookups.estimate);
		double		keys;

		if (scan == NULL)
			continue;
		keys = distinct_keys(root, outerrel, inner, scan);
		foreach(outer, outers)
		{
			const DynPathChoice *choice = dyn_choice_of(lfirst(outer));

			/*
			 * Skip an outer scan whose list of keys was derived from a clause
			 * on another relation.  The other relation may be the inner one.
			 * Then the clause limits the lookups anyway, and the list on the
			 * outer side saves no lookups.
			 */
			if (!dyn_is_one_row(lfirst(outer)) && (choice == NULL || !choice->listed))
				add_lookup_join(root, joinrel, jointype, extra, lfirst(outer), inner,
								scan, &lookups, keys);
		}
	}
}

void
dyn_lookup_join_init(void)
{
	previous_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = offer_lookup_joins;
}

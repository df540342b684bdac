/*
 * paths.c
 *		Adds the paths of a foreign table.
 *
 * For the table, and for each index that contains all items that the query
 * selects (a complete index), this file adds a path whose key conditions come
 * from the table's own clauses, and parameterized paths that also use columns
 * of other relations.
 *
 * If the arms of an OR match different keys, a path reads all these keys
 * (union_path.c).  Scans need no key: they read the table, or a complete index
 * that is smaller than the table and has all fields that the query needs.
 *
 * A Query returns the items of one partition in sort key order.  The path
 * declares the longest prefix of the query's pathkeys that this order
 * provides.  With several partitions, it declares pathkeys only if at most
 * max_concurrency partitions are merged, or if they are read one by one.
 */
#include "postgres.h"

#include <math.h>

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"

#include "../../model/server/pg_compat.h"
#include "../../model/session/guc.h"
#include "../keys/match_keys.h"
#include "../tree/plantree.h"
#include "planner.h"

/* Maximum number of sets of outer relations for parameterized paths */
#define MAX_PARAMETERIZATIONS	24

/* Cost added to a Scan that scan_policy refuses (is_last_resort) */
#define REFUSED_COST			1.0e10

/* Core's estimate of how often a recursive part of WITH is executed */
#define RECURSIONS				10

/* ---- order ---- */

/*
 * Returns the longest prefix of the query's pathkeys that the access plan
 * provides; sets choice->ordered and choice->backward.
 */
static List *
ordered_pathkeys(DynRelPlan *plan, const DynAccess *access, DynPathChoice *choice)
{
	const DynRelation *relation = plan->relation;
	DynAccess	sorted;			/* only the sort attributes are set */
	int			n = 0;
	List	   *pathkeys = NIL;
	ListCell   *lc;

	if (!dyn_access_can(access, DYN_CAN_ORDER) || dyn_access_guards(access) != NIL)
		return NIL;
	dyn_sort_attributes(plan, access, &sorted);
	if (access->multi_partition && !sorted.in_turn &&
		access->keys.most > relation->connection->max_concurrency)
		return NIL;
	foreach(lc, plan->root->query_pathkeys)
	{
		PathKey    *key = lfirst_node(PathKey, lc);
		EquivalenceClass *ec = key->pk_eclass;
		const DynSortAttr *sort;
		const DynColumn *column;
		AttrNumber	attnum;

		if (n == sorted.nsort)
			break;
		sort = &sorted.sort[n];
		attnum = dyn_sort_column(relation, sort);
		if (attnum == 0)
			break;
		/* the order depends on the encoding, which may differ in a part */
		column = sort->part == DYN_FULL ? dyn_relation_column(relation, attnum)
			: &dyn_relation_templated(relation, sort->attr.name)->parts[sort->part].column;
		if (ec->ec_has_volatile ||
			!dyn_order_is_exact(column, key->pk_opfamily, ec->ec_collation) ||
			!dyn_ec_has_column(ec, plan->rel, attnum))
			break;
		if (n == 0)
			choice->backward = !dyn_pathkey_is_ascending(key);
		else if (choice->backward == dyn_pathkey_is_ascending(key))
			break;
		pathkeys = lappend(pathkeys, key);
		n++;
		/*
		 * The next attribute sorts only items with the same value of this
		 * attribute.  So stop if rows with the same value of the column may
		 * come from different values of the attribute.
		 */
		if (!dyn_relation_column(relation, attnum)->traits.distinct)
			break;
	}
	Assert(n <= sorted.nsort && n == list_length(pathkeys));
	choice->ordered = (pathkeys != NIL);
	return pathkeys;
}

/* ---- access by key ---- */

/* Returns true if the index may be read by key; may add advice to `plan`. */
static bool
index_has_key_path(DynRelPlan *plan, const DynIndexMeta *index, List *clauses)
{
	DynIndexLack lack;

	if (dyn_index_is_usable(plan, index, false, clauses, &lack))
		return true;
	/* join_advice has less priority: lookups may cost more than a Scan */
	if (clauses == plan->clauses)
		dyn_advise_on_index(&plan->advice, index, &lack, "used");
	else
		dyn_advise_on_index(&plan->join_advice, index,
							&(DynIndexLack) {.column = lack.column}, "used for the join");
	return false;
}

static bool
uses_some(const DynAccess *access, List *rinfos)
{
	return list_length(list_difference_ptr(rinfos, access->key_rinfos)) <
		list_length(rinfos);
}

/*
 * Matches `clauses` to the key of the table or index with the number `target`.
 * `others` is NIL, or the RestrictInfos of some of `clauses`.  Returns NULL if
 * the clauses do not match, if the index is not complete, or if `others` has
 * members and none of them is matched.  May add advice to `plan`.
 */
static DynAccess *
match_target(DynRelPlan *plan, int target, List *clauses, List *others)
{
	const DynIndexMeta *index = dyn_index_number(plan->meta, target);
	DynAccess  *access =
		dyn_divide_values(plan, index == NULL && clauses == plan->clauses ? plan->keyed
						  : dyn_match_keys(plan, index, clauses));

	if (access == NULL && others == NIL && index != NULL &&
		plan->relation->ntemplated > 0 &&
		dyn_index_lacks_trust(plan, index, clauses))
		dyn_advise_on_index(&plan->advice, index, &(DynIndexLack) {.trust = true}, "used");
	return access != NULL && (others == NIL || uses_some(access, others)) &&
		(index == NULL || index_has_key_path(plan, index, clauses))
		? access : NULL;
}

/* ---- adding paths ---- */

/*
 * Raises the costs of an access above those that keep_direct has recorded for
 * more direct accesses (GetItem is most direct, then Query, then union).  So
 * tables with few items, or of unknown size, are read by key.  The total cost
 * is raised only if this adds at most the margin (dyn_direct_margin).  A union
 * does not yield to an access that sends more requests.
 *
 * If the number of rows that the direct access finds is unknown, there may be
 * none.  Then a less direct access, such as a Scan, reads everything before it
 * ends, even under LIMIT.  So its startup cost is raised to half of its total
 * cost, or to the total cost of the direct access, whichever is lower.
 */
static void
yield_to_direct(const DynRelPlan *plan, const DynEstimate *estimate,
				Cost *startup, Cost *total)
{
	for (int i = 0; i < (int) estimate->kind; i++)
	{
		Cost		direct = dyn_less_direct_cost(plan->direct[i]);

		if (plan->direct[i] <= 0 ||
			(estimate->kind == DYN_ACCESS_UNION &&
			 plan->direct_requests[i] > estimate->reads.requests + estimate->reads.base_requests))
			continue;
		if (direct <= *total + plan->direct_margin[i])
			*total = Max(*total, direct);
		*startup = Max(*startup, dyn_less_direct_cost(plan->direct_startup[i]));
		if (plan->direct_unknown[i])
			*startup = Max(*startup, Min(direct, *total / 2));
		*startup = Min(*startup, *total);
	}
}

/* Records the costs of the cheapest access of a kind, for yield_to_direct. */
static void
keep_direct(DynRelPlan *plan, const DynEstimate *estimate, Cost startup, Cost total)
{
	DynAccessKind kind = estimate->kind;

	if (kind == DYN_ACCESS_SCAN ||
		(plan->direct[kind] > 0 && plan->direct[kind] <= total))
		return;
	plan->direct[kind] = total;
	plan->direct_startup[kind] = startup;
	plan->direct_margin[kind] = dyn_direct_margin(estimate, startup);
	plan->direct_unknown[kind] = estimate->rows_unknown;
	plan->direct_requests[kind] = plan->keyed_requests =
		estimate->reads.requests + estimate->reads.base_requests;
}

/*
 * Returns true if a Scan may read the index instead of the table.  An index of
 * size 0 is not scanned, because DynamoDB may not have counted its items yet.
 * If the table is the target of the statement, a GSI is not scanned, because
 * its entries may be stale.  If the target has BEFORE triggers that an UPDATE
 * fires, an LSI is not scanned either: the update may move an entry, the Scan
 * would return its item again, and the triggers would fire twice for it.  If
 * the only obstacle is that the index may lack items, sets *lack (`lack` may
 * be NULL).
 */
static bool
index_has_scan_path(const DynRelPlan *plan, const DynIndexMeta *index,
					DynIndexLack *lack)
{
	return index->size_bytes > 0 && index->size_bytes < plan->meta->size_bytes &&
		!(plan->relation->target && (index->global || plan->relation->triggered)) &&
		dyn_index_covers(plan, index) &&
		dyn_index_is_usable(plan, index, true, plan->clauses, lack);
}

static bool
has_key_access(DynRelPlan *plan)
{
	for (int target = 0; target <= plan->meta->nindexes; target++)
	{
		if (match_target(plan, target, plan->clauses, NIL) != NULL)
			return true;
	}
	return false;
}

/*
 * Returns true if a single Scan can read both `rel` and the relation of `one`
 * (exec/source/sharing.c), and `rel` cannot be read by key.
 */
static bool
scans_the_same(const DynRelPlan *one, RelOptInfo *rel)
{
	const DynRelPlan *other = rel->fdw_private;

	return rel->reloptkind == RELOPT_BASEREL && dyn_is_our_relation(rel) &&
		other != NULL && other->segments == one->segments && other->relation->connection == one->relation->connection &&
		strcmp(other->relation->table, one->relation->table) == 0 &&
		other->relation->consistent == one->relation->consistent &&
		!has_key_access(rel->fdw_private);
}

/*
 * Returns the number of relations, including this one, that share a Scan of
 * the index (NULL: the table).  Returns 1 if a LIMIT might stop the Scan
 * early.  Also returns 1 if a relation of the query level reads another table
 * or can be read by key, because lookups might then replace the Scan.
 */
static int
sharing_scans(DynRelPlan *plan, const char *index)
{
	int			n = 1;

	if (!dyn_guc_enable_shared_reads || plan->limited ||
		plan->rel->reloptkind != RELOPT_BASEREL ||
		bms_membership(plan->root->all_baserels) != BMS_MULTIPLE)
		return 1;
	for (int i = 1; i < plan->root->simple_rel_array_size; i++)
	{
		RelOptInfo *rel = plan->root->simple_rel_array[i];

		if (rel == NULL || rel == plan->rel)
			continue;
		if (!scans_the_same(plan, rel))
			return 1;
		if (index != NULL)
		{
			const DynRelPlan *other = rel->fdw_private;
			const DynIndexMeta *same = dyn_metadata_index(other->meta, index);

			if (same == NULL || !index_has_scan_path(other, same, NULL))
				return 1;
		}
		n++;
	}
	return n > 1 && has_key_access(plan) ? 1 : n;
}

/*
 * Returns true if the non-recursive part of the WITH query also executes the
 * Scan that is planned here for the recursive part; then the recursive part
 * finds the items in the cache.
 */
static bool
is_read_before(const PlannerInfo *root, const RangeTblEntry *recursive,
			   const DynRelPlan *plan, const char *index)
{
	ListCell   *lc;

	if (!dyn_guc_enable_shared_reads)
		return false;
	for (Index level = 1; level < recursive->ctelevelsup; level++)
		root = root->parent_root;
	foreach(lc, dyn_path_scans_once(root->non_recursive_path))
	{
		const Path *path = lfirst(lc);
		const DynPathChoice *choice = dyn_choice_of(path);
		const DynIndexMeta *of;

		if (choice == NULL || choice->kind != DYN_ACCESS_SCAN ||
			!scans_the_same(plan, path->parent))
			continue;
		of = dyn_index_number(((const DynRelPlan *) path->parent->fdw_private)->meta,
							  choice->target);
		if (of == NULL ? index == NULL : index != NULL && strcmp(of->name, index) == 0)
			return true;
	}
	return false;
}

/*
 * Returns the fraction of the price of the requests that is charged to this
 * Scan.  Several relations, or the executions of the recursive part of a WITH
 * query, may share a Scan, whose requests are then sent only once.
 */
static double
share_of_price(DynRelPlan *plan, const char *index)
{
	ListCell   *lc;

	/* search `rtable`: simple_rte_array lacks relations of removed joins */
	foreach(lc, plan->root->parse->rtable)
	{
		const RangeTblEntry *rte = lfirst(lc);

		if (rte->rtekind == RTE_CTE && rte->self_reference)
			return is_read_before(plan->root, rte, plan, index) ? 0
				: 1.0 / RECURSIONS;
	}
	return 1.0 / sharing_scans(plan, index);
}

/*
 * Returns true if scan_policy would refuse the Scan, and a better plan is
 * possible: the relation has a path other than a Scan, or the value of LIMIT
 * is not known yet.  A custom plan knows this value, and can limit the Scan.
 */
static bool
is_last_resort(DynRelPlan *plan, DynAccessKind kind)
{
	const Node *limit = plan->root->parse->limitCount;
	ListCell   *lc;

	if (kind != DYN_ACCESS_SCAN ||
		dyn_relation_scan_policy(plan->relation) != DYN_SCAN_ERROR)
		return false;
	foreach(lc, plan->rel->pathlist)
	{
		if (dyn_choice_of(lfirst(lc))->kind != DYN_ACCESS_SCAN)
			return true;
	}
	return plan->keyed_requests > 0 ||
		(limit != NULL && !IsA(limit, Const) && plan->root->limit_tuples <= 0 &&
		 bms_membership(plan->root->all_baserels) == BMS_SINGLETON);
}

/*
 * Returns the number of query levels whose first requests are sent together
 * with those of `root` (exec/node/scan.c).  Core creates such levels, with
 * LIMIT 1, for min and max.  Returns 1 if `root` is not one of them.
 */
static int
ends_together(const PlannerInfo *root)
{
	const PlannerInfo *parent = root->parent_root;
	const List *own = root->parse->rtable;
	const List *rtable = parent != NULL ? parent->parse->rtable : NIL;

	if (parent == NULL || root->limit_tuples != 1 || !parent->parse->hasAggs ||
		list_length(root->sort_pathkeys) != 1 ||
		list_length(own) != 1 || list_length(rtable) != 1 ||
		linitial_node(RangeTblEntry, own)->relid !=
		linitial_node(RangeTblEntry, rtable)->relid)
		return 1;
	return Max(1, list_length(parent->agginfos));
}

/*
 * Adds the path of an access plan, parameterized by `param` unless it is NULL.
 * Unparameterized paths must be added in the order GetItem, Query, union,
 * Scan, because yield_to_direct compares each path with those added before.
 */
static void
add_access_path(DynRelPlan *plan, DynAccess *access, DynPathChoice *choice,
				ParamPathInfo *param)
{
	DynEstimate *estimate = palloc(sizeof(DynEstimate));
	double		rows = param ? param->ppi_rows : plan->rel->rows;
	Relids		outer = param ? param->ppi_req_outer : plan->rel->lateral_relids;
	List	   *pathkeys = !bms_is_empty(outer) ? NIL
		: ordered_pathkeys(plan, access, choice);
	Cost		startup,
				total;

	/*
	 * This path reads only rows that satisfy plan->lists, so reduce its number
	 * of rows.  Keep plan->rel->rows: the join clauses imply the lists, and
	 * core applies the selectivity of the join clauses to the join.
	 */
	if (choice->listed)
		rows = Min(clamp_row_est(rows * dyn_selectivity(plan, plan->lists)),
				   dyn_access_most_rows(plan, access));
	access->ordered = choice->ordered;
	choice->kind = access->kind;
	choice->batchable = dyn_access_can(access, DYN_CAN_BATCH);
	choice->estimate = estimate;
	*estimate = dyn_estimate_access(plan, access);
	if (access->kind == DYN_ACCESS_QUERY && param == NULL)
		estimate->first_page = dyn_limit_hint(plan, pathkeys, access,
											  plan->rel->baserestrictinfo);
	estimate->alone = param == NULL && access->kind == DYN_ACCESS_QUERY &&
		bms_membership(plan->root->all_baserels) == BMS_SINGLETON;
	if (estimate->first_page > 0)
		estimate->prices.round_trip_ms /= ends_together(plan->root);
	dyn_cost_estimate(estimate, param != NULL, rows, &startup, &total);
	if (access->kind == DYN_ACCESS_SCAN && param == NULL)
	{
		Cost		local = estimate->check_cost + rows * cpu_tuple_cost;
		double		share = share_of_price(plan, access->index);

		startup *= share;
		total = (total - local) * share + local;
	}
	if (param == NULL)
	{
		yield_to_direct(plan, estimate, &startup, &total);
		keep_direct(plan, estimate, startup, total);
	}
	/*
	 * Raise the costs of a Scan of an index, to prefer a Scan of the table.
	 * Raise the costs of a path whose list of keys was derived from a join
	 * (plan->lists), to prefer a lookup join, which may read fewer keys.
	 */
	if (choice->listed ||
		(access->kind == DYN_ACCESS_SCAN && access->index != NULL))
	{
		startup = dyn_less_direct_cost(startup);
		total = dyn_less_direct_cost(total);
	}
	if (is_last_resort(plan, access->kind))
	{
		startup += REFUSED_COST;
		total += REFUSED_COST;
	}
	add_path(plan->rel, (Path *)
			 dyn_make_scan_path(plan->root, plan->rel, rows, startup, total, pathkeys,
								outer, dyn_choice_add(plan, choice)));
}

/* Returns the cost of a Scan of the index (NULL: the table). */
static Cost
scan_cost(const DynRelPlan *plan, const DynIndexMeta *index)
{
	DynEstimate estimate =
		dyn_estimate_access(plan, dyn_match_scan(plan, index, plan->clauses));
	Cost		startup,
				total;

	dyn_cost_estimate(&estimate, false, plan->rel->rows, &startup, &total);
	return total;
}

/*
 * Adds Scans of the table and its indexes.  An index is not scanned if more
 * relations can share a Scan of the table than a Scan of the index.
 */
static void
add_scan_paths(DynRelPlan *plan)
{
	for (int target = 0; target <= plan->meta->nindexes; target++)
	{
		const DynIndexMeta *index = dyn_index_number(plan->meta, target);
		DynPathChoice choice = {.target = target};
		DynIndexLack lack = {0};

		if (index != NULL && !index_has_scan_path(plan, index, &lack))
		{
			if (lack.nonempty != NULL &&
				dyn_less_direct_cost(scan_cost(plan, index)) < scan_cost(plan, NULL))
				dyn_advise_on_index(&plan->advice, index, &lack, "scanned");
			continue;
		}
		if (index != NULL &&
			sharing_scans(plan, index->name) < sharing_scans(plan, NULL))
			continue;
		add_access_path(plan, dyn_match_scan(plan, index, plan->clauses),
						&choice, NULL);
	}
}

/*
 * Adds paths by key for the table and each index.  `others` are the join
 * clauses of `param`, or plan->lists, or NIL; unless NIL, a path must use one
 * of them for its keys.  All paths of one parameterization return the same
 * rows, so the number of rows is computed before the first path is created.
 */
static void
add_key_paths(DynRelPlan *plan, List *clauses, List *others, ParamPathInfo *param)
{
	int			ntargets = plan->meta->nindexes + 1;
	DynAccess **accesses = palloc(ntargets * sizeof(DynAccess *));

	for (int i = 0; i < ntargets; i++)
	{
		accesses[i] = match_target(plan, i, clauses, others);
		if (accesses[i] != NULL && param != NULL)
			param->ppi_rows = Min(param->ppi_rows, dyn_access_most_rows(plan,
																		accesses[i]));
	}
	for (int kind = DYN_ACCESS_GET; kind < DYN_ACCESS_SCAN; kind++)
	{
		for (int i = 0; i < ntargets; i++)
		{
			DynPathChoice choice = {.target = i,
			.listed = others != NIL && param == NULL};

			if (accesses[i] != NULL && (int) accesses[i]->kind == kind)
				add_access_path(plan, accesses[i], &choice, param);
		}
	}
}

/* ---- parameterized paths ---- */

/* Returns true if the member is column *arg, or a cast or function of it. */
static bool
member_is_column(PlannerInfo *root, RelOptInfo *rel, EquivalenceClass *ec,
				 EquivalenceMember *em, void *arg)
{
	const AttrNumber *attnum = arg;
	Expr	   *expr = em->em_expr;

	while (IsA(expr, RelabelType))
		expr = ((RelabelType *) expr)->arg;
	if (IsA(expr, FuncExpr) && list_length(((FuncExpr *) expr)->args) == 1)
		expr = linitial(((FuncExpr *) expr)->args);
	else if (IsA(expr, CoerceViaIO))
		expr = ((CoerceViaIO *) expr)->arg;
	return IsA(expr, Var) && ((Var *) expr)->varno == rel->relid &&
		((Var *) expr)->varattno == *attnum;
}

static void
add_outer_relids(List **sets, const RelOptInfo *rel, Relids relids)
{
	Relids		outer = bms_union(relids, rel->lateral_relids);
	ListCell   *lc;

	outer = bms_del_members(outer, rel->relids);
	if (bms_is_empty(outer) || list_length(*sets) >= MAX_PARAMETERIZATIONS)
		return;
	foreach(lc, *sets)
	{
		if (bms_equal(lfirst(lc), outer))
			return;
	}
	*sets = lappend(*sets, outer);
}

/* Adds the outer relations of each join clause that may match the column. */
static void
collect_column_sets(DynRelPlan *plan, AttrNumber attnum, List **sets)
{
	List	   *rinfos = NIL;
	ListCell   *lc;

	if (attnum != 0 && plan->rel->has_eclass_joins)
		rinfos = generate_implied_equalities_for_column(plan->root, plan->rel,
														member_is_column, &attnum,
														plan->rel->lateral_referencers);
	foreach(lc, attnum != 0 ? plan->rel->joininfo : NIL)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (join_clause_is_movable_to(rinfo, plan->rel))
			rinfos = list_append_unique_ptr(rinfos, rinfo);
	}
	foreach(lc, rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (restriction_is_securely_promotable(rinfo, plan->rel))
			add_outer_relids(sets, plan->rel, rinfo->clause_relids);
	}
}

/* Returns the sets of outer relations whose columns can match some key. */
static List *
parameterizations(DynRelPlan *plan)
{
	const DynRelation *relation = plan->relation;
	List	   *sets = NIL;
	List	   *single;
	ListCell   *a,
			   *b;

	if (!plan->rel->has_eclass_joins && plan->rel->joininfo == NIL)
		return NIL;
	for (int k = 0; k <= plan->meta->nindexes; k++)
	{
		const DynKeySchema *key = dyn_key_number(plan->meta, k);

		for (int i = 0; i < key->nhash + key->nrange; i++)
		{
			const DynKeyAttr *attr = dyn_key_attr(key, i);
			const DynTemplatedAttr *templated = dyn_relation_templated(relation, attr->name);

			collect_column_sets(plan, dyn_relation_column_of(relation, attr), &sets);
			for (int p = 0; templated != NULL && p < templated->tmpl->nparts; p++)
				collect_column_sets(plan, templated->parts[p].attnum, &sets);
		}
	}
	/* two relations may together match a key with two attributes */
	single = list_copy(sets);
	foreach(a, single)
	{
		foreach(b, single)
			add_outer_relids(&sets, plan->rel,
							 bms_union(lfirst(a), lfirst(b)));
	}
	return sets;
}

/* ---- segments ---- */

/* Adds only Scans, because only a Scan determines the segment of an item. */
static void
add_segment_paths(DynRelPlan *plan)
{
	AttrNumber	attnum = plan->relation->segment_column;
	DynPathChoice choice = {0};
	List	   *sets = NIL;
	ListCell   *lc;

	plan->advice = !has_key_access(plan) ? NULL
		: psprintf("only a Scan shows column \"%s\", so keys and indexes cannot be used; use a foreign table without it",
				   dyn_relation_column(plan->relation, attnum)->name);
	add_access_path(plan, dyn_match_scan(plan, NULL, plan->clauses), &choice, NULL);
	collect_column_sets(plan, attnum, &sets);
	foreach(lc, sets)
	{
		ParamPathInfo *param = get_baserel_parampathinfo(plan->root, plan->rel, lfirst(lc));
		List	   *clauses = dyn_quals_classify(plan, param->ppi_clauses);
		DynAccess  *access = dyn_match_scan(plan, NULL,
											list_concat_copy(plan->clauses, clauses));

		if (uses_some(access, param->ppi_clauses))
			add_access_path(plan, access, &choice, param);
	}
}

/* ---- optional conditions ---- */

/* Adds Scans and, of the paths by key with guards (choice.c), the cheapest. */
static void
add_scan_and_optional_paths(DynRelPlan *plan)
{
	List	   *guarded = NIL;	/* DynGuarded *, by descending cost */
	const Path *unconditional = NULL;
	ListCell   *lc;

	for (int i = 0; i <= plan->meta->nindexes; i++)
	{
		const DynIndexMeta *index = dyn_index_number(plan->meta, i);
		DynGuarded *one = palloc0(sizeof(DynGuarded));
		int			n = 0;

		one->access = dyn_match_closed(plan, index, plan->clauses);
		/*
		 * An OR with a true guard restricts nothing, so the index must then
		 * contain all rows that the other clauses select.
		 */
		if (one->access == NULL ||
			(index != NULL && !index_has_key_path(plan, index, plan->clauses)))
			continue;
		/*
		 * record the costs for yield_to_direct, which raises the cost of a
		 * Scan that must not win
		 */
		one->access->estimate = dyn_estimate_access(plan, one->access);
		one->choice = (DynPathChoice) {.target = i, .kind = one->access->kind,
		.estimate = &one->access->estimate};
		dyn_cost_estimate(one->choice.estimate, false, plan->rel->rows,
						  &one->startup, &one->total);
		keep_direct(plan, one->choice.estimate, one->startup, one->total);
		while (n < list_length(guarded) &&
			   ((const DynGuarded *) list_nth(guarded, n))->total > one->total)
			n++;
		guarded = list_insert_nth(guarded, n, one);
	}
	/* add no Scans if one item is read by its key, which always costs less */
	if (plan->keyed == NULL || plan->keyed->kind != DYN_ACCESS_GET ||
		plan->keyed->multi_partition)
		add_scan_paths(plan);
	foreach(lc, plan->rel->pathlist)
	{
		const Path *path = lfirst(lc);

		if (path->param_info == NULL && !dyn_choice_of(path)->listed &&
			dyn_choice_of(path)->kind != DYN_ACCESS_UNION &&
			(unconditional == NULL || path->total_cost < unconditional->total_cost))
			unconditional = path;
	}
	if (unconditional != NULL && guarded != NIL)
	{
		DynGuarded *cheapest = llast(guarded);

		dyn_guarded_set_alternatives(guarded, unconditional);
		add_access_path(plan, cheapest->access, &cheapest->choice, NULL);
	}
}

/* ---- minimum number of rows ---- */

static bool
names_unknown_partition(const RelOptInfo *rel)
{
	const DynRelPlan *plan = rel->reloptkind == RELOPT_BASEREL &&
		dyn_is_our_relation(rel) ? rel->fdw_private : NULL;

	return plan != NULL && !plan->analyzed && plan->keyed != NULL &&
		plan->keyed->kind == DYN_ACCESS_QUERY;
}

/*
 * Returns a lower bound for the row estimate of the relation: normally one.
 * Before ANALYZE, each partition of a small table is estimated at one row.
 * The bound is two if core would otherwise join two partitions of one DynamoDB
 * table by lookups, instead of reading each of them once, or sort all rows,
 * instead of stopping an Incremental Sort early.
 */
static double
least_rows(const DynRelPlan *plan)
{
	const PlannerInfo *root = plan->root;
	const DynRelation *relation = plan->relation;

	if (!names_unknown_partition(plan->rel))
		return 1;
	if (root->limit_tuples > 1 && list_length(root->sort_pathkeys) > 1)
		return 2;
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		const RelOptInfo *rel = root->simple_rel_array[i];
		const DynRelPlan *other;

		if (rel == NULL || rel == plan->rel || !names_unknown_partition(rel))
			continue;
		other = rel->fdw_private;
		if (other->relation->connection == relation->connection &&
			strcmp(other->relation->table, relation->table) == 0)
			return 2;
	}
	return 1;
}

void
dynGetForeignPaths(PlannerInfo *root, RelOptInfo *baserel, Oid foreigntableid)
{
	DynRelPlan *plan = baserel->fdw_private;
	DynPathChoice choice = {0};
	DynAccess  *united;
	ListCell   *lc;

	if (plan->segments > 0)
	{
		add_segment_paths(plan);
		return;
	}
	baserel->rows = Max(baserel->rows, least_rows(plan));
	add_key_paths(plan, plan->clauses, NIL, NULL);
	if (plan->lists != NIL)
		add_key_paths(plan, list_concat_copy(plan->clauses, dyn_classify_lists(plan)),
					  plan->lists, NULL);
	united = dyn_union_find(plan, &choice);
	if (united != NULL)
		add_access_path(plan, united, &choice, NULL);
	foreach(lc, parameterizations(plan))
	{
		ParamPathInfo *param = get_baserel_parampathinfo(root, baserel, lfirst(lc));
		List	   *clauses = dyn_quals_classify(plan, param->ppi_clauses);

		plan->join_clauses = list_concat(plan->join_clauses, clauses);
		if (clauses != NIL)
			add_key_paths(plan, list_concat_copy(plan->clauses, clauses),
						  param->ppi_clauses, param);
	}
	add_scan_and_optional_paths(plan);
}

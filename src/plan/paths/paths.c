/*
 * paths.c
 *		Adds the paths of a foreign table.
 *
 * The targets are the key of the table, and the key of each index that is
 * complete for the query (an index lacks the items without its key
 * attributes).  Each gets a path with the clauses of the table alone, and one
 * for each set of other relations whose columns can match a key.  The latter
 * are parameterized paths: a nested loop then sends a request for each outer
 * row, and core's Memoize applies.
 *
 * An OR whose arms match different keys gets a path that reads each of them
 * (union_path.c).  Without a key there are Scans: of the table, and of each
 * complete index that is smaller and has all fields that the query needs.
 *
 * A Query returns the items of one partition in sort key order.  A path has
 * the longest prefix of the query's pathkeys that this provides.  With several
 * partitions it has these only if their number is known at planning and all
 * can be read concurrently.
 */
#include "postgres.h"

#include <math.h>

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

#include "../../model/server/pg_compat.h"
#include "../../model/session/guc.h"
#include "../keys/index_complete.h"
#include "../keys/match_template.h"
#include "../tree/plantree.h"
#include "cost.h"
#include "first_page.h"
#include "planner.h"

/* Maximum number of sets of outer relations that are tried. */
#define MAX_PARAMETERISATIONS	24

/*
 * Added to the cost of a Scan that scan_policy refuses, if another path or
 * plan exists
 */
#define REFUSED_COST			1.0e10

/* Core's estimate for the executions of the recursive part of a WITH query */
#define RECURSIONS				10

/* ---- order ---- */

static bool
pathkey_is_column(PlannerInfo *root, RelOptInfo *baserel, const PathKey *key,
				  const DynColumn *column, AttrNumber attnum)
{
	EquivalenceClass *ec = key->pk_eclass;

	return !ec->ec_has_volatile &&
		dyn_order_is_exact(column, key->pk_opfamily, ec->ec_collation) &&
		dyn_ec_has_column(ec, baserel, attnum);
}

/* Returns the column that shows the sort attribute in the same encoding. */
static const DynColumn *
sorted_column(const DynRelation *relation, const DynAccess *sorted, int n)
{
	const DynKeyAttr *attr = &sorted->sort[n];
	int			part = sorted->sort_parts[n];

	return part == DYN_FULL
		? dyn_relation_column(relation, dyn_relation_column_of(relation, attr))
		: &dyn_relation_templated(relation, attr->name)->parts[part].column;
}

/*
 * Returns the longest prefix of the query's pathkeys that the access plan
 * provides.
 */
static List *
ordered_pathkeys(PlannerInfo *root, RelOptInfo *baserel,
				 const DynIndexMeta *index, const DynAccess *access,
				 DynPathChoice *choice)
{
	const DynRelPlan *plan = baserel->fdw_private;
	DynAccess	sorted;			/* only for its sort attributes */
	int			n = 0;
	List	   *pathkeys = NIL;
	ListCell   *lc;

	if (!dyn_access_can(access, DYN_CAN_ORDER) ||
		(access->multi_partition &&
		 access->keys.most > plan->relation->connection->max_concurrency))
		return NIL;
	dyn_sort_attributes(plan, index, access, &sorted);
	foreach(lc, root->query_pathkeys)
	{
		PathKey    *key = lfirst_node(PathKey, lc);
		AttrNumber	attnum = n < sorted.nsort
			? dyn_sort_column(plan->relation, &sorted.sort[n],
							  sorted.sort_parts[n]) : 0;

		if (attnum == 0 ||
			!pathkey_is_column(root, baserel, key,
							   sorted_column(plan->relation, &sorted, n), attnum))
			break;
		if (n == 0)
			choice->backward = !dyn_pathkey_is_ascending(key);
		else if (choice->backward == dyn_pathkey_is_ascending(key))
			break;
		pathkeys = lappend(pathkeys, key);
		n++;
		/*
		 * later attributes sort items whose attributes are equal, not columns
		 */
		if (!dyn_relation_column(plan->relation, attnum)->traits.distinct)
			break;
	}
	Assert(n <= sorted.nsort && n == list_length(pathkeys));
	choice->ordered = (pathkeys != NIL);
	return pathkeys;
}

/* ---- keyed access ---- */

static void
advise_trust(DynRelPlan *plan, const DynIndexMeta *index)
{
	if (plan->advice == NULL)
		plan->advice = psprintf("index \"%s\" could be used if it were in the table option trusted_indexes; add it only if the index contains every row",
								index->name);
}

/* Returns true if the index may be read by its key; else sets plan->advice. */
static bool
index_has_key_path(DynRelPlan *plan, const DynIndexMeta *index, List *clauses)
{
	DynIndexLack lack;

	if (dyn_index_is_usable(plan, index, false, clauses, &lack))
		return true;
	if (lack.column != NULL && plan->advice == NULL)
		plan->advice = psprintf("index \"%s\" could be used if column \"%s\" were declared NOT NULL or had a condition",
								index->name, lack.column);
	if (lack.trust)
		advise_trust(plan, index);
	return false;
}

static bool
uses_any(List *rinfos, List *wanted)
{
	ListCell   *lc;

	foreach(lc, wanted)
	{
		if (list_member_ptr(rinfos, lfirst(lc)))
			return true;
	}
	return false;
}

/* Returns the keyed access plan of one target with these clauses, or NULL. */
static DynAccess *
match_target(RelOptInfo *baserel, int target, List *clauses,
			 const ParamPathInfo *param)
{
	DynRelPlan *plan = baserel->fdw_private;
	const DynIndexMeta *index = dyn_choice_index(plan, target);
	DynAccess  *access = index == NULL && clauses == plan->clauses ? plan->keyed
		: dyn_match_keys(plan, index, clauses);

	if (access == NULL && param == NULL && index != NULL &&
		plan->relation->ntemplated > 0 &&
		dyn_index_lacks_trust(plan, index, clauses))
		advise_trust(plan, index);
	if (access == NULL ||
		(param != NULL && !uses_any(access->key_rinfos, param->ppi_clauses)) ||
		(index != NULL && !index_has_key_path(plan, index, clauses)))
		return NULL;
	return access;
}

/* ---- adding paths ---- */

/*
 * The more direct access wins unless its cost is higher by more than its first
 * round trips.  So tables with few items, or of unknown size, are read by key.
 *
 * If only the first rows are needed, a less direct access may find them late.
 * So it is never the first to return rows, unless it completes before the
 * other returns one.  If the number of rows is a guess, half of its work is
 * assumed to precede the first row: a Scan for a row that does not exist reads
 * the full table.
 */
static void
yield_to_direct(const DynRelPlan *plan, DynAccessKind kind, Cost *startup,
				Cost *total)
{
	for (int i = 0; i < (int) kind; i++)
	{
		Cost		direct = dyn_less_direct_cost(plan->direct[i]);

		if (plan->direct[i] <= 0)
			continue;
		if (direct <= *total + plan->direct_startup[i])
			*total = Max(*total, direct);
		*startup = Max(*startup,
					   dyn_less_direct_cost(plan->direct_startup[i]));
		if (plan->direct_unknown[i])
			*startup = Max(*startup, Min(direct, *total / 2));
		*startup = Min(*startup, *total);
	}
}

static void
keep_direct(DynRelPlan *plan, DynAccessKind kind, bool rows_unknown, Cost startup,
			Cost total)
{
	if (kind == DYN_ACCESS_SCAN ||
		(plan->direct[kind] > 0 && plan->direct[kind] <= total))
		return;
	plan->direct[kind] = total;
	plan->direct_startup[kind] = startup;
	plan->direct_unknown[kind] = rows_unknown;
}

/* Sizes that DynamoDB has not counted yet are 0, which has no meaning. */
static bool
index_has_scan_path(const DynRelPlan *plan, const DynIndexMeta *index)
{
	return index->size_bytes > 0 && index->size_bytes < plan->meta->size_bytes &&
		dyn_index_covers(plan, index) &&
		dyn_index_is_usable(plan, index, true, plan->clauses, NULL);
}

/* Returns true if the statement specifies keys of the relation. */
static bool
has_key_access(RelOptInfo *baserel)
{
	const DynRelPlan *plan = baserel->fdw_private;

	for (int i = 0; i < plan->meta->nindexes - DYN_TARGET_TABLE; i++)
	{
		if (match_target(baserel, DYN_TARGET_TABLE + i, plan->clauses, NULL) != NULL)
			return true;
	}
	return false;
}

/*
 * Returns true if a Scan of the index with that name could also read the
 * relation.
 */
static bool
may_scan_index(const RelOptInfo *rel, const char *name)
{
	const DynRelPlan *plan = rel->fdw_private;
	const DynIndexMeta *index = dyn_metadata_index(plan->meta, name);

	return index != NULL && index_has_scan_path(plan, index);
}

/*
 * Returns true if a Scan of this relation would also read the other's table.
 */
static bool
scans_the_same(const DynRelPlan *one, RelOptInfo *rel)
{
	const DynRelPlan *other = rel->fdw_private;

	return rel->reloptkind == RELOPT_BASEREL && dyn_is_our_relation(rel) &&
		other != NULL && other->relation->connection == one->relation->connection &&
		strcmp(other->relation->table, one->relation->table) == 0 &&
		other->relation->consistent == one->relation->consistent &&
		!has_key_access(rel);
}

/*
 * Returns the number of Scans that share a read (exec/source/sharing.h),
 * including this one.  Scans do not share a read if the query level has
 * another relation, whose rows could replace all of them by lookups, or a
 * LIMIT that might stop them.  `index` is set if all of them could be Scans of
 * this index; NULL: of the table.
 */
static int
sharing_scans(PlannerInfo *root, RelOptInfo *baserel, const char *index)
{
	const DynRelPlan *plan = baserel->fdw_private;
	int			n = 1;

	if (!dyn_guc_enable_shared_reads || plan->limited ||
		baserel->reloptkind != RELOPT_BASEREL ||
		bms_membership(root->all_baserels) != BMS_MULTIPLE)
		return 1;
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		RelOptInfo *rel = root->simple_rel_array[i];

		if (rel == NULL || rel == baserel)
			continue;
		if (!scans_the_same(plan, rel) ||
			(index != NULL && !may_scan_index(rel, index)))
			return 1;
		n++;
	}
	return n > 1 && has_key_access(baserel) ? 1 : n;
}

/* Returns the WITH query that has this as its recursive part, or NULL. */
static const RangeTblEntry *
recursive_query(const PlannerInfo *root)
{
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		const RangeTblEntry *rte = root->simple_rte_array[i];

		if (rte->rtekind == RTE_CTE && rte->self_reference)
			return rte;
	}
	return NULL;
}

/*
 * Returns true if the path is a Scan that reads the same items and can be
 * shared.
 */
static bool
is_scan_of_same(const ForeignPath *path, const DynRelPlan *plan, const char *index)
{
	RelOptInfo *rel = path->path.parent;
	const DynIndexMeta *of;
	const DynPathChoice *choice;

	if (IS_UPPER_REL(rel) || !scans_the_same(plan, rel))
		return false;
	choice = dyn_choice_of(path);
	of = dyn_choice_index(rel->fdw_private, choice->target);
	return choice->kind == DYN_ACCESS_SCAN && choice->while_open == NULL &&
		(of == NULL ? index == NULL : index != NULL && strcmp(of->name, index) == 0);
}

/*
 * Returns true if the first part of the WITH query reads the same items
 * anyway.  Then the recursive part finds them in the cache.
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
		if (is_scan_of_same(lfirst(lc), plan, index))
			return true;
	}
	return false;
}

/*
 * The requests are paid once, in equal parts: by scans that share the read,
 * and by the executions of a recursion, if they do not depend on its rows.
 */
static void
divide_price(PlannerInfo *root, RelOptInfo *baserel, const char *index,
			 const DynEstimate *estimate, double rows, Cost *startup, Cost *total)
{
	Cost		local = estimate->check_cost + rows * cpu_tuple_cost;
	const RangeTblEntry *recursive = recursive_query(root);
	double		share;

	if (recursive == NULL)
		share = 1.0 / sharing_scans(root, baserel, index);
	else
		share = is_read_before(root, recursive, baserel->fdw_private, index) ? 0
			: 1.0 / RECURSIONS;
	*startup *= share;
	*total = (*total - local) * share + local;
}

static bool
has_keyed_path(const RelOptInfo *baserel)
{
	ListCell   *lc;

	foreach(lc, baserel->pathlist)
	{
		if (dyn_choice_of(lfirst_node(ForeignPath, lc))->kind != DYN_ACCESS_SCAN)
			return true;
	}
	return false;
}

/*
 * Returns true if the Scan would be refused, but another path or plan may
 * serve the statement.  A custom plan may, because it knows the LIMIT and then
 * has a bounded Scan.  So core must not choose the generic plan.
 */
static bool
is_last_resort(const PlannerInfo *root, const RelOptInfo *baserel,
			   DynAccessKind kind)
{
	const DynRelPlan *plan = baserel->fdw_private;
	const Node *limit = root->parse->limitCount;

	if (kind != DYN_ACCESS_SCAN ||
		dyn_relation_scan_policy(plan->relation) != DYN_SCAN_ERROR)
		return false;
	return has_keyed_path(baserel) ||
		(limit != NULL && !IsA(limit, Const) && root->limit_tuples <= 0 &&
		 bms_membership(root->all_baserels) == BMS_SINGLETON);
}

/*
 * Adds the path of an access plan.  Without `param`, prefers more direct
 * accesses.
 */
static void
add_access_path(PlannerInfo *root, RelOptInfo *baserel, DynAccess *access,
				DynPathChoice *choice, List *pathkeys, ParamPathInfo *param)
{
	DynRelPlan *plan = baserel->fdw_private;
	DynEstimate *estimate = palloc(sizeof(DynEstimate));
	double		rows = param ? param->ppi_rows : baserel->rows;
	Relids		outer = param ? param->ppi_req_outer : baserel->lateral_relids;
	Cost		startup,
				total;

	access->ordered = choice->ordered;
	choice->kind = access->kind;
	choice->batchable = dyn_access_can(access, DYN_CAN_BATCH);
	choice->estimate = estimate;
	dyn_estimate_access(root, baserel, access, estimate);
	if (access->kind == DYN_ACCESS_QUERY && param == NULL)
		estimate->first_page = dyn_limit_hint(root, baserel, pathkeys, access,
											  baserel->baserestrictinfo);
	estimate->alone = param == NULL && access->kind == DYN_ACCESS_QUERY &&
		bms_membership(root->all_baserels) == BMS_SINGLETON;
	if (estimate->first_page > 0)
		estimate->prices.round_trip_ms /= dyn_ends_together(root);
	dyn_cost_estimate(estimate, access->kind, param != NULL, rows,
					  &startup, &total);
	if (access->kind == DYN_ACCESS_SCAN && param == NULL)
		divide_price(root, baserel, access->index, estimate, rows, &startup, &total);
	if (param == NULL)
	{
		yield_to_direct(plan, access->kind, &startup, &total);
		keep_direct(plan, access->kind, estimate->rows_unknown, startup, total);
	}
	/* if two Scans cost the same, prefer the table's */
	if (access->kind == DYN_ACCESS_SCAN && access->index != NULL)
	{
		startup = dyn_less_direct_cost(startup);
		total = dyn_less_direct_cost(total);
	}
	if (is_last_resort(root, baserel, access->kind))
	{
		startup += REFUSED_COST;
		total += REFUSED_COST;
	}
	add_path(baserel, (Path *)
			 dyn_make_scan_path(root, baserel, rows, startup, total, pathkeys,
								outer, dyn_choice_add(plan, choice)));
}

/*
 * Adds Scans of the table and its indexes.  An index is not read in addition
 * to the table, or to another index, that other relations of the statement
 * would read anyway.
 */
static void
add_scan_paths(PlannerInfo *root, RelOptInfo *baserel)
{
	const DynRelPlan *plan = baserel->fdw_private;

	for (int target = DYN_TARGET_TABLE; target < plan->meta->nindexes; target++)
	{
		const DynIndexMeta *index = dyn_choice_index(plan, target);
		DynPathChoice choice = {.target = target};

		if (index != NULL &&
			(!index_has_scan_path(plan, index) ||
			 sharing_scans(root, baserel, index->name) <
			 sharing_scans(root, baserel, NULL)))
			continue;
		add_access_path(root, baserel, dyn_match_scan(plan, index, plan->clauses),
						&choice, NIL, NULL);
	}
}

static void
add_key_path(PlannerInfo *root, RelOptInfo *baserel, int target,
			 DynAccess *access, ParamPathInfo *param)
{
	DynPathChoice choice = {.target = target};
	List	   *pathkeys = NIL;

	if (param == NULL)
		pathkeys = ordered_pathkeys(root, baserel,
									dyn_choice_index(baserel->fdw_private, target),
									access, &choice);
	add_access_path(root, baserel, access, &choice, pathkeys, param);
}

/*
 * Adds keyed paths for each target.  All paths of one parameterisation return
 * the same rows, so their number is computed before the first is created.
 */
static void
add_key_paths(PlannerInfo *root, RelOptInfo *baserel, List *clauses,
			  ParamPathInfo *param)
{
	const DynRelPlan *plan = baserel->fdw_private;
	int			ntargets = plan->meta->nindexes - DYN_TARGET_TABLE;
	DynAccess **accesses = palloc(ntargets * sizeof(DynAccess *));

	for (int i = 0; i < ntargets; i++)
	{
		accesses[i] = match_target(baserel, DYN_TARGET_TABLE + i, clauses, param);
		if (accesses[i] != NULL && param != NULL)
			param->ppi_rows = Min(param->ppi_rows,
								  dyn_access_most_rows(root, baserel,
													   accesses[i]));
	}
	for (int kind = DYN_ACCESS_GET; kind < DYN_ACCESS_SCAN; kind++)
	{
		for (int i = 0; i < ntargets; i++)
		{
			if (accesses[i] != NULL && (int) accesses[i]->kind == kind)
				add_key_path(root, baserel, DYN_TARGET_TABLE + i, accesses[i],
							 param);
		}
	}
}

/* ---- parameterised paths ---- */

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
add_outer_relids(List **sets, RelOptInfo *baserel, Relids relids)
{
	Relids		outer = bms_union(relids, baserel->lateral_relids);
	ListCell   *lc;

	outer = bms_del_members(outer, baserel->relids);
	if (bms_is_empty(outer) || list_length(*sets) >= MAX_PARAMETERISATIONS)
		return;
	foreach(lc, *sets)
	{
		if (bms_equal(lfirst(lc), outer))
			return;
	}
	*sets = lappend(*sets, outer);
}

/*
 * Returns join clauses that give a column of this relation from columns of
 * other relations.
 */
static List *
column_join_clauses(PlannerInfo *root, RelOptInfo *baserel, AttrNumber attnum)
{
	List	   *rinfos = NIL;
	ListCell   *lc;

	if (baserel->has_eclass_joins)
		rinfos = generate_implied_equalities_for_column(root, baserel,
														member_is_column, &attnum,
														baserel->lateral_referencers);
	foreach(lc, baserel->joininfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (join_clause_is_movable_to(rinfo, baserel))
			rinfos = list_append_unique_ptr(rinfos, rinfo);
	}
	return rinfos;
}

static void
collect_column_sets(PlannerInfo *root, RelOptInfo *baserel, AttrNumber attnum,
					List **sets)
{
	ListCell   *lc;

	if (attnum == 0)
		return;
	foreach(lc, column_join_clauses(root, baserel, attnum))
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (restriction_is_securely_promotable(rinfo, baserel))
			add_outer_relids(sets, baserel, rinfo->clause_relids);
	}
}

/*
 * Collects sets for columns that show the attributes, and for those in their
 * templates.
 */
static void
collect_key_sets(PlannerInfo *root, RelOptInfo *baserel,
				 const DynKeySchema *key, List **sets)
{
	const DynRelation *relation = ((DynRelPlan *) baserel->fdw_private)->relation;

	for (int i = 0; i < key->nhash + key->nrange; i++)
	{
		const DynKeyAttr *attr = dyn_key_attr(key, i);
		const DynTemplatedAttr *templated = dyn_relation_templated(relation, attr->name);

		collect_column_sets(root, baserel, dyn_relation_column_of(relation, attr),
							sets);
		for (int p = 0; templated != NULL && p < templated->tmpl->nparts; p++)
			collect_column_sets(root, baserel, templated->parts[p].attnum, sets);
	}
}

/* Returns the sets of outer relations whose columns can match some key. */
static List *
parameterisations(PlannerInfo *root, RelOptInfo *baserel)
{
	DynRelPlan *plan = baserel->fdw_private;
	List	   *sets = NIL;
	List	   *single;
	ListCell   *a,
			   *b;

	if (!baserel->has_eclass_joins && baserel->joininfo == NIL)
		return NIL;
	collect_key_sets(root, baserel, &plan->meta->key, &sets);
	for (int i = 0; i < plan->meta->nindexes; i++)
		collect_key_sets(root, baserel, &plan->meta->indexes[i].key, &sets);
	/* two relations may together match a key of two attributes */
	single = list_copy(sets);
	foreach(a, single)
	{
		foreach(b, single)
			add_outer_relids(&sets, baserel,
							 bms_union(lfirst(a), lfirst(b)));
	}
	return sets;
}

static void
add_parameterised_paths(PlannerInfo *root, RelOptInfo *baserel)
{
	DynRelPlan *plan = baserel->fdw_private;
	ListCell   *lc;

	foreach(lc, parameterisations(root, baserel))
	{
		ParamPathInfo *param = get_baserel_parampathinfo(root, baserel,
														 lfirst(lc));
		List	   *clauses = dyn_quals_classify(root, baserel, param->ppi_clauses);

		add_key_paths(root, baserel,
					  list_concat_copy(plan->clauses, clauses), param);
	}
}

/* ---- optional conditions ---- */

/*
 * Returns the access plan of one target for closed guards (choice.c), or NULL.
 */
static DynAccess *
match_optional_target(RelOptInfo *baserel, int target)
{
	DynRelPlan *plan = baserel->fdw_private;
	const DynIndexMeta *index = dyn_choice_index(plan, target);
	DynAccess  *access = dyn_match_closed(plan, index, plan->clauses);

	/* the index must be complete whatever the guards are */
	return access != NULL && index != NULL &&
		!index_has_key_path(plan, index, plan->clauses)
		? NULL : access;
}

/*
 * Records the cost of an access plan for closed guards.  Must be called before
 * Scans are added, which are less direct.
 */
static void
keep_optional(PlannerInfo *root, RelOptInfo *baserel, const DynAccess *access)
{
	DynEstimate estimate;
	Cost		startup,
				total;

	dyn_estimate_access(root, baserel, access, &estimate);
	dyn_cost_estimate(&estimate, access->kind, false, baserel->rows, &startup,
					  &total);
	keep_direct(baserel->fdw_private, access->kind, estimate.rows_unknown, startup,
				total);
}

/*
 * Returns the choice of the cheapest path without guards and other relations.
 */
static const DynPathChoice *
find_unconditional(const RelOptInfo *baserel)
{
	const ForeignPath *best = NULL;
	ListCell   *lc;

	foreach(lc, baserel->pathlist)
	{
		const ForeignPath *path = lfirst_node(ForeignPath, lc);

		if (path->path.param_info == NULL &&
			dyn_choice_of(path)->kind != DYN_ACCESS_UNION &&
			(best == NULL || path->path.total_cost < best->path.total_cost))
			best = path;
	}
	return best != NULL ? dyn_choice_of(best) : NULL;
}

/* Adds Scans, and access plans for closed guards with their alternatives. */
static void
add_scan_and_optional_paths(PlannerInfo *root, RelOptInfo *baserel)
{
	const DynRelPlan *plan = baserel->fdw_private;
	int			ntargets = plan->meta->nindexes - DYN_TARGET_TABLE;
	DynAccess **accesses = palloc0(ntargets * sizeof(DynAccess *));
	const DynPathChoice *unconditional;

	for (int i = 0; i < ntargets; i++)
	{
		accesses[i] = match_optional_target(baserel, DYN_TARGET_TABLE + i);
		if (accesses[i] != NULL)
			keep_optional(root, baserel, accesses[i]);
	}
	add_scan_paths(root, baserel);
	/* a path that is added may replace it */
	unconditional = find_unconditional(baserel);
	for (int i = 0; unconditional != NULL && i < ntargets; i++)
	{
		DynPathChoice choice = {.target = DYN_TARGET_TABLE + i,
		.while_open = unconditional};

		if (accesses[i] != NULL)
			add_access_path(root, baserel, accesses[i], &choice, NIL, NULL);
	}
}

void
dynGetForeignPaths(PlannerInfo *root, RelOptInfo *baserel, Oid foreigntableid)
{
	DynRelPlan *plan = baserel->fdw_private;
	DynPathChoice choice = {.target = DYN_TARGET_TABLE};
	DynAccess  *united;

	add_key_paths(root, baserel, plan->clauses, NULL);
	united = dyn_union_find(root, baserel, &choice);
	if (united != NULL)
		add_access_path(root, baserel, united, &choice, NIL, NULL);
	add_parameterised_paths(root, baserel);
	if (dyn_has_guards(plan->clauses))
		add_scan_and_optional_paths(root, baserel);
	/* one item by its key always costs least */
	else if (plan->keyed == NULL || plan->keyed->kind != DYN_ACCESS_GET ||
			 plan->keyed->multi_partition)
		add_scan_paths(root, baserel);
}

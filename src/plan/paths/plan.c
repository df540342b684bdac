/*
 * plan.c
 *		Creates the plan node of a chosen path, and paths that push down
 *		count(*); decides how many items the first page needs.
 *
 * When core has chosen a path, its access plan is built again, so that keys,
 * filters and local checks all come from the clauses that core passes.
 *
 * If no clause is checked locally, count(*) is pushed down: the requests have
 * Select=COUNT.  DynamoDB reads and bills the same items, but does not return
 * them.  The plan node has scanrelid 0, so the executor finds the table in
 * fs_base_relids.
 *
 * DynamoDB charges for the items of a page, so a scan limits its first page if
 * the statement needs only a few rows.  Later pages are larger
 * (exec/fetch/stream.c), so a limit that is too small only costs requests.
 */
#include "postgres.h"

#include <math.h>

#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "utils/fmgroids.h"
#include "utils/selfuncs.h"

#include "../../model/server/pg_compat.h"
#include "../tree/readahead_path.h"
#include "planner.h"

/* If more items than this are needed, the first page is not limited */
#define MAX_ITEMS	10000

/* ---- items of the first page ---- */

/*
 * Returns the number of items that are expected to contain `rows` rows; 0 (a
 * full page) if this number exceeds MAX_ITEMS.  If `rows` is an estimate
 * (`roughly`), or if not every item yields a row, returns at least the number
 * of items that half a unit pays for, because no request costs less than that.
 */
static int
items_of_rows(const DynRelPlan *plan, const DynAccess *access,
			  List *clauses, double rows, bool roughly)
{
	const DynIndexMeta *index = dyn_metadata_index(plan->meta, access->index);
	double		share = dyn_rows_per_item(plan, access, clauses);
	double		items = ceil(rows / Max(share, 1e-6));

	if (roughly || share < 1)
		items = Max(items, floor(DYN_LEAST_BYTES /
								 dyn_default_item_bytes(plan->meta, index)));
	return items > MAX_ITEMS ? 0 : (int) items;
}

/* ---- the bound at which a Query begins ---- */

typedef struct FirstBound
{
	const List *clauses;		/* RestrictInfo * */
	bool		descending;		/* true if reading begins at the upper bound */
	bool		strict_is_exact;	/* true if the request itself excludes
									 * the value of < or > */
	bool		other_side;		/* true if reading also ends at a bound */
	bool		strict;			/* true if the bound at which reading begins is
								 * that of a < or > */
	bool		implied;		/* true if the bound at which reading begins
								 * may select more rows than its clause */
} FirstBound;

static bool
has_comparison(const List *clauses, const Expr *value)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		const OpExpr *op = (const OpExpr *) lfirst_node(RestrictInfo, lc)->clause;

		if (IsA(op, OpExpr) && list_member(op->args, value))
			return true;
	}
	return false;
}

/* Records a bound of the sort key in the FirstBound `arg`; returns false. */
static bool
note_bound(DynPred *pred, void *arg)
{
	FirstBound *first = arg;
	DynComparison comparison = pred->operator.comparison;
	bool		upper = comparison == DYN_COMPARE_LT || comparison == DYN_COMPARE_LE;

	if (!dyn_pred_is_bound(pred) || pred->array)
		return false;
	if (upper != first->descending)
		first->other_side = true;
	else if (comparison == DYN_COMPARE_LT || comparison == DYN_COMPARE_GT)
		first->strict = true;
	else
		first->implied |= !has_comparison(first->clauses, pred->value);
	return false;
}

/*
 * Returns true if the Query may begin with items whose sort key is the bound,
 * and which the clauses reject.  For example, two bounds are sent as BETWEEN,
 * which includes the value of < or >.  For a row comparison, such as
 * (a, b) > (1, 2) in keyset paging, only a >= 1 is sent.
 */
static bool
may_begin_before_rows(const DynRelPlan *plan, const DynAccess *access,
					  List *clauses, bool descending)
{
	FirstBound	first = {.clauses = clauses, .descending = descending};
	const DynPred *texts;

	if (access->kind != DYN_ACCESS_QUERY || access->nrange == 0)
		return false;
	texts = dyn_only_templated(access->range[access->nrange - 1].preds);
	if (texts != NULL)
	{
		const DynTemplate *tmpl = plan->relation->templated[texts->templated].tmpl;
		int			n = list_length(texts->args);

		/*
		 * The request itself excludes the value in `< value` or `> value` in
		 * two cases: every sort key has more text after the compared part, so
		 * none equals the bound's text; or the part has a fixed width and the
		 * Query is ascending, so the range can begin just after the bound.
		 */
		first.strict_is_exact = n == 0 || n < tmpl->nparts || tmpl->literals[n].len > 0 ||
			(!descending && tmpl->parts[n - 1].facts.width > 0);
		first.other_side = n > 1 || tmpl->literals[0].len > 0;
		if (n > 0)
			(void) dyn_pred_visit(llast(texts->args), false, note_bound, &first);
	}
	(void) dyn_preds_visit(texts == NULL ? access->range[access->nrange - 1].preds : NIL,
						   false, note_bound, &first);
	return first.implied || (first.strict && first.other_side && !first.strict_is_exact);
}

int
dyn_limit_hint(const DynRelPlan *plan, List *pathkeys,
			   const DynAccess *access, List *clauses)
{
	PlannerInfo *root = plan->root;
	const Query *parse = root->parse;
	bool		joins = bms_membership(root->all_baserels) != BMS_SINGLETON;
	double		rows = dyn_rows_needed(root, plan->rel->rows);
	int			provided = 0;
	bool		in_groups;
	List	   *exprs = NIL;
	ListCell   *lc;

	if (rows <= 0)
		return 0;
	in_groups = !pathkeys_count_contained_in(root->sort_pathkeys, pathkeys,
											 &provided);
	if (in_groups && provided == 0)
		return 0;
	/* an incremental sort reads the last group to its end: add those rows */
	foreach(lc, in_groups ? pathkeys : NIL)
	{
		const EquivalenceClass *ec = lfirst_node(PathKey, lc)->pk_eclass;

		exprs = lappend(exprs, ((EquivalenceMember *) linitial(ec->ec_members))->em_expr);
	}
	if (in_groups)
		rows += plan->rel->rows /
			estimate_num_groups(root, exprs, plan->rel->rows, NULL, NULL);
	if (may_begin_before_rows(plan, access, clauses, pathkeys != NIL &&
							  !dyn_pathkey_is_ascending(linitial_node(PathKey, pathkeys))))
		rows++;
	return items_of_rows(plan, access, clauses, rows, joins || in_groups ||
						 parse->distinctClause != NIL || parse->hasWindowFuncs);
}

/* ---- plan nodes ---- */

/*
 * Returns the fields (DynField *) for the target list and local checks; with
 * plan->rechecked, also for the `remote` clauses, which EvalPlanQual checks.
 */
static List *
fetched_fields(const DynRelPlan *plan, List *local, List *remote)
{
	List	   *fields = NIL;

	dyn_collect_fields(plan, (Node *) plan->rel->reltarget->exprs, &fields);
	dyn_collect_fields(plan, (Node *) local, &fields);
	if (plan->rechecked)
		dyn_collect_fields(plan, (Node *) remote, &fields);
	return fields;
}

static bool
may_stop_early(PlannerInfo *root)
{
	ListCell   *lc;

	if (root->tuple_fraction > 0 || root->limit_tuples > 0)
		return true;
	foreach(lc, root->join_info_list)
	{
		SpecialJoinInfo *join = lfirst(lc);

		if (join->jointype == JOIN_SEMI || join->jointype == JOIN_ANTI)
			return true;
	}
	return false;
}

/*
 * Completes the access plan's fallback; returns false if there is none.  The
 * fallback also fetches the columns of `remote`, because all clauses are
 * checked for its rows, and the columns that its rows are sorted by.
 */
static bool
complete_fallback(const DynRelPlan *plan, DynAccess *access, List *local,
				  List *remote)
{
	DynAccess  *fallback = dyn_access_fallback(access);
	List	   *fields;

	if (fallback == NULL)
		return false;
	fields = fetched_fields(plan, list_concat_copy(local, remote), NIL);
	fallback->estimate = dyn_estimate_access(plan, fallback);
	fallback->may_stop_early = access->may_stop_early;
	for (int i = 0; i < fallback->nsort; i++)
	{
		AttrNumber	attnum = dyn_sort_column(plan->relation, &fallback->sort[i]);

		if (attnum == 0)
			fallback->nsort = i;
		else
			dyn_collect_fields(plan, (Node *)
							   makeVar(plan->rel->relid, attnum, InvalidOid, -1,
									   InvalidOid, 0), &fields);
	}
	dyn_set_fields(plan, fallback, fields);
	return true;
}

/*
 * Sets those fields of the access plan, its arms and its fallback that
 * matching does not set.  `local` are the expressions that are checked
 * locally, and `remote` those that only DynamoDB checks.
 */
static void
complete_access(const DynRelPlan *plan, Path *path, const DynPathChoice *choice,
				DynAccess *access, List *scan_clauses, List *local, List *remote)
{
	PlannerInfo *root = plan->root;
	const DynIndexMeta *index = dyn_metadata_index(plan->meta, access->index);
	bool		any_rows;
	ListCell   *lc;

	Assert(!access->fetch_base_items || remote == NIL);
	dyn_set_fields(plan, access, fetched_fields(plan, local, remote));
	access->presumes = access->index != NULL && access->key_rinfos != NIL;
	access->may_stop_early = may_stop_early(root);
	if (access->kind != DYN_ACCESS_UNION && !choice->first_row_only)
		access->limit_hint = dyn_limit_hint(plan, path->pathkeys, access, scan_clauses);
	else if (dyn_access_can(access, DYN_CAN_ORDER))
		access->limit_hint = items_of_rows(plan, access, scan_clauses, 1, false);
	/*
	 * Without ORDER BY, any limit_tuples rows are enough.  Do not test
	 * query_pathkeys: since PostgreSQL 17, these may be the order that a set
	 * operation above needs, and its sort comes after the LIMIT.
	 */
	any_rows = root->limit_tuples > 0 && root->sort_pathkeys == NIL &&
		bms_membership(root->all_baserels) == BMS_SINGLETON && local == NIL;
	access->is_small = any_rows &&
		dyn_access_can(access, DYN_CAN_BE_SMALL) &&
		plan->relation->unnest == NULL &&
		dyn_is_small_read(plan->meta, index, root->limit_tuples);
	if (!access->is_small && any_rows && access->filter_rinfos == NIL &&
		dyn_access_can(access, DYN_CAN_PREVIEW) &&
		(plan->relation->unnest != NULL ||
		 !dyn_access_can(access, DYN_CAN_BE_SMALL)))
		access->preview_rows = (int) Min(root->limit_tuples, INT_MAX);
	if (access->is_small)
		access->limit_hint = (int) root->limit_tuples;
	(void) complete_fallback(plan, access, local, remote);
	foreach(lc, dyn_access_arms(access))
	{
		DynAccess  *arm = lfirst(lc);

		/* an arm reads the union's columns, since the union checks its rows */
		arm->fields = access->fields;
		arm->scalars = access->scalars;
		arm->may_stop_early = access->may_stop_early;
		arm->limit_hint = dyn_limit_hint(plan, path->pathkeys, arm,
										 list_union_ptr(arm->local_rinfos,
														arm->filter_rinfos));
		arm->estimate = dyn_estimate_access(plan, arm);
		(void) complete_fallback(plan, arm, local, NIL);
	}
}

/*
 * Returns the plan node for count(*).  Its scan returns one row, whose first
 * column is the number from DynamoDB.  The other columns are for a fallback,
 * which reads the table; its rows are checked and counted locally.
 */
static ForeignScan *
count_plan(RelOptInfo *upperrel, List *tlist)
{
	DynAccess  *access = upperrel->fdw_private;
	List	   *counts = pull_var_clause((Node *) upperrel->reltarget->exprs,
										 PVC_INCLUDE_AGGREGATES);
	List	   *columns = NIL;
	List	   *row;
	List	   *exprs;
	List	   *private = list_make1(dyn_access_node(access, &exprs));
	ListCell   *lc;

	/* all count(*) are equal, so take one; maybe only HAVING contains it */
	if (counts == NIL)
		counts = pull_var_clause((Node *) access->having, PVC_INCLUDE_AGGREGATES);
	row = list_make1(makeTargetEntry(copyObject(linitial(counts)), 1, NULL, false));
	foreach(lc, pull_var_clause((Node *) access->checks, PVC_RECURSE_PLACEHOLDERS))
		columns = list_append_unique(columns, lfirst(lc));
	foreach(lc, columns)
		row = lappend(row, makeTargetEntry(copyObject(lfirst(lc)),
										   list_length(row) + 1, NULL, false));
	return make_foreignscan(tlist, access->having, 0, exprs, private, row,
							access->checks, NULL);
}

ForeignScan *
dynGetForeignPlan(PlannerInfo *root, RelOptInfo *baserel, Oid foreigntableid,
				  ForeignPath *best_path, List *tlist, List *scan_clauses,
				  Plan *outer_plan)
{
	DynRelPlan *plan = baserel->fdw_private;
	const DynPathChoice *choice;
	DynAccess  *access;
	List	   *clauses,
			   *exprs,
			   *private;
	List	   *local = NIL;
	List	   *remote = NIL;
	ListCell   *lc;

	if (IS_UPPER_REL(baserel))
		return count_plan(baserel, tlist);
	/* put plan->bounds first: they decide whether the item is a row at all */
	scan_clauses = list_concat_copy(plan->bounds, scan_clauses);
	clauses = list_concat(dyn_row_clauses(plan->relation),
						  dyn_quals_classify(plan, scan_clauses));
	choice = dyn_choice_of(&best_path->path);
	if (choice->listed)
		clauses = list_concat(clauses, dyn_classify_lists(plan));
	access = choice->kind == DYN_ACCESS_UNION
		? dyn_union_match(plan, choice, clauses)
		: dyn_match_choice(plan, choice, clauses);
	foreach(lc, scan_clauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (rinfo->pseudoconstant)
			continue;
		if (list_member_ptr(access->exact_rinfos, rinfo))
			remote = lappend(remote, rinfo->clause);
		else
			local = lappend(local, rinfo->clause);
	}
	access->first_row_only = choice->first_row_only && local == NIL &&
		plan->relation->unnest == NULL && dyn_access_can(access, DYN_CAN_ORDER);
	foreach(lc, dyn_access_alternatives(access))
	{
		DynAccess  *one = lfirst(lc);

		complete_access(plan, &best_path->path, choice, one, scan_clauses, local,
						remote);
		one->advice = dyn_advise(plan, one, one != access, clauses);
		one->one_request = dyn_access_is_one_request(one);
		one->one_round = choice->together && dyn_access_is_one_round(one);
	}
	private = list_make1(dyn_access_node(access, &exprs));
	return make_foreignscan(tlist, local, baserel->relid, exprs, private, NIL,
							remote, NULL);
}

const DynAccess *
dyn_access_of_scan(const ForeignScan *scan)
{
	return GetFdwRoutineByServerId(scan->fs_server)->GetForeignPlan !=
		dynGetForeignPlan ? NULL : dyn_access_of_node(linitial(scan->fdw_private));
}

/* ---- count(*) ---- */

static bool
depends_on_count_only(Node *node)
{
	ListCell   *lc;

	foreach(lc, pull_var_clause(node, PVC_INCLUDE_AGGREGATES |
								PVC_INCLUDE_WINDOWFUNCS |
								PVC_INCLUDE_PLACEHOLDERS))
	{
		const Aggref *agg = lfirst(lc);

		if (!IsA(agg, Aggref) || agg->aggfnoid != F_COUNT_ ||
			agg->aggfilter != NULL || agg->aggdistinct != NIL ||
			agg->aggorder != NIL || agg->agglevelsup != 0 ||
			agg->aggsplit != AGGSPLIT_SIMPLE)
			return false;
	}
	return true;
}

/*
 * Returns the access plan of the cheapest path if DynamoDB can count its rows
 * (no clause is checked locally, and each item is one row), or NULL.
 */
static DynAccess *
countable_access(RelOptInfo *input_rel)
{
	DynRelPlan *plan = input_rel->fdw_private;
	Path	   *path = input_rel->cheapest_total_path;
	DynPathChoice choice;
	DynAccess  *access;
	ListCell   *lc;

	if (path == NULL || !IsA(path, ForeignPath) || path->param_info != NULL ||
		plan->relation->unnest != NULL)
		return NULL;
	for (int i = 0; i < plan->relation->ntemplated; i++)
	{
		/* DynamoDB would also count values that the template does not list */
		if (plan->relation->templated[i].listed)
			return NULL;
	}
	choice = *dyn_choice_of(path);
	if (choice.kind == DYN_ACCESS_UNION)
		return NULL;
	choice.ordered = choice.backward = false;
	access = dyn_match_choice(plan, &choice, plan->clauses);
	if (!dyn_access_can(access, DYN_CAN_COUNT))
		return NULL;
	foreach(lc, list_concat_copy(input_rel->baserestrictinfo, plan->bounds))
	{
		if (!list_member_ptr(access->exact_rinfos, lfirst(lc)))
			return NULL;
	}
	access->count_only = true;
	return access;
}

void
dynGetForeignUpperPaths(PlannerInfo *root, UpperRelationKind stage,
						RelOptInfo *input_rel, RelOptInfo *output_rel,
						void *extra)
{
	GroupPathExtraData *group = extra;
	PathTarget *target = root->upper_targets[UPPERREL_GROUP_AGG];
	const DynRelPlan *plan;
	DynAccess  *access;
	List	   *checks;
	Cost		startup,
				total;

	if (stage != UPPERREL_GROUP_AGG || output_rel->fdw_private != NULL ||
		!IS_SIMPLE_REL(input_rel) || input_rel->fdw_private == NULL ||
		root->agginfos == NIL || root->parse->groupClause != NIL ||
		root->parse->groupingSets != NIL ||
		contain_subplans((Node *) target->exprs) ||
		contain_subplans(group->havingQual) ||
		!depends_on_count_only((Node *) target->exprs) ||
		!depends_on_count_only(group->havingQual) ||
		(group->patype != PARTITIONWISE_AGGREGATE_NONE &&
		 group->patype != PARTITIONWISE_AGGREGATE_FULL))
		return;
	access = countable_access(input_rel);
	if (access == NULL)
		return;
	access->having = (List *) group->havingQual;
	plan = input_rel->fdw_private;
	access->advice = dyn_advise(plan, access, false, plan->clauses);
	access->estimate = dyn_estimate_access(plan, access);
	checks = get_actual_clauses(input_rel->baserestrictinfo);
	if (complete_fallback(plan, access, NIL, checks))
		access->checks = checks;
	access->one_request = dyn_access_is_one_request(access);
	output_rel->fdw_private = access;
	dyn_cost_estimate(&access->estimate, false, 1, &startup, &total);
	/* counting transfers no rows, so it costs no more than reading the rows */
	total = Min(total, input_rel->cheapest_total_path->total_cost);
	add_path(output_rel, (Path *)
			 dyn_make_upper_path(root, output_rel, target, 1, total, total, NIL));
}

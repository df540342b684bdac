/*
 * plan.c
 *		Creates the plan node of a chosen path.
 *
 * The access plan is matched again from the clauses that the planner passes,
 * so that keys, filters and local checks come from the same classification.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"

#include "../../model/server/pg_compat.h"
#include "cost.h"
#include "first_page.h"
#include "planner.h"

/* Separates the clauses that need no local check. */
static void
split_clauses(List *scan_clauses, List *exact_rinfos, List **local, List **remote)
{
	ListCell   *lc;

	*local = *remote = NIL;
	foreach(lc, scan_clauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);

		if (rinfo->pseudoconstant)
			continue;
		if (list_member_ptr(exact_rinfos, rinfo))
			*remote = lappend(*remote, rinfo->clause);
		else
			*local = lappend(*local, rinfo->clause);
	}
}

/* Returns the fields of the rows: those of the target and of local checks. */
static List *
fetched_fields(const RelOptInfo *baserel, List *local)
{
	List	   *fields = NIL;

	dyn_collect_fields(baserel->fdw_private, (Node *) baserel->reltarget->exprs,
					   &fields);
	dyn_collect_fields(baserel->fdw_private, (Node *) local, &fields);
	return fields;
}

/* Returns true if a node above the scan can stop before the last row. */
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

/* Returns the items of the first page; 0: a full page. */
static int
first_page(PlannerInfo *root, RelOptInfo *baserel, Path *path,
		   const DynPathChoice *choice, const DynAccess *access,
		   List *scan_clauses)
{
	if (access->kind == DYN_ACCESS_UNION)
		return 0;
	if (!choice->first_row_only)
		return dyn_limit_hint(root, baserel, path->pathkeys, access, scan_clauses);
	return !dyn_access_can(access, DYN_CAN_ORDER) ? 0
		: dyn_items_of_rows(root, baserel, access, scan_clauses, 1, false);
}

/* The rows are sorted if the index would provide an order. */
bool
dyn_complete_fallback(PlannerInfo *root, RelOptInfo *baserel, DynAccess *access,
					  List *local, List *remote)
{
	const DynRelPlan *plan = baserel->fdw_private;
	DynAccess  *fallback = dyn_access_inner(access, DYN_USE_IF_INCOMPLETE);
	List	   *fields;

	if (fallback == NULL)
		return false;
	fields = fetched_fields(baserel, local);
	dyn_collect_fields(plan, (Node *) remote, &fields);
	dyn_estimate_access(root, baserel, fallback, &fallback->estimate);
	fallback->may_stop_early = access->may_stop_early;
	for (int i = 0; i < fallback->nsort; i++)
	{
		AttrNumber	attnum = dyn_sort_column(plan->relation, &fallback->sort[i],
											 fallback->sort_parts[i]);

		if (attnum == 0)
			fallback->nsort = i;
		else
			dyn_collect_fields(plan, (Node *)
							   makeVar(baserel->relid, attnum, InvalidOid, -1,
									   InvalidOid, 0), &fields);
	}
	dyn_set_fields(plan, fallback, fields);
	return true;
}

/*
 * Sets the other fields that the executor needs; `local` and `remote` are
 * expressions.
 */
static void
complete_access(PlannerInfo *root, RelOptInfo *baserel, Path *path,
				const DynPathChoice *choice, DynAccess *access,
				List *scan_clauses, List *local, List *remote)
{
	const DynRelPlan *plan = baserel->fdw_private;
	const DynIndexMeta *index = access->index == NULL ? NULL
		: dyn_metadata_index(plan->meta, access->index);
	ListCell   *lc;

	/* the table's items are read after the index and may have changed since */
	Assert(!access->fetch_base_items || remote == NIL);
	dyn_set_fields(plan, access, fetched_fields(baserel, local));
	access->presumes = access->index != NULL && access->key_rinfos != NIL;
	access->may_stop_early = may_stop_early(root);
	access->limit_hint = first_page(root, baserel, path, choice, access,
									scan_clauses);
	/*
	 * The LIMIT needs a small number of rows in any order, which are short or
	 * assumed to be.  The order for a set operation (query_pathkeys, since
	 * PostgreSQL 17) is applied only to the rows that LIMIT returns.
	 */
	access->is_small = dyn_access_can(access, DYN_CAN_BE_SMALL) &&
		root->limit_tuples > 0 && root->sort_pathkeys == NIL && local == NIL &&
		bms_membership(root->all_baserels) == BMS_SINGLETON &&
		plan->relation->unnest == NULL &&
		dyn_is_small_read(plan->meta, index, root->limit_tuples);
	if (access->is_small)
		access->limit_hint = (int) root->limit_tuples;
	(void) dyn_complete_fallback(root, baserel, access, local, remote);
	foreach(lc, access->kind == DYN_ACCESS_UNION ? access->inner : NIL)
	{
		DynAccess  *arm = lfirst(lc);

		/* arms return the same columns, and `local` checks their rows */
		arm->fields = access->fields;
		arm->scalars = access->scalars;
		arm->may_stop_early = access->may_stop_early;
		arm->limit_hint = dyn_limit_hint(root, baserel, path->pathkeys, arm,
										 list_union_ptr(arm->local_rinfos,
														arm->filter_rinfos));
		dyn_estimate_access(root, baserel, arm, &arm->estimate);
		(void) dyn_complete_fallback(root, baserel, arm, local, NIL);
	}
}

/* Finds a count(*) in an expression; all of them are equal. */
static Node *
find_count(Node *node)
{
	List	   *found = pull_var_clause(node, PVC_INCLUDE_AGGREGATES);

	return found == NIL ? NULL : linitial(found);
}

/* Adds the columns of a fallback's checks, whose rows are counted locally. */
static List *
add_checked_columns(List *row, List *checks)
{
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) checks, PVC_RECURSE_PLACEHOLDERS))
		columns = list_append_unique(columns, lfirst(lc));
	foreach(lc, columns)
		row = lappend(row, makeTargetEntry(copyObject(lfirst(lc)),
										   list_length(row) + 1, NULL, false));
	return row;
}

/*
 * Returns the plan for count(*): one row, whose first column DynamoDB
 * computes.
 */
static ForeignScan *
count_plan(RelOptInfo *upperrel, List *tlist)
{
	DynAccess  *access = upperrel->fdw_private;
	Node	   *count = find_count((Node *) upperrel->reltarget->exprs);
	List	   *exprs;
	List	   *private = list_make1(dyn_access_node(access, &exprs));
	List	   *row;

	if (count == NULL)
		count = find_count((Node *) access->having);
	row = list_make1(makeTargetEntry((Expr *) copyObject(count), 1, NULL, false));
	row = add_checked_columns(row, access->checks);
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
			   *local,
			   *remote,
			   *exprs,
			   *private;

	if (IS_UPPER_REL(baserel))
		return count_plan(baserel, tlist);
	clauses = list_concat(dyn_row_clauses(plan->relation),
						  dyn_quals_classify(root, baserel, scan_clauses));
	choice = dyn_choice_of(best_path);
	access = choice->kind == DYN_ACCESS_UNION
		? dyn_union_match(root, baserel, choice, clauses)
		: dyn_match_choice(plan, choice, clauses);
	split_clauses(scan_clauses, access->exact_rinfos, &local, &remote);
	access->first_row_only = choice->first_row_only && local == NIL &&
		plan->relation->unnest == NULL && dyn_access_can(access, DYN_CAN_ORDER);
	for (DynAccess *one = access; one != NULL;
		 one = dyn_access_inner(one, DYN_USE_IF_OPEN))
	{
		complete_access(root, baserel, &best_path->path, choice, one,
						scan_clauses, local, remote);
		one->advice = dyn_advise(root, plan, one, clauses);
		one->estimate = one == access ? *choice->estimate
			: *choice->while_open->estimate;
		one->one_request = dyn_access_is_one_request(one);
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

/*
 * Under a LIMIT an Append may read only its first children.  Starting the
 * other children as well is cheap if they are keyed; a Scan starts only when
 * it is reached.
 */
bool
dynIsForeignPathAsyncCapable(ForeignPath *path)
{
	const RelOptInfo *rel = path->path.parent;
	const DynRelPlan *plan = rel->fdw_private;
	const DynPathChoice *choice;

	if (IS_UPPER_REL(rel))
		return true;
	choice = dyn_choice_of(path);
	return !plan->limited ||
		(choice->kind != DYN_ACCESS_SCAN &&
		 (choice->while_open == NULL || choice->while_open->kind != DYN_ACCESS_SCAN));
}

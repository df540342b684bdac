/*
 * first_page.c
 *		Decides how many items the first page of a scan needs.
 *
 * DynamoDB charges for the items of a page, so a scan limits its first page if
 * the statement needs only a few rows.  Later pages are larger
 * (exec/fetch/stream.c), so a limit that is too small costs requests, but
 * never rows.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/paths.h"
#include "utils/selfuncs.h"

#include "../../model/server/pg_compat.h"
#include "cost.h"
#include "planner.h"

/* Maximum number of items; if more are needed, a full page is requested */
#define MAX_ITEMS	10000

/*
 * Returns true if this query level is an EXISTS without references to outer
 * levels (plan_params of the outer levels), so that one row is enough.  The
 * caller excludes joins, which may need many rows of the scan to find one.
 */
static bool
is_existence(const PlannerInfo *root)
{
	const Query *parse = root->parse;

	if (root->parent_root == NULL || root->tuple_fraction != 1.0 ||
		parse->hasAggs || parse->groupClause != NIL ||
		parse->groupingSets != NIL || parse->havingQual != NULL ||
		parse->distinctClause != NIL || parse->hasWindowFuncs ||
		parse->hasTargetSRFs || parse->sortClause != NIL ||
		parse->setOperations != NULL || parse->limitOffset != NULL)
		return false;
	for (root = root->parent_root; root != NULL; root = root->parent_root)
	{
		if (root->plan_params != NIL)
			return false;
	}
	return true;
}

int
dyn_items_of_rows(const DynRelPlan *plan, const DynAccess *access,
				  List *clauses, double rows, bool roughly)
{
	const DynTableMeta *meta = ((DynRelPlan *) plan->rel->fdw_private)->meta;
	const DynIndexMeta *index = access->index == NULL ? NULL
		: dyn_metadata_index(meta, access->index);
	double		share = dyn_rows_per_item(plan, access, clauses);
	double		items = ceil(rows / Max(share, 1e-6));

	if (roughly || share < 1)
		items = Max(items, floor(DYN_LEAST_BYTES /
								 dyn_default_item_bytes(meta, index)));
	return items > MAX_ITEMS ? 0 : (int) items;
}

/* ---- the bound at which a Query begins ---- */

typedef struct FirstBound
{
	const List *clauses;		/* RestrictInfo * */
	bool		descending;		/* true if reading begins at the upper bound */
	bool		strict_is_exact;	/* true if the request excludes the value of
									 * a strict bound */
	bool		other_side;		/* found a bound where reading ends */
	bool		strict;			/* found a strict bound (< or >) where reading
								 * begins */
	bool		implied;		/* found a bound where reading begins that is
								 * weaker than its clause */
} FirstBound;

/* Returns true if a clause is a comparison with this value. */
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

/* Notes the bound in a leaf of the sort key's condition; returns false. */
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
 * Returns true if the Query may begin with items that are not rows, because
 * their sort key is the bound itself.  Two bounds are sent as BETWEEN, which
 * includes a bound that < or > excludes.  Of a row comparison, only the bound
 * of the first column is sent.  In keyset paging, the bound is the last row of
 * the previous page.
 */
static bool
may_begin_before_rows(const DynRelPlan *plan, const DynAccess *access,
					  List *clauses, bool descending)
{
	FirstBound	first = {.clauses = clauses, .descending = descending};
	const DynPred *texts;
	ListCell   *lc;

	if (access->kind != DYN_ACCESS_QUERY || access->nrange == 0)
		return false;
	texts = dyn_only_templated(access->range[access->nrange - 1].preds);
	if (texts != NULL)
	{
		const DynTemplate *tmpl = plan->relation->templated[texts->templated].tmpl;
		int			n = list_length(texts->args);

		/*
		 * no sort key is equal to the bound if all sort keys continue after
		 * the bounded part, or if the request has the successor of the bound
		 * (template_join.c)
		 */
		first.strict_is_exact = n == 0 || n < tmpl->nparts || tmpl->literals[n].len > 0 ||
			(!descending && tmpl->parts[n - 1].facts.width > 0);
		first.other_side = n > 1 || tmpl->literals[0].len > 0;
		if (n > 0)
			(void) dyn_pred_visit(llast(texts->args), note_bound, &first);
	}
	foreach(lc, texts == NULL ? access->range[access->nrange - 1].preds : NIL)
		(void) dyn_pred_visit(lfirst(lc), note_bound, &first);
	return first.implied || (first.strict && first.other_side && !first.strict_is_exact);
}

int
dyn_limit_hint(const DynRelPlan *plan, List *pathkeys,
			   const DynAccess *access, List *clauses)
{
	PlannerInfo *root = plan->root;
	double		rows = root->limit_tuples <= 0 && is_existence(root) ? 1
		: root->limit_tuples;
	int			provided = 0;
	bool		in_groups;
	List	   *exprs = NIL;
	ListCell   *lc;

	if (rows <= 0 || bms_membership(root->all_baserels) != BMS_SINGLETON)
		return 0;
	in_groups = !pathkeys_count_contained_in(root->sort_pathkeys, pathkeys,
											 &provided);
	if (in_groups && provided == 0)
		return 0;
	/*
	 * an incremental sort reads full groups of rows with equal values of the
	 * pathkeys that the path provides: collect the pathkeys' expressions
	 */
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
	return dyn_items_of_rows(plan, access, clauses, rows, in_groups);
}

int
dyn_ends_together(const PlannerInfo *root)
{
	const PlannerInfo *parent = root->parent_root;
	const List *own = root->parse->rtable;
	const List *rtable = parent != NULL ? parent->parse->rtable : NIL;

	/* core reads min or max in a query level with a copy of the relation */
	if (parent == NULL || root->limit_tuples != 1 || !parent->parse->hasAggs ||
		list_length(root->sort_pathkeys) != 1 ||
		list_length(own) != 1 || list_length(rtable) != 1 ||
		linitial_node(RangeTblEntry, own)->relid !=
		linitial_node(RangeTblEntry, rtable)->relid)
		return 1;
	return Max(1, list_length(parent->agginfos));
}

/*
 * first_page.c
 *		Decides how many items the first page of a scan needs.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/paths.h"
#include "utils/selfuncs.h"

#include "cost.h"
#include "first_page.h"

/* A larger hint has no advantage over a page of 1 MB. */
#define MAX_ITEMS	10000

/* ---- rows ---- */

/*
 * Returns true if the query level uses rows of outer levels.  This is known
 * only after preprocessing.
 */
static bool
is_correlated(const PlannerInfo *root)
{
	for (root = root->parent_root; root != NULL; root = root->parent_root)
	{
		if (root->plan_params != NIL)
			return true;
	}
	return false;
}

/*
 * Returns true if an EXISTS needs only one row of this scan.  Core plans all
 * relations in an EXISTS for one row, even if that takes many rows of the
 * scan.
 */
static bool
is_existence(const PlannerInfo *root)
{
	const Query *parse = root->parse;

	return root->parent_root != NULL && root->tuple_fraction == 1.0 &&
		!parse->hasAggs && parse->groupClause == NIL &&
		parse->groupingSets == NIL && parse->havingQual == NULL &&
		parse->distinctClause == NIL && !parse->hasWindowFuncs &&
		!parse->hasTargetSRFs && parse->sortClause == NIL &&
		parse->setOperations == NULL && parse->limitOffset == NULL &&
		!is_correlated(root);
}

/*
 * Returns the rows that are equal in the first sort keys, those that the
 * path's order provides.
 */
static double
group_rows(PlannerInfo *root, const RelOptInfo *baserel, const List *pathkeys)
{
	List	   *exprs = NIL;
	ListCell   *lc;

	foreach(lc, pathkeys)
	{
		const EquivalenceClass *ec = lfirst_node(PathKey, lc)->pk_eclass;
		const EquivalenceMember *first = linitial(ec->ec_members);

		exprs = lappend(exprs, first->em_expr);
	}
	return baserel->rows / estimate_num_groups(root, exprs, baserel->rows, NULL,
											   NULL);
}

/* ---- items ---- */

int
dyn_items_of_rows(PlannerInfo *root, RelOptInfo *baserel, const DynAccess *access,
				  List *clauses, double rows, bool roughly)
{
	const DynTableMeta *meta = ((DynRelPlan *) baserel->fdw_private)->meta;
	const DynIndexMeta *index = access->index == NULL ? NULL
		: dyn_metadata_index(meta, access->index);
	double		share = dyn_rows_per_item(root, baserel, access, clauses);
	double		items = ceil(rows / Max(share, 1e-6));

	if (roughly || share < 1)
		items = Max(items, floor(DYN_LEAST_BYTES /
								 dyn_default_item_bytes(meta, index)));
	return items > MAX_ITEMS ? 0 : (int) items;
}

int
dyn_limit_hint(PlannerInfo *root, RelOptInfo *baserel, List *pathkeys,
			   const DynAccess *access, List *clauses)
{
	double		rows = root->limit_tuples <= 0 && is_existence(root) ? 1
		: root->limit_tuples;
	int			provided = 0;
	bool		in_groups;

	if (rows <= 0 || bms_membership(root->all_baserels) != BMS_SINGLETON)
		return 0;
	in_groups = !pathkeys_count_contained_in(root->sort_pathkeys, pathkeys,
											 &provided);
	if (in_groups && provided == 0)
		return 0;
	if (in_groups)
		rows += group_rows(root, baserel, pathkeys);
	return dyn_items_of_rows(root, baserel, access, clauses, rows, in_groups);
}

/* ---- min and max ---- */

int
dyn_ends_together(const PlannerInfo *root)
{
	const PlannerInfo *parent = root->parent_root;
	const List *own = root->parse->rtable;
	const List *rtable = parent != NULL ? parent->parse->rtable : NIL;

	/* core has copied the relation to its own query level */
	if (parent == NULL || root->limit_tuples != 1 || !parent->parse->hasAggs ||
		list_length(root->sort_pathkeys) != 1 ||
		list_length(own) != 1 || list_length(rtable) != 1 ||
		linitial_node(RangeTblEntry, own)->relid !=
		linitial_node(RangeTblEntry, rtable)->relid)
		return 1;
	return Max(1, list_length(parent->agginfos));
}

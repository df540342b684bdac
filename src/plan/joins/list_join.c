/*
 * list_join.c
 *		Adds joins of relations that are read by the same list of keys.
 *
 *		FROM a JOIN b ON a.k = b.k WHERE a.k IN (1, 2)
 *
 * A lookup join reads a, and then b by the keys of a's rows.  A hash join can
 * read both tables by the list.  Then the requests for a and b are sent
 * together (exec/node/scan.c), or only once if a and b read the same
 * keys of one DynamoDB table (exec/source/sharing.c).  Two equal lists, one for
 * each relation, have the same effect.  Core would add up the costs of both
 * sides, so this file adds the hash join, with a lower cost.
 *
 * The hash join is not added if a lookup join reads fewer items of b, because
 * further conditions on a reject most of a's rows, or because the join
 * compares the full key of b and the list has only a part of this key.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/cost.h"
#include "optimizer/pathnode.h"

#include "../../model/session/guc.h"
#include "../paths/cost.h"
#include "../paths/planner.h"

/* Minimum selectivity of a scan's conditions that are not matched to keys */
#define MIN_SELECTIVITY	0.5

/*
 * If the path consists of unparameterized reads by key of our relations, and
 * of hash joins of these, adds the reads (Path *) to *scans and returns true.
 * Otherwise returns false.
 */
static bool
collect_scans(const Path *path, List **scans)
{
	const JoinPath *join = (const JoinPath *) path;

	if (IsA(path, HashPath))
		return collect_scans(join->outerjoinpath, scans) &&
			collect_scans(join->innerjoinpath, scans);
	if (!IsA(path, ForeignPath) || path->param_info != NULL ||
		!IS_SIMPLE_REL(path->parent) || !dyn_is_our_relation(path->parent) ||
		dyn_choice_of((const ForeignPath *) path)->kind > DYN_ACCESS_QUERY)
		return false;
	*scans = lappend(*scans, (void *) path);
	return true;
}

/*
 * Returns the cheapest path of the relation that collect_scans accepts, and
 * sets *scans to its scans; NULL if there is none.
 */
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

	if (dyn_choice_of((const ForeignPath *) scan)->kind == DYN_ACCESS_GET)
		return false;
	foreach(lc, scan->parent->pathlist)
	{
		const Path *path = lfirst(lc);

		if (IsA(path, ForeignPath) && path->param_info != NULL &&
			bms_is_subset(PATH_REQ_OUTER(path), other->relids) &&
			dyn_choice_of((const ForeignPath *) path)->kind == DYN_ACCESS_GET)
			return true;
	}
	return false;
}

/*
 * Sets *listed to true if one of the scans reads by a list of another
 * relation's keys.  Returns false if a lookup join with `other`, the other
 * side of the join, would read fewer items.
 */
static bool
use_lists(List *scans, const RelOptInfo *other, bool *listed)
{
	ListCell   *lc;

	foreach(lc, scans)
	{
		const Path *scan = lfirst(lc);
		const DynPathChoice *choice = dyn_choice_of((const ForeignPath *) scan);

		if (choice->listed ? reads_more_than_lookups(scan, other)
			: choice->estimate->local_selectivity < MIN_SELECTIVITY)
			return false;
		*listed |= choice->listed;
	}
	return true;
}

/* Returns true if both relations compose the attribute in the same way. */
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

/* Visits a leaf, and adds its value to a list. */
static bool
add_value(DynPred *pred, void *arg)
{
	List	  **values = arg;

	if (pred->value != NULL)
		*values = lappend(*values, pred->value);
	return false;
}

/*
 * Returns the value expressions (Expr *) in the relation's own clauses on the
 * table's key, if these clauses select full primary keys or full partitions;
 * else NIL.
 */
static List *
key_values(const DynRelPlan *plan)
{
	const DynAccess *access = plan->keyed;
	List	   *values = NIL;
	ListCell   *lc;

	if (access == NULL || (access->kind != DYN_ACCESS_GET && access->nrange > 0))
		return NIL;
	foreach(lc, dyn_access_key_preds(access))
		(void) dyn_pred_visit(lfirst(lc), true, add_value, &values);
	return values;
}

/*
 * Returns true if `a` and `b` will probably share their requests, because they
 * read the same keys of one table: by the same list, or by equal lists.
 */
static bool
reads_same_keys(const ForeignPath *a, const ForeignPath *b)
{
	const DynPathChoice *one = dyn_choice_of(a);
	const DynPathChoice *other = dyn_choice_of(b);
	const DynRelPlan *plan = a->path.parent->fdw_private;
	const DynRelPlan *same = b->path.parent->fdw_private;
	const DynIndexMeta *index = dyn_choice_index(plan, one->target);
	const DynKeySchema *key = index != NULL ? &index->key : &plan->meta->key;

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
		(index == NULL && key_values(plan) != NIL &&
		 equal(key_values(plan), key_values(same)));
}

/* Returns true if one of `scans` probably reads the same keys as the path. */
static bool
is_contained(const Path *path, List *scans)
{
	ListCell   *lc;

	foreach(lc, IsA(path, ForeignPath) ? scans : NIL)
	{
		if (reads_same_keys((const ForeignPath *) path, lfirst(lc)))
			return true;
	}
	return false;
}

/*
 * Returns the join clauses (RestrictInfo *) that can be hashed, and sets their
 * outer_is_left.
 */
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
 * If the path is a scan, returns a copy that is marked to send its requests
 * together with those of the join's other side.  Returns any other path
 * itself.
 */
static Path *
read_together(Path *path)
{
	ForeignPath *copy;
	DynPathChoice choice;

	if (!IsA(path, ForeignPath))
		return path;
	choice = *dyn_choice_of((ForeignPath *) path);
	choice.together = true;
	copy = makeNode(ForeignPath);
	*copy = *(ForeignPath *) path;
	copy->fdw_private = dyn_choice_add(path->parent->fdw_private, &choice);
	return &copy->path;
}

void
dyn_add_list_join(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
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

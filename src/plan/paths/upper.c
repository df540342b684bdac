/*
 * upper.c
 *		Pushes down count(*) as Select=COUNT.
 *
 * DynamoDB can count only if no clause is checked locally.  It reads and bills
 * the same; this saves transfer and decoding.
 *
 * The plan has scanrelid 0.  Its fdw_scan_tlist has the aggregate, from which
 * core computes the target list and HAVING, and for a fallback the columns
 * that it must check.  The executor finds the table in fs_base_relids.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"

#include "../../model/server/pg_compat.h"
#include "cost.h"
#include "planner.h"

/* Returns true for a plain count(*). */
static bool
is_plain_count(Node *node)
{
	Aggref	   *agg = (Aggref *) node;

	return IsA(node, Aggref) && agg->aggfnoid == F_COUNT_ &&
		agg->aggfilter == NULL && agg->aggdistinct == NIL &&
		agg->aggorder == NIL && agg->agglevelsup == 0 &&
		agg->aggsplit == AGGSPLIT_SIMPLE;
}

/*
 * Returns true if the expression depends only on count(*), not on other values
 * of the table.
 */
static bool
depends_on_count_only(Node *node)
{
	ListCell   *lc;

	foreach(lc, pull_var_clause(node, PVC_INCLUDE_AGGREGATES |
								PVC_INCLUDE_WINDOWFUNCS |
								PVC_INCLUDE_PLACEHOLDERS))
	{
		if (!is_plain_count(lfirst(lc)))
			return false;
	}
	return true;
}

static bool
query_is_plain_count(PlannerInfo *root, RelOptInfo *input_rel,
					 GroupPathExtraData *extra)
{
	PathTarget *target = root->upper_targets[UPPERREL_GROUP_AGG];

	return IS_SIMPLE_REL(input_rel) && input_rel->fdw_private != NULL &&
		root->parse->hasAggs && root->parse->groupClause == NIL &&
		root->parse->groupingSets == NIL &&
		!contain_subplans((Node *) target->exprs) &&
		!contain_subplans(extra->havingQual) &&
		depends_on_count_only((Node *) target->exprs) &&
		depends_on_count_only(extra->havingQual);
}

/*
 * Returns the access plan of the cheapest path, if no clause is checked
 * locally and each item is one row; else NULL.
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
		plan->relation->unnest != NULL || dyn_relation_has_listed(plan->relation))
		return NULL;
	choice = *dyn_choice_of((ForeignPath *) path);
	if (choice.kind == DYN_ACCESS_UNION)
		return NULL;
	choice.ordered = choice.backward = false;
	access = dyn_match_choice(plan, &choice, plan->clauses);
	if (!dyn_access_can(access, DYN_CAN_COUNT))
		return NULL;
	foreach(lc, input_rel->baserestrictinfo)
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
	const DynRelPlan *plan;
	DynAccess  *access;
	List	   *checks;
	Cost		startup,
				total;

	if (stage != UPPERREL_GROUP_AGG || output_rel->fdw_private != NULL ||
		!query_is_plain_count(root, input_rel, group) ||
		(group->patype != PARTITIONWISE_AGGREGATE_NONE &&
		 group->patype != PARTITIONWISE_AGGREGATE_FULL))
		return;
	access = countable_access(input_rel);
	if (access == NULL)
		return;
	access->having = (List *) group->havingQual;
	plan = input_rel->fdw_private;
	access->advice = dyn_advise(root, plan, access, plan->clauses);
	dyn_estimate_access(root, input_rel, access, &access->estimate);
	checks = get_actual_clauses(input_rel->baserestrictinfo);
	if (dyn_complete_fallback(root, input_rel, access, NIL, checks))
		access->checks = checks;
	access->one_request = dyn_access_is_one_request(access);
	output_rel->fdw_private = access;
	dyn_cost_estimate(&access->estimate, access->kind, false, 1,
					  &startup, &total);
	/* rows are neither transferred nor aggregated here */
	total = Min(total, input_rel->cheapest_total_path->total_cost);
	add_path(output_rel, (Path *)
			 dyn_make_upper_path(root, output_rel,
								 root->upper_targets[UPPERREL_GROUP_AGG], 1,
								 total, total, NIL));
}

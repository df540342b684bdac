/*
 * plantree.c
 *		Walks plan trees.
 *
 * Of a join only the outer side is certain to be executed from the start; of an
 * aggregate over an index's end (min, max) what reads that end is an initplan
 * of a Result.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "../model/pg_compat.h"
#include "plantree.h"
#include "readahead_path.h"

static void find_scans(Plan *plan, List *subplans, List **found);

Plan *
dyn_plan_of_subplan(List *subplans, int plan_id)
{
	return list_nth(subplans, plan_id - 1);
}

static void
find_in_list(List *plans, List *subplans, List **found)
{
	ListCell   *lc;

	foreach(lc, plans)
		find_scans(lfirst(lc), subplans, found);
}

static void
find_in_initplans(const Plan *plan, List *subplans, List **found)
{
	ListCell   *lc;

	foreach(lc, plan->initPlan)
	{
		const SubPlan *initplan = lfirst(lc);

		find_scans(dyn_plan_of_subplan(subplans, initplan->plan_id), subplans,
				   found);
	}
}

static void
find_in_result(Result *plan, List *subplans, List **found)
{
	if (plan->resconstantqual != NULL)
		return;
	if (outerPlan(plan) != NULL)
		find_scans(outerPlan(plan), subplans, found);
	else
		find_in_initplans(&plan->plan, subplans, found);
}

static void
find_scans(Plan *plan, List *subplans, List **found)
{
	if (plan == NULL)
		return;
	check_stack_depth();
	switch (nodeTag(plan))
	{
		case T_ForeignScan:
			*found = lappend(*found, plan);
			break;
		case T_SubqueryScan:
			find_scans(((SubqueryScan *) plan)->subplan, subplans, found);
			break;
		case T_CustomScan:
			if (dyn_is_read_ahead(plan))
				find_in_list(((CustomScan *) plan)->custom_plans, subplans, found);
			break;
		case T_Append:
			/* pruning at run time leaves some of them out */
			if (!dyn_append_is_pruned((Append *) plan))
				find_in_list(((Append *) plan)->appendplans, subplans, found);
			break;
		case T_Result:
			find_in_result((Result *) plan, subplans, found);
			break;
		case T_Agg:
		case T_Group:
		case T_IncrementalSort:
		case T_Limit:
		case T_Material:
		case T_NestLoop:
		case T_ProjectSet:
		case T_Sort:
		case T_Unique:
		case T_WindowAgg:
			find_scans(outerPlan(plan), subplans, found);
			break;
		default:
			break;
	}
}

List *
dyn_plan_scans_once(Plan *plan, List *subplans)
{
	List	   *found = NIL;

	find_scans(plan, subplans, &found);
	return found;
}

/* ---- where all rows are read ---- */

bool
dyn_plan_reads_all(const Plan *plan)
{
	return IsA(plan, Sort) || IsA(plan, Hash) ||
		(IsA(plan, Agg) && ((const Agg *) plan)->aggstrategy != AGG_SORTED);
}

/* Children that are not outer and inner plan. */
static List *
children_in_list(Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Append:
			return ((Append *) plan)->appendplans;
		case T_MergeAppend:
			return ((MergeAppend *) plan)->mergeplans;
		case T_CustomScan:
			return ((CustomScan *) plan)->custom_plans;
		case T_SubqueryScan:
			return list_make1(((SubqueryScan *) plan)->subplan);
		default:
			return NIL;
	}
}

/*
 * Looks for the node; *whole: are all rows of this plan read?  Joins may end
 * when one side has, but not before the outer side of a loop or hash join has.
 */
static bool
find_node(Plan *plan, const Plan *node, bool *whole)
{
	bool		here = *whole;
	ListCell   *lc;

	if (plan == NULL || plan == node)
		return plan != NULL;
	check_stack_depth();
	foreach(lc, children_in_list(plan))
	{
		/* what others' nodes read is not known */
		*whole = here && (!IsA(plan, CustomScan) || dyn_is_read_ahead(plan));
		if (find_node(lfirst(lc), node, whole))
			return true;
	}
	*whole = dyn_plan_reads_all(plan) ||
		(here && !IsA(plan, Limit) && !IsA(plan, MergeJoin));
	if (find_node(outerPlan(plan), node, whole))
		return true;
	*whole = false;
	return find_node(innerPlan(plan), node, whole);
}

/* ---- where a node stands ---- */

/* Each tree is numbered as a whole, from its top on. */
Plan *
dyn_plan_tree_of(const PlannedStmt *statement, const Plan *node)
{
	Plan	   *tree = statement->planTree;
	ListCell   *lc;

	foreach(lc, statement->subplans)
	{
		Plan	   *subplan = lfirst(lc);

		if (subplan != NULL && subplan->plan_node_id <= node->plan_node_id &&
			subplan->plan_node_id > tree->plan_node_id)
			tree = subplan;
	}
	return tree;
}

bool
dyn_plan_is_read_whole(const PlannedStmt *statement, const Plan *node)
{
	bool		whole = false;

	return find_node(dyn_plan_tree_of(statement, node), node, &whole) && whole;
}

static NestLoop *
find_loop(Plan *plan, const Plan *outer)
{
	NestLoop   *found = NULL;
	ListCell   *lc;

	if (plan == NULL)
		return NULL;
	check_stack_depth();
	if (IsA(plan, NestLoop) && outerPlan(plan) == outer)
		return (NestLoop *) plan;
	foreach(lc, children_in_list(plan))
	{
		if (found == NULL)
			found = find_loop(lfirst(lc), outer);
	}
	if (found == NULL)
		found = find_loop(outerPlan(plan), outer);
	if (found == NULL)
		found = find_loop(innerPlan(plan), outer);
	return found;
}

NestLoop *
dyn_plan_loop_over(const PlannedStmt *statement, const Plan *outer)
{
	return find_loop(dyn_plan_tree_of(statement, outer), outer);
}

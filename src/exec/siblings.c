/*
 * siblings.c
 *		Finds the scans of a statement that can start before they are asked for.
 *
 * One that qualifies sends a single request, which may turn out to be in vain
 * (an inner join whose other side is empty); hence only GetItem and Querys of
 * one expected page, and only where the plan asks for rows of them unless some
 * other input is empty: not below a LIMIT, a one-time filter, a cache, a
 * subplan, or what is executed for each row of something else.
 *
 * Values are evaluated then, too.  An expression could fail, or have effects,
 * that the statement would never come to, unless it is known not to (failure.c).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"

#include "../model/pg_compat.h"
#include "../plan/failure.h"
#include "../plan/plantree.h"
#include "../plan/readahead_path.h"
#include "siblings.h"

static void find_scans(Plan *plan, bool limited, List **found);

/* ---- places in the plan ---- */

static void
find_in_list(List *plans, bool limited, List **found)
{
	ListCell   *lc;

	foreach(lc, plans)
		find_scans(lfirst(lc), limited, found);
}

static void
find_in_join(Plan *plan, bool limited, List **found)
{
	find_scans(outerPlan(plan), limited, found);
	if (!IsA(plan, NestLoop) || ((NestLoop *) plan)->nestParams == NIL)
		find_scans(innerPlan(plan), limited, found);
}

/*
 * Appends the foreign scans below that are certain to be read if no input is
 * empty; `limited`: unless a LIMIT is satisfied before.
 */
static void
find_scans(Plan *plan, bool limited, List **found)
{
	check_stack_depth();
	switch (nodeTag(plan))
	{
		case T_ForeignScan:
			/* an asynchronous one is asked together with its peers */
			if (!limited && !plan->async_capable)
				*found = lappend(*found, plan);
			break;
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			find_in_join(plan, limited, found);
			break;
		case T_Append:
			if (!dyn_append_is_pruned((Append *) plan))
				find_in_list(((Append *) plan)->appendplans, limited, found);
			break;
		case T_MergeAppend:
			if (!dyn_merge_append_is_pruned((MergeAppend *) plan))
				find_in_list(((MergeAppend *) plan)->mergeplans, limited, found);
			break;
		case T_SubqueryScan:
			find_scans(((SubqueryScan *) plan)->subplan, limited, found);
			break;
		case T_CustomScan:
			if (dyn_is_read_ahead(plan))
				find_in_list(((CustomScan *) plan)->custom_plans, limited, found);
			break;
		case T_Result:
			if (((Result *) plan)->resconstantqual == NULL &&
				outerPlan(plan) != NULL)
				find_scans(outerPlan(plan), limited, found);
			break;
		case T_Limit:
			find_scans(outerPlan(plan), true, found);
			break;
		case T_Sort:
		case T_IncrementalSort:
		case T_Hash:
		case T_Agg:
		case T_Group:
		case T_Unique:
		case T_WindowAgg:
		case T_Material:
		case T_ProjectSet:
		case T_LockRows:
		case T_ModifyTable:
			find_scans(outerPlan(plan), limited && !dyn_plan_reads_all(plan), found);
			break;
		default:
			break;
	}
}

/* ---- what can start ---- */

/* Does it take a value that comes while the statement runs? */
static bool
is_running_value(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind != PARAM_EXTERN;
	return expression_tree_walker(node, is_running_value, context);
}

static bool
can_start(const DynScan *scan, const List *found)
{
	ForeignScan *plan = (ForeignScan *) scan->node->ss.ps.plan;
	Node	   *values = (Node *) plan->fdw_exprs;

	return scan->reader->access->one_request && !scan->running &&
		!is_running_value(values, NULL) && !dyn_may_fail(values) &&
		list_member_ptr(found, plan);
}

/* Notes that the plan's scans are being started; false if they were before. */
static bool
note_tree(DynStatement *statement, Plan *tree)
{
	MemoryContext oldcontext;

	if (list_member_ptr(statement->started, tree))
		return false;
	oldcontext = MemoryContextSwitchTo(statement->estate->es_query_cxt);
	statement->started = lappend(statement->started, tree);
	MemoryContextSwitchTo(oldcontext);
	return true;
}

/* What somebody waits for goes first. */
static void
start_all(const DynStatement *statement, const DynScan *first,
		  const List *found)
{
	bool		sent = false;
	ListCell   *lc;

	foreach(lc, statement->scans)
	{
		DynScan    *sibling = lfirst(lc);

		if (!can_start(sibling, found))
			continue;
		if (!sent && first->fetch != NULL)
			dyn_fetch_send(first->fetch);
		sent = true;
		dyn_scan_start_ahead(sibling);
	}
}

/* Of a subplan, too, not all rows may be wanted. */
void
dyn_siblings_start(const DynScan *scan)
{
	EState	   *estate = scan->node->ss.ps.state;
	DynStatement *statement = dyn_statement_get(estate);
	List	   *found = NIL;
	Plan	   *tree;

	if (list_length(statement->scans) < 2 || estate->es_epq_active != NULL)
		return;
	tree = dyn_plan_tree_of(estate->es_plannedstmt, scan->node->ss.ps.plan);
	if (!note_tree(statement, tree))
		return;
	find_scans(tree, tree != estate->es_plannedstmt->planTree, &found);
	start_all(statement, scan, found);
	list_free(found);
}

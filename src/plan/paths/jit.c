/*
 * jit.c
 *		Prevents waiting time from triggering JIT compilation.
 *
 * Core compiles expressions if the cost of a plan is above thresholds.  A
 * large part of our costs is waiting (plan/paths/cost.c), during which no
 * expression is evaluated.  So the thresholds are compared again with the cost
 * without waiting.
 *
 * The comparison is done when the executor starts, because a planner hook is
 * not called for a statement that loads the library while it is planned.  The
 * PlannedStmt may be in a cached plan, so its jitFlags are restored afterward.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "jit/jit.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "../tree/plantree.h"
#include "planner.h"

static ExecutorStart_hook_type previous_hook = NULL;

typedef struct Visit
{
	List	   *subplans;		/* subplans of the statement */
	Cost		waiting;		/* cost of waiting in the children visited */
	Cost		total;			/* total cost of the children visited */
	double		share;			/* greatest fraction of a subplan's cost that
								 * is waiting */
} Visit;

static Cost waiting_of(Plan *plan, List *subplans);

static bool
add_child(Plan *child, int use, void *context)
{
	Visit	   *visit = context;

	visit->waiting += waiting_of(child, visit->subplans);
	visit->total += child->total_cost;
	return false;
}

/*
 * Returns the part of a nested loop's cost that is waiting for DynamoDB.  How
 * often the inner side runs is unknown: for each outer row, in batches, or
 * once if its rows are cached.  So all of the loop's cost except the outer
 * side and local work is counted as waiting, but at least the waiting of one
 * execution.
 */
static Cost
waiting_of_loop(const NestLoop *loop, List *subplans)
{
	Plan	   *outer = outerPlan(&loop->join.plan);
	Plan	   *inner = innerPlan(&loop->join.plan);
	Cost		once = waiting_of(inner, subplans);
	Cost		local = inner->total_cost - once +
		inner->plan_rows * cpu_tuple_cost;
	Cost		total = loop->join.plan.total_cost - outer->total_cost -
		outer->plan_rows * local;

	return waiting_of(outer, subplans) + (once <= 0 ? 0 : Max(once, total));
}

static bool
find_subplans(Node *node, Visit *visit)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubPlan))
	{
		Plan	   *plan = dyn_plan_of_subplan(visit->subplans,
											   ((SubPlan *) node)->plan_id);

		if (plan != NULL && plan->total_cost > 0)
			visit->share = Max(visit->share,
							   waiting_of(plan, visit->subplans) / plan->total_cost);
	}
	return expression_tree_walker(node, find_subplans, visit);
}

/* Returns the cost of waiting for subqueries; `own` is the node's own cost. */
static Cost
waiting_of_subqueries(Plan *plan, List *subplans, Cost own)
{
	Visit		visit = {.subplans = subplans};
	Cost		waiting = 0;
	ListCell   *lc;

	if (subplans == NIL)
		return 0;
	foreach(lc, plan->initPlan)
	{
		Plan	   *init = dyn_plan_of_subplan(subplans,
											   lfirst_node(SubPlan, lc)->plan_id);

		if (init != NULL)
			waiting += waiting_of(init, subplans);
	}
	(void) find_subplans((Node *) plan->targetlist, &visit);
	(void) find_subplans((Node *) plan->qual, &visit);
	return waiting + Max(0, own - waiting) * visit.share;
}

static Cost
waiting_of(Plan *plan, List *subplans)
{
	Visit		visit = {.subplans = subplans};

	check_stack_depth();
	if (IsA(plan, ForeignScan))
	{
		const DynAccess *access = dyn_access_of_scan((ForeignScan *) plan);

		if (access != NULL)
			visit.waiting = plan->total_cost -
				dyn_estimate_local_cost(&access->estimate, plan->plan_rows);
	}
	else if (IsA(plan, NestLoop))
	{
		visit.waiting = waiting_of_loop((NestLoop *) plan, subplans);
		visit.total = plan->total_cost;
	}
	else
		(void) dyn_visit_child_plans(plan, NIL, add_child, &visit);
	if (IsA(plan, Limit) && visit.total > plan->total_cost)
		visit.waiting *= plan->total_cost / visit.total;
	visit.waiting += waiting_of_subqueries(plan, subplans,
										   plan->total_cost - visit.total);
	return Max(0, Min(visit.waiting, plan->total_cost));
}

static void
start_executor(QueryDesc *query, int eflags)
{
	PlannedStmt *statement = query->plannedstmt;
	int			flags = statement->jitFlags;
	Cost		waiting = (flags & PGJIT_PERFORM) == 0 ? 0
		: waiting_of(statement->planTree, statement->subplans);

	if (waiting > 0)
	{
		Cost		cost = statement->planTree->total_cost - waiting;

		/* clear flags that standard_planner would not set for this cost */
		if (cost <= jit_above_cost)
			statement->jitFlags = PGJIT_NONE;
		if (cost <= jit_optimize_above_cost)
			statement->jitFlags &= ~PGJIT_OPT3;
		if (cost <= jit_inline_above_cost)
			statement->jitFlags &= ~PGJIT_INLINE;
	}
	PG_TRY();
	{
		previous_hook(query, eflags);
	}
	PG_FINALLY();
	{
		statement->jitFlags = flags;
	}
	PG_END_TRY();
}

void
dyn_jit_init(void)
{
	previous_hook = ExecutorStart_hook ? ExecutorStart_hook : standard_ExecutorStart;
	ExecutorStart_hook = start_executor;
}

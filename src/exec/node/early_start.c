/*
 * early_start.c
 *		Finds the scans of a statement that can start before their rows are
 *		requested.
 *
 * A scan qualifies if it sends one request: a GetItem or a Query of one
 * expected page.  A scan of several keys also qualifies, if its requests are
 * sent together with those of another scan of the same keys (one_round).  In
 * addition, the plan must be certain to request the scan's rows, unless
 * another input of the plan is empty; then the request is wasted.  So the scan
 * is not below a LIMIT, a one-time filter or a cache, not in a subplan (whose
 * scans start together when it runs), and not executed for each row of another
 * node.
 *
 * The plan of min and max is a Result over subplans, each of which reads one
 * end of a partition below a LIMIT.  The Result returns their values, or
 * functions of them.  So all of the subplans run, and their scans also start
 * together.
 *
 * Starting a scan evaluates its values.  Expressions that might fail, or have
 * side effects, must not be evaluated if the statement might not need them.
 * So a scan qualifies only if its expressions are known to be safe
 * (classify.c).
 */
#include "postgres.h"

#include "../../plan/clauses/classify.h"
#include "../../plan/tree/plantree.h"
#include "scan.h"

/*
 * Returns the scans of all initplans that the statement always executes, if
 * `tree` is one of these initplans; otherwise NIL.  Considers only initplans
 * that are Limit nodes, and belong to a Result without an input (min() and
 * max()).
 */
static List *
find_initplan_scans(const PlannedStmt *statement, const Plan *tree)
{
	Plan	   *root = statement->planTree;
	List	   *found = NIL;
	bool		own = false;
	ListCell   *lc;

	if (!IsA(root, Result) || outerPlan(root) != NULL ||
		((Result *) root)->resconstantqual != NULL)
		return NIL;
	foreach(lc, root->initPlan)
	{
		const SubPlan *subplan = lfirst_node(SubPlan, lc);
		Plan	   *plan = list_nth(statement->subplans, subplan->plan_id - 1);

		if (!IsA(plan, Limit) || list_length(subplan->setParam) != 1 ||
			!dyn_targets_evaluate(root->targetlist, linitial_int(subplan->setParam)))
			continue;
		own |= plan == tree;
		found = list_concat(found, dyn_plan_scans_once(plan, NIL));
	}
	return own ? found : NIL;
}

/*
 * Treats a subplan like a plan below a LIMIT, because the executor may stop a
 * subplan early.
 */
void
dyn_start_early(const DynScan *scan)
{
	EState	   *estate = scan->input.node->ss.ps.state;
	DynStatement *statement = dyn_statement_get(estate);
	List	   *found;
	Plan	   *tree;
	bool		sent = false;
	ListCell   *lc;

	if (list_length(statement->scans) < 2 || estate->es_epq_active != NULL)
		return;
	tree = dyn_input_tree(&scan->input);
	if (list_member_ptr(statement->started, tree))
		return;
	dyn_statement_append(statement, &statement->started, tree);
	found = dyn_plan_scans_unless_empty(tree,
										tree != estate->es_plannedstmt->planTree);
	found = list_concat(found, find_initplan_scans(estate->es_plannedstmt, tree));
	foreach(lc, statement->scans)
	{
		DynScan    *other = dyn_scan_of(lfirst(lc));
		ForeignScan *plan = (ForeignScan *) other->input.node->ss.ps.plan;
		Node	   *values = (Node *) plan->fdw_exprs;

		/* an Append starts asynchronous scans together anyway */
		if (other->input.running || plan->scan.plan.async_capable ||
			!dyn_input_can(&other->input, DYN_CAN_START_AHEAD) ||
			!list_member_ptr(found, plan) || dyn_running_params(values) != NULL ||
			dyn_may_fail(values))
			continue;
		/* send this scan's request first, because the executor waits for it */
		if (!sent && dyn_scan_awaited_fetch(scan) != NULL)
			dyn_fetch_pump(dyn_scan_awaited_fetch(scan));
		sent = true;
		dyn_scan_start_ahead(other);
	}
	list_free(found);
}

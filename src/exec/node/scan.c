/*
 * scan.c
 *		A foreign scan: evaluates values, opens a source, and returns rows.
 *
 * All memory of one execution is in run_context.  At the end of the execution,
 * this context is reset, and reset callbacks abandon requests in flight, as
 * they do on an error.
 *
 * There is no shutdown callback, because core would call it at the end of
 * every FETCH of a cursor, after which more rows may be needed.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "../../model/server/encoding.h"
#include "../../model/server/pg_compat.h"
#include "../../plan/clauses/classify.h"
#include "../write/writer.h"
#include "scan.h"

/* ---- setup ---- */

/* Evaluates a guard, such as $1 IS NULL (callback of dyn_preds_visit). */
static bool
guard_is_true(DynPred *guard, void *arg)
{
	const DynInput *input = arg;
	bool		isnull;
	Datum		value = ExecEvalExprSwitchContext(list_nth(input->exprs, guard->param),
												  input->node->ss.ps.ps_ExprContext, &isnull);

	return !isnull && DatumGetBool(value);
}

static void
prepare_scan(DynScan *scan, int eflags)
{
	PlanState  *node = &scan->input.node->ss.ps;
	List	   *exprs = ((ForeignScan *) node->plan)->fdw_exprs;
	DynScanDesc *scandesc = scan->input.scandesc;
	const DynAccess *access = scandesc->access;
	ListCell   *lc;

	scan->input.exprs = ExecInitExprList(exprs, node);
	dyn_values_init(&scan->input.values, exprs, scan->input.conversions);
	dyn_values_init(&scan->input.next_values, exprs, scan->input.conversions);
	/* guards (choice.c) have the same values in all executions */
	foreach(lc, dyn_access_alternatives(access))
	{
		access = lfirst(lc);
		if (!dyn_preds_visit(dyn_access_guards(access), false, guard_is_true, &scan->input))
			break;
	}
	if (access != scandesc->access)
		scan->input.scandesc = dyn_scandesc_create(scandesc->statement,
												   scandesc->relation, access);
	scan->input.runs_once = (access->is_small || access->preview_rows > 0) &&
		dyn_plan_runs_once(node->state->es_plannedstmt, node->plan);
	scan->input.scandesc->keeps = (eflags & EXEC_FLAG_REWIND) != 0;
	dyn_add_united(&scan->input);
	if (scan->input.openers == NIL)
	{
		(void) dyn_add_caching(&scan->input, scan->input.scandesc);
		dyn_add_sharing(&scan->input);
		dyn_add_requested(&scan->input);
	}
	scan->input.run_context = AllocSetContextCreate(CurrentMemoryContext,
													"dynamo_fdw scan",
													ALLOCSET_SMALL_SIZES);
}

/*
 * If the table is updatable, warns once per statement that SELECT FOR UPDATE
 * or FOR SHARE does not lock the table's rows.
 */
static void
warn_if_locking(ForeignScanState *node, const DynRelation *relation)
{
	EState	   *estate = node->ss.ps.state;
	DynStatement *statement = dyn_statement_get(estate);
	Index		rti = ((Scan *) node->ss.ps.plan)->scanrelid;
	ListCell   *lc;

	foreach(lc, estate->es_plannedstmt->rowMarks)
	{
		const PlanRowMark *mark = lfirst_node(PlanRowMark, lc);

		if (mark->rti != rti || mark->strength == LCS_NONE ||
			statement->warned_of_locks || !dyn_relation_is_updatable(relation->relid))
			continue;
		statement->warned_of_locks = true;
		ereport(WARNING,
				(errmsg("rows of foreign table \"%s\" are not locked",
						relation->name),
				 errhint("Put the condition into the UPDATE or DELETE, which checks it again if the row has changed.")));
	}
}

/*
 * Raises an error if the scan of a partition or child reads a system column.
 * Permits ctid if rows are locked, because core then requests ctid from all
 * partitions and children, but uses only the ctid of local tables.
 */
static void
check_system_columns(ForeignScanState *node, const DynRelation *relation)
{
	const Scan *plan = (const Scan *) node->ss.ps.plan;
	int			system = -1;
	Bitmapset  *attnums = NULL;

	pull_varattnos((Node *) list_make2(plan->plan.targetlist, plan->plan.qual),
				   plan->scanrelid, &attnums);
	while ((system = bms_next_member(attnums, system)) >= 0)
	{
		AttrNumber	attnum = system + FirstLowInvalidHeapAttributeNumber;

		if (attnum != SelfItemPointerAttributeNumber ||
			ExecFindRowMark(node->ss.ps.state, plan->scanrelid, true) == NULL)
			dyn_check_system_column(relation, attnum);
	}
}

/*
 * Returns true if reading the columns may need subtransactions, because errors
 * of input functions are caught: under on_mismatch 'null', and where a key is
 * compared with a column of its template.
 */
static bool
needs_subtransactions(const DynRelation *relation)
{
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (!column->dropped && column->null_on_mismatch &&
			dyn_codec_has_hard_input(&column->codec))
			return true;
	}
	for (int i = 0; i < relation->ntemplated; i++)
	{
		const DynTemplatedAttr *templated = &relation->templated[i];

		for (int p = 0; p < templated->tmpl->nparts; p++)
		{
			if (!templated->parts[p].source &&
				dyn_codec_has_hard_input(&dyn_relation_column(relation,
															  templated->parts[p].attnum)->codec))
				return true;
		}
	}
	return false;
}

void
dynBeginForeignScan(ForeignScanState *node, int eflags)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	Index		rti = plan->scan.scanrelid > 0 ? plan->scan.scanrelid
		: bms_next_member(dyn_plan_base_relids(plan), -1);
	RangeTblEntry *rte = exec_rt_fetch(rti, node->ss.ps.state);
	DynRelation *relation = dyn_relation_open(rte->relid, dyn_plan_check_as_user(plan, rte));
	DynStatement *statement = dyn_statement_get(node->ss.ps.state);
	const DynAccess *access = dyn_access_of_node(linitial(plan->fdw_private));
	DynScan    *scan = palloc0(sizeof(DynScan));

	/* a LIMIT cannot stop the scan early if a Sort below it reads all rows */
	if (access->may_stop_early &&
		dyn_plan_is_full_scan(node->ss.ps.state->es_plannedstmt, &plan->scan.plan, false))
		access = dyn_access_to_end(access);
	dyn_relation_connect(relation, access->base, access->nbase, NULL);
	dyn_relation_set_text_types(relation, access->text_types);
	relation->tally = palloc0(sizeof(DynRowTally));
	scan->planned = access;
	scan->input.node = node;
	scan->input.conversions = access->conversions;
	scan->input.scandesc = dyn_scandesc_create(statement, relation, access);
	dyn_statement_append(statement, &statement->scans, &scan->input);
	node->fdw_state = scan;
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	/* subtransactions are not allowed in parallel mode */
	if (needs_subtransactions(relation))
		node->ss.ps.state->es_plannedstmt->parallelModeNeeded = false;
	check_system_columns(node, relation);
	warn_if_locking(node, relation);
	dyn_writers_await(node->ss.ps.state, relation);
	prepare_scan(scan, eflags);
}

/* ---- execution ---- */

/*
 * Begins an execution.  If no opener opens a source, scan->input.items stays
 * NULL.  Most sources send requests only when a row is fetched, but a union
 * sends its first requests here (united.c).
 */
static void
begin_run(DynScan *scan)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(scan->input.run_context);
	bool		copied = false;
	ListCell   *lc;

	Assert(!scan->input.running && scan->input.items == NULL);
	dyn_scandesc_check_schema(scan->input.scandesc);
	/*
	 * Set `running` only after the evaluation: it may run an initplan, whose
	 * scans can share reads only with scans that are not running.
	 */
	dyn_input_evaluate(&scan->input, &scan->input.values);
	scan->input.running = true;
	foreach(lc, scan->input.openers)
	{
		const DynOpener *opener = lfirst(lc);

		/* copy the values: requests may outlive the outer row */
		if (!copied && !opener->only_compares)
			dyn_values_keep(&scan->input.values);
		copied |= !opener->only_compares;
		scan->input.items = opener->open ? opener->open(opener->state) : NULL;
		if (scan->input.items != NULL)
			break;
	}
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_scan_end_run(DynScan *scan)
{
	Assert(scan->input.running || scan->input.items == NULL);
	if (scan->input.items != NULL)
		dyn_items_close(scan->input.items);
	scan->input.items = NULL;
	if (scan->input.run_context != NULL)
		MemoryContextReset(scan->input.run_context);
	scan->input.running = false;
	scan->input.ahead = false;
	scan->input.finished = false;
	scan->input.reading = false;
	scan->counted = false;
	scan->input.found = 0;
}

/* ---- early start ---- */

/*
 * Returns the scans of all initplans if `tree` is an initplan of a query such
 * as SELECT min(sk), max(sk); otherwise NIL.  PostgreSQL plans this query as a
 * Result without a child plan.  The Result gets each value from an initplan
 * with a LIMIT, and always evaluates the initplans that its target list needs.
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
 * Sends the first requests of independent scans together.  PostgreSQL fetches
 * rows from one scan after the other: a join of two item collections with
 * constant keys would wait for one response before it sends the next request.
 * So when the first scan of a plan or subplan begins, this function starts
 * other scans, within the statement's limits.  Responses, even errors, wait
 * until the first row of their scan is fetched.
 *
 * Only scans that send one request, or one round of requests (one_round), and
 * that the plan is certain to read once are started.  One risk is accepted: if
 * another input of a node above is empty, the scan is not read and its request
 * was wasted.
 *
 * The scan's expressions are evaluated even if the statement turns out not to
 * need them, so they must not fail or have side effects (classify.c).
 */
static void
start_early(const DynScan *scan)
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
		DynFetch   *fetch;

		/* an Append starts asynchronous scans together anyway */
		if (other->input.running || plan->scan.plan.async_capable ||
			!dyn_input_can(&other->input, DYN_CAN_START_AHEAD) ||
			!list_member_ptr(found, plan) || dyn_running_params(values) != NULL ||
			dyn_may_fail(values))
			continue;
		/* send this scan's request first, because the executor waits for it */
		fetch = sent ? NULL : dyn_items_awaited(scan->input.items);
		if (fetch != NULL)
			dyn_fetch_pump(fetch);
		sent = true;
		Assert(!other->input.begun);
		other->input.ahead = true;
		begin_run(other);
		fetch = other->input.items ? dyn_items_awaited(other->input.items) : NULL;
		if (fetch != NULL)
			dyn_fetch_send_ahead(fetch);
		else if (other->input.items == NULL)
			dyn_scan_end_run(other);
	}
	list_free(found);
}

/* ---- rows ---- */

/* Stores the only row of a count; returns DYN_FETCH_END the second time. */
static DynFetchState
next_count(DynScan *scan, TupleTableSlot *slot, bool wait)
{
	uint64		count;

	if (scan->counted)
		return DYN_FETCH_END;
	if (!wait && dyn_items_would_wait(scan->input.items))
		return DYN_FETCH_WAITS;
	count = dyn_items_count(scan->input.items);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
	slot->tts_values[0] = Int64GetDatum((int64) count);
	slot->tts_isnull[0] = false;
	ExecStoreVirtualTuple(slot);
	scan->counted = true;
	return DYN_FETCH_ITEM;
}

/* Returns an empty slot at the end, or if an asynchronous Append must wait. */
TupleTableSlot *
dynIterateForeignScan(ForeignScanState *node)
{
	DynScan    *scan = node->fdw_state;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	bool		wait = (scan->group == NULL);
	DynFetchState state;

	ExecClearTuple(slot);
	if (!scan->input.running)
	{
		begin_run(scan);
		if (!scan->input.begun)
			start_early(scan);
		scan->input.begun = true;
	}
	scan->input.ahead = false;
	if (scan->input.finished)
		return slot;
	if (scan->input.reading)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot continue to read foreign table \"%s\"",
						scan->input.scandesc->relation->name),
				 errdetail("An error occurred when the rest of the rows was read, before a write to the table.")));
	scan->input.reading = true;
	state = scan->input.scandesc->access->count_only ? next_count(scan, slot, wait)
		: dyn_items_next_row(scan->input.items, slot, wait);
	scan->input.reading = false;
	scan->input.finished = (state == DYN_FETCH_END);
	scan->input.found += (state == DYN_FETCH_ITEM);
	return slot;
}

/*
 * Checks a row again for EvalPlanQual.  For a scan of a relation, core itself
 * checks fdw_recheck_quals.  A scan without a relation, such as a count in a
 * subquery, must be executed again.  Since 15.15, 16.11, 17.7 and 18.1,
 * EvalPlanQual does this; older versions call this function.
 *
 * The fdw_recheck_quals of a count are conditions on the rows that requested.c
 * counts.  Core must not check them on the count, so they are removed here.
 */
bool
dynRecheckForeignScan(ForeignScanState *node, TupleTableSlot *slot)
{
	DynScan    *scan = node->fdw_state;

	if (((ForeignScan *) node->ss.ps.plan)->scan.scanrelid > 0)
		return true;
	if (scan->checks == NULL)
		scan->checks = node->fdw_recheck_quals;
	node->fdw_recheck_quals = scan->checks;
	slot = dynIterateForeignScan(node);
	node->fdw_recheck_quals = NULL;
	return !TupIsNull(slot);
}

/*
 * Restarts the execution at its first row if no parameter has changed and no
 * request is necessary; otherwise ends it.  A restart saves requests where the
 * planner omitted a Materialize node because it expected few executions.  An
 * execution that was started ahead continues, since it uses no parameters.
 */
void
dynReScanForeignScan(ForeignScanState *node)
{
	DynScan    *scan = node->fdw_state;
	ListCell   *lc;

	Assert(!scan->input.ahead || (scan->input.running && !scan->input.begun));
	foreach(lc, scan->input.openers)
	{
		const DynOpener *opener = lfirst(lc);

		if (opener->rescan != NULL)
			opener->rescan(opener->state);
	}
	if (scan->input.ahead)
		return;
	if (node->ss.ps.chgParam == NULL && scan->input.running &&
		dyn_items_rewind(scan->input.items))
	{
		scan->input.finished = false;
		scan->counted = false;
	}
	else
		dyn_scan_end_run(scan);
}

/* ---- items without rows ---- */

/*
 * Returns how many items a Scan or Query has read without finding a row.
 * Returns 0 if filters other than the item filter were sent, since they may
 * have removed rows.  Returns 0 for GetItem, since its key often belongs to
 * another entity.
 */
static uint64
items_without_rows(const DynScanDesc *scandesc)
{
	const DynAccess *access = scandesc->access;
	const DynRowTally *tally = scandesc->relation->tally;
	ListCell   *lc;

	if (tally->any_row ||
		(access->kind != DYN_ACCESS_SCAN && access->kind != DYN_ACCESS_QUERY))
		return 0;
	foreach(lc, access->filters)
	{
		const DynPred *pred = lfirst(lc);

		if (!dyn_pred_selects_rows(pred) || pred->args != NIL)
			return 0;
	}
	if (tally->rejected > 0)
		return tally->rejected;
	return access->filters != NIL && scandesc->counters.items_returned == 0
		? scandesc->counters.items_read : 0;
}

/* Returns text such as "pk = company#${company} AND sk = user#${email}". */
static char *
describe_rows(const DynRelation *relation)
{
	StringInfoData words;

	initStringInfo(&words);
	for (int i = 0; i < relation->ntemplated; i++)
	{
		const DynTemplatedAttr *templated = &relation->templated[i];

		if (templated->base)
			appendStringInfo(&words, "%s%s = %s", words.len > 0 ? " AND " : "",
							 dyn_from_utf8_lossy(dyn_templated_name(templated)),
							 dyn_templated_text(templated));
	}
	if (relation->item_filter.nterms > 0)
		appendStringInfo(&words, "%sthe values required by item_filter and ttl_attribute",
						 words.len > 0 ? ", and " : "");
	return words.data;
}

/*
 * Sends a NOTICE if a Scan or Query was read to its end, and no item was a row
 * of the foreign table.  The cause may be a misspelled literal in a template.
 * This is not an error, since all items may belong to other entities.
 */
static void
notice_no_rows(const DynScan *scan)
{
	static TimestampTz reported = 0;
	const DynScanDesc *scandesc = scan->input.scandesc;
	const DynRowTally *tally = scandesc->relation->tally;
	uint64		items = scan->input.finished ? items_without_rows(scandesc) : 0;

	/* at most one NOTICE for a client statement and all functions it calls */
	if (items == 0 || reported == GetCurrentStatementStartTimestamp())
		return;
	reported = GetCurrentStatementStartTimestamp();
	ereport(NOTICE,
			(errmsg("none of the items read is a row of foreign table \"%s\"",
					scandesc->relation->name),
			 errdetail_plural("DynamoDB table \"%s\": " UINT64_FORMAT " item%s%s. Rows are items with %s.",
							  "DynamoDB table \"%s\": " UINT64_FORMAT " items%s%s. Rows are items with %s.",
							  items, scandesc->relation->table, items,
							  tally->rejected_key ? ", the first " : "",
							  tally->rejected_key ? tally->rejected_key : "",
							  describe_rows(scandesc->relation)),
			 dyn_relation_is_readable(scandesc->relation, NULL)
			 ? errhint("To compare the options with the items, use dynamo_fdw_check_table(%s).",
					   quote_literal_cstr(dyn_relation_quoted_name(scandesc->relation)))
			 : 0));
}

void
dynEndForeignScan(ForeignScanState *node)
{
	DynScan    *scan = node->fdw_state;
	ListCell   *lc;

	if (scan == NULL)
		return;
	notice_no_rows(scan);
	dyn_scan_end_run(scan);
	foreach(lc, scan->input.openers)
	{
		const DynOpener *opener = lfirst(lc);

		if (opener->free != NULL)
			opener->free(opener->state);
	}
}

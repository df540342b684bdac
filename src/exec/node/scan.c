/*
 * scan.c
 *		Executes a foreign scan: evaluates values, opens a source, and returns
 *		rows.
 *
 * All memory of one execution is in run_context.  At the end of the execution,
 * this context is reset, and reset callbacks abandon requests in flight, as
 * they do on an error.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/memutils.h"

#include "../../plan/tree/plantree.h"
#include "scan.h"

/* ---- setup ---- */

/*
 * Returns a copy of the access plan for a scan that is read to its end.  The
 * original may belong to a cached plan, and must not be changed.
 */
static DynAccess *
copy_for_end(const DynAccess *planned)
{
	DynAccess  *access = palloc(sizeof(DynAccess));
	ListCell   *lc;

	*access = *planned;
	access->may_stop_early = false;
	access->preview_rows = 0;
	access->inner = NIL;
	foreach(lc, planned->inner)
		access->inner = lappend(access->inner, copy_for_end(lfirst(lc)));
	return access;
}

/*
 * Returns the access plan; for a scan that is read to its end, a copy that
 * cannot stop early.  The planner expects that any LIMIT may stop a scan, but
 * a Sort below the LIMIT reads all rows.
 */
static const DynAccess *
adapt_to_plan(const DynAccess *planned, const PlanState *node)
{
	DynAccess  *access;

	if (!planned->may_stop_early ||
		!dyn_plan_is_full_scan(node->state->es_plannedstmt, node->plan, false))
		return planned;
	access = copy_for_end(planned);
	for (DynAccess *one = access; one != NULL;
		 one = dyn_access_inner(one, DYN_USE_IF_OPEN))
		one->limit_hint = 0;
	return access;
}

DynScan *
dyn_scan_create(ForeignScanState *node, DynRelation *relation)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	DynScan    *scan = palloc0(sizeof(DynScan));
	DynStatement *statement = dyn_statement_get(node->ss.ps.state);
	const DynAccess *access =
		adapt_to_plan(dyn_access_of_node(linitial(plan->fdw_private)), &node->ss.ps);

	dyn_relation_connect(relation, access->base, access->nbase, NULL);
	dyn_relation_set_text_types(relation, access->text_types);
	relation->tally = palloc0(sizeof(DynRowTally));
	scan->input.node = node;
	scan->input.conversions = access->conversions;
	scan->input.scandesc = dyn_scandesc_create(statement, relation, access);
	dyn_statement_append(statement, &statement->scans, &scan->input);
	return scan;
}

void
dyn_scan_prepare(DynScan *scan, int eflags)
{
	PlanState  *node = &scan->input.node->ss.ps;
	List	   *exprs = ((ForeignScan *) node->plan)->fdw_exprs;
	DynScanDesc *scandesc = scan->input.scandesc;
	bool		open = false;
	ListCell   *lc;

	scan->input.exprs = ExecInitExprList(exprs, node);
	dyn_values_init(&scan->input.values, exprs, scan->input.conversions);
	dyn_values_init(&scan->input.next_values, exprs, scan->input.conversions);
	scan->planned = scandesc->access;
	/* evaluate guards (choice.c) now: they are the same in all executions */
	foreach(lc, scandesc->access->optional_quals)
	{
		const DynPred *optional_qual = lfirst(lc);
		bool		isnull;
		Datum		value =
			ExecEvalExprSwitchContext(list_nth(scan->input.exprs, optional_qual->param),
									  node->ps_ExprContext, &isnull);

		open |= !isnull && DatumGetBool(value);
	}
	if (open)
		scan->input.scandesc = dyn_scandesc_create(scandesc->statement, scandesc->relation,
												   dyn_access_inner(scandesc->access,
																	DYN_USE_IF_OPEN));
	scan->input.runs_once = (scan->input.scandesc->access->is_small ||
							 scan->input.scandesc->access->preview_rows > 0) &&
		dyn_plan_runs_once(node->state->es_plannedstmt, node->plan);
	scan->input.scandesc->keeps = (eflags & EXEC_FLAG_REWIND) != 0;
	dyn_add_united(&scan->input);
	if (scan->input.openers == NIL)
	{
		dyn_add_caching(&scan->input);
		dyn_add_sharing(&scan->input);
		dyn_add_requested(&scan->input);
	}
	scan->input.run_context = AllocSetContextCreate(CurrentMemoryContext,
													"dynamo_fdw scan",
													ALLOCSET_SMALL_SIZES);
}

/* ---- execution ---- */

/*
 * Returns the source of the first opener that accepts the execution, or NULL.
 * Copies the values before an opener may use them in requests, because the
 * outer row may be freed.
 */
static DynItems *
open_items(DynInput *input)
{
	DynItems   *items = NULL;
	bool		copied = false;
	ListCell   *lc;

	foreach(lc, input->openers)
	{
		const DynOpener *opener = lfirst(lc);

		if (!copied && !opener->only_compares)
			dyn_values_keep(&input->values);
		copied |= !opener->only_compares;
		items = opener->open(opener->state);
		if (items != NULL)
			break;
	}
	return items;
}

void
dyn_scan_begin_run(DynScan *scan)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(scan->input.run_context);

	Assert(!scan->input.running && scan->items == NULL);
	dyn_scandesc_check_schema(scan->input.scandesc);
	/* this may run an initplan, whose scans can share a read with this scan */
	dyn_input_evaluate(&scan->input, &scan->input.values);
	scan->input.running = true;
	scan->items = open_items(&scan->input);
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_scan_start_ahead(DynScan *scan)
{
	Assert(!scan->input.begun && !scan->input.running);
	scan->input.ahead = true;
	dyn_scan_begin_run(scan);
	if (scan->items == NULL)
		dyn_scan_end_run(scan);
	else if (dyn_items_awaited(scan->items) != NULL)
		dyn_fetch_send_ahead(dyn_items_awaited(scan->items));
}

/* ---- waiting ---- */

DynFetch *
dyn_scan_awaited_fetch(const DynScan *scan)
{
	return scan->items ? dyn_items_awaited(scan->items) : NULL;
}

/* ---- rows ---- */

/* Stores the only row of a count, unless it was returned before. */
static DynFetchState
next_count(DynScan *scan, TupleTableSlot *slot, bool wait)
{
	uint64		count;

	if (scan->counted)
		return DYN_FETCH_END;
	if (!wait && dyn_items_would_wait(scan->items))
		return DYN_FETCH_WAITS;
	count = dyn_items_count(scan->items);
	memset(slot->tts_isnull, true,
		   slot->tts_tupleDescriptor->natts * sizeof(bool));
	slot->tts_values[0] = Int64GetDatum((int64) count);
	slot->tts_isnull[0] = false;
	ExecStoreVirtualTuple(slot);
	scan->counted = true;
	return DYN_FETCH_ITEM;
}

void
dyn_scan_next(DynScan *scan, TupleTableSlot *slot)
{
	bool		wait = (scan->group == NULL);
	DynFetchState state;

	Assert(scan->input.running && !scan->finished);
	state = scan->input.scandesc->access->count_only ? next_count(scan, slot, wait)
		: dyn_items_next_row(scan->items, slot, wait);
	scan->finished = (state == DYN_FETCH_END);
	scan->input.found += (state == DYN_FETCH_ITEM);
}

/* ---- repetition and end ---- */

void
dyn_scan_end_run(DynScan *scan)
{
	Assert(scan->input.running || scan->items == NULL);
	if (scan->items != NULL)
		dyn_items_close(scan->items);
	scan->items = NULL;
	if (scan->input.run_context != NULL)
		MemoryContextReset(scan->input.run_context);
	scan->input.running = false;
	scan->input.ahead = false;
	scan->finished = false;
	scan->counted = false;
	scan->input.found = 0;
}

/*
 * This function is needed because the planner omits a Materialize node if it
 * expects one execution or a few, but there may be more executions.
 */
bool
dyn_scan_repeat_run(DynScan *scan)
{
	Assert(!scan->input.ahead);
	if (!scan->input.running || !dyn_items_rewind(scan->items))
		return false;
	scan->finished = false;
	scan->counted = false;
	return true;
}

void
dyn_scan_free(DynScan *scan)
{
	ListCell   *lc;

	dyn_scan_end_run(scan);
	foreach(lc, scan->input.openers)
	{
		const DynOpener *opener = lfirst(lc);

		if (opener->free != NULL)
			opener->free(opener->state);
	}
	scan->input.openers = NIL;
}

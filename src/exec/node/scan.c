/*
 * scan.c
 *		Executes a foreign scan: evaluates values, runs the fetch, returns rows.
 *
 * Everything of one execution lives in run_context, which is reset at its end:
 * requests in flight are then abandoned by reset callbacks, as they are on an
 * error.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/memutils.h"

#include "../../plan/tree/plantree.h"
#include "../source/keeping.h"
#include "../source/sharing.h"
#include "../source/stored.h"
#include "../statement/run.h"
#include "scan.h"
#include "scan_policy.h"

/* ---- the policy of Scans ---- */

/* A Scan that nothing can stop is refused before it has used anything. */
static void
check_units(const DynScan *scan, const DynReader *reader, const DynAccess *read)
{
	const PlanState *node = &scan->input.node->ss.ps;
	double		limit = dyn_statement_max_units(reader->relation->connection);

	if (limit > 0 && (reader->access->count_only || dyn_sharing_is_read_whole(&scan->input) ||
					  dyn_plan_is_read_whole(node->state->es_plannedstmt, node->plan,
											 dyn_run_is_to_end(node->state))))
		dyn_scan_check_units(reader->relation, read->index, &read->estimate,
							 reader->access->advice,
							 reader->statement->counters.read_units, limit);
}

/*
 * Once for all executions of what is read: the planned index, or the table.
 * Scans that share a read are each refused if they may not read all of it, but
 * only one of them warns.
 */
static void
apply_policy(DynScan *scan, DynReader *reader)
{
	DynScanPolicy policy = dyn_relation_scan_policy(reader->relation);
	const DynAccess *read = dyn_sharing_access(&scan->input);

	if (reader->policy_applied || reader->access->kind != DYN_ACCESS_SCAN)
		return;
	reader->policy_applied = true;
	if (read == NULL)
		read = reader->access;
	if (!dyn_sharing_is_paid(&scan->input))
		check_units(scan, reader, read);
	if (policy != DYN_SCAN_WARN || dyn_sharing_warns(&scan->input))
		dyn_scan_policy_apply(reader->relation, read->index, &read->estimate,
							  reader->access->advice);
}

/* A bounded Scan reads on: it is one like any other. */
static void
read_beyond(void *arg)
{
	DynScan    *scan = arg;

	apply_policy(scan, scan->input.reader);
}

/*
 * A bounded Scan that is executed once is allowed to read what it is bounded to,
 * until it goes beyond.  To all others the policy applies now.
 */
static void
permit(DynInput *input, DynReader *reader)
{
	const DynAccess *access = reader->access;
	DynScan    *scan = dyn_scan_of(input);
	bool		bounded = access->bounded && scan->runs_once && !input->requested;

	input->requested = true;
	reader->bound = bounded ? access->limit_hint : 0;
	if (!bounded)
	{
		apply_policy(scan, reader);
		return;
	}
	Assert(reader == input->reader);
	reader->beyond = read_beyond;
	reader->beyond_arg = scan;
	dyn_scan_policy_bounded(reader->relation, access->index, &access->estimate,
							access->limit_hint);
}

/* ---- beginning ---- */

/*
 * For a scan that is read to its end.  The plan may be a cached one, so nothing
 * of it is changed.
 */
static DynAccess *
copy_for_end(const DynAccess *planned)
{
	DynAccess  *access = palloc(sizeof(DynAccess));
	ListCell   *lc;

	*access = *planned;
	access->may_stop_early = false;
	if (planned->otherwise != NULL)
		access->otherwise = copy_for_end(planned->otherwise);
	if (planned->fallback != NULL)
		access->fallback = copy_for_end(planned->fallback);
	access->arms = NIL;
	foreach(lc, planned->arms)
		access->arms = lappend(access->arms, copy_for_end(lfirst(lc)));
	return access;
}

/*
 * The planner only knows that there is a LIMIT somewhere; there may be a Sort
 * below it, which reads all rows.
 */
static const DynAccess *
adapt_to_plan(const DynAccess *planned, const PlanState *node)
{
	DynAccess  *access;

	if (!planned->may_stop_early ||
		!dyn_plan_is_read_whole(node->state->es_plannedstmt, node->plan, false))
		return planned;
	access = copy_for_end(planned);
	for (DynAccess *one = access; one != NULL; one = one->otherwise)
		one->limit_hint = 0;
	return access;
}

DynScan *
dyn_scan_create(ForeignScanState *node, DynRelation *relation)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	DynScan    *scan = palloc0(sizeof(DynScan));
	const DynAccess *access =
		adapt_to_plan(dyn_access_of_node(linitial(plan->fdw_private)), &node->ss.ps);

	dyn_relation_connect(relation, access->base, access->nbase);
	dyn_relation_set_text_types(relation, access->text_types);
	relation->tally = palloc0(sizeof(DynRowTally));
	scan->input.node = node;
	scan->input.permit = permit;
	scan->input.conversions = access->conversions;
	scan->input.reader = dyn_reader_create(dyn_statement_get(node->ss.ps.state),
										   relation, access);
	dyn_statement_add_scan(node->ss.ps.state, &scan->input);
	return scan;
}

/* Is any of the access plan's gates (plan/keys/guards.h) open? */
static bool
has_open_gate(const DynScan *scan)
{
	ListCell   *lc;

	foreach(lc, scan->input.reader->access->gates)
	{
		const DynPred *gate = lfirst(lc);
		bool		isnull;
		Datum		value =
			ExecEvalExprSwitchContext(list_nth(scan->input.exprs, gate->param),
									  scan->input.node->ss.ps.ps_ExprContext, &isnull);

		if (!isnull && DatumGetBool(value))
			return true;
	}
	return false;
}

void
dyn_scan_prepare(DynScan *scan, int eflags)
{
	PlanState  *node = &scan->input.node->ss.ps;
	List	   *exprs = ((ForeignScan *) node->plan)->fdw_exprs;
	DynReader  *reader = scan->input.reader;

	scan->input.exprs = ExecInitExprList(exprs, node);
	dyn_values_init(&scan->input.values, exprs, scan->input.conversions);
	dyn_values_init(&scan->input.next_values, exprs, scan->input.conversions);
	scan->planned = reader->access;
	/* gates have the same values in all executions of the scan */
	if (has_open_gate(scan))
		scan->input.reader = dyn_reader_create(reader->statement, reader->relation,
											   reader->access->otherwise);
	scan->runs_once = scan->input.reader->access->bounded &&
		dyn_plan_runs_once(node->state->es_plannedstmt, node->plan);
	scan->input.reader->keeps = (eflags & EXEC_FLAG_REWIND) != 0;
	scan->fallback = dyn_fallback_create(&scan->input);
	scan->united = dyn_united_create(&scan->input);
	scan->input.run_context = AllocSetContextCreate(CurrentMemoryContext,
													"dynamo_fdw scan",
													ALLOCSET_SMALL_SIZES);
}

/* ---- running ---- */

const DynValues *
dyn_scan_evaluate_next(DynScan *scan)
{
	dyn_input_evaluate(&scan->input, &scan->input.next_values);
	return &scan->input.next_values;
}

/*
 * By the access plan, or by the table if the planned index may be incomplete;
 * NULL: that is so, and no row was requested yet.
 */
static DynItems *
request_items(DynScan *scan)
{
	DynInput   *input = &scan->input;
	DynReader  *reader = input->reader;
	DynResolvedAccess *resolved = palloc(sizeof(DynResolvedAccess));

	dyn_resolve_access(reader->access, reader->relation, &input->values, resolved);
	if (resolved->incomplete)
		return scan->ahead ? NULL : dyn_fallback_open(scan->fallback);
	if (resolved->contradiction)
		return dyn_items_empty(reader->rows);
	permit(input, reader);
	return dyn_items_start(reader, resolved);
}

/* Stores the rows of a source that cannot start again, if it may have to. */
static DynItems *
may_repeat(const DynScan *scan, DynItems *items)
{
	return items != NULL && items->methods->rewind == NULL &&
		scan->input.reader->keeps ? dyn_stored_create(items) : items;
}

/* What answers the execution. */
static DynItems *
open_items(DynScan *scan)
{
	DynInput   *input = &scan->input;
	DynItems   *items = NULL;

	if (scan->looked_up != NULL)
		items = dyn_looked_up_open(scan->looked_up, &input->values);
	if (items != NULL)
		return items;
	/* requests in flight use the values when the outer row is gone */
	dyn_values_keep(&input->values);
	if (scan->united != NULL)
		return may_repeat(scan, dyn_united_open(scan->united));
	items = dyn_keeping_open(input);
	if (items != NULL)
		return items;
	items = dyn_sharing_open(input);
	if (items != NULL)
		apply_policy(scan, input->reader);
	return items ? items : may_repeat(scan, request_items(scan));
}

void
dyn_scan_begin_run(DynScan *scan)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(scan->input.run_context);

	Assert(!scan->input.running && scan->items == NULL);
	dyn_reader_check_schema(scan->input.reader);
	/* this may execute an initplan, whose scans find this one waiting */
	dyn_input_evaluate(&scan->input, &scan->input.values);
	scan->input.running = true;
	scan->items = open_items(scan);
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_scan_start_ahead(DynScan *scan)
{
	Assert(!scan->input.begun && !scan->input.running);
	scan->ahead = true;
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

/* Stores the one row of a count, unless that was done before. */
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
	state = scan->input.reader->access->count_only ? next_count(scan, slot, wait)
		: dyn_items_next_row(scan->items, slot, wait);
	scan->finished = (state == DYN_FETCH_END);
}

/* ---- repeating and ending ---- */

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
	scan->ahead = false;
	scan->finished = false;
	scan->counted = false;
}

/*
 * The planner leaves out a Materialize where it expects few executions, or one,
 * and may be wrong.
 */
bool
dyn_scan_repeat_run(DynScan *scan)
{
	Assert(!scan->ahead);
	if (!scan->input.running || !dyn_items_rewind(scan->items))
		return false;
	scan->finished = false;
	scan->counted = false;
	return true;
}

void
dyn_scan_free(DynScan *scan)
{
	dyn_scan_end_run(scan);
	if (scan->looked_up != NULL)
		dyn_looked_up_free(scan->looked_up);
	scan->looked_up = NULL;
	dyn_keeping_free(&scan->input);
	dyn_sharing_free(&scan->input);
}

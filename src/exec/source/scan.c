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
#include "fallback.h"
#include "kept_read.h"
#include "shared_read.h"
#include "../statement/run.h"
#include "scan_policy.h"
#include "union.h"

/* ---- beginning ---- */

/*
 * The planner only knows that there is a LIMIT somewhere; there may be a Sort
 * below it, which reads all rows.
 */
static void
adapt_to_plan(DynAccess *access, const PlanState *node)
{
	if (!access->may_stop_early ||
		!dyn_plan_is_read_whole(node->state->es_plannedstmt, node->plan, false))
		return;
	access->may_stop_early = false;
	access->limit_hint = 0;
}

DynScan *
dyn_scan_create(ForeignScanState *node, DynRelation *relation)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	DynScan    *scan = palloc0(sizeof(DynScan));
	DynAccess  *access = dyn_access_decode(linitial(plan->fdw_private));

	for (DynAccess *one = access; one != NULL; one = one->otherwise)
		adapt_to_plan(one, &node->ss.ps);
	dyn_relation_connect(relation, access->base, access->nbase);
	dyn_relation_set_text_types(relation, access->text_types);
	relation->tally = palloc0(sizeof(DynRowTally));
	scan->node = node;
	scan->conversions = dyn_conversions_decode(lsecond(plan->fdw_private));
	scan->reader = dyn_reader_create(dyn_statement_get(node->ss.ps.state),
									 relation, access);
	dyn_statement_add_scan(node->ss.ps.state, scan);
	return scan;
}

static void
init_exprs(DynScan *scan)
{
	ForeignScan *plan = (ForeignScan *) scan->node->ss.ps.plan;

	scan->exprs = ExecInitExprList(plan->fdw_exprs, (PlanState *) scan->node);
	dyn_values_init(&scan->values, plan->fdw_exprs, scan->conversions);
	dyn_values_init(&scan->next_values, plan->fdw_exprs, scan->conversions);
}

/* Is any of the access plan's gates (plan/keys/guards.h) open? */
static bool
has_open_gate(const DynScan *scan)
{
	ListCell   *lc;

	foreach(lc, scan->reader->access->gates)
	{
		const DynPred *gate = lfirst(lc);
		bool		isnull;
		Datum		value =
			ExecEvalExprSwitchContext(list_nth(scan->exprs, gate->param),
									  scan->node->ss.ps.ps_ExprContext, &isnull);

		if (!isnull && DatumGetBool(value))
			return true;
	}
	return false;
}

/* Gates have the same values in all executions of the scan. */
static void
choose_access(DynScan *scan)
{
	DynReader  *reader = scan->reader;

	scan->planned = reader->access;
	if (has_open_gate(scan))
		scan->reader = dyn_reader_create(reader->statement, reader->relation,
										 reader->access->otherwise);
}

void
dyn_scan_prepare(DynScan *scan, int eflags)
{
	const PlanState *node = &scan->node->ss.ps;

	init_exprs(scan);
	choose_access(scan);
	scan->runs_once = scan->reader->access->bounded &&
		dyn_plan_runs_once(node->state->es_plannedstmt, node->plan);
	scan->reader->keeps = (eflags & EXEC_FLAG_REWIND) != 0;
	scan->fallback = dyn_fallback_create(scan);
	scan->uni = dyn_union_create(scan);
	scan->run_context = AllocSetContextCreate(CurrentMemoryContext,
											  "dynamo_fdw scan",
											  ALLOCSET_SMALL_SIZES);
}

/* ---- running ---- */

static void
evaluate(DynScan *scan, DynValues *values)
{
	dyn_values_evaluate(values, scan->exprs, scan->conversions,
						scan->node->ss.ps.ps_ExprContext);
}

const DynValues *
dyn_scan_evaluate_next(DynScan *scan)
{
	evaluate(scan, &scan->next_values);
	return &scan->next_values;
}

/* A Scan that nothing can stop is refused before it has used anything. */
static void
check_units(const DynScan *scan, const DynReader *reader)
{
	const PlanState *node = &scan->node->ss.ps;
	double		limit = dyn_statement_max_units(reader->relation->connection);

	if (limit > 0 && (reader->access->count_only || dyn_shared_is_read_whole(scan) ||
					  dyn_plan_is_read_whole(node->state->es_plannedstmt, node->plan,
											 dyn_run_is_to_end(node->state))))
		dyn_scan_check_units(reader->relation, reader->access->index,
							 &reader->access->estimate, reader->access->advice,
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

	if (reader->policy_applied || reader->access->kind != DYN_ACCESS_SCAN)
		return;
	reader->policy_applied = true;
	if (!dyn_shared_is_paid(scan))
		check_units(scan, reader);
	if (policy != DYN_SCAN_WARN || dyn_shared_warns(scan))
		dyn_scan_policy_apply(reader->relation, reader->access->index,
							  &reader->access->estimate, reader->access->advice);
}

/* A bounded Scan reads on: it is one like any other. */
static void
read_beyond(void *arg)
{
	DynScan    *scan = arg;

	apply_policy(scan, scan->reader);
}

/*
 * A bounded Scan that is executed once is allowed to read what it is bounded to,
 * until it goes beyond.  To all others the policy applies now.
 */
static void
apply_policy_or_bound(DynScan *scan, DynReader *reader)
{
	const DynAccess *access = reader->access;

	reader->bound = 0;
	if (!access->bounded || !scan->runs_once || scan->requested > 0)
	{
		apply_policy(scan, reader);
		return;
	}
	Assert(reader == scan->reader);
	reader->bound = access->limit_hint;
	reader->beyond = read_beyond;
	reader->beyond_arg = scan;
	dyn_scan_policy_bounded(reader->relation, access->index, &access->estimate,
							access->limit_hint);
}

/*
 * Resolves the access plan with the execution's values, or the fallback's if the
 * planned index may be incomplete.  Returns its reader; NULL if no request is
 * necessary, or if a fallback would be needed and no row was requested yet.
 */
static DynReader *
resolve_reader(DynScan *scan, DynResolvedAccess *resolved)
{
	DynReader  *reader = scan->reader;

	dyn_resolve_access(reader->access, reader->relation, &scan->values, resolved);
	scan->fell_back = resolved->incomplete;
	if (scan->fell_back)
	{
		reader = scan->ahead ? NULL : dyn_fallback_start(scan);
		if (reader != NULL)
			dyn_resolve_access(reader->access, reader->relation, &scan->values,
							   resolved);
		/* the table holds all items */
		Assert(reader == NULL || !resolved->incomplete);
	}
	return resolved->contradiction ? NULL : reader;
}

/* Resolves the access plan and starts the fetch, unless no item can qualify. */
static void
start_requests(DynScan *scan)
{
	DynResolvedAccess *resolved = palloc(sizeof(DynResolvedAccess));
	DynReader  *reader = resolve_reader(scan, resolved);

	if (reader == NULL)
	{
		scan->items = dyn_items_empty(scan->fell_back
									  ? dyn_fallback_rows(scan->fallback)
									  : scan->reader->rows);
		return;
	}
	apply_policy_or_bound(scan, reader);
	scan->items = dyn_items_start(reader, resolved);
	scan->requested++;
}

/* The same for the arms of a union. */
static void
start_union(DynScan *scan)
{
	int			narms = list_length(scan->reader->access->arms);

	dyn_union_begin(scan);
	for (int i = 0; i < narms; i++)
	{
		DynReader  *reader = dyn_union_resolve(scan, i);

		if (reader != NULL)
			apply_policy(scan, reader);
	}
	dyn_union_start(scan);
	scan->requested++;
}

void
dyn_scan_begin_run(DynScan *scan)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(scan->run_context);

	Assert(!scan->running && scan->items == NULL && !scan->served);
	dyn_reader_check_schema(scan->reader);
	/* this may execute an initplan, whose scans find this one waiting */
	evaluate(scan, &scan->values);
	scan->running = true;
	scan->served = scan->lookups != NULL &&
		dyn_lookups_open(scan->lookups, &scan->values);
	if (!scan->served)
	{
		/* requests in flight use the values when the outer row is gone */
		dyn_values_keep(&scan->values);
		scan->kept_open = dyn_kept_open(scan);
		if (!scan->kept_open)
			scan->shared_open = dyn_shared_open(scan);
		Assert(scan->uni == NULL || !(scan->kept_open || scan->shared_open));
		if (scan->uni != NULL)
			start_union(scan);
		else if (scan->shared_open)
			apply_policy(scan, scan->reader);
		else if (!scan->kept_open)
			start_requests(scan);
	}
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_scan_start_ahead(DynScan *scan)
{
	Assert(!scan->begun && !scan->running);
	scan->ahead = true;
	dyn_scan_begin_run(scan);
	if (scan->fell_back)
		dyn_scan_end_run(scan);
	else if (dyn_scan_awaited_fetch(scan) != NULL)
		dyn_fetch_send_ahead(dyn_scan_awaited_fetch(scan));
}

/* ---- waiting ---- */

DynFetch *
dyn_scan_awaited_fetch(const DynScan *scan)
{
	if (scan->shared_open)
		return dyn_shared_fetch(scan);
	if (scan->uni != NULL)
		return dyn_union_awaited(scan->uni);
	return scan->items ? dyn_items_awaited(scan->items) : NULL;
}

double
dyn_scan_pause(const DynScan *scan)
{
	return scan->shared_open ? dyn_shared_pause(scan)
		: dyn_fetch_pause(dyn_scan_awaited_fetch(scan));
}

/* ---- rows ---- */

bool
dyn_scan_is_ready(DynScan *scan)
{
	Assert(scan->running && scan->uni == NULL);
	if (scan->shared_open)
		return dyn_shared_is_ready(scan);
	return scan->items == NULL || dyn_items_is_ready(scan->items);
}

static uint64
run_count(DynScan *scan, TupleTableSlot *slot)
{
	Assert(!scan->counted);
	if (scan->served)
		return dyn_lookups_count(scan->lookups);
	if (scan->kept_open)
		return dyn_kept_count(scan);
	if (scan->shared_open)
		return dyn_shared_count(scan);
	if (scan->fell_back)
		return dyn_fallback_count(scan, slot);
	return dyn_items_count(scan->items);
}

/* Stores the one row of a count; false if that was done before. */
static bool
next_count(DynScan *scan, TupleTableSlot *slot)
{
	uint64		count;

	Assert(scan->reader->access->count_only);
	if (scan->counted)
		return false;
	count = run_count(scan, slot);
	memset(slot->tts_isnull, true,
		   slot->tts_tupleDescriptor->natts * sizeof(bool));
	slot->tts_values[0] = Int64GetDatum((int64) count);
	slot->tts_isnull[0] = false;
	ExecStoreVirtualTuple(slot);
	scan->counted = true;
	return true;
}

bool
dyn_scan_next(DynScan *scan, TupleTableSlot *slot)
{
	Assert(scan->running && !scan->finished);
	Assert(!scan->served || scan->items == NULL);
	if (scan->reader->access->count_only)
		return next_count(scan, slot);
	if (scan->served)
		return dyn_lookups_next(scan->lookups, slot);
	if (scan->kept_open)
		return dyn_kept_next(scan, slot);
	if (scan->shared_open)
		return dyn_shared_next(scan, slot);
	if (scan->fell_back)
		return dyn_fallback_next(scan, slot);
	if (scan->uni != NULL)
		return dyn_union_next(scan, slot);
	return dyn_items_next_row(scan->items, slot);
}

/* ---- repeating and ending ---- */

void
dyn_scan_end_run(DynScan *scan)
{
	Assert(scan->running || (scan->items == NULL && !scan->served));
	if (scan->served)
		dyn_lookups_close(scan->lookups);
	scan->served = false;
	if (scan->kept_open)
		dyn_kept_close(scan);
	scan->kept_open = false;
	if (scan->shared_open)
		dyn_shared_close(scan);
	scan->shared_open = false;
	if (scan->fell_back)
		dyn_fallback_stop(scan);
	scan->fell_back = false;
	if (scan->uni != NULL)
		dyn_union_stop(scan);
	if (scan->items != NULL)
		dyn_items_close(scan->items);
	scan->items = NULL;
	if (scan->run_context != NULL)
		MemoryContextReset(scan->run_context);
	scan->running = false;
	scan->ahead = false;
	scan->finished = false;
	scan->counted = false;
}

static bool
repeat_requested_run(DynScan *scan)
{
	if (scan->shared_open)
		return dyn_shared_rewind(scan);
	if (scan->fell_back)
		return dyn_fallback_rewind(scan);
	return scan->uni == NULL && dyn_items_rewind(scan->items);
}

/*
 * The planner leaves out a Materialize where it expects few executions, or one,
 * and may be wrong.
 */
bool
dyn_scan_repeat_run(DynScan *scan)
{
	Assert(!scan->ahead);
	if (!scan->running || scan->served)
		return false;
	if (scan->kept_open)
		dyn_kept_rewind(scan);
	else if (!repeat_requested_run(scan))
		return false;
	scan->finished = false;
	scan->counted = false;
	return true;
}

void
dyn_scan_free(DynScan *scan)
{
	dyn_scan_end_run(scan);
	if (scan->lookups != NULL)
		dyn_lookups_free(scan->lookups);
	scan->lookups = NULL;
	dyn_kept_free(scan);
	dyn_shared_free(scan);
}

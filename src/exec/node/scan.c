/*
 * scan.c
 *		Executes a foreign scan: evaluates values, runs the fetch, returns
 *		rows.
 *
 * All memory of one execution is in run_context, which is reset at its end.
 * Reset callbacks then abandon requests in flight, as they do on an error.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/memutils.h"

#include "../../plan/tree/plantree.h"
#include "../source/caching.h"
#include "../source/presumed.h"
#include "../source/sharing.h"
#include "scan.h"
#include "scan_policy.h"

/* ---- scan_policy ---- */

/*
 * Applies scan_policy to the planned index or the table, once for all
 * executions.  If scans that share a read may not read all of it, each of them
 * is refused, but only one of them warns.  `previewed` as in scan_policy.h.
 */
static void
apply_policy(DynScan *scan, DynScanDesc *scandesc, double previewed)
{
	DynScanPolicy policy = dyn_relation_scan_policy(scandesc->relation);
	const DynAccess *read = dyn_sharing_access(&scan->input);
	DynEstimate estimate;

	if (scandesc->policy_applied || scandesc->access->kind != DYN_ACCESS_SCAN)
		return;
	scandesc->policy_applied = true;
	if (read == NULL)
		read = scandesc->access;
	estimate = read->estimate;
	/* the number of segments that the values select */
	if (estimate.segments > 0 && scandesc->nsegments > 0)
	{
		estimate.reads.units *= (double) scandesc->nsegments / estimate.segments;
		estimate.segments = scandesc->nsegments;
	}
	if (!dyn_sharing_is_paid(&scan->input))
	{
		const PlanState *node = &scan->input.node->ss.ps;
		double		limit = dyn_statement_max_units(scandesc->relation->connection);

		/*
		 * check this before a Scan that cannot stop early uses any read units
		 */
		if (limit > 0 && (scandesc->access->count_only || dyn_sharing_is_full_scan(&scan->input) ||
						  dyn_plan_is_full_scan(node->state->es_plannedstmt, node->plan,
												dyn_run_is_to_end(node->state))))
			dyn_scan_check_units(scandesc->relation, read->index, &estimate,
								 scandesc->access->advice,
								 scandesc->statement->counters.read_units, limit);
	}
	if (policy != DYN_SCAN_WARN || dyn_sharing_warns(&scan->input))
		dyn_scan_policy_apply(scandesc->relation, read->index, &estimate,
							  scandesc->access->advice, previewed);
}

/* Applies the policy to a bounded Scan that continues beyond its bound. */
static void
read_beyond(void *arg)
{
	DynScan    *scan = arg;
	DynScanDesc *scandesc = scan->input.scandesc;

	apply_policy(scan, scandesc, scandesc->bound > 0 ? 0 : scandesc->bound_units);
}

/*
 * Returns the read units of a Scan to which the policy does not apply; 0:
 * none.  A preview has some only where it would be refused.
 */
static double
free_units(const DynScanDesc *scandesc)
{
	const DynAccess *access = scandesc->access;

	if (access->is_small)
		return dyn_page_units(DYN_SMALL_READ_BYTES) *
			(scandesc->relation->consistent ? 2 : 1);
	return access->preview_rows > 0 &&
		dyn_relation_scan_policy(scandesc->relation) == DYN_SCAN_ERROR
		? dyn_relation_preview_units(scandesc->relation) : 0;
}

/*
 * Applies the policy.  A bounded Scan that is executed once may first read up
 * to its bound (read_beyond).
 */
static void
permit(DynInput *input, DynScanDesc *scandesc)
{
	const DynAccess *access = scandesc->access;
	DynScan    *scan = dyn_scan_of(input);
	double		units = scan->runs_once && !input->requested ? free_units(scandesc) : 0;

	input->requested = true;
	scandesc->bound = units > 0 && access->is_small ? access->limit_hint : 0;
	scandesc->bound_units = units;
	scandesc->found = units > 0 && access->preview_rows > 0 ? &scan->found : NULL;
	if (units == 0)
	{
		apply_policy(scan, scandesc, 0);
		return;
	}
	Assert(scandesc == input->scandesc);
	scandesc->beyond = read_beyond;
	scandesc->beyond_arg = scan;
	dyn_scan_policy_bounded_read(scandesc->relation, access->index, &access->estimate,
								 scandesc->bound, units);
}

/* ---- start ---- */

/*
 * Returns a copy for a scan that is read to its end.  The plan may be a cached
 * one, so it must not be changed.
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
 * Removes the possibility of stopping early from the access plan if all rows
 * are read.  The planner only knows that there is a LIMIT; a Sort below it
 * reads all rows.
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
	const DynAccess *access =
		adapt_to_plan(dyn_access_of_node(linitial(plan->fdw_private)), &node->ss.ps);

	dyn_relation_connect(relation, access->base, access->nbase);
	dyn_relation_set_text_types(relation, access->text_types);
	relation->tally = palloc0(sizeof(DynRowTally));
	scan->input.node = node;
	scan->input.permit = permit;
	scan->input.conversions = access->conversions;
	scan->input.scandesc = dyn_scandesc_create(dyn_statement_get(node->ss.ps.state),
											   relation, access);
	dyn_statement_add_scan(node->ss.ps.state, &scan->input);
	return scan;
}

/*
 * True if any of the access plan's optional conditions (plan/paths/choice.c) is
 * open.
 */
static bool
has_open_optional_qual(const DynScan *scan)
{
	ListCell   *lc;

	foreach(lc, scan->input.scandesc->access->optional_quals)
	{
		const DynPred *optional_qual = lfirst(lc);
		bool		isnull;
		Datum		value =
			ExecEvalExprSwitchContext(list_nth(scan->input.exprs, optional_qual->param),
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
	DynScanDesc *scandesc = scan->input.scandesc;

	scan->input.exprs = ExecInitExprList(exprs, node);
	dyn_values_init(&scan->input.values, exprs, scan->input.conversions);
	dyn_values_init(&scan->input.next_values, exprs, scan->input.conversions);
	scan->planned = scandesc->access;
	/*
	 * optional conditions have the same values in all executions of the scan
	 */
	if (has_open_optional_qual(scan))
		scan->input.scandesc = dyn_scandesc_create(scandesc->statement, scandesc->relation,
												   dyn_access_inner(scandesc->access,
																	DYN_USE_IF_OPEN));
	scan->runs_once = (scan->input.scandesc->access->is_small ||
					   scan->input.scandesc->access->preview_rows > 0) &&
		dyn_plan_runs_once(node->state->es_plannedstmt, node->plan);
	scan->input.scandesc->keeps = (eflags & EXEC_FLAG_REWIND) != 0;
	scan->fallback = dyn_fallback_create(&scan->input);
	scan->united = dyn_united_create(&scan->input);
	scan->input.run_context = AllocSetContextCreate(CurrentMemoryContext,
													"dynamo_fdw scan",
													ALLOCSET_SMALL_SIZES);
}

/* ---- execution ---- */

/*
 * Returns the items by the access plan.  If the planned index may be
 * incomplete, returns those of the table, or NULL if no row was requested yet.
 */
static DynItems *
request_items(DynScan *scan)
{
	DynInput   *input = &scan->input;
	DynScanDesc *scandesc = input->scandesc;
	DynResolvedAccess *resolved = palloc(sizeof(DynResolvedAccess));

	dyn_resolve_access(scandesc->access, scandesc->relation, &input->values, resolved);
	if (resolved->incomplete)
		return scan->ahead ? NULL : dyn_fallback_open(scan->fallback);
	if (resolved->contradiction)
		return dyn_items_empty(scandesc->rows);
	if (scandesc->access->is_presumed)
		return dyn_items_presume(scandesc, resolved);
	scandesc->nsegments = resolved->nsegments;
	permit(input, scandesc);
	return dyn_items_start(scandesc, resolved);
}

/*
 * If the execution may be repeated, but its source cannot start again, adds
 * storage for its rows.  A count can always start again.
 */
static DynItems *
may_repeat(const DynScan *scan, DynItems *items)
{
	Assert(!scan->input.scandesc->access->count_only || items == NULL ||
		   items->methods->rewind != NULL);
	return items != NULL && items->methods->rewind == NULL &&
		scan->input.scandesc->keeps ? dyn_items_store(items) : items;
}

static DynItems *
open_items(DynScan *scan)
{
	DynInput   *input = &scan->input;
	DynItems   *items = NULL;

	if (scan->lookups != NULL)
		items = dyn_lookups_open(scan->lookups, &input->values);
	if (items != NULL)
		return items;
	/* requests in flight use the values even after the outer row is freed */
	dyn_values_keep(&input->values);
	if (scan->united != NULL)
		return may_repeat(scan, dyn_united_open(scan->united));
	items = dyn_caching_open(input);
	if (items != NULL)
		return items;
	if (!input->scandesc->access->is_presumed)
		items = dyn_sharing_open(input);
	if (items != NULL)
		apply_policy(scan, input->scandesc, 0);
	return items ? items : may_repeat(scan, request_items(scan));
}

void
dyn_scan_begin_run(DynScan *scan)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(scan->input.run_context);

	Assert(!scan->input.running && scan->items == NULL);
	dyn_scandesc_check_schema(scan->input.scandesc);
	/*
	 * this may execute an initplan, whose scans can share a read with this one
	 */
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
	state = scan->input.scandesc->access->count_only ? next_count(scan, slot, wait)
		: dyn_items_next_row(scan->items, slot, wait);
	scan->finished = (state == DYN_FETCH_END);
	scan->found += (state == DYN_FETCH_ITEM);
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
	scan->ahead = false;
	scan->finished = false;
	scan->counted = false;
	scan->found = 0;
}

/*
 * The planner omits a Materialize node if it expects one execution or a few,
 * but there may be more.
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
	if (scan->lookups != NULL)
		dyn_lookups_free(scan->lookups);
	scan->lookups = NULL;
	dyn_caching_free(&scan->input);
	dyn_sharing_free(&scan->input);
}

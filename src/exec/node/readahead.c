/*
 * readahead.c
 *		The lookup join node (DynamoLookupJoin), which reads rows ahead for a
 *		nested loop, or for a projection with correlated subplans.
 *
 * The node returns its child's rows, unchanged and in their order, but reads
 * them in batches.  For each row of a batch, it sets the parameters of the
 * nested loop (or of the subplans) as the loop will set them.  It then
 * evaluates the run-time values of the foreign scans on the inner side, and
 * prefetches with these values (lookup.h).  When the loop executes the scans
 * row by row, their responses are in flight or received.  Core still executes
 * the join: join types and join conditions need no code here.
 *
 * If a node above, or the caller of the executor, may stop early, the first
 * batch has one row, and batches grow.  If a LIMIT needs n rows, and each
 * outer row is joined to at most one inner row, the first batch has n rows.
 * But if reading a row has side effects, or if evaluating a scan's values may
 * raise an error, all batches have one row: a row that was read ahead might
 * never be requested.  A condition on the outer rows may still raise an error
 * for such a row, as it may in a parallel worker.
 *
 * A batch also ends when the lookups have enough requests
 * (dyn_lookups_is_full), or when the batch's rows take more than the larger of
 * fetch_memory and half of work_mem.
 *
 * The rows of a batch are in a tuplestore, in memory up to half of work_mem.
 * The tuplestore's temporary file belongs to the resource owner of the
 * statement (for a cursor, of the portal).  So the rows of an open cursor
 * survive the rollback of a savepoint.  If temp_file_limit is set, no row is
 * written to a file, and a batch has at most about half of work_mem: reading
 * ahead must not make a statement fail.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "../../model/server/memory.h"
#include "../../model/server/pg_compat.h"
#include "../../plan/clauses/classify.h"
#include "../../plan/tree/readahead_path.h"
#include "../lookup/lookup.h"
#include "scan.h"

/*
 * If a node above may stop early, the first batch has at most FIRST_LAZY_ROWS
 * rows, and each further batch LAZY_GROWTH times as many.  The minimum is
 * ReadAhead.first_rows.
 */
#define FIRST_LAZY_ROWS		1
#define LAZY_GROWTH			4

/* Approximate memory of a row, in addition to its bytes. */
#define ROW_OVERHEAD		32

#define LEAST_STORE_KB		64	/* minimum memory of a tuplestore in kB */

typedef struct ReadAhead
{
	CustomScanState css;		/* must be first */
	bool		may_stop_early; /* true if a node above may stop early */
	int			first_rows;		/* minimum size of batches */
	int			growth;			/* growth factor, if may_stop_early */
	bool		resolved;		/* true if resolve() was called */
	List	   *params;			/* ids (int) of the scans' parameters */
	List	   *exprs;			/* ExprState *, for the values of `params` */
	List	   *scans;			/* scans (DynScan *) executed for each row */
	TupleTableSlot *out;
	bool		ended;			/* true if the child has returned all rows */
	bool		once;			/* true if no further execution is expected */

	MemoryContext work_context; /* context for prefetching for one row */
	int			size;			/* maximum number of rows of the next batch */
	Tuplestorestate *rows;		/* rows of the batch; NULL before the first */
	int			store_kb;		/* memory of `rows` (kB) */
	TupleTableSlot *row;		/* slot for a row of `rows` */
	int			nrows;			/* number of rows in the batch */
	Size		bytes;			/* bytes of rows, with ROW_OVERHEAD each */
	Size		max_bytes;		/* bytes above which a batch is full */

	DynLookupCounters keys;		/* counts for all scans */
	uint64		batches;
	uint64		rows_read;
	uint64		largest;		/* number of rows of the largest batch */
} ReadAhead;

/* ---- finding the loop and its scans ---- */

static void
add_scans(ReadAhead *ahead, Plan *plan, List *subplans)
{
	DynStatement *statement = dyn_statement_get(ahead->css.ss.ps.state);
	ListCell   *lc,
			   *lc2;

	foreach(lc, dyn_plan_scans_once(plan, subplans))
	{
		foreach(lc2, statement->scans)
		{
			DynScan    *scan = dyn_scan_of(lfirst(lc2));

			if (scan->input.node->ss.ps.plan != lfirst(lc) ||
				scan->input.has_prefetcher ||
				!dyn_access_can(scan->input.scandesc->access, DYN_CAN_BATCH))
				continue;
			scan->input.has_prefetcher = true;
			ahead->scans = lappend(ahead->scans, scan);
		}
	}
}

/*
 * Finds the scans to prefetch for, and the parameters on which they depend.
 * The parameters of a subplan are columns of the child's rows.  If this node
 * has a projection, its batches have other rows than the child, so the node
 * does not prefetch for subplans.  The node also does not prefetch in
 * EvalPlanQual, which tests single rows.
 */
static void
resolve(ReadAhead *ahead)
{
	EState	   *estate = ahead->css.ss.ps.state;
	CustomScan *node = (CustomScan *) ahead->css.ss.ps.plan;
	DynReadAheadPlan plan;
	const PlannedStmt *statement = estate->es_plannedstmt;
	List	   *all = statement->subplans;
	NestLoop   *loop;
	MemoryContext oldcontext;
	ListCell   *lc;

	if (ahead->resolved)
		return;
	ahead->resolved = true;
	plan = dyn_read_ahead_decode(node);
	/* the planner did not know whether an outer query has a LIMIT */
	ahead->may_stop_early = dyn_plan_is_limited(statement, &node->scan.plan) ||
		((plan.first_rows > 0 || !dyn_run_is_to_end(estate)) &&
		 !dyn_plan_is_full_scan(statement, &node->scan.plan, false));
	ahead->size = ahead->may_stop_early ? FIRST_LAZY_ROWS : INT_MAX;
	ahead->first_rows = plan.first_rows;
	/* if reading a row has side effects, read only rows that are requested */
	ahead->growth = ahead->may_stop_early &&
		dyn_plan_has_effects(linitial(node->custom_plans), list_copy(all)) ? 1 : LAZY_GROWTH;
	if (estate->es_epq_active != NULL ||
		(plan.subplans != NIL && ahead->css.ss.ps.ps_ProjInfo != NULL))
		return;
	oldcontext = MemoryContextSwitchTo(estate->es_query_cxt);
	if (plan.subplans != NIL)
	{
		ahead->params = plan.params;
		ahead->exprs = ExecInitExprList(node->custom_exprs, &ahead->css.ss.ps);
		/* a subplan is NULL if core has dropped it (AlternativeSubPlan) */
		foreach(lc, plan.subplans)
			add_scans(ahead, dyn_plan_of_subplan(all, lfirst_int(lc)), all);
	}
	else if ((loop = dyn_plan_loop_over(statement, &node->scan.plan)) != NULL)
	{
		foreach(lc, loop->nestParams)
		{
			const NestLoopParam *param = lfirst(lc);

			ahead->params = lappend_int(ahead->params, param->paramno);
			ahead->exprs = lappend(ahead->exprs,
								   ExecInitExpr((Expr *) param->paramval, NULL));
		}
		add_scans(ahead, innerPlan(loop), all);
	}
	MemoryContextSwitchTo(oldcontext);
	/* prefetching must not raise an error for a row that is never requested */
	foreach(lc, ahead->may_stop_early ? ahead->scans : NIL)
	{
		const DynScan *scan = lfirst(lc);

		/* one outer row may be joined to many inner rows */
		if (plan.subplans == NIL && scan->input.scandesc->access->kind != DYN_ACCESS_GET)
			ahead->first_rows = 0;
		if (dyn_may_fail((Node *) ((ForeignScan *) scan->input.node->ss.ps.plan)->fdw_exprs))
			ahead->growth = 1;
	}
	if (ahead->growth == 1)
		ahead->first_rows = 0;
}

/*
 * Prefetches for one row: sets the parameters from the row, as a nested loop
 * does, and restores the old values at the end.  It does not restore them
 * after an error, because the error ends the statement.
 */
static void
prefetch_row(ReadAhead *ahead, TupleTableSlot *slot)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(ahead->work_context);
	EState	   *estate = ahead->css.ss.ps.state;
	ParamExecData *params = estate->es_param_exec_vals;
	ParamExecData *old = palloc(Max(list_length(ahead->params), 1) *
								sizeof(ParamExecData));
	ExprContext *econtext = ahead->css.ss.ps.ps_ExprContext;
	ListCell   *lc,
			   *lc2;

	Assert(ahead->scans != NIL);
	/* set both: subplans read the scan tuple, nested loops the outer tuple */
	econtext->ecxt_scantuple = econtext->ecxt_outertuple = slot;
	forboth(lc, ahead->params, lc2, ahead->exprs)
	{
		ParamExecData *param = &params[lfirst_int(lc)];

		Assert(lfirst_int(lc) < list_length(estate->es_plannedstmt->paramExecTypes));
		old[foreach_current_index(lc)] = *param;
		param->execPlan = NULL;
		param->value = ExecEvalExpr((ExprState *) lfirst(lc2), econtext, &param->isnull);
	}
	foreach(lc, ahead->scans)
	{
		DynScan    *scan = lfirst(lc);

		dyn_input_evaluate(&scan->input, &scan->input.next_values);
		dyn_lookups_prefetch(scan->lookups, &scan->input.next_values);
	}
	foreach(lc, ahead->params)
		params[lfirst_int(lc)] = old[foreach_current_index(lc)];
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(ahead->work_context);
}

/* ---- batches ---- */

static void
begin_batches(ReadAhead *ahead)
{
	Size		half = (Size) work_mem * 1024 / 2;
	ListCell   *lc;

	foreach(lc, ahead->scans)
	{
		DynScan    *scan = lfirst(lc);

		scan->lookups = dyn_lookups_create(&scan->input, &ahead->keys);
	}
	ahead->max_bytes = half;
	ahead->store_kb = Max(work_mem / 2, LEAST_STORE_KB);
	if (temp_file_limit < 0)
		ahead->max_bytes = Max(half, dyn_statement_get(ahead->css.ss.ps.state)->max_bytes);
	else
		ahead->store_kb = MAX_KILOBYTES;
	ahead->rows = tuplestore_begin_heap(false, false, ahead->store_kb);
}

static void
clear_batch(ReadAhead *ahead)
{
	ListCell   *lc;

	foreach(lc, ahead->scans)
		dyn_lookups_begin(((DynScan *) lfirst(lc))->lookups);
	ExecClearTuple(ahead->row);
	if (tuplestore_in_memory(ahead->rows))
		tuplestore_clear(ahead->rows);
	else
	{
		MemoryContext oldcontext =
			MemoryContextSwitchTo(ahead->css.ss.ps.state->es_query_cxt);

		/*
		 * Before PostgreSQL 18, tuplestore_clear() does not subtract the
		 * memory of rows that were read back from a temporary file, so the
		 * next row would be written to a file although memory is free.
		 */
		tuplestore_end(ahead->rows);
		ahead->rows = tuplestore_begin_heap(false, false, ahead->store_kb);
		MemoryContextSwitchTo(oldcontext);
	}
	ahead->nrows = 0;
	ahead->bytes = 0;
}

static bool
batch_is_full(const ReadAhead *ahead)
{
	ListCell   *lc;

	if (ahead->nrows == 0)
		return false;
	foreach(lc, ahead->scans)
	{
		if (dyn_lookups_is_full(((DynScan *) lfirst(lc))->lookups))
			return true;
	}
	return ahead->nrows >= Max(ahead->size, ahead->first_rows) || ahead->bytes > ahead->max_bytes;
}

/* Returns the child's next row, projected if necessary; NULL at the end. */
static TupleTableSlot *
next_child_row(ReadAhead *ahead)
{
	ScanState  *ss = &ahead->css.ss;
	PlanState  *child = linitial(ahead->css.custom_ps);
	TupleTableSlot *slot = ExecProcNode(child);

	if (TupIsNull(slot))
		return NULL;
	if (ss->ps.ps_ProjInfo == NULL)
		return slot;
	ResetExprContext(ss->ps.ps_ExprContext);
	ss->ps.ps_ExprContext->ecxt_scantuple = ExecCopySlot(ss->ss_ScanTupleSlot, slot);
	return ExecProject(ss->ps.ps_ProjInfo);
}

static void
read_batch(ReadAhead *ahead)
{
	ListCell   *lc;

	Assert(ahead->size > 0 && ahead->growth > 0);
	clear_batch(ahead);
	while (!ahead->ended && !batch_is_full(ahead))
	{
		TupleTableSlot *slot = next_child_row(ahead);
		MinimalTuple row;

		ahead->ended = (slot == NULL);
		if (ahead->ended)
			break;
		ExecCopySlot(ahead->row, slot);
		tuplestore_puttupleslot(ahead->rows, ahead->row);
		row = ExecFetchSlotMinimalTuple(ahead->row, NULL);
		ahead->nrows++;
		ahead->bytes += row->t_len + ROW_OVERHEAD;
		ExecForceStoreMinimalTuple(row, ahead->out, false);
		/*
		 * use the row as stored: the executions will receive it in this form,
		 * and lookups find an execution only by equal bytes of its values
		 */
		prefetch_row(ahead, ahead->out);
	}
	Assert(ahead->ended || ahead->nrows > 0);
	ExecClearTuple(ahead->out);
	foreach(lc, ahead->scans)
		dyn_lookups_start(((DynScan *) lfirst(lc))->lookups,
						  ahead->ended && ahead->once);
	ahead->batches += ahead->nrows > 0;
	ahead->rows_read += ahead->nrows;
	ahead->largest = Max(ahead->largest, ahead->nrows);
	ahead->size = ahead->size > INT_MAX / ahead->growth ? INT_MAX
		: ahead->size * ahead->growth;
}

/* Stores the batch's next row in ahead->out; returns false at the end. */
static bool
next_stored_row(ReadAhead *ahead)
{
	if (!tuplestore_gettupleslot(ahead->rows, true, false, ahead->row))
		return false;
	ExecForceStoreMinimalTuple(ExecFetchSlotMinimalTuple(ahead->row, NULL),
							   ahead->out, false);
	return true;
}

/* ---- callbacks of the executor ---- */

static void
begin_read_ahead(CustomScanState *node, EState *estate, int eflags)
{
	ReadAhead  *ahead = (ReadAhead *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	Plan	   *child = linitial(plan->custom_plans);

	node->custom_ps = list_make1(ExecInitNode(child, estate,
											  eflags & ~(EXEC_FLAG_BACKWARD |
														 EXEC_FLAG_MARK)));
	ahead->once = (eflags & EXEC_FLAG_REWIND) == 0;
	ahead->out = node->ss.ps.ps_ProjInfo ? node->ss.ps.ps_ResultTupleSlot
		: node->ss.ss_ScanTupleSlot;
	ahead->row = ExecInitExtraTupleSlot(estate, ahead->out->tts_tupleDescriptor,
										&TTSOpsMinimalTuple);
	ahead->work_context = AllocSetContextCreate(CurrentMemoryContext,
												"dynamo_fdw prefetching",
												ALLOCSET_SMALL_SIZES);
}

static bool
next_row(ReadAhead *ahead)
{
	resolve(ahead);
	if (ahead->scans == NIL)
	{
		TupleTableSlot *slot = ahead->ended ? NULL : next_child_row(ahead);

		ahead->ended = (slot == NULL);
		if (slot != NULL && slot != ahead->out)
			ExecCopySlot(ahead->out, slot);
		return slot != NULL;
	}
	if (ahead->rows == NULL)
		begin_batches(ahead);
	else if (next_stored_row(ahead))
		return true;
	read_batch(ahead);
	return next_stored_row(ahead);
}

/* Runs in the per-query context: the child's allocations may outlive a row. */
static TupleTableSlot *
exec_read_ahead(CustomScanState *node)
{
	ReadAhead  *ahead = (ReadAhead *) node;
	MemoryContext oldcontext =
		MemoryContextSwitchTo(node->ss.ps.state->es_query_cxt);
	bool		found = next_row(ahead);

	MemoryContextSwitchTo(oldcontext);
	return found ? ahead->out : ExecClearTuple(ahead->out);
}

static void
end_read_ahead(CustomScanState *node)
{
	ReadAhead  *ahead = (ReadAhead *) node;

	if (ahead->rows != NULL)
		tuplestore_end(ahead->rows);
	ExecEndNode(linitial(node->custom_ps));
}

/* Rescans the node, and its child, because core does not rescan the child. */
static void
rescan_read_ahead(CustomScanState *node)
{
	ReadAhead  *ahead = (ReadAhead *) node;
	PlanState  *child = linitial(node->custom_ps);

	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(child, node->ss.ps.chgParam);
	if (child->chgParam == NULL)
		ExecReScan(child);
	ExecClearTuple(ahead->out);
	if (ahead->rows != NULL)
		clear_batch(ahead);
	ahead->once = false;
	ahead->ended = false;
	ahead->size = ahead->may_stop_early ? FIRST_LAZY_ROWS : INT_MAX;
}

/* ---- EXPLAIN ---- */

static void
explain_read_ahead(CustomScanState *node, List *ancestors, ExplainState *es)
{
	ReadAhead  *ahead = (ReadAhead *) node;
	List	   *names = NIL;
	ListCell   *lc;

	resolve(ahead);
	foreach(lc, ahead->scans)
		names = lappend(names, unconstify(char *, ((DynScan *) lfirst(lc))->input.scandesc->relation->name));
	ExplainPropertyList("Prefetches", names, es);
	if (!es->analyze)
		return;
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str,
						 "Batches: " UINT64_FORMAT "  Largest Batch: " UINT64_FORMAT
						 "  Distinct Keys: " UINT64_FORMAT
						 "  Repeated Keys: " UINT64_FORMAT "\n",
						 ahead->batches, ahead->largest, ahead->keys.distinct_keys,
						 ahead->keys.repeated_keys);
		return;
	}
	ExplainPropertyUInteger("Batches", NULL, ahead->batches, es);
	ExplainPropertyUInteger("Largest Batch", NULL, ahead->largest, es);
	ExplainPropertyUInteger("Rows Read Ahead", NULL, ahead->rows_read, es);
	ExplainPropertyUInteger("Distinct Keys", NULL, ahead->keys.distinct_keys, es);
	ExplainPropertyUInteger("Repeated Keys", NULL, ahead->keys.repeated_keys, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "DynamoLookupJoin",
	.BeginCustomScan = begin_read_ahead,
	.ExecCustomScan = exec_read_ahead,
	.EndCustomScan = end_read_ahead,
	.ReScanCustomScan = rescan_read_ahead,
	.ExplainCustomScan = explain_read_ahead,
};

static Node *
create_read_ahead_state(CustomScan *plan)
{
	ReadAhead  *ahead = (ReadAhead *) newNode(sizeof(ReadAhead), T_CustomScanState);

	ahead->css.methods = &exec_methods;
	return (Node *) ahead;
}

const CustomScanMethods dyn_read_ahead_methods = {
	.CustomName = "DynamoLookupJoin",
	.CreateCustomScanState = create_read_ahead_state,
};

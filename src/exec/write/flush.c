/*
 * flush.c
 *		Stores deferred rows, and completes a statement's writes before core
 *		uses their results.
 *
 * Deferred rows are stored in tuplestores, which may spill to disk.
 *
 * If a session's first statement writes to a partitioned table, ExecutorRun
 * may already be running when the library is loaded.  Then only the hook of
 * ExecutorFinish is called for this statement.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/nodeSubplan.h"
#include "miscadmin.h"
#include "optimizer/clauses.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "../../model/server/pg_compat.h"
#include "../source/input.h"
#include "flush.h"

static ExecutorRun_hook_type previous_run = NULL;
static ExecutorFinish_hook_type previous_finish = NULL;

/* ---- whether rows are deferred ---- */

/*
 * Raises an error for ON CONFLICT with RETURNING or AFTER triggers if rows are
 * deferred or atomic: RETURNING and the triggers would see a row before it is
 * known whether its key exists.
 */
static void
refuse_conflicts(const DynModify *modify)
{
	if (!(modify->deferred || modify->atomic) || !modify->do_nothing ||
		!(modify->returning ||
		  dyn_has_row_trigger(modify->rinfo->ri_TrigDesc, CMD_INSERT, false)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 modify->atomic
			 ? errmsg("cannot use ON CONFLICT with RETURNING or AFTER triggers in an atomic statement")
			 : errmsg("cannot use ON CONFLICT with RETURNING or AFTER triggers in a statement that also reads foreign table \"%s\"",
					  modify->relation->name),
			 modify->atomic ? errhint("Set dynamo_fdw.write_mode to \"immediate\".")
			 : errhint("Select the rows into a temporary table first.")));
}

/*
 * Executes the uncorrelated subqueries of DO UPDATE, so that they do not see
 * what the statement writes.  Refuses correlated subqueries, because they
 * depend on existing rows, which are known only after writing has begun.
 */
static void
execute_subqueries(const DynModify *modify, const DynRelation *read)
{
	const ModifyTable *plan = (const ModifyTable *) modify->mtstate->ps.plan;
	ListCell   *lc;

	if (contain_subplans((Node *) plan->onConflictSet) ||
		contain_subplans((Node *) plan->onConflictWhere))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot use a correlated subquery in ON CONFLICT DO UPDATE in a statement that reads and writes foreign table \"%s\"",
						read->name),
				 errhint("Set dynamo_fdw.write_mode to \"atomic\", or compute the value in the rows to insert.")));
	foreach(lc, modify->mtstate->ps.initPlan)
	{
		SubPlanState *subplan = lfirst(lc);
		int			param = linitial_int(subplan->subplan->setParam);

		if (modify->estate->es_param_exec_vals[param].execPlan != NULL)
			ExecSetParamPlan(subplan, modify->upsert->econtext);
	}
}

/*
 * Sets `deferred` when called for the target's first row: by then, all scans
 * of the statement are known.
 */
bool
dyn_modify_is_deferred(DynModify *modify)
{
	const DynStatement *statement = modify->writer->statement;
	const DynRelation *read = NULL;
	ListCell   *lc;

	if (modify->deferral_known)
		return modify->deferred;
	modify->deferral_known = true;
	foreach(lc, statement->scans)
	{
		const DynInput *input = lfirst(lc);
		const Scan *plan = (const Scan *) input->node->ss.ps.plan;
		/* true if the scan finds the rows to update or delete */
		bool		finds = modify->operation != CMD_INSERT &&
			plan->scanrelid == modify->rinfo->ri_RangeTableIndex;

		modify->deferred |= !modify->atomic && !finds &&
			dyn_relation_same_table(input->scandesc->relation, modify->relation);
		if (dyn_statement_writes(statement, input->scandesc->relation))
			read = input->scandesc->relation;
	}
	refuse_conflicts(modify);
	if (modify->upsert != NULL && read != NULL && !modify->atomic)
		execute_subqueries(modify, read);
	return modify->deferred;
}

/* ---- rows ---- */

/*
 * Rows of one target, with no rows of other targets of the same DynamoDB table
 * between them.
 */
typedef struct DynDeferredRun
{
	DynModify  *modify;
	uint64		nrows;
} DynDeferredRun;

/*
 * Returns the run to which the target's next row is added.  Only rows of the
 * same DynamoDB table must remain in order.  A new run is in memory of the
 * statement.
 */
static DynDeferredRun *
get_run(DynModify *modify)
{
	DynWriter  *writer = modify->writer;
	DynDeferredRun *run;
	MemoryContext oldcontext;

	for (int i = list_length(writer->deferred) - 1; i >= 0; i--)
	{
		run = list_nth(writer->deferred, i);
		if (run->modify == modify)
			return run;
		if (dyn_relation_same_table(run->modify->relation, modify->relation))
			break;
	}
	oldcontext = MemoryContextSwitchTo(modify->estate->es_query_cxt);
	if (modify->plan_rows == NULL)
	{
		modify->new_rows = tuplestore_begin_heap(false, false, work_mem);
		modify->plan_rows = tuplestore_begin_heap(false, false, work_mem);
	}
	run = palloc0(sizeof(DynDeferredRun));
	run->modify = modify;
	writer->deferred = lappend(writer->deferred, run);
	MemoryContextSwitchTo(oldcontext);
	return run;
}

void
dyn_modify_defer(DynModify *modify, TupleTableSlot *row, TupleTableSlot *planSlot)
{
	get_run(modify)->nrows++;
	if (modify->operation != CMD_DELETE)
		tuplestore_puttupleslot(modify->new_rows, row);
	if (modify->operation != CMD_INSERT)
		tuplestore_puttupleslot(modify->plan_rows, planSlot);
}

/* Reads the next row of a tuplestore. */
static void
fetch(Tuplestorestate *rows, TupleTableSlot *slot)
{
	if (!tuplestore_gettupleslot(rows, true, false, slot))
		elog(ERROR, "a deferred row is missing");
}

static void
send_run(const DynDeferredRun *run)
{
	DynModify  *modify = run->modify;
	TupleTableSlot *row = MakeSingleTupleTableSlot(RelationGetDescr(modify->rinfo->ri_RelationDesc),
												   &TTSOpsMinimalTuple);
	TupleTableSlot *plan_row = modify->plan_slot == NULL ? NULL
		: MakeSingleTupleTableSlot(modify->plan_slot->tts_tupleDescriptor,
								   &TTSOpsMinimalTuple);
	ExprContext *econtext = GetPerTupleExprContext(modify->estate);

	for (uint64 i = 0; i < run->nrows; i++)
	{
		MemoryContext oldcontext;

		/*
		 * the rows must not be in per-tuple memory, because the slots free
		 * them
		 */
		if (modify->operation != CMD_DELETE)
			fetch(modify->new_rows, row);
		if (modify->operation != CMD_INSERT)
			fetch(modify->plan_rows, plan_row);
		row->tts_tableOid = modify->relation->relid;
		ResetExprContext(econtext);
		oldcontext = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		(void) dyn_modify_row(modify, row, plan_row);
		MemoryContextSwitchTo(oldcontext);
	}
	ExecDropSingleTupleTableSlot(row);
	if (plan_row != NULL)
		ExecDropSingleTupleTableSlot(plan_row);
}

void
dyn_writer_flush(DynWriter *writer)
{
	ListCell   *lc;

	foreach(lc, writer->deferred)
		send_run(lfirst(lc));
	foreach(lc, writer->deferred)
	{
		DynModify  *modify = ((const DynDeferredRun *) lfirst(lc))->modify;

		if (modify->plan_rows == NULL)
			continue;
		tuplestore_end(modify->new_rows);
		tuplestore_end(modify->plan_rows);
		modify->new_rows = modify->plan_rows = NULL;
	}
	writer->deferred = NIL;
	dyn_writer_end(writer);
}

/* ---- flush ---- */

/*
 * Runs the data-modifying parts of WITH to completion, and flushes.  Core runs
 * them later (ExecPostprocessPlan), but then finds no more rows.
 */
static void
flush(EState *estate)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(estate->es_query_cxt);
	DynWriter  *writer;
	ListCell   *lc;

	estate->es_direction = ForwardScanDirection;
	foreach(lc, estate->es_auxmodifytables)
	{
		TupleTableSlot *row;

		do
		{
			ResetPerTupleExprContext(estate);
			row = ExecProcNode(lfirst(lc));
		} while (!TupIsNull(row));
	}
	writer = dyn_writer_find(estate);
	if (writer != NULL)
		dyn_writer_flush(writer);
	MemoryContextSwitchTo(oldcontext);
}

/*
 * Flushes only if the query has run to its end, not if a portal fetches some
 * of its rows.
 */
static void
run_and_flush(QueryDesc *query, ScanDirection direction,
			  uint64 count DYN_RUN_ONCE_PARAMETER)
{
	if (previous_run)
		previous_run(query, direction, count DYN_RUN_ONCE_ARGUMENT);
	else
		standard_ExecutorRun(query, direction, count DYN_RUN_ONCE_ARGUMENT);
	if (count == 0 && ScanDirectionIsForward(direction) &&
		dyn_writer_find(query->estate) != NULL)
		flush(query->estate);
}

/*
 * Executes the rest of WITH even if the statement has no writer yet: the rest
 * may route the first row to a foreign partition.
 */
static void
flush_and_finish(QueryDesc *query)
{
	flush(query->estate);
	if (previous_finish)
		previous_finish(query);
	else
		standard_ExecutorFinish(query);
}

void
dyn_flush_init(void)
{
	previous_run = ExecutorRun_hook;
	ExecutorRun_hook = run_and_flush;
	previous_finish = ExecutorFinish_hook;
	ExecutorFinish_hook = flush_and_finish;
}

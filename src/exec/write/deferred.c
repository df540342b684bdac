/*
 * deferred.c
 *		Stores rows of the executor in tuplestores, which may spill to disk.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/nodeSubplan.h"
#include "miscadmin.h"
#include "optimizer/clauses.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "../source/input.h"
#include "deferred.h"
#include "modify_row.h"
#include "upsert.h"

/* ---- whether rows are deferred ---- */

/* True if the scan finds the rows that this target updates or deletes. */
static bool
is_target_scan(const DynModify *modify, const DynInput *input)
{
	const Scan *plan = (const Scan *) input->node->ss.ps.plan;

	return modify->operation != CMD_INSERT &&
		plan->scanrelid == modify->rinfo->ri_RangeTableIndex;
}

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

		modify->deferred |= !modify->atomic && !is_target_scan(modify, input) &&
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
dyn_modifies_send_deferred(DynWriter *writer)
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
}

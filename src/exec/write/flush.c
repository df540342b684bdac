/*
 * flush.c
 *		Writes rows, stores deferred rows, and completes a statement's writes
 *		before core uses their results.
 *
 * A statement on local tables does not see its own writes.  On DynamoDB it
 * would: INSERT INTO t SELECT ... FROM t would read the rows that it has just
 * inserted, and might never end.  So rows are deferred if a scan reads the
 * DynamoDB table that the statement writes, even through another foreign
 * table.  (The scan that finds the rows to change does not count.)  The rows
 * of an UPDATE or DELETE are also deferred if another CTE writes the table, so
 * that they stay in order with deferred rows of that CTE.  Deferred rows are
 * stored until all scans have ended.
 *
 * Core reads the number of rows after ExecutorRun, and fires AFTER triggers in
 * ExecutorFinish.  The hooks of both functions therefore flush.  Before they
 * flush, they run data-modifying CTEs to completion, because a CTE must not
 * see what the main query writes.  (Core runs these CTEs after ExecutorRun.)
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
#include "../../model/server/soft_errors.h"
#include "../source/input.h"
#include "outcome.h"
#include "row_write.h"

static ExecutorRun_hook_type previous_run = NULL;
static ExecutorFinish_hook_type previous_finish = NULL;

/* ---- whether rows are deferred ---- */

/*
 * Executes the uncorrelated subqueries of DO UPDATE before the first write, so
 * that they do not see what the statement writes.  Raises an error for
 * correlated subqueries: they depend on the existing row, which is known only
 * after the conflict.
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

/* Decides at the first row, because only then are all scans known. */
bool
dyn_modify_is_deferred(DynModify *modify)
{
	const DynStatement *statement = modify->writer->statement;
	const DynRelation *read = NULL;
	ListCell   *lc;

	if (modify->deferral_known)
		return modify->deferred;
	modify->deferral_known = true;
	dyn_inputs_read_rest(statement, modify->relation);
	foreach(lc, statement->scans)
	{
		const DynInput *input = lfirst(lc);
		const Scan *plan = (const Scan *) input->node->ss.ps.plan;
		/* true if the scan finds the rows to update or delete */
		bool		finds = modify->operation != CMD_INSERT &&
			plan->scanrelid == modify->rinfo->ri_RangeTableIndex;

		modify->deferred |= !modify->atomic && !finds &&
			dyn_relation_same_table(input->scandesc->relation, modify->relation);
		if (modify->upsert != NULL && !modify->atomic &&
			dyn_statement_writes(statement, input->scandesc->relation))
			read = input->scandesc->relation;
	}
	foreach(lc, modify->writer->modifies)
	{
		DynModify  *other = lfirst(lc);

		if (modify->atomic || other->mtstate == modify->mtstate ||
			!dyn_relation_same_table(other->relation, modify->relation))
			continue;
		if (modify->operation != CMD_INSERT)
			modify->deferred = true;
		else	/* the INSERT may route its first row to this partition only
				 * after `other` has begun; if the rows of the INSERT are
				 * deferred, later rows of `other` are deferred, too */
			other->deferred |= modify->deferred;
	}

	/* RETURNING and AFTER triggers would see rows that ON CONFLICT skips later */
	if ((modify->deferred || modify->atomic) && modify->do_nothing &&
		(modify->returning ||
		 dyn_has_row_trigger(modify->rinfo->ri_TrigDesc, CMD_INSERT, TRIGGER_TYPE_AFTER, NULL)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 modify->atomic
				 ? errmsg("cannot use ON CONFLICT with RETURNING or AFTER triggers in an atomic statement")
				 : errmsg("cannot use ON CONFLICT with RETURNING or AFTER triggers in a statement that also reads foreign table \"%s\"",
						  modify->relation->name),
				 modify->atomic ? errhint("Set dynamo_fdw.write_mode to \"immediate\".")
				 : errhint("Select the rows into a temporary table first.")));
	if (read != NULL)
		execute_subqueries(modify, read);
	return modify->deferred;
}

/* ---- one row ---- */

/*
 * Returns true if an UPDATE or DELETE must skip the row, because the statement
 * or a nested statement has inserted or updated the row (writer->affected).
 * DO UPDATE raises an error for such a row.  Adds the row to writer->affected,
 * but not in a DELETE or an atomic statement.  writer.c removes the row if
 * nothing is written for it.
 */
static bool
is_affected(DynWrite *write)
{
	const DynModify *modify = write->modify;
	HASHACTION	action = modify->operation == CMD_DELETE || modify->atomic ? HASH_FIND : HASH_ENTER;

	/* atomic.c raises an error if the statement itself writes an item twice */
	if (modify->atomic && modify->upsert == NULL)
		return false;
	for (int i = 0; i < 2; i++)
	{
		if (!dyn_met_change(modify->writer->affected, write, action))
		{
			write->affects = (action == HASH_ENTER);
			return false;
		}
		dyn_writer_finish(modify->writer);
	}
	if (modify->upsert != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("ON CONFLICT DO UPDATE command cannot affect row a second time"),
				 errhint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")));
	if (modify->operation == CMD_INSERT)
		return false;
	if (modify->returning || modify->has_row_triggers)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot skip a row of foreign table \"%s\" that ON CONFLICT DO UPDATE has affected, because RETURNING or a row trigger has already seen it",
						modify->relation->name)));
	dyn_write_uncount(modify);
	return true;
}

/*
 * Returns true if DO NOTHING must skip the row, because an outer atomic
 * statement, which sends its writes only at its end, will insert the key.  DO
 * UPDATE raises an error if no item has the key yet, since its update would
 * precede the insert.
 */
static bool
is_skipped(DynWrite *write)
{
	const DynModify *modify = write->modify;

	if (!dyn_write_is_collected(write))
		return false;
	dyn_writer_finish(modify->writer);
	if (modify->upsert != NULL)
	{
		if (dyn_writes_read_items(list_make1(write))->data != NULL)
			return false;
		dyn_write_report_nested(write);
	}
	if (!modify->do_nothing)
		dyn_write_report_duplicate(write);
	return true;
}

typedef struct Composition
{
	DynWrite   *write;
	TupleTableSlot *row;
	bool		composed;		/* result of dyn_modify_update */
} Composition;

static void
compose(void *arg)
{
	Composition *composition = arg;

	composition->composed = dyn_modify_update(composition->write,
											  composition->write->modify->old,
											  composition->row);
}

/*
 * Composes the update of a row that was not read.  If a value cannot be
 * stored, reads the row, because this is an error only if the row exists.
 * Returns false if the row does not exist, or if nothing changes.
 */
static bool
compose_presumed(DynWrite *write, TupleTableSlot *row)
{
	Composition composition = {.write = write,.row = row};
	/* use a subtransaction: the CHECK of a domain may call any function */
	ErrorData  *error = dyn_attempt(compose, &composition);
	DynScalar  *item;

	if (error == NULL)
		return composition.composed;
	if (!dyn_failure_is_of_definition(error))
		ReThrowError(error);
	dyn_modify_delete(write, write->modify->old);
	item = dyn_writes_read_items(list_make1(write));
	if (item->data != NULL &&
		dyn_reread_item(write->modify->reread, item, write->modify->scratch))
		ReThrowError(error);
	return false;
}

/*
 * Composes the write before any wait: during a wait, earlier rows may be
 * evaluated again, which overwrites modify->old.
 */
bool
dyn_modify_row(DynModify *modify, TupleTableSlot *row, TupleTableSlot *planSlot)
{
	DynWrite   *write;
	MemoryContext oldcontext;
	bool		wait = modify->awaits != NULL && !modify->deferred;
	bool		composed = true;
	bool		written;

	write = dyn_write_create(modify, dyn_operation_of(modify->operation));
	oldcontext = MemoryContextSwitchTo(write->context);
	/* the row may be evaluated again if the condition fails (outcome.c) */
	if (modify->operation != CMD_INSERT || modify->upsert != NULL)
		write->plan_row = ExecCopySlotMinimalTuple(modify->operation == CMD_INSERT
												   ? row : planSlot);
	if (modify->operation == CMD_INSERT)
		dyn_modify_insert(write, row);
	else if (modify->operation == CMD_DELETE)
		dyn_modify_delete(write, modify->old);
	else
		composed = modify->presumes ? compose_presumed(write, row)
			: dyn_modify_update(write, modify->old, row);
	MemoryContextSwitchTo(oldcontext);
	if (modify->operation == CMD_INSERT && is_skipped(write))
	{
		if (modify->deferred)
			dyn_write_uncount(modify);
		dyn_write_free(write);
		return false;
	}
	write->overtaken = modify->operation != CMD_INSERT &&
		dyn_met_change(modify->writer->nested, write, HASH_FIND);
	if (!write->overtaken && (is_affected(write) || !composed))
	{
		if (!composed && !modify->presumes)
			dyn_write_confirm_unchanged(write, NULL);
		dyn_write_free(write);
		return !modify->presumes;
	}
	if (modify->atomic)
	{
		dyn_atomic_add(modify->writer, write);
		return true;
	}
	dyn_writer_send(modify->writer, write, wait);
	if (!wait)
		return true;
	written = (write->state == DYN_WRITE_WRITTEN);
	if (written && write->attributes.data != NULL &&
		dyn_reread_new(modify->reread, &write->attributes, modify->scratch))
	{
		dyn_modify_keep_segment(write);
		ExecCopySlot(row, modify->scratch);
	}
	dyn_write_free(write);
	return written;
}

/* ---- deferred rows ---- */

/*
 * A run of deferred rows of one written foreign table (target).  To keep the
 * rows of a DynamoDB table in order, a run ends when another target defers a
 * row of the same DynamoDB table.
 */
typedef struct DynDeferredRun
{
	DynModify  *modify;
	uint64		nrows;
} DynDeferredRun;

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
	DynWrite	write = {.modify = modify};

	get_run(modify)->nrows++;
	if (modify->operation != CMD_DELETE)
		tuplestore_puttupleslot(modify->new_rows, row);
	if (modify->operation != CMD_INSERT)
		tuplestore_puttupleslot(modify->plan_rows, planSlot);
	/* change `row` to what a SELECT will show, for RETURNING and triggers */
	if (modify->reread->shown && modify->operation == CMD_INSERT)
		dyn_modify_insert(&write, row);
	else if (modify->reread->shown && modify->operation == CMD_UPDATE)
		(void) dyn_modify_update(&write, modify->old, row);
}

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
		 * do not fetch into per-tuple memory, which is reset before the slots
		 * free the rows
		 */
		if (modify->operation != CMD_DELETE)
			fetch(modify->new_rows, row);
		if (modify->operation != CMD_INSERT)
			fetch(modify->plan_rows, plan_row);
		ResetExprContext(econtext);
		oldcontext = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		if (modify->operation != CMD_INSERT)
			dyn_modify_old_row(modify, plan_row);
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
	writer->nested = NULL;		/* AFTER triggers may write the rows again */
}

/* ---- flush ---- */

/*
 * Runs data-modifying CTEs to completion, and flushes.  Core runs these CTEs
 * again later (ExecPostprocessPlan), but they then return no more rows.
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
	dyn_statement_set_ended(estate, true);
	writer = dyn_writer_find(estate);
	if (writer != NULL)
		dyn_writer_flush(writer);
	MemoryContextSwitchTo(oldcontext);
}

/*
 * Hook of ExecutorRun.  Flushes if the query has certainly run to its end: if
 * `count` is 0, which means all rows, or if the query is an INSERT, UPDATE or
 * DELETE without RETURNING, which returns no rows that `count` could limit.
 */
static void
run_and_flush(QueryDesc *query, ScanDirection direction,
			  uint64 count DYN_RUN_ONCE_PARAMETER)
{
	previous_run(query, direction, count DYN_RUN_ONCE_ARGUMENT);
	if ((count == 0 || (query->operation != CMD_SELECT &&
						!query->plannedstmt->hasReturning)) &&
		ScanDirectionIsForward(direction) && dyn_writer_find(query->estate) != NULL)
	{
		uint64		processed = query->estate->es_processed;

		flush(query->estate);
		dyn_uncount_total(query->estate, processed - query->estate->es_processed);
	}
}

/*
 * Runs data-modifying CTEs even if the statement has no writer yet: one of
 * them may route the first row to a foreign partition.
 */
static void
flush_and_finish(QueryDesc *query)
{
	flush(query->estate);
	previous_finish(query);
}

void
dyn_flush_init(void)
{
	previous_run = ExecutorRun_hook ? ExecutorRun_hook : standard_ExecutorRun;
	ExecutorRun_hook = run_and_flush;
	previous_finish = ExecutorFinish_hook ? ExecutorFinish_hook : standard_ExecutorFinish;
	ExecutorFinish_hook = flush_and_finish;
}

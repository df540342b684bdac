/*
 * flush.c
 *		Completes a statement's writes before core uses their results.
 *
 * If a session's first statement writes to a partitioned table, ExecutorRun
 * may already be running when the library is loaded.  Then only the hook of
 * ExecutorFinish is called for this statement.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "../../model/server/pg_compat.h"
#include "deferred.h"
#include "flush.h"
#include "writer.h"

static ExecutorRun_hook_type previous_run = NULL;
static ExecutorFinish_hook_type previous_finish = NULL;

/*
 * Runs the data-modifying parts of WITH to completion.  Core does this later
 * (ExecPostprocessPlan), but then finds no more rows.
 */
static void
run_rest(EState *estate)
{
	ListCell   *lc;

	estate->es_direction = ForwardScanDirection;
	foreach(lc, estate->es_auxmodifytables)
	{
		PlanState  *node = lfirst(lc);
		TupleTableSlot *row;

		do
		{
			ResetPerTupleExprContext(estate);
			row = ExecProcNode(node);
		} while (!TupIsNull(row));
	}
}

/*
 * Executes the rest of the statement, sends the deferred rows, and waits for
 * all writes in flight.
 */
static void
flush(EState *estate)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(estate->es_query_cxt);
	DynWriter  *writer;

	run_rest(estate);
	writer = dyn_writer_find(estate);
	if (writer != NULL)
	{
		dyn_modifies_send_deferred(writer);
		dyn_writer_end(writer);
	}
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

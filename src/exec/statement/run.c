/*
 * run.c
 *		Detects whether a statement is being run to its end.
 *
 * A plan does not show how many of its rows will be fetched; the call of the
 * executor does.  CREATE TABLE AS, COPY and clients that take the full result
 * fetch all of them, cursors and some functions fetch a number.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "../../model/server/pg_compat.h"
#include "run.h"

static ExecutorRun_hook_type previous_hook = NULL;

/* The statement that runs to its end; NULL if the innermost one does not. */
static const EState *to_end = NULL;

static void
run_executor(QueryDesc *query, ScanDirection direction,
			 uint64 count DYN_RUN_ONCE_PARAMETER)
{
	const EState *outer = to_end;

	to_end = count == 0 && ScanDirectionIsForward(direction) ? query->estate : NULL;
	PG_TRY();
	{
		if (previous_hook)
			previous_hook(query, direction, count DYN_RUN_ONCE_ARGUMENT);
		else
			standard_ExecutorRun(query, direction, count DYN_RUN_ONCE_ARGUMENT);
	}
	PG_FINALLY();
	{
		to_end = outer;
	}
	PG_END_TRY();
}

bool
dyn_run_is_to_end(const EState *estate)
{
	return estate == to_end;
}

void
dyn_run_init(void)
{
	previous_hook = ExecutorRun_hook;
	ExecutorRun_hook = run_executor;
}

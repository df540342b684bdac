/*
 * statement.c
 *		Finds or creates the DynStatement of a statement, and detects whether
 *		all rows of a statement are being fetched.
 *
 * Statements that run inside one another (functions, triggers, cursors) each
 * have their own EState.  Since few exist at a time, a list is enough.
 */
#include "postgres.h"

#include "executor/executor.h"

#include "../../model/server/memory.h"
#include "../../model/server/pg_compat.h"
#include "../../model/session/guc.h"
#include "../../model/session/session.h"
#include "../../model/tables/relation.h"
#include "statement.h"

static DynStatement *statements = NULL;
static uint64 nstatements = 0;

static ExecutorRun_hook_type previous_hook = NULL;

/* The innermost running statement, or NULL. */
static const EState *running = NULL;

/* True if the caller of ExecutorRun fetches all rows of `running`. */
static bool to_end = false;

static void
forget_statement(void *arg)
{
	DynStatement **link = &statements;

	/* deleting the child contexts has ended all requests in flight */
	Assert(((DynStatement *) arg)->in_flight == 0);
	Assert(((DynStatement *) arg)->bytes == 0);
	while (*link != arg)
		link = &(*link)->next;
	*link = (*link)->next;
	if (statements == NULL)
		dyn_session_end_statement();
}

DynStatement *
dyn_statement_get(EState *estate)
{
	DynStatement *statement;

	for (DynStatement *s = statements; s != NULL; s = s->next)
	{
		if (s->estate == estate)
			return s;
	}
	statement = MemoryContextAllocZero(estate->es_query_cxt, sizeof(DynStatement));
	statement->estate = estate;
	statement->number = ++nstatements;
	statement->owner = CurrentResourceOwner;
	statement->max_bytes = (size_t) dyn_guc_fetch_memory * 1024;
	dyn_call_at_reset(estate->es_query_cxt, forget_statement, statement);
	statement->next = statements;
	statements = statement;
	return statement;
}

DynStatement *
dyn_statement_newest(void)
{
	return statements;
}

bool
dyn_statement_is_running(uint64 number)
{
	for (DynStatement *s = statements; s != NULL; s = s->next)
	{
		if (s->number == number)
			return true;
	}
	return false;
}

double
dyn_statement_max_units(const DynConnection *connection)
{
	return dyn_smaller_limit(connection->max_read_units_per_statement,
							 dyn_guc_max_read_units_per_statement);
}

void
dyn_statement_append(const DynStatement *statement, List **list, void *member)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(statement->estate->es_query_cxt);

	*list = lappend(*list, member);
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_statement_count(DynStatement *statement, DynUsage *usage)
{
	if (list_member_ptr(statement->usages, usage))
		return;
	dyn_usage_statement(usage);
	dyn_statement_append(statement, &statement->usages, usage);
}

bool
dyn_statement_writes(const DynStatement *statement, const DynRelation *relation)
{
	ListCell   *lc;

	foreach(lc, statement->targets)
	{
		if (dyn_relation_same_table(lfirst(lc), relation))
			return true;
	}
	return false;
}

/*
 * Marks the statements of a released resource owner as ended.  An example is a
 * failed cursor's statement, which is still in the list but lacks resources.
 */
static void
end_released(ResourceReleasePhase phase, bool commits, bool is_top, void *arg)
{
	for (DynStatement *s = statements; s != NULL; s = s->next)
		s->ended |= s->owner == CurrentResourceOwner;
}

/* ---- hook of ExecutorRun ---- */

void
dyn_statement_set_ended(const EState *estate, bool ended)
{
	for (DynStatement *s = statements; s != NULL; s = s->next)
	{
		if (s->estate == estate)
			s->ended = ended;
	}
}

static void
run_executor(QueryDesc *query, ScanDirection direction,
			 uint64 count DYN_RUN_ONCE_PARAMETER)
{
	const EState *outer = running;
	bool		outer_to_end = to_end;
	/* a FETCH from a cursor that is past its end executes nothing */
	bool		moves = direction != NoMovementScanDirection;

	if (moves)
		dyn_statement_set_ended(query->estate, false);
	running = query->estate;
	to_end = count == 0 && ScanDirectionIsForward(direction);
	PG_TRY();
	{
		previous_hook(query, direction, count DYN_RUN_ONCE_ARGUMENT);
	}
	PG_FINALLY();
	{
		running = outer;
		to_end = outer_to_end;
	}
	PG_END_TRY();
	if (moves)
		dyn_statement_set_ended(query->estate, ScanDirectionIsForward(direction) &&
								query->estate->es_auxmodifytables == NIL &&
								(count == 0 || query->estate->es_processed < count));
}

bool
dyn_is_running(const EState *estate)
{
	return estate == running;
}

bool
dyn_run_is_to_end(const EState *estate)
{
	return dyn_is_running(estate) && to_end;
}

void
dyn_run_init(void)
{
	previous_hook = ExecutorRun_hook ? ExecutorRun_hook : standard_ExecutorRun;
	ExecutorRun_hook = run_executor;
	RegisterResourceReleaseCallback(end_released, NULL);
}

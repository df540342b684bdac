/*
 * statement.c
 *		Finds or creates the per-statement object.
 *
 * Statements that run inside one another (functions, triggers, cursors) each
 * have their own EState; few exist at a time, so a list is enough.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "../../model/server/memory.h"
#include "../../model/session/guc.h"
#include "../../model/session/session.h"
#include "statement.h"

static DynStatement *statements = NULL;
static uint64 nstatements = 0;

static void
forget_statement(void *arg)
{
	DynStatement **link = &statements;

	/* requests in flight ended with the contexts below */
	Assert(((DynStatement *) arg)->in_flight == 0);
	Assert(((DynStatement *) arg)->bytes == 0);
	while (*link != NULL && *link != arg)
		link = &(*link)->next;
	if (*link != NULL)
		*link = (*link)->next;
	if (statements == NULL)
		dyn_session_end_statement();
}

static DynStatement *
make_statement(EState *estate)
{
	MemoryContext context = estate->es_query_cxt;
	DynStatement *statement = MemoryContextAllocZero(context, sizeof(DynStatement));

	statement->estate = estate;
	statement->number = ++nstatements;
	statement->max_bytes = (size_t) dyn_guc_fetch_memory * 1024;
	dyn_call_at_reset(context, forget_statement, statement);
	statement->next = statements;
	statements = statement;
	return statement;
}

DynStatement *
dyn_statement_get(EState *estate)
{
	for (DynStatement *s = statements; s != NULL; s = s->next)
	{
		if (s->estate == estate)
			return s;
	}
	return make_statement(estate);
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
							 dyn_guc_max_statement_units);
}

DynThrottle *
dyn_statement_throttle(DynStatement *statement,
					   const struct DynTablePace *table)
{
	MemoryContext oldcontext;
	DynThrottle *throttle;
	ListCell   *lc;

	foreach(lc, statement->throttles)
	{
		throttle = lfirst(lc);
		if (throttle->table == table)
			return throttle;
	}
	oldcontext = MemoryContextSwitchTo(statement->estate->es_query_cxt);
	throttle = palloc0(sizeof(DynThrottle));
	throttle->table = table;
	statement->throttles = lappend(statement->throttles, throttle);
	MemoryContextSwitchTo(oldcontext);
	return throttle;
}

void
dyn_statement_add_scan(EState *estate, struct DynInput *scan)
{
	DynStatement *statement = dyn_statement_get(estate);
	MemoryContext oldcontext = MemoryContextSwitchTo(estate->es_query_cxt);

	Assert(!list_member_ptr(statement->scans, scan));
	statement->scans = lappend(statement->scans, scan);
	MemoryContextSwitchTo(oldcontext);
}

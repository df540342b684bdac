/*
 * executions.c
 *		Keeps the values of executions to come, and finds an execution by them.
 *
 * Values are compared as images: an execution that is missed because equal
 * values differ in their bytes sends its own requests.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "../memory.h"
#include "executions.h"

void
dyn_executions_init(DynExecutions *executions, const List *exprs)
{
	int			n = list_length(exprs);

	memset(executions, 0, sizeof(*executions));
	executions->context = AllocSetContextCreate(CurrentMemoryContext,
												"dynamo_fdw executions",
												ALLOCSET_DEFAULT_SIZES);
	executions->nvalues = n;
	executions->lens = palloc(Max(n, 1) * sizeof(int16));
	executions->byvals = palloc(Max(n, 1) * sizeof(bool));
	for (int i = 0; i < n; i++)
		get_typlenbyval(exprType(list_nth(exprs, i)), &executions->lens[i],
						&executions->byvals[i]);
}

void
dyn_executions_clear(DynExecutions *executions)
{
	for (int i = 0; i < executions->n; i++)
		Assert(executions->list[i].nentries == 0);
	MemoryContextReset(executions->context);
	executions->n = executions->space = executions->next = 0;
	executions->list = NULL;
}

static void
make_space(DynExecutions *executions)
{
	executions->space = Max(16, executions->space * 2);
	executions->list = dyn_grown(executions->list,
								 executions->space * sizeof(DynExecution));
}

DynExecution *
dyn_executions_add(DynExecutions *executions, const DynValues *values)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(executions->context);
	DynExecution *execution;

	Assert(values->n == executions->nvalues);
	if (executions->n == executions->space)
		make_space(executions);
	execution = &executions->list[executions->n++];
	memset(execution, 0, sizeof(*execution));
	execution->values.n = values->n;
	execution->values.values = palloc(Max(values->n, 1) * sizeof(Datum));
	execution->values.nulls = palloc(Max(values->n, 1) * sizeof(bool));
	for (int i = 0; i < values->n; i++)
	{
		execution->values.nulls[i] = values->nulls[i];
		execution->values.values[i] = values->nulls[i] ? (Datum) 0
			: datumCopy(values->values[i], executions->byvals[i],
						executions->lens[i]);
	}
	MemoryContextSwitchTo(oldcontext);
	return execution;
}

static bool
has_values(const DynExecutions *executions, int at, const DynValues *values)
{
	const DynValues *own = &executions->list[at].values;

	for (int i = 0; i < values->n; i++)
	{
		if (values->nulls[i] != own->nulls[i] ||
			(!values->nulls[i] &&
			 !datum_image_eq(values->values[i], own->values[i],
							 executions->byvals[i], executions->lens[i])))
			return false;
	}
	return true;
}

int
dyn_executions_find(const DynExecutions *executions, const DynValues *values)
{
	int			next = executions->next;

	if (next < executions->n && has_values(executions, next, values))
		return next;
	if (next > 0 && has_values(executions, next - 1, values))
		return -1;
	for (int i = next + 1; i < executions->n; i++)
	{
		if (has_values(executions, i, values))
			return i;
	}
	return -1;
}

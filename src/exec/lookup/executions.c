/*
 * executions.c
 *		Stores the values of coming executions, and finds an execution by its
 *		values.
 */
#include "postgres.h"

#include "../../model/server/memory.h"
#include "utils/memutils.h"

#include "executions.h"

void
dyn_executions_init(DynExecutions *executions)
{
	memset(executions, 0, sizeof(*executions));
	executions->context = AllocSetContextCreate(CurrentMemoryContext,
												"dynamo_fdw executions",
												ALLOCSET_DEFAULT_SIZES);
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

DynExecution *
dyn_executions_add(DynExecutions *executions, const DynValues *values)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(executions->context);
	DynExecution *execution;

	/* all executions are added before the first one runs */
	Assert(executions->next == 0);
	if (executions->n == executions->space)
	{
		executions->space = Max(16, executions->space * 2);
		executions->list = dyn_grown(executions->list,
									 executions->space * sizeof(DynExecution));
	}
	execution = &executions->list[executions->n++];
	memset(execution, 0, sizeof(*execution));
	execution->values = dyn_values_copy(values);
	MemoryContextSwitchTo(oldcontext);
	return execution;
}

int
dyn_executions_find(const DynExecutions *executions, const DynValues *values)
{
	int			next = executions->next;

	Assert(next >= 0 && next <= executions->n);
	if (next < executions->n &&
		dyn_values_equal(values, &executions->list[next].values, NULL))
		return next;
	if (next > 0 &&
		dyn_values_equal(values, &executions->list[next - 1].values, NULL))
		return -1;
	for (int i = next + 1; i < executions->n; i++)
	{
		if (dyn_values_equal(values, &executions->list[i].values, NULL))
			return i;
	}
	return -1;
}

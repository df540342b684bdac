/*
 * soft_errors.c
 *		Runs steps whose errors do not end the command.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/resowner.h"

#include "soft_errors.h"

ErrorData *
dyn_attempt(void (*step) (void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile failure = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		step(arg);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		failure = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return failure;
}

bool
dyn_failure_is_of_definition(const ErrorData *failure)
{
	switch (failure->sqlerrcode)
	{
		case ERRCODE_QUERY_CANCELED:
		case ERRCODE_OUT_OF_MEMORY:
		case ERRCODE_ADMIN_SHUTDOWN:
		case ERRCODE_INTERNAL_ERROR:
			return false;
		default:
			return failure->elevel == ERROR;
	}
}

char *
dyn_failure_text(const ErrorData *failure)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, failure->message);
	if (failure->detail != NULL)
		appendStringInfo(&text, ": %s", failure->detail);
	else if (failure->hint != NULL)
		appendStringInfoChar(&text, '.');
	if (failure->hint != NULL)
		appendStringInfo(&text, " %s", failure->hint);
	return text.data;
}

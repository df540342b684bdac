/*
 * pg_compat.c
 *		The differences between majors that need a function of their own.
 *
 * See pg_compat.h.  This file belongs to the compatibility header and is its
 * only companion.
 */
#include "postgres.h"

#include "access/xact.h"
#include "pg_compat.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/wait_event.h"

uint32
dyn_wait_event(void)
{
#if PG_VERSION_NUM >= 170000
	static uint32 event = 0;

	if (event == 0)
		event = WaitEventExtensionNew("DynamoFdwRequest");
	return event;
#else
	return PG_WAIT_EXTENSION;
#endif
}

#if PG_VERSION_NUM >= 160000

bool
dyn_input_soft(FmgrInfo *input, char *str, Oid ioparam, int32 typmod,
			   Datum *result, const char **why)
{
	ErrorSaveContext escontext = {T_ErrorSaveContext};

	escontext.details_wanted = true;
	if (InputFunctionCallSafe(input, str, ioparam, typmod,
							  (Node *) &escontext, result))
		return true;
	*why = escontext.error_data->message;
	return false;
}

#else

/*
 * Without soft errors the only way back from an input function's error is a
 * subtransaction.  Data exceptions alone are taken as "not accepted".
 */
bool
dyn_input_soft(FmgrInfo *input, char *str, Oid ioparam, int32 typmod,
			   Datum *result, const char **why)
{
	MemoryContext oldcontext = CurrentMemoryContext;
	ResourceOwner oldowner = CurrentResourceOwner;
	volatile bool accepted = true;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(oldcontext);
	PG_TRY();
	{
		*result = InputFunctionCall(input, str, ioparam, typmod);
		ReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(oldcontext);
		CurrentResourceOwner = oldowner;
	}
	PG_CATCH();
	{
		ErrorData  *edata;

		MemoryContextSwitchTo(oldcontext);
		edata = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(oldcontext);
		CurrentResourceOwner = oldowner;
		if (ERRCODE_TO_CATEGORY(edata->sqlerrcode) != ERRCODE_DATA_EXCEPTION)
			ReThrowError(edata);
		*why = edata->message;
		accepted = false;
	}
	PG_END_TRY();
	return accepted;
}

#endif

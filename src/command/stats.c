/*
 * stats.c
 *		Reports requests and open connections of the backend:
 *		dynamo_fdw_stats().
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "../model/session/counters.h"
#include "../model/session/session.h"

PG_FUNCTION_INFO_V1(dynamo_fdw_stats);

Datum
dynamo_fdw_stats(PG_FUNCTION_ARGS)
{
	const DynCounters *c = &dyn_backend_counters;
	TupleDesc	tupdesc;
	Datum		values[9];
	bool		nulls[9] = {false};

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int64GetDatum((int64) c->requests);
	values[1] = Int64GetDatum((int64) c->retries);
	values[2] = Int64GetDatum((int64) c->throttles);
	values[3] = Int64GetDatum((int64) c->pages);
	values[4] = Int64GetDatum((int64) c->items_read);
	values[5] = Int64GetDatum((int64) c->items_returned);
	values[6] = Int64GetDatum((int64) c->bytes);
	values[7] = Float8GetDatum(c->read_units);
	values[8] = Int32GetDatum(dyn_session_open_descriptors());
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values,
											 nulls));
}

/*
 * session_functions.c
 *		Shows and resets the state of the backend: dynamo_fdw_stats(),
 *		dynamo_fdw_credentials(server), dynamo_fdw_disconnect(server) and
 *		dynamo_fdw_disconnect_all().
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "../credentials/source.h"
#include "../model/server/encoding.h"
#include "../model/session/usage.h"
#include "target.h"

#define SHOWN	4				/* characters shown at each end of a key */

PG_FUNCTION_INFO_V1(dynamo_fdw_stats);
PG_FUNCTION_INFO_V1(dynamo_fdw_credentials);
PG_FUNCTION_INFO_V1(dynamo_fdw_disconnect);
PG_FUNCTION_INFO_V1(dynamo_fdw_disconnect_all);

static Datum
make_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc	tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values,
											 nulls));
}

Datum
dynamo_fdw_stats(PG_FUNCTION_ARGS)
{
	const DynCounters *c = &dyn_backend_counters;
	Datum		values[13];
	bool		nulls[13] = {false};

	values[0] = Int64GetDatum((int64) c->requests);
	values[1] = Int64GetDatum((int64) c->retries);
	values[2] = Int64GetDatum((int64) c->throttles);
	values[3] = Int64GetDatum((int64) c->pages);
	values[4] = Int64GetDatum((int64) c->items_read);
	values[5] = Int64GetDatum((int64) c->items_returned);
	values[6] = Int64GetDatum((int64) c->bytes);
	values[7] = Float8GetDatum(c->read_units);
	values[8] = Int64GetDatum((int64) c->items_written);
	values[9] = Float8GetDatum(c->write_units);
	values[10] = Int64GetDatum((int64) c->conflicts);
	values[11] = Int64GetDatum((int64) c->unanswered);
	values[12] = Int32GetDatum(dyn_session_open_descriptors());
	return make_row(fcinfo, values, nulls);
}

/*
 * Obtains the current user's credentials as a statement would, so that failures
 * are reported in the same way.  Shows only the beginning and the end of the
 * access key id.  Raises an error for a mapping FOR PUBLIC, since the catalogs
 * do not show the options of such a mapping to ordinary users, either.
 */
Datum
dynamo_fdw_credentials(PG_FUNCTION_ARGS)
{
	DynConnection *connection = dyn_target_server(NameStr(*PG_GETARG_NAME(0)));
	const char *key;
	int			hidden;
	const DynCredentials *credentials;
	Datum		values[3];
	bool		nulls[3] = {false};

	if (connection->for_public)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("user \"%s\" has no user mapping for server \"%s\"",
						GetUserNameFromId(connection->userid, false),
						connection->server_name),
				 errdetail("The mapping for PUBLIC is used.")));
	credentials = dyn_session_credentials(connection);
	values[0] = CStringGetTextDatum(dyn_from_utf8_lossy(dyn_describe_source(&connection->provider)));
	/* show no character of a short key, which is not a key of AWS */
	key = credentials->access_key_id;
	hidden = (int) strlen(key) - SHOWN;
	values[1] = CStringGetTextDatum(hidden < SHOWN ? "..."
									: psprintf("%.*s...%s", SHOWN, key, key + hidden));
	values[2] = TimestampTzGetDatum(time_t_to_timestamptz(credentials->expires));
	nulls[2] = credentials->expires == 0;
	return make_row(fcinfo, values, nulls);
}

Datum
dynamo_fdw_disconnect(PG_FUNCTION_ARGS)
{
	const char *name = NameStr(*PG_GETARG_NAME(0));

	PG_RETURN_BOOL(dyn_session_disconnect(dyn_target_find_server(name)->serverid));
}

Datum
dynamo_fdw_disconnect_all(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(dyn_session_disconnect(InvalidOid));
}

/*
 * shown_credentials.c
 *		Shows the current user's credentials: dynamo_fdw_credentials(server).
 *
 * Obtains them as a statement would, so that it also reports why that fails.
 * Only the beginning and the end of the access key are shown, and nothing of a
 * mapping for PUBLIC, which users cannot read either.
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
#include "../model/session/session.h"
#include "target.h"

#define SHOWN	4				/* number of characters at each end */

PG_FUNCTION_INFO_V1(dynamo_fdw_credentials);

Datum
dynamo_fdw_credentials(PG_FUNCTION_ARGS)
{
	DynConnection *connection = dyn_target_server(NameStr(*PG_GETARG_NAME(0)));
	const char *key;
	int			hidden;
	const DynCredentials *credentials;
	TupleDesc	tupdesc;
	Datum		values[3];
	bool		nulls[3] = {false};

	if (connection->for_public)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("user \"%s\" has no user mapping for server \"%s\"",
						GetUserNameFromId(connection->userid, false),
						connection->server_name),
				 errdetail("The mapping for PUBLIC is used.")));
	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	credentials = dyn_session_credentials(connection);
	values[0] = CStringGetTextDatum(dyn_from_utf8_lossy(dyn_describe_source(&connection->provider)));
	/* short keys, which are not AWS's, are not shown at all */
	key = credentials->access_key_id;
	hidden = (int) strlen(key) - SHOWN;
	values[1] = CStringGetTextDatum(hidden < SHOWN ? "..."
									: psprintf("%.*s...%s", SHOWN, key, key + hidden));
	values[2] = TimestampTzGetDatum(time_t_to_timestamptz(credentials->expires));
	nulls[2] = credentials->expires == 0;
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values,
											 nulls));
}

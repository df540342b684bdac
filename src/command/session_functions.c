/*
 * session_functions.c
 *		Shows and resets the state of the backend: dynamo_fdw_stats(),
 *		dynamo_fdw_credentials(server), dynamo_fdw_disconnect(server) and
 *		dynamo_fdw_disconnect_all(); shows and resets request counts of
 *		all sessions: dynamo_fdw_statistics(), dynamo_fdw_statistics_reset().
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "../credentials/source.h"
#include "../model/server/encoding.h"
#include "../model/session/usage.h"
#include "target.h"

#define MAX_COLUMNS		64

#define SHOWN	4				/* characters shown at each end of a key */

PG_FUNCTION_INFO_V1(dynamo_fdw_stats);
PG_FUNCTION_INFO_V1(dynamo_fdw_credentials);
PG_FUNCTION_INFO_V1(dynamo_fdw_disconnect);
PG_FUNCTION_INFO_V1(dynamo_fdw_disconnect_all);
PG_FUNCTION_INFO_V1(dynamo_fdw_statistics);
PG_FUNCTION_INFO_V1(dynamo_fdw_statistics_reset);

typedef struct Row
{
	int			n;
	Datum		values[MAX_COLUMNS];
	bool		nulls[MAX_COLUMNS];
} Row;

static void
add_value(Row *row, Datum value)
{
	row->values[row->n] = value;
	row->nulls[row->n++] = false;
}

static void
add_count(Row *row, uint64 count)
{
	add_value(row, Int64GetDatum((int64) count));
}

static void
add_number(Row *row, double number)
{
	add_value(row, Float8GetDatum(number));
}

/* Adds a string; an empty string becomes NULL. */
static void
add_text(Row *row, const char *utf8)
{
	add_value(row, CStringGetTextDatum(dyn_from_utf8_lossy(utf8)));
	row->nulls[row->n - 1] = *utf8 == '\0';
}

static Datum
return_row(FunctionCallInfo fcinfo, Row *row)
{
	TupleDesc	tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	Assert(row->n == tupdesc->natts);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), row->values,
											 row->nulls));
}

/* ---- the backend ---- */

Datum
dynamo_fdw_stats(PG_FUNCTION_ARGS)
{
	const DynCounters *counters = &dyn_backend_counters;
	Row			row = {0};

	add_count(&row, counters->requests);
	add_count(&row, counters->retries);
	add_count(&row, counters->throttles);
	add_count(&row, counters->pages);
	add_count(&row, counters->items_read);
	add_count(&row, counters->items_returned);
	add_count(&row, counters->bytes);
	add_number(&row, counters->read_units);
	add_count(&row, counters->items_written);
	add_number(&row, counters->write_units);
	add_count(&row, counters->conflicts);
	add_count(&row, counters->unanswered);
	add_value(&row, Int32GetDatum(dyn_session_open_descriptors()));
	return return_row(fcinfo, &row);
}

/*
 * Obtains the current user's credentials as a statement does, so that failures
 * are reported in the same way.  Shows nothing of a mapping FOR PUBLIC, whose
 * options pg_user_mappings shows only to the server's owner and superusers.
 */
Datum
dynamo_fdw_credentials(PG_FUNCTION_ARGS)
{
	DynConnection *connection = dyn_target_server(NameStr(*PG_GETARG_NAME(0)));
	DynProvider *provider = &connection->provider;
	DynReadiness readiness;
	const char *key;
	int			hidden;
	Row			row = {0};

	if (connection->for_public)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("user \"%s\" has no user mapping for server \"%s\"",
						GetUserNameFromId(connection->userid, false),
						connection->server_name),
				 errdetail("The mapping for PUBLIC is used.")));
	dyn_session_check(connection);
	while ((readiness = dyn_provider_request(provider, dyn_session_client())) ==
		   DYN_CREDENTIALS_AWAITED)
		dyn_session_wait(NULL, -1, DYN_WAITS_FOR_RESPONSE);
	if (readiness == DYN_CREDENTIALS_FAILED)
		dyn_report_credentials(dyn_provider_error(provider),
							   psprintf("server \"%s\"", connection->server_name));
	add_text(&row, dyn_describe_source(provider));
	/* show nothing of a short key, which is not an access key id of AWS */
	key = provider->current.access_key_id;
	hidden = (int) strlen(key) - SHOWN;
	add_text(&row, hidden < SHOWN ? "..."
			 : psprintf("%.*s...%s", SHOWN, key, key + hidden));
	add_value(&row, TimestampTzGetDatum(time_t_to_timestamptz(provider->current.expires)));
	row.nulls[2] = provider->current.expires == 0;
	return return_row(fcinfo, &row);
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

/* ---- all sessions ---- */

static void
emit(void *arg, const DynUsageEntry *entry, uint64 replaced, bool shared)
{
	ReturnSetInfo *rsinfo = arg;
	const DynTally *tally = &entry->tally;
	const DynCounters *counters = &tally->counters;
	uint64		errors = 0;
	Row			row = {0};

	/* show rows of other users to the same roles as pg_stat_activity does */
	if (!has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) &&
		!has_privs_of_role(GetUserId(), entry->key.userid))
		return;
	add_value(&row, ObjectIdGetDatum(entry->key.server));
	add_value(&row, ObjectIdGetDatum(entry->key.userid));
	add_text(&row, entry->table);
	add_text(&row, entry->index);
	add_count(&row, tally->statements);
	add_count(&row, counters->requests);
	for (int i = 0; i < DYN_USAGE_OPERATIONS; i++)
		add_count(&row, tally->operations[i]);
	add_count(&row, counters->pages);
	add_count(&row, counters->items_read);
	add_count(&row, counters->items_returned);
	add_count(&row, counters->items_written);
	add_count(&row, counters->bytes);
	add_number(&row, counters->read_units);
	add_number(&row, counters->write_units);
	add_count(&row, counters->retries);
	add_count(&row, counters->throttles);
	add_count(&row, counters->conflicts);
	add_count(&row, counters->unanswered);
	for (int i = 0; i < DYN_USAGE_ERRORS; i++)
	{
		if (i != DYN_USAGE_CONFLICT && i != DYN_USAGE_CANCELED)
			errors += tally->errors[i];
	}
	add_count(&row, errors);
	for (int i = 0; i < DYN_USAGE_ERRORS; i++)
		add_count(&row, tally->errors[i]);
	add_number(&row, counters->request_ms);
	add_number(&row, counters->slowest_ms);
	add_number(&row, counters->waiting_ms);
	add_number(&row, counters->waited_ms);
	add_value(&row, TimestampTzGetDatum(tally->since));
	add_text(&row, shared ? "all sessions" : "this session");
	add_count(&row, replaced);
	Assert(row.n == rsinfo->setDesc->natts);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, row.values, row.nulls);
}

Datum
dynamo_fdw_statistics(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	dyn_usage_list(emit, fcinfo->resultinfo);
	return (Datum) 0;
}

Datum
dynamo_fdw_statistics_reset(PG_FUNCTION_ARGS)
{
	dyn_usage_reset();
	PG_RETURN_VOID();
}

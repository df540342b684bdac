/*
 * usage_functions.c
 *		Shows and resets the counts of requests that all sessions have sent:
 *		dynamo_fdw_statistics() and dynamo_fdw_statistics_reset().
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "../model/server/encoding.h"
#include "../model/server/pg_compat.h"
#include "../model/session/usage.h"

#define MAX_COLUMNS		64

PG_FUNCTION_INFO_V1(dynamo_fdw_statistics);
PG_FUNCTION_INFO_V1(dynamo_fdw_statistics_reset);

/* A row of the result. */
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
add_text(Row *row, const char *text)
{
	add_value(row, text[0] == '\0' ? (Datum) 0
			  : CStringGetTextDatum(dyn_from_utf8_lossy(text)));
	row->nulls[row->n - 1] = text[0] == '\0';
}

static void
add_requests(Row *row, const DynTally *tally)
{
	const DynCounters *counters = &tally->counters;

	add_count(row, tally->statements);
	add_count(row, counters->requests);
	for (int i = 0; i < DYN_USAGE_OPERATIONS; i++)
		add_count(row, tally->operations[i]);
	add_count(row, counters->pages);
	add_count(row, counters->items_read);
	add_count(row, counters->items_returned);
	add_count(row, counters->items_written);
	add_count(row, counters->bytes);
	add_number(row, counters->read_units);
	add_number(row, counters->write_units);
	add_count(row, counters->retries);
	add_count(row, counters->throttles);
	add_count(row, counters->conflicts);
	add_count(row, counters->unanswered);
}

/*
 * Adds the columns for failures, durations and the start time.  The total of
 * errors excludes conflicts (DYN_USAGE_CONFLICT) and canceled requests.
 */
static void
add_failures(Row *row, const DynTally *tally)
{
	uint64		errors = 0;

	for (int i = 0; i < DYN_USAGE_ERRORS; i++)
	{
		if (i != DYN_USAGE_CONFLICT && i != DYN_USAGE_CANCELED)
			errors += tally->errors[i];
	}
	add_count(row, errors);
	for (int i = 0; i < DYN_USAGE_ERRORS; i++)
		add_count(row, tally->errors[i]);
	add_number(row, tally->counters.request_ms);
	add_number(row, tally->counters.slowest_ms);
	add_number(row, tally->counters.waiting_ms);
	add_number(row, tally->counters.waited_ms);
	add_value(row, TimestampTzGetDatum(tally->since));
}

static void
emit(void *arg, const DynUsageEntry *entry, uint64 replaced)
{
	ReturnSetInfo *rsinfo = arg;
	Row			row = {0};

	/* show rows of other users to the same roles as pg_stat_activity does */
	if (!has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) &&
		!has_privs_of_role(GetUserId(), entry->key.userid))
		return;
	add_value(&row, ObjectIdGetDatum(entry->key.server));
	add_value(&row, ObjectIdGetDatum(entry->key.userid));
	add_text(&row, entry->table);
	add_text(&row, entry->index);
	add_requests(&row, &entry->tally);
	add_failures(&row, &entry->tally);
	add_text(&row, dyn_has_shared_memory() ? "all sessions" : "this session");
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

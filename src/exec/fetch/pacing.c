/*
 * pacing.c
 *		Applies the pace of a table or index to the streams of a fetch.
 *
 * A throttled request is not repeated by the client, but returned to its
 * stream, which sends it again when the pace allows.  It uses neither a token
 * of the retry quota nor an attempt.  A throttled statement ends after
 * throttle_timeout without any response.
 */
#include "postgres.h"

#include <math.h>

#include "../../dynamodb/units.h"
#include "stream.h"

/* Weight of the newest request in the estimate for the next ones. */
#define NEWEST			0.3

/* Longest interval between two throttles that counts as time waited. */
#define LONGEST_LOOK_MS	15000.0

/* Throttles of several partitions within this time are the table's. */
#define HOT_TOGETHER_MS	1000.0

/* Duration of an episode of throttling (ms) after which a statement warns. */
#define WARN_AFTER_MS	1000.0

void
dyn_pacing_init(DynStreamContext *context)
{
	const DynFetchSpec *spec = &context->spec;
	DynPacing  *pacing = &context->pacing;

	pacing->table = dyn_table_pace(spec->connection, spec->table, spec->index,
								   context->statement->number,
								   dyn_statement_is_running);
	pacing->item_units = spec->item_units;
	dyn_unit_limit_init(context);
}

/* ---- sending ---- */

double
dyn_pacing_delay(const DynStreamContext *context, const DynStream *stream)
{
	const DynTablePace *table = context->pacing.table;
	bool		paced = table->pace.throttled || stream->is_hot;
	double		now = paced ? dyn_session_now() : 0;
	double		delay = dyn_pace_delay(&table->pace, table->in_flight, now);
	double		budget;

	if (delay < 0)
		return DYN_PACE_RESPONSE;
	budget = dyn_unit_limit_delay(context);
	if (budget < 0)
		return DYN_PACE_RESPONSE;
	if (stream->is_hot)
		delay = Max(delay, dyn_pace_delay(&stream->own_pace, 0, now));
	return Max(delay, budget);
}

/*
 * Returns how many items one request may examine at the pace of the table, and
 * within budgets; 0: any number.
 */
static double
most_items(const DynStreamContext *context)
{
	const DynPacing *pacing = &context->pacing;
	double		units = dyn_pace_max_units(&pacing->table->pace);
	double		most = 0;

	if (units > 0 && pacing->item_units > 0)
		most = Max(floor(units / pacing->item_units), 1);
	return dyn_unit_limit_items(context, most);
}

long
dyn_pacing_limit(const DynStreamContext *context, long limit)
{
	double		most = most_items(context);

	if (most <= 0 || most >= INT_MAX || (limit > 0 && limit <= most))
		return limit;
	return (long) most;
}

int
dyn_pacing_keys(const DynStreamContext *context, int keys)
{
	double		most = most_items(context);

	return most > 0 && most < keys ? (int) most : keys;
}

static double
expected_units(const DynStreamContext *context, double items)
{
	const DynPacing *pacing = &context->pacing;
	double		units = pacing->request_units > 0 ? pacing->request_units
		: DYN_FULL_PAGE_UNITS;

	if (context->spec.op == DYN_OP_BATCH_GET_ITEM && pacing->item_units > 0)
		units = items * pacing->item_units;
	else if (items > 0 && pacing->item_units > 0)
		units = pacing->request_units > 0
			? Min(units, items * pacing->item_units)
			: Min(items * pacing->item_units, 2 * DYN_FULL_PAGE_UNITS);
	return Max(units, DYN_LEAST_UNITS);
}

bool
dyn_pacing_send(DynStreamContext *context, DynStream *stream, double items)
{
	DynTablePace *table = context->pacing.table;
	double		now;

	stream->cost = expected_units(context, items);
	if (!dyn_unit_limit_charge(context, stream, items))
		return false;
	if (!table->pace.throttled && !stream->is_hot)
		return true;
	now = dyn_session_now();
	dyn_pace_send(&table->pace, stream->cost, now);
	if (stream->is_hot)
		dyn_pace_send(&stream->own_pace, stream->cost, now);
	return true;
}

/* ---- responses ---- */

static double
smoothed(double old, double seen)
{
	return old > 0 ? old + NEWEST * (seen - old) : seen;
}

void
dyn_pacing_grant(DynStreamContext *context, DynStream *stream, double units,
				 double items)
{
	DynPacing  *pacing = &context->pacing;
	const DynCall *call = stream->call;

	pacing->stalled = false;
	pacing->request_units = smoothed(pacing->request_units, units);
	if (items > 0)
		pacing->item_units = smoothed(pacing->item_units, units / items);
	dyn_pace_grant(&pacing->table->pace, stream->cost, units, call->started_ms,
				   call->done_ms);
	if (!stream->is_hot)
		return;
	dyn_pace_grant(&stream->own_pace, stream->cost, units, call->started_ms,
				   call->done_ms);
	/* streams that share a partition share its pace: that of the table */
	stream->is_hot = call->done_ms - pacing->table->shared_ms > HOT_TOGETHER_MS;
}

/* ---- throttles ---- */

DYN_NORETURN static void
report_throttle_timeout(const DynStreamContext *context, const DynStream *stream)
{
	const DynPacing *pacing = &context->pacing;

	/* a statement around this one may handle the error, and run others */
	dyn_pace_init(&pacing->table->pace,
				  context->spec.connection->max_concurrency);
	dyn_report_throttled(stream->call, false,
						 dyn_describe_target(context->spec.table, context->spec.index),
						 pacing->stalled_ms / 1000, context->spec.capacity,
						 context->statement->counters.read_units);
}

/*
 * Warns, once for a statement and table, that throttling slows the statement.
 */
static void
warn_if_slow(const DynStreamContext *context, double now)
{
	const DynFetchSpec *spec = &context->spec;
	DynThrottle *throttle = dyn_statement_throttle(context->statement,
												   context->pacing.table);
	double		rate = context->pacing.table->pace.rate;

	if (dyn_episode_refuse(&throttle->episode, now) < WARN_AFTER_MS ||
		throttle->warned)
		return;
	throttle->warned = true;
	ereport(WARNING,
			(errmsg("DynamoDB is throttling reads of %s", dyn_describe_target(spec->table, spec->index)),
			 rate > 0
			 ? errdetail("The statement continues at about %.*f read units per second.",
						 rate < 10 ? 1 : 0, rate)
			 : errdetail("The statement continues when DynamoDB grants it read units."),
			 errhint("Increase the table's read capacity, or set max_read_units_per_second to share it.")));
}

/* Time in which the executor did not poll the fetch is not counted. */
static void
count_stall(DynPacing *pacing, double now)
{
	if (!pacing->stalled)
		pacing->stalled_ms = 0;
	else
		pacing->stalled_ms += Min(now - pacing->seen_ms, LONGEST_LOOK_MS);
	pacing->stalled = true;
	pacing->seen_ms = now;
}

/*
 * True unless another stream was just throttled at the limit of its partition,
 * too.  In that case the pace of the table slows down as well.
 */
static bool
is_alone(DynTablePace *table, const DynStream *stream, double now)
{
	bool		alone = table->hot_stream == NULL ||
		table->hot_stream == stream || now - table->hot_ms > HOT_TOGETHER_MS;

	table->hot_ms = now;
	table->hot_stream = stream;
	if (!alone)
		table->shared_ms = now;
	return alone;
}

static void
slow_stream_down(const DynStreamContext *context, DynStream *stream)
{
	const DynCall *call = stream->call;

	if (!stream->is_hot)
		dyn_pace_init(&stream->own_pace, 1);
	stream->is_hot = true;
	dyn_pace_refuse(&stream->own_pace, stream->cost, 0, call->started_ms,
					call->done_ms);
}

void
dyn_pacing_refuse(DynStreamContext *context, DynStream *stream)
{
	const DynCall *call = stream->call;
	DynTablePace *table = context->pacing.table;
	int			timeout_ms = context->spec.connection->throttle_timeout;
	double		now = dyn_session_now();

	if (call->hot_partition)
		slow_stream_down(context, stream);
	if (!call->hot_partition || !is_alone(table, stream, call->done_ms))
		dyn_pace_refuse(&table->pace, stream->cost, context->spec.capacity,
						call->started_ms, call->done_ms);
	count_stall(&context->pacing, now);
	if (timeout_ms > 0 && context->pacing.stalled_ms > timeout_ms)
		report_throttle_timeout(context, stream);
	warn_if_slow(context, now);
}

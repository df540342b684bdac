/*
 * pacing.c
 *		Decides when the streams of a fetch may send, and how much one request
 *		may read.
 *
 * These limits apply (a pace is a measured rate):
 *
 *		pace of the table	after throttles; shared by all fetches of a statement
 *		  or index			(aws/pace.h, model/session/usage.h)
 *		pace of a stream	after throttles at the limit of its partition
 *		budgets				max_read_units_per_second, read_percent; shared by
 *							all sessions (model/session/budget.h)
 *		statement			max_read_units_per_statement
 *
 * A request charges the budgets with its maximum cost when it is sent, and its
 * response corrects the charge.  So even many requests in flight do not exceed
 * a budget.  The maximum cost is:
 *
 *						before the fetch's			afterwards
 *						first response
 *		Scan			Limit * described size		Limit * largest size
 *		first page of	like a Scan					like a Scan, but at most
 *		  Query										the largest response so far
 *		later page of	-							like a Scan
 *		  Query
 *		keys			keys * described size		keys * largest size
 *
 * A size is the number of read units for an item; the described size is the
 * average according to DescribeTable.  The largest size is the greater of the
 * largest measured size and a moving average, which starts at the described
 * size.  An item of unknown size is assumed to have 400 kB.
 *
 * A Scan or Query costs at most as much as a page of 1 MB, even without a
 * Limit.  This maximum does not apply if a local index fetches items from the
 * table, because each of these items costs extra, like a key.
 *
 * The Limit and the number of keys are chosen so that a request costs at most
 * half of what a budget grants in a second.  A fetch with budgets has at most
 * 1 + (number of responses so far) requests in flight, because the first
 * responses show the real cost.
 *
 * A statement's limit also covers the expected cost of requests in flight.
 *
 * The client returns a throttled request to its stream, which sends it again
 * when the pace allows.  Such a repetition does not use the quota of retries
 * or the attempts of the client.  A statement fails when one of its fetches
 * has been throttled for throttle_timeout without a response.
 */
#include "postgres.h"

#include <limits.h>
#include <math.h>

#include "../../dynamodb/units.h"
#include "../../model/server/encoding.h"
#include "stream.h"

/* A request may use what the smallest budget grants in this time (s). */
#define REQUEST_SECONDS	0.5

/* Weight of the newest value in a smoothed estimate. */
#define NEWEST			0.3

/*
 * If the limits of partitions throttle several streams within this time (ms),
 * the pace of the table slows down as well.
 */
#define HOT_TOGETHER_MS	1000.0

/* Duration of an episode of throttling (ms) after which a statement warns. */
#define WARN_AFTER_MS	1000.0

void
dyn_pacing_init(DynFetch *fetch)
{
	const DynFetchParams *params = &fetch->params;
	const DynRequests *requests = params->requests;
	const DynRelation *relation = requests->relation;
	DynPacing  *pacing = &fetch->pacing;
	double		of_server = relation->connection->max_read_units_per_second;
	double		of_table = relation->max_read_units_per_second;
	double		of_capacity = params->capacity_share;
	double		smallest = dyn_smaller_limit(dyn_smaller_limit(of_server, of_table),
											 of_capacity);

	pacing->table = dyn_table_pace(fetch->usage, false, fetch->statement->number,
								   dyn_statement_is_running);
	pacing->item_units = params->item_units;
	if (smallest <= 0)
		return;
	pacing->budgets = palloc0(sizeof(DynBudgets));
	dyn_budgets_add(pacing->budgets, relation->connection, DYN_BUDGET_READS, NULL,
					NULL, of_server);
	dyn_budgets_add(pacing->budgets, relation->connection, DYN_BUDGET_READS,
					relation->table, NULL, of_table);
	/* a local index shares the capacity of its table */
	dyn_budgets_add(pacing->budgets, relation->connection, DYN_BUDGET_READS,
					relation->table, psprintf("%.17g %.17g %s", relation->options.read_capacity,
											  relation->options.read_percent,
											  requests->index != NULL && !requests->local_index
											  ? requests->index : ""), of_capacity);
	pacing->budget_units = REQUEST_SECONDS * smallest;
}

/* ---- the statement's limit ---- */

/* Strongly consistent reads cost twice as much as eventually consistent ones. */
static double
price(const DynFetch *fetch, double units)
{
	return fetch->params.consistent ? 2 * units : units;
}

static double
statement_limit(const DynFetch *fetch)
{
	if (fetch->params.limits_units)
		return 0;
	return dyn_statement_max_units(fetch->params.requests->relation->connection);
}

static double
used_units(const DynStatement *statement)
{
	return statement->counters.read_units + statement->lost_units;
}

static double
left_of_statement(const DynFetch *fetch, double limit)
{
	const DynStatement *statement = fetch->statement;

	return limit - used_units(statement) - statement->expected_units;
}

DYN_NORETURN static void
report_limit(const DynFetch *fetch, double limit, double cost)
{
	const DynFetchParams *params = &fetch->params;

	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg_plural("statement exceeds the limit of %g read unit",
						   "statement exceeds the limit of %g read units",
						   limit == 1 ? 1 : 2, limit),
			 errdetail("The statement has used %.1f; the next request for DynamoDB table \"%s\" is expected to use %.1f.",
					   used_units(fetch->statement),
					   params->requests->relation->table, cost),
			 params->requests->op == DYN_OP_SCAN
			 ? errhint("Add a condition on partition key \"%s\" to read less, or raise max_read_units_per_statement.",
					   dyn_from_utf8_lossy(params->access->base[0].name))
			 : errhint("Add conditions so that fewer keys match, or raise max_read_units_per_statement.")));
}

/* ---- when a stream may send ---- */

/*
 * Returns true if the next request must wait for a response, which shows the
 * real cost of requests or, near the statement's limit, how many units are
 * left.  Returns false if the fetch would wait forever: if all responses are
 * paused until memory is free, or if the fetch is at the memory limit, and
 * takes in only responses of one stream (keyed or in_turn).
 */
static bool
awaits_response(const DynFetch *fetch)
{
	const DynPacing *pacing = &fetch->pacing;
	const DynStatement *statement = fetch->statement;
	double		limit = statement_limit(fetch);
	bool		will_come;

	/*
	 * Use the smaller number: `awaited` also counts responses that have
	 * arrived, and `in_flight` also counts requests of other fetches.
	 */
	if (pacing->budgets != NULL &&
		Min(pacing->awaited, pacing->table->in_flight) > fetch->responses)
		return true;
	if (limit <= 0)
		return false;
	will_come = pacing->table->in_flight > 0 ||
		(dyn_is_receiving(fetch) &&
		 (!dyn_reads_one_stream(&fetch->params) ||
		  statement->bytes + fetch->expected <= statement->max_bytes));
	return will_come && left_of_statement(fetch, limit) <
		Max(pacing->request_units, price(fetch, DYN_LEAST_UNITS));
}

double
dyn_pacing_delay(const DynFetch *fetch, const DynStream *stream)
{
	const DynTablePace *table = fetch->pacing.table;
	DynBudgets *budgets = fetch->pacing.budgets;
	bool		paced = table->pace.throttled || stream->is_hot;
	double		now = paced ? dyn_session_now() : 0;
	double		delay = dyn_pace_delay(&table->pace, table->in_flight, now);

	if (delay < 0 || awaits_response(fetch))
		return DYN_PACE_RESPONSE;
	if (stream->is_hot)
		delay = Max(delay, dyn_pace_delay(&stream->own_pace, 0, now));
	return budgets == NULL ? delay
		: Max(delay, dyn_budgets_take(budgets, 0, dyn_session_now()));
}

/* ---- how much a request may read ---- */

/* True if the page size of 1 MB does not limit the cost of a request. */
static bool
costs_by_item(const DynFetch *fetch)
{
	DynOperation op = fetch->params.requests->op;

	return op == DYN_OP_GET_ITEM || op == DYN_OP_BATCH_GET_ITEM ||
		fetch->params.fetches_items;
}

/* Returns the smaller of `items` (0: unlimited) and `most` (at least 1). */
static double
fewer(double items, double most)
{
	return dyn_smaller_limit(items, Max(floor(most), 1));
}

/* Returns true if a page without a Limit could cost more than `units`. */
static bool
needs_limit(const DynFetch *fetch, double units)
{
	return costs_by_item(fetch) || units < price(fetch, DYN_FULL_PAGE_UNITS);
}

/* Returns the maximum number of items or keys of a request; 0: unlimited. */
static double
most_items(const DynFetch *fetch)
{
	const DynPacing *pacing = &fetch->pacing;
	double		units = dyn_pace_max_units(&pacing->table->pace);
	double		limit = statement_limit(fetch);
	double		left = limit > 0 ? left_of_statement(fetch, limit) : 0;
	double		item = pacing->item_units;
	double		items = 0;

	if (units > 0 && item > 0)
		items = fewer(0, units / item);
	if (pacing->budget_units > 0 && needs_limit(fetch, pacing->budget_units))
		items = fewer(items, pacing->budget_units /
					  (item > 0 ? item
					   : price(fetch, costs_by_item(fetch) ? DYN_LARGEST_ITEM_UNITS
							   : DYN_LEAST_UNITS)));
	if (limit > 0 && item > 0 && needs_limit(fetch, left))
		items = fewer(items, left / item);
	return items;
}

long
dyn_pacing_limit(const DynFetch *fetch, long limit)
{
	double		most = most_items(fetch);

	return most >= INT_MAX ? limit : (long) dyn_smaller_limit(limit, most);
}

/* ---- sending ---- */

static double
expected_units(const DynFetch *fetch, double items)
{
	const DynPacing *pacing = &fetch->pacing;
	double		units = pacing->request_units > 0 ? pacing->request_units
		: DYN_FULL_PAGE_UNITS;

	if (fetch->params.requests->op == DYN_OP_BATCH_GET_ITEM && pacing->item_units > 0)
		units = items * pacing->item_units;
	else if (items > 0 && pacing->item_units > 0)
		units = pacing->request_units > 0
			? Min(units, items * pacing->item_units)
			: Min(items * pacing->item_units, 2 * DYN_FULL_PAGE_UNITS);
	return Max(units, DYN_LEAST_UNITS);
}

/* Returns the maximum read units of a request (see the top of the file). */
static double
most_units(const DynFetch *fetch, const DynStream *stream, double items)
{
	const DynPacing *pacing = &fetch->pacing;
	double		item = Max(pacing->most_item, pacing->item_units);
	double		most = price(fetch, DYN_FULL_PAGE_UNITS);

	if (item <= 0)
		item = price(fetch, DYN_LARGEST_ITEM_UNITS);
	if (items > 0)
		most = costs_by_item(fetch) ? items * item : Min(items * item, most);
	if (fetch->params.requests->op == DYN_OP_QUERY && stream->nrequests == 0 &&
		pacing->most_request > 0)
		most = Min(most, pacing->most_request);
	return Max(most, price(fetch, DYN_LEAST_UNITS));
}

bool
dyn_pacing_send(DynFetch *fetch, DynStream *stream, double items)
{
	DynPacing  *pacing = &fetch->pacing;
	DynStatement *statement = fetch->statement;
	double		limit = statement_limit(fetch);
	double		cost = expected_units(fetch, items);
	bool		known = pacing->request_units > 0 || pacing->item_units > 0;
	double		expected = known ? cost : price(fetch, DYN_LEAST_UNITS);
	double		now;

	stream->cost = cost;
	/* an unknown cost counts as the minimum, so as not to fail too early */
	if (limit > 0 && used_units(statement) + expected > limit)
		report_limit(fetch, limit, expected);
	stream->charge = most_units(fetch, stream, items);
	stream->ncharged = 1;
	if (pacing->budgets != NULL &&
		dyn_budgets_take(pacing->budgets, stream->charge, dyn_session_now()) > 0)
		return false;
	stream->expected = expected;
	statement->expected_units += expected;
	pacing->awaited++;
	if (!pacing->table->pace.throttled && !stream->is_hot)
		return true;
	now = dyn_session_now();
	dyn_pace_send(&pacing->table->pace, cost, now);
	if (stream->is_hot)
		dyn_pace_send(&stream->own_pace, cost, now);
	return true;
}

/* ---- responses ---- */

void
dyn_pacing_repeat(DynFetch *fetch, DynStream *stream)
{
	int			repeated = stream->call->lost + 1 - stream->ncharged;

	if (fetch->pacing.budgets == NULL || repeated <= 0)
		return;
	dyn_budgets_correct(fetch->pacing.budgets, 0,
						repeated * stream->charge, dyn_session_now());
	stream->ncharged += repeated;
}

void
dyn_pacing_correct(DynFetch *fetch, DynStream *stream, double units)
{
	dyn_budgets_correct(fetch->pacing.budgets,
						stream->ncharged * stream->charge,
						units + stream->call->lost * stream->charge,
						dyn_session_now());
}

void
dyn_fetch_charge(const DynFetch *fetch, double units)
{
	dyn_budgets_correct(fetch->pacing.budgets, 0, units, dyn_session_now());
}

static double
smoothed(double old, double seen)
{
	return old > 0 ? old + NEWEST * (seen - old) : seen;
}

/*
 * Updates the pace and the averages, unless all keys of a batch are still
 * unprocessed: then accept_page (stream.c) records a throttle.
 */
void
dyn_pacing_grant(DynFetch *fetch, DynStream *stream, double units,
				 double items)
{
	DynPacing  *pacing = &fetch->pacing;
	const DynCall *call = stream->call;

	dyn_pacing_correct(fetch, stream, units);
	pacing->most_request = Max(pacing->most_request, units);
	if (items <= 0 && fetch->params.requests->op == DYN_OP_BATCH_GET_ITEM)
		return;
	pacing->stall = (DynStall) {0};
	pacing->request_units = smoothed(pacing->request_units, units);
	if (items > 0)
	{
		pacing->most_item = Max(pacing->most_item, units / items);
		pacing->item_units = smoothed(pacing->item_units, units / items);
	}
	dyn_pace_grant(&pacing->table->pace, stream->cost, units, call->started_ms,
				   call->done_ms);
	if (!stream->is_hot)
		return;
	dyn_pace_grant(&stream->own_pace, stream->cost, units, call->started_ms,
				   call->done_ms);
	/*
	 * if another stream was throttled at about the same time, use only the
	 * pace of the table, because both streams may read the same partition
	 */
	stream->is_hot = call->done_ms - pacing->table->shared_ms > HOT_TOGETHER_MS;
}

/* ---- throttles ---- */

static void
warn_if_slow(const DynFetch *fetch, double now)
{
	const DynRequests *requests = fetch->params.requests;
	DynStatement *statement = fetch->statement;
	const DynTablePace *table = fetch->pacing.table;
	double		rate = table->pace.rate;
	DynThrottle *throttle = NULL;
	ListCell   *lc;

	foreach(lc, statement->throttles)
	{
		if (((DynThrottle *) lfirst(lc))->table == table)
			throttle = lfirst(lc);
	}
	if (throttle == NULL)
	{
		throttle = MemoryContextAllocZero(statement->estate->es_query_cxt, sizeof(DynThrottle));
		throttle->table = table;
		dyn_statement_append(statement, &statement->throttles, throttle);
	}
	if (dyn_episode_refuse(&throttle->episode, now) < WARN_AFTER_MS ||
		throttle->warned)
		return;
	throttle->warned = true;
	ereport(WARNING,
			(errmsg("DynamoDB is throttling reads of %s",
					dyn_describe_target(requests->relation->table, requests->index)),
			 rate > 0
			 ? errdetail("The statement continues at about %.*f read units per second.",
						 rate < 10 ? 1 : 0, rate)
			 : errdetail("The statement continues when DynamoDB grants it read units."),
			 errhint("Increase the table's read capacity, or set max_read_units_per_second to share it.")));
}

/*
 * Records that the limit of a partition has throttled the stream.  Returns
 * false if the previous throttle of this kind was that of another stream, and
 * less than HOT_TOGETHER_MS ago.
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

void
dyn_pacing_refuse(DynFetch *fetch, DynStream *stream)
{
	const DynRequests *requests = fetch->params.requests;
	const DynConnection *connection = requests->relation->connection;
	double		capacity = fetch->params.capacity;
	const DynCall *call = stream->call;
	DynPacing  *pacing = &fetch->pacing;
	DynTablePace *table = pacing->table;
	int			timeout_ms = connection->throttle_timeout;
	double		now = dyn_session_now();

	if (call->hot_partition)
	{
		if (!stream->is_hot)
			dyn_pace_init(&stream->own_pace, 1);
		stream->is_hot = true;
		dyn_pace_refuse(&stream->own_pace, stream->cost, 0, call->started_ms,
						call->done_ms);
	}
	if (!call->hot_partition || !is_alone(table, stream, call->done_ms))
		dyn_pace_refuse(&table->pace, stream->cost, capacity, call->started_ms,
						call->done_ms);
	if (dyn_stall_refuse(&pacing->stall, now) > timeout_ms && timeout_ms > 0)
	{
		/* reset the pace: an outer statement may catch this error and retry */
		dyn_pace_init(&table->pace, connection->max_concurrency);
		dyn_usage_give_up(fetch->usage, requests->op, call, DYN_USAGE_THROTTLED);
		stream->throttles = 0;
		dyn_report_throttled(call, false,
							 dyn_describe_target(requests->relation->table, requests->index),
							 pacing->stall.ms / 1000, capacity,
							 fetch->statement->counters.read_units);
	}
	warn_if_slow(fetch, now);
}

/*
 * unit_limit.c
 *		Charges the requests of a fetch to budgets, and to its statement.
 */
#include "postgres.h"

#include <math.h>

#include "../../dynamodb/units.h"
#include "stream.h"

/* Maximum cost of one request, as the time in which a budget grants it. */
#define REQUEST_SECONDS	0.5

void
dyn_unit_limit_init(DynStreamContext *context)
{
	const DynFetchSpec *spec = &context->spec;
	double		of_server = spec->connection->max_read_units_per_second;
	double		of_table = spec->max_read_units_per_second;
	double		of_capacity = spec->capacity_share;
	double		smallest = dyn_smaller_limit(dyn_smaller_limit(of_server, of_table),
											 of_capacity);
	DynUnitLimit *unit_limit = &context->unit_limit;

	if (smallest <= 0)
		return;
	unit_limit->budgets = palloc0(sizeof(DynBudgets));
	if (of_server > 0)
		dyn_budgets_add(unit_limit->budgets, spec->connection, DYN_BUDGET_READS,
						NULL, NULL, of_server);
	if (of_table > 0)
		dyn_budgets_add(unit_limit->budgets, spec->connection, DYN_BUDGET_READS,
						spec->table, NULL, of_table);
	if (of_capacity > 0)
		dyn_budgets_add(unit_limit->budgets, spec->connection, DYN_BUDGET_READS,
						spec->table, spec->global_index ? spec->global_index : "",
						of_capacity);
	unit_limit->request_units = REQUEST_SECONDS * smallest;
}

/*
 * Returns the cost of `units`: strongly consistent reads cost twice as much.
 */
static double
price(const DynStreamContext *context, double units)
{
	return context->spec.consistent ? 2 * units : units;
}

/* True if only the number of items bounds the units of one request. */
static bool
costs_by_item(const DynStreamContext *context)
{
	return context->spec.op == DYN_OP_GET_ITEM ||
		context->spec.op == DYN_OP_BATCH_GET_ITEM ||
		context->spec.fetches_items;
}

/* ---- the statement's limit ---- */

/* Returns the statement's limit; 0: unlimited. */
static double
statement_limit(const DynStreamContext *context)
{
	if (context->spec.limits_units)
		return 0;
	return dyn_statement_max_units(context->spec.connection);
}

/* Returns what remains of the limit if requests in flight cost as expected. */
static double
left_of_statement(const DynStreamContext *context, double limit)
{
	const DynStatement *statement = context->statement;

	return limit - statement->counters.read_units - statement->expected_units;
}

DYN_NORETURN static void
report_limit(const DynStreamContext *context, double limit, double cost)
{
	const DynFetchSpec *spec = &context->spec;
	const char *key = spec->access->base[0].name;

	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg_plural("statement exceeds the limit of %g read unit",
						   "statement exceeds the limit of %g read units",
						   limit == 1 ? 1 : 2, limit),
			 errdetail("The statement has used %.1f; the next request for DynamoDB table \"%s\" is expected to use %.1f.",
					   context->statement->counters.read_units, spec->table,
					   cost),
			 spec->op == DYN_OP_SCAN
			 ? errhint("Add a condition on partition key \"%s\" to read less, or raise max_read_units_per_statement.",
					   key)
			 : errhint("Add conditions so that fewer keys match, or raise max_read_units_per_statement.")));
}

/* Returns the expected units of a request: few if all is unknown. */
static double
expected_of(const DynStreamContext *context, const DynStream *stream)
{
	const DynPacing *pacing = &context->pacing;

	return pacing->request_units > 0 || pacing->item_units > 0 ? stream->cost
		: price(context, DYN_LEAST_UNITS);
}

/* ---- sending ---- */

/*
 * True if a response will be taken in that corrects the expected units.  Keyed
 * and at the memory limit, only responses that the consumer waits for are
 * taken in (schedule.c).  A paused response may have to wait for memory until
 * the consumer continues.
 */
static bool
response_will_come(const DynStreamContext *context)
{
	const DynStatement *statement = context->statement;

	if (context->pacing.table->in_flight > 0)
		return true;
	return context->unit_limit.awaited > context->paused &&
		(!context->spec.keyed ||
		 statement->bytes + context->expected <= statement->max_bytes);
}

/* True if a response must arrive before another request is sent. */
static bool
awaits_response(const DynStreamContext *context)
{
	double		limit = statement_limit(context);

	/*
	 * The fetch's requests in flight, or a few more: received responses may
	 * not have been taken in, and other fetches read the table, too.
	 */
	if (context->unit_limit.budgets != NULL &&
		Min(context->unit_limit.awaited, context->pacing.table->in_flight) > context->responses)
		return true;
	return limit > 0 && response_will_come(context) &&
		left_of_statement(context, limit) <
		Max(context->pacing.request_units, price(context, DYN_LEAST_UNITS));
}

double
dyn_unit_limit_delay(const DynStreamContext *context)
{
	if (awaits_response(context))
		return DYN_PACE_RESPONSE;
	if (context->unit_limit.budgets == NULL)
		return 0;
	return dyn_budgets_delay(context->unit_limit.budgets, dyn_session_now());
}

/* Returns `items` (0: any number), or fewer if only `most` may be read. */
static double
fewer(double items, double most)
{
	most = Max(floor(most), 1);
	return items > 0 && items <= most ? items : most;
}

/* True if the page needs a Limit: without one it ends at 1 MB. */
static bool
needs_limit(const DynStreamContext *context, double units)
{
	return costs_by_item(context) || units < price(context, DYN_FULL_PAGE_UNITS);
}

double
dyn_unit_limit_items(const DynStreamContext *context, double items)
{
	double		budget = context->unit_limit.request_units;
	double		limit = statement_limit(context);
	double		left = limit > 0 ? left_of_statement(context, limit) : 0;
	double		item = context->pacing.item_units;

	if (item <= 0)
		item = price(context, costs_by_item(context) ? DYN_LARGEST_ITEM_UNITS
					 : DYN_LEAST_UNITS);
	if (budget > 0 && needs_limit(context, budget))
		items = fewer(items, budget / item);
	if (limit > 0 && context->pacing.item_units > 0 &&
		needs_limit(context, left))
		items = fewer(items, left / context->pacing.item_units);
	return items;
}

/*
 * Returns the maximum units of a request, as the head of unit_limit.h defines
 * them.
 */
static double
most_units(const DynStreamContext *context, const DynStream *stream,
		   double items)
{
	const DynUnitLimit *unit_limit = &context->unit_limit;
	double		item = Max(unit_limit->most_item, context->pacing.item_units);
	double		most = price(context, DYN_FULL_PAGE_UNITS);

	if (item <= 0)
		item = price(context, DYN_LARGEST_ITEM_UNITS);
	if (items > 0)
		most = costs_by_item(context) ? items * item
			: Min(items * item, most);
	if (context->spec.op == DYN_OP_QUERY && stream->nrequests == 0 &&
		unit_limit->most_request > 0)
		most = Min(most, unit_limit->most_request);
	return Max(most, price(context, DYN_LEAST_UNITS));
}

bool
dyn_unit_limit_charge(DynStreamContext *context, DynStream *stream, double items)
{
	double		limit = statement_limit(context);
	double		expected = expected_of(context, stream);

	if (limit > 0 && context->statement->counters.read_units + expected > limit)
		report_limit(context, limit, expected);
	stream->charge = most_units(context, stream, items);
	stream->ncharged = 1;
	if (context->unit_limit.budgets != NULL &&
		!dyn_budgets_take(context->unit_limit.budgets, stream->charge,
						  dyn_session_now()))
		return false;
	stream->expected = expected;
	context->statement->expected_units += expected;
	context->unit_limit.awaited++;
	return true;
}

/* ---- responses ---- */

void
dyn_unit_limit_landed(DynStreamContext *context, DynStream *stream)
{
	context->statement->expected_units -= stream->expected;
	stream->expected = 0;
	context->unit_limit.awaited--;
}

void
dyn_unit_limit_repeat(DynStreamContext *context, DynStream *stream)
{
	int			repeated = stream->call->lost + 1 - stream->ncharged;

	if (context->unit_limit.budgets == NULL || repeated <= 0)
		return;
	dyn_budgets_correct(context->unit_limit.budgets, 0,
						repeated * stream->charge, dyn_session_now());
	stream->ncharged += repeated;
}

static void
correct(DynStreamContext *context, DynStream *stream, double units)
{
	if (context->unit_limit.budgets != NULL)
		dyn_budgets_correct(context->unit_limit.budgets,
							stream->ncharged * stream->charge,
							units + stream->call->lost * stream->charge,
							dyn_session_now());
}

void
dyn_unit_limit_grant(DynStreamContext *context, DynStream *stream, double units,
					 double items)
{
	DynUnitLimit *unit_limit = &context->unit_limit;

	correct(context, stream, units);
	unit_limit->most_request = Max(unit_limit->most_request, units);
	if (items > 0)
		unit_limit->most_item = Max(unit_limit->most_item, units / items);
}

void
dyn_unit_limit_refuse(DynStreamContext *context, DynStream *stream)
{
	correct(context, stream, 0);
}

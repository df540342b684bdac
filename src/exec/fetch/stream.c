/*
 * stream.c
 *		Sends the requests of one stream, one after the other, and parses the
 *		responses.
 *
 * A Query or Scan ends only when LastEvaluatedKey is absent, not with an empty
 * page.  Keys that the response to a batch leaves unprocessed are requested
 * again: immediately if the response was large, else after a delay, as AWS
 * recommends (API reference, BatchGetItem).
 *
 * A response is used and counted only after it was compared with its request
 * (dynamodb/page_check.h).
 */
#include "postgres.h"

#include <math.h>

#include "../../dynamodb/units.h"
#include "../../model/server/memory.h"
#include "../../model/session/guc.h"
#include "stream.h"

/*
 * A response may exceed its expected size by this many bytes before the excess
 * is counted in statement->bytes.  This is the size of libcurl's own buffers.
 */
#define SPACE_SLACK		((size_t) 256 * 1024)

/*
 * When a response has come within SPACE_MARGIN of its limit of bytes
 * (DynStream.allowed), the limit is raised by up to SPACE_STEP.  So the
 * transfer pauses only if the statement is short of memory.
 */
#define SPACE_STEP		((size_t) 1024 * 1024)
#define SPACE_MARGIN		((size_t) 128 * 1024)

/*
 * A request's Limit is limit_hint * LIMIT_GROWTH^n.  If the order of items
 * does not matter, n is common to all streams, and grows after a page that is
 * not the last of its stream.  Otherwise, n is the number of pages that the
 * stream has read.
 */
#define LIMIT_GROWTH	4

void
dyn_stream_begin(const DynFetch *fetch, DynStream *stream, int number)
{
	const DynFetchParams *params = &fetch->params;

	Assert(!stream->in_flight && stream->first == NULL && stream->last == NULL);
	stream->number = number;
	stream->nrequests = 0;
	stream->more = true;
	stream->throttles = 0;
	stream->is_hot = false;
	stream->count = 0;
	stream->has_head = false;
	dyn_progress_begin(&stream->progress);
	/* only in an index can items of a partition have the same sort value */
	dyn_seam_begin(&stream->seam, params->sort_slot, params->requests->backward,
				   params->requests->index == NULL);
	stream->batch.nkeys = 0;
}

/* ---- sending ---- */

static long
page_limit(const DynFetch *fetch, const DynStream *stream)
{
	const DynFetchParams *params = &fetch->params;
	double		limit = params->access->limit_hint;
	double		item_units = fetch->examined > 0
		? fetch->units / fetch->examined : params->item_units;
	double		items;
	bool		alone = params->nsort > 0 || params->keyed || params->in_turn;

	for (int i = alone ? stream->nrequests : fetch->growth; limit > 0 && i > 0; i--)
		limit = limit > 10000 ? 0 : limit * LIMIT_GROWTH;
	if (params->bound.found != NULL && *params->bound.found > 0)
	{
		/* a tenth more, because a Limit that is too low costs a request */
		items = Max(params->bound.wanted - *params->bound.found, 1) * fetch->examined /
			*params->bound.found * 1.1;
		limit = dyn_smaller_limit(limit, Min(ceil(items), 1e6));
	}
	if (params->bound.items > 0)
		limit = params->bound.items - fetch->examined;
	else if (params->bound.units > 0)
	{
		/* the number of items that are expected to use the remaining units */
		if (item_units <= 0)
			item_units = dyn_sequence_units(DYN_UNKNOWN_ITEM_BYTES);
		items = Max((params->bound.units - fetch->units) / item_units, 1);
		limit = dyn_smaller_limit(limit, Min(items, 1e6));
	}
	return (long) dyn_smaller_limit(limit, params->fetch_size);
}

/* Selects open keys of the batch (DYN_KEY_OPEN) for the request. */
static void
pick_keys(const DynFetch *fetch, DynStream *stream,
		  DynReadRequest *request, uint8_t *picked)
{
	const DynFetchParams *params = &fetch->params;
	DynBatch   *batch = &stream->batch;

	if (batch->nkeys == 0)
	{
		dyn_batch_begin(batch, request->nkeys);
		stream->batch_complete = 0;
		stream->batch_most = params->batch_keys > 0 ? params->batch_keys
			: DYN_BATCH_GET_MAX_KEYS;
	}
	Assert(batch->nkeys == request->nkeys);
	request->npicked = dyn_batch_request(batch, (int) dyn_pacing_limit(fetch, stream->batch_most),
										 picked);
	/* there are open keys, since the stream would have ended otherwise */
	Assert(request->npicked > 0);
	request->picked = picked;
}

static bool
write_body(DynFetch *fetch, DynStream *stream)
{
	DynReadRequest request = {0};
	DynBuffer  *body = dyn_call_body(stream->call);
	uint8_t		picked[DYN_BATCH_GET_MAX_KEYS];
	bool		full = fetch->params.full_first_page && stream->number == 0 &&
		fetch->responses == 0;
	MemoryContext oldcontext = MemoryContextSwitchTo(fetch->request_context);

	dyn_requests_prepare(fetch->params.requests, stream->number, full, &request);
	MemoryContextSwitchTo(oldcontext);
	request.report_units = true;
	if (request.op == DYN_OP_QUERY || request.op == DYN_OP_SCAN)
		request.limit = stream->limit =
			dyn_pacing_limit(fetch, page_limit(fetch, stream));
	stream->segment = request.segment;
	if (stream->progress.last.len > 0)
	{
		request.start_key = stream->progress.last.data;
		request.start_key_len = stream->progress.last.len;
	}
	if (request.op == DYN_OP_BATCH_GET_ITEM)
		pick_keys(fetch, stream, &request, picked);
	dyn_write_read(body, &request);
	MemoryContextReset(fetch->request_context);
	dyn_check_oom(body->failed);
	/* last argument: maximum number of items that the request examines */
	return dyn_pacing_send(fetch, stream, request.op == DYN_OP_GET_ITEM ? 1
						   : request.op == DYN_OP_BATCH_GET_ITEM ? request.npicked
						   : request.limit);
}

bool
dyn_stream_send(DynFetch *fetch, DynStream *stream)
{
	DynFetchParams *params = &fetch->params;
	DynConnection *connection = params->requests->relation->connection;

	Assert(stream->more && !stream->in_flight && stream->reserved == 0);
	dyn_session_check(connection);
	if (params->bound.units > 0 &&
		((params->bound.items > 0 && fetch->examined >= params->bound.items) ||
		 fetch->units >= params->bound.units))
	{
		params->bound.units = params->bound.items = 0;
		params->bound.beyond(params->bound.arg);
	}
	if (stream->call == NULL)
		stream->call = dyn_session_call();
	if (!write_body(fetch, stream))
	{
		dyn_batch_reopen(&stream->batch);
		return false;
	}
	stream->nrequests++;
	stream->growth = fetch->growth;
	stream->more = false;
	stream->in_flight = true;
	stream->sent_after_refresh = fetch->refreshed;
	stream->reserved = fetch->expected;
	stream->allowed = stream->reserved + SPACE_SLACK;
	fetch->statement->in_flight++;
	fetch->statement->bytes += stream->reserved;
	dyn_call_allow(stream->call, stream->allowed);
	stream->call->ends_throttled = true;
	stream->call->in_flight = &fetch->pacing.table->in_flight;
	dyn_call_start(stream->call, &connection->service, &fetch->statement->retries,
				   dyn_operation_name(params->requests->op));
	return true;
}

/* ---- receiving ---- */

static uint64
items_returned(const DynPage *page)
{
	return page->members & DYN_PAGE_COUNT ? page->count : page->nitems;
}

void
dyn_stream_count(DynFetch *fetch, const DynCounters *counters)
{
	dyn_counters_add(&fetch->statement->counters, counters);
	dyn_counters_add(fetch->params.counters, counters);
}

/* Counts the time of a call.  Each throttled attempt is a call of its own. */
static void
count_time(DynFetch *fetch, const DynCall *call)
{
	DynCounters counters = {.request_ms = call->elapsed_ms,.slowest_ms = call->elapsed_ms};

	dyn_stream_count(fetch, &counters);
}

static void
count_response(DynFetch *fetch, const DynCall *call, const DynPage *page)
{
	DynOperation op = fetch->params.requests->op;
	DynCounters counters = {.pages = 1,
		.items_read = op == DYN_OP_GET_ITEM || op == DYN_OP_BATCH_GET_ITEM
		? page->nitems : page->scanned_count,
	.items_returned = items_returned(page),.read_units = page->units};

	Assert(counters.items_returned <= counters.items_read);
	/* the call itself was counted in end_flight */
	dyn_usage_add(fetch->usage, &counters);
	counters.requests = 1;
	counters.retries = Max(call->attempts - 1, 0);
	counters.throttles = call->throttles;
	counters.bytes = call->bytes_received;
	dyn_stream_count(fetch, &counters);
	fetch->examined += counters.items_read;
	fetch->units += counters.read_units;
}

/*
 * Counts the time of the request's last call.  Adds the earlier calls, which
 * were throttled, to the attempts and throttles of the last call.
 */
static void
count_call(DynFetch *fetch, DynStream *stream)
{
	count_time(fetch, stream->call);
	stream->call->attempts += stream->throttles;
	stream->call->throttles += stream->throttles;
	stream->throttles = 0;
}

/*
 * Logs a call.  Values of conditions appear only if log_requests is on.  The
 * line is composed in fetch->request_context, because the caller may take many
 * responses before its own memory context is reset.
 */
static void
log_call(const DynFetch *fetch, const DynStream *stream, const DynPage *page)
{
	DynRequests *requests = fetch->params.requests;
	bool		repeated = stream->throttles > 0;	/* count_call resets it */
	MemoryContext oldcontext;
	StringInfoData line;

	if (!dyn_request_is_logged(stream->call, repeated))
		return;
	oldcontext = MemoryContextSwitchTo(fetch->request_context);
	initStringInfo(&line);
	appendStringInfo(&line, "%s %s", dyn_operation_name(requests->op),
					 requests->relation->table);
	if (requests->index != NULL)
		appendStringInfo(&line, " index %s", requests->index);
	if (dyn_guc_log_requests)
		dyn_requests_describe(requests, stream->number, &line);
	if (stream->nrequests > 1)
		appendStringInfo(&line, ", page %d", stream->nrequests);
	if (page != NULL)
	{
		uint64		items = items_returned(page);

		appendStringInfo(&line, ": " UINT64_FORMAT " item%s, %g unit%s", items,
						 items == 1 ? "" : "s", page->units,
						 page->units == 1 ? "" : "s");
	}
	dyn_request_log(stream->call, line.data,
					stream->throttles + stream->call->attempts - repeated);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(fetch->request_context);
}

/*
 * Handles a request that was rejected, maybe because the table or index has
 * changed since planning.  Forgets the table's description, so that the next
 * plan uses a new one.  If the fetch has not taken in any response, requests a
 * new description, once.  Returns true if the plan matches this description:
 * then the caller sends the request again.  The result is the same for other
 * requests that were in flight when the description was requested.
 */
static bool
refresh_if_stale(DynFetch *fetch, const DynStream *stream)
{
	const DynRelation *relation = fetch->params.requests->relation;
	const DynTableMeta *meta;

	if (!dyn_failure_is_stale(stream->call))
		return false;
	if (fetch->refreshed && !stream->sent_after_refresh)
		return fetch->matches;
	dyn_session_forget_table(relation->connection, relation->table);
	if (fetch->responses > 0 || fetch->refreshed)
		return false;
	fetch->refreshed = true;
	meta = dyn_session_table(relation->connection, relation->table);
	fetch->matches = dyn_access_is_valid(fetch->params.access, meta);
	return fetch->matches;
}

static void
send_again(DynStream *stream)
{
	Assert(stream->nrequests > 0 && !stream->more);
	dyn_batch_reopen(&stream->batch);
	stream->nrequests--;
	stream->more = true;
}

/* Raises the error of a failed call, or prepares to send the request again. */
static void
receive_failure(DynFetch *fetch, DynStream *stream,
				const DynRequestContext *about)
{
	DynFetchParams *params = &fetch->params;
	int			nkeys = dyn_batch_count(&stream->batch, DYN_KEY_REQUESTED);

	dyn_pacing_correct(fetch, stream, 0);
	count_call(fetch, stream);
	log_call(fetch, stream, NULL);
	if (stream->call->failure == DYN_FAIL_TOO_LARGE && nkeys > 1)
		stream->batch_most = nkeys / 2;
	else if (params->full_first_page && stream->number == 0 &&
			 dyn_failure_sqlstate(stream->call) == ERRCODE_INSUFFICIENT_PRIVILEGE)
		params->full_first_page = false;
	else if (!refresh_if_stale(fetch, stream))
		dyn_report_call(stream->call, about);
	send_again(stream);
}

/* Frees the call's share of the statement's limits, but not of the budgets. */
static void
end_flight(DynFetch *fetch, DynStream *stream, bool abandoned)
{
	Assert(stream->in_flight && fetch->statement->in_flight > 0);
	Assert(fetch->statement->bytes >= stream->reserved);
	stream->in_flight = false;
	fetch->statement->in_flight--;
	fetch->statement->bytes -= stream->reserved;
	stream->reserved = 0;
	dyn_usage_call(fetch->usage, fetch->params.requests->op, stream->call, abandoned);
	fetch->statement->expected_units -= stream->expected;
	fetch->statement->lost_units += stream->call->lost * stream->expected;
	stream->expected = 0;
	fetch->pacing.awaited--;
}

static void
reserve(DynFetch *fetch, DynStream *stream, size_t bytes)
{
	if (bytes <= stream->reserved)
		return;
	fetch->statement->bytes += bytes - stream->reserved;
	stream->reserved = bytes;
}

void
dyn_stream_charge(DynFetch *fetch, DynStream *stream)
{
	const DynStatement *statement = fetch->statement;
	size_t		held = dyn_call_held(stream->call);
	size_t		most;

	Assert(stream->in_flight);
	dyn_pacing_repeat(fetch, stream);
	reserve(fetch, stream, held);
	if (stream->call->state != DYN_CALL_SENT ||
		held + SPACE_MARGIN <= stream->allowed)
		return;
	most = stream->reserved;
	if (statement->bytes < statement->max_bytes)
		most += statement->max_bytes - statement->bytes;
	most = Min(most, stream->allowed + SPACE_STEP);
	if (most < stream->allowed + SPACE_MARGIN)
		return;
	stream->allowed = most;
	reserve(fetch, stream, most);
	dyn_call_allow(stream->call, most);
}

void
dyn_stream_allow_all(DynStream *stream)
{
	Assert(stream->in_flight);
	stream->allowed = SIZE_MAX - SPACE_STEP;
	dyn_call_allow(stream->call, SIZE_MAX);
}

void
dyn_page_done(DynFetch *fetch, DynFetchPage *page)
{
	Assert(fetch->statement->bytes >= page->bytes && page->next == NULL);
	fetch->statement->bytes -= page->bytes;
	page->bytes = 0;
	dyn_client_recycle(dyn_session_client(), &page->body);
	page->next = fetch->spare;
	fetch->spare = page;
}

static void
queue_page(DynFetch *fetch, DynStream *stream, DynFetchPage *page)
{
	Assert(page->page.nitems > 0 && page->bytes == 0 && !stream->in_flight);
	Assert(!fetch->params.requests->count_only);
	page->bytes = page->body.cap + dyn_page_memory(&page->page);
	fetch->statement->bytes += page->bytes;
	page->next = NULL;
	if (stream->last != NULL)
		stream->last->next = page;
	else
		stream->first = page;
	stream->last = page;
}

DynFetchPage *
dyn_stream_pop(DynStream *stream)
{
	DynFetchPage *page = stream->first;

	Assert((stream->first == NULL) == (stream->last == NULL));
	if (page != NULL)
	{
		stream->first = page->next;
		if (stream->first == NULL)
			stream->last = NULL;
		page->next = NULL;
	}
	return page;
}

/*
 * Stores the key where the next page starts.  Raises an error if an earlier
 * key is repeated, because the pages would then repeat forever.  Also raises
 * an error if the key does not have the planned attributes: the table or index
 * was replaced after planning.
 */
static void
note_last_key(DynFetch *fetch, DynStream *stream,
			  const DynPage *page, const DynRequestContext *about)
{
	const DynRelation *relation = fetch->params.requests->relation;
	const char *err;

	if (page->last_key == NULL)
		return;
	err = dyn_progress_note(&stream->progress, page->last_key,
							page->last_key_len,
							"repeats the LastEvaluatedKey of an earlier page");
	if (err != NULL)
	{
		dyn_usage_reject(fetch->usage);
		dyn_report_no_match(stream->call, err, about);
	}
	if (!dyn_access_is_valid_key(fetch->params.access, page->last_key, page->last_key_len))
	{
		dyn_session_forget_table(relation->connection, relation->table);
		dyn_report_changed_schema(about,
								  "The LastEvaluatedKey of a response has different attributes.");
	}
	fetch->growth = Max(fetch->growth, stream->growth + 1);
	stream->more = true;
}

/* Parses UnprocessedKeys, and checks that the response matches its request. */
static void
check_response(DynFetch *fetch, DynStream *stream,
			   const DynFetchPage *page, const DynRequestContext *about)
{
	const DynRequests *requests = fetch->params.requests;
	const DynPage *left = page->page.unprocessed ? &fetch->left : NULL;
	DynExpected expected = {.op = requests->op,.table = requests->relation->table,
		.count_only = requests->count_only,.slots = fetch->params.key_slots,
	.batch = &stream->batch};
	DynPageError error;
	const char *err;

	if (left != NULL &&
		!dyn_page_parse(&fetch->left, DYN_PARSE_KEYS, fetch->tree,
						page->page.unprocessed, page->page.unprocessed_len,
						&error))
	{
		error.offset += page->page.unprocessed - page->body.data;
		dyn_usage_reject(fetch->usage);
		dyn_report_page(stream->call, &error, about);
	}
	if (requests->op == DYN_OP_QUERY && !requests->count_only)
		expected.seam = &stream->seam;
	dyn_requests_expected(requests, stream->number, &expected);
	err = dyn_page_check(&page->page, left, &expected, &fetch->scratch);
	if (err != NULL)
	{
		dyn_usage_reject(fetch->usage);
		dyn_report_no_match(stream->call, err, about);
	}
}

/*
 * Estimates the read units of a response that does not report them, as with
 * some emulators.  The estimate is at most stream->cost (the expected units).
 * An estimate from the response's bytes is too low if there is a filter or
 * projection.
 */
static double
unreported_units(const DynFetch *fetch, const DynStream *stream,
				 const DynFetchPage *page, double items)
{
	const DynFetchParams *params = &fetch->params;
	DynOperation op = params->requests->op;
	bool		sized = params->item_units > 0;
	int			factor = params->consistent ? 2 : 1;

	if (sized && (op == DYN_OP_GET_ITEM || op == DYN_OP_BATCH_GET_ITEM))
		return stream->cost;
	if (sized)
		return Min(stream->cost, Max(items * params->item_units,
									 dyn_page_units(1) * factor));
	if (page->page.last_key != NULL)
		return stream->cost;
	return Min(stream->cost, dyn_page_units(page->body.len) * factor);
}

/* Determines page->units, and passes them to the budgets and the pace. */
static void
note_units(DynFetch *fetch, DynStream *stream, DynFetchPage *received)
{
	DynPage    *page = &received->page;
	DynOperation op = fetch->params.requests->op;
	int			complete_before = stream->batch_complete;
	double		items = page->scanned_count;	/* examined items or keys */

	if (op == DYN_OP_GET_ITEM)
		items = 1;
	else if (op == DYN_OP_BATCH_GET_ITEM)
	{
		stream->batch_complete = dyn_batch_count(&stream->batch, DYN_KEY_COMPLETE);
		items = stream->batch_complete - complete_before;
	}
	if (!page->units_reported)
		page->units = unreported_units(fetch, stream, received, items);
	dyn_pacing_grant(fetch, stream, page->units, items);
}

static void
accept_page(DynFetch *fetch, DynStream *stream, DynFetchPage *page,
			const DynRequestContext *about)
{
	note_units(fetch, stream, page);
	count_call(fetch, stream);
	log_call(fetch, stream, &page->page);
	count_response(fetch, stream->call, &page->page);
	fetch->responses++;
	page->stream = stream->number;
	page->ordinal = stream->nrequests;
	page->limit = stream->limit;
	snprintf(page->segment, sizeof(page->segment), "%d", stream->segment);
	dyn_page_cursor_init(&page->cursor, &page->page);
	dyn_buffer_reset(&page->start_key);
	dyn_buffer_append(&page->start_key, stream->progress.last.data,
					  stream->progress.last.len);
	dyn_check_oom(page->start_key.failed);
	note_last_key(fetch, stream, &page->page, about);
	Assert(dyn_batch_count(&stream->batch, DYN_KEY_REQUESTED) == 0);
	if (dyn_batch_count(&stream->batch, DYN_KEY_OPEN) == 0)
		return;
	stream->more = true;
	/*
	 * BatchGetItem reads at most 1 MB from a partition.  If keys are left over
	 * although another item of any size could be added, they were throttled.
	 */
	if (page->page.unprocessed != NULL &&
		(page->page.units_reported ? page->page.units / (fetch->params.consistent ? 2 : 1)
		 : dyn_page_units(page->body.len)) < DYN_FULL_PAGE_UNITS - DYN_LARGEST_ITEM_UNITS)
		dyn_pacing_refuse(fetch, stream);
}

void
dyn_stream_receive(DynFetch *fetch, DynStream *stream)
{
	DynRequestContext about = dyn_requests_about(fetch->params.requests);
	DynPageError error;
	DynFetchPage *page;

	Assert(stream->in_flight && stream->call->state == DYN_CALL_DONE);
	if (!dyn_call_unpack(stream->call))
		return;
	end_flight(fetch, stream, false);
	if (stream->call->throttled)
	{
		/* count_call will count this attempt, when the request ends */
		stream->throttles++;
		count_time(fetch, stream->call);
		log_call(fetch, stream, NULL);
		dyn_pacing_correct(fetch, stream, 0);
		dyn_pacing_refuse(fetch, stream);
		send_again(stream);
		return;
	}
	if (stream->call->failure != DYN_FAIL_NONE)
	{
		receive_failure(fetch, stream, &about);
		return;
	}
	if (fetch->spare == NULL)
	{
		fetch->spare = calloc(1, sizeof(DynFetchPage));
		dyn_check_oom(fetch->spare == NULL);
	}
	/* if a check raises an error, the page is freed as part of fetch->spare */
	page = fetch->spare;
	dyn_call_take_response(stream->call, &page->body);
	/* halve the estimate at most: the response of an empty segment is short */
	fetch->expected = Max(page->body.cap, fetch->expected / 2);
	if (!dyn_page_parse(&page->page, DYN_PARSE_RESPONSE, fetch->tree,
						page->body.data, page->body.len, &error))
	{
		dyn_usage_reject(fetch->usage);
		dyn_report_page(stream->call, &error, &about);
	}
	check_response(fetch, stream, page, &about);
	accept_page(fetch, stream, page, &about);
	if (page->page.nitems == 0)
		stream->count += page->page.count;
	fetch->count += page->page.count;
	if (fetch->params.requests->count_only || page->page.nitems == 0)
	{
		fetch->empty++;
		dyn_client_recycle(dyn_session_client(), &page->body);
		return;
	}
	fetch->spare = page->next;
	queue_page(fetch, stream, page);
}

/* ---- groups and release ---- */

void
dyn_fetch_set_group(DynFetch *fetch, dlist_head *group)
{
	if (fetch->params.group != NULL)
		dlist_delete(&fetch->peer);
	if (group != NULL)
		dlist_push_tail(group, &fetch->peer);
	fetch->params.group = group;
}

static void
free_page(DynFetch *fetch, DynFetchPage *page)
{
	Assert(fetch->statement->bytes >= page->bytes);
	fetch->statement->bytes -= page->bytes;
	dyn_page_free(&page->page);
	dyn_buffer_free(&page->body);
	dyn_buffer_free(&page->start_key);
	free(page);
}

void
dyn_stream_abandon(DynFetch *fetch, DynStream *stream)
{
	DynFetchPage *page;

	if (stream->in_flight)
		end_flight(fetch, stream, true);
	else if (stream->throttles > 0 && stream->call->throttled)
		dyn_usage_give_up(fetch->usage, fetch->params.requests->op, stream->call,
						  DYN_USAGE_CANCELED);
	if (stream->call != NULL)
		dyn_call_destroy(stream->call);
	stream->call = NULL;
	stream->throttles = 0;
	stream->more = false;
	stream->count = 0;
	while ((page = dyn_stream_pop(stream)) != NULL)
		free_page(fetch, page);
}

void
dyn_streams_release(void *arg)
{
	DynFetch   *fetch = arg;

	dyn_fetch_set_group(fetch, NULL);
	for (int i = 0; i < fetch->nstreams; i++)
	{
		DynStream  *stream = fetch->active[i];

		dyn_stream_abandon(fetch, stream);
		dyn_progress_free(&stream->progress);
		dyn_seam_free(&stream->seam);
	}
	while (fetch->spare != NULL)
	{
		DynFetchPage *page = fetch->spare;

		fetch->spare = page->next;
		free_page(fetch, page);
	}
	if (fetch->page != NULL)
		free_page(fetch, fetch->page);
	if (fetch->cached != NULL)
		free_page(fetch, fetch->cached);
	dyn_page_free(&fetch->left);
	dyn_buffer_free(&fetch->scratch);
	dyn_path_tree_free(fetch->tree);
}

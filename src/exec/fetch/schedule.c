/*
 * schedule.c
 *		Decides which streams of a fetch are active, when they send, and when
 *		their responses are parsed.
 *
 * A pump (dyn_fetch_pump) drives the network, takes in responses, and sends
 * requests within the statement's limits.  The rules for a stream depend on
 * how the consumer reads (fetch.c).  If the consumer may stop early (LIMIT), a
 * row "may stop" replaces the row above it:
 *
 *						any order			merged			keyed
 *		active streams	max_concurrency		all				4 * max_concurrency
 *		  may stop		1 + used up			all				4 * max_concurrency
 *		reads ahead		always				always			always
 *		  may stop		after 3 requests	after 3			after 3 requests,
 *											requests		if it is awaited
 *		starves			if no page waits	if it has no	if it is awaited
 *						and no response		item, and no	and has no page
 *						can arrive			response can
 *											arrive
 *
 * "Used up" is the number of responses that had no items, or whose items were
 * all returned.  A stream starves if the consumer cannot continue without it.
 *
 * Streams can also be read in turn, one after the other.  For these streams,
 * the first column applies, with two exceptions.  Only the stream whose turn
 * it is can starve, namely if it has no page.  If the consumer may stop early,
 * the number of active streams is limited as described at LAZY_TURNS.
 *
 * A stream sends its next request when pace and budgets allow it, and when the
 * statement's limits allow the request and the expected bytes of its response.
 * A starving stream ignores the statement's limits, since otherwise two nodes
 * of a statement could wait for each other forever.  For the same reason, a
 * paused response may exceed the memory limit if the consumer waits for it and
 * no other response that the consumer could use is arriving.
 *
 * A response can arrive if its request is in flight and it is not paused.  If
 * an asynchronous Append waits for several fetches, a response to any of them
 * counts.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "stream.h"

/* Expected bytes of the first response: 1 MB of items, nearly 2 MB of JSON. */
#define FIRST_EXPECTED_BYTES	(2 * 1024 * 1024)

/* Expected bytes of a response in a keyed fetch; most responses are short. */
#define KEYED_EXPECTED_BYTES	(256 * 1024)

/*
 * A keyed fetch has at most KEYED_WINDOW * max_concurrency active streams.
 * Streams whose responses came early stay active until they are read, and must
 * not prevent other streams from sending.
 */
#define KEYED_WINDOW			4

/*
 * If the consumer may stop early, a stream begins to read ahead only when both
 * are true: it has sent this number of requests, and the fetch has passed its
 * DynReadBound (if it has one).
 */
#define LAZY_PAGES				3

/* Maximum number of items returned between two calls of dyn_fetch_pump. */
#define ITEMS_BETWEEN_PUMPS		512

/* A call of dyn_fetch_extend counts as this number of items. */
#define PUMP_SHARE_OF_EXTENSION	(ITEMS_BETWEEN_PUMPS / 16)

/*
 * If the consumer may stop early, and streams are read in turn, at most 1 +
 * (number of streams begun) / LAZY_TURNS streams are active.
 */
#define LAZY_TURNS				8

void
dyn_schedule_init(DynFetch *fetch)
{
	const DynFetchParams *params = &fetch->params;
	int			concurrency = params->requests->relation->connection->max_concurrency;

	Assert(params->nsort == 0 || !dyn_reads_one_stream(params));
	fetch->expected = params->keyed ? KEYED_EXPECTED_BYTES
		: FIRST_EXPECTED_BYTES;
	if (params->nsort > 0)
		fetch->max_active = params->requests->nstreams;
	else if (params->keyed)
		fetch->max_active = concurrency * KEYED_WINDOW; /* nstreams may grow */
	else
		fetch->max_active = Min(params->requests->nstreams, concurrency);
	fetch->space = Max(fetch->max_active, 1);
	fetch->active = MemoryContextAllocZero(fetch->context, fetch->space *
										   sizeof(DynStream *));
}

/* ---- streams ---- */

/* Records that a stream of a keyed fetch was begun or dropped. */
static void
settle(DynFetch *fetch, int number)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(fetch->context);

	Assert(number >= 0 && number < fetch->params.requests->nstreams);
	fetch->settled = bms_add_member(fetch->settled, number);
	MemoryContextSwitchTo(oldcontext);
}

static DynStream *
begin_stream(DynFetch *fetch, int number)
{
	DynStream  *stream;

	Assert(!bms_is_member(number, fetch->settled) && !fetch->draining);
	Assert(number < fetch->params.requests->nstreams);
	if (fetch->params.keyed)
		settle(fetch, number);
	Assert(fetch->nactive < fetch->space);
	if (fetch->nactive < fetch->nstreams)
		stream = fetch->active[fetch->nactive];
	else
	{
		stream = MemoryContextAllocZero(fetch->context, sizeof(DynStream));
		stream->head = MemoryContextAllocZero(fetch->context,
											  Max(fetch->params.npaths, 1) *
											  sizeof(DynValue));
		if (fetch->params.nsort > 0)
			stream->head_context = AllocSetContextCreate(fetch->context,
														 "dynamo_fdw merged item",
														 ALLOCSET_SMALL_SIZES);
		fetch->active[fetch->nstreams++] = stream;
	}
	Assert(dyn_stream_is_done(stream) && !stream->has_head && stream->reserved == 0);
	fetch->nactive++;
	dyn_stream_begin(fetch, stream, number);
	return stream;
}

DynStream *
dyn_schedule_stream(DynFetch *fetch, int number)
{
	Assert(fetch->params.keyed && number >= 0);
	Assert(number < fetch->params.requests->nstreams);
	if (fetch->current != NULL && fetch->current->number == number)
		return fetch->current;
	fetch->current = NULL;
	fetch->awaited = number;
	if (!bms_is_member(number, fetch->settled))
	{
		/* the array may be full if this stream is begun out of order */
		if (fetch->nactive == fetch->space)
		{
			fetch->space *= 2;
			fetch->active = repalloc(fetch->active, fetch->space * sizeof(DynStream *));
		}
		fetch->current = begin_stream(fetch, number);
		fetch->next_stream = Max(fetch->next_stream, number + 1);
		return fetch->current;
	}
	for (int i = 0; i < fetch->nactive; i++)
	{
		if (fetch->active[i]->number == number)
			fetch->current = fetch->active[i];
	}
	return fetch->current;
}

static void
retire_streams(DynFetch *fetch)
{
	int			remaining = 0;

	for (int i = 0; i < fetch->nactive; i++)
	{
		DynStream  *stream = fetch->active[i];
		bool		is_needed = fetch->params.keyed &&
			(stream->number == fetch->awaited || stream->count > 0);

		if (fetch->draining)
			stream->more = false;
		if (dyn_stream_is_done(stream) && !stream->has_head && !is_needed)
			continue;
		fetch->active[i] = fetch->active[remaining];
		fetch->active[remaining++] = stream;
	}
	fetch->nactive = remaining;
}

/* ---- sending ---- */

/* A quick check before may_send; most streams of a keyed fetch fail it. */
static inline bool
is_idle(const DynStream *stream)
{
	return !stream->in_flight && stream->more;
}

/* True if the stream should send a request as soon as the limits allow it. */
static bool
wants_to_send(const DynFetch *fetch, const DynStream *stream)
{
	const DynFetchParams *params = &fetch->params;

	if (!is_idle(stream) || fetch->draining)
		return false;
	if (stream->nrequests == 0 || !params->access->may_stop_early)
		return true;
	/* read ahead only the awaited stream: other streams may never be read */
	if (params->keyed && stream->number != fetch->awaited)
		return false;
	if (stream->nrequests >= LAZY_PAGES && params->bound.units == 0)
		return true;
	/* do not read ahead: wait until the received pages are used up */
	return stream->first == NULL && fetch->page == NULL;
}

/* True if the statement's limits allow another request and its response. */
static bool
has_space(const DynFetch *fetch)
{
	const DynStatement *statement = fetch->statement;
	const DynRelation *relation = fetch->params.requests->relation;

	return statement->in_flight < relation->connection->max_concurrency &&
		statement->bytes + fetch->expected <= statement->max_bytes;
}

static bool
has_pages(const DynFetch *fetch)
{
	for (int i = 0; i < fetch->nactive; i++)
	{
		if (fetch->active[i]->first != NULL)
			return true;
	}
	return fetch->page != NULL;
}

/* True if a response to the fetch, or to its group, can arrive. */
static bool
awaits_response(const DynFetch *fetch)
{
	dlist_iter	peer;

	if (fetch->params.group == NULL || fetch->solo_wait)
		return dyn_is_receiving(fetch);
	dlist_foreach(peer, fetch->params.group)
	{
		if (dyn_is_receiving(dlist_container(DynFetch, peer, peer.cur)))
			return true;
	}
	return false;
}

DynStream *
dyn_schedule_turn(const DynFetch *fetch)
{
	for (int i = 0; i < fetch->nactive; i++)
	{
		if (!dyn_stream_is_done(fetch->active[i]))
			return fetch->active[i];
	}
	return NULL;
}

/*
 * Returns true if the consumer needs a page of this stream to continue.  If
 * items come in any order, this is so if no stream has a page.
 */
static bool
is_wanted(const DynFetch *fetch, const DynStream *stream)
{
	if (fetch->params.in_turn)
		return fetch->page == NULL && stream->first == NULL &&
			stream == dyn_schedule_turn(fetch);
	if (fetch->params.keyed)
		return stream->number == fetch->awaited && stream->first == NULL;
	if (fetch->params.nsort > 0)
		return stream->first == NULL && !stream->has_head;
	return !has_pages(fetch);
}

static bool
may_send(const DynFetch *fetch, const DynStream *stream)
{
	return wants_to_send(fetch, stream) && dyn_pacing_delay(fetch, stream) == 0 &&
		(has_space(fetch) ||
		 (is_wanted(fetch, stream) &&
		  (dyn_reads_one_stream(&fetch->params) || !awaits_response(fetch))));
}

/*
 * Returns the stream that sends next, or NULL.  In a keyed fetch, this is the
 * first stream that may send.  Otherwise it is the one with the fewest
 * requests, so that all streams end at about the same time.
 */
static DynStream *
next_to_send(const DynFetch *fetch)
{
	DynStream  *next = NULL;

	for (int i = 0; i < fetch->nactive; i++)
	{
		DynStream  *stream = fetch->active[i];

		if (is_idle(stream) &&
			(next == NULL || stream->nrequests < next->nrequests) &&
			may_send(fetch, stream))
			next = stream;
		if (next != NULL && fetch->params.keyed)
			break;
	}
	return next;
}

bool
dyn_schedule_may_send(const DynFetch *fetch)
{
	return next_to_send(fetch) != NULL;
}

static void
send_requests(DynFetch *fetch)
{
	const DynFetchParams *params = &fetch->params;
	bool		lazy = params->access->may_stop_early && params->nsort == 0 && !params->keyed;
	int			allowed = lazy ? Min(fetch->max_active, params->bound.units > 0 ? 1
									 : params->in_turn
									 ? 1 + fetch->next_stream / LAZY_TURNS
									 : 1 + fetch->pages_used + fetch->empty)
		: fetch->max_active;
	DynStream  *next;

	while (fetch->next_stream < params->requests->nstreams && fetch->nactive < allowed)
	{
		if (!bms_is_member(fetch->next_stream, fetch->settled))
			begin_stream(fetch, fetch->next_stream);
		fetch->next_stream++;
	}
	/* in a keyed fetch, the consumer may begin more streams */
	Assert(params->keyed || fetch->nactive <= fetch->max_active);
	while ((next = next_to_send(fetch)) != NULL &&
		   dyn_stream_send(fetch, next))
		continue;
}

/* ---- responses ---- */

/*
 * Returns true if the stream's response should be parsed now.  If memory is
 * short, and streams are not merged, a response is parsed only when the
 * consumer needs it, so that there is usually memory for the next request.
 */
static bool
wants_response(const DynFetch *fetch, const DynStream *stream)
{
	const DynStatement *statement = fetch->statement;

	if (fetch->params.nsort > 0 ||
		statement->bytes + fetch->expected <= statement->max_bytes)
		return true;
	if (fetch->params.keyed)
		return stream->number == fetch->awaited;
	return fetch->params.in_turn ? is_wanted(fetch, stream) : !has_pages(fetch);
}

/*
 * Returns true if the consumer would wait forever: the stream's response is
 * paused, and no other response that the consumer could use is arriving.
 */
static bool
is_blocked(const DynFetch *fetch, const DynStream *stream)
{
	return dyn_stream_is_paused(stream) && is_wanted(fetch, stream) &&
		(dyn_reads_one_stream(&fetch->params) || !dyn_is_receiving(fetch));
}

/*
 * Parses responses.  After each response, its stream sends the next request
 * before another response is parsed, so that the network is not idle.
 */
static void
take_responses(DynFetch *fetch)
{
	for (int i = 0; i < fetch->nactive; i++)
	{
		DynStream  *stream = fetch->active[i];

		if (!stream->in_flight)
			continue;
		dyn_stream_charge(fetch, stream);
		if (is_blocked(fetch, stream))
			dyn_stream_allow_all(stream);
		if (stream->call->state != DYN_CALL_DONE || !wants_response(fetch, stream))
			continue;
		dyn_stream_receive(fetch, stream);
		if (may_send(fetch, stream))
			(void) dyn_stream_send(fetch, stream);
	}
}

bool
dyn_schedule_has_response(const DynFetch *fetch)
{
	bool		any = false;

	for (int i = 0; i < fetch->nactive && !any; i++)
	{
		const DynStream *stream = fetch->active[i];

		any = is_blocked(fetch, stream) ||
			(stream->in_flight && stream->call->state == DYN_CALL_DONE &&
			 wants_response(fetch, stream));
	}
	return any;
}

void
dyn_fetch_pump(DynFetch *fetch)
{
	CHECK_FOR_INTERRUPTS();
	/*
	 * also drive the network for other fetches: a response to one of their
	 * requests may free memory, or allow the next request to the table
	 */
	if (fetch->pacing.awaited > 0 || fetch->pacing.table->in_flight > 0 ||
		awaits_response(fetch))
	{
		dyn_client_drive(dyn_session_client());
		take_responses(fetch);
	}
	retire_streams(fetch);
	send_requests(fetch);
	fetch->until_pump = ITEMS_BETWEEN_PUMPS;
}

bool
dyn_schedule_is_finished(const DynFetch *fetch)
{
	return fetch->nactive == 0 &&
		fetch->next_stream >= fetch->params.requests->nstreams;
}

double
dyn_schedule_next_resumption(const DynFetch *fetch)
{
	double		earliest = -1;

	for (int i = 0; i < fetch->nactive; i++)
	{
		const DynStream *stream = fetch->active[i];
		double		delay = is_idle(stream) ? dyn_pacing_delay(fetch, stream) : 0;

		if (delay > 0 && (earliest < 0 || delay < earliest))
			earliest = delay;
	}
	return earliest;
}

void
dyn_schedule_wait(DynFetch *fetch)
{
	double		pause = dyn_schedule_next_resumption(fetch);
	bool		idle = fetch->pacing.awaited == 0 && pause >= 0;
	DynWaitReason reason = idle ? DYN_WAITS_FOR_CAPACITY : DYN_WAITS_FOR_RESPONSE;
	DynCounters counters = {0};

	Assert(!fetch->solo_wait && !dyn_schedule_is_finished(fetch));
	fetch->solo_wait = true;
	/*
	 * a response that has arrived, or is paused, needs a pump instead of a
	 * wait; table->in_flight does not count such responses
	 */
	if (!dyn_schedule_has_response(fetch))
	{
		if (fetch->pacing.table->in_flight > 0)
			counters.waiting_ms = dyn_session_wait(fetch->usage,
												   pause < 0 ? -1 : pause + 1, reason);
		else if (pause >= 0)
			counters.waiting_ms = dyn_session_sleep(fetch->usage, pause, reason);
	}
	counters.waited_ms = idle ? counters.waiting_ms : 0;
	dyn_stream_count(fetch, &counters);
	dyn_fetch_pump(fetch);
	fetch->solo_wait = false;
}

/* ---- control by the consumer ---- */

void
dyn_fetch_send_ahead(DynFetch *fetch)
{
	if (has_space(fetch))
		dyn_fetch_pump(fetch);
}

void
dyn_fetch_extend(DynFetch *fetch)
{
	Assert(fetch->params.keyed);
	fetch->until_pump -= PUMP_SHARE_OF_EXTENSION;
	if (fetch->until_pump <= 0)
		dyn_fetch_pump(fetch);
	else if (has_space(fetch))
		send_requests(fetch);
}

void
dyn_fetch_drop(DynFetch *fetch, int number)
{
	Assert(fetch->params.keyed);
	if (fetch->current != NULL && fetch->current->number == number)
		fetch->current = NULL;
	fetch->origin = NULL;
	settle(fetch, number);
	for (int i = 0; i < fetch->nactive; i++)
	{
		if (fetch->active[i]->number == number)
			dyn_stream_abandon(fetch, fetch->active[i]);
	}
}

void
dyn_fetch_drain(DynFetch *fetch)
{
	Assert(!fetch->params.keyed);
	fetch->draining = true;
	fetch->next_stream = fetch->params.requests->nstreams;
}

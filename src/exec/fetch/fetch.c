/*
 * fetch.c
 *		Returns the items of a fetch: in any order, in turn, merged, or keyed.
 *
 *		any order	items of any stream; lower page numbers first
 *		in turn		items of the first stream, then of the second (params.in_turn)
 *		merged		the least item of all streams (params.nsort)
 *		keyed		items of the stream that the consumer names (params.keyed);
 *					the pages of the other streams wait
 *
 * Before the consumer waits, and after every few hundred items, dyn_fetch_pump
 * receives and sends.
 */
#include "postgres.h"

#include "../../model/server/memory.h"
#include "utils/memutils.h"

#include "stream.h"

/* ---- start and end ---- */

DynFetch *
dyn_fetch_start(DynStatement *statement, const DynFetchParams *params)
{
	const DynRequests *requests = params->requests;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw fetch",
												  ALLOCSET_SMALL_SIZES);
	DynFetch   *fetch = MemoryContextAllocZero(context, sizeof(DynFetch));

	fetch->context = context;
	fetch->request_context = AllocSetContextCreate(context, "dynamo_fdw request",
												   ALLOCSET_SMALL_SIZES);
	dyn_call_at_reset(context, dyn_streams_release, fetch);
	fetch->params = *params;
	fetch->params.group = NULL;
	dyn_fetch_set_group(fetch, params->group);
	fetch->statement = statement;
	fetch->usage = dyn_usage_of(requests->relation->connection,
								requests->relation->table, requests->index);
	dyn_statement_count(statement, fetch->usage);
	dyn_schedule_init(fetch);
	dyn_pacing_init(fetch);
	fetch->slots = MemoryContextAllocZero(fetch->context, Max(params->npaths, 1) *
										  sizeof(DynValue));
	fetch->tree = dyn_path_tree_create(params->paths, params->npaths);
	dyn_check_oom(fetch->tree == NULL);
	return fetch;
}

void
dyn_fetch_stop(DynFetch *fetch)
{
	MemoryContextDelete(fetch->context);
}

/* ---- items in any order ---- */

/*
 * Takes the next waiting page; returns false if there is none.  Unless streams
 * are read in turn, the page with the smallest number in its stream comes
 * first, so that all streams advance equally.
 */
static bool
next_waiting_page(DynFetch *fetch)
{
	DynStream  *earliest = fetch->params.in_turn ? dyn_schedule_turn(fetch) : NULL;

	if (earliest != NULL && earliest->first == NULL)
		return false;
	for (int i = 0; i < fetch->nactive && !fetch->params.in_turn; i++)
	{
		DynStream  *stream = fetch->active[i];

		if (stream->first != NULL &&
			(earliest == NULL ||
			 stream->first->ordinal < earliest->first->ordinal))
			earliest = stream;
	}
	Assert(fetch->page == NULL);
	Assert(earliest == NULL || fetch->cached == NULL);
	if (earliest != NULL)
		fetch->page = dyn_stream_pop(earliest);
	return earliest != NULL;
}

static void
finish_page(DynFetch *fetch)
{
	bool		is_only_page = fetch->pages_used == 0 &&
		fetch->next_stream >= fetch->params.requests->nstreams;

	Assert(fetch->page->cursor.given == fetch->page->page.nitems);
	Assert(fetch->params.nsort == 0 && !fetch->params.keyed);
	for (int i = 0; i < fetch->nactive; i++)
		is_only_page &= dyn_stream_is_done(fetch->active[i]);
	if (fetch->params.keep && is_only_page)
		fetch->cached = fetch->page;
	else
		dyn_page_done(fetch, fetch->page);
	fetch->page = NULL;
	fetch->pages_used++;
}

static const DynValue *
next_unordered(DynFetch *fetch)
{
	const DynFetchParams *params = &fetch->params;

	Assert(!params->keyed);
	for (;;)
	{
		if (fetch->page != NULL)
		{
			if (dyn_page_next(&fetch->page->cursor, fetch->slots))
			{
				fetch->origin = fetch->page;
				/* the response does not contain the segment's number */
				if (params->segment_slot >= 0)
					fetch->slots[params->segment_slot] = (DynValue) {
						.data = fetch->page->segment,
						.len = strlen(fetch->page->segment),
						.type = DYN_TYPE_N
					};
				if (--fetch->until_pump <= 0)
					dyn_fetch_pump(fetch);
				return fetch->slots;
			}
			finish_page(fetch);
		}
		if (next_waiting_page(fetch))
			continue;
		dyn_fetch_pump(fetch);
		if (next_waiting_page(fetch))
			continue;
		if (dyn_schedule_is_finished(fetch))
			return NULL;
		dyn_schedule_wait(fetch);
	}
}

bool
dyn_fetch_rewind(DynFetch *fetch)
{
	Assert(!fetch->params.keyed);
	if (fetch->params.requests->count_only)
		return true;
	if (fetch->params.nsort > 0)
		return false;
	if (fetch->cached != NULL)
	{
		Assert(fetch->page == NULL && fetch->pages_used == 1);
		fetch->page = fetch->cached;
		fetch->cached = NULL;
		fetch->pages_used = 0;
	}
	if (fetch->pages_used > 0)
		return false;
	if (fetch->page != NULL)
		dyn_page_cursor_init(&fetch->page->cursor, &fetch->page->page);
	return true;
}

/* ---- merging ---- */

/*
 * Stores the next item of the stream's waiting pages; returns false if none is
 * left.  A page remains stream->first while its items are returned.
 */
static bool
next_of_pages(DynFetch *fetch, DynStream *stream, DynValue *slots)
{
	while (stream->first != NULL)
	{
		Assert(stream->first->stream == stream->number);
		if (dyn_page_next(&stream->first->cursor, slots))
			return true;
		dyn_page_done(fetch, dyn_stream_pop(stream));
		fetch->pages_used++;
	}
	return false;
}

/* Loads each stream's next item; returns false if one has not arrived yet. */
static bool
load_heads(DynFetch *fetch)
{
	const DynFetchParams *params = &fetch->params;

	if (fetch->next_stream < params->requests->nstreams)
		return false;
	for (int i = 0; i < fetch->nactive; i++)
	{
		DynStream  *stream = fetch->active[i];
		MemoryContext oldcontext;

		if (stream->has_head)
			continue;
		stream->has_head = next_of_pages(fetch, stream, stream->head);
		if (!stream->has_head && !dyn_stream_is_done(stream))
			return false;
		if (!stream->has_head)
			continue;
		MemoryContextReset(stream->head_context);
		oldcontext = MemoryContextSwitchTo(stream->head_context);
		params->decode_sort(params->sort_arg, stream->head, stream->sort);
		MemoryContextSwitchTo(oldcontext);
	}
	return true;
}

static bool
is_less(const DynFetchParams *params, const DynStream *a, const DynStream *b)
{
	int			order = 0;

	for (int i = 0; i < params->nsort && order == 0; i++)
	{
		const DynScalar *x = &a->sort[i];
		const DynScalar *y = &b->sort[i];

		if (x->data == NULL || y->data == NULL)
			order = (x->data != NULL) - (y->data != NULL);
		else
			order = params->requests->backward ? dyn_scalar_compare(y, x)
				: dyn_scalar_compare(x, y);
	}
	return order < 0;
}

static DynStream *
least_head(DynFetch *fetch)
{
	DynStream  *least = NULL;

	for (int i = 0; i < fetch->nactive; i++)
	{
		DynStream  *stream = fetch->active[i];

		if (stream->has_head &&
			(least == NULL || is_less(&fetch->params, stream, least)))
			least = stream;
	}
	return least;
}

static const DynValue *
next_merged(DynFetch *fetch)
{
	DynStream  *least;

	Assert(fetch->params.nsort > 0);
	if (--fetch->until_pump <= 0)
		dyn_fetch_pump(fetch);
	while (!load_heads(fetch))
	{
		dyn_fetch_pump(fetch);
		if (load_heads(fetch))
			break;
		dyn_schedule_wait(fetch);
	}
	least = least_head(fetch);
	if (least == NULL)
		return NULL;
	Assert(least->first != NULL && least->first->cursor.given > 0);
	/* the page stays the stream's first one, so that the slots stay valid */
	memcpy(fetch->slots, least->head, fetch->params.npaths * sizeof(DynValue));
	least->has_head = false;
	fetch->origin = least->first;
	return fetch->slots;
}

const DynValue *
dyn_fetch_next(DynFetch *fetch)
{
	return fetch->params.nsort > 0 ? next_merged(fetch) : next_unordered(fetch);
}

/* ---- keyed fetches, sending and counting ---- */

const DynValue *
dyn_fetch_next_of(DynFetch *fetch, int number)
{
	DynStream  *stream = dyn_schedule_stream(fetch, number);

	if (stream == NULL)
		return NULL;
	if (--fetch->until_pump <= 0)
		dyn_fetch_pump(fetch);
	for (;;)
	{
		if (next_of_pages(fetch, stream, fetch->slots))
		{
			fetch->origin = stream->first;
			return fetch->slots;
		}
		if (dyn_stream_is_done(stream))
			return NULL;
		dyn_fetch_pump(fetch);
		if (stream->first == NULL && !dyn_stream_is_done(stream))
			dyn_schedule_wait(fetch);
	}
}

uint64
dyn_fetch_count_of(DynFetch *fetch, int number)
{
	DynStream  *stream = dyn_schedule_stream(fetch, number);
	uint64		count;

	if (stream == NULL)
		return 0;
	Assert(fetch->params.requests->count_only);
	while (dyn_fetch_next_of(fetch, number) != NULL)
		continue;
	count = stream->count;
	stream->count = 0;
	return count;
}

uint64
dyn_fetch_count(DynFetch *fetch)
{
	Assert(fetch->params.requests->count_only);
	dyn_fetch_pump(fetch);
	while (!dyn_schedule_is_finished(fetch))
		dyn_schedule_wait(fetch);
	return fetch->count;
}

/* ---- polling, groups and positions ---- */

/* Returns the state without polling the network. */
static DynFetchState
present_state(DynFetch *fetch)
{
	const DynFetchParams *params = &fetch->params;

	if (params->nsort > 0 && !params->requests->count_only)
	{
		if (!load_heads(fetch))
			return DYN_FETCH_WAITS;
		return least_head(fetch) ? DYN_FETCH_ITEM : DYN_FETCH_END;
	}
	if (fetch->page != NULL &&
		fetch->page->cursor.given >= fetch->page->page.nitems)
		finish_page(fetch);
	if (fetch->page != NULL || next_waiting_page(fetch))
		return DYN_FETCH_ITEM;
	return dyn_schedule_is_finished(fetch) ? DYN_FETCH_END : DYN_FETCH_WAITS;
}

/* Repeats dyn_fetch_pump, to handle requests that fail as it sends them. */
DynFetchState
dyn_fetch_poll(DynFetch *fetch)
{
	DynFetchState state = present_state(fetch);

	Assert(!fetch->params.keyed);
	if (state != DYN_FETCH_WAITS)
		return state;
	do
	{
		dyn_fetch_pump(fetch);
		state = present_state(fetch);
	} while (state == DYN_FETCH_WAITS && dyn_schedule_has_response(fetch));
	return state;
}

double
dyn_fetch_pause(DynFetch *fetch)
{
	if (present_state(fetch) != DYN_FETCH_WAITS || dyn_schedule_has_response(fetch) ||
		dyn_schedule_may_send(fetch))
		return 0;
	return dyn_schedule_next_resumption(fetch);
}

bool
dyn_fetch_position(const DynFetch *fetch, DynReadRequest *request, uint64 *item)
{
	const DynFetchPage *page = fetch->origin;

	if (page == NULL || page->cursor.given == 0)
		return false;
	Assert(page->cursor.given <= page->page.nitems);
	dyn_requests_prepare(fetch->params.requests, page->stream, false, request);
	request->limit = page->limit;
	request->start_key = page->start_key.data;
	request->start_key_len = page->start_key.len;
	*item = page->cursor.given - 1;
	return true;
}

DynRequests *
dyn_fetch_requests(const DynFetch *fetch)
{
	return fetch->params.requests;
}

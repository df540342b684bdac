/*
 * fetch.c
 *		Schedules the streams of a fetch and hands out their items.
 *
 * Before it waits, and once in a number of items, the consumer pumps the fetch:
 * the network is driven, answers are taken in, requests are sent as far as the
 * statement's bounds allow.  The rules, by how the consumer reads:
 *
 *		any order	a page of any stream; the earliest page first
 *		merged		the least item of all streams (spec.compare)
 *		keyed		the stream that it names (spec.keyed), mostly in rising order;
 *					pages of other streams wait until they are named
 *
 *						any order			merged			keyed
 *		active at most	max_concurrency		all				4 * max_concurrency
 *		  may stop		1 + pages used up	all				the same
 *		reads ahead		always				always			always
 *		  may stop		from page 3 on, or when its pages are used up; keyed: only
 *						the stream that is awaited
 *		is starving		no page waits and	the stream has	it is awaited and has
 *						no answer is		no item and no	no page
 *						under way			answer is
 *											under way
 *
 * A stream sends its next request if it has one, if it is time (pauses, read
 * units), and if the statement has room for a request and the bytes expected;
 * a starving stream needs no room, or nodes of one statement that wait for each
 * other's room could deadlock.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "../memory.h"
#include "stream.h"

/* Items between two pumps. */
#define ITEMS_BETWEEN_PUMPS		512

/*
 * Bytes of the first answer, as expected: 1 MB of items is nearly twice as much
 * JSON.
 */
#define FIRST_EXPECTED_BYTES	(2 * 1024 * 1024)

/* Keyed streams are many, and their answers short. */
#define KEYED_EXPECTED_BYTES	(256 * 1024)

/* A call of dyn_fetch_extend counts as so many items. */
#define PUMP_SHARE_OF_EXTENSION	(ITEMS_BETWEEN_PUMPS / 16)

/*
 * Keyed: active streams for each request that may be in flight.  Answers that
 * came early keep their streams active, and must not keep others from asking.
 */
#define KEYED_WINDOW			4

/* Where the consumer may stop early, a stream reads ahead from this page on. */
#define LAZY_PAGES				3

struct DynFetch
{
	DynStreamContext streams;	/* what streams share, the spec among it */
	MemoryContext context;
	int			nactive;
	int			max_active;
	int			space;			/* of active and idle */
	DynStream **active;			/* mostly by rising number */
	DynStream **idle;			/* done ones, to be begun again */
	int			nidle;
	int			next_stream;	/* the next to begin ahead of its turn */
	bool	   *settled;		/* keyed, by number: begun or dropped */
	int			nsettled;		/* numbers noted in settled */
	int			pages_used;		/* that the consumer has finished */
	int			until_pump;		/* items left until the next pump */
	int			awaited;		/* keyed: the stream that is waited for */
	DynStream  *current;		/* keyed: named last; or NULL */
	bool		draining;		/* nothing more is asked for */
	bool		solo_wait;		/* it is waited for without its group */

	DynFetchPage *page;			/* being handed out; not when merging */
	DynFetchPage *kept;			/* was the only one, kept to be read again */
	const DynFetchPage *origin; /* of the item that was handed out last */
	DynValue   *slots;
};

/* ---- beginning and ending ---- */

static void
spare_page(DynFetch *fetch, DynFetchPage *page)
{
	if (page == NULL)
		return;
	page->next = fetch->streams.spare;
	fetch->streams.spare = page;
}

/* Runs when the fetch's context goes, on every way out. */
static void
release_fetch(void *arg)
{
	DynFetch   *fetch = arg;

	spare_page(fetch, fetch->page);
	spare_page(fetch, fetch->kept);
	for (int i = 0; i < fetch->nactive; i++)
		dyn_stream_release(&fetch->streams, fetch->active[i]);
	for (int i = 0; i < fetch->nidle; i++)
		dyn_stream_release(&fetch->streams, fetch->idle[i]);
	dyn_stream_context_release(&fetch->streams);
}

static DynFetch *
allocate_fetch(void)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw fetch",
												  ALLOCSET_SMALL_SIZES);
	DynFetch   *fetch = MemoryContextAllocZero(context, sizeof(DynFetch));
	MemoryContextCallback *callback = MemoryContextAlloc(context, sizeof(*callback));

	fetch->context = context;
	callback->func = release_fetch;
	callback->arg = fetch;
	MemoryContextRegisterResetCallback(context, callback);
	return fetch;
}

static int
most_active(const DynFetchSpec *spec)
{
	int			concurrency = spec->connection->max_concurrency;

	if (spec->all_at_once)
		return spec->nstreams;
	/* more streams may come */
	return spec->keyed ? concurrency * KEYED_WINDOW : Min(spec->nstreams, concurrency);
}

DynFetch *
dyn_fetch_start(DynStatement *statement, const DynFetchSpec *spec)
{
	DynFetch   *fetch = allocate_fetch();

	fetch->streams.spec = *spec;
	fetch->streams.statement = statement;
	fetch->streams.expected = spec->keyed ? KEYED_EXPECTED_BYTES
		: FIRST_EXPECTED_BYTES;
	fetch->max_active = most_active(spec);
	fetch->space = Max(fetch->max_active, 1);
	fetch->active = MemoryContextAllocZero(fetch->context, fetch->space *
										   sizeof(DynStream *));
	fetch->idle = MemoryContextAllocZero(fetch->context, fetch->space *
										 sizeof(DynStream *));
	fetch->slots = MemoryContextAllocZero(fetch->context, Max(spec->npaths, 1) *
										  sizeof(DynValue));
	fetch->streams.tree = dyn_path_tree_create(spec->paths, spec->npaths);
	if (fetch->streams.tree == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	return fetch;
}

void
dyn_fetch_stop(DynFetch *fetch)
{
	MemoryContextDelete(fetch->context);
}

/* ---- scheduling ---- */

static bool
is_settled(const DynFetch *fetch, int number)
{
	return number < fetch->nsettled && fetch->settled[number];
}

/* From now on the stream is not begun. */
static void
settle(DynFetch *fetch, int number)
{
	if (number >= fetch->nsettled)
	{
		int			n = Max(64, number + number / 2);
		MemoryContext oldcontext = MemoryContextSwitchTo(fetch->context);

		fetch->settled = dyn_grown(fetch->settled, n * sizeof(bool));
		memset(fetch->settled + fetch->nsettled, 0,
			   (n - fetch->nsettled) * sizeof(bool));
		fetch->nsettled = n;
		MemoryContextSwitchTo(oldcontext);
	}
	fetch->settled[number] = true;
}

static DynStream *
begin_stream(DynFetch *fetch, int number)
{
	DynStream  *stream;

	Assert(!is_settled(fetch, number));
	if (fetch->streams.spec.keyed)
		settle(fetch, number);
	if (fetch->nidle > 0)
		stream = fetch->idle[--fetch->nidle];
	else
	{
		stream = MemoryContextAllocZero(fetch->context, sizeof(DynStream));
		stream->head = MemoryContextAllocZero(fetch->context,
											  Max(fetch->streams.spec.npaths, 1) *
											  sizeof(DynValue));
	}
	Assert(fetch->nactive < fetch->space);
	Assert(number < fetch->streams.spec.nstreams);
	Assert(dyn_stream_is_idle(stream));
	fetch->active[fetch->nactive++] = stream;
	dyn_stream_begin(stream, number);
	return stream;
}

/* Has the stream nothing left for the consumer? */
static bool
is_retirable(const DynFetch *fetch, const DynStream *stream)
{
	if (fetch->streams.spec.keyed &&
		(stream->number == fetch->awaited || stream->count > 0))
		return false;
	return dyn_stream_is_done(stream) && !stream->has_head;
}

/* Streams that have nothing left make room for the next ones. */
static void
retire_streams(DynFetch *fetch)
{
	int			kept = 0;

	for (int i = 0; i < fetch->nactive; i++)
	{
		DynStream  *stream = fetch->active[i];

		if (fetch->draining)
			stream->more = false;
		if (is_retirable(fetch, stream))
			fetch->idle[fetch->nidle++] = stream;
		else
			fetch->active[kept++] = stream;
	}
	fetch->nactive = kept;
	Assert(fetch->nidle <= fetch->space);
}

static int
allowed_active(const DynFetch *fetch)
{
	if (!fetch->streams.spec.may_stop_early || fetch->streams.spec.all_at_once ||
		fetch->streams.spec.keyed)
		return fetch->max_active;
	return Min(fetch->max_active, 1 + fetch->pages_used);
}

/* Would the stream send a request now, given room and time? */
static bool
wants_to_send(const DynFetch *fetch, const DynStream *stream)
{
	const DynFetchSpec *spec = &fetch->streams.spec;

	if (stream->in_flight || !stream->more || fetch->draining)
		return false;
	if (stream->asked == 0 || !spec->may_stop_early)
		return true;
	/* a stream that is not awaited may never be named */
	if (spec->keyed && stream->number != fetch->awaited)
		return false;
	if (stream->asked >= LAZY_PAGES)
		return true;
	/* only when what it has sent before is used up */
	return stream->first == NULL && fetch->page == NULL;
}

static bool
time_has_come(const DynFetch *fetch, const DynStream *stream)
{
	const DynConnection *connection = fetch->streams.spec.connection;
	double		earliest = Max(stream->resume_at, connection->max_read_units > 0
							   ? connection->not_before : 0);

	return earliest <= 0 || earliest <= dyn_session_now();
}

static bool
has_room(const DynFetch *fetch)
{
	const DynStatement *statement = fetch->streams.statement;

	return statement->in_flight < fetch->streams.spec.connection->max_concurrency &&
		statement->bytes + fetch->streams.expected <= statement->max_bytes;
}

static int
requests_in_flight(const DynFetch *fetch)
{
	int			n = 0;

	for (int i = 0; i < fetch->nactive; i++)
		n += fetch->active[i]->in_flight;
	return n;
}

/* Not merging: has the consumer a page to go on with? */
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

/* Is an answer under way that the consumer, or its group, waits for? */
static bool
awaits_answer(const DynFetch *fetch)
{
	const int  *group = fetch->streams.spec.group_in_flight;

	return group && !fetch->solo_wait ? *group > 0 : requests_in_flight(fetch) > 0;
}

/* Would the consumer wait for this stream, or for any? */
static bool
is_starving(const DynFetch *fetch, const DynStream *stream)
{
	if (fetch->streams.spec.keyed)
		return stream->number == fetch->awaited && stream->first == NULL;
	if (fetch->streams.spec.compare != NULL)
		return stream->first == NULL && !stream->has_head &&
			!awaits_answer(fetch);
	return !has_pages(fetch) && !awaits_answer(fetch);
}

static bool
may_send(const DynFetch *fetch, const DynStream *stream)
{
	return wants_to_send(fetch, stream) && time_has_come(fetch, stream) &&
		(has_room(fetch) || is_starving(fetch, stream));
}

/* Brings in streams that were not begun yet. */
static void
begin_streams(DynFetch *fetch)
{
	const DynFetchSpec *spec = &fetch->streams.spec;

	while (fetch->next_stream < spec->nstreams &&
		   fetch->nactive < allowed_active(fetch))
	{
		if (!is_settled(fetch, fetch->next_stream))
			begin_stream(fetch, fetch->next_stream);
		fetch->next_stream++;
	}
}

/*
 * Room goes to the stream that has sent the fewest requests: a stream that falls
 * behind is alone at the end, each page waiting for the one before.  Keyed, it
 * goes to the first stream.
 */
static DynStream *
next_to_send(const DynFetch *fetch)
{
	DynStream  *next = NULL;

	for (int i = 0; i < fetch->nactive; i++)
	{
		DynStream  *stream = fetch->active[i];

		if ((next == NULL || stream->asked < next->asked) &&
			may_send(fetch, stream))
			next = stream;
		if (next != NULL && fetch->streams.spec.keyed)
			break;
	}
	return next;
}

static void
send_requests(DynFetch *fetch)
{
	DynStream  *next;

	begin_streams(fetch);
	while ((next = next_to_send(fetch)) != NULL)
		dyn_stream_send(&fetch->streams, next);
}

/*
 * Is it worth parsing the stream's answer now?  Without room its next request
 * could not leave, so that it waits until the consumer has nothing else.
 * Otherwise answers that came together would be parsed and used up together,
 * with nothing in flight meanwhile, and so on to the end.
 */
static bool
wants_answer(const DynFetch *fetch, const DynStream *stream)
{
	const DynStatement *statement = fetch->streams.statement;

	if (fetch->streams.spec.compare != NULL ||
		statement->bytes + fetch->streams.expected <= statement->max_bytes)
		return true;
	if (fetch->streams.spec.keyed)
		return stream->number == fetch->awaited;
	return !has_pages(fetch);
}

/* A stream's next request leaves before the next answer is parsed. */
static void
take_answers(DynFetch *fetch)
{
	for (int i = 0; i < fetch->nactive; i++)
	{
		DynStream  *stream = fetch->active[i];

		if (!stream->in_flight)
			continue;
		dyn_stream_charge(&fetch->streams, stream);
		if (stream->call->state != DYN_CALL_DONE || !wants_answer(fetch, stream))
			continue;
		dyn_stream_receive(&fetch->streams, stream);
		if (may_send(fetch, stream))
			dyn_stream_send(&fetch->streams, stream);
	}
}

static void
pump(DynFetch *fetch)
{
	/* an answer to a peer makes room, too */
	if (awaits_answer(fetch))
	{
		dyn_client_drive(dyn_session_client());
		take_answers(fetch);
	}
	retire_streams(fetch);
	send_requests(fetch);
	fetch->until_pump = ITEMS_BETWEEN_PUMPS;
}

static bool
is_finished(const DynFetch *fetch)
{
	return fetch->nactive == 0 &&
		fetch->next_stream >= fetch->streams.spec.nstreams;
}

/* Milliseconds until some stream may send that may not now; -1: none waits. */
static double
next_resumption(const DynFetch *fetch)
{
	const DynConnection *connection = fetch->streams.spec.connection;
	double		now = dyn_session_now();
	double		earliest = -1;

	for (int i = 0; i < fetch->nactive; i++)
	{
		const DynStream *stream = fetch->active[i];
		double		at = Max(stream->resume_at, connection->max_read_units > 0
							 ? connection->not_before : 0);

		if (!stream->in_flight && stream->more && at > now &&
			(earliest < 0 || at - now < earliest))
			earliest = at - now;
	}
	return earliest;
}

/*
 * Waits for an answer, or for the time to send, and takes in what came.  Answers
 * to others of the group are not taken in here, so that none of them makes room.
 */
static void
wait_for_progress(DynFetch *fetch)
{
	double		pause = next_resumption(fetch);

	fetch->solo_wait = true;
	if (requests_in_flight(fetch) > 0)
		dyn_session_wait(pause < 0 ? -1 : (long) pause + 1);
	else if (pause >= 0)
		dyn_session_sleep(pause);
	else
		CHECK_FOR_INTERRUPTS();
	pump(fetch);
	fetch->solo_wait = false;
}

/* ---- handing out items, in no order ---- */

/* Takes the earliest page of any stream, so that all proceed alike. */
static bool
next_waiting_page(DynFetch *fetch)
{
	DynStream  *earliest = NULL;

	for (int i = 0; i < fetch->nactive; i++)
	{
		DynStream  *stream = fetch->active[i];

		if (stream->first != NULL &&
			(earliest == NULL ||
			 stream->first->ordinal < earliest->first->ordinal))
			earliest = stream;
	}
	Assert(fetch->page == NULL);
	if (earliest != NULL)
		fetch->page = dyn_stream_pop(earliest);
	return earliest != NULL;
}

/* Is the page in hand all that there was? */
static bool
is_only_page(const DynFetch *fetch)
{
	for (int i = 0; i < fetch->nactive; i++)
	{
		if (!dyn_stream_is_done(fetch->active[i]))
			return false;
	}
	return fetch->pages_used == 0 &&
		fetch->next_stream >= fetch->streams.spec.nstreams;
}

static void
finish_page(DynFetch *fetch)
{
	Assert(fetch->page->cursor.given == fetch->page->page.nitems);
	if (fetch->streams.spec.keep && is_only_page(fetch))
		fetch->kept = fetch->page;
	else
		dyn_page_done(&fetch->streams, fetch->page);
	fetch->page = NULL;
	fetch->pages_used++;
}

static const DynValue *
next_unordered(DynFetch *fetch)
{
	Assert(!fetch->streams.spec.keyed);
	for (;;)
	{
		if (fetch->page != NULL)
		{
			if (dyn_page_next(&fetch->page->cursor, fetch->slots))
			{
				fetch->origin = fetch->page;
				if (--fetch->until_pump <= 0)
					pump(fetch);
				return fetch->slots;
			}
			finish_page(fetch);
		}
		if (next_waiting_page(fetch))
			continue;
		pump(fetch);
		if (next_waiting_page(fetch))
			continue;
		if (is_finished(fetch))
			return NULL;
		wait_for_progress(fetch);
	}
}

bool
dyn_fetch_rewind(DynFetch *fetch)
{
	Assert(!fetch->streams.spec.keyed);
	if (fetch->streams.spec.counting)
		return true;
	if (fetch->streams.spec.compare != NULL)
		return false;
	if (fetch->kept != NULL)
	{
		fetch->page = fetch->kept;
		fetch->kept = NULL;
		fetch->pages_used = 0;
	}
	if (fetch->pages_used > 0)
		return false;
	if (fetch->page != NULL)
		dyn_page_cursor_init(&fetch->page->cursor, &fetch->page->page);
	return true;
}

/* ---- merging ---- */

/* Moves the stream's next item to its head; false if it has to wait for one. */
static bool
load_head(DynFetch *fetch, DynStream *stream)
{
	Assert(!stream->has_head);
	while (stream->first != NULL)
	{
		if (dyn_page_next(&stream->first->cursor, stream->head))
		{
			stream->has_head = true;
			return true;
		}
		dyn_page_done(&fetch->streams, dyn_stream_pop(stream));
		fetch->pages_used++;
	}
	stream->has_head = false;
	return false;
}

/* Does every stream that has anything left show its next item? */
static bool
heads_are_loaded(DynFetch *fetch)
{
	if (fetch->next_stream < fetch->streams.spec.nstreams)
		return false;
	for (int i = 0; i < fetch->nactive; i++)
	{
		DynStream  *stream = fetch->active[i];

		if (!stream->has_head && !load_head(fetch, stream) &&
			!dyn_stream_is_done(stream))
			return false;
	}
	return true;
}

static DynStream *
least_head(DynFetch *fetch)
{
	const DynFetchSpec *spec = &fetch->streams.spec;
	DynStream  *least = NULL;

	for (int i = 0; i < fetch->nactive; i++)
	{
		DynStream  *stream = fetch->active[i];

		if (stream->has_head &&
			(least == NULL ||
			 spec->compare(spec->compare_arg, stream->head, least->head) < 0))
			least = stream;
	}
	return least;
}

static const DynValue *
next_merged(DynFetch *fetch)
{
	DynStream  *least;

	Assert(fetch->streams.spec.compare != NULL);
	if (--fetch->until_pump <= 0)
		pump(fetch);
	while (!heads_are_loaded(fetch))
	{
		pump(fetch);
		if (heads_are_loaded(fetch))
			break;
		wait_for_progress(fetch);
	}
	least = least_head(fetch);
	if (least == NULL)
		return NULL;
	/* the page stays the stream's first one, so that the slots stay valid */
	memcpy(fetch->slots, least->head,
		   fetch->streams.spec.npaths * sizeof(DynValue));
	least->has_head = false;
	fetch->origin = least->first;
	return fetch->slots;
}

const DynValue *
dyn_fetch_next(DynFetch *fetch)
{
	return fetch->streams.spec.compare != NULL ? next_merged(fetch)
		: next_unordered(fetch);
}

/* ---- keyed ---- */

/* A stream out of the window needs room of its own. */
static void
make_space(DynFetch *fetch)
{
	if (fetch->nactive < fetch->space && fetch->nidle < fetch->space)
		return;
	fetch->space *= 2;
	fetch->active = repalloc(fetch->active, fetch->space * sizeof(DynStream *));
	fetch->idle = repalloc(fetch->idle, fetch->space * sizeof(DynStream *));
}

/*
 * The active stream of that number, begun if it was not, even out of turn; NULL
 * if it is past.
 */
static DynStream *
keyed_stream(DynFetch *fetch, int number)
{
	Assert(fetch->streams.spec.keyed && number >= 0);
	Assert(number < fetch->streams.spec.nstreams);
	if (fetch->current != NULL && fetch->current->number == number)
		return fetch->current;
	fetch->current = NULL;
	fetch->awaited = number;
	if (!is_settled(fetch, number))
	{
		make_space(fetch);
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

/* The page stays the stream's first one while its items are handed out. */
static bool
next_of_pages(DynFetch *fetch, DynStream *stream)
{
	while (stream->first != NULL)
	{
		if (dyn_page_next(&stream->first->cursor, fetch->slots))
		{
			fetch->origin = stream->first;
			return true;
		}
		dyn_page_done(&fetch->streams, dyn_stream_pop(stream));
	}
	return false;
}

const DynValue *
dyn_fetch_next_of(DynFetch *fetch, int number)
{
	DynStream  *stream = keyed_stream(fetch, number);

	if (stream == NULL)
		return NULL;
	if (--fetch->until_pump <= 0)
		pump(fetch);
	for (;;)
	{
		if (next_of_pages(fetch, stream))
			return fetch->slots;
		if (dyn_stream_is_done(stream))
			return NULL;
		pump(fetch);
		if (stream->first == NULL && !dyn_stream_is_done(stream))
			wait_for_progress(fetch);
	}
}

void
dyn_fetch_extend(DynFetch *fetch, int nstreams)
{
	Assert(nstreams >= fetch->streams.spec.nstreams);
	Assert(fetch->streams.spec.keyed);
	fetch->streams.spec.nstreams = nstreams;
	fetch->until_pump -= PUMP_SHARE_OF_EXTENSION;
	if (fetch->until_pump <= 0)
		pump(fetch);
	else if (has_room(fetch))
		send_requests(fetch);
}

void
dyn_fetch_drop(DynFetch *fetch, int number)
{
	Assert(fetch->streams.spec.keyed);
	if (fetch->current != NULL && fetch->current->number == number)
		fetch->current = NULL;
	fetch->origin = NULL;
	settle(fetch, number);
	for (int i = 0; i < fetch->nactive; i++)
	{
		if (fetch->active[i]->number == number)
			dyn_stream_abandon(&fetch->streams, fetch->active[i]);
	}
}

uint64
dyn_fetch_count_of(DynFetch *fetch, int number)
{
	DynStream  *stream = keyed_stream(fetch, number);
	uint64		count;

	if (stream == NULL)
		return 0;
	Assert(fetch->streams.spec.counting);
	while (dyn_fetch_next_of(fetch, number) != NULL)
		continue;
	count = stream->count;
	stream->count = 0;
	return count;
}

void
dyn_fetch_send(DynFetch *fetch)
{
	pump(fetch);
}

void
dyn_fetch_send_ahead(DynFetch *fetch)
{
	if (has_room(fetch))
		pump(fetch);
}

uint64
dyn_fetch_count(DynFetch *fetch)
{
	Assert(fetch->streams.spec.counting);
	pump(fetch);
	while (!is_finished(fetch))
		wait_for_progress(fetch);
	return fetch->streams.count;
}

/* ---- without waiting ---- */

/* What there is, without a look at the network. */
static DynFetchState
present_state(DynFetch *fetch)
{
	if (fetch->streams.spec.compare != NULL && !fetch->streams.spec.counting)
	{
		if (!heads_are_loaded(fetch))
			return DYN_FETCH_WAITS;
		return least_head(fetch) ? DYN_FETCH_ITEM : DYN_FETCH_END;
	}
	if (fetch->page != NULL &&
		fetch->page->cursor.given >= fetch->page->page.nitems)
		finish_page(fetch);
	if (fetch->page != NULL || next_waiting_page(fetch))
		return DYN_FETCH_ITEM;
	return is_finished(fetch) ? DYN_FETCH_END : DYN_FETCH_WAITS;
}

static bool
has_answer(const DynFetch *fetch)
{
	for (int i = 0; i < fetch->nactive; i++)
	{
		const DynStream *stream = fetch->active[i];

		if (stream->in_flight && stream->call->state == DYN_CALL_DONE)
			return true;
	}
	return false;
}

/* A request can also fail as soon as it is sent. */
DynFetchState
dyn_fetch_poll(DynFetch *fetch)
{
	DynFetchState state = present_state(fetch);

	Assert(!fetch->streams.spec.keyed);
	if (state != DYN_FETCH_WAITS)
		return state;
	do
	{
		pump(fetch);
		state = present_state(fetch);
	} while (state == DYN_FETCH_WAITS && has_answer(fetch));
	return state;
}

double
dyn_fetch_pause(DynFetch *fetch)
{
	if (present_state(fetch) != DYN_FETCH_WAITS || has_answer(fetch) ||
		next_to_send(fetch) != NULL)
		return 0;
	return next_resumption(fetch);
}

void
dyn_fetch_set_group(DynFetch *fetch, int *group_in_flight)
{
	int			n = requests_in_flight(fetch);

	if (fetch->streams.spec.group_in_flight != NULL)
		*fetch->streams.spec.group_in_flight -= n;
	if (group_in_flight != NULL)
		*group_in_flight += n;
	fetch->streams.spec.group_in_flight = group_in_flight;
}

void
dyn_fetch_drain(DynFetch *fetch)
{
	fetch->draining = true;
	fetch->next_stream = fetch->streams.spec.nstreams;
}

bool
dyn_fetch_position(const DynFetch *fetch, DynItemPosition *position)
{
	const DynFetchPage *page = fetch->origin;

	if (page == NULL || page->cursor.given == 0)
		return false;
	position->stream = page->stream;
	position->limit = page->limit;
	position->start_key = page->start_key.data;
	position->start_key_len = page->start_key.len;
	position->item = page->cursor.given - 1;
	return true;
}

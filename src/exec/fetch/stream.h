/*
 * stream.h
 *		State of a fetch, and of its streams.
 *
 * Private to the fetch.  fetch.c returns the items.  schedule.c decides when a
 * stream may send, within the limits of pacing.c.  A stream (stream.c) sends
 * its next request and processes the response.
 */
#ifndef DYN_EXEC_STREAM_H
#define DYN_EXEC_STREAM_H

#include "../../model/session/budget.h"
#include "../../model/session/usage.h"
#include "fetch.h"

/* A response whose items are waiting or being returned (malloc'd). */
typedef struct DynFetchPage
{
	struct DynFetchPage *next;
	DynPage		page;
	DynBuffer	body;			/* response, into which the items' slots
								 * point */
	size_t		bytes;			/* bytes charged to the statement's memory
								 * limit */

	/* parameters to request the page again if an error must name an item */
	int			stream;
	int			ordinal;		/* number of the page in its stream, from 1 */
	long		limit;
	DynBuffer	start_key;		/* ExclusiveStartKey; empty: first page of the
								 * stream */
	DynPageCursor cursor;		/* position of the item that is returned
								 * next */
	char		segment[8];		/* SCAN: number of the segment, as text */
} DynFetchPage;

typedef struct DynStream
{
	int			number;
	DynCall    *call;
	bool		in_flight;
	size_t		reserved;		/* bytes charged to the statement for the
								 * response in flight */
	size_t		allowed;		/* number of bytes of the response after which
								 * the client pauses the transfer */
	int			nrequests;		/* number of requests sent */
	bool		more;			/* true if another request must follow */
	DynProgress progress;		/* last key of the previous page, where the
								 * next page starts */
	DynSeam		seam;			/* Query: last sort value, to check the order
								 * of the next page */
	long		limit;			/* Limit of the request in flight */
	int			segment;		/* SCAN: segment of the request in flight */
	DynBatch	batch;			/* BatchGetItem: state of each key of the
								 * chunk; nkeys 0: not begun */
	int			batch_most;		/* BatchGetItem: maximum number of keys in one
								 * request */
	int			batch_complete; /* BatchGetItem: number of complete keys after
								 * the last response */
	bool		sent_after_refresh; /* true if the request was sent after
									 * `refreshed` of the fetch was set */
	double		cost;			/* expected read units of the request */
	double		expected;		/* read units counted in `expected_units` of
								 * the statement */
	double		charge;			/* read units charged to the budgets for each
								 * attempt */
	int			ncharged;		/* number of attempts that were charged */
	int			throttles;		/* number of throttled attempts of the current
								 * request */
	bool		is_hot;			/* true if the stream's partition was
								 * throttled */
	DynPace		own_pace;		/* pace of the partition; used while is_hot is
								 * true */
	uint64		count;			/* sum of Counts that the consumer has not read
								 * yet */
	DynFetchPage *first;		/* list of waiting pages */
	DynFetchPage *last;

	/* merging: true if `head` and `sort` describe the stream's next item */
	bool		has_head;
	DynValue   *head;
	DynScalar	sort[DYN_MAX_KEY_ATTRS];	/* sort values of the next item */
	MemoryContext head_context; /* context of the sort values; NULL if not
								 * merging */
} DynStream;

/* Limits of the requests of a fetch (pacing.c). */
typedef struct DynPacing
{
	DynTablePace *table;		/* pace of the table or index */
	double		item_units;		/* read units of one examined item (or key),
								 * measured or computed from the table's
								 * description; 0: unknown */
	double		request_units;	/* measured read units of one request; 0:
								 * unknown */
	bool		stalled;		/* true if throttled since the last response */
	double		stalled_ms;		/* ms; time between the first throttle after
								 * the last response and the last throttle;
								 * each interval between two throttles counts
								 * at most LONGEST_LOOK_MS (pacing.c) */
	double		seen_ms;		/* ms; monotonic time of the last change of
								 * stalled_ms */

	DynBudgets *budgets;		/* budgets to charge; NULL: none */
	double		budget_units;	/* maximum read units of one request under the
								 * budgets; 0: unlimited */
	double		most_item;		/* largest measured read units of one item or
								 * key */
	double		most_request;	/* largest measured read units of one
								 * request */
	int			awaited;		/* number of requests of the fetch whose
								 * responses were not taken in yet */
} DynPacing;

struct DynFetch
{
	MemoryContext context;
	MemoryContext request_context;	/* context of the request being composed */
	DynFetchParams params;
	DynStatement *statement;
	DynUsage   *usage;			/* counts of requests to the table or index */
	DynPathTree *tree;
	DynFetchPage *spare;		/* pages to reuse, with their tapes */
	DynPage		left;			/* unprocessed keys of the current response */
	DynBuffer	scratch;		/* scratch buffer to compare responses with
								 * requests */
	DynPacing	pacing;
	size_t		expected;		/* estimated bytes of a response */
	uint64		count;			/* sum of the Counts of all responses */
	uint64		responses;		/* number of responses taken in so far */
	double		examined;		/* number of items that all responses have
								 * examined */
	double		units;			/* read units that all responses have used */
	int			paused;			/* number of responses in flight that were
								 * paused for lack of memory when responses
								 * were last taken in */
	bool		refreshed;		/* true if the table's description was
								 * requested again */
	bool		matches;		/* true if the new description matches the
								 * plan */

	/* the schedule (schedule.c) */
	int			nactive;
	int			max_active;
	int			space;			/* allocated length of `active` */
	DynStream **active;			/* active streams, usually by rising number;
								 * after them finished ones, to be reused */
	int			nstreams;		/* number of streams in `active` */
	int			next_stream;	/* number of the next stream to begin ahead of
								 * the consumer */
	Bitmapset  *settled;		/* keyed: numbers of the streams that were
								 * begun or dropped */
	int			pages_used;		/* number of pages whose items were all
								 * returned */
	int			until_pump;		/* items left until the next pump */
	int			awaited;		/* keyed: number of the stream that the
								 * consumer reads */
	DynStream  *current;		/* keyed: awaited stream, if active; or NULL */
	bool		draining;		/* true if no further requests may be sent */
	bool		solo_wait;		/* true while the consumer waits for this fetch
								 * only, not for the group */

	DynFetchPage *page;			/* page whose items are returned now; NULL if
								 * merging or keyed */
	DynFetchPage *cached;		/* only page of the result, cached to be read
								 * again; or NULL */
	const DynFetchPage *origin; /* page of the item that was returned last; or
								 * NULL */
	DynValue   *slots;
};

/*
 * Returns true if the consumer waits for one particular stream, and cannot use
 * the responses of other streams.
 */
static inline bool
dyn_reads_one_stream(const DynFetchParams *params)
{
	return params->keyed || params->in_turn;
}

/* Prepares a stream for its first request; its buffers are reused. */
extern void dyn_stream_begin(const DynFetch *fetch, DynStream *stream,
							 int number);

/* Sends the next request.  Returns false if it must not be sent yet. */
extern bool dyn_stream_send(DynFetch *fetch, DynStream *stream);

/*
 * Takes in the response of a call that is done: queues its page, or raises its
 * error, or prepares to send the request again.  Does nothing if the call
 * turns out not to be done (dyn_call_unpack).
 */
extern void dyn_stream_receive(DynFetch *fetch, DynStream *stream);

/*
 * Charges the statement for received bytes beyond the reserved ones, and the
 * budgets for repeated attempts.  Allows the client to receive more if the
 * statement's memory limit permits.
 */
extern void dyn_stream_charge(DynFetch *fetch, DynStream *stream);

/* Adds `counters` to those of the statement and, if set, of the params. */
extern void dyn_stream_count(DynFetch *fetch, const DynCounters *counters);

/* True if the response in flight is paused until there is memory for it. */
extern bool dyn_stream_is_paused(const DynStream *stream);

/* Lets the response in flight arrive, regardless of the memory limit. */
extern void dyn_stream_allow_all(DynStream *stream);

/*
 * Removes and returns the stream's first waiting page; NULL if there is none.
 */
extern DynFetchPage *dyn_stream_pop(DynStream *stream);

/*
 * Releases a page: its bytes no longer count toward the memory limit of the
 * statement, and it is added to the spare pages.
 */
extern void dyn_page_done(DynFetch *fetch, DynFetchPage *page);

/*
 * Returns true if the stream has no request to send or in flight, and no page
 * waits.
 */
static inline bool
dyn_stream_is_done(const DynStream *stream)
{
	return !stream->in_flight && !stream->more && stream->first == NULL;
}

/*
 * Abandons the request in flight and the waiting pages of a stream, which is
 * then done.
 */
extern void dyn_stream_abandon(DynFetch *fetch, DynStream *stream);

/*
 * Frees the malloc'd memory of the fetch: calls, pages and buffers.  Allowed
 * in every state; raises no error.
 */
extern void dyn_streams_release(void *fetch);

/* ---- pacing: when streams may send, and how much (pacing.c) ---- */

extern void dyn_pacing_init(DynFetch *fetch);

/*
 * Returns the number of milliseconds until the stream may send; 0: it may send
 * now; DYN_PACE_RESPONSE: it must first wait for a response in flight.
 */
extern double dyn_pacing_delay(const DynFetch *fetch, const DynStream *stream);

/*
 * Returns the smaller of `limit` (0: unlimited) and the number of items that
 * one page may examine, or of keys that one BatchGetItem may request.
 */
extern long dyn_pacing_limit(const DynFetch *fetch, long limit);

/*
 * Charges the stream's next request, which may examine `items` items (0:
 * unknown).  Called before the request is sent.  Returns false if the request
 * must not be sent yet, because another request has used up a budget in the
 * meantime.  Raises an error if the statement would exceed its limit.
 */
extern bool dyn_pacing_send(DynFetch *fetch, DynStream *stream, double items);

/*
 * Charges the budgets for repeated attempts of the request in flight.
 * Attempts without a response stay charged, because DynamoDB may have executed
 * them.
 */
extern void dyn_pacing_repeat(DynFetch *fetch, DynStream *stream);

/*
 * Replaces the charge of the request with the sum of `units` (read units; 0 if
 * the request was throttled or rejected) and the charges of its attempts
 * without a response.
 */
extern void dyn_pacing_correct(DynFetch *fetch, DynStream *stream, double units);

/*
 * Records the response to a request that has used `units` read units and
 * examined `items` items, and corrects its charge.
 */
extern void dyn_pacing_grant(DynFetch *fetch, DynStream *stream, double units,
							 double items);

/*
 * Records that the request, or the unprocessed keys of its response, were
 * throttled.  Warns once for each statement and table, when an episode of
 * throttling (aws/pace.h) has lasted for a second; a few separate throttles
 * are not reported.  Raises an error if the fetch has been throttled for
 * longer than throttle_timeout without a response.
 */
extern void dyn_pacing_refuse(DynFetch *fetch, DynStream *stream);

/* ---- schedule: which streams are active (schedule.c) ---- */

/* Initializes the schedule according to the params, in fetch->context. */
extern void dyn_schedule_init(DynFetch *fetch);

/*
 * Waits for a response, or until a request may be sent, and then pumps.  If a
 * needed response is paused for lack of memory, pumps without waiting, because
 * only a pump lets this response arrive.
 */
extern void dyn_schedule_wait(DynFetch *fetch);

/* True if an active stream may send a request now. */
extern bool dyn_schedule_may_send(const DynFetch *fetch);

/*
 * Returns true if a response can be taken in, or if a needed response is
 * paused until the next pump.
 */
extern bool dyn_schedule_has_response(const DynFetch *fetch);

/*
 * Returns the first active stream that is not done; NULL if there is none.
 * Streams are begun in the order of their numbers.
 */
extern DynStream *dyn_schedule_turn(const DynFetch *fetch);

/* True if all streams have been begun and are done. */
extern bool dyn_schedule_is_finished(const DynFetch *fetch);

/*
 * Returns the number of milliseconds until the first delayed stream may send
 * its request; -1 if no stream is delayed.
 */
extern double dyn_schedule_next_resumption(const DynFetch *fetch);

/*
 * Returns the active stream with this number in a keyed fetch, and makes it
 * the awaited one.  Begins the stream if necessary, even out of order.
 * Returns NULL if the stream was begun or dropped before, and is not active
 * any more.
 */
extern DynStream *dyn_schedule_stream(DynFetch *fetch, int number);

#endif

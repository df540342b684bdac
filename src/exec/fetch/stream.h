/*
 * stream.h
 *		State of a fetch, and of its streams.
 *
 * Only the files of the fetch include this header.  fetch.c returns the items.
 * schedule.c decides when a stream may send, within the limits of pacing.c.
 * stream.c sends the next request of a stream, and processes the response.
 */
#ifndef DYN_EXEC_STREAM_H
#define DYN_EXEC_STREAM_H

#include "../../model/session/budget.h"
#include "../../model/session/usage.h"
#include "fetch.h"

/* A response whose items are not all returned yet (malloc'd). */
typedef struct DynFetchPage
{
	struct DynFetchPage *next;
	DynPage		page;
	DynBuffer	body;			/* response; the items' slots point into it */
	size_t		bytes;			/* bytes of this page in statement->bytes */

	/* parameters to request the page again if an error must name an item */
	int			stream;
	int			ordinal;		/* number of the page in its stream, from 1 */
	long		limit;
	DynBuffer	start_key;		/* ExclusiveStartKey, or empty (first page) */
	DynPageCursor cursor;		/* position of the next item to return */
	char		segment[8];		/* SCAN: number of the segment, as text */
} DynFetchPage;

typedef struct DynStream
{
	int			number;
	DynCall    *call;
	bool		in_flight;
	size_t		reserved;		/* bytes reserved in statement->bytes */
	size_t		allowed;		/* the client pauses after this many bytes */
	int			nrequests;		/* number of requests sent */
	bool		more;			/* true if another request must follow */
	DynProgress progress;		/* last key of the previous page */
	DynSeam		seam;			/* Query: last sort value, for order checks */
	long		limit;			/* Limit of the request in flight */
	int			growth;			/* fetch->growth at the last request */
	int			segment;		/* SCAN: segment of the request in flight */
	DynBatch	batch;			/* BatchGetItem: state of each key */
	int			batch_most;		/* BatchGetItem: limit of keys per request */
	int			batch_complete; /* number of keys that are DYN_KEY_COMPLETE */
	bool		sent_after_refresh; /* value that fetch->refreshed had when
									 * the last request was sent */
	double		cost;			/* expected read units of the request */
	double		expected;		/* units added to statement->expected_units */
	double		charge;			/* read units charged for each attempt */
	int			ncharged;		/* number of attempts that were charged */
	int			throttles;		/* throttled attempts of the current request */
	bool		is_hot;			/* true if the partition was throttled */
	DynPace		own_pace;		/* pace of the partition, if is_hot */
	uint64		count;			/* sum of Counts that were not returned yet */
	DynFetchPage *first;		/* list of waiting pages */
	DynFetchPage *last;

	/* only if streams are merged: the stream's next item, if has_head */
	bool		has_head;
	DynValue   *head;
	DynScalar	sort[DYN_MAX_KEY_ATTRS];	/* sort values of `head` */
	MemoryContext head_context; /* context of `sort`; NULL if not merging */
} DynStream;

/* Limits of the requests of a fetch (pacing.c). */
typedef struct DynPacing
{
	DynTablePace *table;		/* rate of the table or index (aws/pace.h) */
	double		item_units;		/* read units of an item or key: measured, or
								 * from DescribeTable; 0: unknown */
	double		request_units;	/* measured read units per request, or 0 */
	DynStall	stall;			/* throttles since the last response */

	DynBudgets *budgets;		/* budgets to charge; NULL: none */
	double		budget_units;	/* limit of a request (read units); 0: none */
	double		most_item;		/* largest measured units per item or key */
	double		most_request;	/* largest measured read units of a request */
	int			awaited;		/* number of streams that are in_flight */
} DynPacing;

struct DynFetch
{
	MemoryContext context;
	MemoryContext request_context;	/* context of the request being composed */
	DynFetchParams params;
	dlist_node	peer;			/* element of params.group, if any */
	DynStatement *statement;
	DynUsage   *usage;			/* counts of requests to the table or index */
	DynPathTree *tree;
	DynFetchPage *spare;		/* pages to reuse */
	DynPage		left;			/* unprocessed keys of the current response */
	DynBuffer	scratch;		/* scratch buffer for dyn_page_check */
	DynPacing	pacing;
	size_t		expected;		/* estimated bytes of a response */
	uint64		count;			/* sum of the Counts of all responses */
	uint64		responses;		/* number of responses taken in so far */
	int			growth;			/* number of times that the Limit has grown */
	double		examined;		/* items that all responses have examined */
	double		units;			/* read units that all responses have used */
	bool		refreshed;		/* true if the table was described again */
	bool		matches;		/* true if that description matches the plan */

	/* schedule; members marked "keyed" are used only if params.keyed is set */
	int			nactive;
	int			max_active;
	int			space;			/* allocated length of `active` */
	DynStream **active;			/* active streams (sorted by number, unless
								 * keyed), followed by streams to reuse */
	int			nstreams;		/* number of streams, active or to be reused */
	int			next_stream;	/* next stream to begin, in order of numbers */
	Bitmapset  *settled;		/* keyed: set of streams begun or dropped */
	int			pages_used;		/* number of pages whose items were returned */
	int			empty;			/* number of responses without items */
	int			until_pump;		/* items until the next dyn_fetch_pump call */
	int			awaited;		/* keyed: number of the stream being read */
	DynStream  *current;		/* keyed: the stream with number `awaited`, or
								 * NULL if it is not active */
	bool		draining;		/* true if no further requests may be sent */
	bool		solo_wait;		/* true while the consumer waits for this fetch
								 * only, not for all of params.group */

	DynFetchPage *page;			/* current page; NULL if merging or keyed */
	DynFetchPage *cached;		/* page stored for a rewind, or NULL */
	const DynFetchPage *origin; /* page of the item returned last, or NULL */
	DynValue   *slots;
};

/* Returns true if the consumer awaits one stream, and cannot use any other. */
static inline bool
dyn_reads_one_stream(const DynFetchParams *params)
{
	return params->keyed || params->in_turn;
}

/* True if the response in flight is paused until there is memory for it. */
static inline bool
dyn_stream_is_paused(const DynStream *stream)
{
	return stream->in_flight && dyn_call_is_paused(stream->call);
}

/* True if a request is in flight whose response is not paused. */
static inline bool
dyn_is_receiving(const DynFetch *fetch)
{
	for (int i = 0; i < fetch->nactive && fetch->pacing.awaited > 0; i++)
	{
		if (fetch->active[i]->in_flight && !dyn_stream_is_paused(fetch->active[i]))
			return true;
	}
	return false;
}

/* Prepares a stream for its first request; its buffers are reused. */
extern void dyn_stream_begin(const DynFetch *fetch, DynStream *stream,
							 int number);

/* Sends the next request.  Returns false if it must not be sent yet. */
extern bool dyn_stream_send(DynFetch *fetch, DynStream *stream);

/*
 * Takes in the response of a call that is done: queues its page, raises its
 * error, or prepares to send the request again.  Does nothing if the call is
 * repeated because the body cannot be inflated (dyn_call_unpack).
 */
extern void dyn_stream_receive(DynFetch *fetch, DynStream *stream);

/*
 * Reserves memory for all bytes received so far.  Charges the budgets again if
 * the client has repeated the request.  Allows the client to receive more
 * bytes, within the statement's memory limit.
 */
extern void dyn_stream_charge(DynFetch *fetch, DynStream *stream);

/* Adds `counters` to the statement's counters and to params.counters. */
extern void dyn_stream_count(DynFetch *fetch, const DynCounters *counters);

/* Lets the response in flight arrive, regardless of the memory limit. */
extern void dyn_stream_allow_all(DynStream *stream);

/* Removes and returns the first waiting page; NULL if there is none. */
extern DynFetchPage *dyn_stream_pop(DynStream *stream);

/* Recycles a used page, and subtracts its bytes from statement->bytes. */
extern void dyn_page_done(DynFetch *fetch, DynFetchPage *page);

/* True if the stream has no request to send or in flight, and no page. */
static inline bool
dyn_stream_is_done(const DynStream *stream)
{
	return !stream->in_flight && !stream->more && stream->first == NULL;
}

/* Gives up the stream's request, if any, and frees its waiting pages. */
extern void dyn_stream_abandon(DynFetch *fetch, DynStream *stream);

/* Frees the malloc'd memory of the fetch, in every state; raises no error. */
extern void dyn_streams_release(void *fetch);

/* ---- pacing: when and how much streams may read (pacing.c) ---- */

extern void dyn_pacing_init(DynFetch *fetch);

/*
 * Returns the number of milliseconds until the stream may send (0: now), or
 * DYN_PACE_RESPONSE if it must first wait for a response in flight.
 */
extern double dyn_pacing_delay(const DynFetch *fetch, const DynStream *stream);

/*
 * Returns `limit`, a number of items of one page or keys of one BatchGetItem
 * (0: unlimited), or a lower limit if budgets or pace require it.
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
 * Charges the budgets again if the client has repeated the request in flight.
 * The earlier attempts stay charged, because DynamoDB may have executed them.
 */
extern void dyn_pacing_repeat(DynFetch *fetch, DynStream *stream);

/*
 * Corrects the charge of a request that has ended to `units` (read units; 0 if
 * it was throttled or rejected).  Attempts without a response stay charged.
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
 * throttled.  Warns once for each statement and table, when throttling has
 * lasted for a second.  Raises an error if the fetch has been throttled for
 * longer than throttle_timeout without a response.
 */
extern void dyn_pacing_refuse(DynFetch *fetch, DynStream *stream);

/* ---- schedule: which streams are active (schedule.c) ---- */

/* Initializes the schedule according to the params, in fetch->context. */
extern void dyn_schedule_init(DynFetch *fetch);

/*
 * Waits for a response, or until a request may be sent, and then calls
 * dyn_fetch_pump.
 */
extern void dyn_schedule_wait(DynFetch *fetch);

/* True if an active stream may send a request now. */
extern bool dyn_schedule_may_send(const DynFetch *fetch);

/* True if the next pump can take in a response, or resume a paused one. */
extern bool dyn_schedule_has_response(const DynFetch *fetch);

/* Returns the first active stream, by number, that is not done; or NULL. */
extern DynStream *dyn_schedule_turn(const DynFetch *fetch);

/* True if all streams have been begun and are done. */
extern bool dyn_schedule_is_finished(const DynFetch *fetch);

/* Returns the time (ms) until the first delayed stream may send; -1: none. */
extern double dyn_schedule_next_resumption(const DynFetch *fetch);

/*
 * Returns the stream with this number in a keyed fetch, and makes it the
 * awaited one.  Begins the stream if necessary, even out of order.  Returns
 * NULL if the stream is finished or was dropped.
 */
extern DynStream *dyn_schedule_stream(DynFetch *fetch, int number);

#endif

/*
 * stream.h
 *		One stream of a fetch: a Query, a segment, a chunk of keys, page by page.
 *
 * Belongs to schedule.c, which decides when a stream may send; a stream knows how
 * to send its next request and what to make of an answer.  Streams hold what is
 * malloc'd (calls, pages, buffers), so each is released by dyn_stream_release,
 * on every way out.
 */
#ifndef DYN_EXEC_STREAM_H
#define DYN_EXEC_STREAM_H

#include "fetch.h"
#include "pacing.h"
#include "unit_limit.h"

/* An answer whose items are waiting or being handed out. */
typedef struct DynFetchPage
{
	struct DynFetchPage *next;
	DynPage		page;
	DynBuffer	body;			/* the items' slots point into it */
	size_t		bytes;			/* counted in the statement's budget */

	/* to ask for the same page again, when an item has to be named */
	int			stream;
	int			ordinal;		/* which page of the stream it is, from 1 */
	long		limit;
	DynBuffer	start_key;		/* empty: the stream's first page */
	DynPageCursor cursor;		/* of the fetch that hands it out */
} DynFetchPage;

typedef struct DynStream
{
	int			number;
	DynCall    *call;
	bool		in_flight;
	size_t		reserved;		/* bytes charged for the answer in flight */
	size_t		allowed;		/* bytes of it that may arrive */
	int			nrequests;		/* sent */
	bool		more;			/* another request has to follow */
	DynProgress progress;		/* its last key: where the next page starts */
	DynSeam		seam;			/* Query: what that page is behind */
	long		limit;			/* of the request in flight */
	DynBatch	batch;			/* BatchGetItem; no keys: not begun */
	int			batch_most;		/* its keys in one request */
	int			batch_complete; /* its keys, when the last answer came */
	bool		sent_after_refresh; /* since the description was asked for
									 * again */
	double		cost;			/* read units expected of the request... */
	double		expected;		/* ...counted for its statement... */
	double		charge;			/* ...and charged to budgets, for each... */
	int			ncharged;		/* ...of so many attempts */
	int			throttles;		/* of the request, before it was answered */
	bool		is_hot;			/* its partition was throttled */
	DynPace		own_pace;		/* if is_hot */
	uint64		count;			/* Select=COUNT: so far, until it is read */
	DynFetchPage *first;		/* pages that are waiting */
	DynFetchPage *last;

	/* merging: the item that stands next in this stream */
	bool		has_head;
	DynValue   *head;
} DynStream;

/* What streams share with their fetch. */
typedef struct DynStreamContext
{
	DynFetchSpec spec;
	DynStatement *statement;
	DynPathTree *tree;
	DynFetchPage *spare;		/* pages to use again, with their tapes */
	DynPage		left;			/* keys of an answer that were left
								 * unprocessed */
	DynBuffer	scratch;		/* of comparing an answer with its request */
	DynPacing	pacing;
	DynSpending spending;
	size_t		expected;		/* bytes of an answer, as seen so far */
	uint64		count;
	uint64		responses;		/* taken in so far */
	double		examined;		/* items in them... */
	double		units;			/* ...and read units */
	int			paused;			/* answers under way that wait for room, when
								 * answers were taken in last */
	bool		refreshed;		/* the description was asked for again... */
	bool		matches;		/* ...and fits the plan */
} DynStreamContext;

/* Makes a stream ready for its first request; keeps what it can use again. */
extern void dyn_stream_begin(const DynStreamContext *context, DynStream *stream,
							 int number);

/*
 * Sends the next request; false: it turned out that it may not be sent yet.
 */
extern bool dyn_stream_send(DynStreamContext *context, DynStream *stream);

/*
 * Takes the answer of a call that is done: raises its error, or queues its page
 * and notes whether more follows.  It may turn out not to be done.
 */
extern void dyn_stream_receive(DynStreamContext *context, DynStream *stream);

/*
 * Of a stream in flight: counts what has arrived, if that is more than was
 * reserved, and allows more to arrive if the statement has room.  Attempts that
 * were repeated are charged to budgets.
 */
extern void dyn_stream_charge(DynStreamContext *context, DynStream *stream);

/* Counts for the statement, and whoever else the spec names. */
extern void dyn_stream_count(DynStreamContext *context, const DynCounters *counters);

/* Has the answer in flight to wait for room? */
extern bool dyn_stream_is_paused(const DynStream *stream);

/* Lets the whole answer in flight arrive, room or not. */
extern void dyn_stream_allow_all(DynStream *stream);

/* Takes the first waiting page off the stream; NULL if there is none. */
extern DynFetchPage *dyn_stream_pop(DynStream *stream);

/* Gives a page back. */
extern void dyn_page_done(DynStreamContext *context, DynFetchPage *page);

/* Has nothing left: nothing in flight, nothing waiting, nothing to follow. */
static inline bool
dyn_stream_is_done(const DynStream *stream)
{
	return !stream->in_flight && !stream->more && stream->first == NULL;
}

/* May it be begun: was it released, or has it come to its end? */
static inline bool
dyn_stream_is_idle(const DynStream *stream)
{
	return dyn_stream_is_done(stream) && !stream->has_head &&
		stream->reserved == 0;
}

/* Gives up what is under way and what is waiting; the stream is done then. */
extern void dyn_stream_abandon(DynStreamContext *context, DynStream *stream);

/* Frees everything; legal in every state, raises nothing. */
extern void dyn_stream_release(DynStreamContext *context, DynStream *stream);

/* Frees what the context holds. */
extern void dyn_stream_context_release(DynStreamContext *context);

#endif

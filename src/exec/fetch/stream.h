/*
 * stream.h
 *		One stream of a fetch: a Query, a segment, a chunk of keys, page by
 *		page.
 *
 * Belongs to schedule.c, which decides when a stream may send; a stream sends
 * its next request and processes the response.  Streams hold malloc'd data
 * (calls, pages, buffers), so each must be released by dyn_stream_release,
 * also after an error.
 */
#ifndef DYN_EXEC_STREAM_H
#define DYN_EXEC_STREAM_H

#include "../../model/session/usage.h"
#include "fetch.h"
#include "pacing.h"

/* A response whose items are waiting or being returned. */
typedef struct DynFetchPage
{
	struct DynFetchPage *next;
	DynPage		page;
	DynBuffer	body;			/* body that the items' slots point into */
	size_t		bytes;			/* bytes counted in the statement's budget */

	/* Data to request the same page again when an error must name an item. */
	int			stream;
	int			ordinal;		/* number of the page in the stream, from 1 */
	long		limit;
	DynBuffer	start_key;		/* start key; empty: the stream's first page */
	DynPageCursor cursor;		/* cursor of the fetch that returns its
								 * items */
	char		segment[8];		/* SCAN: number of the segment, as text */
} DynFetchPage;

typedef struct DynStream
{
	int			number;
	DynCall    *call;
	bool		in_flight;
	size_t		reserved;		/* bytes charged for the response in flight */
	size_t		allowed;		/* number of bytes of the response that are
								 * allowed to arrive */
	int			nrequests;		/* number of requests sent */
	bool		more;			/* true if another request must follow */
	DynProgress progress;		/* last key, where the next page starts */
	DynSeam		seam;			/* Query: boundary to the next page */
	long		limit;			/* Limit of the request in flight */
	int			segment;		/* SCAN: segment of the request in flight */
	DynBatch	batch;			/* BatchGetItem: state of its keys; empty if
								 * not begun */
	int			batch_most;		/* maximum number of its keys in one request */
	int			batch_complete; /* number of complete keys at the last
								 * response */
	bool		sent_after_refresh; /* true if the request was sent after
									 * `refreshed` was set */
	double		cost;			/* expected read units of the request */
	double		expected;		/* read units counted for its statement */
	double		charge;			/* read units charged for each attempt */
	int			ncharged;		/* number of attempts that were charged */
	int			throttles;		/* number of throttled attempts of the request
								 * so far */
	bool		is_hot;			/* true if its partition was throttled */
	DynPace		own_pace;		/* pace of the partition (if is_hot) */
	uint64		count;			/* Select=COUNT: count that the consumer has
								 * not read yet */
	DynFetchPage *first;		/* list of waiting pages */
	DynFetchPage *last;

	/* for merging: true if the stream's next item is loaded */
	bool		has_head;
	DynValue   *head;
	DynScalar	sort[DYN_MAX_KEY_ATTRS];	/* values by which it is merged */
	MemoryContext head_context; /* context of the sort values; NULL: no
								 * merging */
} DynStream;

/* Data that streams share with their fetch. */
typedef struct DynStreamContext
{
	DynFetchParams params;
	DynStatement *statement;
	DynUsage   *usage;			/* counts of its requests */
	DynPathTree *tree;
	DynFetchPage *spare;		/* pages to reuse, with their tapes */
	DynPage		left;			/* unprocessed keys of a response */
	DynBuffer	scratch;		/* scratch buffer to compare responses with
								 * requests */
	DynPacing	pacing;
	size_t		expected;		/* estimated bytes of a response */
	uint64		count;
	uint64		responses;		/* number of responses taken in so far */
	double		examined;		/* number of items in them... */
	double		units;			/* ...and their read units */
	int			paused;			/* number of responses in flight that were
								 * paused for lack of memory, counted when
								 * responses were last taken in */
	bool		refreshed;		/* true if the description was requested
								 * again... */
	bool		matches;		/* ...and matches the plan */
} DynStreamContext;

/*
 * Returns true if the consumer waits for one certain stream, and responses to
 * other streams do not help it.
 */
static inline bool
dyn_reads_one_stream(const DynFetchParams *params)
{
	return params->keyed || params->in_turn;
}

/* Prepares a stream for its first request; its buffers are reused. */
extern void dyn_stream_begin(const DynStreamContext *context, DynStream *stream,
							 int number);

/* Sends the next request; false if it may not be sent yet. */
extern bool dyn_stream_send(DynStreamContext *context, DynStream *stream);

/*
 * Takes the response of a finished call: raises its error, or queues its page
 * and notes whether more follows.  The call may turn out not to be finished.
 */
extern void dyn_stream_receive(DynStreamContext *context, DynStream *stream);

/*
 * Charges a stream in flight for arrived bytes that exceed the reserved ones.
 * Allows more to arrive if the statement's memory limit permits.  Charges
 * repeated attempts to budgets.
 */
extern void dyn_stream_charge(DynStreamContext *context, DynStream *stream);

/* Adds the counters to the statement's, and to those that the params gives. */
extern void dyn_stream_count(DynStreamContext *context, const DynCounters *counters);

/* True if the response in flight is paused until there is memory for it. */
extern bool dyn_stream_is_paused(const DynStream *stream);

/* Lets the full response in flight arrive, regardless of the memory limit. */
extern void dyn_stream_allow_all(DynStream *stream);

/*
 * Removes and returns the stream's first waiting page; NULL if there is none.
 */
extern DynFetchPage *dyn_stream_pop(DynStream *stream);

/*
 * Releases a page: its memory is no longer charged, and it goes to the list of
 * spare pages.
 */
extern void dyn_page_done(DynStreamContext *context, DynFetchPage *page);

/*
 * Returns true if all requests of the stream were sent, and all its pages were
 * taken.
 */
static inline bool
dyn_stream_is_done(const DynStream *stream)
{
	return !stream->in_flight && !stream->more && stream->first == NULL;
}

/*
 * Abandons the stream's request in flight and its waiting pages; then it is
 * done.
 */
extern void dyn_stream_abandon(DynStreamContext *context, DynStream *stream);

/* Frees the stream's memory; allowed in every state, raises no error. */
extern void dyn_stream_release(DynStreamContext *context, DynStream *stream);

/* Frees the malloc'd memory of the context. */
extern void dyn_stream_context_release(DynStreamContext *context);

#endif

/*
 * schedule.h
 *		Schedules the streams of a fetch, and their requests in flight.
 *
 * Private to the fetch: fetch.c returns the items; schedule.c runs streams.
 */
#ifndef DYN_EXEC_SCHEDULE_H
#define DYN_EXEC_SCHEDULE_H

#include "stream.h"

/* Maximum number of items returned between two calls of dyn_fetch_pump. */
#define DYN_ITEMS_BETWEEN_PUMPS		512

struct DynFetch
{
	DynStreamContext streams;	/* shared data, including the params */
	MemoryContext context;
	int			nactive;
	int			max_active;
	int			space;			/* allocated length of active and idle */
	DynStream **active;			/* active streams, usually by rising number */
	DynStream **idle;			/* finished streams, to be reused */
	int			nidle;
	int			next_stream;	/* number of the next stream to begin ahead of
								 * the consumer */
	bool	   *settled;		/* keyed: true for each stream (by number) that
								 * was begun or dropped */
	int			nsettled;		/* allocated length of `settled` */
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

/* Initializes the schedule according to the params, in fetch->context. */
extern void dyn_schedule_init(DynFetch *fetch);

/* Frees the streams; raises no error. */
extern void dyn_schedule_release(DynFetch *fetch);

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
 * Returns the first active stream that is not done, for fetches with
 * `in_turn`; NULL if there is none.
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

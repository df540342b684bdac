/*
 * schedule.h
 *		Which streams of a fetch are active, and which of their requests are in
 *		flight.
 *
 * Private to the fetch: fetch.c, which hands out the items, calls schedule.c,
 * which runs the streams.
 */
#ifndef DYN_EXEC_SCHEDULE_H
#define DYN_EXEC_SCHEDULE_H

#include "stream.h"

/* Items between two pumps. */
#define DYN_ITEMS_BETWEEN_PUMPS		512

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
	DynFetchPage *cached;		/* was the only one, kept to be read again */
	const DynFetchPage *origin; /* of the item that was handed out last */
	DynValue   *slots;
};

/* Allocates what the schedule needs in fetch->context, by the spec. */
extern void dyn_schedule_init(DynFetch *fetch);

/* Frees the streams; raises nothing. */
extern void dyn_schedule_release(DynFetch *fetch);

/*
 * Drives the network if an answer is awaited, takes in answers, and sends what
 * may be sent.
 */
extern void dyn_schedule_pump(DynFetch *fetch);

/*
 * Waits for an answer, or for the time to send, and pumps; only pumps if the
 * answer that is waited for is paused.  Answers to others of the group are not
 * taken in here, so that none of them makes room.
 */
extern void dyn_schedule_wait(DynFetch *fetch);

/* Begins streams and sends what may be sent now, without a look at the network. */
extern void dyn_schedule_send(DynFetch *fetch);

/* Would dyn_schedule_send send anything for the streams that are active? */
extern bool dyn_schedule_may_send(const DynFetch *fetch);

/*
 * Is there an answer to take in, or one that is paused and arrives only after a
 * pump?
 */
extern bool dyn_schedule_has_response(const DynFetch *fetch);

/* Has the statement room for another request and the bytes expected of it? */
extern bool dyn_schedule_has_space(const DynFetch *fetch);

/* No stream is active, and none is left to begin. */
extern bool dyn_schedule_is_finished(const DynFetch *fetch);

/* Milliseconds until some stream may send that may not now; -1: none waits. */
extern double dyn_schedule_next_resumption(const DynFetch *fetch);

extern int	dyn_schedule_in_flight(const DynFetch *fetch);

/*
 * Keyed: the active stream of that number, which is awaited from now on; begun
 * if it was not, even out of turn.  NULL if it is past.
 */
extern DynStream *dyn_schedule_stream(DynFetch *fetch, int number);

/* Keyed: from now on the stream is not begun. */
extern void dyn_schedule_settle(DynFetch *fetch, int number);

#endif

/*
 * pace.h
 *		Decides how fast to send requests to a table that throttles them.
 *
 * Pure policy: no network and no clock; the arguments contain the times (ms).
 *
 * A throttled request (called a refusal here) shows that the capacity is used
 * up.  From then on, requests are sent at a measured rate: the units granted
 * since some earlier refusal (pace.c), divided by the time since then.  Each
 * grant raises the rate, but only a little, so that few requests are refused.
 * After a time without refusals, the rate rises faster.  The rate is forgotten
 * when it no longer limits the requests, or after a long time without grants.
 *
 * The window limits the number of requests in flight.  It narrows with each
 * refusal and widens with each grant.
 *
 * If other clients overload the service, it refuses some requests, however low
 * our rate is.  A test (pace.c) detects this, to keep the rate from falling.
 *
 * Units are read or write units.  The cost of a request is estimated when it
 * is sent; its response reports the units that were granted.
 */
#ifndef DYN_AWS_PACE_H
#define DYN_AWS_PACE_H

#include <stdbool.h>

typedef struct DynPace
{
	/* the window */
	double		window;			/* limit of requests in flight (fractional) */
	double		max_window;
	double		narrowed_ms;	/* time when `window` last narrowed, or -1 */

	/* the rate */
	bool		throttled;		/* true from a refusal until the rate is
								 * forgotten */
	double		rate;			/* units per second; 0 if not known */
	double		next_ms;		/* earliest time of the next request */
	double		since_ms;		/* start of the rate's measurement */
	double		granted;		/* units granted in the measurement */
	double		seen_ms;		/* time of the last request or response */
	double		refused_ms;		/* time of the last refusal */
	double		raised_ms;		/* time of the last refusal or rate increase */
	int			responses;		/* requests granted since the last refusal */
	double		pause_ms;		/* length of the last pause; 0 after a grant */
	double		paused_ms;		/* time of the first refusal since a grant */
	bool		any_rate;		/* true after a test has shown that refusals
								 * occur at any rate, even at a low one */
	double		tested_ms;		/* start of the running test, or 0 */
	double		tested_rate;	/* highest measured rate since the last test */
	int			test_grants;	/* requests granted in the running test */
	int			vain;			/* requests refused in the running test; if
								 * any_rate is set, requests refused since the
								 * last successful test */
	double		capacity;		/* units per second that the service is known
								 * to grant; 0 if not known */
} DynPace;

/* Result of dyn_pace_delay if the next request must wait for a response. */
#define DYN_PACE_RESPONSE	(-1.0)

extern void dyn_pace_init(DynPace *pace, double max_window);

/*
 * Returns the time (ms) until the next request may be sent (0: now), or
 * DYN_PACE_RESPONSE if the request must wait for a response.
 */
extern double dyn_pace_delay(const DynPace *pace, int in_flight, double now_ms);

/*
 * Returns the units that one request should cost at most, so that responses
 * arrive several times a second; 0 if there is no such limit.
 */
extern double dyn_pace_max_units(const DynPace *pace);

/* Records that a request with this estimated cost is sent. */
extern void dyn_pace_send(DynPace *pace, double cost, double now_ms);

/* Records that a request of estimated cost `cost` was granted `units`. */
extern void dyn_pace_grant(DynPace *pace, double cost, double units,
						   double sent_ms, double now_ms);

/*
 * Records that a request was throttled.  If a part of it was granted, call
 * dyn_pace_grant first.  `capacity` is the units per second that the service
 * is known to grant, or 0.  Requests in flight are often refused together, so
 * this has no effect if the request was sent before the last recorded refusal.
 */
extern void dyn_pace_refuse(DynPace *pace, double cost, double capacity,
							double sent_ms, double now_ms);

/* A period in which requests are refused repeatedly; zero-initialize it. */
typedef struct DynThrottleEpisode
{
	double		first_ms;		/* time of the first refusal */
	double		last_ms;		/* time of the last refusal */
} DynThrottleEpisode;

/*
 * Records a refusal, and returns the length of the episode so far (ms).  After
 * 10 seconds without a refusal, a new episode begins, and the result is 0.
 * Pauses between requests are shorter, so they do not end an episode.
 */
extern double dyn_episode_refuse(DynThrottleEpisode *episode, double now_ms);

/* The time since the first refusal; the caller zeroes *stall on success. */
typedef struct DynStall
{
	double		ms;				/* length so far */
	double		last_ms;		/* time of the last refusal */
} DynStall;

/*
 * Records a refusal, and returns the length of the stall so far (ms).  Counts
 * at most 15 s between two refusals, since the caller may do other work.
 */
extern double dyn_stall_refuse(DynStall *stall, double now_ms);

#endif

/*
 * pace.h
 *		How fast requests may be sent to a table or index that throttles them.
 *
 * Pure policy: no network, and no clock but the times in the arguments
 * (milliseconds of a monotonic clock).
 *
 * A throttled request is no failure: it shows that the capacity is used up.
 * From then on the rate is learned: what was granted since a refusal, divided
 * by the time, is the capacity that is left for us.  Requests are sent at that
 * rate, which grows slowly, so that the service refuses one in a number of
 * them; it grows faster if the service refuses none, and is forgotten in the
 * end, as it is when nothing was granted for long.  And the window, the number
 * of requests in flight, narrows with each refusal and widens again
 * (multiplicative decrease, additive increase).
 *
 * Units are read units.  The cost of a request is estimated when it is sent;
 * its answer tells the units that were granted.
 */
#ifndef DYN_AWS_PACE_H
#define DYN_AWS_PACE_H

#include <stdbool.h>

typedef struct DynPace
{
	/* the window */
	double		window;			/* requests in flight; fractions count */
	double		max_window;
	double		narrowed_ms;	/* the last refusal that narrowed it */

	/* the rate */
	bool		throttled;		/* was refused, and has not forgotten it */
	double		rate;			/* units per second; 0: not known */
	double		next_ms;		/* no request before this time */
	double		since_ms;		/* where the measurement begins */
	double		granted;		/* units since then */
	double		seen_ms;		/* what happened last: sent, or answered */
	double		refused_ms;		/* the last refusal */
	double		raised_ms;		/* when the rate was raised last */
	int			responses;		/* granted since the last refusal */
	double		pause_ms;		/* the last one, while nothing is granted */
	double		paused_ms;		/* the first refusal since a grant */
	double		capacity;		/* what the service is known to grant; or 0 */
} DynPace;

/* dyn_pace_delay: not before an answer comes. */
#define DYN_PACE_RESPONSE	(-1.0)

/* At most max_window requests in flight. */
extern void dyn_pace_init(DynPace *pace, double max_window);

/*
 * Milliseconds until a request may be sent where in_flight are under way; 0 if
 * it may now; DYN_PACE_RESPONSE.
 */
extern double dyn_pace_delay(const DynPace *pace, int in_flight, double now_ms);

/*
 * The units that one request should cost at most, so that an answer comes
 * several times a second; 0 if any number will do.
 */
extern double dyn_pace_max_units(const DynPace *pace);

/* A request that may cost so many units is sent. */
extern void dyn_pace_send(DynPace *pace, double cost, double now_ms);

/* Its answer came at now_ms: so many units were granted. */
extern void dyn_pace_grant(DynPace *pace, double cost, double units,
						   double sent_ms, double now_ms);

/*
 * It was throttled, or what is left of it was (dyn_pace_grant precedes then).
 * `capacity` is what the service is known to grant in a second, 0 if it is not
 * known.  Requests that were in flight together count as one refusal.
 */
extern void dyn_pace_refuse(DynPace *pace, double cost, double capacity,
							double sent_ms, double now_ms);

/* A time in which requests were refused again and again.  All zero: none yet. */
typedef struct DynThrottleEpisode
{
	double		first_ms;		/* the first refusal */
	double		last_ms;		/* the last one */
} DynThrottleEpisode;

/*
 * A request is refused.  Returns how many milliseconds the spell lasts by now: 0
 * if it begins, because there was no refusal for 10 seconds.  That is longer
 * than a pace pauses, so whoever waits for long has one spell.
 */
extern double dyn_episode_refuse(DynThrottleEpisode *episode, double now_ms);

#endif

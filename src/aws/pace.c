/*
 * pace.c
 *		Learns the rate at which a table or index grants read units.
 *
 * A service that throttles is, as far as a client can see, a bucket of tokens
 * that fills at the rate in search; it refuses requests while the bucket is
 * empty.  So the bucket is empty at each refusal, and between two of them it
 * was filled with what was granted: units / time is the rate, up to the cost of
 * one request.  The longer the time, the better the measure; so a measurement
 * goes on over many refusals, and forgets its older half from time to time.
 *
 * The constants are those at which test/unit/test_pace.c comes closest to the
 * ideal in a number of situations.
 */
#include "pace.h"

#include <math.h>

#define SECOND	1000.0

/* A refusal narrows the window by this factor. */
#define NARROWING			0.7

/*
 * While nothing is granted: the first pause if the capacity is not known, the
 * growth of pauses, the longest one; above SHORT_PAUSE a pause is at most this
 * share of the time since the first refusal.
 */
#define FIRST_PAUSE_MS		25.0
#define PAUSE_GROWTH		1.5
#define SHORT_PAUSE_MS		300.0
#define PAUSE_SHARE			0.18
#define LONGEST_PAUSE_MS	1500.0

/* The longest pause where the rate is known; it may have changed meanwhile. */
#define LONGEST_WAIT_MS		8000.0

/*
 * Where nothing was granted for so long, the rate says nothing any more: what
 * is granted next may be as much as ever.  Requests are few and small then, so
 * that their own cost explains no longer refusals.
 */
#define SILENCE_MS			10000.0

/* The rate begins a little below the measured one... */
#define CAUTION				0.97

/* ...grows by this share with an answer, but not more in a second... */
#define GROWTH_PER_RESPONSE	0.03
#define GROWTH_PER_SECOND	0.15

/*
 * ...and much faster (HASTE times) once so many answers, over so much time,
 * have brought no refusal...
 */
#define QUIET_RESPONSES		6.0
#define QUIET_MS			800.0
#define HASTE				10.0
#define MAX_GROWTH			0.5

/* ...until it is so many times what is granted: then it limits nothing. */
#define FORGET_RATIO		16.0

/* Unused time is made up for as far as this: services save some, too. */
#define SLACK_MS			300.0

/* A measurement of twice this time forgets its older half. */
#define MEASURED_MS			2000.0

/* Longer spells without a request count as this long. */
#define LONGEST_EPISODE_MS	1000.0

/* A spell of refusals ends with so long a time without one. */
#define END_OF_EPISODE_MS		10000.0

/* One request costs at most what the rate grants in this time... */
#define REQUEST_MS			250.0

/* ...or this, for the first answer after a refusal. */
#define UNKNOWN_UNITS		16.0

void
dyn_pace_init(DynPace *pace, double max_window)
{
	*pace = (DynPace) {.window = max_window, .max_window = max_window,
	.narrowed_ms = -1};
}

/*
 * Something happens to a request.  Where nobody asked for long, though it would
 * have been time, nothing could be granted: that does not show the rate.
 */
static void
skip_episode(DynPace *pace, double now_ms)
{
	double		episode = now_ms - fmax(pace->seen_ms, pace->next_ms);

	if (episode > LONGEST_EPISODE_MS)
	{
		pace->since_ms += episode - LONGEST_EPISODE_MS;
		pace->paused_ms += episode - LONGEST_EPISODE_MS;
	}
	pace->seen_ms = fmax(pace->seen_ms, now_ms);
}

/* ---- sending -------------------------------------------------------- */

/* Until the rate is known again, requests increase with the answers. */
static double
window(const DynPace *pace)
{
	if (pace->throttled && pace->rate <= 0)
		return fmax(1, fmin(pace->window, pace->responses));
	return pace->window;
}

double
dyn_pace_delay(const DynPace *pace, int in_flight, double now_ms)
{
	if (in_flight > 0 && in_flight + 1 > window(pace))
		return DYN_PACE_RESPONSE;
	return fmax(0, pace->next_ms - now_ms);
}

double
dyn_pace_max_units(const DynPace *pace)
{
	if (pace->throttled && pace->rate <= 0)
		return fmax(pace->capacity * REQUEST_MS / SECOND, UNKNOWN_UNITS) *
			(1 + pace->responses);
	return pace->rate * REQUEST_MS / SECOND;
}

/* The next request follows when the rate has granted so many units since then. */
static void
wait_for(DynPace *pace, double since_ms, double cost, double now_ms)
{
	pace->next_ms = fmin(since_ms + cost / pace->rate * SECOND,
						 now_ms + LONGEST_WAIT_MS);
}

void
dyn_pace_send(DynPace *pace, double cost, double now_ms)
{
	skip_episode(pace, now_ms);
	if (pace->rate > 0)
		wait_for(pace, fmax(pace->next_ms, now_ms - SLACK_MS), cost, now_ms);
}

/* ---- granted -------------------------------------------------------- */

static double
measured(const DynPace *pace, double now_ms)
{
	return pace->granted / fmax(now_ms - pace->since_ms, 1) * SECOND;
}

/* The longer nothing was refused, the faster. */
static void
raise_rate(DynPace *pace, double now_ms)
{
	double		quiet = fmin(pace->responses / QUIET_RESPONSES,
							 (now_ms - pace->refused_ms) / QUIET_MS);
	double		elapsed = fmax(now_ms - pace->raised_ms, 0);
	double		growth = fmin(GROWTH_PER_RESPONSE,
							  GROWTH_PER_SECOND * elapsed / SECOND);

	growth *= 1 + HASTE * quiet * quiet;
	pace->rate *= 1 + fmin(growth, MAX_GROWTH);
	pace->raised_ms += elapsed;
	if (pace->rate > FORGET_RATIO * measured(pace, now_ms))
		dyn_pace_init(pace, pace->max_window);
}

void
dyn_pace_grant(DynPace *pace, double cost, double units, double sent_ms,
			   double now_ms)
{
	skip_episode(pace, now_ms);
	pace->window = fmin(pace->max_window, pace->window + 1 / pace->window);
	if (pace->rate > 0)
		wait_for(pace, pace->next_ms, units - cost, now_ms);
	/* what was sent before the refusal was granted before it */
	if (!pace->throttled || sent_ms < pace->refused_ms)
		return;
	pace->granted += units;
	pace->responses++;
	pace->pause_ms = 0;
	if (pace->rate > 0)
		raise_rate(pace, now_ms);
}

/* ---- refused -------------------------------------------------------- */

static double
next_pause(const DynPace *pace, double cost, double now_ms)
{
	double		share = PAUSE_SHARE * (now_ms - pace->paused_ms);

	if (pace->pause_ms > 0)
		return fmin(pace->pause_ms * PAUSE_GROWTH, fmax(share, SHORT_PAUSE_MS));
	if (pace->capacity > 0)
		return fmax(cost / pace->capacity * SECOND, FIRST_PAUSE_MS);
	return FIRST_PAUSE_MS;
}

static void
measure(DynPace *pace, double cost, double now_ms)
{
	double		elapsed = now_ms - pace->since_ms;

	pace->rate = CAUTION * measured(pace, now_ms);
	wait_for(pace, now_ms, cost, now_ms);
	if (elapsed > 2 * MEASURED_MS)
	{
		pace->since_ms += elapsed / 2;
		pace->granted /= 2;
	}
}

/* Refused twice in a row: the capacity has become less, or is in debt. */
static void
slow_down(DynPace *pace, double cost, double now_ms)
{
	double		pause = PAUSE_GROWTH * (pace->next_ms - pace->refused_ms);
	double		before = pace->rate;

	measure(pace, cost, now_ms);
	pace->rate = fmin(pace->rate, before * NARROWING);
	pause = fmax(pause, cost / pace->rate * SECOND);
	pace->next_ms = now_ms + fmin(pause, LONGEST_WAIT_MS);
}

void
dyn_pace_refuse(DynPace *pace, double cost, double capacity, double sent_ms,
				double now_ms)
{
	if (sent_ms <= pace->narrowed_ms)
		return;
	skip_episode(pace, now_ms);
	pace->narrowed_ms = now_ms;
	pace->window = fmax(1, pace->window * NARROWING);
	pace->capacity = capacity;
	if (!pace->throttled || pace->responses > 0)
		pace->paused_ms = now_ms;
	else if (pace->rate > 0 && now_ms - pace->paused_ms > SILENCE_MS)
	{
		/* as if nothing had ever been granted, but for the pauses */
		pace->rate = pace->granted = 0;
		pace->pause_ms = LONGEST_PAUSE_MS;
	}
	if (pace->rate > 0 && pace->responses == 0)
		slow_down(pace, cost, now_ms);
	else if (pace->throttled && pace->granted > 0)
		measure(pace, cost, now_ms);
	else
	{
		/* nothing granted since the last refusal, and the rate is not known */
		pace->pause_ms = fmin(next_pause(pace, cost, now_ms), LONGEST_PAUSE_MS);
		pace->since_ms = now_ms;
		pace->next_ms = now_ms + pace->pause_ms;
	}
	pace->throttled = true;
	pace->refused_ms = pace->raised_ms = now_ms;
	pace->responses = 0;
}

/* ---- spells --------------------------------------------------------- */

double
dyn_episode_refuse(DynThrottleEpisode *episode, double now_ms)
{
	if (episode->first_ms <= 0 || now_ms - episode->last_ms > END_OF_EPISODE_MS)
		episode->first_ms = now_ms;
	episode->last_ms = now_ms;
	return now_ms - episode->first_ms;
}

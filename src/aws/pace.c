/*
 * pace.c
 *		Learns the rate at which a table or index grants read or write units.
 *
 * A service that throttles is like a bucket of tokens, which fills at an
 * unknown rate; the service refuses requests while the bucket is empty.  Since
 * the bucket is empty at each refusal, it received as many tokens between two
 * refusals as were granted.  So the rate is units / time, with an error of at
 * most one request's cost.  To reduce this error, a measurement continues over
 * many refusals, but it drops its older half, because the rate may change.
 *
 * The constants were chosen by experiment: in the situations of
 * test/unit/test_pace.c, they come closest to the ideal rate.
 */
#include "pace.h"

#include <math.h>

#define SECOND	1000.0

/*
 * Each refusal multiplies the window by this factor.  A refusal that directly
 * follows another refusal also reduces the rate, at least by this factor.
 */
#define NARROWING			0.7

/*
 * Pauses (ms) while the rate is not known.  The first is FIRST_PAUSE_MS or
 * cost / (known capacity), whichever is longer.  Each further pause is
 * PAUSE_GROWTH * the previous pause, but at most the greater of SHORT_PAUSE_MS
 * and PAUSE_SHARE * time since the first refusal.
 */
#define FIRST_PAUSE_MS		25.0
#define PAUSE_GROWTH		1.5
#define SHORT_PAUSE_MS		300.0
#define PAUSE_SHARE			0.18
#define LONGEST_PAUSE_MS	1500.0

/* Longest pause while the rate is known, to notice soon if capacity rises. */
#define LONGEST_WAIT_MS		8000.0

/*
 * If all requests were refused for this time, the next refusal discards the
 * measured rate: at that rate, the service would have granted some requests.
 */
#define SILENCE_MS			10000.0

/* At a refusal, the rate is set to CAUTION * the measured rate. */
#define CAUTION				0.97

/*
 * Each grant multiplies the rate by 1 + g * h, where h is explained below, and
 * g is the smaller of GROWTH_PER_RESPONSE and GROWTH_PER_SECOND * (seconds
 * since the last growth or refusal).
 */
#define GROWTH_PER_RESPONSE	0.03
#define GROWTH_PER_SECOND	0.15

/*
 * The factor h rises while no request is refused.  It is 1 + HASTE * q * q; q
 * is the smaller of (grants since the last refusal) / QUIET_RESPONSES and (ms
 * since the last refusal) / QUIET_MS.  But g * h is at most MAX_GROWTH.
 */
#define QUIET_RESPONSES		6.0
#define QUIET_MS			800.0
#define HASTE				10.0
#define MAX_GROWTH			0.5

/*
 * A test finds out whether requests are refused for other reasons than our
 * rate.  The refill time of a request is its cost divided by the rate.  An
 * empty token bucket can grant at most one request within the refill time.  If
 * it grants two, it was not empty, so our rate did not cause the refusal.
 *
 * A test starts at a refusal if all of these are true:
 *
 *		1 to QUIET_RESPONSES - 1 requests were granted since the last refusal
 *		the rate measured now is lower than TEST_SHARE * the highest rate
 *			measured since the last test
 *		the refusal came soon after the request was sent: within half of the
 *			request's refill time
 *
 * During the test, each request is sent TEST_PAUSE_MS after the response to
 * the previous one.  The test succeeds if two requests are granted within the
 * refill time.  The test fails if the second grant comes later, if a refusal
 * comes later, or if TEST_REFUSALS requests are refused.
 *
 * Refusals do not lower the rate while a test runs.  After a success, they do
 * not lower it until TRUSTED_REFUSALS requests have been refused.
 */
#define TEST_SHARE			0.7
#define TEST_PAUSE_MS		1.0
#define TEST_REFUSALS		3
#define TRUSTED_REFUSALS	40

/* The rate is forgotten if it exceeds this multiple of the measured rate. */
#define FORGET_RATIO		16.0

/* Later requests may use the unused units of this much time, but no more. */
#define SLACK_MS			300.0

/* A measurement that is longer than twice this time drops its older half. */
#define MEASURED_MS			2000.0

/* A period without requests counts as at most this time in a measurement. */
#define LONGEST_IDLE_MS	1000.0

/* Maximum time between two refusals that counts toward a stall (DynStall). */
#define LONGEST_GAP_MS		15000.0

/* An episode of refusals ends after this time without a refusal. */
#define END_OF_EPISODE_MS		10000.0

/* A request should cost at most the units granted in this time. */
#define REQUEST_MS			250.0

/* While the rate is not known, a request's limit (units) is at least this. */
#define UNKNOWN_UNITS		16.0

void
dyn_pace_init(DynPace *pace, double max_window)
{
	*pace = (DynPace) {.window = max_window, .max_window = max_window,
	.narrowed_ms = -1};
}

/*
 * Excludes idle time beyond LONGEST_IDLE_MS from the measurement of the rate,
 * because the capacity was not being used.  Time is idle if a request was
 * allowed, but none was sent and no response arrived.
 */
static void
skip_idle_time(DynPace *pace, double now_ms)
{
	double		idle = now_ms - fmax(pace->seen_ms, pace->next_ms);

	if (idle > LONGEST_IDLE_MS)
	{
		pace->since_ms += idle - LONGEST_IDLE_MS;
		pace->paused_ms += idle - LONGEST_IDLE_MS;
	}
	pace->seen_ms = fmax(pace->seen_ms, now_ms);
}

/* ---- sending -------------------------------------------------------- */

/* Returns pace->window, or less if throttled and the rate is not known. */
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

/* Delays requests until the rate has granted `cost` units after since_ms. */
static void
wait_for(DynPace *pace, double since_ms, double cost, double now_ms)
{
	pace->next_ms = fmin(since_ms + cost / pace->rate * SECOND,
						 now_ms + LONGEST_WAIT_MS);
}

void
dyn_pace_send(DynPace *pace, double cost, double now_ms)
{
	skip_idle_time(pace, now_ms);
	if (pace->rate > 0)
		wait_for(pace, fmax(pace->next_ms, now_ms - SLACK_MS), cost, now_ms);
}

/* ---- refusals that do not depend on the rate ------------------------- */

static double
measured(const DynPace *pace, double now_ms)
{
	return pace->granted / fmax(now_ms - pace->since_ms, 1) * SECOND;
}

static void
stop_test(DynPace *pace, bool any_rate)
{
	pace->any_rate = any_rate;
	pace->tested_ms = 0;
	pace->vain = 0;
}

/*
 * Starts a test if its conditions hold (TEST_SHARE), or counts this refusal if
 * a test runs or has succeeded.  Returns true if the rate must not be lowered.
 */
static bool
refused_at_any_rate(DynPace *pace, double cost, double sent_ms, double now_ms)
{
	double		refill_ms = cost / pace->rate * SECOND;

	if (pace->any_rate || pace->tested_ms > 0)
	{
		pace->vain++;
		if (pace->rate <= 0 ||
			pace->vain >= (pace->any_rate ? TRUSTED_REFUSALS : TEST_REFUSALS) ||
			(!pace->any_rate && now_ms - pace->tested_ms > refill_ms))
			stop_test(pace, false);
	}
	else if (pace->rate > 0 && measured(pace, now_ms) < TEST_SHARE * pace->tested_rate &&
			 pace->responses > 0 && pace->responses < QUIET_RESPONSES &&
			 now_ms - sent_ms < refill_ms / 2)
	{
		pace->tested_ms = now_ms;
		pace->tested_rate = measured(pace, now_ms);
		pace->test_grants = 0;
	}
	if (pace->tested_ms > 0)
		pace->next_ms = now_ms + TEST_PAUSE_MS;
	return pace->any_rate || pace->tested_ms > 0;
}

/*
 * Counts a grant during a test (TEST_SHARE).  Ignores a request if less than
 * half of its cost was granted: the bucket is empty then.  The second grant
 * ends the test, and may raise the rate.
 */
static void
grant_in_test(DynPace *pace, double cost, double units, double now_ms)
{
	double		granted_rate = cost / (now_ms - pace->tested_ms) * SECOND;

	pace->next_ms = now_ms + TEST_PAUSE_MS;
	if (units < cost / 2 || ++pace->test_grants < 2)
		return;
	stop_test(pace, granted_rate > pace->rate);
	pace->rate = fmax(pace->rate, granted_rate);
}

/* ---- grants --------------------------------------------------------- */

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
	skip_idle_time(pace, now_ms);
	pace->window = fmin(pace->max_window, pace->window + 1 / pace->window);
	if (pace->rate > 0)
		wait_for(pace, pace->next_ms, units - cost, now_ms);
	/* only responses to requests sent after the last refusal are measured */
	if (!pace->throttled || sent_ms < pace->refused_ms)
		return;
	pace->granted += units;
	pace->responses++;
	pace->pause_ms = 0;
	if (pace->tested_ms > 0)
		grant_in_test(pace, cost, units, now_ms);
	if (pace->rate > 0)
		raise_rate(pace, now_ms);
}

/* ---- refusals ------------------------------------------------------- */

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

void
dyn_pace_refuse(DynPace *pace, double cost, double capacity, double sent_ms,
				double now_ms)
{
	double		pause;
	double		before;

	if (sent_ms <= pace->narrowed_ms)
		return;
	skip_idle_time(pace, now_ms);
	pace->narrowed_ms = now_ms;
	pace->window = fmax(1, pace->window * NARROWING);
	pace->capacity = capacity;
	if (!pace->throttled || pace->responses > 0)
		pace->paused_ms = now_ms;
	else if (pace->rate > 0 && now_ms - pace->paused_ms > SILENCE_MS)
	{
		/* start again without a rate, but with the longest pause */
		pace->rate = pace->granted = 0;
		pace->pause_ms = LONGEST_PAUSE_MS;
	}
	if (refused_at_any_rate(pace, cost, sent_ms, now_ms))
		;						/* leave the rate unchanged */
	else if (pace->rate > 0 && pace->responses == 0)
	{
		/* two refusals in a row: the capacity has decreased or is overdrawn */
		pause = PAUSE_GROWTH * (pace->next_ms - pace->refused_ms);
		before = pace->rate;
		measure(pace, cost, now_ms);
		pace->rate = fmin(pace->rate, before * NARROWING);
		pause = fmax(pause, cost / pace->rate * SECOND);
		pace->next_ms = now_ms + fmin(pause, LONGEST_WAIT_MS);
	}
	else if (pace->throttled && pace->granted > 0)
		measure(pace, cost, now_ms);
	else
	{
		/* the rate is not known */
		pause = FIRST_PAUSE_MS;
		if (pace->pause_ms > 0)
			pause = fmin(pace->pause_ms * PAUSE_GROWTH,
						 fmax(PAUSE_SHARE * (now_ms - pace->paused_ms),
							  SHORT_PAUSE_MS));
		else if (pace->capacity > 0)
			pause = fmax(cost / pace->capacity * SECOND, FIRST_PAUSE_MS);
		pace->pause_ms = fmin(pause, LONGEST_PAUSE_MS);
		pace->since_ms = now_ms;
		pace->next_ms = now_ms + pace->pause_ms;
	}
	if (!pace->any_rate && pace->tested_ms == 0)
		pace->tested_rate = fmax(pace->tested_rate, pace->rate);
	pace->throttled = true;
	pace->refused_ms = pace->raised_ms = now_ms;
	pace->responses = 0;
}

/* ---- episodes ------------------------------------------------------- */

double
dyn_episode_refuse(DynThrottleEpisode *episode, double now_ms)
{
	if (episode->first_ms <= 0 || now_ms - episode->last_ms > END_OF_EPISODE_MS)
		episode->first_ms = now_ms;
	episode->last_ms = now_ms;
	return now_ms - episode->first_ms;
}

double
dyn_stall_refuse(DynStall *stall, double now_ms)
{
	if (stall->last_ms > 0)
		stall->ms += fmin(now_ms - stall->last_ms, LONGEST_GAP_MS);
	stall->last_ms = now_ms;
	return stall->ms;
}

/*
 * provider.c
 *		Obtains credentials on demand, and refreshes them in time.
 */
#include "provider.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loop.h"
#include "retry.h"

/* Earliest and latest refresh before the expiry, in seconds. */
#define EARLIEST_REFRESH	(15 * 60)
#define LATEST_REFRESH		(5 * 60)

/* First and longest pause after failures (s); the pauses double. */
#define FIRST_PAUSE			1
#define LONGEST_PAUSE		60

/* Lifetime of credentials that do not expire, in seconds. */
#define FOR_EVER			(INT64_MAX / 2)

/* Refusals of credentials younger than this (us) count toward a pause. */
#define YOUNG_US			((int64_t) LONGEST_PAUSE * 1000000)

/* Longest wait for a refresh (us) if the previous refresh was stopped. */
#define REFRESH_WAIT_US			1000000

static bool
is_static(const DynProvider *provider)
{
	return provider->source.start == NULL;
}

static bool
is_usable(const DynProvider *provider)
{
	return provider->current.access_key_id != NULL && !provider->rejected &&
		dyn_loop_uptime_s() < provider->ends_at;
}

int64_t
dyn_provider_due_us(const DynProvider *provider)
{
	return provider->wait_until_us != 0 ? provider->wait_until_us : DYN_LOOP_NEVER;
}

/* Restarts a stopped source without a pause if no credentials are usable. */
DynReadiness
dyn_provider_request(DynProvider *provider, struct DynClient *client)
{
	bool		usable;

	if (is_static(provider))
		return DYN_CREDENTIALS_READY;
	usable = is_usable(provider);
	if (provider->client == NULL &&
		(!usable || dyn_loop_uptime_s() >= provider->refresh_at) &&
		((provider->stopped && !usable) ||
		 dyn_loop_now_us() >= provider->retry_us))
	{
		provider->client = client;
		provider->refreshing = usable;
		provider->wait_until_us = usable && provider->stopped ?
			dyn_loop_now_us() + REFRESH_WAIT_US : 0;
		provider->source.start(provider->source.state, provider, client);
		usable = is_usable(provider);
	}
	if (!usable)
		provider->wait_until_us = 0;
	else if (provider->client == NULL || provider->wait_until_us == 0 ||
			 dyn_loop_now_us() >= provider->wait_until_us)
		return DYN_CREDENTIALS_READY;
	return provider->client ? DYN_CREDENTIALS_AWAITED : DYN_CREDENTIALS_FAILED;
}

void
dyn_provider_obtained(DynProvider *provider, DynCredentials *credentials,
					  int64_t now)
{
	int64_t		life = credentials->expires == 0 ? FOR_EVER
		: credentials->expires - now;
	int64_t		margin = LATEST_REFRESH +
		(int64_t) (dyn_random_unit() * (EARLIEST_REFRESH - LATEST_REFRESH));

	assert(provider->client != NULL);
	dyn_credentials_clear(&provider->previous);
	provider->previous = provider->current;
	provider->current = *credentials;
	memset(credentials, 0, sizeof(*credentials));
	provider->generation++;
	provider->client = NULL;
	provider->rejected = false;
	provider->misses = 0;
	provider->stopped = false;
	provider->retry_us = 0;
	provider->obtained_us = dyn_loop_now_us();
	provider->issuer_ahead = now - (int64_t) time(NULL);
	provider->ends_at = dyn_loop_uptime_s() + life;
	provider->refresh_at = provider->ends_at -
		(margin < life / 2 ? margin : life / 2);
}

/* Returns the end of the pause after `times` failures (monotonic us). */
static int64_t
pause_end_us(int times)
{
	int64_t		pause = times <= 6 ? (int64_t) FIRST_PAUSE << (times - 1)
		: LONGEST_PAUSE;

	return dyn_loop_now_us() + pause * 1000000;
}

/* Sets the pause of a source that has failed or was stopped. */
static void
note_miss(DynProvider *provider, bool stopped)
{
	provider->stopped = stopped;
	provider->retry_us = pause_end_us(++provider->misses);
}

static void
keep_error(DynProvider *provider, const DynError *err)
{
	if (provider->err == NULL)
		provider->err = malloc(sizeof(*provider->err));
	if (provider->err != NULL)
		*provider->err = *err;
}

void
dyn_provider_failed(DynProvider *provider, const DynError *err)
{
	assert(provider->client != NULL);
	provider->client = NULL;
	keep_error(provider, err);
	note_miss(provider, false);
}

/* Sets an error with the times of all clocks, one of which may be wrong. */
static void
blame_clocks(DynProvider *provider, const int64_t *service_time)
{
	int64_t		here = (int64_t) time(NULL);
	char		texts[4][DYN_ERROR_TIME_SIZE];
	DynError	err;

	dyn_error_time_text(provider->current.expires, texts[0]);
	dyn_error_time_text(here + provider->issuer_ahead, texts[1]);
	dyn_error_time_text(service_time ? *service_time : 0, texts[2]);
	dyn_error_time_text(here, texts[3]);
	dyn_error_set(&err, "the service rejects new credentials as expired; they are valid until %s; the time is %s at their provider, %s at the service, and %s on this machine",
				  texts[0], texts[1], texts[2], texts[3]);
	dyn_error_hint(&err, "Correct the clock that is wrong. If all clocks agree, renew the credentials at their provider.");
	keep_error(provider, &err);
}

bool
dyn_provider_reject(DynProvider *provider, unsigned generation,
					const int64_t *service_time)
{
	if (is_static(provider))
		return false;
	if (generation != provider->generation || provider->rejected)
		return true;
	provider->rejected = true;
	if (dyn_loop_now_us() - provider->obtained_us >= YOUNG_US)
	{
		provider->refusals = 0;
		return true;
	}

	/*
	 * if a clock is wrong, or the service malicious, new credentials may be
	 * refused again and again; so pause from the second refusal on
	 */
	if (++provider->refusals > 1)
		provider->retry_us = pause_end_us(provider->refusals - 1);
	blame_clocks(provider, service_time);
	return true;
}

const DynError *
dyn_provider_error(const DynProvider *provider)
{
	static const DynError no_memory = {.out_of_memory = true};

	return provider->err ? provider->err : &no_memory;
}

void
dyn_provider_rest(DynProvider *provider)
{
	if (provider->client == NULL)
		return;
	provider->source.stop(provider->source.state);
	provider->client = NULL;
	if (provider->refreshing)
		note_miss(provider, true);
}

void
dyn_provider_clear(DynProvider *provider)
{
	dyn_provider_rest(provider);
	if (provider->source.free)
		provider->source.free(provider->source.state);
	dyn_credentials_clear(&provider->current);
	dyn_credentials_clear(&provider->previous);
	free(provider->err);
	memset(provider, 0, sizeof(*provider));
}

/*
 * provider.c
 *		Credentials as requests use them: obtained when they are needed,
 *		refreshed before they expire.
 *
 * Layer: aws.
 */
#include "provider.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "retry.h"

/* How long before they expire new ones are obtained, in seconds. */
#define EARLIEST_REFRESH	(15 * 60)
#define LATEST_REFRESH		(5 * 60)

/* Seconds until a source that failed is asked again; doubles up to the last. */
#define FIRST_PAUSE			1
#define LONGEST_PAUSE		60

/* How long calls wait for a refresh, after one that was stopped. */
#define PATIENCE_US			1000000

static bool
is_static(const DynProvider *provider)
{
	return provider->source.start == NULL;
}

static bool
is_usable(const DynProvider *provider, int64_t now)
{
	const DynCredentials *current = &provider->current;

	return current->access_key_id != NULL && !provider->rejected &&
		(current->expires == 0 || now < current->expires);
}

/* Is it time to obtain others, while the current ones may still serve? */
static bool
is_due(const DynProvider *provider, int64_t now)
{
	return !is_usable(provider, now) ||
		(provider->refresh_at != 0 && now >= provider->refresh_at);
}

/* What is needed at once, and has not failed, need not pause. */
static bool
may_start(const DynProvider *provider, int64_t now)
{
	return provider->client == NULL &&
		(provider->misses == 0 ||
		 (provider->stopped && !is_usable(provider, now)) ||
		 dyn_loop_now_us() >= provider->retry_us);
}

static void
start_source(DynProvider *provider, struct DynClient *client, int64_t now)
{
	provider->client = client;
	provider->refreshing = is_usable(provider, now);
	provider->patience_us = provider->refreshing && provider->stopped ?
		dyn_loop_now_us() + PATIENCE_US : 0;
	provider->source.start(provider->source.state, provider, client, now);
}

/* Is it time to wait for others, while the current ones may still serve? */
static bool
is_patient(const DynProvider *provider)
{
	return provider->client != NULL && provider->patience_us != 0 &&
		dyn_loop_now_us() < provider->patience_us;
}

int64_t
dyn_provider_due_us(const DynProvider *provider)
{
	return provider->patience_us != 0 ? provider->patience_us : DYN_LOOP_NEVER;
}

DynReadiness
dyn_provider_ask(DynProvider *provider, struct DynClient *client, int64_t now)
{
	if (is_static(provider))
		return DYN_CREDENTIALS_READY;
	if (is_due(provider, now) && may_start(provider, now))
		start_source(provider, client, now);
	if (!is_usable(provider, now))
		provider->patience_us = 0;
	else if (!is_patient(provider))
		return DYN_CREDENTIALS_READY;
	return provider->client ? DYN_CREDENTIALS_AWAITED : DYN_CREDENTIALS_FAILED;
}

bool
dyn_provider_reject(DynProvider *provider, unsigned generation)
{
	if (is_static(provider))
		return false;
	if (generation == provider->generation)
		provider->rejected = true;
	return true;
}

/* Between the earliest and the latest, and not in the first half of a life. */
static int64_t
choose_refresh(int64_t expires, int64_t now)
{
	DynRandom	random;
	int64_t		before;

	if (expires == 0)
		return 0;
	dyn_random_seed(&random);
	before = LATEST_REFRESH +
		(int64_t) (dyn_random_unit(&random) *
				   (EARLIEST_REFRESH - LATEST_REFRESH));
	if (before > (expires - now) / 2)
		before = (expires - now) / 2;
	return expires - before;
}

void
dyn_provider_obtained(DynProvider *provider, DynCredentials *credentials,
					  int64_t now)
{
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
	provider->refresh_at = choose_refresh(provider->current.expires, now);
}

/* The next work is to pause. */
static void
note_miss(DynProvider *provider, bool stopped)
{
	int64_t		pause = LONGEST_PAUSE;

	if (provider->misses < 6)
		pause = (int64_t) FIRST_PAUSE << provider->misses;
	if (pause > LONGEST_PAUSE)
		pause = LONGEST_PAUSE;
	provider->misses++;
	provider->stopped = stopped;
	provider->retry_us = dyn_loop_now_us() + pause * 1000000;
}

void
dyn_provider_failed(DynProvider *provider, const DynFault *fault)
{
	assert(provider->client != NULL);
	provider->client = NULL;
	if (provider->fault == NULL)
		provider->fault = malloc(sizeof(*provider->fault));
	if (provider->fault != NULL)
		*provider->fault = *fault;
	note_miss(provider, false);
}

const DynFault *
dyn_provider_fault(const DynProvider *provider)
{
	static const DynFault no_memory = {.out_of_memory = true};

	return provider->fault ? provider->fault : &no_memory;
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
	free(provider->fault);
	memset(provider, 0, sizeof(*provider));
}

/*
 * test_provider.c
 *		When a provider sends a request to its source, and what calls get in the meantime.
 */
#include "harness.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aws/client.h"
#include "aws/loop.h"
#include "aws/provider.h"

#define NOW		((int64_t) 1800000000)

/* What a source does when it is started. */
typedef enum Will
{
	WORKS,						/* until the test ends it */
	GIVES,
	FAILS
} Will;

static Will will;
static int64_t life;			/* of what it gives; 0: for ever */
static int	starts;
static int	stops;
static int	frees;
static int64_t shift_us;		/* of the monotonic clock */
static int64_t uptime;
static int64_t ahead;			/* of the issuer's clock */
static DynProvider provider;

/* Only the pauses look at it. */
int64_t
dyn_loop_now_us(void)
{
	return 1000000 + shift_us;
}

int64_t
dyn_loop_uptime_s(void)
{
	return uptime;
}

static void
give(int64_t now)
{
	DynCredentials credentials;
	const char *bad;
	char		key[16];

	snprintf(key, sizeof(key), "KEY%d", starts);
	CHECK(dyn_credentials_set(&credentials, key, "s", "t", &bad));
	credentials.expires = life ? now + ahead + life : 0;
	dyn_provider_obtained(&provider, &credentials, now + ahead);
	CHECK(credentials.access_key_id == NULL);
}

static void
fail(void)
{
	DynError	err;

	dyn_error_set(&err, "no reason");
	dyn_provider_failed(&provider, &err);
}

static void
start(void *state, DynProvider *requested, DynClient *client)
{
	CHECK(state == &will && requested == &provider && client != NULL);
	starts++;
	if (will == GIVES)
		give(uptime);
	else if (will == FAILS)
		fail();
}

static void
stop(void *state)
{
	CHECK(state == &will);
	stops++;
}

static void
free_source(void *state)
{
	CHECK(state == &will);
	frees++;
}

static void
set_stage(Will intention, int64_t lifetime)
{
	dyn_provider_clear(&provider);
	provider.source = (DynSource) {start, stop, free_source, &will};
	will = intention;
	life = lifetime;
	starts = stops = frees = 0;
	shift_us = 0;
	ahead = 0;
}

static DynReadiness
request(int64_t now)
{
	uptime = now;
	return dyn_provider_request(&provider, (DynClient *) &shift_us);
}

static bool
reject(unsigned generation)
{
	return dyn_provider_reject(&provider, generation, NULL);
}

static void
static_ones_are_always_ready(void)
{
	DynProvider plain = {.current = {0}};
	const char *bad;

	CHECK(dyn_credentials_set(&plain.current, "A", "s", NULL, &bad));
	CHECK(dyn_provider_request(&plain, NULL) == DYN_CREDENTIALS_READY);
	CHECK(!dyn_provider_reject(&plain, 0, NULL));
	dyn_provider_clear(&plain);
	CHECK(plain.current.access_key_id == NULL);
}

static void
calls_wait_for_the_first(void)
{
	set_stage(WORKS, 3600);
	CHECK(request(NOW) == DYN_CREDENTIALS_AWAITED);
	CHECK(request(NOW) == DYN_CREDENTIALS_AWAITED);
	CHECK_EQ_INT(starts, 1);
	give(NOW);
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	CHECK_EQ_INT(starts, 1);
	CHECK_EQ_INT(provider.generation, 1);
}

static void
known_ones_are_ready_at_once(void)
{
	set_stage(GIVES, 0);
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	CHECK(request(NOW + 1000000000) == DYN_CREDENTIALS_READY);
	CHECK_EQ_INT(starts, 1);
}

/* Between 15 and 5 minutes before they expire, and they serve in the meantime. */
static void
refreshes_early(void)
{
	bool		moments[600] = {false};
	int			different = 0;
	int			i;

	for (i = 0; i < 200; i++)
	{
		int64_t		at;

		set_stage(GIVES, 3600);
		CHECK(request(NOW) == DYN_CREDENTIALS_READY);
		at = provider.refresh_at - NOW;
		CHECK(at >= 3600 - 900 && at <= 3600 - 300);
		will = WORKS;
		CHECK(request(NOW + at - 1) == DYN_CREDENTIALS_READY);
		CHECK_EQ_INT(starts, 1);
		CHECK(request(NOW + at) == DYN_CREDENTIALS_READY);
		CHECK_EQ_INT(starts, 2);
		CHECK_EQ_STR(provider.current.access_key_id, "KEY1");
		give(NOW + at);
		CHECK_EQ_STR(provider.current.access_key_id, "KEY2");
		CHECK_EQ_STR(provider.previous.access_key_id, "KEY1");
		if (at >= 2700 && at < 3300 && !moments[at - 2700])
			different++;
		if (at >= 2700 && at < 3300)
			moments[at - 2700] = true;
	}
	CHECK(different > 50);
}

/* Those of a short life are not obtained again at once. */
static void
short_lives_are_lived_halfway(void)
{
	set_stage(GIVES, 300);
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	CHECK_EQ_INT(provider.refresh_at, NOW + 150);
}

static void
waits_when_they_have_expired(void)
{
	set_stage(GIVES, 3600);
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	will = WORKS;
	CHECK(request(NOW + 3599) == DYN_CREDENTIALS_READY);
	CHECK(request(NOW + 3600) == DYN_CREDENTIALS_AWAITED);
	CHECK_EQ_INT(starts, 2);
}

static void
a_failed_refresh_is_not_noticed(void)
{
	set_stage(GIVES, 3600);
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	will = FAILS;
	CHECK(request(NOW + 3500) == DYN_CREDENTIALS_READY);
	CHECK_EQ_INT(starts, 2);
	CHECK(request(NOW + 3501) == DYN_CREDENTIALS_READY);
	CHECK_EQ_INT(starts, 2);
	CHECK(request(NOW + 3600) == DYN_CREDENTIALS_FAILED);
	CHECK_EQ_STR(dyn_provider_error(&provider)->message, "no reason");
}

static void
a_failing_source_is_requested_less_often(void)
{
	static const int pauses[] = {1, 2, 4, 8, 16, 32, 60, 60};
	size_t		i;

	set_stage(FAILS, 0);
	CHECK(request(NOW) == DYN_CREDENTIALS_FAILED);
	for (i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++)
	{
		shift_us += pauses[i] * 1000000 - 1;
		CHECK(request(NOW) == DYN_CREDENTIALS_FAILED);
		CHECK_EQ_INT(starts, (int) i + 1);
		shift_us++;
		CHECK(request(NOW) == DYN_CREDENTIALS_FAILED);
		CHECK_EQ_INT(starts, (int) i + 2);
	}
	will = GIVES;
	shift_us += 60000000;
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	will = FAILS;
	CHECK(reject(provider.generation));
	CHECK(request(NOW) == DYN_CREDENTIALS_FAILED);
	shift_us += 1000000;
	CHECK(request(NOW) == DYN_CREDENTIALS_FAILED);
	CHECK_EQ_INT(starts, (int) i + 4);
}

/* Sixteen requests meet it; one refresh serves all. */
static void
rejected_ones_are_replaced_once(void)
{
	int			i;

	set_stage(GIVES, 3600);
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	will = WORKS;
	for (i = 0; i < 16; i++)
	{
		CHECK(reject(1));
		CHECK(request(NOW) == DYN_CREDENTIALS_AWAITED);
	}
	CHECK_EQ_INT(starts, 2);
	give(NOW);
	CHECK(reject(1));			/* a late one */
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	CHECK_EQ_INT(starts, 2);
}

/* Whatever these clocks show, only the life that was left counts. */
static void
only_the_issuers_clock_counts(void)
{
	static const int64_t hours[] = {-9600, -2, -1, 0, 1, 2, 9600};
	size_t		i;

	for (i = 0; i < sizeof(hours) / sizeof(hours[0]); i++)
	{
		set_stage(GIVES, 3600);
		ahead = hours[i] * 3600;
		CHECK(request(NOW) == DYN_CREDENTIALS_READY);
		CHECK(request(NOW + 2700 - 1) == DYN_CREDENTIALS_READY);
		CHECK_EQ_INT(starts, 1);
		CHECK_EQ_INT(provider.current.expires, NOW + ahead + 3600);
		will = WORKS;
		CHECK(request(NOW + 3599) == DYN_CREDENTIALS_READY);
		CHECK(request(NOW + 3600) == DYN_CREDENTIALS_AWAITED);
		CHECK_EQ_INT(starts, 2);
	}
}

/*
 * At once, then after 1, 2, 4 ... seconds; those that have served for a while
 * begin again.  Sixteen requests that meet it are one.
 */
static void
refused_ones_are_obtained_less_often(void)
{
	static const int pauses[] = {1, 2, 4, 8, 16, 32};
	unsigned	i;

	set_stage(GIVES, 3600);
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	CHECK(reject(1));
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	CHECK_EQ_INT(starts, 2);
	for (i = 0; i < sizeof(pauses) / sizeof(pauses[0]); i++)
	{
		int			j;

		for (j = 0; j < 16; j++)
		{
			CHECK(reject(i + 2));
			CHECK(request(NOW) == DYN_CREDENTIALS_FAILED);
		}
		CHECK(strstr(dyn_provider_error(&provider)->message, "the time is"));
		shift_us += pauses[i] * 1000000 - 1;
		CHECK(request(NOW) == DYN_CREDENTIALS_FAILED);
		CHECK_EQ_INT(starts, (int) i + 2);
		shift_us++;
		CHECK(request(NOW) == DYN_CREDENTIALS_READY);
		CHECK_EQ_INT(starts, (int) i + 3);
	}
	shift_us += 60000000;
	CHECK(reject(provider.generation));
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	CHECK(reject(provider.generation));
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
}

/* Also for credentials whose end is not known. */
static void
errors_name_the_clocks(void)
{
	int64_t		date = 1767323045;
	const char *message;

	set_stage(GIVES, 3600);
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	CHECK(dyn_provider_reject(&provider, 1, &date));
	message = dyn_provider_error(&provider)->message;
	CHECK(strstr(message, "valid until 2027-01-15 09:00:00 UTC;"));
	CHECK(strstr(message, " UTC at their provider"));
	CHECK(strstr(message, ", 2026-01-02 03:04:05 UTC at the service,"));
	CHECK(strstr(message, " UTC on this machine"));
	set_stage(GIVES, 0);
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	CHECK(reject(1));
	message = dyn_provider_error(&provider)->message;
	CHECK(strstr(message, "valid until an unknown time;"));
	CHECK(strstr(message, ", an unknown time at the service,"));
}

static void
rest_and_clear_stop_the_source(void)
{
	set_stage(WORKS, 3600);
	dyn_provider_rest(&provider);
	CHECK_EQ_INT(stops, 0);
	CHECK(request(NOW) == DYN_CREDENTIALS_AWAITED);
	dyn_provider_rest(&provider);
	CHECK_EQ_INT(stops, 1);
	CHECK(request(NOW) == DYN_CREDENTIALS_AWAITED);
	CHECK_EQ_INT(starts, 2);
	dyn_provider_clear(&provider);
	CHECK_EQ_INT(stops, 2);
	CHECK_EQ_INT(frees, 1);
}

/*
 * It pauses, then calls wait for the next one, but not for ever; what is needed
 * at once does not pause.
 */
static void
a_stopped_refresh_is_made_up_for(void)
{
	set_stage(GIVES, 3600);
	CHECK(request(NOW) == DYN_CREDENTIALS_READY);
	will = WORKS;
	CHECK(request(NOW + 3400) == DYN_CREDENTIALS_READY);
	dyn_provider_rest(&provider);
	CHECK(request(NOW + 3400) == DYN_CREDENTIALS_READY);
	CHECK_EQ_INT(starts, 2);
	shift_us = 1000000;
	CHECK(request(NOW + 3401) == DYN_CREDENTIALS_AWAITED);
	CHECK_EQ_INT(starts, 3);
	CHECK_EQ_INT(dyn_provider_due_us(&provider), dyn_loop_now_us() + 1000000);
	shift_us = 1999999;
	CHECK(request(NOW + 3402) == DYN_CREDENTIALS_AWAITED);
	shift_us++;
	CHECK_EQ_INT(dyn_provider_due_us(&provider), dyn_loop_now_us());
	CHECK(request(NOW + 3402) == DYN_CREDENTIALS_READY);
	dyn_provider_rest(&provider);
	shift_us = 3999999;
	CHECK(request(NOW + 3404) == DYN_CREDENTIALS_READY);
	CHECK_EQ_INT(starts, 3);
	CHECK(request(NOW + 3600) == DYN_CREDENTIALS_AWAITED);
	CHECK_EQ_INT(starts, 4);
	CHECK(dyn_provider_due_us(&provider) == DYN_LOOP_NEVER);
	give(NOW + 3600);
	CHECK(request(NOW + 7000) == DYN_CREDENTIALS_READY);
	CHECK_EQ_INT(starts, 5);
	fail();
	CHECK(request(NOW + 7000) == DYN_CREDENTIALS_READY);
	CHECK_EQ_INT(starts, 5);
	CHECK(request(NOW + 7200) == DYN_CREDENTIALS_FAILED);
}

int
main(void)
{
	RUN(static_ones_are_always_ready);
	RUN(calls_wait_for_the_first);
	RUN(known_ones_are_ready_at_once);
	RUN(refreshes_early);
	RUN(short_lives_are_lived_halfway);
	RUN(waits_when_they_have_expired);
	RUN(a_failed_refresh_is_not_noticed);
	RUN(a_failing_source_is_requested_less_often);
	RUN(rejected_ones_are_replaced_once);
	RUN(only_the_issuers_clock_counts);
	RUN(refused_ones_are_obtained_less_often);
	RUN(errors_name_the_clocks);
	RUN(rest_and_clear_stop_the_source);
	RUN(a_stopped_refresh_is_made_up_for);
	return DONE("provider");
}

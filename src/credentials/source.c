/*
 * source.c
 *		Obtains what a user mapping asks for, in the client's loop.
 *
 * A source goes from the origin of its route to its last role, one request at a
 * time:
 *
 *		start --> origin --> role --> role ... --> obtained
 *
 * Each step is a request (an exchange), a program, or keys that are known.
 * After a request that may succeed later, the source pauses, a few times; what
 * fails then is asked again by provider.c, at the earliest a second later.
 *
 * Layer: credentials.
 */
#include "source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <openssl/crypto.h>

#include "../aws/loop.h"
#include "../aws/retry.h"
#include "../aws/watch.h"
#include "container.h"
#include "instance.h"
#include "process.h"
#include "route.h"
#include "sso.h"
#include "sts.h"

/* Times that a request is sent. */
#define MOST_TRIES			3

/* The pause before the second; the next is twice as long. */
#define FIRST_PAUSE_US		200000

/* Services of this machine answer at once, or not at all. */
#define LOCAL_TIMEOUT_MS	2000

/* A program may have to ask a service itself. */
#define PROCESS_DEADLINE_US	((int64_t) 60 * 1000000)

/* Seconds; a smaller difference does not make a signature invalid. */
#define TELLING_SKEW		(4 * 60)

/* An instance may give out credentials that have expired: for how long to use
 * them (seconds), and as much again at random. */
#define STALE_LIFE			600

const char *const dyn_source_names[] = {
	"static", "environment", "profile", "web_identity", "container", "instance",
	"default", NULL
};

typedef struct Source
{
	DynSourceSpec spec;
	char	   *words;			/* where the current ones came from, or NULL */
	int64_t		offset;			/* of the clock that signs, seconds; kept from
								 * work to work */

	/* while it works */
	DynProvider *provider;
	DynClient  *client;
	bool		clock_tried;	/* it was corrected in this work */
	int64_t		signed_at;		/* the time of the step's request */
	int64_t		issuer_ahead;	/* the clock of who gave the keys, before this
								 * machine's */
	DynRoute	route;
	int			nroles;			/* assumed; -1 until the origin has ended */
	DynCredentials keys;		/* of the latest step */
	DynInstance instance;
	DynProcess *process;
	DynExchange *exchange;
	int			tries;			/* of the step's request */
	DynWatch	watch;			/* the program, or a pause */
	bool		watching;
} Source;

static void next_step(Source *source);

/* Now, by the clock of who gave the keys. */
static int64_t
issuer_time(const Source *source)
{
	return (int64_t) time(NULL) + source->issuer_ahead;
}

/* ---- ending ----------------------------------------------------------- */

static void
end_watch(Source *source)
{
	if (source->watching)
		dyn_client_unwatch(source->client, &source->watch);
	source->watching = false;
}

/* Ends whatever runs, and forgets what was learnt on the way. */
static void
end_work(void *state)
{
	Source	   *source = state;

	end_watch(source);
	dyn_exchange_destroy(source->exchange);
	dyn_process_destroy(source->process);
	dyn_instance_clear(&source->instance);
	dyn_credentials_clear(&source->keys);
	dyn_route_clear(&source->route);
	source->exchange = NULL;
	source->process = NULL;
}

static void
fail(Source *source, const DynFault *fault)
{
	DynProvider *provider = source->provider;

	end_work(source);
	dyn_provider_failed(provider, fault);
}

/*
 * Instances give out expired credentials while AWS cannot make new ones, and
 * services accept them then: so these get another life.
 */
static bool
is_expired(Source *source)
{
	DynRandom	random;

	if (source->keys.expires == 0 ||
		source->keys.expires > issuer_time(source))
		return false;
	if (source->route.origin != DYN_ORIGIN_INSTANCE || source->nroles > 0)
		return true;
	dyn_random_seed(&random);
	source->keys.expires = issuer_time(source) + STALE_LIFE +
		(int64_t) (dyn_random_unit(&random) * STALE_LIFE);
	return false;
}

static void
succeed(Source *source)
{
	DynProvider *provider = source->provider;
	DynCredentials keys;
	char		times[3][DYN_FAULT_TIME_SIZE];
	DynFault	fault;

	if (is_expired(source))
	{
		dyn_fault_time_text(source->keys.expires, times[0]);
		dyn_fault_time_text(issuer_time(source), times[1]);
		dyn_fault_time_text((int64_t) time(NULL), times[2]);
		dyn_fault_set(&fault, "the credentials of %s have expired already: they were valid until %s; their source's clock says %s, this machine's %s",
					  source->route.words, times[0], times[1], times[2]);
		dyn_fault_hint(&fault, "Renew them at their source, and check the clock of the database server.");
		fail(source, &fault);
		return;
	}
	free(source->words);
	source->words = source->route.words;
	source->route.words = NULL;
	keys = source->keys;
	memset(&source->keys, 0, sizeof(source->keys));
	end_work(source);
	dyn_provider_obtained(provider, &keys, issuer_time(source));
}

/* ---- waiting ---------------------------------------------------------- */

static bool
begin_watch(Source *source, int fd, int held_fds, int64_t us,
			void (*notice) (void *arg))
{
	source->watch.fd = fd;
	source->watch.held_fds = held_fds;
	source->watch.due_us = dyn_loop_now_us() + us;
	source->watch.notice = notice;
	source->watch.arg = source;
	source->watching = dyn_client_watch(source->client, &source->watch);
	return source->watching;
}

/* ---- answers ---------------------------------------------------------- */

/* The step has ended with source->keys. */
static void
end_step(Source *source)
{
	source->nroles++;
	source->tries = 0;
	next_step(source);
}

/* Do these clocks make a difference?  Then the hint names them. */
static void
name_clocks(const DynExchange *exchange, DynFault *fault)
{
	int64_t		now = (int64_t) time(NULL);
	char		hint[sizeof(fault->hint)];
	char		theirs[DYN_FAULT_TIME_SIZE];
	char		ours[DYN_FAULT_TIME_SIZE];

	if (!exchange->has_date || exchange->reach != DYN_REACH_ENDPOINT ||
		llabs(exchange->date - now) <= TELLING_SKEW)
		return;
	strcpy(hint, fault->hint);
	dyn_fault_time_text(exchange->date, theirs);
	dyn_fault_time_text(now, ours);
	dyn_fault_hint(fault, "%s%sThe service's clock says %s, this machine's %s.",
				   hint, hint[0] ? " " : "", theirs, ours);
}

/* Makes room for what is obtained: what signed the request is needed no more. */
static DynAnswer
read_answer(Source *source, const DynExchange *exchange, DynFault *fault)
{
	DynRoute   *route = &source->route;
	DynCredentials obtained = {0};
	DynAnswer	answer;

	if (source->nroles >= 0)
		answer = dyn_sts_answer(&route->roles[source->nroles], exchange,
								&obtained, fault);
	else if (route->origin == DYN_ORIGIN_SSO)
		answer = dyn_sso_answer(&route->sso, exchange, &obtained, fault);
	else if (route->origin == DYN_ORIGIN_WEB_IDENTITY)
		answer = dyn_sts_answer(&route->web_role, exchange, &obtained, fault);
	else if (route->origin == DYN_ORIGIN_CONTAINER)
		answer = dyn_container_answer(exchange, &obtained, fault);
	else
		answer = dyn_instance_answer(&source->instance, exchange, &obtained,
									 fault);
	if (answer == DYN_ANSWER_CREDENTIALS)
	{
		dyn_credentials_clear(&source->keys);
		source->keys = obtained;
		source->issuer_ahead = exchange->has_date
			? exchange->date - (int64_t) time(NULL) : 0;
	}
	return answer;
}

/*
 * Was the request signed by a wrong clock, or sent long after?  Then the clock
 * is corrected, once.
 */
static bool
correct_clock(Source *source, const DynExchange *exchange)
{
	if (source->clock_tried || !exchange->has_date || exchange->status < 400 ||
		exchange->reach != DYN_REACH_ENDPOINT ||
		llabs(exchange->date - source->signed_at) <= TELLING_SKEW)
		return false;
	source->clock_tried = true;
	source->offset = exchange->date - (int64_t) time(NULL);
	return true;
}

static void
on_pause(void *arg)
{
	Source	   *source = arg;

	if (dyn_loop_now_us() < source->watch.due_us)
		return;
	end_watch(source);
	next_step(source);
}

/* What may succeed later is sent again after a pause, a few times. */
static void
on_reply(void *arg)
{
	Source	   *source = arg;
	DynExchange *exchange = source->exchange;
	DynFault	fault = {0};
	DynAnswer	answer = read_answer(source, exchange, &fault);
	bool		corrected = answer != DYN_ANSWER_CREDENTIALS &&
		correct_clock(source, exchange);

	name_clocks(exchange, &fault);
	dyn_exchange_destroy(exchange);
	source->exchange = NULL;
	if (answer == DYN_ANSWER_CREDENTIALS)
		end_step(source);
	else if (answer == DYN_ANSWER_NEXT || corrected)
	{
		source->tries = 0;
		next_step(source);
	}
	else if (answer != DYN_ANSWER_AGAIN || source->tries >= MOST_TRIES ||
			 !begin_watch(source, -1, 0,
						  (int64_t) FIRST_PAUSE_US << (source->tries - 1),
						  on_pause))
		fail(source, &fault);
}

static void
on_process(void *arg)
{
	Source	   *source = arg;
	DynFault	fault = {0};
	DynAnswer	answer = dyn_process_answer(source->process, &source->keys,
											&fault);

	if (answer == DYN_ANSWER_AGAIN)
	{
		if (dyn_loop_now_us() < source->watch.due_us)
			return;
		dyn_fault_set(&fault, "the program of %s did not end within %d seconds",
					  source->route.words,
					  (int) (PROCESS_DEADLINE_US / 1000000));
	}
	end_watch(source);
	dyn_process_destroy(source->process);
	source->process = NULL;
	if (answer == DYN_ANSWER_CREDENTIALS)
		end_step(source);
	else
		fail(source, &fault);
}

/* ---- steps ------------------------------------------------------------ */

static DynExchange *
make_request(Source *source, DynFault *fault)
{
	const DynRoute *route = &source->route;

	if (source->nroles >= 0)
		return dyn_sts_assume_role(&source->spec, &route->roles[source->nroles],
								   &source->keys,
								   source->keys.session_token != NULL,
								   source->signed_at, fault);
	if (route->origin == DYN_ORIGIN_SSO)
		return dyn_sso_request(&route->sso, source->signed_at, fault);
	if (route->origin == DYN_ORIGIN_WEB_IDENTITY)
		return dyn_sts_web_identity(&source->spec, &route->web_role,
									route->token_file, fault);
	if (route->origin == DYN_ORIGIN_CONTAINER)
		return dyn_container_request(fault);
	return dyn_instance_request(&source->instance, fault);
}

static void
ask(Source *source)
{
	DynFault	fault = {0};
	DynExchangeLimits limits = {
		source->spec.ca_bundle, source->spec.proxy,
		source->spec.connect_timeout_ms, source->spec.request_timeout_ms
	};

	source->signed_at = (int64_t) time(NULL) + source->offset;
	source->exchange = make_request(source, &fault);
	if (source->exchange == NULL)
	{
		fail(source, &fault);
		return;
	}
	if (source->exchange->reach == DYN_REACH_LOCAL)
		limits = (DynExchangeLimits) {
			NULL, NULL, LOCAL_TIMEOUT_MS, LOCAL_TIMEOUT_MS
		};
	source->tries++;
	dyn_exchange_start(source->exchange, source->client, &limits, on_reply,
					   source);
}

static void
run_program(Source *source)
{
	DynFault	fault = {0};

	source->process = dyn_process_start(source->route.command, &fault);
	if (source->process == NULL)
	{
		fail(source, &fault);
		return;
	}
	if (begin_watch(source, dyn_process_fd(source->process), DYN_PROCESS_FDS,
					PROCESS_DEADLINE_US, on_process))
		return;
	dyn_fault_memory(&fault);
	fail(source, &fault);
}

/* Begins what comes next, or ends. */
static void
next_step(Source *source)
{
	DynRoute   *route = &source->route;

	if (source->nroles == route->nroles)
		succeed(source);
	else if (source->nroles < 0 && route->origin == DYN_ORIGIN_KEYS)
	{
		source->keys = route->keys;
		memset(&route->keys, 0, sizeof(route->keys));
		end_step(source);
	}
	else if (source->nroles < 0 && route->origin == DYN_ORIGIN_PROCESS)
		run_program(source);
	else
		ask(source);
}

/* ---- the provider's source -------------------------------------------- */

static void
free_source(void *state)
{
	Source	   *source = state;

	dyn_spec_clear(&source->spec);
	free(source->words);
	free(source);
}

static void
start(void *state, DynProvider *provider, DynClient *client)
{
	Source	   *source = state;
	DynFault	fault = {0};

	source->provider = provider;
	source->client = client;
	source->clock_tried = false;
	source->issuer_ahead = 0;
	source->nroles = -1;
	source->tries = 0;
	if (dyn_route_find(&source->spec, &source->route, &fault))
		next_step(source);
	else
		fail(source, &fault);
}

bool
dyn_source_open(DynProvider *provider, DynSourceSpec *spec)
{
	Source	   *source;

	if (spec->kind == DYN_SOURCE_STATIC && spec->role.arn == NULL)
	{
		provider->current = spec->keys;
		memset(&spec->keys, 0, sizeof(spec->keys));
		dyn_spec_clear(spec);
		return true;
	}
	source = calloc(1, sizeof(*source));
	if (source == NULL)
	{
		dyn_spec_clear(spec);
		return false;
	}
	source->spec = *spec;
	memset(spec, 0, sizeof(*spec));
	provider->source = (DynSource) {start, end_work, free_source, source};
	return true;
}

const char *
dyn_source_words(const DynProvider *provider)
{
	const Source *source = provider->source.state;

	if (source == NULL)
		return "static keys";
	return source->words ? source->words : "";
}

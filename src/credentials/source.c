/*
 * source.c
 *		Obtains the credentials that a user mapping selects.
 *
 * A source runs in the client's event loop.  It obtains a provider's
 * credentials, assumes the first role with them, and each further role with
 * the credentials of the role before:
 *
 *		start --> provider --> role --> role ... --> obtained
 *
 * A step sends requests (exchanges), runs a program, or takes known keys.  A
 * request that fails, but may succeed later, is sent up to MOST_TRIES times,
 * with pauses.  After that, provider.c restarts the source on demand.
 */
#include "source.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../aws/loop.h"
#include "../aws/retry.h"
#include "../aws/client.h"
#include "providers.h"

#define MOST_TRIES			3

/* Pause before the second attempt; the next pause is twice as long. */
#define FIRST_PAUSE_US		200000

/* Time limit for services on this machine, which respond at once or never. */
#define LOCAL_TIMEOUT_MS	2000

/* Time limit of a program, which may have to send requests to a service. */
#define PROCESS_DEADLINE_US	((int64_t) 60 * 1000000)

/* Least clock skew (s) that may make a signature invalid. */
#define NOTABLE_SKEW		(4 * 60)

/* Least time (s) for which expired credentials of an instance are used. */
#define STALE_LIFE			600

const char *const dyn_source_names[] = {
	"static", "environment", "profile", "web_identity", "container", "instance",
	"default", NULL
};

typedef struct Source
{
	DynSourceOptions source_options;
	char	   *words;			/* origin of the current credentials, or NULL */
	int64_t		offset;			/* service's clock minus our clock (s); later
								 * runs begin with the same offset */

	/* valid only while credentials are being obtained */
	DynProvider *provider;
	DynClient  *client;
	bool		clock_tried;	/* true if `offset` was corrected in this run */
	int64_t		signed_at;		/* signing time of the request (s since the
								 * epoch, corrected by `offset`) */
	int64_t		issuer_ahead;	/* clock of the service that issued `keys`,
								 * minus our clock (s) */
	DynProviderChain chain;
	int			nroles;			/* number of roles assumed; -1 before the
								 * provider's credentials are obtained */
	DynCredentials keys;		/* credentials of the latest step */
	DynInstance instance;
	DynProcess *process;
	DynExchange *exchange;
	int			tries;			/* number of attempts of the current request */
	DynSocketWatcher watcher;	/* waits for the credential_process program, or
								 * for the end of a pause between attempts */
	bool		watching;
} Source;

static void next_step(Source *source);

/* Returns the time of the clock of the service that issued source->keys. */
static int64_t
issuer_time(const Source *source)
{
	return (int64_t) time(NULL) + source->issuer_ahead;
}

/* ---- success and failure ---------------------------------------------- */

static void
stop_watcher(Source *source)
{
	if (source->watching)
		dyn_client_remove_watcher(source->client, &source->watcher);
	source->watching = false;
}

/* Ends a run in any state.  This is also the source's stop() function. */
static void
end_work(void *state)
{
	Source	   *source = state;

	stop_watcher(source);
	dyn_exchange_destroy(source->exchange);
	dyn_process_destroy(source->process);
	dyn_instance_clear(&source->instance);
	dyn_credentials_clear(&source->keys);
	dyn_chain_clear(&source->chain);
	source->exchange = NULL;
	source->process = NULL;
}

static void
fail(Source *source, const DynError *err)
{
	DynProvider *provider = source->provider;

	end_work(source);
	dyn_provider_failed(provider, err);
}

static void
succeed(Source *source)
{
	DynProvider *provider = source->provider;
	DynCredentials keys;
	int64_t		now = issuer_time(source);
	char		times[3][DYN_ERROR_TIME_SIZE];
	DynError	err;

	/*
	 * While AWS cannot create new credentials, the instance metadata service
	 * returns expired ones, and AWS's services accept them.  So the expired
	 * credentials get a new lifetime.
	 */
	if (source->keys.expires != 0 && source->keys.expires <= now &&
		source->chain.provider_kind == DYN_PROVIDER_INSTANCE &&
		source->nroles == 0)
		source->keys.expires = now + STALE_LIFE +
			(int64_t) (dyn_random_unit() * STALE_LIFE);
	if (source->keys.expires != 0 && source->keys.expires <= now)
	{
		dyn_error_time_text(source->keys.expires, times[0]);
		dyn_error_time_text(now, times[1]);
		dyn_error_time_text((int64_t) time(NULL), times[2]);
		dyn_error_set(&err, "the credentials of %s had expired when they were obtained: they were valid until %s; the time is %s at their provider and %s on this machine",
					  source->chain.words, times[0], times[1], times[2]);
		dyn_error_hint(&err, "Renew the credentials at their provider, and check the clock of the database server.");
		fail(source, &err);
		return;
	}
	free(source->words);
	source->words = source->chain.words;
	source->chain.words = NULL;
	keys = source->keys;
	memset(&source->keys, 0, sizeof(source->keys));
	end_work(source);
	dyn_provider_obtained(provider, &keys, issuer_time(source));
}

/* ---- replies, pauses and programs ------------------------------------- */

static bool
start_watcher(Source *source, int fd, int held_fds, int64_t us,
			  void (*callback) (void *arg))
{
	source->watcher = (DynSocketWatcher) {
		.fd = fd,.held_fds = held_fds,.due_us = dyn_loop_now_us() + us,
		.callback = callback,.arg = source
	};
	source->watching = dyn_client_add_watcher(source->client, &source->watcher);
	return source->watching;
}

/* Goes on to the next step, after this step has set source->keys. */
static void
end_step(Source *source)
{
	source->nroles++;
	source->tries = 0;
	next_step(source);
}

/* Reads the reply.  If it contains credentials, they replace source->keys. */
static DynProviderResponse
read_response(Source *source, const DynExchange *exchange, DynError *err)
{
	DynProviderChain *chain = &source->chain;
	DynCredentials obtained = {0};
	DynProviderResponse response;

	if (source->nroles >= 0)
		response = dyn_sts_response(&chain->roles[source->nroles], exchange,
									&obtained, err);
	else if (chain->provider_kind == DYN_PROVIDER_SSO)
		response = dyn_sso_response(&chain->sso, exchange, &obtained, err);
	else if (chain->provider_kind == DYN_PROVIDER_WEB_IDENTITY)
		response = dyn_sts_response(&chain->web_role, exchange, &obtained, err);
	else if (chain->provider_kind == DYN_PROVIDER_CONTAINER)
		response = dyn_container_response(exchange, &obtained, err);
	else
		response = dyn_instance_response(&source->instance, exchange, &obtained,
										 err);
	if (response == DYN_RESPONSE_CREDENTIALS)
	{
		dyn_credentials_clear(&source->keys);
		source->keys = obtained;
		source->issuer_ahead = exchange->has_date && !exchange->left_alone
			? exchange->date - (int64_t) time(NULL) : source->offset;
	}
	return response;
}

static void
on_pause(void *arg)
{
	Source	   *source = arg;

	if (dyn_loop_now_us() < source->watcher.due_us)
		return;
	stop_watcher(source);
	next_step(source);
}

static void
on_reply(void *arg)
{
	Source	   *source = arg;
	DynExchange *exchange = source->exchange;
	DynError	err = {0};
	DynProviderResponse response = read_response(source, exchange, &err);
	bool		corrected = response != DYN_RESPONSE_CREDENTIALS &&
		!source->clock_tried && exchange->has_date && exchange->status >= 400 &&
		exchange->policy == DYN_ADDRESS_ENDPOINT &&
		llabs(exchange->date - source->signed_at) > NOTABLE_SKEW;
	int64_t		now = (int64_t) time(NULL);
	char		hint[sizeof(err.hint)];
	char		times[2][DYN_ERROR_TIME_SIZE];

	/* our own delay may be the cause of the failure, so report no error */
	if (exchange->left_alone &&
		(exchange->failure != DYN_FAIL_NONE || corrected))
	{
		dyn_provider_rest(source->provider);
		return;
	}
	/* the service may have refused the request's time, so correct it once */
	if (corrected)
	{
		source->clock_tried = true;
		source->offset = exchange->date - now;
	}
	if (exchange->has_date && exchange->policy == DYN_ADDRESS_ENDPOINT &&
		llabs(exchange->date - now) > NOTABLE_SKEW)
	{
		strcpy(hint, err.hint);
		dyn_error_time_text(exchange->date, times[0]);
		dyn_error_time_text(now, times[1]);
		dyn_error_hint(&err, "%s%sThe time is %s at the service and %s on this machine.",
					   hint, hint[0] ? " " : "", times[0], times[1]);
	}
	dyn_exchange_destroy(exchange);
	source->exchange = NULL;
	if (response == DYN_RESPONSE_CREDENTIALS)
		end_step(source);
	else if (response == DYN_RESPONSE_NEXT || corrected)
	{
		source->tries = 0;
		next_step(source);
	}
	else if (response != DYN_RESPONSE_AGAIN || source->tries >= MOST_TRIES ||
			 !start_watcher(source, -1, 0,
							(int64_t) FIRST_PAUSE_US << (source->tries - 1),
							on_pause))
		fail(source, &err);
}

static void
on_process(void *arg)
{
	Source	   *source = arg;
	DynError	err = {0};
	DynProviderResponse response = dyn_process_response(source->process, &source->keys,
														&err);

	if (response == DYN_RESPONSE_AGAIN)
	{
		if (dyn_loop_now_us() < source->watcher.due_us)
			return;
		dyn_error_set(&err, "the credential_process of %s did not end within %d seconds",
					  source->chain.words,
					  (int) (PROCESS_DEADLINE_US / 1000000));
	}
	stop_watcher(source);
	dyn_process_destroy(source->process);
	source->process = NULL;
	if (response == DYN_RESPONSE_CREDENTIALS)
		end_step(source);
	else
		fail(source, &err);
}

/* ---- steps ------------------------------------------------------------ */

static void
request(Source *source)
{
	const DynProviderChain *chain = &source->chain;
	DynError	err = {0};
	DynExchangeLimits limits = {
		source->source_options.ca_bundle, source->source_options.proxy,
		source->source_options.connect_timeout_ms, source->source_options.request_timeout_ms
	};

	source->signed_at = (int64_t) time(NULL) + source->offset;
	if (source->nroles >= 0)
		source->exchange =
			dyn_sts_assume_role(&source->source_options, &chain->roles[source->nroles],
								&source->keys,
								source->keys.session_token != NULL,
								source->signed_at, &err);
	else if (chain->provider_kind == DYN_PROVIDER_SSO)
		source->exchange = dyn_sso_request(&chain->sso, source->signed_at,
										   &err);
	else if (chain->provider_kind == DYN_PROVIDER_WEB_IDENTITY)
		source->exchange = dyn_sts_web_identity(&source->source_options,
												&chain->web_role,
												chain->token_file, &err);
	else if (chain->provider_kind == DYN_PROVIDER_CONTAINER)
		source->exchange = dyn_container_request(&err);
	else
		source->exchange = dyn_instance_request(&source->instance, &err);
	if (source->exchange == NULL)
	{
		fail(source, &err);
		return;
	}
	if (source->exchange->policy == DYN_ADDRESS_LOCAL)
		limits = (DynExchangeLimits) {
			NULL, NULL, LOCAL_TIMEOUT_MS, LOCAL_TIMEOUT_MS
		};
	source->tries++;
	dyn_exchange_start(source->exchange, source->client, &limits, on_reply, source);
}

/* Begins the next step, or sends the current step's next request. */
static void
next_step(Source *source)
{
	DynProviderChain *chain = &source->chain;
	DynError	err = {0};

	if (source->nroles == chain->nroles)
		succeed(source);
	else if (source->nroles < 0 && chain->provider_kind == DYN_PROVIDER_KEYS)
	{
		source->keys = chain->keys;
		memset(&chain->keys, 0, sizeof(chain->keys));
		end_step(source);
	}
	else if (source->nroles < 0 && chain->provider_kind == DYN_PROVIDER_PROCESS)
	{
		source->process = dyn_process_start(chain->command, &err);
		if (source->process != NULL &&
			start_watcher(source, dyn_process_fd(source->process),
						  DYN_PROCESS_FDS, PROCESS_DEADLINE_US, on_process))
			return;
		if (source->process != NULL)
			dyn_error_memory(&err);
		fail(source, &err);
	}
	else
		request(source);
}

/* ---- the provider's source -------------------------------------------- */

static void
free_source(void *state)
{
	Source	   *source = state;

	dyn_source_options_clear(&source->source_options);
	free(source->words);
	free(source);
}

static void
start(void *state, DynProvider *provider, DynClient *client)
{
	Source	   *source = state;
	DynError	err = {0};

	source->provider = provider;
	source->client = client;
	source->clock_tried = false;
	source->issuer_ahead = 0;
	source->nroles = -1;
	source->tries = 0;
	if (dyn_chain_find(&source->source_options, &source->chain, &err))
		next_step(source);
	else
		fail(source, &err);
}

bool
dyn_source_open(DynProvider *provider, DynSourceOptions *source_options)
{
	Source	   *source;

	if (source_options->kind == DYN_SOURCE_STATIC && source_options->role.arn == NULL)
	{
		provider->current = source_options->keys;
		memset(&source_options->keys, 0, sizeof(source_options->keys));
		dyn_source_options_clear(source_options);
		return true;
	}
	source = calloc(1, sizeof(*source));
	if (source == NULL)
	{
		dyn_source_options_clear(source_options);
		return false;
	}
	source->source_options = *source_options;
	memset(source_options, 0, sizeof(*source_options));
	provider->source = (DynSource) {start, end_work, free_source, source};
	return true;
}

const char *
dyn_describe_source(const DynProvider *provider)
{
	const Source *source = provider->source.state;

	if (source == NULL)
		return "static keys";
	return source->words ? source->words : "";
}

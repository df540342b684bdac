/*
 * attempt.c
 *		Sends, retries and pauses the attempts (HTTP requests) of calls.
 *
 * A call changes its state at these events:
 *
 *		start				IDLE, DONE -> SENT, BACKOFF (must wait), DONE (failed)
 *		end of backoff		BACKOFF -> SENT, BACKOFF (must wait), DONE (failed)
 *		end of attempt		SENT -> DONE, or BACKOFF before a retry
 *		dyn_call_unpack		DONE -> BACKOFF, if the body is damaged
 *
 * Only send_attempt, hold_call, dyn_attempt_delay and finish_call change the
 * state.  SENT and BACKOFF calls are in the list client->active.  A call is
 * also in BACKOFF (`held`) while it waits for a file descriptor, for
 * credentials (provider.c), or for a connection (connections.c).
 *
 * A SENT call is paused when its response exceeds the limit that
 * dyn_call_allow has set.  During a pause, libcurl neither reads from the
 * connection nor notices that the peer closes it.
 *
 * libcurl's time limit would include pauses and the time in which the caller
 * does other work, although the response may have arrived in that time.  So we
 * enforce the limit, and libcurl enforces only the connect timeout.
 *
 * Every attempt is signed again, because signatures expire.  Headers that a
 * proxy may change (Accept-Encoding) or libcurl adds (Content-Length,
 * User-Agent) are not signed.
 */
#include "client_private.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../base/macros.h"
#include "provider.h"

/*
 * Maximum number of a call's failures that do not count toward max_attempts
 * because we did not read from the connection for some time (left_alone).
 */
#define MOST_UNATTENDED		100

#define CONTENT_TYPE	"application/x-amz-json-1.0"

/* Time after which a call that waits for a file descriptor tries again. */
#define HELD_PAUSE_US		(20 * 1000)

/* ---- the list of active calls ----------------------------------------- */

/*
 * Adds the call at the end of the list, so that calls that wait for the same
 * resource receive it in the order in which they were started.
 */
void
dyn_attempt_link(DynActiveCall *call)
{
	DynActiveCall **link = &call->client->active;

	while (*link != NULL)
		link = &(*link)->next;
	call->next = NULL;
	*link = call;
	++*call->public.in_flight;
}

void
dyn_attempt_unlink(DynActiveCall *call)
{
	DynActiveCall **link = &call->client->active;

	/* analyzer: *link is not NULL, since the call is in the list */
	while (*link != call)
		link = &(*link)->next;
	*link = call->next;
	--*call->public.in_flight;
}

int64_t
dyn_attempts_next_due(const DynClient *client)
{
	int64_t		due = DYN_LOOP_NEVER;

	for (const DynActiveCall *call = client->active; call; call = call->next)
		if (call->due_us < due)
			due = call->due_us;
	return due;
}

/* ---- attempts --------------------------------------------------------- */

static int64_t
signing_clock(const DynActiveCall *call)
{
	return (int64_t) time(NULL) + call->signed_offset;
}

/* Ends a call, whose failure and message the caller has set. */
static void
finish_call(DynActiveCall *call)
{
	DynClient  *client = call->client;

	dyn_attempt_unlink(call);
	if (call->public.failure != DYN_FAIL_NONE)
		dyn_buffer_free(&call->packed);
	call->public.state = DYN_CALL_DONE;
	call->public.done_ms = (double) dyn_loop_now_us() / 1000.0;
	call->public.elapsed_ms = call->public.done_ms - call->public.started_ms;
	client->has_completions = true;
}

void
dyn_attempt_refuse(DynActiveCall *call, DynFailure failure)
{
	call->public.failure = failure;
	call->public.passing = false;
	call->public.throttled = false;
	snprintf(call->public.message, sizeof(call->public.message), "%s",
			 dyn_failure_phrase(failure));
	finish_call(call);
}

static int64_t
time_limit_us(const DynActiveCall *call)
{
	return (int64_t) call->service->request_timeout_ms * 1000;
}

/*
 * Returns the signed headers of an attempt; NULL on failure.  `now` is the
 * service's time (s since the epoch).  libcurl must not inflate the body, as
 * it would do with CURLOPT_ACCEPT_ENCODING, because the checksum is that of
 * the compressed bytes.  "Expect:" prevents a wait for "100 Continue".
 */
static struct curl_slist *
signed_headers(DynSigKeyCache *cache, const DynService *service,
			   const char *operation, const DynBuffer *body, int64_t now)
{
	static const char *const fixed[] = {
		("Content-Type: " CONTENT_TYPE), "Accept-Encoding: gzip", "Expect:"
	};
	const DynCredentials *credentials = &service->provider->current;
	DynSigScope scope = {service->region, service->signing_name, ""};
	DynSigHeader headers[] = {
		{"Content-Type", CONTENT_TYPE}, {"Host", service->host},
		{"X-Amz-Date", scope.time}, {"X-Amz-Target", NULL},
		{"X-Amz-Security-Token", credentials->session_token}
	};
	DynSigRequest request = {"POST", "/", headers,
		credentials->session_token ? 5 : 4,
	body->data ? body->data : "", body->len};
	struct curl_slist *list = NULL;
	DynBuffer	target = {0};
	DynBuffer	authorization = {0};
	bool		ok;

	dyn_sigv4_set_time(&scope, now);
	dyn_buffer_append_str(&target, service->target_prefix);
	dyn_buffer_append_str(&target, operation);
	headers[3].value = dyn_buffer_terminate(&target);
	ok = headers[3].value != NULL &&
		dyn_sigv4_authorization(cache, &scope, credentials, &request,
								&authorization) &&
		dyn_buffer_terminate(&authorization) != NULL;
	/* headers[0] is Content-Type, which is also in `fixed` */
	for (size_t i = 1; ok && i < request.nheaders; i++)
		ok = dyn_http_append_header(&list, headers[i].name, headers[i].value);
	ok = ok && dyn_http_append_header(&list, "Authorization", authorization.data);
	for (size_t i = 0; ok && i < LENGTHOF(fixed); i++)
		ok = dyn_http_append_line(&list, fixed[i]);
	dyn_buffer_free(&target);
	dyn_secret_free_buffer(&authorization);
	if (ok)
		return list;
	dyn_http_free_headers(list);
	return NULL;
}

static DynFailure
prepare_attempt(DynActiveCall *call, DynHttp *http)
{
	const DynService *service = call->service;
	DynHttpRequest request = {
		.owner = call,
		.method = "POST",
		.url = service->url,
		.body = call->body.data,
		.body_len = call->body.len,
		.plain = &call->public.response,
		.packed = &call->packed,
		.allowance = &call->allowance,
		.policy = DYN_ADDRESS_ENDPOINT,
		.peer = call->peer,
		.limits = {service->ca_bundle, service->proxy, service->connect_timeout_ms,
		0},
		.resolves = call->public.failure != DYN_FAIL_NONE &&
			call->public.failure != DYN_FAIL_SERVICE,
		.never_resend = call->public.once
	};

	dyn_buffer_reset(&call->public.response);
	dyn_buffer_reset(&call->packed);
	call->packed.max = service->max_response;
	call->signed_offset = service->clock->offset;
	call->generation = service->provider->generation;
	request.headers = signed_headers(&call->client->key_cache, service,
									 call->operation, &call->body,
									 signing_clock(call));
	if (request.headers == NULL)
		return DYN_FAIL_MEMORY;
	return dyn_http_prepare(http, &request);
}

static void
hold_call(DynActiveCall *call, int64_t due_us)
{
	call->held = true;
	call->due_us = due_us;
	call->public.state = DYN_CALL_BACKOFF;
}

void
dyn_attempts_try_held(DynClient *client, bool connections_only)
{
	for (DynActiveCall *call = client->active; call; call = call->next)
		if (call->held && (!connections_only || call->waiting_us > 0))
			call->due_us = 0;
}

void
dyn_attempt_abandon(DynActiveCall *call)
{
	DynClient  *client = call->client;

	dyn_connections_leave(&client->connections, call->http);
	call->http = NULL;
	if (call->suspended)
		++*call->public.in_flight;
	call->suspended = false;
	dyn_attempts_try_held(client, false);
}

static int
counted_attempts(const DynActiveCall *call)
{
	return call->public.attempts - call->unattended;
}

void
dyn_attempt_delay(DynActiveCall *call, DynRetryClass class, long retry_after_ms)
{
	double		ms = dyn_retry_delay_ms(class, counted_attempts(call),
										dyn_random_unit(), retry_after_ms);

	call->last_retry = class;
	call->due_us = dyn_loop_now_us() + (int64_t) (ms * 1000.0);
	call->public.state = DYN_CALL_BACKOFF;
}

bool
dyn_attempt_may_repeat(DynActiveCall *call, DynRetryClass class)
{
	const DynService *service = call->service;
	int			attempts = counted_attempts(call);
	bool		unattended;
	bool		tried;
	int64_t		date;

	/*
	 * A call may correct the clock's offset again, because this machine's
	 * clock may be set after the first correction.  But only a call's first
	 * correction permits an attempt beyond max_attempts.
	 */
	if (class == DYN_RETRY_CLOCK && !call->left_alone)
	{
		tried = call->clock_tried;
		call->clock_tried = true;
		return !(tried && attempts >= service->max_attempts) &&
			dyn_http_date(call->http, &date) &&
			dyn_retry_set_clock(service->clock, date - (int64_t) time(NULL),
								call->signed_offset);
	}
	/* report each rejection to the provider, but retry the call only once */
	if (class == DYN_RETRY_CREDENTIALS)
	{
		tried = call->credentials_tried;
		call->credentials_tried = true;
		return dyn_provider_reject(service->provider, call->generation,
								   dyn_http_date(call->http, &date)
								   ? &date : NULL) && !tried;
	}
	if (class == DYN_RETRY_FINAL || call->public.unanswered ||
		(class == DYN_RETRY_THROTTLING && call->public.ends_throttled))
		return false;

	/*
	 * If we did not read for some time (left_alone), that may have caused the
	 * failure: a closed connection, a connect timeout, or a reply with an old
	 * Date.  Such failures do not count toward max_attempts.
	 */
	unattended = call->left_alone && (class == DYN_RETRY_CLOCK ||
									  call->public.failure == DYN_FAIL_NETWORK ||
									  call->public.failure == DYN_FAIL_TIMEOUT ||
									  call->public.failure == DYN_FAIL_TLS);
	if (unattended && call->unattended < MOST_UNATTENDED)
	{
		call->unattended++;
		return true;
	}
	return attempts < service->max_attempts &&
		dyn_retry_take(call->quota, class, call->attempt_us, dyn_loop_now_us());
}

/*
 * Returns true if a write (`once`) may have been executed, but has no usable
 * response.  An error document shows that the write was not executed, unless
 * it reports an internal error.  A response of status 400 that is too large
 * must report a canceled transaction, since no other error is that long.
 */
static bool
is_unanswered(const DynActiveCall *call, DynRetryClass class)
{
	switch (call->public.failure)
	{
		case DYN_FAIL_NONE:
			return false;
		case DYN_FAIL_SERVICE:
			return class == DYN_RETRY_TRANSIENT ||
				(class == DYN_RETRY_FINAL && call->public.http_status >= 500);
		default:
			return call->http->body_read > 0 && dyn_http_was_sent(call->http) &&
				!(call->public.failure == DYN_FAIL_TOO_LARGE &&
				  call->public.http_status == 400);
	}
}

void
dyn_attempt_end(DynActiveCall *call, CURLcode code)
{
	DynSockets *sockets = &call->client->connections.sockets;
	const DynProvider *provider = call->service->provider;
	int			fd = dyn_http_socket(call->http);
	DynRetryClass class;
	long		retry_after_ms = call->http->reply.retry_after_ms;
	bool		again;

	call->socket = dyn_sockets_find(sockets, fd);
	dyn_sockets_got_response(sockets, fd, dyn_http_round_trip_us(call->http));
	call->http->reply.repeated =
		dyn_http_repeats(call->http, &call->client->fingerprints);
	class = dyn_response_check(&call->public, call->http, code,
							   call->generation == provider->generation ?
							   &provider->current : &provider->previous,
							   signing_clock(call));
	if (call->public.failure != DYN_FAIL_NONE &&
		call->public.failure != DYN_FAIL_SERVICE)
		dyn_sockets_distrust(sockets, &call->socket);
	call->public.unanswered = call->public.once && is_unanswered(call, class);
	again = dyn_attempt_may_repeat(call, class);
	call->public.passing = class == DYN_RETRY_THROTTLING ||
		class == DYN_RETRY_TRANSIENT || class == DYN_RETRY_CONFLICT;
	call->public.throttled = class == DYN_RETRY_THROTTLING;
	call->public.throttles += call->public.throttled;
	dyn_attempt_abandon(call);
	if (again)
	{
		dyn_attempt_delay(call, class, retry_after_ms);
		return;
	}
	if (call->public.failure == DYN_FAIL_NONE)
		dyn_retry_refund(call->quota, call->last_retry, call->attempt_us,
						 dyn_loop_now_us());
	finish_call(call);
}

static void
send_attempt(DynActiveCall *call)
{
	DynClient  *client = call->client;
	DynHttp    *http;
	DynFailure	failure = DYN_FAIL_MEMORY;
	size_t		allowance = call->allowance;
	CURLcode	code;

	call->held = false;
	http = dyn_connections_take_handle(&client->connections);
	call->public.attempts++;
	call->attempt_us = dyn_loop_now_us();
	call->due_us = call->attempt_us + time_limit_us(call);
	assert(!call->suspended);
	call->left_us = -1;
	call->left_alone = false;
	dyn_sockets_distrust_readable(&client->connections.sockets);
	if (http)
		failure = prepare_attempt(call, http);
	if (failure == DYN_FAIL_NONE)
	{
		call->http = http;
		call->public.state = DYN_CALL_SENT;
		if (dyn_connections_enter(&client->connections, http,
								  call->service->max_idle_connections))
		{
			/*
			 * If the body's first bytes exceed the allowance, the transfer is
			 * paused before libcurl has reported its socket.  sockets.c would
			 * then regard the connection as idle.  So accept these bytes
			 * despite the allowance; then libcurl reports the socket.
			 */
			if (http->paused)
			{
				http->paused = false;
				call->allowance = SIZE_MAX;
				code = dyn_loop_resume(&client->connections.loop, http->easy);
				call->allowance = allowance;
				if (code != CURLE_OK)
					dyn_attempt_end(call, code);
			}
			return;
		}
		call->http = NULL;
		failure = DYN_FAIL_MEMORY;
	}
	if (http)
		dyn_connections_give_handle(&client->connections, http);
	dyn_attempt_refuse(call, failure);
}

/*
 * Puts the call into BACKOFF, and returns true, if it should wait for a busy
 * connection instead of making a new one (connections.c).
 */
static bool
awaits_connection(DynActiveCall *call)
{
	DynConnections *connections = &call->client->connections;
	int64_t		now = dyn_loop_now_us();
	int64_t		since = call->waiting_us > 0 ? call->waiting_us : now;
	int64_t		until;
	const DynActiveCall *other;
	int			waiting = 0;
	int			connecting = 0;
	int			standing = 0;

	for (other = call->client->active; other; other = other->next)
	{
		if (other->peer != call->peer || other == call)
			continue;
		waiting += other->waiting_us > 0;
		if (other->public.state != DYN_CALL_SENT)
			continue;
		if (dyn_http_is_connected(other->http))
			standing++;
		else
			connecting++;
	}
	until = since + dyn_connections_wait_us(connections, call->peer,
											waiting, connecting > 0 &&
											standing == 0);
	if (until > now)
	{
		call->waiting_us = since;
		hold_call(call, until);
		return true;
	}
	dyn_connections_waited(connections, call->peer, now - since);
	call->waiting_us = 0;
	return false;
}

/*
 * Returns true if the provider has credentials for the call; otherwise puts
 * the call into BACKOFF, or ends it with a failure.
 */
static bool
has_credentials(DynActiveCall *call)
{
	const DynService *service = call->service;

	switch (dyn_provider_request(service->provider, call->client))
	{
		case DYN_CREDENTIALS_READY:
			return true;
		case DYN_CREDENTIALS_AWAITED:
			call->waiting_us = 0;
			hold_call(call, dyn_provider_due_us(service->provider));
			return false;
		default:
			call->public.err = dyn_provider_error(service->provider);
			dyn_attempt_refuse(call, call->public.err->out_of_memory
							   ? DYN_FAIL_MEMORY : DYN_FAIL_CREDENTIALS);
			return false;
	}
}

/*
 * Uses the descriptor that was acquired for an idle connection, even if the
 * attempt cannot reuse that connection.  So until the statement ends, twice as
 * many sockets may be open as descriptors were acquired.
 *
 * If no descriptor is available, the call waits for the end of another
 * transfer.  But if no other transfer is running, or all are paused, the call
 * exceeds the limit, because the caller may resume the paused ones only after
 * this call's response has arrived.
 */
void
dyn_attempt_begin(DynActiveCall *call)
{
	DynConnections *connections = &call->client->connections;
	const DynActiveCall *other;
	bool		any_running = false;

	dyn_connections_prepare(connections, call->service);
	if (!has_credentials(call) || (call->peer != 0 && awaits_connection(call)))
		return;
	for (other = call->client->active; other; other = other->next)
		any_running |= other->public.state == DYN_CALL_SENT &&
			!other->http->paused;
	if (dyn_connections_acquire(connections, !any_running))
		send_attempt(call);
	else
		hold_call(call, dyn_loop_now_us() + HELD_PAUSE_US);
}

/* ---- pausing ---------------------------------------------------------- */

void
dyn_attempts_suspend_paused(DynClient *client)
{
	for (DynActiveCall *call = client->active; call; call = call->next)
	{
		if (call->public.state != DYN_CALL_SENT || !call->http->paused ||
			call->suspended)
			continue;
		dyn_loop_park(&client->connections.loop, call->http->easy);
		call->left_us = call->due_us - dyn_loop_now_us();
		if (call->left_us < 0)
			call->left_us = 0;
		call->due_us = DYN_LOOP_NEVER;
		call->suspended = true;
		call->left_alone = true;
		--*call->public.in_flight;
	}
}

void
dyn_attempt_resume(DynActiveCall *call)
{
	CURLcode	code;

	assert(call->suspended && call->http->paused);
	call->suspended = false;
	++*call->public.in_flight;
	call->http->paused = false;
	call->due_us = dyn_loop_now_us() + call->left_us;
	code = dyn_loop_resume(&call->client->connections.loop, call->http->easy);
	/* on failure, libcurl does not report the end of the transfer */
	if (code != CURLE_OK)
		dyn_attempt_end(call, code);
}

void
dyn_attempts_defer(DynClient *client, int64_t us)
{
	for (DynActiveCall *call = client->active; call; call = call->next)
		if (call->public.state == DYN_CALL_SENT && !call->suspended &&
			(call->public.once || us > DYN_LOOP_LATE_US))
		{
			call->due_us += us;
			call->left_alone |= us > DYN_LOOP_LATE_US;
		}
}

void
dyn_attempt_end_overdue(DynActiveCall *call, int64_t now)
{
	DynHttp    *http = call->http;

	if (now - call->due_us > DYN_LOOP_LATE_US)
	{
		call->due_us = now + (call->left_us < 0 ? time_limit_us(call)
							  : call->left_us);
		return;
	}
	call->left_alone = false;	/* the failure counts toward max_attempts */
	snprintf(http->error, sizeof(http->error),
			 "Operation timed out after %d milliseconds with %zu bytes received",
			 call->service->request_timeout_ms, http->reply.body_bytes);
	dyn_attempt_end(call, CURLE_OPERATION_TIMEDOUT);
}

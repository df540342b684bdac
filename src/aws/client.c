/*
 * client.c
 *		Drives a backend's calls (requests to DynamoDB) and exchanges (requests
 *		for credentials).
 *
 * libcurl puts ended transfers into a queue, which process() reads.  So no
 * call is checked, restarted or freed inside a callback of libcurl.
 *
 * An exchange has its own connection.  Otherwise a call could reuse it, and so
 * reach an address that is allowed only for exchanges (DYN_ADDRESS_LOCAL), if
 * a user set that address as the endpoint.
 */
#include "client_private.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "credentials.h"

/*
 * Maximum size of a request document (bytes).  It exceeds DynamoDB's limit,
 * because JSON escapes make a document longer than its contents.
 */
#define LONGEST_REQUEST		((size_t) 64 * 1024 * 1024)

/* Maximum total capacity of the spare response buffers (bytes). */
#define MOST_SPARE_BYTES	((size_t) 6 * 1024 * 1024)

/* ---- ends of exchanges ------------------------------------------------ */

static void
unlink_exchange(DynExchange *exchange)
{
	DynExchange **link = &exchange->client->exchanges;

	while (*link != exchange)
		link = &(*link)->next;
	*link = exchange->next;
	exchange->client = NULL;
}

/* Ends an exchange; report_exchange calls `done` later. */
static void
end_with(DynExchange *exchange, DynFailure failure, const char *text)
{
	exchange->failure = failure;
	snprintf(exchange->message, sizeof(exchange->message), "%s", text);
	exchange->ended = true;
}

static void
end_exchange(DynExchange *exchange, CURLcode code)
{
	DynHttp    *http = exchange->http;
	const char *text;
	DynFailure	failure = dyn_http_result(http, code, &exchange->lasting, &text);

	if (failure == DYN_FAIL_NONE && (http->reply.packed ||
									 http->reply.unknown_encoding))
	{
		failure = DYN_FAIL_ENCODING;
		text = "the response has an unexpected Content-Encoding";
	}
	exchange->status = http->reply.status;
	exchange->has_date = dyn_http_date(http, &exchange->date);
	end_with(exchange, failure, text);
	dyn_connections_leave(&exchange->client->connections, http);
	exchange->http = NULL;
}

static DynExchange *
ended_exchange(const DynClient *client)
{
	DynExchange *exchange = client->exchanges;

	while (exchange && !exchange->ended)
		exchange = exchange->next;
	return exchange;
}

/* Calls `done` for one ended exchange; returns false if none has ended. */
static bool
report_exchange(DynClient *client)
{
	DynExchange *exchange = ended_exchange(client);

	if (exchange == NULL)
		return false;
	unlink_exchange(exchange);
	exchange->ended = false;
	exchange->done(exchange->arg);
	return true;
}

/* ---- driving ---------------------------------------------------------- */

static bool
end_finished(DynClient *client)
{
	CURL	   *easy;
	CURLcode	code;
	bool		any = false;

	while ((easy = dyn_loop_finished(&client->connections.loop, &code)) != NULL)
	{
		char	   *private = NULL;
		DynHttp    *http;

		curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
		http = (DynHttp *) (void *) private;
		if (http->request.is_exchange)
			end_exchange(http->request.owner, code);
		else
			dyn_attempt_end(http->request.owner, code);
		any = true;
	}
	return any;
}

/* Starts or ends all attempts that are due; returns false if none is due. */
static bool
attend_due(DynClient *client)
{
	int64_t		now;
	DynActiveCall *next;
	bool		any = false;

	if (dyn_attempts_next_due(client) == DYN_LOOP_NEVER)
		return false;
	now = dyn_loop_now_us();
	for (DynActiveCall *call = client->active; call; call = next)
	{
		next = call->next;
		if (call->due_us > now)
			continue;
		if (call->public.state == DYN_CALL_BACKOFF)
			dyn_attempt_begin(call);
		else
			dyn_attempt_end_overdue(call, now);
		any = true;
	}
	return any;
}

static void
arm(DynClient *client)
{
	int64_t		due = dyn_attempts_next_due(client);
	const DynSocketWatcher *watcher;

	for (watcher = client->watchers; watcher; watcher = watcher->next)
		if (watcher->due_us < due)
			due = watcher->due_us;
	if (ended_exchange(client) != NULL)
		due = 0;
	dyn_loop_arm(&client->connections.loop, due);
}

/*
 * Defers the deadlines of calls by the time in which the caller did not drive
 * the client.  For exchanges, whose time limits libcurl enforces, sets
 * left_alone instead.  Must be called before deadlines are used.
 */
static void
resume_clocks(DynClient *client)
{
	int64_t		now = dyn_loop_now_us();
	int64_t		us = client->waits ? 0 : now - client->left_us;

	dyn_attempts_defer(client, us);
	for (DynExchange *one = client->exchanges; one; one = one->next)
		one->left_alone |= us > DYN_LOOP_LATE_US;
	client->waits = false;
	client->left_us = now;
}

void
dyn_client_will_wait(DynClient *client, bool waits)
{
	/* must be fast: an asynchronous Append calls this for each row */
	if (!waits && !client->waits)
		return;
	client->waits = false;
	resume_clocks(client);
	client->waits = waits;
}

/* Makes all progress of calls that is possible without waiting. */
static void
process(DynClient *client)
{
	while (end_finished(client) || attend_due(client))
		continue;
	dyn_attempts_suspend_paused(client);
	arm(client);
	client->left_us = dyn_loop_now_us();
}

/*
 * A watcher's callback or a reported exchange may provide the credentials for
 * which calls wait, and these calls may start another exchange.  So the last
 * loop repeats until no ended exchange is left.
 */
void
dyn_client_drive(DynClient *client)
{
	DynSocketWatcher *next;
	bool		others;

	resume_clocks(client);
	dyn_loop_turn(&client->connections.loop);
	dyn_attempts_try_held(client, true);
	process(client);
	others = client->watchers != NULL;
	for (DynSocketWatcher *watcher = client->watchers; watcher; watcher = next)
	{
		next = watcher->next;
		watcher->callback(watcher->arg);
	}
	while (report_exchange(client) || others)
	{
		others = false;
		dyn_attempts_try_held(client, false);
		process(client);
	}
	client->has_completions = false;
}

/*
 * Skips the wait if a call has ended outside dyn_client_drive, because this
 * does not make the descriptor readable.  Sets the timer again, because a
 * source of credentials with its own timeout may have been started.
 */
DynWait
dyn_client_wait(DynClient *client, DynWaitFn wait, void *arg, long timeout_ms)
{
	DynWait		result = DYN_WAIT_READY;

	resume_clocks(client);
	arm(client);
	if (!client->has_completions &&
		(timeout_ms >= 0 || client->active || client->exchanges || client->watchers))
		result = wait(arg, client->connections.loop.epoll_fd, timeout_ms);
	client->left_us = dyn_loop_now_us();
	dyn_client_drive(client);
	return result;
}

void
dyn_client_wake(DynClient *client, double ms)
{
	dyn_loop_arm(&client->connections.loop,
				 dyn_loop_now_us() + (int64_t) (ms * 1000));
}

/* ---- watchers --------------------------------------------------------- */

bool
dyn_client_add_watcher(DynClient *client, DynSocketWatcher *watcher)
{
	if (watcher->fd >= 0 &&
		!dyn_loop_watch(&client->connections.loop, watcher->fd))
		return false;
	dyn_connections_hold(&client->connections, watcher->held_fds);
	watcher->next = client->watchers;
	client->watchers = watcher;
	arm(client);
	return true;
}

void
dyn_client_remove_watcher(DynClient *client, DynSocketWatcher *watcher)
{
	DynSocketWatcher **link = &client->watchers;

	while (*link != watcher)
		link = &(*link)->next;
	*link = watcher->next;
	dyn_connections_return(&client->connections, watcher->held_fds);
	if (watcher->fd >= 0)
		dyn_loop_unwatch(&client->connections.loop, watcher->fd);
}

/* ---- the client ------------------------------------------------------- */

DynClient *
dyn_client_create(const DynDescriptors *descriptors)
{
	DynClient  *client = calloc(1, sizeof(*client));

	if (client == NULL ||
		!dyn_loop_open(&client->connections.loop, &client->connections.sockets))
	{
		free(client);
		return NULL;
	}
	client->connections.descriptors = descriptors;
	dyn_connections_hold(&client->connections, DYN_LOOP_FDS);
	return client;
}

int
dyn_client_fd(const DynClient *client)
{
	return client->connections.loop.epoll_fd;
}

int
dyn_client_open_fds(const DynClient *client)
{
	return (int) dyn_sockets_count(&client->connections.sockets) + DYN_LOOP_FDS;
}

/* ---- buffers ---------------------------------------------------------- */

void
dyn_client_recycle(DynClient *client, DynBuffer *buf)
{
	if (buf->cap == 0 || client->nspare == DYN_SPARE_BUFFERS ||
		client->spare_bytes + buf->cap > MOST_SPARE_BYTES)
	{
		dyn_buffer_free(buf);
		return;
	}
	client->spare[client->nspare++] = *buf;
	client->spare_bytes += buf->cap;
	dyn_buffer_init(buf, buf->max);
}

/* ---- calls ------------------------------------------------------------ */

DynCall *
dyn_call_create(DynClient *client)
{
	DynActiveCall *call = calloc(1, sizeof(*call));

	if (call == NULL)
		return NULL;
	call->client = client;
	call->public.in_flight = &client->in_flight;
	call->allowance = SIZE_MAX;
	dyn_buffer_init(&call->body, LONGEST_REQUEST);
	return &call->public;
}

DynBuffer *
dyn_call_body(DynCall *call)
{
	return &((DynActiveCall *) call)->body;
}

void
dyn_call_start(DynCall *public, const DynService *service,
			   DynRetryQuota *quota, const char *operation)
{
	DynActiveCall *call = (DynActiveCall *) public;
	DynClient  *client = call->client;

	assert(public->state == DYN_CALL_IDLE || public->state == DYN_CALL_DONE);
	resume_clocks(client);
	*public = (DynCall) {
		.state = public->state,
		.ends_throttled = public->ends_throttled,
		.once = public->once,
		.in_flight = public->in_flight,
		.repeats = dyn_call_is_repeated(public),
		.response = public->response,
		.started_ms = (double) dyn_loop_now_us() / 1000.0
	};
	call->service = service;
	call->quota = quota;
	call->operation = operation;
	call->last_retry = DYN_RETRY_FINAL;
	call->unattended = 0;
	call->clock_tried = false;
	call->credentials_tried = false;
	call->held = false;
	call->peer = dyn_connections_peer(service);
	call->waiting_us = 0;
	call->due_us = DYN_LOOP_NEVER;
	if (public->response.cap == 0 && client->nspare > 0)
	{
		DynBuffer  *best = client->spare;

		/* take the largest buffer: those that held gzip bodies are small */
		for (int i = 1; i < client->nspare; i++)
			if (client->spare[i].cap > best->cap)
				best = &client->spare[i];
		public->response = *best;
		*best = client->spare[--client->nspare];
		client->spare_bytes -= public->response.cap;
	}
	dyn_buffer_reset(&public->response);
	public->response.max = service->max_response;
	dyn_attempt_link(call);
	if (call->body.failed)
		dyn_attempt_refuse(call, DYN_FAIL_MEMORY);
	else
		dyn_attempt_begin(call);
	process(client);
}

bool
dyn_call_unpack(DynCall *public)
{
	DynActiveCall *call = (DynActiveCall *) public;
	DynRetryClass class;

	assert(public->state == DYN_CALL_DONE);
	if (public->failure != DYN_FAIL_NONE || call->packed.len == 0)
		return true;
	public->failure = dyn_response_inflate(public, &call->packed);
	dyn_client_recycle(call->client, &call->packed);
	if (public->failure == DYN_FAIL_NONE)
		return true;
	public->lost++;
	public->unanswered = public->once;
	dyn_call_distrust(public);
	class = public->failure == DYN_FAIL_ENCODING ? DYN_RETRY_TRANSIENT
		: DYN_RETRY_FINAL;
	public->passing = class == DYN_RETRY_TRANSIENT;
	if (!dyn_attempt_may_repeat(call, class))
		return true;
	resume_clocks(call->client);
	dyn_attempt_link(call);
	dyn_attempt_delay(call, class, -1);
	process(call->client);
	return false;
}

size_t
dyn_call_held(const DynCall *public)
{
	return public->response.len + ((const DynActiveCall *) public)->packed.len;
}

void
dyn_call_allow(DynCall *public, size_t bytes)
{
	DynActiveCall *call = (DynActiveCall *) public;

	call->allowance = bytes;
	if (!dyn_call_is_paused(public) || bytes <= dyn_call_held(public))
		return;
	resume_clocks(call->client);
	dyn_attempt_resume(call);
	process(call->client);
}

bool
dyn_call_is_paused(const DynCall *public)
{
	return public->state == DYN_CALL_SENT &&
		((const DynActiveCall *) public)->http->paused;
}

bool
dyn_call_may_be_executed(const DynCall *public)
{
	if (public->state == DYN_CALL_SENT)
		return dyn_http_was_sent(((const DynActiveCall *) public)->http);
	return public->state == DYN_CALL_DONE &&
		(public->failure == DYN_FAIL_NONE || public->unanswered);
}

void
dyn_call_take_response(DynCall *call, DynBuffer *out)
{
	assert(call->state == DYN_CALL_DONE);
	*out = call->response;
	dyn_buffer_init(&call->response, 0);
}

void
dyn_call_distrust(const DynCall *public)
{
	const DynActiveCall *call = (const DynActiveCall *) public;

	dyn_sockets_distrust(&call->client->connections.sockets, &call->socket);
}

void
dyn_call_destroy(DynCall *public)
{
	DynActiveCall *call = (DynActiveCall *) public;
	DynClient  *client = call->client;

	if (public->state == DYN_CALL_SENT)
		dyn_attempt_abandon(call);
	if (public->state == DYN_CALL_SENT || public->state == DYN_CALL_BACKOFF)
		dyn_attempt_unlink(call);
	dyn_client_recycle(client, &public->response);
	dyn_client_recycle(client, &call->packed);
	dyn_buffer_free(&call->body);
	free(call);
	arm(client);
}

/* ---- exchanges -------------------------------------------------------- */

DynExchange *
dyn_exchange_create(const char *method, const char *url, DynAddressPolicy policy)
{
	DynExchange *exchange = calloc(1, sizeof(*exchange));

	if (exchange == NULL)
		return NULL;
	exchange->method = method;
	exchange->policy = policy;
	exchange->allowance = SIZE_MAX;
	exchange->url = strdup(url);
	dyn_buffer_init(&exchange->response, DYN_EXCHANGE_LONGEST);
	if (exchange->url)
		return exchange;
	free(exchange);
	return NULL;
}

bool
dyn_exchange_header(DynExchange *exchange, const char *name, const char *value)
{
	return dyn_credentials_suit_header(value) &&
		dyn_http_append_header(&exchange->headers, name, value);
}

void
dyn_exchange_start(DynExchange *exchange, DynClient *client,
				   const DynExchangeLimits *limits,
				   void (*done) (void *arg), void *arg)
{
	DynConnections *connections = &client->connections;
	DynFailure	failure = DYN_FAIL_MEMORY;
	DynHttp    *http;
	DynHttpRequest request = {
		.owner = exchange,
		.is_exchange = true,
		.method = exchange->method,
		.url = exchange->url,
		.body = exchange->body.data,
		.body_len = exchange->body.len,
		.plain = &exchange->response,
		.packed = &exchange->response,
		.allowance = &exchange->allowance,
		.policy = exchange->policy,
		.limits = *limits,
		.resolves = true
	};

	assert(exchange->policy != DYN_ADDRESS_LOCAL || limits->proxy == NULL);
	resume_clocks(client);
	exchange->done = done;
	exchange->arg = arg;
	exchange->client = client;
	exchange->next = client->exchanges;
	client->exchanges = exchange;
	dyn_connections_check_trust(connections, exchange->url, limits->proxy,
								limits->ca_bundle);
	http = dyn_connections_take_handle(connections);

	/*
	 * A header name without a value keeps libcurl from adding that header.
	 * The response buffer gets its full size now, since a buffer that grows
	 * would leave copies of secrets.
	 */
	if (http != NULL && !exchange->body.failed &&
		dyn_http_append_line(&exchange->headers, "Expect:") &&
		dyn_http_append_line(&exchange->headers, "Content-Type:") &&
		dyn_buffer_enlarge(&exchange->response, DYN_EXCHANGE_LONGEST + 1))
	{
		request.headers = exchange->headers;
		exchange->headers = NULL;
		exchange->http = http;
		failure = dyn_http_prepare(http, &request);
		/* ignore the limit of descriptors, since there are few exchanges */
		if (failure == DYN_FAIL_NONE &&
			dyn_connections_acquire(connections, true) &&
			dyn_connections_enter(connections, http, 0))
			return;
		if (failure == DYN_FAIL_NONE)
			failure = DYN_FAIL_MEMORY;
		exchange->http = NULL;
	}
	if (http != NULL)
		dyn_connections_give_handle(connections, http);
	end_with(exchange, failure, dyn_failure_phrase(failure));
}

void
dyn_exchange_destroy(DynExchange *exchange)
{
	if (exchange == NULL)
		return;
	if (exchange->http)
		dyn_connections_leave(&exchange->client->connections, exchange->http);
	if (exchange->client)
		unlink_exchange(exchange);
	dyn_http_free_headers(exchange->headers);
	dyn_secret_free_buffer(&exchange->body);
	dyn_secret_free_buffer(&exchange->response);
	dyn_secret_free(exchange->url);
	free(exchange);
}

/*
 * client.c
 *		Runs calls: attempts, backoff, and the buffers they share.
 *
 * A call goes through its states like this:
 *
 *		IDLE --start--> SENT --ended--> DONE --start--> SENT ...
 *		                  ^        |
 *		                  |        v
 *		                  +---- BACKOFF
 *
 * Only begin_attempt, hold_call, delay_call and finish_call change the state.
 * SENT and BACKOFF calls are in a list; the list is short (the caller's
 * concurrency), so the next backoff to end is found by a linear search.  A
 * call that cannot acquire a descriptor is in BACKOFF until another call's
 * transfer has ended, and so is one that does better to wait for a connection
 * than to make one (connections.c).
 *
 * A SENT call may be paused, because its response is longer than it is allowed
 * to receive now.  libcurl neither reads from its connection then nor notices
 * its end.  libcurl's time limit includes pauses, so it is lifted at the first
 * one, and we keep the time ourselves.
 *
 * response_check.c checks replies, retry.c decides about retries, http.c and
 * loop.c transfer bytes; this file connects them.
 *
 * libcurl puts ended transfers into its queue, from which
 * process_completions() takes them.  No call is checked, restarted or freed
 * inside a callback.
 *
 * Layer: aws.
 */
#include "client.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "connections.h"
#include "http.h"
#include "identities.h"
#include "response_check.h"
#include "pool.h"
#include "request.h"
#include "retry.h"

/* The service limits the size of requests; escapes may make ours longer. */
#define LONGEST_REQUEST		((size_t) 64 * 1024 * 1024)

/* Attempts that do not count; a peer may end each of them. */
#define MOST_UNATTENDED		100

/* A call that waits for a descriptor tries again after this time. */
#define HELD_PAUSE_US		(20 * 1000)

typedef struct Call
{
	DynCall		public;			/* first: what callers hold a pointer to */
	DynClient  *client;
	const DynService *service;
	DynRetryQuota *quota;
	char		operation[64];
	DynBuffer	body;
	DynBuffer	packed;			/* a gzip body until it is unpacked */
	DynHttp    *http;			/* while SENT */
	DynSocket	socket;			/* of the last attempt's connection */
	int64_t		attempt_us;		/* when the attempt was begun */
	int64_t		signed_offset;	/* of the clock that it was signed by */
	int64_t		due_us;			/* of the next attempt, while BACKOFF; of the
								 * end of a resumed one; or DYN_LOOP_NEVER */
	size_t		allowance;		/* body bytes an attempt may receive */
	bool		suspended;		/* paused, and its time does not run */
	int64_t		left_us;		/* its time when it was paused last; -1: it
								 * was never paused */
	DynRetryClass last_retry;	/* class of the last retry, or FINAL */
	int			unattended;		/* attempts that failed while nobody looked */
	bool		clock_tried;	/* this call has corrected the clock */
	bool		held;			/* BACKOFF: for lack of a descriptor or a
								 * connection */
	uint64_t	peer;			/* of its connections, or 0 */
	int64_t		waiting_us;		/* since when it waits for a connection, or 0 */
	struct Call *next;			/* in the client's list */
} Call;

struct DynClient
{
	DynConnections connections;
	DynIdentities identities;
	DynSigKeyCache key_cache;
	DynRandom	random;
	Call	   *active;			/* SENT or BACKOFF */
	int			in_flight;		/* calls that nobody else counts */
	bool		has_completions;	/* of calls, not yet seen by the caller */
	DynPool		pool;
};

/* ---- the list of active calls ----------------------------------------- */

/* Those that wait for the same are served in the order of their starts. */
static void
link_call(Call *call)
{
	Call	  **link = &call->client->active;

	while (*link != NULL)
		link = &(*link)->next;
	call->next = NULL;
	*link = call;
	++*call->public.in_flight;
}

static void
unlink_call(Call *call)
{
	Call	  **link = &call->client->active;

	while (*link != call)
		link = &(*link)->next;
	*link = call->next;
	--*call->public.in_flight;
}

static int64_t
next_due(const DynClient *client)
{
	int64_t		due = DYN_LOOP_NEVER;
	const Call *call;

	for (call = client->active; call; call = call->next)
		if (call->due_us < due)
			due = call->due_us;
	return due;
}

/* ---- descriptors ------------------------------------------------------ */

/* Will some transfer end even if no call is allowed more? */
static bool
is_any_running(const DynClient *client)
{
	const Call *call;

	for (call = client->active; call; call = call->next)
		if (call->public.state == DYN_CALL_SENT && !call->http->paused)
			return true;
	return false;
}

/*
 * May another transfer begin?  Each uses a descriptor: that of an idle
 * connection, or a new one.  (An idle connection to another host does not
 * help; so there may be more sockets than acquired, up to twice as many, until
 * the statement ends.)  Without descriptors, it waits for another transfer,
 * but not for paused ones: the caller may need this response before it can
 * use theirs.
 */
static bool
may_send(DynClient *client)
{
	DynAccount *account = &client->connections.account;

	return dyn_account_acquire(account, client->connections.used) ||
		(!is_any_running(client) && dyn_account_reserve(account));
}

/* ---- attempts --------------------------------------------------------- */

/* The time now by the clock that the attempt was signed by. */
static int64_t
signing_clock(const Call *call)
{
	return (int64_t) time(NULL) + call->signed_offset;
}

/* Makes an active call DONE; `failure` and texts have been set. */
static void
finish_call(Call *call)
{
	DynClient  *client = call->client;

	unlink_call(call);
	if (call->public.failure != DYN_FAIL_NONE)
		dyn_client_recycle(client, &call->packed);
	call->public.state = DYN_CALL_DONE;
	call->public.done_ms = (double) dyn_loop_now_us() / 1000.0;
	call->public.elapsed_ms = call->public.done_ms - call->public.started_ms;
	client->has_completions = true;
}

static void
finish_without_sending(Call *call, DynFailure failure)
{
	call->public.failure = failure;
	snprintf(call->public.message, sizeof(call->public.message), "%s",
			 dyn_failure_phrase(failure));
	finish_call(call);
}

static DynFailure
prepare_attempt(Call *call, DynHttp *http)
{
	const DynService *service = call->service;
	DynClient  *client = call->client;
	struct curl_slist *headers;

	dyn_buffer_reset(&call->public.response);
	dyn_buffer_reset(&call->packed);
	call->packed.max = service->max_response;
	call->signed_offset = service->clock->offset;
	headers = dyn_request_headers(&client->key_cache, service, call->operation,
								  &call->body, signing_clock(call));
	if (headers == NULL)
		return DYN_FAIL_MEMORY;
	return dyn_http_prepare(http, service, headers, &call->body,
							&call->public.response, &call->packed,
							&call->allowance);
}

static void
hold_call(Call *call, int64_t due_us)
{
	call->held = true;
	call->due_us = due_us;
	call->public.state = DYN_CALL_BACKOFF;
}

/*
 * A transfer has ended, or a connection may stand: calls that wait for a
 * descriptor or a connection may retry.
 */
static void
let_held_calls_try(DynClient *client, bool connections_only)
{
	Call	   *call;

	for (call = client->active; call; call = call->next)
		if (call->held && (!connections_only || call->waiting_us > 0))
			call->due_us = 0;
}

/* Removes the transfer from the loop, and the handle from the call. */
static void
end_transfer(Call *call)
{
	DynClient  *client = call->client;

	dyn_loop_remove(&client->connections.loop, call->http->easy);
	dyn_pool_give_handle(&client->pool, call->http);
	call->http = NULL;
	if (call->suspended)
		++*call->public.in_flight;
	call->suspended = false;
	let_held_calls_try(client, false);
	dyn_connections_end_use(&client->connections);
}

/* Those that say something about the service. */
static int
counted_attempts(const Call *call)
{
	return call->public.attempts - call->unattended;
}

/*
 * Did the time of the attempt run out while the caller did something else?
 * libcurl looks at the clock before it looks at the answer, which may be there.
 * Or did the peer lose patience with us, as we did not read?
 */
static bool
was_unattended(const Call *call)
{
	if (call->public.failure == DYN_FAIL_NETWORK)
		return call->left_us >= 0;
	return call->public.failure == DYN_FAIL_TIMEOUT &&
		call->client->connections.loop.late;
}

static void
delay_call(Call *call, DynRetryClass class, long retry_after_ms)
{
	double		ms = dyn_retry_delay_ms(class, counted_attempts(call),
										dyn_random_unit(&call->client->random),
										retry_after_ms);

	call->last_retry = class;
	call->due_us = dyn_loop_now_us() + (int64_t) (ms * 1000.0);
	call->public.state = DYN_CALL_BACKOFF;
}

/*
 * Learns the service's time from the reply, once per call; false if that cannot
 * help.  Must be called before the reply is released.
 */
static bool
correct_clock(Call *call)
{
	int64_t		date;

	if (call->clock_tried || !dyn_http_date(call->http, &date) ||
		!dyn_retry_set_clock(call->service->clock, date - (int64_t) time(NULL),
							 call->signed_offset))
		return false;
	call->clock_tried = true;
	return true;
}

/* Decides whether to retry the attempt; takes the tokens if so. */
static bool
may_repeat(Call *call, DynRetryClass class)
{
	if (class == DYN_RETRY_CLOCK)
		return correct_clock(call);
	if (class != DYN_RETRY_THROTTLING && class != DYN_RETRY_TRANSIENT)
		return false;
	if (class == DYN_RETRY_THROTTLING && call->public.ends_throttled)
		return false;
	if (call->unattended < MOST_UNATTENDED && was_unattended(call))
	{
		call->unattended++;
		return true;
	}
	return counted_attempts(call) < call->service->max_attempts &&
		dyn_retry_take(call->quota, class, call->attempt_us,
					   dyn_loop_now_us());
}

static void
note_connection(Call *call)
{
	DynSockets *sockets = &call->client->connections.sockets;
	int			fd = dyn_http_socket(call->http);

	call->socket = dyn_sockets_find(sockets, fd);
	dyn_sockets_answered(sockets, fd, dyn_http_round_trip_us(call->http));
}

static void
note_identity(Call *call)
{
	call->http->reply.repeated =
		!dyn_identities_add(&call->client->identities,
							dyn_http_identity(call->http));
}

/* A transfer has ended: check the reply, then retry or finish. */
static void
end_attempt(Call *call, CURLcode code)
{
	DynRetryClass class;
	long		retry_after_ms = call->http->reply.retry_after_ms;
	bool		again;

	note_connection(call);
	note_identity(call);
	class = dyn_response_check(&call->public, call->http, code,
							   call->service->credentials, signing_clock(call));
	if (call->public.failure != DYN_FAIL_NONE &&
		call->public.failure != DYN_FAIL_SERVICE)
		dyn_call_distrust(&call->public);
	again = may_repeat(call, class);
	call->public.passing = class == DYN_RETRY_THROTTLING ||
		class == DYN_RETRY_TRANSIENT;
	call->public.throttled = class == DYN_RETRY_THROTTLING;
	call->public.throttles += call->public.throttled;
	end_transfer(call);
	if (again)
	{
		delay_call(call, class, retry_after_ms);
		return;
	}
	if (call->public.failure == DYN_FAIL_NONE)
		dyn_retry_refund(call->quota, call->last_retry, call->attempt_us,
						 dyn_loop_now_us());
	finish_call(call);
}

/*
 * libcurl has not told yet which connection it took if it read so much of the
 * reply in its first turn that the transfer is paused; it would be regarded as
 * idle (sockets.c).  To make it tell, the transfer goes on, with the bytes that
 * libcurl holds.
 */
static void
show_connection(Call *call)
{
	size_t		allowance = call->allowance;
	CURLcode	code;

	if (!call->http->paused)
		return;
	call->http->paused = false;
	call->allowance = SIZE_MAX;
	code = dyn_loop_resume(call->http->easy);
	call->allowance = allowance;
	if (code != CURLE_OK)
		end_attempt(call, code);
}

static void
send_attempt(Call *call)
{
	DynClient  *client = call->client;
	DynHttp    *http;
	DynFailure	failure = DYN_FAIL_MEMORY;

	call->held = false;
	http = dyn_pool_take_handle(&client->pool, &client->connections.sockets,
								&client->connections.tls);
	call->public.attempts++;
	call->attempt_us = dyn_loop_now_us();
	call->due_us = DYN_LOOP_NEVER;
	assert(!call->suspended);
	call->left_us = -1;
	dyn_sockets_distrust_stirred(&client->connections.sockets);
	if (http)
		failure = prepare_attempt(call, http);
	if (failure == DYN_FAIL_NONE)
	{
		http->owner = call;
		http->peer = call->peer;
		call->http = http;
		call->public.state = DYN_CALL_SENT;
		dyn_connections_use(&client->connections, call->service);
		if (dyn_loop_add(&client->connections.loop, http->easy))
		{
			show_connection(call);
			return;
		}
		dyn_connections_end_use(&client->connections);
		call->http = NULL;
		failure = DYN_FAIL_MEMORY;
	}
	if (http)
		dyn_pool_give_handle(&client->pool, http);
	finish_without_sending(call, failure);
}

/*
 * How long it should wait for a connection from when it began to: until one is
 * idle, or the very first stands.  One that stands already has shown that the
 * peer can be reached, even if no connection ever replies twice: then all may
 * be made at once.
 */
static int64_t
patience_us(const Call *call)
{
	const DynClient *client = call->client;
	const Call *other;
	int			waiting = 0;
	int			connecting = 0;
	int			standing = 0;

	for (other = client->active; other; other = other->next)
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
	return dyn_connections_patience_us(&client->connections, call->peer,
									   waiting,
									   connecting > 0 && standing == 0);
}

/* Should it wait for a connection now?  Then it is held. */
static bool
awaits_connection(Call *call)
{
	int64_t		now = dyn_loop_now_us();
	int64_t		since = call->waiting_us > 0 ? call->waiting_us : now;
	int64_t		until = since + patience_us(call);

	if (until > now)
	{
		call->waiting_us = since;
		hold_call(call, until);
		return true;
	}
	dyn_connections_waited(&call->client->connections, call->peer,
						   now - since);
	call->waiting_us = 0;
	return false;
}

static void
begin_attempt(Call *call)
{
	DynClient  *client = call->client;

	dyn_connections_prepare(&client->connections, call->service);
	if (call->peer != 0 && awaits_connection(call))
		return;
	if (may_send(client))
		send_attempt(call);
	else
		hold_call(call, dyn_loop_now_us() + HELD_PAUSE_US);
}

/* ---- pausing ---------------------------------------------------------- */

/* Stops the time of the transfers that have been paused in this turn. */
static void
suspend_paused(DynClient *client)
{
	Call	   *call;

	for (call = client->active; call; call = call->next)
	{
		int64_t		due_us = call->due_us;

		if (call->public.state != DYN_CALL_SENT || !call->http->paused ||
			call->suspended)
			continue;
		if (call->left_us < 0)
		{
			dyn_http_lift_timeout(call->http);
			due_us = call->attempt_us +
				(int64_t) call->service->request_timeout_ms * 1000;
		}
		call->left_us = due_us - dyn_loop_now_us();
		if (call->left_us < 0)
			call->left_us = 0;
		call->due_us = DYN_LOOP_NEVER;
		call->suspended = true;
		--*call->public.in_flight;
	}
}

/* libcurl does not report a transfer that fails here. */
static void
resume_call(Call *call)
{
	CURLcode	code;

	assert(call->suspended && call->http->paused);
	call->suspended = false;
	++*call->public.in_flight;
	call->http->paused = false;
	call->due_us = dyn_loop_now_us() + call->left_us;
	code = dyn_loop_resume(call->http->easy);
	if (code != CURLE_OK)
		end_attempt(call, code);
}

/*
 * The time of an attempt that has been paused is over.  If we are late, nobody
 * has looked, and what the peer sent may not have been read: it gets the time
 * again.
 */
static void
end_overdue(Call *call, int64_t now)
{
	DynHttp    *http = call->http;

	if (now - call->due_us > DYN_LOOP_LATE_US)
	{
		call->due_us = now + call->left_us;
		return;
	}
	snprintf(http->error, sizeof(http->error),
			 "Operation timed out after %d milliseconds with %zu bytes received",
			 call->service->request_timeout_ms, http->reply.body_bytes);
	end_attempt(call, CURLE_OPERATION_TIMEDOUT);
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

		curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
		end_attempt(((DynHttp *) (void *) private)->owner, code);
		any = true;
	}
	return any;
}

/* Begins or ends attempts whose time has come. */
static bool
attend_due(DynClient *client)
{
	int64_t		now;
	Call	   *call;
	Call	   *next;
	bool		any = false;

	if (next_due(client) == DYN_LOOP_NEVER)
		return false;
	now = dyn_loop_now_us();
	for (call = client->active; call; call = next)
	{
		next = call->next;
		if (call->due_us > now)
			continue;
		if (call->public.state == DYN_CALL_BACKOFF)
			begin_attempt(call);
		else
			end_overdue(call, now);
		any = true;
	}
	return any;
}

/*
 * Loops until nothing more can be done now; attempts are limited, so it ends.
 */
static void
process_completions(DynClient *client)
{
	while (end_finished(client) || attend_due(client))
		continue;
	suspend_paused(client);
	dyn_loop_arm(&client->connections.loop, next_due(client));
}

void
dyn_client_drive(DynClient *client)
{
	dyn_loop_turn(&client->connections.loop);
	let_held_calls_try(client, true);
	process_completions(client);
	client->has_completions = false;
}

/*
 * Work that could be done before the wait makes the descriptor readable; only
 * calls that ended in dyn_call_start need a separate check.
 */
DynWait
dyn_client_wait(DynClient *client, DynWaitFn wait, void *arg, long timeout_ms)
{
	DynWait		result = DYN_WAIT_READY;

	if (!client->has_completions && client->active)
		result = wait(arg, client->connections.loop.epoll_fd, timeout_ms);
	dyn_client_drive(client);
	return result;
}

void
dyn_client_wake(DynClient *client, double ms)
{
	dyn_loop_arm(&client->connections.loop,
				 dyn_loop_now_us() + (int64_t) (ms * 1000));
}

/* ---- the client ------------------------------------------------------- */

DynClient *
dyn_client_create(const DynDescriptors *descriptors)
{
	DynClient  *client = calloc(1, sizeof(*client));

	if (client == NULL)
		return NULL;
	dyn_random_seed(&client->random);
	if (dyn_connections_open(&client->connections, descriptors))
		return client;
	free(client);
	return NULL;
}

void
dyn_client_destroy(DynClient *client)
{
	assert(client->active == NULL);
	dyn_pool_free_handles(&client->pool);
	dyn_connections_close(&client->connections);
	dyn_pool_free_buffers(&client->pool);
	dyn_sigv4_key_forget(&client->key_cache);
	free(client);
}

void
dyn_client_end_statement(DynClient *client)
{
	dyn_connections_end_statement(&client->connections);
}

void
dyn_client_close_idle(DynClient *client)
{
	dyn_connections_close_idle(&client->connections);
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

uint64_t
dyn_client_connections(const DynClient *client)
{
	return client->connections.sockets.opened;
}

/* ---- calls ------------------------------------------------------------ */

DynCall *
dyn_call_create(DynClient *client)
{
	Call	   *call = calloc(1, sizeof(*call));

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
	return &((Call *) call)->body;
}

static void
reset_figures(DynCall *call)
{
	call->failure = DYN_FAIL_NONE;
	call->passing = false;
	call->http_status = 0;
	call->code[0] = '\0';
	call->message[0] = '\0';
	call->request_id[0] = '\0';
	call->throttle_reason[0] = '\0';
	call->throttled = false;
	call->hot_partition = false;
	call->attempts = 0;
	call->throttles = 0;
	call->lost = 0;
	call->bytes_received = 0;
	call->elapsed_ms = 0;
}

/*
 * A document that could not be written, or an operation too long to be one,
 * fails like anything else.
 */
static DynFailure
take_request(Call *call, const char *operation)
{
	size_t		len = strlen(operation);

	if (call->body.failed)
		return DYN_FAIL_MEMORY;
	if (len >= sizeof(call->operation))
		return DYN_FAIL_CONFIG;
	memcpy(call->operation, operation, len + 1);
	return DYN_FAIL_NONE;
}

void
dyn_call_start(DynCall *public, const DynService *service,
			   DynRetryQuota *quota, const char *operation)
{
	Call	   *call = (Call *) public;
	DynClient  *client = call->client;
	DynFailure	failure;

	assert(public->state == DYN_CALL_IDLE || public->state == DYN_CALL_DONE);
	reset_figures(public);
	call->service = service;
	call->quota = quota;
	public->started_ms = (double) dyn_loop_now_us() / 1000.0;
	call->last_retry = DYN_RETRY_FINAL;
	call->unattended = 0;
	call->clock_tried = false;
	call->held = false;
	call->peer = dyn_connections_peer(service);
	call->waiting_us = 0;
	call->due_us = DYN_LOOP_NEVER;
	dyn_pool_ready_buffer(&client->pool, &public->response,
						  service->max_response);
	link_call(call);
	failure = take_request(call, operation);
	if (failure == DYN_FAIL_NONE)
		begin_attempt(call);
	else
		finish_without_sending(call, failure);
	process_completions(client);
}

bool
dyn_call_unpack(DynCall *public)
{
	Call	   *call = (Call *) public;
	DynRetryClass class;

	assert(public->state == DYN_CALL_DONE);
	if (public->failure != DYN_FAIL_NONE || call->packed.len == 0)
		return true;
	public->failure = dyn_response_inflate(public, &call->packed);
	dyn_client_recycle(call->client, &call->packed);
	if (public->failure == DYN_FAIL_NONE)
		return true;
	public->lost++;
	dyn_call_distrust(public);
	class = public->failure == DYN_FAIL_ENCODING ? DYN_RETRY_TRANSIENT
		: DYN_RETRY_FINAL;
	public->passing = class == DYN_RETRY_TRANSIENT;
	if (!may_repeat(call, class))
		return true;
	link_call(call);
	delay_call(call, class, -1);
	process_completions(call->client);
	return false;
}

size_t
dyn_call_held(const DynCall *public)
{
	return public->response.len + ((const Call *) public)->packed.len;
}

void
dyn_call_allow(DynCall *public, size_t bytes)
{
	Call	   *call = (Call *) public;

	call->allowance = bytes;
	if (!dyn_call_is_paused(public) || bytes <= dyn_call_held(public))
		return;
	resume_call(call);
	process_completions(call->client);
}

bool
dyn_call_is_paused(const DynCall *public)
{
	return public->state == DYN_CALL_SENT &&
		((const Call *) public)->http->paused;
}

void
dyn_client_recycle(DynClient *client, DynBuffer *buf)
{
	dyn_pool_give_buffer(&client->pool, buf);
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
	const Call *call = (const Call *) public;

	dyn_sockets_distrust(&call->client->connections.sockets, &call->socket);
}

void
dyn_call_destroy(DynCall *public)
{
	Call	   *call = (Call *) public;
	DynClient  *client = call->client;

	if (public->state == DYN_CALL_SENT)
		end_transfer(call);
	if (public->state == DYN_CALL_SENT || public->state == DYN_CALL_BACKOFF)
		unlink_call(call);
	dyn_client_recycle(client, &public->response);
	dyn_client_recycle(client, &call->packed);
	dyn_buffer_free(&call->body);
	free(call);
	dyn_loop_arm(&client->connections.loop, next_due(client));
}

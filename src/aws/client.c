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
 * Only begin_attempt, hold_call, pause_call and finish_call change the state.
 * SENT and BACKOFF calls are in a list; the list is short (the caller's
 * concurrency), so the next backoff to end is found by a linear search.  A
 * call that cannot acquire a descriptor is in BACKOFF until another call's
 * transfer has ended.
 *
 * response_check.c checks replies, retry.c decides about retries, http.c and
 * loop.c transfer bytes; this file connects them.  Two pools make a request on
 * a warm client cheap: easy handles, and response buffers, which are limited
 * in number and bytes.
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

#include "http.h"
#include "identities.h"
#include "response_check.h"
#include "loop.h"
#include "request.h"
#include "retry.h"

#define MOST_SPARE_HANDLES	16
#define MOST_SPARE_BUFFERS	4
#define MOST_SPARE_BYTES	((size_t) 6 * 1024 * 1024)

/* The service limits the size of requests; escapes may make ours longer. */
#define LONGEST_REQUEST		((size_t) 64 * 1024 * 1024)

/* A call that waits for a descriptor tries again after this time. */
#define HELD_PAUSE_US		(20 * 1000)

/* A corrected clock is corrected again only if it is off by this much. */
#define NOTEWORTHY_SHIFT_S	(5 * 60)

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
	int64_t		started_us;
	int64_t		attempt_us;		/* when the attempt was begun */
	int64_t		signed_offset;	/* of the clock that it was signed by */
	int64_t		due_us;			/* while BACKOFF */
	DynRetryClass last_retry;	/* class of the last retry, or FINAL */
	int			unattended;		/* attempts that timed out while nobody waited */
	bool		clock_tried;	/* this call has corrected the clock */
	bool		held;			/* BACKOFF: for lack of a descriptor */
	struct Call *next;			/* in the client's list */
} Call;

struct DynClient
{
	DynLoop		loop;
	DynSockets	sockets;
	const DynDescriptors *descriptors;
	int			granted;		/* descriptors acquired for connections */
	int			peak;			/* most SENT at once, in this statement */
	int			last_peak;		/* in the previous one */
	int			keep;			/* keep_connections of its services */
	DynIdentities identities;
	DynSigKeyCache key_cache;
	DynRandom	random;
	Call	   *active;			/* SENT or BACKOFF */
	int			sent;			/* how many are SENT */
	bool		has_completions;	/* of calls, not yet seen by the caller */
	bool		drop_idle;		/* drop connections when none is in use */
	DynHttp    *handles;
	int			nhandles;
	DynBuffer	buffers[MOST_SPARE_BUFFERS];
	int			nbuffers;
	size_t		buffer_bytes;	/* capacity of the spare buffers */
};

/* ---- pools ------------------------------------------------------------ */

static DynHttp *
take_handle(DynClient *client)
{
	DynHttp    *http = client->handles;

	if (http == NULL)
		return dyn_http_create(&client->sockets);
	client->handles = http->next;
	client->nhandles--;
	return http;
}

static void
give_handle(DynClient *client, DynHttp *http)
{
	dyn_http_release(http);
	if (client->nhandles >= MOST_SPARE_HANDLES)
	{
		dyn_http_destroy(http);
		return;
	}
	http->next = client->handles;
	client->handles = http;
	client->nhandles++;
}

/* The largest spare buffer; small ones held a packed body or an error. */
static DynBuffer
take_buffer(DynClient *client)
{
	DynBuffer	taken;
	int			best = 0;
	int			i;

	for (i = 1; i < client->nbuffers; i++)
		if (client->buffers[i].cap > client->buffers[best].cap)
			best = i;
	taken = client->buffers[best];
	client->buffers[best] = client->buffers[--client->nbuffers];
	client->buffer_bytes -= taken.cap;
	return taken;
}

/* Returns an empty buffer with the bound, reusing a spare one if any. */
static void
ready_buffer(DynClient *client, DynBuffer *buf, size_t max)
{
	if (buf->cap == 0 && client->nbuffers > 0)
		*buf = take_buffer(client);
	dyn_buffer_reset(buf);
	buf->max = max;
}

void
dyn_client_recycle(DynClient *client, DynBuffer *buf)
{
	if (buf->cap == 0 || client->nbuffers == MOST_SPARE_BUFFERS ||
		client->buffer_bytes + buf->cap > MOST_SPARE_BYTES)
	{
		dyn_buffer_free(buf);
		return;
	}
	client->buffers[client->nbuffers++] = *buf;
	client->buffer_bytes += buf->cap;
	dyn_buffer_init(buf, buf->max);
}

/* ---- the list of active calls ----------------------------------------- */

static void
link_call(Call *call)
{
	call->next = call->client->active;
	call->client->active = call;
}

static void
unlink_call(Call *call)
{
	Call	  **link = &call->client->active;

	while (*link != call)
		link = &(*link)->next;
	*link = call->next;
}

static int64_t
next_due(const DynClient *client)
{
	int64_t		due = DYN_LOOP_NEVER;
	const Call *call;

	for (call = client->active; call; call = call->next)
		if (call->public.state == DYN_CALL_BACKOFF && call->due_us < due)
			due = call->due_us;
	return due;
}

/* ---- descriptors ------------------------------------------------------ */

/*
 * May another transfer begin?  Each uses a descriptor: that of an idle
 * connection, or a new one.  (An idle connection to another host does not
 * help; so there may be more sockets than acquired, up to twice as many, until
 * the statement ends.)
 */
static bool
may_send(DynClient *client)
{
	if (client->descriptors == NULL || client->granted > client->sent)
		return true;
	if (!client->descriptors->acquire())
	{
		if (client->sent > 0)
			return false;
		client->descriptors->reserve();
	}
	client->granted++;
	return true;
}

/* Acquires descriptors for all open connections; false if that fails. */
static bool
settle_account(DynClient *client)
{
	int			open;

	if (client->descriptors == NULL)
		return true;
	open = (int) dyn_sockets_count(&client->sockets);
	if (open < client->sent)
		open = client->sent;
	for (; client->granted > open; client->granted--)
		client->descriptors->release();
	for (; client->granted < open; client->granted++)
	{
		if (!client->descriptors->acquire())
			return false;
	}
	return true;
}

/* Only while no transfer is in the loop. */
static void
drop_connections(DynClient *client)
{
	dyn_loop_drop_connections(&client->loop);
	(void) settle_account(client);
}

/*
 * Called before the first request of a statement.  A connection that the peer
 * has closed must not count against those that the statement opens.
 */
static void
begin_statement(DynClient *client)
{
	if (client->sent == 0 && client->peak == 0 &&
		dyn_sockets_any_closed_by_peer(&client->sockets))
		drop_connections(client);
}

void
dyn_client_end_statement(DynClient *client)
{
	int			used = client->peak > client->last_peak ? client->peak
		: client->last_peak;

	/* statements without requests do not count */
	if (client->peak == 0)
		return;
	if (used > client->keep)
		used = client->keep;
	client->last_peak = client->peak;
	client->peak = client->sent;
	client->keep = 0;
	if ((dyn_sockets_count(&client->sockets) > (size_t) used ||
		 dyn_sockets_any_closed_by_peer(&client->sockets) ||
		 !settle_account(client)) && client->sent == 0)
		drop_connections(client);
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
	call->public.elapsed_ms =
		(double) (dyn_loop_now_us() - call->started_us) / 1000.0;
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
							&call->public.response, &call->packed);
}

static void
hold_call(Call *call)
{
	call->held = true;
	call->due_us = dyn_loop_now_us() + HELD_PAUSE_US;
	call->public.state = DYN_CALL_BACKOFF;
}

/* A transfer has ended: calls that wait for a descriptor may retry. */
static void
let_held_calls_try(DynClient *client)
{
	Call	   *call;

	for (call = client->active; call; call = call->next)
		if (call->held)
			call->due_us = 0;
}

static void
count_use(DynClient *client, const DynService *service)
{
	if (client->sent > client->peak)
		client->peak = client->sent;
	if (service->keep_connections > client->keep)
		client->keep = service->keep_connections;
}

static void
begin_attempt(Call *call)
{
	DynClient  *client = call->client;
	DynHttp    *http;
	DynFailure	failure = DYN_FAIL_MEMORY;

	begin_statement(client);
	if (!may_send(client))
	{
		hold_call(call);
		return;
	}
	call->held = false;
	http = take_handle(client);
	call->public.attempts++;
	call->attempt_us = dyn_loop_now_us();
	dyn_sockets_distrust_stirred(&client->sockets);
	if (http)
		failure = prepare_attempt(call, http);
	if (failure == DYN_FAIL_NONE)
	{
		http->owner = call;
		call->http = http;
		call->public.state = DYN_CALL_SENT;
		client->sent++;
		count_use(client, call->service);
		if (dyn_loop_add(&client->loop, http->easy))
			return;
		client->sent--;
		call->http = NULL;
		failure = DYN_FAIL_MEMORY;
	}
	if (http)
		give_handle(client, http);
	finish_without_sending(call, failure);
}

/* Removes the transfer from the loop, and the handle from the call. */
static void
end_transfer(Call *call)
{
	DynClient  *client = call->client;

	dyn_loop_remove(&client->loop, call->http->easy);
	give_handle(client, call->http);
	call->http = NULL;
	client->sent--;
	let_held_calls_try(client);
	if (client->drop_idle && client->sent == 0)
	{
		client->drop_idle = false;
		drop_connections(client);
	}
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
 */
static bool
was_unattended(const Call *call)
{
	return call->public.failure == DYN_FAIL_TIMEOUT &&
		call->client->loop.late;
}

static void
pause_call(Call *call, DynRetryClass class, long retry_after_ms)
{
	double		ms = dyn_retry_delay_ms(class, counted_attempts(call),
										dyn_random_unit(&call->client->random),
										retry_after_ms);

	call->last_retry = class;
	call->due_us = dyn_loop_now_us() + (int64_t) (ms * 1000.0);
	call->public.state = DYN_CALL_BACKOFF;
}

/*
 * Learns the service's time from the reply.  Returns false if that cannot
 * help: the call has tried it, or the clock was corrected before and the
 * attempt was signed with nearly the same time.  Must be called before the
 * reply is released.
 */
static bool
correct_clock(Call *call)
{
	DynClock   *clock = call->service->clock;
	int64_t		date;
	int64_t		offset;
	int64_t		shift;

	if (!dyn_http_date(call->http, &date))
		return false;
	offset = date - (int64_t) time(NULL);
	shift = offset - call->signed_offset;
	if (call->clock_tried || (clock->corrected &&
							  shift <= NOTEWORTHY_SHIFT_S &&
							  shift >= -NOTEWORTHY_SHIFT_S))
		return false;
	call->clock_tried = true;
	clock->corrected = true;
	clock->offset = offset;
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
	if (was_unattended(call))
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
	DynSockets *sockets = &call->client->sockets;
	int			fd = dyn_http_socket(call->http);

	call->socket = dyn_sockets_find(sockets, fd);
	dyn_sockets_answered(sockets, fd);
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
	call->public.throttles += class == DYN_RETRY_THROTTLING;
	end_transfer(call);
	if (again)
	{
		pause_call(call, class, retry_after_ms);
		return;
	}
	if (call->public.failure == DYN_FAIL_NONE)
		dyn_retry_refund(call->quota, call->last_retry, call->attempt_us,
						 dyn_loop_now_us());
	finish_call(call);
}

/* ---- driving ---------------------------------------------------------- */

static bool
end_finished(DynClient *client)
{
	CURL	   *easy;
	CURLcode	code;
	bool		any = false;

	while ((easy = dyn_loop_finished(&client->loop, &code)) != NULL)
	{
		char	   *private = NULL;

		curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
		end_attempt(((DynHttp *) (void *) private)->owner, code);
		any = true;
	}
	return any;
}

static bool
begin_due(DynClient *client)
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
		if (call->public.state != DYN_CALL_BACKOFF || call->due_us > now)
			continue;
		begin_attempt(call);
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
	while (end_finished(client) || begin_due(client))
		continue;
	dyn_loop_arm(&client->loop, next_due(client));
}

void
dyn_client_drive(DynClient *client)
{
	dyn_loop_turn(&client->loop);
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
		result = wait(arg, client->loop.epoll_fd, timeout_ms);
	dyn_client_drive(client);
	return result;
}

void
dyn_client_wake(DynClient *client, double ms)
{
	dyn_loop_arm(&client->loop, dyn_loop_now_us() + (int64_t) (ms * 1000));
}

/* ---- the client ------------------------------------------------------- */

/* For the loop's own descriptors. */
static void
account_for_loop(const DynDescriptors *descriptors, bool opened)
{
	int			i;

	for (i = 0; descriptors != NULL && i < DYN_LOOP_FDS; i++)
	{
		if (opened)
			descriptors->reserve();
		else
			descriptors->release();
	}
}

DynClient *
dyn_client_create(const DynDescriptors *descriptors)
{
	DynClient  *client = calloc(1, sizeof(*client));

	if (client == NULL)
		return NULL;
	dyn_random_seed(&client->random);
	client->descriptors = descriptors;
	if (dyn_loop_open(&client->loop, &client->sockets))
	{
		account_for_loop(descriptors, true);
		return client;
	}
	free(client);
	return NULL;
}

void
dyn_client_destroy(DynClient *client)
{
	int			i;

	assert(client->active == NULL);
	while (client->handles)
		dyn_http_destroy(take_handle(client));
	dyn_loop_close(&client->loop);
	(void) settle_account(client);
	account_for_loop(client->descriptors, false);
	dyn_sockets_free(&client->sockets);
	for (i = 0; i < client->nbuffers; i++)
		dyn_buffer_free(&client->buffers[i]);
	dyn_sigv4_key_forget(&client->key_cache);
	free(client);
}

/*
 * libcurl closes its connections only with the multi handle, so this waits
 * until no transfer is active.
 */
void
dyn_client_close_idle(DynClient *client)
{
	client->drop_idle = client->sent > 0;
	if (client->sent == 0)
		drop_connections(client);
}

int
dyn_client_fd(const DynClient *client)
{
	return client->loop.epoll_fd;
}

int
dyn_client_open_fds(const DynClient *client)
{
	return (int) dyn_sockets_count(&client->sockets) + DYN_LOOP_FDS;
}

uint64_t
dyn_client_connections(const DynClient *client)
{
	return client->sockets.opened;
}

/* ---- calls ------------------------------------------------------------ */

DynCall *
dyn_call_create(DynClient *client)
{
	Call	   *call = calloc(1, sizeof(*call));

	if (call == NULL)
		return NULL;
	call->client = client;
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
	call->attempts = 0;
	call->throttles = 0;
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
	call->started_us = dyn_loop_now_us();
	call->last_retry = DYN_RETRY_FINAL;
	call->unattended = 0;
	call->clock_tried = false;
	call->held = false;
	ready_buffer(client, &public->response, service->max_response);
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
	dyn_call_distrust(public);
	class = public->failure == DYN_FAIL_ENCODING ? DYN_RETRY_TRANSIENT
		: DYN_RETRY_FINAL;
	public->passing = class == DYN_RETRY_TRANSIENT;
	if (!may_repeat(call, class))
		return true;
	link_call(call);
	pause_call(call, class, -1);
	process_completions(call->client);
	return false;
}

size_t
dyn_call_held(const DynCall *public)
{
	return public->response.len + ((const Call *) public)->packed.len;
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

	dyn_sockets_distrust(&call->client->sockets, &call->socket);
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
	dyn_loop_arm(&client->loop, next_due(client));
}

const char *
dyn_failure_phrase(DynFailure failure)
{
	static const char *const phrases[] = {
		[DYN_FAIL_NONE] = "no failure",
		[DYN_FAIL_SERVICE] = "the service rejected the request",
		[DYN_FAIL_HTTP] = "unexpected HTTP reply",
		[DYN_FAIL_DNS] = "could not resolve the host name",
		[DYN_FAIL_CONNECT] = "could not connect",
		[DYN_FAIL_TLS] = "could not establish a secure connection",
		[DYN_FAIL_TIMEOUT] = "timeout expired",
		[DYN_FAIL_NETWORK] = "connection lost",
		[DYN_FAIL_TOO_LARGE] = "reply too large",
		[DYN_FAIL_CHECKSUM] = "reply has a wrong checksum",
		[DYN_FAIL_ENCODING] = "could not decompress the reply",
		[DYN_FAIL_ADDRESS] = "address not allowed",
		[DYN_FAIL_CONFIG] = "invalid connection settings",
		[DYN_FAIL_MEMORY] = "out of memory"
	};

	return phrases[failure];
}

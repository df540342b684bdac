/*
 * call.c
 *		Creates, starts, reads and destroys calls for their owners.
 *
 * Layer: aws.
 */
#include "client.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attempt.h"
#include "response_check.h"

/* The service limits the size of requests; escapes may make ours longer. */
#define LONGEST_REQUEST		((size_t) 64 * 1024 * 1024)

/* Upper bound of the bytes that are cached in spare response buffers. */
#define MOST_SPARE_BYTES	((size_t) 6 * 1024 * 1024)

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

/*
 * Makes the largest spare buffer the response's; small ones held a packed body
 * or an error.
 */
static void
take_spare(DynClient *client, DynBuffer *response)
{
	int			best = 0;
	int			i;

	for (i = 1; i < client->nspare; i++)
		if (client->spare[i].cap > client->spare[best].cap)
			best = i;
	*response = client->spare[best];
	client->spare[best] = client->spare[--client->nspare];
	client->spare_bytes -= response->cap;
}

/*
 * A document that could not be written, or an operation name that is too long,
 * fails like any other call.
 */
void
dyn_call_start(DynCall *public, const DynService *service,
			   DynRetryQuota *quota, const char *operation)
{
	DynActiveCall *call = (DynActiveCall *) public;
	DynClient  *client = call->client;
	size_t		len = strlen(operation);

	assert(public->state == DYN_CALL_IDLE || public->state == DYN_CALL_DONE);
	*public = (DynCall) {
		.state = public->state,
		.ends_throttled = public->ends_throttled,
		.in_flight = public->in_flight,
		.response = public->response,
		.started_ms = (double) dyn_loop_now_us() / 1000.0
	};
	call->service = service;
	call->quota = quota;
	call->last_retry = DYN_RETRY_FINAL;
	call->unattended = 0;
	call->clock_tried = false;
	call->credentials_tried = false;
	call->held = false;
	call->peer = dyn_connections_peer(service);
	call->waiting_us = 0;
	call->due_us = DYN_LOOP_NEVER;
	if (public->response.cap == 0 && client->nspare > 0)
		take_spare(client, &public->response);
	dyn_buffer_reset(&public->response);
	public->response.max = service->max_response;
	dyn_attempt_link(call);
	if (call->body.failed)
		dyn_attempt_refuse(call, DYN_FAIL_MEMORY);
	else if (len >= sizeof(call->operation))
		dyn_attempt_refuse(call, DYN_FAIL_CONFIG);
	else
	{
		memcpy(call->operation, operation, len + 1);
		dyn_attempt_begin(call);
	}
	dyn_client_process(client);
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
	dyn_call_distrust(public);
	class = public->failure == DYN_FAIL_ENCODING ? DYN_RETRY_TRANSIENT
		: DYN_RETRY_FINAL;
	public->passing = class == DYN_RETRY_TRANSIENT;
	if (!dyn_attempt_may_repeat(call, class))
		return true;
	dyn_attempt_link(call);
	dyn_attempt_delay(call, class, -1);
	dyn_client_process(call->client);
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
	dyn_attempt_resume(call);
	dyn_client_process(call->client);
}

bool
dyn_call_is_paused(const DynCall *public)
{
	return public->state == DYN_CALL_SENT &&
		((const DynActiveCall *) public)->http->paused;
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
	dyn_client_arm(client);
}

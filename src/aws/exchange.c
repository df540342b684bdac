/*
 * exchange.c
 *		Sends one HTTP request of any kind and receives its reply.
 *
 * An exchange uses the client's handles and its loop, but has its own
 * connection.  Some addresses are allowed for exchanges (DYN_ADDRESS_LOCAL),
 * but refused for calls.  A user can set such an address as the endpoint of
 * calls.  If a call could reuse the connection of an exchange, the call would
 * reach that address.
 */
#include "exchange.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_private.h"
#include "credentials.h"

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
	dyn_buffer_init(&exchange->body, 0);
	dyn_buffer_init(&exchange->response, DYN_EXCHANGE_LONGEST);
	if (exchange->url)
		return exchange;
	free(exchange);
	return NULL;
}

bool
dyn_exchange_header(DynExchange *exchange, const char *name, const char *value)
{
	bool		ok = dyn_credentials_suit_header(value) &&
		dyn_http_append_header(&exchange->headers, name, value);

	exchange->failed = exchange->failed || !ok;
	return ok;
}

static void
unlink_exchange(DynExchange *exchange)
{
	DynExchange **link = &exchange->client->exchanges;

	while (*link != exchange)
		link = &(*link)->next;
	*link = exchange->next;
	exchange->client = NULL;
}

/* Ends an exchange; dyn_exchanges_settle calls `done` later. */
static void
end_with(DynExchange *exchange, DynFailure failure, const char *text)
{
	exchange->failure = failure;
	snprintf(exchange->message, sizeof(exchange->message), "%s", text);
	exchange->ended = true;
}

void
dyn_exchange_start(DynExchange *exchange, DynClient *client,
				   const DynExchangeLimits *limits,
				   void (*done) (void *arg), void *arg)
{
	DynConnections *connections = &client->connections;
	DynFailure	failure = DYN_FAIL_MEMORY;
	DynHttp    *http;
	struct curl_slist *headers;
	DynHttpRequest request = {
		.method = exchange->method,
		.url = exchange->url,
		.body = exchange->body.data,
		.body_len = exchange->body.len,
		.policy = exchange->policy,
		.ca_bundle = limits->ca_bundle,
		.proxy = limits->proxy,
		.connect_timeout_ms = limits->connect_timeout_ms,
		.timeout_ms = limits->timeout_ms,
		.once = true
	};

	assert(exchange->policy != DYN_ADDRESS_LOCAL || limits->proxy == NULL);
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
	if (http != NULL && !exchange->failed && !exchange->body.failed &&
		dyn_http_append_line(&exchange->headers, "Expect:") &&
		dyn_http_append_line(&exchange->headers, "Content-Type:") &&
		dyn_buffer_enlarge(&exchange->response, DYN_EXCHANGE_LONGEST + 1))
	{
		headers = exchange->headers;
		exchange->headers = NULL;
		http->owner = exchange;
		http->is_exchange = true;
		http->peer = 0;
		exchange->http = http;
		failure = dyn_http_prepare(http, &request, headers, &exchange->response,
								   &exchange->response, &exchange->allowance);
		/* take a descriptor in any case, since there are few exchanges */
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
dyn_exchange_end(DynExchange *exchange, int curl_code)
{
	DynHttp    *http = exchange->http;
	bool		lasting;
	const char *text;
	DynFailure	failure = dyn_http_result(http, (CURLcode) curl_code, &lasting,
										  &text);

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

DynExchange *
dyn_exchanges_ended(const DynClient *client)
{
	DynExchange *exchange = client->exchanges;

	while (exchange && !exchange->ended)
		exchange = exchange->next;
	return exchange;
}

bool
dyn_exchanges_settle(DynClient *client)
{
	DynExchange *exchange = dyn_exchanges_ended(client);

	if (exchange == NULL)
		return false;
	unlink_exchange(exchange);
	exchange->ended = false;
	exchange->done(exchange->arg);
	return true;
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

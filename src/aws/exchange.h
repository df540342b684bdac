/*
 * exchange.h
 *		Sends one HTTP request of any kind and receives its reply.
 *
 * Calls (client.h) are for AWS JSON services.  A request to any other service,
 * such as a source of credentials, is an exchange.  It is neither signed nor
 * retried here, and has its own connection.  Its reply is not checked by
 * response_check.c.  Legal order:
 *
 *		exchange = dyn_exchange_create("GET", url, policy)
 *		add headers, write the body
 *		dyn_exchange_start(exchange, client, limits, done, arg)
 *		drive the client until done(arg) is called
 *		read the results, dyn_exchange_destroy
 *
 * An exchange need not be started: tests examine its request.  URL, headers
 * and bodies are overwritten before they are freed.
 */
#ifndef DYN_AWS_EXCHANGE_H
#define DYN_AWS_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buffer.h"
#include "address.h"
#include "client.h"

struct curl_slist;

/* Upper bound of a reply's body (bytes). */
#define DYN_EXCHANGE_LONGEST	((size_t) 64 * 1024)

typedef struct DynExchange
{
	/* the request */
	const char *method;			/* "GET", "POST" or "PUT"; not freed */
	char	   *url;
	struct curl_slist *headers; /* header lines; NULL once started */
	DynBuffer	body;
	DynAddressPolicy policy;	/* addresses that the request may be sent to */
	bool		failed;			/* true if a header was rejected or memory ran
								 * out */

	/* the reply, once the exchange is done */
	DynFailure	failure;		/* NONE for a complete reply with any status,
								 * unless the reply has a Content-Encoding */
	int			status;
	bool		has_date;
	int64_t		date;			/* server's Date, seconds since the epoch */
	DynBuffer	response;
	char		message[256];	/* text of the failure */

	/* private to exchange.c */
	DynClient  *client;			/* client, while the exchange runs */
	struct DynHttp *http;		/* easy handle, while the exchange runs */
	void		(*done) (void *arg);
	void	   *arg;
	size_t		allowance;
	bool		ended;			/* true if ended, and `done` is still to be
								 * called */
	struct DynExchange *next;	/* next exchange in the client's list */
} DynExchange;

typedef struct DynExchangeLimits
{
	const char *ca_bundle;		/* CA bundle, as in DynService */
	const char *proxy;			/* as in DynService; NULL for ADDRESS_LOCAL */
	int			connect_timeout_ms;
	int			timeout_ms;
} DynExchangeLimits;

/*
 * Creates an exchange with a copy of the URL.  Returns NULL if memory runs
 * out.
 */
extern DynExchange *dyn_exchange_create(const char *method, const char *url,
										DynAddressPolicy policy);

/*
 * Adds a header.  Returns false, and the exchange will fail, if memory runs
 * out or the value has control characters (which could begin another header).
 */
extern bool dyn_exchange_header(DynExchange *exchange, const char *name,
								const char *value);

/*
 * Sends the request.  `done` is called once, from dyn_client_drive or
 * dyn_client_wait, even if the request cannot be sent, but never from within
 * this function.  `done` may destroy the exchange and start others.
 */
extern void dyn_exchange_start(DynExchange *exchange, DynClient *client,
							   const DynExchangeLimits *limits,
							   void (*done) (void *arg), void *arg);

/*
 * Frees the exchange in any state; a running one is abandoned.  NULL is
 * allowed.
 */
extern void dyn_exchange_destroy(DynExchange *exchange);

/*
 * Records the result of the exchange's transfer.  The client calls this
 * function when the transfer has ended.
 */
extern void dyn_exchange_end(DynExchange *exchange, int curl_code);

/* Returns an exchange that has ended, but is not reported yet; or NULL. */
extern DynExchange *dyn_exchanges_ended(const DynClient *client);

/* Calls `done` for one ended exchange; returns false if there is none. */
extern bool dyn_exchanges_settle(DynClient *client);

#endif

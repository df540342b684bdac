/*
 * exchange.h
 *		One HTTP request of any kind, and its reply.
 *
 * Calls (client.h) are for AWS JSON services.  What else is asked, a source of
 * credentials, is an exchange: no signature, no retry, no checks but those of
 * HTTP, a connection of its own.  Legal order:
 *
 *		exchange = dyn_exchange_create("GET", url, reach)
 *		add headers, write the body
 *		dyn_exchange_start(exchange, client, limits, done, arg)
 *		wait for the client until done(arg) is called
 *		read the results, dyn_exchange_destroy
 *
 * An exchange that was not started can be examined, which tests do.  All memory
 * is overwritten before it is freed.
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

/* Bytes of a reply's body. */
#define DYN_EXCHANGE_LONGEST	((size_t) 64 * 1024)

typedef struct DynExchange
{
	/* the request */
	const char *method;			/* "GET", "POST" or "PUT"; static */
	char	   *url;
	struct curl_slist *headers; /* "Name: value"; moved when it is started */
	DynBuffer	body;
	DynAddressPolicy policy;	/* which addresses it may be sent to */
	bool		failed;			/* a header was refused, or memory ran out */

	/* the reply, when it is done */
	DynFailure	failure;		/* NONE: any status */
	int			status;
	bool		has_date;
	int64_t		date;			/* the server's, seconds since the epoch */
	DynBuffer	response;
	char		message[256];	/* libcurl's, of a failure */

	/* private to exchange.c */
	DynClient  *client;			/* while it runs */
	struct DynHttp *http;		/* likewise */
	void		(*done) (void *arg);
	void	   *arg;
	size_t		allowance;
	bool		ended;			/* `done` is still to be called */
	struct DynExchange *next;	/* in the client's list */
} DynExchange;

typedef struct DynExchangeLimits
{
	const char *ca_bundle;		/* as in DynService */
	const char *proxy;			/* as in DynService; NULL for DYN_ADDRESS_LOCAL */
	int			connect_timeout_ms;
	int			timeout_ms;
} DynExchangeLimits;

/* Copies the URL.  Returns NULL if memory runs out. */
extern DynExchange *dyn_exchange_create(const char *method, const char *url,
										DynAddressPolicy policy);

/*
 * Adds a header; returns false, and the exchange will fail, if the value has
 * control characters (which could begin another header) or memory runs out.
 */
extern bool dyn_exchange_header(DynExchange *exchange, const char *name,
								const char *value);

/*
 * Sends it.  `done` is called once, from dyn_client_drive or
 * dyn_client_wait, never from within this function, also if it cannot be
 * sent.  It may destroy the exchange and start others.
 */
extern void dyn_exchange_start(DynExchange *exchange, DynClient *client,
							   const DynExchangeLimits *limits,
							   void (*done) (void *arg), void *arg);

/* Legal in every state: one that runs is abandoned.  NULL is allowed. */
extern void dyn_exchange_destroy(DynExchange *exchange);

/* By the client: the transfer has ended. */
extern void dyn_exchange_end(DynExchange *exchange, int curl_code);

/* By the client: are there some to report? */
extern bool dyn_exchanges_any_ended(const DynClient *client);

/* By the client: reports those that have ended; false if there are none. */
extern bool dyn_exchanges_settle(DynClient *client);

#endif

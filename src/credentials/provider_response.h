/*
 * provider_response.h
 *		What the sources of credentials have in common.
 *
 * A source that is asked by HTTP is a pair of functions: one makes the next
 * request, one reads its reply.  Neither waits, and neither knows the network:
 * source.c sends the requests.
 */
#ifndef DYN_CREDENTIALS_RESPONSE_H
#define DYN_CREDENTIALS_RESPONSE_H

#include "../aws/credentials.h"
#include "../aws/exchange.h"
#include "../aws/error.h"

typedef enum DynProviderResponse
{
	DYN_RESPONSE_CREDENTIALS,	/* they are in *credentials */
	DYN_RESPONSE_NEXT,			/* another request is needed */
	DYN_RESPONSE_AGAIN,			/* the same request may succeed later: *fault
								 * says why it did not */
	DYN_RESPONSE_FAILED			/* *fault says why */
} DynProviderResponse;

/* The names of the members; NULL for one that is not looked for. */
typedef struct DynResponseNames
{
	const char *access_key_id;
	const char *secret_access_key;
	const char *session_token;
	const char *expires;
	const char *object;			/* the member that they are in; NULL: they are
								 * in the document itself */
} DynResponseNames;

/*
 * Reads the members of a JSON document that have these names into
 * *credentials; checks that none has control characters.  `expires` is ISO
 * 8601, or a number of milliseconds since the epoch.  Returns false, with
 * *fault set and *credentials empty, if the document is not JSON, or the key
 * or its secret is missing.  `whose` begins the message.
 */
extern bool dyn_response_read_json(const char *text, size_t len,
								   const DynResponseNames *names, const char *whose,
								   DynCredentials *credentials, DynError *err);

/*
 * Sets *credentials and their expiry, for texts as a service wrote them;
 * `expires` is ISO 8601 or NULL, "" is no session token.  Otherwise like
 * dyn_response_read_json.
 */
extern bool dyn_response_set(const char *access_key_id,
							 const char *secret_access_key,
							 const char *session_token, const char *expires,
							 const char *whose, DynCredentials *credentials,
							 DynError *err);

/*
 * "2026-01-02T03:04:05Z", with a fraction or not, and with "UTC" or an offset
 * such as "+01:00" or "+0100" instead of Z; false if the text is something
 * else.
 */
extern bool dyn_response_read_time(const char *text, int64_t *seconds);

/*
 * For a request that failed, or has another status than 200: sets *fault, with
 * libcurl's text or the status, and the body as an excerpt.  AGAIN for failures
 * of the network, 429 and 5xx.  `whose` is like "the container credentials".
 */
extern DynProviderResponse dyn_response_failed(const DynExchange *exchange,
											   const char *whose, DynError *err);

/*
 * Sets the excerpt of a fault to a text from the network, without what could
 * be a token or a signature.
 */
extern void dyn_response_excerpt(DynError *err, const char *text, size_t len);

/*
 * The credentials in the JSON of a reply, as dyn_response_read_json reads them,
 * or dyn_response_failed for one of another status than 200.
 */
extern DynProviderResponse dyn_response_read(const DynExchange *exchange,
											 const DynResponseNames *names,
											 const char *whose,
											 DynCredentials *credentials, DynError *err);

/* The names that services of the machine use. */
extern const DynResponseNames dyn_response_machine_names;

/* Printable ASCII without blanks; "" is, too. */
extern bool dyn_response_is_visible(const char *text);

/* Can it be the code of an error, which a message may show? */
extern bool dyn_response_is_code(const char *text);

/* A request to the URL, which is freed; NULL with *fault set. */
extern DynExchange *dyn_response_exchange(const char *method, DynBuffer *url,
										  DynAddressPolicy policy, DynError *err);

/*
 * Adds a header.  Returns false with *fault set if the value has control
 * characters or memory runs out; `what` names the value in the message.
 */
extern bool dyn_response_header(DynExchange *exchange, const char *name,
								const char *value, const char *what,
								DynError *err);

/* The request if it is complete; otherwise NULL, and the rest is destroyed. */
extern DynExchange *dyn_response_request(DynExchange *exchange, bool complete);

/* A variable of the environment; NULL if it is not set or empty. */
extern const char *dyn_response_environment(const char *variable);

#endif

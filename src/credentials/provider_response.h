/*
 * provider_response.h
 *		Functions shared by the credential providers.
 *
 * A provider that uses HTTP is a pair of functions: one creates the next
 * request, and the other reads its reply.  The two functions neither wait nor
 * use the network: source.c sends the requests.
 */
#ifndef DYN_CREDENTIALS_PROVIDER_RESPONSE_H
#define DYN_CREDENTIALS_PROVIDER_RESPONSE_H

#include "../aws/credentials.h"
#include "../aws/client.h"
#include "../aws/error.h"
#include "../base/jsonload.h"

typedef enum DynProviderResponse
{
	DYN_RESPONSE_FAILED = false,	/* *err is set.  The value is `false`, as
									 * returned by dyn_error_set() */
	DYN_RESPONSE_CREDENTIALS,	/* the credentials are in *credentials */
	DYN_RESPONSE_NEXT,			/* another request is needed */
	DYN_RESPONSE_AGAIN,			/* no credentials yet: either the
								 * credential_process program still runs, or
								 * the attempt failed (*err has the failure)
								 * but a later attempt may succeed */
} DynProviderResponse;

/* The names of the members of a JSON reply.  NULL if a member is not read. */
typedef struct DynResponseNames
{
	const char *access_key_id;
	const char *secret_access_key;
	const char *session_token;
	const char *expires;
	const char *object;			/* member whose value is an object with these
								 * members; if NULL, the document has them */
} DynResponseNames;

/*
 * Parses JSON text that contains secrets.  Until the document is closed,
 * jansson overwrites all memory that it frees, and must not be used for any
 * other document.  If the text is not JSON or memory runs out, sets *err and
 * returns NULL; then dyn_secret_json_close must not be called.
 */
extern json_t *dyn_secret_json_open(const char *text, size_t len,
									const char *whose, DynError *err);
extern void dyn_secret_json_close(json_t *document);

/*
 * Reads the document's members with these names into *credentials.  `expires`
 * is ISO 8601, or a number of milliseconds since the epoch.  If a value is
 * missing or invalid, returns false with *credentials empty, and *err set to a
 * message that begins with `whose`.
 */
extern bool dyn_response_read_object(const json_t *document,
									 const DynResponseNames *names,
									 const char *whose,
									 DynCredentials *credentials,
									 DynError *err);

/*
 * Sets *credentials from strings in a service's reply.  `expires` is ISO 8601
 * or NULL; an empty session token counts as none.  Errors are reported as in
 * dyn_response_read_object.
 */
extern bool dyn_response_set(const char *access_key_id,
							 const char *secret_access_key,
							 const char *session_token, const char *expires,
							 const char *whose, DynCredentials *credentials,
							 DynError *err);

/*
 * Reads a time such as "2026-01-02T03:04:05Z" into *seconds (since the epoch).
 * Instead of "Z", the time may have "UTC" or an offset such as "+01:00" or
 * "+0100".  Fractions of a second are ignored.  Returns false for other texts.
 */
extern bool dyn_response_read_time(const char *text, int64_t *seconds);

/*
 * Sets *err for a failed request.  `whose` is a phrase such as "the container
 * credentials".  Returns AGAIN for statuses 429 and 5xx, and for network
 * failures that may be temporary; otherwise FAILED.
 */
extern DynProviderResponse dyn_response_failed(const DynExchange *exchange,
											   const char *whose, DynError *err);

/* Sets err->excerpt to the text; masks what may be a token or secret key. */
extern void dyn_response_excerpt(DynError *err, const char *text, size_t len);

/* Reads credentials if the status is 200; else calls dyn_response_failed. */
extern DynProviderResponse dyn_response_read(const DynExchange *exchange,
											 const DynResponseNames *names,
											 const char *whose,
											 DynCredentials *credentials, DynError *err);

/* Returns true if the text is printable ASCII without blanks, or empty. */
extern bool dyn_response_is_visible(const char *text);

/* Returns true if the text looks like an error code; messages may show it. */
extern bool dyn_response_is_code(const char *text);

/* Returns a request to `url`; NULL with *err set on failure.  Frees `url`. */
extern DynExchange *dyn_response_exchange(const char *method, DynBuffer *url,
										  DynAddressPolicy policy, DynError *err);

/* Adds a header; returns false on failure.  `what` names the value in *err. */
extern bool dyn_response_header(DynExchange *exchange, const char *name,
								const char *value, const char *what,
								DynError *err);

/* Returns the request, or destroys it and returns NULL if it is incomplete. */
extern DynExchange *dyn_response_request(DynExchange *exchange, bool complete);

/* Returns a variable of the environment; NULL if it is empty or not set. */
extern const char *dyn_response_environment(const char *variable);

#endif

/*
 * url.h
 *		Parses and writes the URLs of the services that provide credentials.
 */
#ifndef DYN_CREDENTIALS_URL_H
#define DYN_CREDENTIALS_URL_H

#include <stdbool.h>

#include "../aws/error.h"
#include "../base/buffer.h"

/* The strings are malloc'd. */
typedef struct DynUrl
{
	char	   *host;			/* value of the Host header, with the port
								 * unless it is the scheme's default */
	char	   *path;			/* path; "/" if the URL has none */
} DynUrl;

/*
 * Parses a configured URL.  It must be http or https, in printable ASCII, with
 * neither a user nor a fragment; a query is allowed if `query` is true.
 * `parts` may be NULL.  On failure, returns false with *err set and *parts
 * empty.  The message contains the words `what` instead of the URL.
 */
extern bool dyn_url_parse(const char *url, const char *what, bool query,
						  DynUrl *parts, DynError *err);
extern void dyn_url_clear(DynUrl *parts);

/*
 * Returns the endpoint in a variable of the environment such as
 * AWS_ENDPOINT_URL_STS; NULL if the variable is not set, or
 * AWS_IGNORE_CONFIGURED_ENDPOINT_URLS is "true".
 */
extern const char *dyn_url_configured(const char *variable);

/* Returns false, with *err set, if the region cannot be part of a host name. */
extern bool dyn_url_check_region(const char *region, DynError *err);

/* Returns the domain of AWS's endpoints in the region: "amazonaws.com", ... */
extern const char *dyn_url_domain(const char *region);

/* Appends the text; percent-encodes all but letters, digits and "-._~". */
extern bool dyn_url_append_escaped(DynBuffer *buf, const char *text);

/* Appends an endpoint without the slashes at its end. */
extern bool dyn_url_append_base(DynBuffer *buf, const char *endpoint);

#endif

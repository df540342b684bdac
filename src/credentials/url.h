/*
 * url.h
 *		The URLs of the services that give credentials.
 */
#ifndef DYN_CREDENTIALS_URL_H
#define DYN_CREDENTIALS_URL_H

#include <stdbool.h>

#include "../aws/error.h"
#include "../base/buffer.h"

/* Zero-initialise it; the strings are malloc'd. */
typedef struct DynUrl
{
	char	   *host;			/* value of the Host header, with port if not
								 * the scheme's own */
	char	   *path;			/* "/" if the URL has none */
	bool		has_query;
} DynUrl;

/*
 * Parses a URL that was configured.  It must be http or https, of printable
 * ASCII, and have neither a user nor a fragment.  Returns false with *fault
 * set and *parts empty; `what` names the URL in the message, which does not
 * contain the URL.
 */
extern bool dyn_url_parse(const char *url, const char *what, DynUrl *parts,
						  DynError *err);
extern void dyn_url_clear(DynUrl *parts);

/*
 * The same of a URL to which a path is appended: it must not have a query.
 * The second just checks it.
 */
extern bool dyn_url_parse_endpoint(const char *url, const char *what,
								   DynUrl *parts, DynError *err);
extern bool dyn_url_check_endpoint(const char *url, const char *what,
								   DynError *err);

/*
 * The endpoint in this variable of the environment (AWS_ENDPOINT_URL_STS ...),
 * NULL if there is none or AWS_IGNORE_CONFIGURED_ENDPOINT_URLS is "true".
 */
extern const char *dyn_url_configured(const char *variable);

/* Can the name of a region be part of a host name?  If not, sets *fault. */
extern bool dyn_url_check_region(const char *region, DynError *err);

/* The domain of a region's partition: "amazonaws.com", ... */
extern const char *dyn_url_domain(const char *region);

/* Appends it percent-encoded: all but letters, digits and "-._~". */
extern bool dyn_url_append_escaped(DynBuffer *buf, const char *text);

/* Appends an endpoint without the slashes at its end. */
extern bool dyn_url_append_base(DynBuffer *buf, const char *endpoint);

#endif

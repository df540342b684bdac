/*
 * request.h
 *		Builds the signed headers of one attempt.
 */
#ifndef DYN_AWS_REQUEST_H
#define DYN_AWS_REQUEST_H

#include <stdint.h>

#include "client.h"
#include "sigv4.h"

struct curl_slist;

/*
 * Returns the headers to send `body` to the operation, or NULL if memory runs
 * out.  They are signed for the time `now` (seconds since the epoch by the
 * service's clock).  The caller frees them.
 */
extern struct curl_slist *dyn_request_headers(DynSigKeyCache *cache,
											  const DynService *service,
											  const char *operation,
											  const DynBuffer *body,
											  int64_t now);

/*
 * Append a copy of the line, or of "name: value".  Return false if memory runs
 * out.
 */
extern bool dyn_request_append_line(struct curl_slist **list,
									const char *line);
extern bool dyn_request_append_header(struct curl_slist **list,
									  const char *name, const char *value);

/* Wipes and frees the headers; NULL is allowed. */
extern void dyn_request_headers_free(struct curl_slist *headers);

#endif

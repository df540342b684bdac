/*
 * awserror.h
 *		Parses the error documents of AWS JSON services.
 *
 * Texts of errors and excerpts can be shown to users: they are valid
 * UTF-8, printable, truncated at a character boundary, and contain no secrets.
 */
#ifndef DYN_AWS_AWSERROR_H
#define DYN_AWS_AWSERROR_H

#include "client.h"
#include "credentials.h"

/*
 * Parses an error document into the call's code, message, throttle_reason and
 * hot_partition.  Returns DYN_FAIL_SERVICE; DYN_FAIL_HTTP, with an empty code,
 * if the body is not a JSON object with a "__type" or exceeds 256 kB; or
 * DYN_FAIL_MEMORY.  `credentials` are those that signed the request, or NULL;
 * their secrets do not appear in *call.
 */
extern DynFailure dyn_awserror_parse(const char *body, size_t len,
									 const DynCredentials *credentials,
									 DynCall *call);

/*
 * Copies text from the network to dst, at most dst_size - 1 bytes and a NUL.
 * Each run of control characters and spaces becomes one space, each malformed
 * byte a question mark, and each secret "***".  Copying ends before the value
 * of an Authorization header.  `credentials` may be NULL.
 */
extern void dyn_awserror_excerpt(const char *text, size_t len,
								 const DynCredentials *credentials,
								 char *dst, size_t dst_size);

#endif

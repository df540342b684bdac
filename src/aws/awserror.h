/*
 * awserror.h
 *		Parses the error documents of AWS JSON services.
 *
 * Strings in DynAwsError and excerpts can be shown to users: they are valid
 * UTF-8, printable, truncated at a character boundary, and contain no secrets.
 */
#ifndef DYN_AWS_AWSERROR_H
#define DYN_AWS_AWSERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "credentials.h"

typedef struct DynAwsError
{
	char		code[128];		/* code, such as "ValidationException" */
	char		message[1024];	/* error text; "" if there is none */
	char		throttle_reason[256];	/* first throttling reason and its
										 * resource, or "" */
	bool		hot_partition;	/* true if each throttling reason is a limit of
								 * a single partition */
	bool		out_of_memory;	/* true if memory ran out during parsing */
} DynAwsError;

/*
 * Parses an error document.  Returns false, with an empty code, if the body is
 * not a JSON object with a "__type", exceeds 256 kB, or memory runs out.
 * `credentials` are those that signed the request, or NULL; their secrets do
 * not appear in *error.
 */
extern bool dyn_awserror_parse(const char *body, size_t len,
							   const DynCredentials *credentials,
							   DynAwsError *error);

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

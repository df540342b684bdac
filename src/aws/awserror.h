/*
 * awserror.h
 *		What an AWS JSON service says when it refuses.
 *
 * Every text that leaves here is fit to be shown: valid UTF-8, printable, cut
 * at a character, and free of the request's secrets, whoever wrote it.
 */
#ifndef DYN_AWS_AWSERROR_H
#define DYN_AWS_AWSERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "credentials.h"

typedef struct DynAwsError
{
	char		code[128];		/* "ResourceNotFoundException" */
	char		message[1024];	/* "" if the service gave none */
	char		throttle_reason[256];	/* "reason resource", or "" */
	bool		out_of_memory;	/* the body could not be read for lack of it */
} DynAwsError;

/*
 * Reads an error document.  False if the body is not a JSON object with a
 * "__type" or memory fails; *error is then empty.  `credentials` (or NULL) are
 * those of the request; none of them but the access key id gets into any of
 * the texts.
 */
extern bool dyn_awserror_parse(const char *body, size_t len,
							   const DynCredentials *credentials,
							   DynAwsError *error);

/*
 * Copies foreign text into dst: controls and malformed bytes become spaces and
 * question marks, runs of white space one space, secrets "***".
 */
extern void dyn_awserror_excerpt(const char *text, size_t len,
								 const DynCredentials *credentials,
								 char *dst, size_t dst_size);

#endif

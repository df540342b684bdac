/*
 * environment.h
 *		What the server's environment has of AWS's variables.
 */
#ifndef DYN_CREDENTIALS_ENVIRONMENT_H
#define DYN_CREDENTIALS_ENVIRONMENT_H

#include "../aws/credentials.h"
#include "../aws/error.h"
#include "source_options.h"

typedef enum DynFound
{
	DYN_FOUND,
	DYN_FOUND_NOTHING,			/* not configured; *fault has details */
	DYN_FOUND_ERROR				/* *fault says what is wrong */
} DynFound;

/* AWS_ACCESS_KEY_ID and so on, into zeroed credentials. */
extern DynFound dyn_environment_keys(DynCredentials *keys, DynError *err);

/*
 * AWS_WEB_IDENTITY_TOKEN_FILE and so on, into a path, which is malloc'd, and a
 * zeroed role; both may be set after a failure.
 */
extern DynFound dyn_environment_web_identity(char **token_file, DynRole *role,
											 DynError *err);

#endif

/*
 * environment.h
 *		Reads AWS's variables from the server's environment.
 */
#ifndef DYN_CREDENTIALS_ENVIRONMENT_H
#define DYN_CREDENTIALS_ENVIRONMENT_H

#include "../aws/credentials.h"
#include "../aws/error.h"
#include "source_options.h"

typedef enum DynFound
{
	DYN_FOUND,
	DYN_FOUND_NOTHING,			/* not configured; *err has details */
	DYN_FOUND_ERROR				/* *err describes the error */
} DynFound;

/*
 * Reads AWS_ACCESS_KEY_ID and the related variables into zeroed credentials.
 */
extern DynFound dyn_environment_keys(DynCredentials *keys, DynError *err);

/*
 * Reads AWS_WEB_IDENTITY_TOKEN_FILE and the related variables into a malloc'd
 * path and a zeroed role.  Both may be set after a failure.
 */
extern DynFound dyn_environment_web_identity(char **token_file, DynRole *role,
											 DynError *err);

#endif

/*
 * instance.h
 *		Obtains the credentials of EC2 instances, by IMDSv2 only.
 *
 * Three requests: a token, the name of the role, its credentials.
 */
#ifndef DYN_CREDENTIALS_INSTANCE_H
#define DYN_CREDENTIALS_INSTANCE_H

#include "provider_response.h"

/* Zero-initialize it; the strings are malloc'd. */
typedef struct DynInstance
{
	char	   *token;
	char	   *role;
	bool		renewed;		/* true if a token was dropped */
} DynInstance;

/* Returns false if AWS_EC2_METADATA_DISABLED is "true". */
extern bool dyn_instance_is_enabled(void);

/* Returns the next request; NULL with *err set on failure. */
extern DynExchange *dyn_instance_request(const DynInstance *instance,
										 DynError *err);

/*
 * Handles the reply.  A token that is refused (401) is dropped once, and the
 * result is NEXT.
 */
extern DynProviderResponse dyn_instance_response(DynInstance *instance,
												 const DynExchange *exchange,
												 DynCredentials *credentials,
												 DynError *err);

/* Wipes and frees. */
extern void dyn_instance_clear(DynInstance *instance);

#endif

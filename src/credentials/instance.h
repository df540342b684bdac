/*
 * instance.h
 *		Credentials of EC2 instances, by IMDSv2 only.
 *
 * Three requests: a token, the name of the role, its credentials.
 */
#ifndef DYN_CREDENTIALS_INSTANCE_H
#define DYN_CREDENTIALS_INSTANCE_H

#include "provider_response.h"

/* Zero-initialise it; the strings are malloc'd. */
typedef struct DynInstance
{
	char	   *token;
	char	   *role;
	bool		renewed;		/* a token was forgotten */
} DynInstance;

/* Not if AWS_EC2_METADATA_DISABLED is "true". */
extern bool dyn_instance_is_enabled(void);

/* The next request; NULL with *fault set. */
extern DynExchange *dyn_instance_request(const DynInstance *instance,
										 DynError *err);

/* A token that is refused (401) is forgotten, once: NEXT. */
extern DynProviderResponse dyn_instance_response(DynInstance *instance,
												 const DynExchange *exchange,
												 DynCredentials *credentials,
												 DynError *err);

/* Wipes and frees. */
extern void dyn_instance_clear(DynInstance *instance);

#endif

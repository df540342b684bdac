/*
 * machine.h
 *		Obtains credentials from the local service of a container (ECS task or
 *		EKS pod) or of an EC2 instance (by IMDSv2 only).
 */
#ifndef DYN_CREDENTIALS_MACHINE_H
#define DYN_CREDENTIALS_MACHINE_H

#include "provider_response.h"

/* ---- containers ---- */

/* Returns true if the environment names a container's endpoint. */
extern bool dyn_container_is_set(void);

/*
 * Returns the request to the endpoint that the environment names.  If the
 * environment has a token or names a token file, the request contains the
 * token or the current contents of the file.  Returns NULL with *err set on
 * failure.  A full URI must be http or https, and DYN_ADDRESS_LOCAL must allow
 * its host.
 */
extern DynExchange *dyn_container_request(DynError *err);

extern DynProviderResponse dyn_container_response(const DynExchange *exchange,
												  DynCredentials *credentials,
												  DynError *err);

/* ---- instances (requests: token, role's name, credentials) ---- */

/*
 * The results of the requests so far.  Zero-initialize the struct; the strings
 * are malloc'd.
 */
typedef struct DynInstance
{
	char	   *token;
	char	   *role;
	bool		renewed;		/* true if the service refused a token, and no
								 * credentials have been obtained since */
} DynInstance;

/* Returns false if AWS_EC2_METADATA_DISABLED is "true". */
extern bool dyn_instance_is_enabled(void);

/* Returns the next request; NULL with *err set on failure. */
extern DynExchange *dyn_instance_request(const DynInstance *instance,
										 DynError *err);

/*
 * Handles the reply.  If the service refused the token (401), discards the
 * token and returns NEXT.  A second refusal before credentials are obtained is
 * a failure.
 */
extern DynProviderResponse dyn_instance_response(DynInstance *instance,
												 const DynExchange *exchange,
												 DynCredentials *credentials,
												 DynError *err);

/* Wipes and frees the strings. */
extern void dyn_instance_clear(DynInstance *instance);

#endif

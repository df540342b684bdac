/*
 * container.h
 *		Credentials of ECS tasks and EKS pods.
 */
#ifndef DYN_CREDENTIALS_CONTAINER_H
#define DYN_CREDENTIALS_CONTAINER_H

#include "provider_response.h"

/* Does the environment name a container's endpoint? */
extern bool dyn_container_is_set(void);

/*
 * The request, as the environment says now; the token file is read anew.
 * Returns NULL with *fault set.  A full URI must be http or https of a host
 * that DYN_ADDRESS_LOCAL allows.
 */
extern DynExchange *dyn_container_request(DynError *err);

extern DynProviderResponse dyn_container_response(const DynExchange *exchange,
												  DynCredentials *credentials,
												  DynError *err);

#endif

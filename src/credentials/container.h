/*
 * container.h
 *		Obtains the credentials of ECS tasks and EKS pods.
 */
#ifndef DYN_CREDENTIALS_CONTAINER_H
#define DYN_CREDENTIALS_CONTAINER_H

#include "provider_response.h"

/* Returns true if the environment names a container's endpoint. */
extern bool dyn_container_is_set(void);

/*
 * Returns the request for the current environment, and reads the token file
 * again.  Returns NULL with *err set on failure.  A full URI must be http or
 * https, and its host one that DYN_ADDRESS_LOCAL allows.
 */
extern DynExchange *dyn_container_request(DynError *err);

extern DynProviderResponse dyn_container_response(const DynExchange *exchange,
												  DynCredentials *credentials,
												  DynError *err);

#endif

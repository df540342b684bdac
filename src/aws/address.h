/*
 * address.h
 *		Decides which addresses a request may be sent to.
 */
#ifndef DYN_AWS_ADDRESS_H
#define DYN_AWS_ADDRESS_H

#include <stdbool.h>

struct sockaddr;

typedef enum DynAddressPolicy
{
	DYN_ADDRESS_ENDPOINT,		/* addresses that address.c does not refuse */
	DYN_ADDRESS_LOCAL			/* only loopback, and the services that provide
								 * credentials to this machine */
} DynAddressPolicy;

/*
 * Returns true if the policy allows a request to the address.
 * DYN_ADDRESS_ENDPOINT refuses services that a cloud provides to this machine
 * only, such as EC2's metadata service, because users who may set an endpoint
 * must not reach them.  Families other than IPv4 and IPv6 are always refused.
 */
extern bool dyn_address_allowed(const struct sockaddr *address,
								DynAddressPolicy policy);

#endif

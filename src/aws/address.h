/*
 * address.h
 *		Decides which addresses a request may be sent to.
 */
#ifndef DYN_AWS_ADDRESS_H
#define DYN_AWS_ADDRESS_H

#include <stdbool.h>

struct sockaddr;

/* The addresses that a request may be sent to. */
typedef enum DynAddressPolicy
{
	DYN_ADDRESS_ENDPOINT,		/* all addresses that are not refused */
	DYN_ADDRESS_LOCAL			/* only loopback, and the services that provide
								 * credentials to this machine */
} DynAddressPolicy;

/*
 * Returns true if the policy allows a request to the address.
 * DYN_ADDRESS_ENDPOINT refuses services that only this machine may use: a user
 * who may set an endpoint must not reach them.  Families other than IPv4 and
 * IPv6 are always refused.
 */
extern bool dyn_address_allowed(const struct sockaddr *address,
								DynAddressPolicy policy);

#endif

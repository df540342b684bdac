/*
 * address.h
 *		Which addresses a request may be sent to.
 */
#ifndef DYN_AWS_ADDRESS_H
#define DYN_AWS_ADDRESS_H

#include <stdbool.h>

struct sockaddr;

/* Which addresses a request may be sent to. */
typedef enum DynAddressPolicy
{
	DYN_ADDRESS_ENDPOINT,		/* all but those that are refused */
	DYN_ADDRESS_LOCAL			/* the services of this machine that give it
								 * credentials, and loopback: nothing else */
} DynAddressPolicy;

/*
 * May a request of this reach be sent to the address?  A user who may set an
 * endpoint must not reach services that are meant for this machine only: these
 * are refused to DYN_ADDRESS_ENDPOINT.  Families other than IPv4 and IPv6 are
 * refused always.
 */
extern bool dyn_address_allowed(const struct sockaddr *address,
								DynAddressPolicy policy);

#endif

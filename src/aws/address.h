/*
 * address.h
 *		Addresses that are never connected to.
 */
#ifndef DYN_AWS_ADDRESS_H
#define DYN_AWS_ADDRESS_H

#include <stdbool.h>

struct sockaddr;

/*
 * Is it a link-local address, or the instance metadata service?  A user who
 * may set an endpoint must not reach services that are meant for this machine
 * only.
 */
extern bool dyn_address_refused(const struct sockaddr *address);

#endif

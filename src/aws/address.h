/*
 * address.h
 *		Addresses that are never spoken to.
 */
#ifndef DYN_AWS_ADDRESS_H
#define DYN_AWS_ADDRESS_H

#include <stdbool.h>

struct sockaddr;

/*
 * Link-local addresses and the instance metadata service: whoever may set an
 * endpoint must not reach what only this machine may reach.
 */
extern bool dyn_address_refused(const struct sockaddr *address);

#endif

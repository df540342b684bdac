/*
 * address.c
 *		Addresses that are never connected to.
 *
 * On a cloud machine, link-local addresses serve the machine's own
 * credentials.  A host name can be made to resolve to them at any time, so the
 * check looks at the address that a socket is about to be opened for, not at
 * the name.  It also recognises IPv4 addresses embedded in IPv6 ones.
 *
 * Layer: aws.  Knows socket addresses only.
 */
#include "address.h"

#include <stddef.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/socket.h>

typedef struct Prefix
{
	unsigned char bytes[16];
	int			bits;
} Prefix;

static const Prefix refused_v4[] = {
	{{169, 254}, 16}
};

static const Prefix refused_v6[] = {
	{{0xfe, 0x80}, 10},			/* link-local */
	{{0xfd, 0x00, 0x0e, 0xc2}, 32}, /* instance metadata */
	{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 169, 254}, 112},	/* mapped */
	{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 169, 254}, 112},	/* compatible */
	{{0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 169, 254}, 112}	/* NAT64 */
};

static bool
has_prefix(const unsigned char *address, const Prefix *prefix)
{
	int			whole = prefix->bits / 8;
	int			mask = 0xff << (8 - prefix->bits % 8) & 0xff;

	return memcmp(address, prefix->bytes, (size_t) whole) == 0 &&
		(mask == 0 ||
		 (address[whole] & mask) == (prefix->bytes[whole] & mask));
}

static bool
has_any_prefix(const void *address, const Prefix *prefixes, size_t n)
{
	size_t		i;

	for (i = 0; i < n; i++)
		if (has_prefix(address, &prefixes[i]))
			return true;
	return false;
}

bool
dyn_address_refused(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return has_any_prefix(&((const struct sockaddr_in *) address)->sin_addr,
							  refused_v4,
							  sizeof(refused_v4) / sizeof(refused_v4[0]));
	if (address->sa_family == AF_INET6)
		return has_any_prefix(&((const struct sockaddr_in6 *) address)->sin6_addr,
							  refused_v6,
							  sizeof(refused_v6) / sizeof(refused_v6[0]));
	return true;
}

bool
dyn_address_allowed(const struct sockaddr *address, DynReach reach)
{
	return reach == DYN_REACH_LOCAL || !dyn_address_refused(address);
}

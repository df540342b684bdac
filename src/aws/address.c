/*
 * address.c
 *		Decides which addresses a request may be sent to.
 *
 * On a cloud machine, services at link-local and a few other addresses return
 * the machine's own credentials.  A DNS record can change to such an address
 * at any time.  So the address of each socket is checked before it is opened.
 *
 * NAT64 and tunnels connect to the IPv4 address inside an IPv6 address.  So an
 * IPv6 address that contains a refused IPv4 address is refused, too.  Two
 * prefixes are refused entirely: 64:ff9b:1::/48, where the position of the
 * IPv4 address varies, and Teredo, because third parties operate its relays.
 */
#include "address.h"

#include <stddef.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "../base/macros.h"

typedef struct Prefix
{
	unsigned char bytes[16];
	int			bits;
} Prefix;

static const Prefix refused_v4[] = {
	{{0}, 8},					/* "this network": reaches loopback */
	{{169, 254}, 16},			/* link-local: most metadata services */
	{{100, 100, 100, 200}, 32}, /* Alibaba Cloud's metadata service */
	{{192, 0, 0, 192}, 32},		/* Oracle Cloud's metadata service */
	{{168, 63, 129, 16}, 32}	/* Azure's platform service */
};

static const Prefix refused_v6[] = {
	{{0}, 128},					/* unspecified: reaches loopback */
	{{0xfe, 0x80}, 10},			/* link-local */
	{{0xfd, 0x00, 0x0e, 0xc2}, 32}, /* EC2's metadata and other services */
	/* the metadata services of Google Cloud, Oracle Cloud and Scaleway */
	{{0xfd, 0x20, 0x00, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}, 128},
	{{0xfd, 0x00, 0x00, 0xc1, 0, 0, 0, 0, 0, 0, 0, 0, 0xa9, 0xfe, 0xa9, 0xfe}, 128},
	{{0xfd, 0x00, 0x00, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x42}, 128},
	{{0x00, 0x64, 0xff, 0x9b, 0x00, 0x01}, 48}, /* NAT64 for local use */
	{{0x20, 0x01, 0x00, 0x00}, 32}	/* Teredo */
};

/* An IPv6 prefix whose addresses contain an IPv4 address. */
typedef struct Embedding
{
	Prefix		prefix;
	int			offset;			/* position of the IPv4 address (bytes) */
} Embedding;

static const Embedding embeddings[] = {
	{{{0}, 96}, 12},			/* IPv4-compatible */
	{{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96}, 12}, /* IPv4-mapped */
	{{{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96}, 12},	/* IPv4-translated */
	{{{0x00, 0x64, 0xff, 0x9b}, 96}, 12},	/* NAT64 */
	{{{0x20, 0x02}, 16}, 2}		/* 6to4 */
};

static const Prefix local_v4[] = {
	{{127}, 8},
	{{169, 254, 169, 254}, 32}, /* EC2 */
	{{169, 254, 170, 2}, 32},	/* ECS */
	{{169, 254, 170, 23}, 32}	/* EKS */
};

static const Prefix loopback_v6 = {
	{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128
};

static const Prefix local_v6[] = {
	{{0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54}, 128},
	{{0xfd, 0x00, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x23}, 128}
};

static bool
has_prefix(const unsigned char *address, const Prefix *prefix)
{
	int			full = prefix->bits / 8;
	int			mask = 0xff << (8 - prefix->bits % 8) & 0xff;

	return memcmp(address, prefix->bytes, (size_t) full) == 0 &&
		(mask == 0 || (address[full] & mask) == (prefix->bytes[full] & mask));
}

static bool
has_any_prefix(const unsigned char *address, const Prefix *prefixes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (has_prefix(address, &prefixes[i]))
			return true;
	return false;
}

/* Allows ::1, although its last four bytes are the refused 0.0.0.1. */
static bool
is_refused_v6(const unsigned char *address)
{
	if (has_prefix(address, &loopback_v6))
		return false;
	for (size_t i = 0; i < LENGTHOF(embeddings); i++)
		if (has_prefix(address, &embeddings[i].prefix) &&
			has_any_prefix(address + embeddings[i].offset, refused_v4,
						   LENGTHOF(refused_v4)))
			return true;
	return has_any_prefix(address, refused_v6, LENGTHOF(refused_v6));
}

bool
dyn_address_allowed(const struct sockaddr *address, DynAddressPolicy policy)
{
	const void *v4 = &((const struct sockaddr_in *) address)->sin_addr;
	const void *v6 = &((const struct sockaddr_in6 *) address)->sin6_addr;

	if (address->sa_family == AF_INET)
		return policy == DYN_ADDRESS_LOCAL ?
			has_any_prefix(v4, local_v4, LENGTHOF(local_v4)) :
			!has_any_prefix(v4, refused_v4, LENGTHOF(refused_v4));
	if (address->sa_family == AF_INET6)
		return policy == DYN_ADDRESS_LOCAL ? has_prefix(v6, &loopback_v6) ||
			has_any_prefix(v6, local_v6, LENGTHOF(local_v6)) :
			!is_refused_v6(v6);
	return false;
}

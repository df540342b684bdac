/* Which addresses may be connected to: first, last, and their neighbors. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "harness.h"

#include "aws/address.h"

#define lengthof(array) (sizeof(array) / sizeof((array)[0]))

typedef union Address
{
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
} Address;

static Address
parse(const char *text)
{
	Address		address;

	memset(&address, 0, sizeof(address));
	if (strchr(text, ':'))
	{
		address.v6.sin6_family = AF_INET6;
		CHECK(inet_pton(AF_INET6, text, &address.v6.sin6_addr) == 1);
	}
	else
	{
		address.v4.sin_family = AF_INET;
		CHECK(inet_pton(AF_INET, text, &address.v4.sin_addr) == 1);
	}
	return address;
}

static void
check(const char *text, DynAddressPolicy policy, bool wanted)
{
	Address		address = parse(text);

	if (!CHECK_EQ_INT(dyn_address_allowed(&address.any, policy), wanted))
		printf("#     %s\n", text);
}

static void
check_all(const char *const *texts, size_t n, DynAddressPolicy policy, bool wanted)
{
	size_t		i;

	for (i = 0; i < n; i++)
		check(texts[i], policy, wanted);
}

/* ---- IPv4, and the IPv6 forms of it ----------------------------------- */

/* A refused range, and what lies before and after it. */
typedef struct Range
{
	const char *before;			/* NULL: the range begins at zero */
	const char *first;
	const char *last;
	const char *after;
} Range;

static const Range refused[] = {
	{NULL, "0.0.0.0", "0.255.255.255", "1.0.0.0"},
	{"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
	{"100.100.100.199", "100.100.100.200", "100.100.100.200",
	"100.100.100.201"},
	{"192.0.0.191", "192.0.0.192", "192.0.0.192", "192.0.0.193"},
	{"168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17"}
};

/* Writes an IPv4 address in one of its forms. */
typedef void (*Form) (const unsigned char *v4, char *text, size_t size);

static void
dotted(const unsigned char *v4, char *text, size_t size)
{
	snprintf(text, size, "%d.%d.%d.%d", v4[0], v4[1], v4[2], v4[3]);
}

static void
mapped(const unsigned char *v4, char *text, size_t size)
{
	snprintf(text, size, "::ffff:%d.%d.%d.%d", v4[0], v4[1], v4[2], v4[3]);
}

static void
compatible(const unsigned char *v4, char *text, size_t size)
{
	snprintf(text, size, "::%d.%d.%d.%d", v4[0], v4[1], v4[2], v4[3]);
}

static void
translated(const unsigned char *v4, char *text, size_t size)
{
	snprintf(text, size, "::ffff:0:%d.%d.%d.%d", v4[0], v4[1], v4[2], v4[3]);
}

static void
nat64(const unsigned char *v4, char *text, size_t size)
{
	snprintf(text, size, "64:ff9b::%d.%d.%d.%d", v4[0], v4[1], v4[2], v4[3]);
}

static void
six_to_four(const unsigned char *v4, char *text, size_t size)
{
	snprintf(text, size, "2002:%02x%02x:%02x%02x::1",
			 v4[0], v4[1], v4[2], v4[3]);
}

static void
six_to_four_end(const unsigned char *v4, char *text, size_t size)
{
	snprintf(text, size, "2002:%02x%02x:%02x%02x:ffff:ffff:ffff:ffff:ffff",
			 v4[0], v4[1], v4[2], v4[3]);
}

static const Form forms[] = {
	dotted, mapped, compatible, translated, nat64, six_to_four,
	six_to_four_end
};

static void
local_nat64(const unsigned char *v4, char *text, size_t size)
{
	snprintf(text, size, "64:ff9b:1::%d.%d.%d.%d", v4[0], v4[1], v4[2], v4[3]);
}

/* As RFC 6052 has it in prefixes of 48 bits. */
static void
local_nat64_short(const unsigned char *v4, char *text, size_t size)
{
	snprintf(text, size, "64:ff9b:1:%02x%02x:%02x:%02x00::",
			 v4[0], v4[1], v4[2], v4[3]);
}

/* The client's address is inverted. */
static void
teredo(const unsigned char *v4, char *text, size_t size)
{
	snprintf(text, size, "2001::4136:e378:8000:63bf:%02x%02x:%02x%02x",
			 v4[0] ^ 0xff, v4[1] ^ 0xff, v4[2] ^ 0xff, v4[3] ^ 0xff);
}

static void
teredo_server(const unsigned char *v4, char *text, size_t size)
{
	snprintf(text, size, "2001:0:%02x%02x:%02x%02x:8000:63bf:3fff:fdd2",
			 v4[0], v4[1], v4[2], v4[3]);
}

/* Forms that are refused for every IPv4 address. */
static const Form refused_forms[] = {
	local_nat64, local_nat64_short, teredo, teredo_server
};

static void
check_form(const char *v4, Form form, bool wanted)
{
	unsigned char bytes[4];
	char		text[INET6_ADDRSTRLEN];

	CHECK(inet_pton(AF_INET, v4, bytes) == 1);
	form(bytes, text, sizeof(text));
	check(text, DYN_ADDRESS_ENDPOINT, wanted);
}

static void
check_forms(const char *v4, bool allowed)
{
	size_t		i;

	for (i = 0; i < lengthof(forms); i++)
		check_form(v4, forms[i], allowed);
	for (i = 0; i < lengthof(refused_forms); i++)
		check_form(v4, refused_forms[i], false);
}

static void
refuses_every_form_of_refused_ranges(void)
{
	size_t		i;

	for (i = 0; i < lengthof(refused); i++)
	{
		check_forms(refused[i].first, false);
		check_forms(refused[i].last, false);
	}
}

static void
allows_every_form_of_their_neighbors(void)
{
	size_t		i;

	for (i = 0; i < lengthof(refused); i++)
	{
		check_forms(refused[i].after, true);
		if (refused[i].before)
			check_forms(refused[i].before, true);
	}
}

static void
allows_every_form_of_others(void)
{
	static const char *const others[] = {
		"1.1.1.1", "10.0.0.1", "127.0.0.1", "127.255.255.255", "172.16.0.1",
		"192.0.0.1", "192.168.1.1", "52.94.0.1", "255.255.255.255"
	};
	size_t		i;

	for (i = 0; i < lengthof(others); i++)
		check_forms(others[i], true);
}

/* ---- IPv6 ------------------------------------------------------------- */

static void
refuses_addresses_of_ipv6(void)
{
	static const char *const texts[] = {
		"::", "::2", "::ff:ffff",
		"fe80::", "fe80::1", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		"fd00:ec2::", "fd00:ec2::254", "fd00:ec2::23", "fd00:ec2::253",
		"fd00:ec2:ffff:ffff:ffff:ffff:ffff:ffff",
		"fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42",
		"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
		"2001::", "2001::1", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"
	};

	check_all(texts, lengthof(texts), DYN_ADDRESS_ENDPOINT, false);
}

static void
allows_other_addresses_of_ipv6(void)
{
	static const char *const texts[] = {
		"::1", "::100:0", "1::", "100::1",
		"fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fec0::",
		"fd00:ec1:ffff:ffff:ffff:ffff:ffff:ffff", "fd00:ec3::", "fd00::1",
		"fd20:ce::253", "fd00:c1::a9fe:a9ff", "fd00:42::43",
		"64:ff9b:0:1:a9fe:a9fe::", "64:ff9b:2::",
		"64:ff9b::1:169.254.169.254", "::1:ffff:169.254.169.254",
		"::1:0:169.254.169.254",
		"2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:1::",
		"2001:db8::1", "2001:4860:4860::8888", "2003:a9fe::1",
		"2600:1f18::1", "2606:4700::1111"
	};

	check_all(texts, lengthof(texts), DYN_ADDRESS_ENDPOINT, true);
}

/* ---- services of this machine ----------------------------------------- */

static void
reaches_local_services(void)
{
	static const char *const texts[] = {
		"169.254.169.254", "169.254.170.2", "169.254.170.23",
		"fd00:ec2::254", "fd00:ec2::23",
		"127.0.0.0", "127.0.0.1", "127.255.255.255", "::1"
	};

	check_all(texts, lengthof(texts), DYN_ADDRESS_LOCAL, true);
}

static void
reaches_nothing_else_as_local(void)
{
	static const char *const texts[] = {
		"0.0.0.0", "10.0.0.1", "52.94.0.1", "126.255.255.255", "128.0.0.0",
		"169.254.0.1", "169.254.169.253", "169.254.169.255", "169.254.170.1",
		"169.254.170.3", "169.254.170.22", "169.254.170.24",
		"100.100.100.200", "192.0.0.192", "168.63.129.16",
		"::", "::2", "fe80::1", "fd00:ec2::", "fd00:ec2::22", "fd00:ec2::24",
		"fd00:ec2::253", "fd00:ec2::255", "fd00:ec2:1::254",
		"fd00:ec2::1:254", "2600::1",
		"::ffff:127.0.0.1", "::127.0.0.1",
		"::ffff:169.254.169.254", "64:ff9b::169.254.169.254",
		"2002:a9fe:a9fe::1"
	};

	check_all(texts, lengthof(texts), DYN_ADDRESS_LOCAL, false);
}

static void
refuses_other_families(void)
{
	struct sockaddr_un local = {0};
	struct sockaddr none = {0};

	local.sun_family = AF_UNIX;
	none.sa_family = AF_UNSPEC;
	CHECK(!dyn_address_allowed((struct sockaddr *) &local, DYN_ADDRESS_ENDPOINT));
	CHECK(!dyn_address_allowed((struct sockaddr *) &local, DYN_ADDRESS_LOCAL));
	CHECK(!dyn_address_allowed(&none, DYN_ADDRESS_ENDPOINT));
	CHECK(!dyn_address_allowed(&none, DYN_ADDRESS_LOCAL));
}

int
main(void)
{
	RUN(refuses_every_form_of_refused_ranges);
	RUN(allows_every_form_of_their_neighbors);
	RUN(allows_every_form_of_others);
	RUN(refuses_addresses_of_ipv6);
	RUN(allows_other_addresses_of_ipv6);
	RUN(reaches_local_services);
	RUN(reaches_nothing_else_as_local);
	RUN(refuses_other_families);
	return DONE("address");
}

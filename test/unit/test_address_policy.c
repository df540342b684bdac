/*
 * test_address_policy.c
 *		Which addresses requests arrive at, in a network of the test's own.
 *
 * A network namespace has the addresses of the services that give a machine
 * its credentials, others that are refused, and some of elsewhere: all on its
 * loopback interface, where a server counts the connections.  Needs root, or a
 * kernel that lets others have namespaces.
 */
#define _GNU_SOURCE				/* unshare */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/ipv6_route.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "harness.h"

#include "aws/client.h"
#include "aws/loop.h"
#include "credentials/source.h"
#include "end_client.h"
#include "waiting.h"

#define lengthof(array) (sizeof(array) / sizeof((array)[0]))

#define HTTP_PORT	80
#define PROXY_PORT	3128

static DynClient *client;
static const char *unavailable; /* why there is no such network */

/* ---- addresses -------------------------------------------------------- */

typedef struct Host
{
	const char *address;		/* as in a URL without brackets */
	bool		endpoint;		/* may be an endpoint */
	bool		local;			/* may give credentials */
} Host;

static const Host hosts[] = {
	{"127.0.0.1", true, true},
	{"127.1.2.3", true, true},
	{"169.254.169.254", false, true},
	{"169.254.170.2", false, true},
	{"169.254.170.23", false, true},
	{"169.254.169.253", false, false},
	{"100.100.100.200", false, false},
	{"192.0.0.192", false, false},
	{"168.63.129.16", false, false},
	{"0.0.0.0", false, false},
	{"10.0.0.1", true, false},
	{"192.0.2.1", true, false},
	{"::1", true, true},
	{"fd00:ec2::254", false, true},
	{"fd00:ec2::23", false, true},
	{"fd00:ec2::253", false, false},
	{"::", false, false},
	{"::ffff:169.254.169.254", false, false},
	{"::ffff:10.0.0.1", true, false},
	{"64:ff9b::a9fe:a9fe", false, false},
	{"64:ff9b:1::a9fe:a9fe", false, false},
	{"2002:a9fe:a9fe::1", false, false},
	{"2001::1", false, false},
	{"fd00::1", true, false},
	{"2600::1", true, false}
};

static bool
is_v6(const char *address)
{
	return strchr(address, ':') != NULL;
}

/* Those that the kernel does not have by itself, or maps to such. */
static bool
must_be_added(const char *address)
{
	return strncmp(address, "127.", 4) != 0 && address[0] != '0' &&
		strncmp(address, "::", 2) != 0;
}

/* ---- the network ------------------------------------------------------ */

typedef struct AddAddress
{
	struct nlmsghdr header;
	struct ifaddrmsg message;
	struct rtattr attribute;
	unsigned char bytes[16];
} AddAddress;

typedef struct Reply
{
	struct nlmsghdr header;
	struct nlmsgerr error;
	char		rest[512];
} Reply;

static bool
add_address(int netlink, const char *address)
{
	AddAddress	add = {0};
	Reply		reply = {0};
	size_t		len = is_v6(address) ? 16 : 4;

	add.header.nlmsg_len = (uint32_t) (offsetof(AddAddress, bytes) + len);
	add.header.nlmsg_type = RTM_NEWADDR;
	add.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE;
	add.message.ifa_family = len == 4 ? AF_INET : AF_INET6;
	add.message.ifa_prefixlen = (unsigned char) (len * 8);
	add.message.ifa_flags = len == 4 ? 0 : IFA_F_NODAD;
	add.message.ifa_index = if_nametoindex("lo");
	add.attribute.rta_type = IFA_LOCAL;
	add.attribute.rta_len = (unsigned short) RTA_LENGTH(len);
	if (inet_pton(add.message.ifa_family, address, add.bytes) != 1 ||
		send(netlink, &add, add.header.nlmsg_len, 0) < 0 ||
		recv(netlink, &reply, sizeof(reply), 0) < 0)
		return false;
	errno = -reply.error.error;
	return reply.error.error == 0;
}

static bool
bring_up(int fd)
{
	struct ifreq request = {0};

	snprintf(request.ifr_name, sizeof(request.ifr_name), "lo");
	request.ifr_flags = IFF_UP | IFF_RUNNING | IFF_LOOPBACK;
	return ioctl(fd, SIOCSIFFLAGS, &request) == 0;
}

/* Is there a route by which the address is this machine's own? */
static bool
has_local_route(const char *address)
{
	FILE	   *file = fopen("/proc/thread-self/net/ipv6_route", "r");
	unsigned char bytes[16];
	char		digits[33];
	char		line[256];
	bool		found = false;
	int			i;

	CHECK(inet_pton(AF_INET6, address, bytes) == 1);
	for (i = 0; i < 16; i++)
		snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
	while (file && !found && fgets(line, sizeof(line), file))
	{
		unsigned	flags = 0;

		found = strncmp(line, digits, 32) == 0 &&
			sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %x", &flags) == 1 &&
			(flags & RTF_LOCAL);
	}
	if (file)
		fclose(file);
	return found;
}

/* The kernel makes the route of a new address a little later. */
static bool
await_route(const char *address)
{
	int			tries = 2000;

	while (!has_local_route(address) && --tries > 0)
		(void) poll(NULL, 0, 5);
	errno = ETIMEDOUT;
	return tries > 0;
}

static bool
have_address(int netlink, const char *address)
{
	return !must_be_added(address) ||
		(add_address(netlink, address) &&
		 (!is_v6(address) || await_route(address)));
}

/* Returns why there is none, or NULL. */
static const char *
make_network(void)
{
	int			fd;
	int			netlink;
	size_t		i;

	if (unshare(CLONE_NEWNET) != 0 &&
		unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
		return "no network namespace can be made here";
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0 || netlink < 0 || !bring_up(fd))
		return "the loopback interface cannot be brought up";
	for (i = 0; i < lengthof(hosts); i++)
		if (!have_address(netlink, hosts[i].address))
		{
			printf("#   %s: %s\n", hosts[i].address, strerror(errno));
			return "an address cannot be added to the loopback interface";
		}
	close(fd);
	close(netlink);
	return NULL;
}

/* ---- the server ------------------------------------------------------- */

/* Shared with the server. */
typedef struct Seen
{
	int			connections[2]; /* to the HTTP port, to that of the proxy */
	int			requests;
	char		address[64];	/* of the latest request */
	char		line[256];		/* its first line */
} Seen;

static Seen *seen;

#define METADATA	"/latest/meta-data/iam/security-credentials/"

static const char keys[] =
	"{\"Code\": \"Success\", \"AccessKeyId\": \"ASIAEXAMPLE\", "
	"\"SecretAccessKey\": \"s\", \"Token\": \"t\", "
	"\"Expiration\": \"2099-01-01T00:00:00Z\"}";

typedef struct Page
{
	const char *begins;			/* the request */
	const char *status;
	const char *text;
} Page;

static const Page pages[] = {
	{"PUT /latest/api/token ", "200 OK", "token"},
	{"GET " METADATA " ", "200 OK", "role"},
	{"GET " METADATA "role ", "200 OK", keys},
	{"GET /v2/credentials ", "200 OK", keys},
	{"GET /redirect ", "302 Found\r\nLocation: http://127.0.0.1/elsewhere",
	"moved"},
	{"", "200 OK", "here"}
};

static void
response(int fd, const char *request)
{
	char		reply[1024];
	const Page *page = pages;
	int			len;

	while (strncmp(request, page->begins, strlen(page->begins)) != 0)
		page++;
	len = snprintf(reply, sizeof(reply),
				   "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n%s",
				   page->status, strlen(page->text), page->text);
	(void) send(fd, reply, (size_t) len, MSG_NOSIGNAL);
}

static void
note_request(int fd, const char *request)
{
	struct sockaddr_in6 address = {0};
	socklen_t	len = sizeof(address);

	getsockname(fd, (struct sockaddr *) &address, &len);
	inet_ntop(AF_INET6, &address.sin6_addr, seen->address,
			  sizeof(seen->address));
	snprintf(seen->line, sizeof(seen->line), "%.*s",
			 (int) strcspn(request, "\r"), request);
	__atomic_add_fetch(&seen->requests, 1, __ATOMIC_SEQ_CST);
}

/* Serves one connection until it is closed: the client might use it again. */
static void
serve_connection(int fd)
{
	char		request[4096];
	size_t		len = 0;
	ssize_t		n;

	while ((n = recv(fd, request + len, sizeof(request) - 1 - len, 0)) > 0)
	{
		len += (size_t) n;
		request[len] = '\0';
		if (strstr(request, "\r\n\r\n") == NULL)
			continue;
		note_request(fd, request);
		response(fd, request);
		len = 0;
	}
}

static void
serve(const int *listeners)
{
	struct pollfd fds[2] = {
		{listeners[0], POLLIN, 0}, {listeners[1], POLLIN, 0}
	};
	int			i;

	signal(SIGCHLD, SIG_IGN);
	while (poll(fds, 2, -1) > 0)
		for (i = 0; i < 2; i++)
		{
			int			fd = fds[i].revents ? accept(fds[i].fd, NULL, NULL) : -1;

			if (fd < 0)
				continue;
			__atomic_add_fetch(&seen->connections[i], 1, __ATOMIC_SEQ_CST);
			if (fork() == 0)
			{
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				serve_connection(fd);
				_exit(0);
			}
			close(fd);
		}
}

/* A socket for all addresses of both families; -1 if there is none. */
static int
listen_on(int port)
{
	struct sockaddr_in6 any = {0};
	int			off = 0;
	int			fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	any.sin6_family = AF_INET6;
	any.sin6_port = htons((uint16_t) port);
	if (fd < 0 ||
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) != 0 ||
		bind(fd, (struct sockaddr *) &any, sizeof(any)) != 0 ||
		listen(fd, 64) != 0)
		return -1;
	return fd;
}

static const char *
start_server(pid_t *server)
{
	int			listeners[2] = {listen_on(HTTP_PORT), listen_on(PROXY_PORT)};

	seen = mmap(NULL, sizeof(Seen), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED || listeners[0] < 0 || listeners[1] < 0)
		return "no server can listen there";
	*server = fork();
	if (*server == 0)
	{
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(listeners);
		_exit(1);
	}
	close(listeners[0]);
	close(listeners[1]);
	return *server < 0 ? "no server can be started" : NULL;
}

/* ---- names ------------------------------------------------------------ */

typedef struct Name
{
	const char *name;
	const char *addresses[2];
} Name;

static const Name names[] = {
	{"allowed.test", {"10.0.0.1", NULL}},
	{"metadata.test", {"169.254.169.254", NULL}},
	{"metadata6.test", {"fd00:ec2::254", NULL}},
	{"mapped.test", {"::ffff:169.254.169.254", NULL}},
	{"both-first.test", {"169.254.169.254", "10.0.0.1"}},
	{"both-last.test", {"10.0.0.1", "169.254.169.254"}},
	{"both6-first.test", {"fd00:ec2::254", "10.0.0.1"}},
	{"both-local.test", {"10.0.0.1", "127.0.0.1"}}
};

typedef struct Found
{
	struct addrinfo info;
	struct sockaddr_in6 address;	/* the larger one */
} Found;

static struct addrinfo *
make_info(const char *address, const char *port, struct addrinfo *next)
{
	Found	   *found = calloc(1, sizeof(*found));
	struct sockaddr_in *v4 = (struct sockaddr_in *) &found->address;
	uint16_t	number = htons((uint16_t) atoi(port ? port : "0"));

	found->info.ai_family = is_v6(address) ? AF_INET6 : AF_INET;
	found->info.ai_socktype = SOCK_STREAM;
	found->info.ai_addr = (struct sockaddr *) &found->address;
	found->info.ai_addrlen = is_v6(address) ? sizeof(found->address) :
		sizeof(*v4);
	found->info.ai_next = next;
	found->address.sin6_family = (sa_family_t) found->info.ai_family;
	found->address.sin6_port = number;
	if (inet_pton(found->info.ai_family, address, is_v6(address) ?
				  (void *) &found->address.sin6_addr :
				  (void *) &v4->sin_addr) == 1)
		return &found->info;
	free(found);
	return NULL;
}

/* In place of the system's: our names, and addresses. */
int
getaddrinfo(const char *node, const char *port,
			const struct addrinfo *hints, struct addrinfo **result)
{
	size_t		i = 0;

	(void) hints;
	while (i < lengthof(names) && strcmp(names[i].name, node) != 0)
		i++;
	*result = NULL;
	if (i == lengthof(names))
		*result = make_info(node, port, NULL);
	else
	{
		if (names[i].addresses[1])
			*result = make_info(names[i].addresses[1], port, NULL);
		*result = make_info(names[i].addresses[0], port, *result);
	}
	return *result ? 0 : EAI_NONAME;
}

void
freeaddrinfo(struct addrinfo *info)
{
	while (info)
	{
		struct addrinfo *next = info->ai_next;

		free(info);
		info = next;
	}
}

/* ---- exchanges -------------------------------------------------------- */

static void
on_done(void *arg)
{
	*(bool *) arg = true;
}

typedef struct Request
{
	DynExchange *exchange;
	bool		done;
} Request;

static void
start(Request *request, const char *url, DynAddressPolicy policy, const char *proxy)
{
	DynExchangeLimits limits = {NULL, proxy, 5000, 10000};

	request->done = false;
	request->exchange = dyn_exchange_create("GET", url, policy);
	dyn_exchange_start(request->exchange, client, &limits, on_done,
					   &request->done);
}

static void
await(Request *request)
{
	int64_t		end = dyn_loop_now_us() + 30 * 1000000;

	while (!request->done && dyn_loop_now_us() < end)
		dyn_client_wait(client, wait_readable, NULL, 1000);
	CHECK(request->done);
}

static DynExchange *
run(const char *url, DynAddressPolicy policy, const char *proxy)
{
	Request		request;

	start(&request, url, policy, proxy);
	await(&request);
	return request.exchange;
}

static int
connections(void)
{
	return __atomic_load_n(&seen->connections[0], __ATOMIC_SEQ_CST);
}

/*
 * The connections that arrived since `before`: the server accepts them in
 * their order, so it has seen them all when another one gets its response.
 */
static int
arrived_since(int before)
{
	DynExchange *marker = run("http://127.0.0.1/marker", DYN_ADDRESS_LOCAL, NULL);

	CHECK_EQ_INT(marker->status, 200);
	dyn_exchange_destroy(marker);
	return connections() - before - 1;
}

static void
url_of(const char *address, const char *path, char *url, size_t size)
{
	snprintf(url, size, is_v6(address) ? "http://[%s]%s" : "http://%s%s",
			 address, path);
}

/* Returns whether it did arrive. */
static bool
check(const char *url, const DynExchange *exchange, bool arrives)
{
	if (!CHECK_EQ_INT(exchange->failure,
					  arrives ? DYN_FAIL_NONE : DYN_FAIL_ADDRESS) ||
		!CHECK_EQ_INT(exchange->status, arrives ? 200 : 0))
		printf("#     %s: %s\n", url, exchange->message);
	return arrives;
}

static void
check_url(const char *url, DynAddressPolicy policy, bool arrives)
{
	int			before = connections();
	DynExchange *exchange = run(url, policy, NULL);

	check(url, exchange, arrives);
	dyn_exchange_destroy(exchange);
	CHECK_EQ_INT(arrived_since(before), arrives);
}

static void
arrives(const char *url, DynAddressPolicy policy)
{
	check_url(url, policy, true);
}

static void
is_refused(const char *url, DynAddressPolicy policy)
{
	check_url(url, policy, false);
}

/* Each host at once: libcurl takes its time to give one up. */
static void
check_hosts(DynAddressPolicy policy)
{
	Request		requests[lengthof(hosts)];
	char		url[128];
	int			before = connections();
	int			wanted = 0;
	size_t		i;

	for (i = 0; i < lengthof(hosts); i++)
	{
		url_of(hosts[i].address, "/", url, sizeof(url));
		start(&requests[i], url, policy, NULL);
	}
	for (i = 0; i < lengthof(hosts); i++)
	{
		await(&requests[i]);
		wanted += check(hosts[i].address, requests[i].exchange,
						policy == DYN_ADDRESS_LOCAL ? hosts[i].local :
						hosts[i].endpoint);
		dyn_exchange_destroy(requests[i].exchange);
	}
	CHECK_EQ_INT(arrived_since(before), wanted);
}

/* ---- tests ------------------------------------------------------------ */

#define NEED_NETWORK() do { if (unavailable) SKIP(unavailable); } while (0)

static void
every_address_is_there(void)
{
	int			before;
	size_t		i;

	NEED_NETWORK();
	before = connections();
	for (i = 0; i < lengthof(hosts); i++)
	{
		struct addrinfo *info = make_info(hosts[i].address, "80", NULL);
		int			fd = socket(info->ai_family, SOCK_STREAM, 0);

		if (!CHECK(connect(fd, info->ai_addr, info->ai_addrlen) == 0))
			printf("#     %s: %s\n", hosts[i].address, strerror(errno));
		close(fd);
		freeaddrinfo(info);
	}
	CHECK_EQ_INT(arrived_since(before), lengthof(hosts));
}

static void
endpoints_reach_all_but_refused_addresses(void)
{
	NEED_NETWORK();
	check_hosts(DYN_ADDRESS_ENDPOINT);
}

static void
local_requests_reach_local_addresses_only(void)
{
	NEED_NETWORK();
	check_hosts(DYN_ADDRESS_LOCAL);
}

static void
names_are_judged_by_their_addresses(void)
{
	NEED_NETWORK();
	arrives("http://allowed.test/", DYN_ADDRESS_ENDPOINT);
	is_refused("http://metadata.test/", DYN_ADDRESS_ENDPOINT);
	is_refused("http://metadata6.test/", DYN_ADDRESS_ENDPOINT);
	is_refused("http://mapped.test/", DYN_ADDRESS_ENDPOINT);
	arrives("http://metadata.test/", DYN_ADDRESS_LOCAL);
	arrives("http://metadata6.test/", DYN_ADDRESS_LOCAL);
	is_refused("http://allowed.test/", DYN_ADDRESS_LOCAL);
	is_refused("http://mapped.test/", DYN_ADDRESS_LOCAL);
}

/* It is either refused, or sent to the other address of the name. */
static void
avoids(const char *url, DynAddressPolicy policy, const char *other)
{
	DynExchange *exchange = run(url, policy, NULL);

	if (exchange->failure == DYN_FAIL_NONE)
		CHECK_EQ_STR(seen->address, other);
	else
		CHECK_EQ_INT(exchange->failure, DYN_FAIL_ADDRESS);
	dyn_exchange_destroy(exchange);
}

static void
names_with_a_refused_address_do_not_reach_it(void)
{
	NEED_NETWORK();
	is_refused("http://both-first.test/", DYN_ADDRESS_ENDPOINT);
	avoids("http://both-last.test/", DYN_ADDRESS_ENDPOINT, "::ffff:10.0.0.1");
	is_refused("http://both6-first.test/", DYN_ADDRESS_ENDPOINT);
	is_refused("http://both-local.test/", DYN_ADDRESS_LOCAL);
}

/* The form of an address does not matter. */
static void
other_forms_are_the_same_addresses(void)
{
	static const char *const forms[] = {
		"http://2852039166/", "http://0xa9fea9fe/", "http://169.254.43518/",
		"http://0251.0376.0251.0376/", "http://169.254.169.254.:80/",
		"http://[0:0:0:0:0:ffff:a9fe:a9fe]/", "http://user@169.254.169.254/"
	};
	size_t		i;

	NEED_NETWORK();
	for (i = 0; i < lengthof(forms); i++)
	{
		int			before = connections();
		DynExchange *exchange = run(forms[i], DYN_ADDRESS_ENDPOINT, NULL);

		if (!CHECK(exchange->failure != DYN_FAIL_NONE))
			printf("#     %s\n", forms[i]);
		dyn_exchange_destroy(exchange);
		CHECK_EQ_INT(arrived_since(before), 0);
	}
}

/* A connection that local requests opened serves no endpoint. */
static void
connections_are_not_shared(void)
{
	int			before;
	DynExchange *exchange;

	NEED_NETWORK();
	arrives("http://169.254.169.254/", DYN_ADDRESS_LOCAL);
	is_refused("http://169.254.169.254/", DYN_ADDRESS_ENDPOINT);
	arrives("http://10.0.0.1/", DYN_ADDRESS_ENDPOINT);
	is_refused("http://10.0.0.1/", DYN_ADDRESS_LOCAL);
	before = seen->requests;
	exchange = run("http://169.254.169.254/", DYN_ADDRESS_ENDPOINT, NULL);
	dyn_exchange_destroy(exchange);
	CHECK_EQ_INT(seen->requests, before);
}

static void
proxies_are_not_used_for_local_requests(void)
{
	static const char *const variables[] = {
		"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"
	};
	size_t		i;
	int			before;
	DynExchange *exchange;

	NEED_NETWORK();
	before = seen->connections[1];
	for (i = 0; i < lengthof(variables); i++)
		setenv(variables[i], "http://127.0.0.1:3128", 1);
	arrives("http://169.254.169.254/", DYN_ADDRESS_LOCAL);
	arrives("http://127.0.0.1/", DYN_ADDRESS_LOCAL);
	arrives("http://10.0.0.1/", DYN_ADDRESS_ENDPOINT);
	is_refused("http://169.254.169.254/", DYN_ADDRESS_ENDPOINT);
	for (i = 0; i < lengthof(variables); i++)
		unsetenv(variables[i]);

	/* a requested one is counted there, and is checked as well */
	CHECK_EQ_INT(seen->connections[1], before);
	exchange = run("http://10.0.0.1/", DYN_ADDRESS_ENDPOINT,
				   "http://10.0.0.1:3128");
	CHECK_EQ_INT(exchange->status, 200);
	dyn_exchange_destroy(exchange);
	CHECK_EQ_INT(seen->connections[1], before + 1);
	exchange = run("http://10.0.0.1/", DYN_ADDRESS_ENDPOINT,
				   "http://169.254.169.254:3128");
	CHECK_EQ_INT(exchange->failure, DYN_FAIL_ADDRESS);
	dyn_exchange_destroy(exchange);
	exchange = run("http://127.0.0.1:3128/", DYN_ADDRESS_LOCAL, NULL);
	dyn_exchange_destroy(exchange);
	CHECK_EQ_INT(seen->connections[1], before + 2);
}

static void
redirects_are_not_followed(void)
{
	static const char *const urls[] = {
		"http://169.254.169.254/redirect", "http://127.0.0.1/redirect"
	};
	size_t		i;

	NEED_NETWORK();
	for (i = 0; i < lengthof(urls); i++)
	{
		int			before = seen->requests;
		DynExchange *exchange = run(urls[i], DYN_ADDRESS_LOCAL, NULL);

		CHECK_EQ_INT(exchange->failure, DYN_FAIL_NONE);
		CHECK_EQ_INT(exchange->status, 302);
		CHECK_EQ_INT(seen->requests, before + 1);
		CHECK_EQ_STR(seen->line, "GET /redirect HTTP/1.1");
		dyn_exchange_destroy(exchange);
	}
}

/* ---- sources ---------------------------------------------------------- */

static void
obtains_from(DynSourceKind kind, const char *variable, const char *value,
			 const char *address)
{
	DynProvider provider = {0};
	DynSourceOptions spec = {0};
	DynReadiness readiness;
	int64_t		end = dyn_loop_now_us() + 30 * 1000000;

	spec.kind = kind;
	spec.region = strdup("eu-west-1");
	spec.connect_timeout_ms = 5000;
	spec.request_timeout_ms = 5000;
	setenv(variable, value, 1);
	CHECK(dyn_source_open(&provider, &spec));
	while ((readiness = dyn_provider_request(&provider, client)) ==
		   DYN_CREDENTIALS_AWAITED && dyn_loop_now_us() < end)
		dyn_client_wait(client, wait_readable, NULL, 1000);
	unsetenv(variable);
	if (CHECK_EQ_INT(readiness, DYN_CREDENTIALS_READY))
		CHECK_EQ_STR(provider.current.access_key_id, "ASIAEXAMPLE");
	else
		printf("#     %s\n", dyn_provider_error(&provider)->message);
	CHECK_EQ_STR(seen->address, address);
	dyn_provider_clear(&provider);
}

static void
sources_request_the_true_addresses(void)
{
	NEED_NETWORK();
	setenv("http_proxy", "http://127.0.0.1:3128", 1);
	unsetenv("AWS_EC2_METADATA_DISABLED");
	unsetenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
	obtains_from(DYN_SOURCE_INSTANCE, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
				 "IPv4", "::ffff:169.254.169.254");
	obtains_from(DYN_SOURCE_INSTANCE, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
				 "IPv6", "fd00:ec2::254");
	obtains_from(DYN_SOURCE_CONTAINER, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
				 "/v2/credentials", "::ffff:169.254.170.2");
	obtains_from(DYN_SOURCE_CONTAINER, "AWS_CONTAINER_CREDENTIALS_FULL_URI",
				 "http://169.254.170.23/v2/credentials",
				 "::ffff:169.254.170.23");
	obtains_from(DYN_SOURCE_CONTAINER, "AWS_CONTAINER_CREDENTIALS_FULL_URI",
				 "http://[fd00:ec2::23]/v2/credentials", "fd00:ec2::23");
	unsetenv("http_proxy");
}

int
main(void)
{
	pid_t		server = 0;

	unavailable = make_network();
	if (unavailable == NULL)
		unavailable = start_server(&server);
	client = dyn_client_create(NULL);
	RUN(every_address_is_there);
	RUN(endpoints_reach_all_but_refused_addresses);
	RUN(local_requests_reach_local_addresses_only);
	RUN(names_are_judged_by_their_addresses);
	RUN(names_with_a_refused_address_do_not_reach_it);
	RUN(other_forms_are_the_same_addresses);
	RUN(connections_are_not_shared);
	RUN(proxies_are_not_used_for_local_requests);
	RUN(redirects_are_not_followed);
	RUN(sources_request_the_true_addresses);
	end_client(client);
	if (server > 0)
		kill(server, SIGKILL);
	return DONE("reach");
}

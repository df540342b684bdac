/*
 * test_growth.c
 *		When a request waits for a connection, and when it makes one.
 */
#include "harness.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "aws/client.h"
#include "aws/client_private.h"

#define RTT_US		10000
#define ALLOWED_US	(RTT_US + RTT_US / 2 + 1000)
#define FIRST_US	200000

static uint64_t
peer_of(const char *url, const char *proxy, const char *ca_bundle)
{
	DynService	service = {.url = url, .proxy = proxy, .ca_bundle = ca_bundle};

	return dyn_connections_peer(&service);
}

static void
knows_peers(void)
{
	uint64_t	plain = peer_of("https://a/", NULL, NULL);

	CHECK_EQ_INT(peer_of("http://a/", NULL, NULL), 0);
	CHECK_EQ_INT(peer_of("http://a/", "http://p/", "/ca"), 0);
	CHECK(plain != 0);
	CHECK(peer_of("https://a/", NULL, NULL) == plain);
	CHECK(peer_of("https://b/", NULL, NULL) != plain);
	CHECK(peer_of("https://a/", NULL, "/ca") != plain);
	CHECK(peer_of("https://a/", "x", NULL) != peer_of("https://a/", NULL, "x"));
	CHECK(peer_of("http://a/", "https://p/", NULL) != 0);
}

/* A connection to peer 1 that has replied, and is in use again if so. */
static int
connect_to_peer(DynConnections *connections, bool busy)
{
	int			fd = dyn_sockets_open(&connections->sockets, AF_INET,
									  SOCK_STREAM, 0, 1);

	(void) dyn_sockets_watch(&connections->sockets, fd, EPOLLIN, NULL);
	(void) dyn_sockets_unwatch(&connections->sockets, fd);
	dyn_sockets_got_response(&connections->sockets, fd, RTT_US);
	if (busy)
		(void) dyn_sockets_watch(&connections->sockets, fd, EPOLLIN, NULL);
	return fd;
}

static int
patience(const DynConnections *connections, int waiting, bool connecting)
{
	return (int) dyn_connections_wait_us(connections, 1, waiting,
											 connecting);
}

static void
waits_for_the_first(void)
{
	DynConnections connections = {0};

	CHECK_EQ_INT(patience(&connections, 0, false), 0);
	CHECK_EQ_INT(patience(&connections, 5, true), FIRST_US);
	free(connections.sockets.list);
}

static void
waits_for_one_in_use(void)
{
	DynConnections connections = {0};
	int			first = connect_to_peer(&connections, true);
	int			second;

	CHECK_EQ_INT(patience(&connections, 0, true), ALLOWED_US);
	CHECK_EQ_INT(patience(&connections, 1, true), 0);
	second = connect_to_peer(&connections, true);
	CHECK_EQ_INT(patience(&connections, 1, false), ALLOWED_US);
	CHECK_EQ_INT(patience(&connections, 2, false), 0);
	(void) dyn_sockets_unwatch(&connections.sockets, first);
	dyn_sockets_got_response(&connections.sockets, first, -1);
	CHECK_EQ_INT(patience(&connections, 0, false), 0);
	/* those to others do not count */
	CHECK_EQ_INT((int) dyn_connections_wait_us(&connections, 2, 0, false),
				 0);
	dyn_sockets_close(&connections.sockets, first);
	dyn_sockets_close(&connections.sockets, second);
	CHECK_EQ_INT(patience(&connections, 0, false), 0);
	free(connections.sockets.list);
}

/* What requests have waited in vain counts, until one is made for it. */
static void
adds_up_what_was_waited(void)
{
	DynConnections connections = {0};
	int			fd = connect_to_peer(&connections, true);

	connections.waited_us = 6000;
	CHECK_EQ_INT(patience(&connections, 0, false), ALLOWED_US - 6000);
	connections.waited_us = ALLOWED_US;
	CHECK_EQ_INT(patience(&connections, 0, false), 0);
	dyn_connections_waited(&connections, 1, 500);
	CHECK_EQ_INT(connections.waited_us, 500);
	/* it waited, and then took an idle one */
	(void) dyn_sockets_unwatch(&connections.sockets, fd);
	dyn_sockets_got_response(&connections.sockets, fd, -1);
	dyn_connections_waited(&connections, 1, 500);
	CHECK_EQ_INT(connections.waited_us, 1000);
	dyn_sockets_close(&connections.sockets, fd);
	free(connections.sockets.list);
}

int
main(void)
{
	RUN(knows_peers);
	RUN(waits_for_the_first);
	RUN(waits_for_one_in_use);
	RUN(adds_up_what_was_waited);
	return DONE("growth");
}

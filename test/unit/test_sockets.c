/*
 * test_sockets.c
 *		Which descriptor stands for which connection, and which connections end.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aws/sockets.h"

#define MANY	40

static ino_t
inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/* libcurl may close a descriptor directly, and the next socket gets it. */
static void
distinguishes_a_descriptor_from_an_earlier_one(void)
{
	DynSockets	sockets = {0};
	int			first = dyn_sockets_open(&sockets, AF_INET, SOCK_STREAM, 0, 0);
	int			lost = dyn_sockets_open(&sockets, AF_INET, SOCK_STREAM, 0, 0);
	int			again;

	close(lost);
	again = dyn_sockets_open(&sockets, AF_INET, SOCK_STREAM, 0, 0);
	CHECK_EQ_INT(again, lost);
	CHECK(dyn_sockets_find(&sockets, again).inode == inode_of(again));
	dyn_sockets_close(&sockets, first);
	CHECK(dyn_sockets_find(&sockets, again).inode == inode_of(again));
	CHECK_EQ_INT(dyn_sockets_count(&sockets), 1);
	dyn_sockets_close(&sockets, again);
	CHECK_EQ_INT(dyn_sockets_count(&sockets), 0);
	CHECK_EQ_INT(dyn_sockets_find(&sockets, again).fd, -1);
	free(sockets.list);
}

static int
listen_somewhere(struct sockaddr_in *address)
{
	socklen_t	len = sizeof(*address);
	int			fd = socket(AF_INET, SOCK_STREAM, 0);

	memset(address, 0, sizeof(*address));
	address->sin_family = AF_INET;
	address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(bind(fd, (struct sockaddr *) address, len) == 0);
	CHECK(listen(fd, MANY) == 0);
	CHECK(getsockname(fd, (struct sockaddr *) address, &len) == 0);
	return fd;
}

/* However many there are, and none on which nothing came. */
static void
ends_idle_connections_on_which_something_came(void)
{
	DynSockets	sockets = {0};
	struct sockaddr_in address;
	int			listener = listen_somewhere(&address);
	int			ours[MANY];
	int			theirs[MANY];
	char		byte;
	int			i;

	for (i = 0; i < MANY; i++)
	{
		ours[i] = dyn_sockets_open(&sockets, AF_INET, SOCK_STREAM, 0, 0);
		CHECK(connect(ours[i], (struct sockaddr *) &address,
					  sizeof(address)) == 0);
		theirs[i] = accept(listener, NULL, NULL);
		dyn_sockets_got_response(&sockets, ours[i], 0);
	}
	for (i = 1; i < MANY; i++)
		CHECK(send(theirs[i], "x", 1, 0) == 1);
	dyn_sockets_distrust_readable(&sockets);
	for (i = 0; i < MANY; i++)
	{
		CHECK_EQ_INT(recv(ours[i], &byte, 1, MSG_DONTWAIT), i == 0 ? -1 : 0);
		dyn_sockets_close(&sockets, ours[i]);
		close(theirs[i]);
	}
	close(listener);
	free(sockets.list);
}

/*
 * epoll goes on to watch a connection that has replied, between two transfers;
 * what it reports then is nothing that libcurl waits for.
 */
static void
is_watched_between_transfers(void)
{
	DynSockets	sockets = {0};
	struct sockaddr_in address;
	int			listener = listen_somewhere(&address);
	int			ours = dyn_sockets_open(&sockets, AF_INET, SOCK_STREAM, 0, 0);
	int			theirs;
	char		byte;
	uint32_t	events = 0;

	CHECK(connect(ours, (struct sockaddr *) &address, sizeof(address)) == 0);
	theirs = accept(listener, NULL, NULL);
	CHECK(!dyn_sockets_watch(&sockets, ours, EPOLLIN, NULL));
	CHECK(!dyn_sockets_handle_event(&sockets, ours));
	/* one that has not replied may be closed without notice to us */
	CHECK(!dyn_sockets_unwatch(&sockets, ours));
	CHECK(!dyn_sockets_watch(&sockets, ours, EPOLLIN, NULL));
	dyn_sockets_got_response(&sockets, ours, 0);
	CHECK(dyn_sockets_unwatch(&sockets, ours));
	CHECK(dyn_sockets_watch(&sockets, ours, EPOLLIN, NULL));
	CHECK(!dyn_sockets_watch(&sockets, ours, EPOLLOUT, NULL));
	CHECK(dyn_sockets_unwatch(&sockets, ours));
	dyn_sockets_got_response(&sockets, ours, 0);
	CHECK(send(theirs, "x", 1, 0) == 1);
	CHECK(dyn_sockets_handle_event(&sockets, ours));
	CHECK_EQ_INT(recv(ours, &byte, 1, MSG_DONTWAIT), 0);
	CHECK(!dyn_sockets_handle_event(&sockets, ours));
	CHECK(!dyn_sockets_watch(&sockets, ours, EPOLLOUT, NULL));
	CHECK(!dyn_sockets_handle_event(&sockets, -1));
	/* a transfer that is paused */
	CHECK_EQ_INT(dyn_sockets_park(&sockets, &theirs), -1);
	CHECK(!dyn_sockets_watch(&sockets, ours, EPOLLIN, &theirs));
	CHECK_EQ_INT(dyn_sockets_unpark(&sockets, &theirs, &events), -1);
	CHECK_EQ_INT(dyn_sockets_park(&sockets, &theirs), ours);
	CHECK_EQ_INT(dyn_sockets_park(&sockets, &theirs), -1);
	CHECK_EQ_INT(dyn_sockets_unpark(&sockets, &theirs, &events), ours);
	CHECK_EQ_INT(events, EPOLLIN);
	CHECK(dyn_sockets_watch(&sockets, ours, EPOLLIN, &theirs));
	CHECK_EQ_INT(dyn_sockets_park(&sockets, &theirs), ours);
	(void) dyn_sockets_unwatch(&sockets, ours);
	CHECK_EQ_INT(dyn_sockets_unpark(&sockets, &theirs, &events), -1);
	CHECK(!dyn_sockets_watch(&sockets, ours, EPOLLIN, &theirs));
	dyn_sockets_close(&sockets, ours);
	close(theirs);
	close(listener);
	free(sockets.list);
}

/* Another transfer reads what has arrived for it, from its beginning. */
static void
drains_nothing_of_another_transfer(void)
{
	int			reused;

	for (reused = 0; reused < 3; reused++)
	{
		DynSockets	sockets = {0};
		struct sockaddr_in address;
		int			listener = listen_somewhere(&address);
		int			ours = dyn_sockets_open(&sockets, AF_INET, SOCK_STREAM,
											0, 0);
		int			theirs;
		DynSocket	ended;
		char		bytes[16];

		CHECK(connect(ours, (struct sockaddr *) &address,
					  sizeof(address)) == 0);
		theirs = accept(listener, NULL, NULL);
		(void) dyn_sockets_watch(&sockets, ours, EPOLLIN, NULL);
		if (reused < 2)
			(void) dyn_sockets_unwatch(&sockets, ours);
		dyn_sockets_got_response(&sockets, ours, 0);
		ended = dyn_sockets_find(&sockets, ours);
		/* libcurl may stop watching only after it has reported the end */
		if (reused == 2)
			(void) dyn_sockets_unwatch(&sockets, ours);
		if (reused)
			(void) dyn_sockets_watch(&sockets, ours, EPOLLIN, NULL);
		CHECK(send(theirs, "HTTP", 4, 0) == 4);
		dyn_sockets_distrust(&sockets, &ended);
		if (reused)
			CHECK_EQ_INT(recv(ours, bytes, sizeof(bytes), MSG_DONTWAIT), 4);
		CHECK_EQ_INT(recv(ours, bytes, sizeof(bytes), MSG_DONTWAIT), 0);
		dyn_sockets_close(&sockets, ours);
		close(theirs);
		close(listener);
		free(sockets.list);
	}
}

/* However many there are; not what has only sent something. */
static void
sees_which_the_peer_has_closed(void)
{
	DynSockets	sockets = {0};
	struct sockaddr_in address;
	int			listener = listen_somewhere(&address);
	int			ours[MANY];
	int			theirs[MANY];
	int			i;

	CHECK(!dyn_sockets_any_closed_by_peer(&sockets));
	for (i = 0; i < MANY; i++)
	{
		ours[i] = dyn_sockets_open(&sockets, AF_INET, SOCK_STREAM, 0, 0);
		CHECK(connect(ours[i], (struct sockaddr *) &address,
					  sizeof(address)) == 0);
		theirs[i] = accept(listener, NULL, NULL);
		CHECK(send(theirs[i], "x", 1, 0) == 1);
	}
	CHECK(!dyn_sockets_any_closed_by_peer(&sockets));
	/* closed by us, as libcurl does sometimes without a call of ours */
	close(ours[0]);
	CHECK(!dyn_sockets_any_closed_by_peer(&sockets));
	close(theirs[MANY - 1]);
	CHECK(dyn_sockets_any_closed_by_peer(&sockets));
	for (i = 1; i < MANY; i++)
	{
		dyn_sockets_close(&sockets, ours[i]);
		if (i < MANY - 1)
			close(theirs[i]);
	}
	close(theirs[0]);
	close(listener);
	free(sockets.list);
}

int
main(void)
{
	RUN(distinguishes_a_descriptor_from_an_earlier_one);
	RUN(ends_idle_connections_on_which_something_came);
	RUN(is_watched_between_transfers);
	RUN(drains_nothing_of_another_transfer);
	RUN(sees_which_the_peer_has_closed);
	return DONE("sockets");
}

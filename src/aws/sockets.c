/*
 * sockets.c
 *		Tracks the sockets of libcurl's connections, and which may be reused.
 *
 * libcurl opens its sockets through callbacks and should close them so, but
 * some versions (7.88 among them) close one directly if a transfer is
 * cancelled before it is connected.  So an entry also records the inode of its
 * socket; an entry whose descriptor is closed, or refers to another file now,
 * is stale: it is not counted, and is removed when room is needed.
 *
 * HTTP/1.1 matches replies to requests by their order only.  A connection with
 * a surplus reply would therefore give every later request the reply to the
 * one before.  So when data arrives on an idle connection, we shut the
 * connection down; identities.c detects surplus replies on busy ones.  We do
 * not close it, as the descriptor belongs to libcurl, which checks that a
 * connection is alive before it reuses it.
 *
 * A connection that has replied stays in the set of epoll between transfers.
 *
 * Layer: aws.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* POLLRDHUP */
#endif

#include "sockets.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_open(const DynSocket *entry)
{
	struct stat st;

	return fstat(entry->fd, &st) == 0 && S_ISSOCK(st.st_mode) &&
		st.st_ino == entry->inode;
}

/* The descriptor is new, so that no entry which has it stands for an open one. */
static void
drop_stale(DynSockets *sockets, int fd)
{
	size_t		kept = 0;
	size_t		i;

	for (i = 0; i < sockets->n; i++)
		if (sockets->list[i].fd != fd)
			sockets->list[kept++] = sockets->list[i];
	sockets->n = kept;
}

static void
drop_closed(DynSockets *sockets)
{
	size_t		kept = 0;
	size_t		i;

	for (i = 0; i < sockets->n; i++)
		if (is_open(&sockets->list[i]))
			sockets->list[kept++] = sockets->list[i];
	sockets->n = kept;
}

static bool
make_room(DynSockets *sockets)
{
	size_t		cap = sockets->cap ? sockets->cap * 2 : 16;
	DynSocket  *list;

	if (sockets->n == sockets->cap)
		drop_closed(sockets);
	if (sockets->n < sockets->cap)
		return true;
	list = realloc(sockets->list, cap * sizeof(list[0]));
	if (list == NULL)
		return false;
	sockets->list = list;
	sockets->cap = cap;
	return true;
}

int
dyn_sockets_open(DynSockets *sockets, int family, int type, int protocol,
				 uint64_t peer)
{
	struct stat st;
	int			fd;

	if (!make_room(sockets))
		return -1;
	fd = socket(family, type | SOCK_CLOEXEC, protocol);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) != 0)
	{
		close(fd);
		return -1;
	}
	drop_stale(sockets, fd);
	sockets->list[sockets->n++] = (DynSocket) {.fd = fd, .inode = st.st_ino,
		.peer = peer};
	sockets->opened++;
	return fd;
}

int
dyn_sockets_close(DynSockets *sockets, int fd)
{
	size_t		i;

	for (i = 0; i < sockets->n; i++)
		if (sockets->list[i].fd == fd)
		{
			sockets->list[i] = sockets->list[--sockets->n];
			break;
		}
	return close(fd);
}

/* ---- whether they may be reused ------------------------------------- */

/* NULL if not found. */
static DynSocket *
find(const DynSockets *sockets, int fd)
{
	size_t		i;

	for (i = 0; i < sockets->n; i++)
		if (sockets->list[i].fd == fd)
			return &sockets->list[i];
	return NULL;
}

bool
dyn_sockets_watch(DynSockets *sockets, int fd, uint32_t events,
				  const void *transfer)
{
	DynSocket  *entry = find(sockets, fd);
	bool		known;

	if (entry == NULL)
		return false;
	known = entry->events == events;
	entry->events = events;
	entry->parked = 0;
	entry->transfer = transfer;
	entry->watched = true;
	entry->uses += entry->idle;
	entry->idle = false;
	return known;
}

/* The entry of a connection that has replied is never stale. */
bool
dyn_sockets_unwatch(DynSockets *sockets, int fd)
{
	DynSocket  *entry = find(sockets, fd);

	if (entry == NULL)
		return false;
	entry->watched = false;
	entry->parked = 0;
	if (!entry->proved)
		entry->events = 0;
	return entry->proved;
}

static DynSocket *
find_watched_by(const DynSockets *sockets, const void *transfer)
{
	size_t		i;

	for (i = 0; i < sockets->n; i++)
		if (sockets->list[i].watched && sockets->list[i].transfer == transfer)
			return &sockets->list[i];
	return NULL;
}

int
dyn_sockets_park(DynSockets *sockets, const void *transfer)
{
	DynSocket  *entry = find_watched_by(sockets, transfer);

	if (entry == NULL || entry->events == 0)
		return -1;
	entry->parked = entry->events;
	entry->events = 0;
	return entry->fd;
}

int
dyn_sockets_unpark(DynSockets *sockets, const void *transfer, uint32_t *events)
{
	DynSocket  *entry = find_watched_by(sockets, transfer);

	if (entry == NULL || entry->parked == 0)
		return -1;
	*events = entry->events = entry->parked;
	entry->parked = 0;
	return entry->fd;
}

void
dyn_sockets_answered(DynSockets *sockets, int fd, int64_t rtt_us)
{
	DynSocket  *entry = find(sockets, fd);

	if (entry == NULL)
		return;
	entry->idle = !entry->watched;
	entry->proved = true;
	if (rtt_us >= 0)
		entry->rtt_us = rtt_us;
}

DynPeerSockets
dyn_sockets_to(const DynSockets *sockets, uint64_t peer)
{
	DynPeerSockets found = {0, 0, 0};
	size_t		i;

	for (i = 0; i < sockets->n; i++)
	{
		const DynSocket *entry = &sockets->list[i];

		if (entry->peer != peer || !entry->proved)
			continue;
		if (found.idle + found.busy == 0 || entry->rtt_us < found.rtt_us)
			found.rtt_us = entry->rtt_us;
		found.idle += entry->idle;
		found.busy += !entry->idle;
	}
	return found;
}

DynSocket
dyn_sockets_find(const DynSockets *sockets, int fd)
{
	static const DynSocket none = {.fd = -1};
	const DynSocket *entry = find(sockets, fd);

	return entry != NULL ? *entry : none;
}

/* Drains the data that has arrived: a later check for data must not find it. */
static void
drain(int fd)
{
	char		rest[4096];
	int			reads = 0;

	while (reads++ < 64 && recv(fd, rest, sizeof(rest), MSG_DONTWAIT) > 0)
		continue;
}

void
dyn_sockets_distrust(const DynSockets *sockets, const DynSocket *socket)
{
	const DynSocket *entry = find(sockets, socket->fd);

	if (entry == NULL || entry->inode != socket->inode || !is_open(entry))
		return;
	(void) shutdown(entry->fd, SHUT_RDWR);
	if (entry->uses == socket->uses)
		drain(entry->fd);
}

static void
distrust_idle(DynSockets *sockets, DynSocket *entry)
{
	dyn_sockets_distrust(sockets, entry);
	entry->idle = false;
}

bool
dyn_sockets_stirred(DynSockets *sockets, int fd)
{
	DynSocket  *entry = find(sockets, fd);

	if (entry == NULL || entry->watched || entry->events == 0)
		return false;
	entry->events = 0;
	if (entry->idle)
		distrust_idle(sockets, entry);
	return true;
}

/* Connections checked with one poll. */
#define POLLED	32

static void
distrust_stirred_of(DynSockets *sockets, struct pollfd *polled, nfds_t n)
{
	nfds_t		i;

	if (n == 0 || poll(polled, n, 0) <= 0)
		return;
	for (i = 0; i < n; i++)
	{
		if (polled[i].revents != 0)
			distrust_idle(sockets, find(sockets, polled[i].fd));
	}
}

void
dyn_sockets_distrust_stirred(DynSockets *sockets)
{
	struct pollfd polled[POLLED];
	nfds_t		n = 0;
	size_t		i;

	for (i = 0; i < sockets->n; i++)
	{
		if (!sockets->list[i].idle)
			continue;
		polled[n++] = (struct pollfd) {sockets->list[i].fd, POLLIN, 0};
		if (n == POLLED)
		{
			distrust_stirred_of(sockets, polled, n);
			n = 0;
		}
	}
	distrust_stirred_of(sockets, polled, n);
}

size_t
dyn_sockets_count(const DynSockets *sockets)
{
	size_t		count = 0;
	size_t		i;

	for (i = 0; i < sockets->n; i++)
		count += is_open(&sockets->list[i]);
	return count;
}

/*
 * There may be unread data that the peer sent before it closed.  Only what poll
 * reports is examined, as an entry may be stale.
 */
static bool
any_of_closed_by_peer(const DynSockets *sockets, struct pollfd *polled, nfds_t n)
{
	nfds_t		i;

	if (poll(polled, n, 0) <= 0)
		return false;
	for (i = 0; i < n; i++)
	{
		const DynSocket *entry = find(sockets, polled[i].fd);

		if (polled[i].revents != 0 && is_open(entry))
			return true;
	}
	return false;
}

bool
dyn_sockets_any_closed_by_peer(const DynSockets *sockets)
{
	struct pollfd polled[POLLED];
	size_t		i = 0;

	while (i < sockets->n)
	{
		nfds_t		n = 0;

		for (; i < sockets->n && n < POLLED; i++)
			polled[n++] = (struct pollfd) {sockets->list[i].fd, POLLRDHUP, 0};
		if (any_of_closed_by_peer(sockets, polled, n))
			return true;
	}
	return false;
}

/*
 * sockets.c
 *		Tracks libcurl's sockets, and decides which may be reused.
 *
 * libcurl should close its sockets through a callback.  But some versions
 * (7.88 among them) close a socket directly if its transfer is canceled before
 * the socket is connected.  So the entry of each socket (DynSocket) also
 * records the socket's inode.  An entry whose descriptor is closed, or now
 * refers to another file, is stale, and is removed when space is needed.
 *
 * HTTP/1.1 matches replies to requests by their order only.  So after a
 * surplus reply (one without a request), each later request on the connection
 * would get the reply to the previous one.  We therefore shut an idle
 * connection down when data arrives on it.  We do not close the descriptor,
 * because libcurl owns it, and closes it when it finds the connection ended.
 *
 * A surplus reply may also arrive while another reply is expected.  Normally,
 * no two replies have the same request id, so a reply that has the id and the
 * body of an earlier reply of the connection is a repetition of it.  But some
 * emulators of DynamoDB, and some gateways, always send the same id.  They are
 * recognized by the first reply of a connection, which cannot be a repetition:
 * if its id was already received on another connection, this id is ignored
 * from then on.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* POLLRDHUP */
#endif

#include "sockets.h"

#include <assert.h>
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

/* If the array is full, drops stale entries, or enlarges the array. */
static bool
make_space(DynSockets *sockets)
{
	size_t		cap = sockets->cap ? sockets->cap * 2 : 16;
	size_t		cached = 0;
	DynSocket  *list;

	if (sockets->n < sockets->cap)
		return true;
	for (size_t i = 0; i < sockets->n; i++)
		if (is_open(&sockets->list[i]))
			sockets->list[cached++] = sockets->list[i];
	sockets->n = cached;
	if (sockets->n < sockets->cap)
		return true;
	list = realloc(sockets->list, cap * sizeof(list[0]));
	if (list == NULL)
		return false;
	sockets->list = list;
	sockets->cap = cap;
	return true;
}

static DynSocket *
find(const DynSockets *sockets, int fd)
{
	for (size_t i = 0; i < sockets->n; i++)
		if (sockets->list[i].fd == fd)
			return &sockets->list[i];
	return NULL;
}

static void
drop(DynSockets *sockets, int fd)
{
	DynSocket  *entry = find(sockets, fd);

	if (entry != NULL)
		*entry = sockets->list[--sockets->n];
}

int
dyn_sockets_open(DynSockets *sockets, int family, int type, int protocol,
				 uint64_t peer)
{
	struct stat st;
	int			fd;

	if (!make_space(sockets))
		return -1;
	fd = socket(family, type | SOCK_CLOEXEC, protocol);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) != 0)
	{
		close(fd);
		return -1;
	}
	/* the descriptor is new, so an entry that has it is stale */
	drop(sockets, fd);
	sockets->list[sockets->n++] = (DynSocket) {.fd = fd, .inode = st.st_ino,
		.peer = peer};
	sockets->opened++;
	return fd;
}

int
dyn_sockets_close(void *sockets, int fd)
{
	drop(sockets, fd);
	return close(fd);
}

/* ---- reuse of connections -------------------------------------------- */

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
	entry->uses += !entry->registered;
	entry->registered = true;
	entry->idle = false;
	return known;
}

/*
 * Returns false if the peer has not replied, because libcurl may then close
 * the socket without a callback.
 */
bool
dyn_sockets_unwatch(DynSockets *sockets, int fd)
{
	DynSocket  *entry = find(sockets, fd);

	if (entry == NULL)
		return false;
	entry->registered = false;
	entry->parked = 0;
	if (!entry->has_replied)
		entry->events = 0;
	return entry->has_replied;
}

static DynSocket *
find_registered_by(const DynSockets *sockets, const void *transfer)
{
	for (size_t i = 0; i < sockets->n; i++)
		if (sockets->list[i].registered && sockets->list[i].transfer == transfer)
			return &sockets->list[i];
	return NULL;
}

int
dyn_sockets_park(DynSockets *sockets, const void *transfer)
{
	DynSocket  *entry = find_registered_by(sockets, transfer);

	if (entry == NULL || entry->events == 0)
		return -1;
	entry->parked = entry->events;
	entry->events = 0;
	return entry->fd;
}

int
dyn_sockets_unpark(DynSockets *sockets, const void *transfer, uint32_t *events)
{
	DynSocket  *entry = find_registered_by(sockets, transfer);

	if (entry == NULL || entry->parked == 0)
		return -1;
	*events = entry->events = entry->parked;
	entry->parked = 0;
	return entry->fd;
}

void
dyn_sockets_got_response(DynSockets *sockets, int fd, int64_t rtt_us)
{
	DynSocket  *entry = find(sockets, fd);

	if (entry == NULL)
		return;
	entry->idle = !entry->registered;
	entry->has_replied = true;
	if (rtt_us >= 0)
		entry->rtt_us = rtt_us;
}

DynPeerSockets
dyn_sockets_to(const DynSockets *sockets, uint64_t peer)
{
	DynPeerSockets found = {0, 0, 0};

	for (size_t i = 0; i < sockets->n; i++)
	{
		const DynSocket *entry = &sockets->list[i];

		if (entry->peer != peer || !entry->has_replied)
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

void
dyn_sockets_distrust(const DynSockets *sockets, const DynSocket *socket)
{
	const DynSocket *entry = find(sockets, socket->fd);
	char		rest[4096];
	int			reads = 0;

	if (entry == NULL || entry->inode != socket->inode || !is_open(entry))
		return;
	(void) shutdown(entry->fd, SHUT_RDWR);
	/* keep the data if a later transfer already uses the connection */
	if (entry->uses != socket->uses || entry->registered)
		return;
	/* discard data, so that libcurl finds the end of the connection */
	while (reads++ < 64 &&
		   recv(entry->fd, rest, sizeof(rest), MSG_DONTWAIT) > 0)
		continue;
}

bool
dyn_sockets_handle_event(DynSockets *sockets, int fd)
{
	DynSocket  *entry = find(sockets, fd);

	if (entry == NULL || entry->registered || entry->events == 0)
		return false;
	entry->events = 0;
	if (entry->idle)
		dyn_sockets_distrust(sockets, entry);
	entry->idle = false;
	return true;
}

/* Maximum number of connections that are checked with one poll. */
#define POLLED	32

/*
 * Polls up to POLLED sockets, beginning with entry *i, and advances *i.
 * Returns the number of sockets in `polled`; 0 at the end.
 */
static nfds_t
poll_next(const DynSockets *sockets, size_t *i, bool only_idle, short events,
		  struct pollfd polled[POLLED])
{
	nfds_t		n = 0;

	for (; *i < sockets->n && n < POLLED; ++*i)
		if (!only_idle || sockets->list[*i].idle)
			polled[n++] = (struct pollfd) {sockets->list[*i].fd, events, 0};
	if (n > 0)
		(void) poll(polled, n, 0);
	return n;
}

void
dyn_sockets_distrust_readable(DynSockets *sockets)
{
	struct pollfd polled[POLLED];
	size_t		i = 0;
	nfds_t		n;

	while ((n = poll_next(sockets, &i, true, POLLIN, polled)) > 0)
		while (n-- > 0)
			if (polled[n].revents != 0)
			{
				DynSocket  *entry = find(sockets, polled[n].fd);

				assert(entry != NULL);
				dyn_sockets_distrust(sockets, entry);
				entry->idle = false;
			}
}

size_t
dyn_sockets_count(const DynSockets *sockets)
{
	size_t		count = 0;

	for (size_t i = 0; i < sockets->n; i++)
		count += is_open(&sockets->list[i]);
	return count;
}

/*
 * Polls for POLLRDHUP, because POLLIN would also report unread data.  An entry
 * may be stale, so is_open checks the entry of each reported descriptor.
 */
bool
dyn_sockets_any_closed_by_peer(const DynSockets *sockets)
{
	struct pollfd polled[POLLED];
	size_t		i = 0;
	nfds_t		n;

	while ((n = poll_next(sockets, &i, false, POLLRDHUP, polled)) > 0)
		while (n-- > 0)
			if (polled[n].revents != 0)
			{
				const DynSocket *entry = find(sockets, polled[n].fd);

				assert(entry != NULL);
				if (is_open(entry))
					return true;
			}
	return false;
}

/* ---- surplus replies ---------------------------------------------------- */

/*
 * Takes hashes instead of the connection's DynSocket, because libcurl may
 * close a connection with surplus data before we examine the reply.
 */
bool
dyn_fingerprints_add(DynFingerprints *fingerprints, uint64_t id, uint64_t reply,
					 bool is_first)
{
	bool		is_known = false;
	bool		repeats = false;

	for (int i = 0; i < DYN_FINGERPRINTS; i++)
	{
		if (fingerprints->ids[i] != id)
			continue;
		if (fingerprints->replies[i] == 0)
			return true;
		is_known = true;
		repeats |= fingerprints->replies[i] == reply;
	}
	if (is_known && is_first)
		reply = 0;
	else if (repeats)
		return false;
	fingerprints->ids[fingerprints->next] = id;
	fingerprints->replies[fingerprints->next] = reply;
	fingerprints->next = (fingerprints->next + 1) % DYN_FINGERPRINTS;
	return true;
}

/*
 * sockets.h
 *		Tracks the sockets of libcurl's connections, and which may be reused.
 */
#ifndef DYN_AWS_SOCKETS_H
#define DYN_AWS_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct DynSocket
{
	int			fd;
	ino_t		inode;			/* to detect a reused descriptor number */
	bool		registered;		/* by libcurl, for a transfer */
	uint32_t	events;			/* for which epoll watches it; 0: none, or
								 * not told */
	uint32_t	parked;			/* for which it will again */
	const void *transfer;		/* that watches, or did so last */
	bool		idle;			/* has replied, and is not watched since */
	unsigned	uses;			/* counts the transfers that found it idle */
	bool		implied;		/* has replied */
	uint64_t	peer;			/* what it connects to, and how; 0: not told */
	int64_t		rtt_us;			/* a round trip to the peer, if proved */
} DynSocket;

/* Zero-initialise it. */
typedef struct DynSockets
{
	DynSocket  *list;
	size_t		n;
	size_t		cap;
	uint64_t	opened;			/* ever; tests compare it */
} DynSockets;

/* The connections to a peer that have replied. */
typedef struct DynPeerSockets
{
	int			idle;
	int			busy;
	int64_t		rtt_us;			/* the shortest round trip of any; 0 if none */
} DynPeerSockets;

/* Opens a socket, closed on exec; returns -1 on failure. */
extern int	dyn_sockets_open(DynSockets *sockets, int family, int type,
							 int protocol, uint64_t peer);
extern int	dyn_sockets_close(DynSockets *sockets, int fd);

/*
 * Records that libcurl watches the descriptor for these events of epoll; true
 * if epoll does so already.
 */
extern bool dyn_sockets_watcher(DynSockets *sockets, int fd, uint32_t events,
								const void *transfer);

/*
 * Records that libcurl watches it no longer; true if epoll may go on, which
 * spares the next transfer two system calls.
 */
extern bool dyn_sockets_unwatch(DynSockets *sockets, int fd);

/*
 * The descriptor that the transfer watches, which epoll should not watch from
 * now on; and which it should watch again, for *events.  -1: there is none.
 */
extern int	dyn_sockets_park(DynSockets *sockets, const void *transfer);
extern int	dyn_sockets_unpark(DynSockets *sockets, const void *transfer,
							   uint32_t *events);

/*
 * epoll has reported an event.  True if libcurl does not watch the descriptor:
 * then epoll should not either.  An idle connection is shut down.
 */
extern bool dyn_sockets_stirred(DynSockets *sockets, int fd);

/*
 * Records that a transfer on the descriptor has ended, and how long a round
 * trip took when it was connected (-1: it was before).
 */
extern void dyn_sockets_got_response(DynSockets *sockets, int fd, int64_t rtt_us);

/* Stale entries may be among them. */
extern DynPeerSockets dyn_sockets_to(const DynSockets *sockets, uint64_t peer);

/* The socket with this descriptor; its fd is -1 if there is none. */
extern DynSocket dyn_sockets_find(const DynSockets *sockets, int fd);

/*
 * Shuts the connection down, so that libcurl does not reuse it.  `socket` is a
 * copy that was made when the transfer ended: if another one uses the
 * connection since, that reads what has arrived, and then its end.
 */
extern void dyn_sockets_distrust(const DynSockets *sockets,
								 const DynSocket *socket);

/* Shuts down all idle connections that have received data or were closed. */
extern void dyn_sockets_distrust_stirred(DynSockets *sockets);

/* The number of open sockets. */
extern size_t dyn_sockets_count(const DynSockets *sockets);

/* Has the peer closed one of them? */
extern bool dyn_sockets_any_closed_by_peer(const DynSockets *sockets);

#endif

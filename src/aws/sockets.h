/*
 * sockets.h
 *		Tracks libcurl's sockets, and decides which may be reused.
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
	ino_t		inode;			/* shows whether `fd` is still this socket */
	bool		registered;		/* true if libcurl watches the socket now */
	uint32_t	events;			/* events in epoll; 0 if none or unknown */
	uint32_t	parked;			/* events to watch after dyn_sockets_unpark; 0
								 * if the transfer is not parked */
	const void *transfer;		/* current or last transfer on the socket */
	bool		idle;			/* true if the last transfer has ended, and
								 * libcurl has not watched the socket since */
	unsigned	uses;			/* times that libcurl began to watch `fd` */
	bool		has_replied;	/* true if the peer has sent a reply */
	uint64_t	peer;			/* result of dyn_connections_peer; 0 for
								 * requests for credentials */
	int64_t		rtt_us;			/* round trip to the peer (us) */
} DynSocket;

/* The sockets of all connections; must be zero-initialized. */
typedef struct DynSockets
{
	DynSocket  *list;
	size_t		n;
	size_t		cap;
	uint64_t	opened;			/* number of sockets ever opened, for tests */
} DynSockets;

/* The connections to one peer on which the peer has replied. */
typedef struct DynPeerSockets
{
	int			idle;
	int			busy;
	int64_t		rtt_us;			/* shortest round trip (us), or 0 */
} DynPeerSockets;

/* Opens a socket that is closed on exec; returns -1 on failure. */
extern int	dyn_sockets_open(DynSockets *sockets, int family, int type,
							 int protocol, uint64_t peer);

/* Closes a socket (CURLOPT_CLOSESOCKETFUNCTION); `sockets` is a DynSockets. */
extern int	dyn_sockets_close(void *sockets, int fd);

/* Records the events to watch; returns true if epoll already watches them. */
extern bool dyn_sockets_watch(DynSockets *sockets, int fd, uint32_t events,
							  const void *transfer);

/*
 * Records that libcurl no longer watches the descriptor; returns true if epoll
 * may continue to watch it, which saves the next transfer two system calls.
 */
extern bool dyn_sockets_unwatch(DynSockets *sockets, int fd);

/* Marks a transfer's socket as unwatched by epoll; returns its fd, or -1. */
extern int	dyn_sockets_park(DynSockets *sockets, const void *transfer);

/*
 * Undoes dyn_sockets_park: returns the descriptor, and sets *events to the
 * events to watch again; returns -1 if the transfer is not parked.
 */
extern int	dyn_sockets_unpark(DynSockets *sockets, const void *transfer,
							   uint32_t *events);

/*
 * Handles an event that epoll has reported.  Returns true if `fd` is a socket
 * that libcurl does not watch now: the caller should remove it from epoll.  If
 * the connection of this socket is idle, also shuts the connection down.
 */
extern bool dyn_sockets_handle_event(DynSockets *sockets, int fd);

/*
 * Records that a transfer on the descriptor has ended.  `rtt_us` is the round
 * trip that the transfer measured; -1 if the transfer reused a connection.
 */
extern void dyn_sockets_got_response(DynSockets *sockets, int fd, int64_t rtt_us);

/* Counts connections on which the peer has replied.  Stale ones count, too. */
extern DynPeerSockets dyn_sockets_to(const DynSockets *sockets, uint64_t peer);

/* Returns a copy of the descriptor's entry, with fd -1 if none exists. */
extern DynSocket dyn_sockets_find(const DynSockets *sockets, int fd);

/*
 * Shuts the connection down, so that libcurl does not reuse it.  `socket` is a
 * copy of the entry, made at the end of the caller's transfer.  A later
 * transfer on the connection can still read the data that has arrived.
 */
extern void dyn_sockets_distrust(const DynSockets *sockets,
								 const DynSocket *socket);

/* Shuts down idle connections that the peer has closed or sent data on. */
extern void dyn_sockets_distrust_readable(DynSockets *sockets);

extern size_t dyn_sockets_count(const DynSockets *sockets);

extern bool dyn_sockets_any_closed_by_peer(const DynSockets *sockets);

/* ---- surplus replies ---------------------------------------------------- */

#define DYN_FINGERPRINTS	1024

/* The latest replies that have a request id; must be zero-initialized. */
typedef struct DynFingerprints
{
	uint64_t	ids[DYN_FINGERPRINTS];	/* hashes of request ids */
	/* hash of id, body and connection; 0: do not check replies with this id */
	uint64_t	replies[DYN_FINGERPRINTS];
	unsigned	next;			/* position of the next reply to store */
} DynFingerprints;

/*
 * Adds a reply.  Returns false if it repeats an earlier one.  `is_first` is
 * true for the first reply of a connection.
 */
extern bool dyn_fingerprints_add(DynFingerprints *fingerprints, uint64_t id,
								 uint64_t reply, bool is_first);

#endif

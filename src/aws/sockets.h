/*
 * sockets.h
 *		Which descriptors libcurl holds for connections, and which of these may
 *		be used again.
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
	ino_t		inode;			/* tells the socket from a later one */
	bool		watched;		/* by libcurl, for a transfer */
	bool		idle;			/* gave an answer, and is not watched since */
	uint64_t	last_answer;	/* identity of its last answer; 0: not known */
} DynSocket;

/* Zero-initialise it. */
typedef struct DynSockets
{
	DynSocket  *list;
	size_t		n;
	size_t		cap;
	uint64_t	opened;			/* ever */
} DynSockets;

/* A new descriptor, closed on exec; -1 when there is none to have. */
extern int	dyn_sockets_open(DynSockets *sockets, int family, int type,
							 int protocol);
extern int	dyn_sockets_close(DynSockets *sockets, int fd);

/* libcurl begins or ends to watch the descriptor. */
extern void dyn_sockets_watched(DynSockets *sockets, int fd, bool watched);

/*
 * A transfer on the descriptor has ended with an answer of that identity, which
 * is made of request id and checksum (0: not known).  False if the connection's
 * last answer had the same one: then it is that answer once more, and not the
 * one to this request.
 */
extern bool dyn_sockets_answered(DynSockets *sockets, int fd,
								 uint64_t identity);

/* Which socket the descriptor is now; fd -1 if it is none of ours. */
extern DynSocket dyn_sockets_find(const DynSockets *sockets, int fd);

/*
 * Ends the connection, unless it has ended: libcurl finds it dead, and does not
 * use it again.
 */
extern void dyn_sockets_distrust(const DynSockets *sockets,
								 const DynSocket *socket);

/* Does so with all idle connections on which something came, or the end. */
extern void dyn_sockets_distrust_stirred(DynSockets *sockets);

/* How many are open now. */
extern size_t dyn_sockets_count(const DynSockets *sockets);

/* Has the peer closed one of them? */
extern bool dyn_sockets_any_closed_by_peer(const DynSockets *sockets);

/* Forgets the list, closes nothing. */
extern void dyn_sockets_free(DynSockets *sockets);

#endif

/*
 * sockets.h
 *		Which descriptors libcurl holds for connections.
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

/* How many are open now. */
extern size_t dyn_sockets_count(const DynSockets *sockets);

/* Has the peer closed one of them? */
extern bool dyn_sockets_any_closed_by_peer(const DynSockets *sockets);

/* Forgets the list, closes nothing. */
extern void dyn_sockets_free(DynSockets *sockets);

#endif

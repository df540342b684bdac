/*
 * connections.h
 *		Opens, counts and closes the connections of a client.
 */
#ifndef DYN_AWS_CONNECTIONS_H
#define DYN_AWS_CONNECTIONS_H

#include <stdbool.h>

#include "client.h"
#include "http.h"
#include "loop.h"
#include "sockets.h"
#include "tls.h"

/* Zero-initialize it. */
typedef struct DynConnections
{
	DynLoop		loop;
	DynSockets	sockets;
	DynTls		tls;
	const DynDescriptors *descriptors;	/* may be NULL */
	int			granted;		/* descriptors acquired for connections */
	DynHttp    *handles;		/* spare easy handles */
	int			nhandles;
	int			used;			/* transfers in the loop */
	int			peak;			/* most transfers at once in this statement */
	int			last_peak;		/* peak of the previous statement */
	int			keep;			/* largest max_idle_connections used */
	bool		drop_idle;		/* true: drop all as soon as `used` is 0 */
	int64_t		waited_us;		/* balance of waits (us): grows by each wait for
								 * a connection, shrinks by the allowed wait
								 * when one is opened; at least 0 */
} DynConnections;

/*
 * Must be called before an attempt: checks the trust in the service, and drops
 * all connections if this is the first attempt of a statement and a peer has
 * closed a connection.
 */
extern void dyn_connections_prepare(DynConnections *connections,
									const DynService *service);

/*
 * Drops all connections, TLS sessions and trusted certificates if no transfer
 * is in the loop, and the certificates that verify this transfer have changed.
 * Must be called before any transfer.
 */
extern void dyn_connections_check_trust(DynConnections *connections,
										const char *url, const char *proxy,
										const char *ca_bundle);

/*
 * Returns a fingerprint of the service's URL, CA bundle and proxy; services
 * with the same fingerprint can use the same connections.  Returns 0 if
 * connections are cheap to make (without TLS).
 */
extern uint64_t dyn_connections_peer(const DynService *service);

/*
 * Returns the time (us) that a request to the peer should wait for a
 * connection before it makes a new one.  `waiting` is the number of other
 * requests that already wait for a connection to the peer; `connecting` is
 * true while the first connection to the peer is being made.
 */
extern int64_t dyn_connections_wait_us(const DynConnections *connections,
									   uint64_t peer, int waiting,
									   bool connecting);

/* Records that a request is sent after it has waited for `waited_us`. */
extern void dyn_connections_waited(DynConnections *connections, uint64_t peer,
								   int64_t waited_us);

/*
 * Ensures that one more transfer has a descriptor; unless `always`, returns
 * false if none is granted.
 */
extern bool dyn_connections_acquire(DynConnections *connections, bool always);

/* Reserve and release `n` descriptors that do not belong to connections. */
extern void dyn_connections_hold(DynConnections *connections, int n);
extern void dyn_connections_return(DynConnections *connections, int n);

/* Returns a spare handle, or a new one; NULL if memory runs out. */
extern DynHttp *dyn_connections_take_handle(DynConnections *connections);

/* Makes a handle spare; its transfer must not be in the loop. */
extern void dyn_connections_give_handle(DynConnections *connections,
										DynHttp *http);

/*
 * Adds a transfer to the loop; returns false if memory runs out.  `keep` is
 * the max_idle_connections of the transfer's service.
 */
extern bool dyn_connections_enter(DynConnections *connections, DynHttp *http,
								  int keep);

/* Removes a transfer, ended or not, and makes its handle spare. */
extern void dyn_connections_leave(DynConnections *connections, DynHttp *http);

#endif

/*
 * connections.h
 *		The connections of a client: how many, and for how long.
 */
#ifndef DYN_AWS_CONNECTIONS_H
#define DYN_AWS_CONNECTIONS_H

#include <stdbool.h>

#include "client.h"
#include "http.h"
#include "loop.h"
#include "sockets.h"
#include "tls.h"

/* Zero-initialise it. */
typedef struct DynConnections
{
	DynLoop		loop;
	DynSockets	sockets;
	DynTls		tls;
	const DynDescriptors *descriptors;	/* NULL: nobody asks */
	int			granted;		/* descriptors acquired for connections */
	DynHttp    *handles;		/* spare ones */
	int			nhandles;
	int			used;			/* transfers in the loop */
	int			peak;			/* most used at once, in this statement */
	int			last_peak;		/* in the previous one */
	int			keep;			/* max_idle_connections of its services */
	bool		drop_idle;		/* forget all when none is used */
	int64_t		waited_us;		/* for idle ones, since one was made instead */
} DynConnections;

/*
 * Reserves the descriptors of the loop, too.  Returns false, with everything
 * closed, if libcurl or epoll fails.
 */
extern bool dyn_connections_open(DynConnections *connections,
								 const DynDescriptors *descriptors);

/*
 * Before an attempt: drops connections that the peer has closed, if it is the
 * first of a statement, and all if the service's CA file has changed.
 */
extern void dyn_connections_prepare(DynConnections *connections,
									const DynService *service);

/*
 * Before any transfer: drops all connections, and what is trusted, if the
 * certificates that this one will be verified by have changed.
 */
extern void dyn_connections_check_trust(DynConnections *connections,
										const char *url, const char *proxy,
										const char *ca_bundle);

/*
 * What connections of the service have in common with others that may serve it
 * as well; 0 if it costs little to make them.
 */
extern uint64_t dyn_connections_peer(const DynService *service);

/*
 * How long a request to the peer should wait for a connection that is in use,
 * and not make one, if `waiting` others wait already, and one that is the
 * first is being made (`connecting`).
 */
extern int64_t dyn_connections_patience_us(const DynConnections *connections,
										   uint64_t peer, int waiting,
										   bool connecting);

/* A request to the peer has waited for so long, and is sent now. */
extern void dyn_connections_waited(DynConnections *connections, uint64_t peer,
								   int64_t waited_us);

/*
 * Accounts for the descriptor of another transfer's connection; false if none
 * is granted.  With `always`, one is taken in any case.
 */
extern bool dyn_connections_acquire(DynConnections *connections, bool always);

/* Reserves and returns `n` descriptors that are no connections. */
extern void dyn_connections_hold(DynConnections *connections, int n);
extern void dyn_connections_return(DynConnections *connections, int n);

/*
 * A spare handle or a new one, NULL if memory runs out; takes one back whose
 * transfer is not in the loop.
 */
extern DynHttp *dyn_connections_take_handle(DynConnections *connections);
extern void dyn_connections_give_handle(DynConnections *connections,
										DynHttp *http);

/*
 * Frees the spare ones; some versions of libcurl keep the latest request in
 * them.
 */
extern void dyn_connections_free_handles(DynConnections *connections);

/*
 * A transfer enters the loop, to a service with this max_idle_connections; false if
 * memory runs out.
 */
extern bool dyn_connections_enter(DynConnections *connections, DynHttp *http,
								  int keep);

/* It leaves the loop, whether it has ended or not, and its handle is spare. */
extern void dyn_connections_leave(DynConnections *connections, DynHttp *http);

/* See dyn_client_end_statement and dyn_client_close_idle. */
extern void dyn_connections_end_statement(DynConnections *connections);
extern void dyn_connections_close_idle(DynConnections *connections);

#endif

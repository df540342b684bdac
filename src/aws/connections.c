/*
 * connections.c
 *		Opens, counts and closes the connections of a client.
 *
 * libcurl cannot close a single connection; closing the multi handle closes
 * all.  So connections are closed only while no transfer is running.  drop()
 * keeps TLS sessions, which new connections resume; forget() does not.
 *
 * Making a connection over TLS takes two round trips and a millisecond of CPU
 * time.  So a request that finds no idle connection first waits for a busy
 * one, but for at most one and a half round trips and that millisecond.  At
 * most one request waits for each busy connection.  While the first connection
 * to a peer is being made, all other requests to the peer wait until TCP (not
 * yet TLS) is established.
 *
 * If the demand lasts, each request in flight should have a connection.  So
 * the lengths of successive waits are added up.  When the sum reaches the
 * maximum length of one wait, the next request makes a connection at once.
 */
#include "client_private.h"

#include <stdlib.h>
#include <string.h>

#include "../base/macros.h"
#include "../base/text.h"

/* CPU time of a TLS handshake. */
#define HANDSHAKE_US		1000

/* Maximum time that a request waits for a connection. */
#define LONGEST_WAIT_US		200000

#define MOST_SPARE_HANDLES	16

/* ---- descriptors ------------------------------------------------------ */

void
dyn_connections_hold(DynConnections *connections, int n)
{
	for (; connections->descriptors != NULL && n > 0; n--)
		connections->descriptors->reserve();
}

void
dyn_connections_return(DynConnections *connections, int n)
{
	for (; connections->descriptors != NULL && n > 0; n--)
		connections->descriptors->release();
}

bool
dyn_connections_acquire(DynConnections *connections, bool always)
{
	if (connections->descriptors == NULL ||
		connections->granted > connections->used)
		return true;
	if (!connections->descriptors->acquire())
	{
		if (!always)
			return false;
		connections->descriptors->reserve();
	}
	connections->granted++;
	return true;
}

/* ---- dropping connections --------------------------------------------- */

/*
 * Acquires or releases file descriptors until their number is that of open
 * connections or of running transfers, whichever is greater.  Returns false if
 * the limit is reached.
 */
static bool
settle_descriptors(DynConnections *connections)
{
	const DynDescriptors *descriptors = connections->descriptors;
	int			open = (int) dyn_sockets_count(&connections->sockets);

	if (descriptors == NULL)
		return true;
	if (open < connections->used)
		open = connections->used;
	for (; connections->granted > open; connections->granted--)
		descriptors->release();
	for (; connections->granted < open; connections->granted++)
		if (!descriptors->acquire())
			return false;
	return true;
}

/* Closes all connections; legal only while no transfer is running. */
static void
drop(DynConnections *connections)
{
	dyn_loop_drop_connections(&connections->loop);
	(void) settle_descriptors(connections);
}

/* Drops all connections, TLS sessions and trusted certificates. */
static void
forget(DynConnections *connections)
{
	drop(connections);
	dyn_tls_forget(&connections->tls);
	connections->waited_us = 0;
}

/* ---- handles and transfers -------------------------------------------- */

void
dyn_connections_check_trust(DynConnections *connections, const char *url,
							const char *proxy, const char *ca_bundle)
{
	if (connections->used == 0 && dyn_tls_is_used(url, proxy) &&
		dyn_tls_changed(&connections->tls, ca_bundle))
		forget(connections);
}

void
dyn_connections_prepare(DynConnections *connections, const DynService *service)
{
	if (connections->used > 0)
		return;
	/* a connection closed by its peer counts as open until libcurl notices */
	if (connections->peak == 0 &&
		dyn_sockets_any_closed_by_peer(&connections->sockets))
		drop(connections);
	dyn_connections_check_trust(connections, service->url, service->proxy,
								service->ca_bundle);
}

static void
end_use(DynConnections *connections)
{
	connections->used--;
	if (connections->drop_idle && connections->used == 0)
	{
		connections->drop_idle = false;
		forget(connections);
	}
}

DynHttp *
dyn_connections_take_handle(DynConnections *connections)
{
	DynHttp    *http = connections->handles;

	if (http != NULL)
	{
		connections->handles = http->next;
		connections->nhandles--;
	}
	else if ((http = calloc(1, sizeof(*http))) != NULL)
	{
		http->sockets = &connections->sockets;
		http->tls = &connections->tls;
	}
	return http;
}

void
dyn_connections_give_handle(DynConnections *connections, DynHttp *http)
{
	dyn_http_release(http);
	if (connections->nhandles >= MOST_SPARE_HANDLES)
	{
		dyn_http_destroy(http);
		return;
	}
	http->next = connections->handles;
	connections->handles = http;
	connections->nhandles++;
}

bool
dyn_connections_enter(DynConnections *connections, DynHttp *http, int keep)
{
	connections->used++;
	if (connections->used > connections->peak)
		connections->peak = connections->used;
	if (keep > connections->keep)
		connections->keep = keep;
	if (dyn_loop_add(&connections->loop, http->easy))
		return true;
	end_use(connections);
	return false;
}

void
dyn_connections_leave(DynConnections *connections, DynHttp *http)
{
	curl_multi_remove_handle(connections->loop.multi, http->easy);
	dyn_connections_give_handle(connections, http);
	end_use(connections);
}

/* ---- waiting for a connection ----------------------------------------- */

uint64_t
dyn_connections_peer(const DynService *service)
{
	const char *texts[] = {service->url, service->ca_bundle, service->proxy};
	uint64_t	peer = 0;

	if (!dyn_tls_is_used(service->url, service->proxy))
		return 0;
	for (size_t i = 0; i < LENGTHOF(texts); i++)
		peer = peer * 31 +
			(texts[i] ? dyn_hash_bytes(texts[i], strlen(texts[i])) : 0);
	return peer ? peer : 1;
}

static int64_t
allowed_wait_us(const DynPeerSockets *known)
{
	int64_t		allowed = known->rtt_us + known->rtt_us / 2 + HANDSHAKE_US;

	return allowed < LONGEST_WAIT_US ? allowed : LONGEST_WAIT_US;
}

int64_t
dyn_connections_wait_us(const DynConnections *connections, uint64_t peer,
						int waiting, bool connecting)
{
	DynPeerSockets known = dyn_sockets_to(&connections->sockets, peer);
	int64_t		allowed = allowed_wait_us(&known);

	if (known.idle > 0)
		return 0;
	if (known.busy == 0)
		return connecting ? LONGEST_WAIT_US : 0;
	if (waiting >= known.busy || connections->waited_us >= allowed)
		return 0;
	return allowed - connections->waited_us;
}

void
dyn_connections_waited(DynConnections *connections, uint64_t peer,
					   int64_t waited_us)
{
	DynPeerSockets known = dyn_sockets_to(&connections->sockets, peer);

	connections->waited_us += waited_us;
	if (known.idle > 0)
		return;
	connections->waited_us -= allowed_wait_us(&known);
	if (connections->waited_us < 0)
		connections->waited_us = 0;
}

/* ---- closing ---------------------------------------------------------- */

void
dyn_client_end_statement(DynClient *client)
{
	DynConnections *connections = &client->connections;
	int			wanted = connections->peak > connections->last_peak ?
		connections->peak : connections->last_peak;
	int			open;

	/* a statement without requests does not change the peaks */
	if (connections->peak == 0)
		return;
	if (wanted > connections->keep)
		wanted = connections->keep;
	connections->last_peak = connections->peak;
	connections->peak = connections->used;
	connections->keep = 0;
	open = (int) dyn_sockets_count(&connections->sockets);
	if ((open > wanted ||
		 dyn_sockets_any_closed_by_peer(&connections->sockets) ||
		 !settle_descriptors(connections)) && connections->used == 0)
		drop(connections);
}

void
dyn_client_close_idle(DynClient *client)
{
	DynConnections *connections = &client->connections;
	DynHttp    *http;

	connections->drop_idle = connections->used > 0;
	if (connections->used == 0)
		forget(connections);
	/* free the handles, since libcurl may keep the last request in them */
	while ((http = connections->handles) != NULL)
	{
		connections->handles = http->next;
		dyn_http_destroy(http);
	}
	connections->nhandles = 0;
}

/*
 * connections.c
 *		The connections of a client: how many, and for how long.
 *
 * libcurl keeps connections in the multi handle, and closes them only with it,
 * all at once: so this is done only while no transfer is in the loop.  The TLS
 * sessions outlive them: a new connection resumes one, unless all connections
 * were forgotten on request, or because of a change of certificates.
 *
 * A connection over TLS takes two round trips and a millisecond of CPU time.
 * So a request that finds none idle waits for one of those in use, but a little
 * longer than a round trip at most, and only one for each of them.  What
 * requests have waited is added up: when it has reached that time, the next one
 * makes a connection.  Thus the number of connections follows the demand, and
 * lasting demand gets as many as there are requests in flight.  While the very
 * first is being made, all others wait until it stands (before TLS).
 *
 * Layer: aws.
 */
#include "connections.h"

#include <string.h>

#include "../base/text.h"
#include "client.h"

/* What a handshake costs besides round trips. */
#define HANDSHAKE_US		1000

/* No request waits longer. */
#define LONGEST_WAIT_US		200000

bool
dyn_connections_open(DynConnections *connections,
					 const DynDescriptors *descriptors)
{
	if (!dyn_loop_open(&connections->loop, &connections->sockets))
		return false;
	dyn_account_open(&connections->account, descriptors);
	return true;
}

void
dyn_connections_close(DynConnections *connections)
{
	dyn_loop_close(&connections->loop);
	dyn_tls_forget(&connections->tls);
	dyn_account_close(&connections->account);
	dyn_sockets_free(&connections->sockets);
}

/* Acquires descriptors for the open connections; false if that fails. */
static bool
settle_account(DynConnections *connections, int open)
{
	int			used = connections->used;

	return dyn_account_settle(&connections->account,
							  open > used ? open : used);
}

/* Only while no transfer is in the loop. */
static void
drop(DynConnections *connections)
{
	dyn_loop_drop_connections(&connections->loop);
	(void) settle_account(connections,
						  (int) dyn_sockets_count(&connections->sockets));
}

/* The same, and what new ones would resume. */
static void
forget(DynConnections *connections)
{
	drop(connections);
	dyn_tls_forget(&connections->tls);
	connections->waited_us = 0;
}

/* ---- use -------------------------------------------------------------- */

void
dyn_connections_check_trust(DynConnections *connections, const char *url,
							const char *proxy, const char *ca_file)
{
	if (connections->used == 0 && dyn_tls_is_used(url, proxy) &&
		dyn_tls_changed(&connections->tls, ca_file))
		forget(connections);
}

/*
 * A connection that the peer has closed must not count against those that the
 * statement opens.
 */
void
dyn_connections_prepare(DynConnections *connections, const DynService *service)
{
	if (connections->used > 0)
		return;
	if (connections->peak == 0 &&
		dyn_sockets_any_closed_by_peer(&connections->sockets))
		drop(connections);
	dyn_connections_check_trust(connections, service->url, service->proxy,
								service->ca_file);
}

void
dyn_connections_use(DynConnections *connections, int keep)
{
	connections->used++;
	if (connections->used > connections->peak)
		connections->peak = connections->used;
	if (keep > connections->keep)
		connections->keep = keep;
}

void
dyn_connections_end_use(DynConnections *connections)
{
	connections->used--;
	if (connections->drop_idle && connections->used == 0)
	{
		connections->drop_idle = false;
		forget(connections);
	}
}

/* ---- growth ----------------------------------------------------------- */

static uint64_t
hash_text(const char *text)
{
	return text ? dyn_hash_bytes(text, strlen(text)) : 0;
}

/* Other values for the same text in other places. */
uint64_t
dyn_connections_peer(const DynService *service)
{
	uint64_t	peer;

	if (!dyn_tls_is_used(service->url, service->proxy))
		return 0;
	peer = hash_text(service->url);
	peer = peer * 31 + hash_text(service->ca_file);
	peer = peer * 31 + hash_text(service->proxy);
	return peer ? peer : 1;
}

/* What it may cost in time to wait instead of making a connection. */
static int64_t
allowed_wait_us(const DynPeerSockets *known)
{
	int64_t		allowed = known->rtt_us + known->rtt_us / 2 + HANDSHAKE_US;

	return allowed < LONGEST_WAIT_US ? allowed : LONGEST_WAIT_US;
}

int64_t
dyn_connections_patience_us(const DynConnections *connections, uint64_t peer,
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
dyn_connections_end_statement(DynConnections *connections)
{
	int			wanted = connections->peak > connections->last_peak ?
		connections->peak : connections->last_peak;
	int			open;

	/* statements without requests do not count */
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
		 !settle_account(connections, open)) && connections->used == 0)
		drop(connections);
}

void
dyn_connections_close_idle(DynConnections *connections)
{
	connections->drop_idle = connections->used > 0;
	if (connections->used == 0)
		forget(connections);
}

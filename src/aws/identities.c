/*
 * identities.c
 *		Remembers the identities of a client's latest replies.
 *
 * HTTP/1.1 matches replies to requests by their order only, so a reply that
 * comes twice is taken for that to a later request.  sockets.c ends connections
 * on which something comes while nothing is awaited; but the surplus reply may
 * also come while another one is awaited, and other requests may have had
 * their replies since.  A connection has a request id only once, so a reply
 * whose identity is known is not the reply to this request.
 *
 * The memory is not part of the connection, because libcurl may have closed
 * that when the reply is examined, just because there was surplus data.
 *
 * Limits: services that send no request id, and repetitions that come after
 * thousands of other replies.
 *
 * Two hash tables with linear probing are filled by turns; a full one is
 * cleared when the other is full, too.
 *
 * Layer: aws.
 */
#include "identities.h"

#include <string.h>

#define SLOTS	(DYN_IDENTITIES * 2)

/* Where the identity is, or would be: half of the slots at least are free. */
static size_t
place_of(const DynIdentityTable *table, uint64_t identity)
{
	size_t		i = identity % SLOTS;

	while (table->slots[i] != 0 && table->slots[i] != identity)
		i = (i + 1) % SLOTS;
	return i;
}

static bool
has(const DynIdentityTable *table, uint64_t identity)
{
	return table->slots[place_of(table, identity)] == identity;
}

static DynIdentityTable *
table_with_room(DynIdentities *identities)
{
	DynIdentityTable *table = &identities->tables[identities->current];

	if (table->n < DYN_IDENTITIES)
		return table;
	identities->current = 1 - identities->current;
	table = &identities->tables[identities->current];
	memset(table, 0, sizeof(*table));
	return table;
}

bool
dyn_identities_add(DynIdentities *identities, uint64_t identity)
{
	DynIdentityTable *table;

	if (identity == 0)
		return true;
	if (has(&identities->tables[0], identity) ||
		has(&identities->tables[1], identity))
		return false;
	table = table_with_room(identities);
	table->slots[place_of(table, identity)] = identity;
	table->n++;
	return true;
}

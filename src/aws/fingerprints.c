/*
 * fingerprints.c
 *		Remembers the identities of a client's latest replies.
 *
 * HTTP/1.1 matches replies to requests by their order only, so a reply that
 * comes twice is taken for that to a later request.  sockets.c ends connections
 * on which something comes while nothing is awaited; but the surplus reply may
 * also come while another one is awaited, and other requests may have had
 * their replies since.  A connection has a request id only once, so a reply
 * with the id and the body of an earlier one is not the reply to this request.
 *
 * Some services that imitate DynamoDB, and gateways before it, send the same id
 * always.  The first reply of a connection repeats nothing: so if its id is
 * known, the id says nothing, and is ignored from then on.
 *
 * The memory is not part of the connection, because libcurl may have closed
 * that when the reply is examined, just because there was surplus data.
 *
 * Limits: services that send no request id or a constant one, and repetitions
 * that come after a thousand other replies.
 *
 * What is remembered are marks: of a reply, of its id, of an id that says
 * nothing.  Two hash tables with linear probing are filled by turns; a full one is
 * cleared when the other is full, too.
 *
 * Layer: aws.
 */
#include "fingerprints.h"

#include <string.h>

#define SLOTS	(DYN_FINGERPRINTS * 2)

/* They make other marks of an id. */
#define SEEN			UINT64_C(0x9E3779B97F4A7C15)
#define SAYS_NOTHING	UINT64_C(0xBF58476D1CE4E5B9)

/* Where the identity is, or would be: half of the slots at least are free. */
static size_t
place_of(const DynFingerprintTable *table, uint64_t fingerprint)
{
	size_t		i = fingerprint % SLOTS;

	while (table->slots[i] != 0 && table->slots[i] != fingerprint)
		i = (i + 1) % SLOTS;
	return i;
}

static bool
knows(const DynFingerprints *fingerprints, uint64_t mark)
{
	const DynFingerprintTable *tables = fingerprints->tables;

	return tables[0].slots[place_of(&tables[0], mark)] == mark ||
		tables[1].slots[place_of(&tables[1], mark)] == mark;
}

/* Returns false if it is known already. */
static bool
remember(DynFingerprints *fingerprints, uint64_t mark)
{
	DynFingerprintTable *table = &fingerprints->tables[fingerprints->current];

	if (mark == 0 || knows(fingerprints, mark))
		return mark == 0;
	if (table->n == DYN_FINGERPRINTS)
	{
		fingerprints->current = 1 - fingerprints->current;
		table = &fingerprints->tables[fingerprints->current];
		memset(table, 0, sizeof(*table));
	}
	table->slots[place_of(table, mark)] = mark;
	table->n++;
	return true;
}

bool
dyn_fingerprints_add(DynFingerprints *fingerprints, const DynFingerprint *fingerprint)
{
	uint64_t	id = fingerprint->request_id;
	bool		is_new;

	if (id == 0 || knows(fingerprints, id ^ SAYS_NOTHING))
		return true;
	is_new = remember(fingerprints, fingerprint->reply);
	if (!remember(fingerprints, id ^ SEEN) && fingerprint->is_first)
		(void) remember(fingerprints, id ^ SAYS_NOTHING);
	return is_new || fingerprint->is_first;
}

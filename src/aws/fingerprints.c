/*
 * fingerprints.c
 *		Stores the fingerprints of a client's latest replies.
 *
 * HTTP/1.1 matches replies to requests by their order only, so a surplus reply
 * would be mistaken for the reply to a later request. sockets.c ends
 * connections that receive data while no reply is expected.  But a surplus
 * reply may also arrive while another reply is expected.  Since a request id
 * occurs only once on a connection, a reply that has the request id and the
 * body of an earlier reply repeats that reply.
 *
 * Some services that imitate DynamoDB, and some gateways in front of DynamoDB,
 * always send the same id.  The first reply of a connection cannot be a
 * repetition.  So if the id of a first reply is already known, the service
 * reuses ids, and this id is ignored from then on.
 *
 * Fingerprints are not stored with the connection: libcurl may have closed the
 * connection because of surplus data before the reply is examined.
 *
 * Repetitions are not detected if the service sends no request id or a
 * constant one, or if they arrive after a thousand other replies.
 *
 * Marks (hashes) of replies, ids and ignored ids are stored in two hash tables
 * with linear probing.  The tables are filled alternately: when one is full,
 * the other is cleared and filled.
 */
#include "fingerprints.h"

#include <string.h>

#define SLOTS	(DYN_FINGERPRINTS * 2)

/* Marks of an id: id ^ SEEN if it was received, id ^ IGNORED if ignored. */
#define SEEN			UINT64_C(0x9E3779B97F4A7C15)
#define IGNORED			UINT64_C(0xBF58476D1CE4E5B9)

/*
 * Returns the slot that contains the mark `fingerprint`, or the free slot for
 * this mark.  At least half of the slots are free, so the search ends.
 */
static size_t
place_of(const DynFingerprintTable *table, uint64_t fingerprint)
{
	size_t		i = fingerprint % SLOTS;

	while (table->slots[i] != 0 && table->slots[i] != fingerprint)
		i = (i + 1) % SLOTS;
	return i;
}

static bool
contains(const DynFingerprints *fingerprints, uint64_t mark)
{
	const DynFingerprintTable *tables = fingerprints->tables;

	return tables[0].slots[place_of(&tables[0], mark)] == mark ||
		tables[1].slots[place_of(&tables[1], mark)] == mark;
}

/*
 * Adds a mark, unless it is 0 (a free slot).  Returns false if it was added
 * before.
 */
static bool
remember(DynFingerprints *fingerprints, uint64_t mark)
{
	DynFingerprintTable *table = &fingerprints->tables[fingerprints->current];

	if (mark == 0 || contains(fingerprints, mark))
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

	if (id == 0 || contains(fingerprints, id ^ IGNORED))
		return true;
	is_new = remember(fingerprints, fingerprint->reply);
	if (!remember(fingerprints, id ^ SEEN) && fingerprint->is_first)
		(void) remember(fingerprints, id ^ IGNORED);
	return is_new || fingerprint->is_first;
}

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
 */
#include "fingerprints.h"

bool
dyn_fingerprints_add(DynFingerprints *fingerprints, uint64_t id, uint64_t reply,
					 bool is_first)
{
	bool		is_known = false;
	bool		repeats = false;

	for (int i = 0; i < DYN_FINGERPRINTS; i++)
	{
		if (fingerprints->ids[i] != id)
			continue;
		if (fingerprints->replies[i] == 0)
			return true;
		is_known = true;
		repeats |= fingerprints->replies[i] == reply;
	}
	if (is_known && is_first)
		reply = 0;
	else if (repeats)
		return false;
	fingerprints->ids[fingerprints->next] = id;
	fingerprints->replies[fingerprints->next] = reply;
	fingerprints->next = (fingerprints->next + 1) % DYN_FINGERPRINTS;
	return true;
}

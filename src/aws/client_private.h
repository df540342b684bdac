/*
 * client_private.h
 *		The state of a client and of its calls, shared by attempt.c, call.c,
 *		exchange.c and client.c.
 */
#ifndef DYN_AWS_CLIENT_PRIVATE_H
#define DYN_AWS_CLIENT_PRIVATE_H

#include "client.h"
#include "connections.h"
#include "exchange.h"
#include "http.h"
#include "fingerprints.h"
#include "retry.h"
#include "sigv4.h"
#include "socket_watcher.h"

typedef struct DynActiveCall
{
	DynCall		public;			/* public members, to which callers have a
								 * pointer; must be first */
	DynClient  *client;
	const DynService *service;
	DynRetryQuota *quota;
	char		operation[64];
	DynBuffer	body;
	DynBuffer	packed;			/* gzip body until it is unpacked */
	DynHttp    *http;			/* easy handle while SENT */
	DynSocket	socket;			/* socket of the last attempt's connection */
	int64_t		attempt_us;		/* start of the attempt (monotonic us) */
	int64_t		signed_offset;	/* clock offset that it was signed with */
	int64_t		due_us;			/* time of the next attempt (BACKOFF) or
								 * deadline of a resumed transfer (monotonic
								 * us); DYN_LOOP_NEVER if none */
	size_t		allowance;		/* body bytes that an attempt may receive */
	bool		suspended;		/* true if paused with its clock stopped */
	int64_t		left_us;		/* time left at the last pause (us); -1 if it
								 * was never paused */
	DynRetryClass last_retry;	/* class of the last retry, or FINAL */
	int			unattended;		/* attempts that failed while the caller did
								 * not drive the client */
	bool		clock_tried;	/* true if this call has corrected the clock */
	unsigned	generation;		/* generation of the last attempt's
								 * credentials */
	bool		credentials_tried;	/* true if this call has already refreshed
									 * the credentials once */
	bool		held;			/* true if BACKOFF waits for credentials, a
								 * descriptor or a connection */
	uint64_t	peer;			/* fingerprint of the peer of its connections,
								 * or 0 */
	int64_t		waiting_us;		/* time since when it waits for a connection
								 * (monotonic us), or 0 */
	struct DynActiveCall *next;			/* next call in the client's list */
} DynActiveCall;

#define DYN_SPARE_BUFFERS	4

struct DynClient
{
	DynConnections connections;
	DynFingerprints fingerprints;
	DynSigKeyCache key_cache;
	DynRandom	random;
	DynActiveCall *active;		/* SENT and BACKOFF calls */
	int			in_flight;		/* calls without a counter of their own */
	bool		has_completions;	/* true if there are completions that the
									 * caller has not seen */
	DynExchange *exchanges;		/* exchanges that are started and not done */
	DynSocketWatcher *watchers;
	DynBuffer	spare[DYN_SPARE_BUFFERS];	/* response buffers for reuse */
	int			nspare;
	size_t		spare_bytes;	/* capacity of the spare buffers */
};

/*
 * Ends the transfers that libcurl has finished, and begins what is due, until
 * nothing more can be done now.
 */
extern void dyn_client_process(DynClient *client);

/* Makes the descriptor readable when the next event is due. */
extern void dyn_client_arm(DynClient *client);

#endif

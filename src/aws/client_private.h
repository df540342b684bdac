/*
 * client_private.h
 *		The state of a client and of its calls, which the files that run them
 *		share: attempt.c, call.c, exchange.c and client.c.
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
	DynCall		public;			/* first: what callers hold a pointer to */
	DynClient  *client;
	const DynService *service;
	DynRetryQuota *quota;
	char		operation[64];
	DynBuffer	body;
	DynBuffer	packed;			/* a gzip body until it is unpacked */
	DynHttp    *http;			/* while SENT */
	DynSocket	socket;			/* of the last attempt's connection */
	int64_t		attempt_us;		/* when the attempt was begun */
	int64_t		signed_offset;	/* of the clock that it was signed by */
	int64_t		due_us;			/* of the next attempt, while BACKOFF; of the
								 * end of a resumed one; or DYN_LOOP_NEVER */
	size_t		allowance;		/* body bytes an attempt may receive */
	bool		suspended;		/* paused, and its time does not run */
	int64_t		left_us;		/* its time when it was paused last; -1: it
								 * was never paused */
	DynRetryClass last_retry;	/* class of the last retry, or FINAL */
	int			unattended;		/* attempts that failed while nobody looked */
	bool		clock_tried;	/* this call has corrected the clock */
	unsigned	generation;		/* of the credentials of the last attempt */
	bool		credentials_tried;	/* this call has had others obtained */
	bool		held;			/* BACKOFF: for lack of credentials, a
								 * descriptor or a connection */
	uint64_t	peer;			/* of its connections, or 0 */
	int64_t		waiting_us;		/* since when it waits for a connection, or 0 */
	struct DynActiveCall *next;			/* in the client's list */
} DynActiveCall;

#define DYN_SPARE_BUFFERS	4

struct DynClient
{
	DynConnections connections;
	DynFingerprints fingerprints;
	DynSigKeyCache key_cache;
	DynRandom	random;
	DynActiveCall *active;		/* SENT or BACKOFF */
	int			in_flight;		/* calls that nobody else counts */
	bool		has_completions;	/* not yet seen by the caller */
	DynExchange *exchanges;		/* started and not done */
	DynSocketWatcher *watches;
	DynBuffer	spare[DYN_SPARE_BUFFERS];	/* of responses, for others */
	int			nspare;
	size_t		spare_bytes;	/* their capacity */
};

/*
 * Ends what libcurl has finished, and begins what is due, until nothing more
 * can be done now.
 */
extern void dyn_client_process(DynClient *client);

/* Has the descriptor become readable when the next thing is due. */
extern void dyn_client_arm(DynClient *client);

#endif

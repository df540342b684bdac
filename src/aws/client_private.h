/*
 * client_private.h
 *		The state of a client and its calls; functions that send calls.
 */
#ifndef DYN_AWS_CLIENT_PRIVATE_H
#define DYN_AWS_CLIENT_PRIVATE_H

#include "client.h"
#include "http.h"
#include "loop.h"
#include "retry.h"
#include "sigv4.h"
#include "sockets.h"
#include "tls.h"

/* ---- connections (connections.c) --------------------------------------- */

/* The connections and transfers of a client; must be zero-initialized. */
typedef struct DynConnections
{
	DynLoop		loop;
	DynSockets	sockets;
	DynTls		tls;
	const DynDescriptors *descriptors;	/* callbacks; NULL if not used */
	int			granted;		/* file descriptors acquired for connections */
	DynHttp    *handles;		/* spare easy handles */
	int			nhandles;
	int			used;			/* number of running transfers */
	int			peak;			/* maximum of `used` in this statement */
	int			last_peak;		/* peak of the previous statement */
	int			keep;			/* largest max_idle_connections of the services
								 * used in this statement */
	bool		drop_idle;		/* true to drop connections when `used` is 0 */
	int64_t		waited_us;		/* sum of waits for connections (us), minus an
								 * allowed wait for each connection made */
} DynConnections;

/*
 * Must be called before each attempt.  Calls dyn_connections_check_trust; at a
 * statement's first attempt, drops all connections if a peer has closed one.
 */
extern void dyn_connections_prepare(DynConnections *connections,
									const DynService *service);

/*
 * Must be called before each transfer.  If the CA bundle has changed, and no
 * other transfer runs, drops connections, TLS sessions and certificates.
 */
extern void dyn_connections_check_trust(DynConnections *connections,
										const char *url, const char *proxy,
										const char *ca_bundle);

/*
 * Returns a fingerprint of the service's URL, CA bundle and proxy; services
 * with the same fingerprint can use the same connections.  Returns 0 if TLS is
 * not used, because connections are cheap to make then.
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

/* Records that a request is sent after a wait (us) for a connection. */
extern void dyn_connections_waited(DynConnections *connections, uint64_t peer,
								   int64_t waited_us);

/*
 * Ensures that one more transfer has a file descriptor.  If the limit of
 * descriptors is reached, returns false, unless `always` is true.
 */
extern bool dyn_connections_acquire(DynConnections *connections, bool always);

/* Reserve and release `n` file descriptors for uses other than connections. */
extern void dyn_connections_hold(DynConnections *connections, int n);
extern void dyn_connections_return(DynConnections *connections, int n);

/* Returns a handle from the pool, or a new one; NULL if memory runs out. */
extern DynHttp *dyn_connections_take_handle(DynConnections *connections);

/* Gives a handle back to the pool; its transfer must not be running. */
extern void dyn_connections_give_handle(DynConnections *connections,
										DynHttp *http);

/*
 * Starts a transfer; returns false if memory runs out.  `keep` is the
 * max_idle_connections of the transfer's service.
 */
extern bool dyn_connections_enter(DynConnections *connections, DynHttp *http,
								  int keep);

/* Removes a transfer, ended or not; gives its handle back to the pool. */
extern void dyn_connections_leave(DynConnections *connections, DynHttp *http);

/* ---- calls and the client ----------------------------------------------- */

typedef struct DynActiveCall
{
	DynCall		public;			/* public members; must be first */
	DynClient  *client;
	const DynService *service;
	DynRetryQuota *quota;
	const char *operation;
	DynBuffer	body;
	DynBuffer	packed;			/* gzip response, until it is unpacked */
	DynHttp    *http;			/* easy handle; NULL unless SENT */
	DynSocket	socket;			/* socket of the last attempt */
	int64_t		attempt_us;		/* start of the attempt (monotonic us) */
	int64_t		signed_offset;	/* clock offset used for the signature (s) */
	int64_t		due_us;			/* time of the next attempt (BACKOFF), or
								 * deadline of a transfer (monotonic us);
								 * DYN_LOOP_NEVER if none */
	size_t		allowance;		/* body bytes that an attempt may receive */
	bool		suspended;		/* true if paused, with the timeout stopped */
	int64_t		left_us;		/* rest of the timeout at the last pause (us);
								 * -1 if the attempt was never paused */
	bool		left_alone;		/* true if the attempt was paused, or we did not
								 * read for more than DYN_LOOP_LATE_US */
	DynRetryClass last_retry;	/* class of the last retry; FINAL if none */
	int			unattended;		/* number of failures that do not count toward
								 * max_attempts (MOST_UNATTENDED) */
	bool		clock_tried;	/* true if a clock correction was tried */
	unsigned	generation;		/* generation of the credentials last used */
	bool		credentials_tried;	/* true after credentials were rejected */
	bool		held;			/* true if the call is in BACKOFF and waits for
								 * credentials, a descriptor or a connection */
	uint64_t	peer;			/* fingerprint of the peer
								 * (dyn_connections_peer); 0 without TLS */
	int64_t		waiting_us;		/* start of the call's wait for a connection
								 * (monotonic us); 0 if it does not wait */
	struct DynActiveCall *next; /* next call in the list */
} DynActiveCall;

#define DYN_SPARE_BUFFERS	4

struct DynClient
{
	DynConnections connections;
	DynFingerprints fingerprints;
	DynSigKeyCache key_cache;
	DynActiveCall *active;		/* SENT and BACKOFF calls */
	int			in_flight;		/* default counter for DynCall.in_flight */
	bool		has_completions;	/* true if a call ended after the last
									 * dyn_client_drive */
	int64_t		left_us;		/* time at which the caller last got control
								 * back (monotonic us) */
	bool		waits;			/* as set by dyn_client_will_wait */
	DynExchange *exchanges;		/* exchanges started, but not reported yet */
	DynSocketWatcher *watchers;
	DynBuffer	spare[DYN_SPARE_BUFFERS];	/* response buffers for reuse */
	int			nspare;
	size_t		spare_bytes;	/* sum of the spare buffers' capacities */
};

/* ---- attempts (attempt.c) --------------------------------------------- */

/* Add a call to client->active and count it in *in_flight; or undo both. */
extern void dyn_attempt_link(DynActiveCall *call);
extern void dyn_attempt_unlink(DynActiveCall *call);

/* Sends an active call; if it must wait, sets `held`; on failure, ends it. */
extern void dyn_attempt_begin(DynActiveCall *call);

/* Ends an active call that was not sent, with the given failure. */
extern void dyn_attempt_refuse(DynActiveCall *call, DynFailure failure);

extern void dyn_attempt_end(DynActiveCall *call, CURLcode code);

/*
 * Ends an attempt whose deadline has passed.  But if the client was driven
 * late, gives the attempt more time: an unread response may have arrived.
 */
extern void dyn_attempt_end_overdue(DynActiveCall *call, int64_t now);

/* Removes the call's transfer, ended or not, and makes `held` calls due. */
extern void dyn_attempt_abandon(DynActiveCall *call);

/*
 * Returns true if the failed attempt may be repeated.  Depending on the class,
 * also corrects our offset from the service's clock (CLOCK), reports to the
 * provider that its credentials were rejected (CREDENTIALS), or takes tokens
 * from the call's quota.
 */
extern bool dyn_attempt_may_repeat(DynActiveCall *call, DynRetryClass class);

/* Puts the call into BACKOFF; retry_after_ms is that of the reply, or -1. */
extern void dyn_attempt_delay(DynActiveCall *call, DynRetryClass class,
							  long retry_after_ms);

/*
 * Postpones deadlines by `us`, the time for which the client was not driven:
 * all deadlines if `us` > DYN_LOOP_LATE_US, otherwise those of writes.
 */
extern void dyn_attempts_defer(DynClient *client, int64_t us);

extern void dyn_attempt_resume(DynActiveCall *call);

/* Stops the timeouts of newly paused calls, and decrements their in_flight. */
extern void dyn_attempts_suspend_paused(DynClient *client);

/* Makes `held` calls due, or only those that wait for a connection. */
extern void dyn_attempts_try_held(DynClient *client, bool connections_only);

/* Returns the least due_us of active calls; DYN_LOOP_NEVER if none. */
extern int64_t dyn_attempts_next_due(const DynClient *client);

/* ---- checks of responses (response_check.c) ---------------------------- */

/*
 * Checks the result of an attempt, and returns its retry class (FINAL after a
 * success).  Records the result in *call.  Does not inflate a body of status
 * 200.  `signed_clock` is the current time (s since the epoch) plus the
 * signature's clock offset.
 */
extern DynRetryClass dyn_response_check(DynCall *call, DynHttp *http,
										CURLcode code,
										const DynCredentials *credentials,
										int64_t signed_clock);

/* Inflates a body into the call's response; sets the message on failure. */
extern DynFailure dyn_response_inflate(DynCall *call, const DynBuffer *packed);

/* ---- error documents (awserror.c) -------------------------------------- */

/*
 * Parses an error document into the call's code, message, throttle_reason and
 * hot_partition, which must be empty.  `credentials` are those that signed the
 * request, or NULL; their secrets do not appear in *call.  Returns
 * DYN_FAIL_SERVICE on success, DYN_FAIL_MEMORY, or DYN_FAIL_HTTP (with an
 * empty code) if the body is not an error document or is too long.
 */
extern DynFailure dyn_awserror_parse(const char *body, size_t len,
									 const DynCredentials *credentials,
									 DynCall *call);

#endif

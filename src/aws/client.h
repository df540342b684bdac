/*
 * client.h
 *		Sends a request to an AWS JSON service: signing, retries, checks.
 *
 * A DynClient belongs to a backend.  It owns libcurl's multi handle, whose
 * connection cache keeps connections alive over statements, the epoll
 * descriptor and the timer that mirror it, and a pool of easy handles and
 * response buffers.
 *
 * A DynService holds the endpoint, the credentials and the limits.  It belongs
 * to the caller and must outlive every call started on it.  The service's time
 * (DynClock) is kept separately, so that copies of a DynService with other
 * limits share it.
 *
 * A DynCall is one request with all its attempts.  Legal order:
 *
 *		call = dyn_call_create(client)
 *		write the JSON document into dyn_call_body(call)
 *		dyn_call_start(call, service, quota, "Query")
 *		dyn_client_wait(...) until call->state is DYN_CALL_DONE
 *		dyn_call_unpack(call); if it returns false, wait again
 *		check call->failure; take or read call->response
 *		reset the body and start again (the next page), or dyn_call_destroy
 *
 * dyn_call_destroy is legal in every state, also while an attempt is running,
 * and never blocks.  Nothing in src/aws raises a PostgreSQL error, calls
 * PostgreSQL or sleeps: waiting is done by the caller's DynWaitFn only, which
 * is never called from inside libcurl.  The process must ignore SIGPIPE, as
 * PostgreSQL does.
 */
#ifndef DYN_AWS_CLIENT_H
#define DYN_AWS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buffer.h"
struct DynError;
struct DynProvider;
struct DynRetryQuota;

typedef struct DynClient DynClient;

typedef enum DynWait
{
	DYN_WAIT_READY,				/* the descriptor became readable */
	DYN_WAIT_TIMEOUT,			/* the timeout expired */
	DYN_WAIT_INTERRUPTED		/* the caller has other work */
} DynWait;

/*
 * Waits until `fd` is readable, at most timeout_ms (-1: no bound).  May exit
 * by longjmp: the client's state is consistent whenever this is called.
 */
typedef DynWait (*DynWaitFn) (void *arg, int fd, long timeout_ms);

/* The time at the service; zero-initialise it. */
typedef struct DynClock
{
	int64_t		offset;			/* server time minus local time, seconds */
	bool		corrected;		/* a skew was corrected once */
} DynClock;

typedef struct DynService
{
	/* set by the caller, not changed while a call runs */
	const char *url;			/* "https://host[:port]/" */
	const char *host;			/* value of the Host header, with port if not
								 * the scheme's own */
	const char *region;			/* signing region */
	const char *signing_name;	/* "dynamodb" */
	const char *target_prefix;	/* "DynamoDB_20120810." */
	const char *ca_bundle;		/* CA bundle, or NULL for the system's */
	const char *proxy;			/* proxy URL, or NULL: no proxy whatever the
								 * environment says */
	struct DynProvider *provider;	/* of credentials (provider.h) */
	int			connect_timeout_ms;
	int			request_timeout_ms; /* of one attempt, body included, pauses
									 * (dyn_call_allow) not */
	int			max_attempts;
	size_t		max_response;	/* bytes of a response body, after inflating */
	int			max_idle_connections;	/* to keep open between statements */
	DynClock   *clock;			/* learned by the client */
} DynService;

typedef enum DynCallState
{
	DYN_CALL_IDLE,				/* not started */
	DYN_CALL_SENT,				/* an attempt is running */
	DYN_CALL_BACKOFF,			/* waits for the next attempt, for credentials
								 * or for a descriptor */
	DYN_CALL_DONE				/* failure, response and counts are final */
} DynCallState;

typedef enum DynFailure
{
	DYN_FAIL_NONE = 0,			/* HTTP 200, body checked */
	DYN_FAIL_SERVICE,			/* an error document; see code and message */
	DYN_FAIL_HTTP,				/* an HTTP error whose body is not an error
								 * document; see http_status, message */
	DYN_FAIL_DNS,
	DYN_FAIL_CONNECT,
	DYN_FAIL_TLS,
	DYN_FAIL_TIMEOUT,			/* of connecting or of the whole attempt */
	DYN_FAIL_NETWORK,			/* reset, truncated, protocol violated */
	DYN_FAIL_TOO_LARGE,			/* body over max_response, headers too long */
	DYN_FAIL_CHECKSUM,			/* x-amz-crc32 does not match the body */
	DYN_FAIL_ENCODING,			/* gzip stream damaged */
	DYN_FAIL_ADDRESS,			/* the host resolved to a refused address */
	DYN_FAIL_CONFIG,			/* bad URL, unreadable ca_bundle */
	DYN_FAIL_CREDENTIALS,		/* see the provider's fault */
	DYN_FAIL_MEMORY
} DynFailure;

typedef struct DynCall
{
	DynCallState state;

	/* may be set by the caller before the call is started, and are kept */
	bool		ends_throttled; /* a throttled attempt is the last one */
	int		   *in_flight;		/* counts the call from its start until it is
								 * done or destroyed, but not while it is
								 * paused */

	/* final once state is DYN_CALL_DONE */
	DynFailure	failure;
	bool		passing;		/* the failure may be temporary */
	int			http_status;	/* of the last attempt; 0 if none came */
	char		code[128];		/* DynamoDB's error code, "" if none */
	char		message[1024];	/* its text, or libcurl's; truncated to fit,
								 * printable, valid UTF-8 */
	char		request_id[128];	/* x-amzn-RequestId of the last attempt */
	const struct DynError *err; /* of DYN_FAIL_CREDENTIALS; the provider's */
	char		throttle_reason[256];	/* "reason resource" of the first
										 * throttling reason, or "" */
	bool		throttled;		/* the last attempt was throttled... */
	bool		hot_partition;	/* ...for the limit of a partition only */
	DynBuffer	response;		/* the body, after dyn_call_unpack */

	/* counted over all attempts */
	int			attempts;
	int			throttles;		/* attempts that were throttled */
	int			lost;			/* attempts that may have been executed, but
								 * were not answered; counted at once */
	uint64_t	bytes_received; /* body bytes on the wire */
	double		elapsed_ms;		/* start to done */
	double		started_ms;		/* monotonic, as of the start... */
	double		done_ms;		/* ...and of the end */
} DynCall;

/*
 * Callbacks that account for file descriptors of the process.  `acquire` asks
 * for one more and may return false, `reserve` always takes one, `release`
 * gives one back.
 */
typedef struct DynDescriptors
{
	bool		(*acquire) (void);
	void		(*reserve) (void);
	void		(*release) (void);
} DynDescriptors;

/*
 * Returns NULL if libcurl, epoll or an allocation fails.  While `acquire`
 * returns false, requests wait until others have ended; one is always sent.
 * With `descriptors` NULL, descriptors are not accounted for.
 */
extern DynClient *dyn_client_create(const DynDescriptors *descriptors);

/*
 * Closes idle connections, and forgets the TLS sessions that new ones could
 * resume; active calls are not affected.
 */
extern void dyn_client_close_idle(DynClient *client);

/*
 * To be called when a statement has ended.  As many idle connections stay open
 * as this statement or the one before used at once, up to max_idle_connections of
 * its services.  If there are more, or the peer has closed some, all are
 * closed: libcurl cannot close single ones.
 */
extern void dyn_client_end_statement(DynClient *client);

/* Descriptor that is readable whenever dyn_client_drive has work to do. */
extern int	dyn_client_fd(const DynClient *client);

/*
 * Makes all progress that is possible without waiting: transfers bytes, starts
 * attempts whose backoff is over, finishes calls.
 */
extern void dyn_client_drive(DynClient *client);

/*
 * Drives, waits once through `wait` (at most timeout_ms; -1: until something
 * happens; never beyond the next backoff), drives again.
 */
extern DynWait dyn_client_wait(DynClient *client, DynWaitFn wait, void *arg,
							   long timeout_ms);

/* Makes the descriptor readable after `ms` milliseconds at the latest. */
extern void dyn_client_wake(DynClient *client, double ms);

/* Descriptors held open (connections, epoll, timer); for leak tests. */
extern int	dyn_client_open_fds(const DynClient *client);

/* Returns NULL if memory runs out. */
extern DynCall *dyn_call_create(DynClient *client);

/* The request document: reset it, write it, then start the call. */
extern DynBuffer *dyn_call_body(DynCall *call);

/*
 * Starts the call (again, after DONE) with the current body.  A failure to
 * start is reported like any other: state DONE and `failure` set.  `quota`
 * (retry.h) limits the retries of all calls that share it, and must live until
 * the call is done or destroyed.  `operation` is appended to the service's
 * target_prefix; it is copied.
 */
extern void dyn_call_start(DynCall *call, const DynService *service,
						   struct DynRetryQuota *quota, const char *operation);

/*
 * Prepares the response of a call that is DONE for reading.  A compressed body
 * is only inflated now, because it may become much larger.  Returns false if
 * that fails in a way that is retried: the call is then no longer DONE.
 */
extern bool dyn_call_unpack(DynCall *call);

/* Bytes received and held for the call, compressed or not. */
extern size_t dyn_call_held(const DynCall *call);

/*
 * Bounds the bytes of body that each attempt receives, as they are on the
 * wire: then it is paused, and the peer has to wait, until this is called with
 * a higher bound.  A new call has no bound; it stays when the call is started
 * again.  Legal in every state.
 */
extern void dyn_call_allow(DynCall *call, size_t bytes);

/* Has the running attempt reached its bound? */
extern bool dyn_call_is_paused(const DynCall *call);

/*
 * Moves the response to *out, which must not own memory.  Return it with
 * dyn_client_recycle, so that pages reuse the memory.
 */
extern void dyn_call_take_response(DynCall *call, DynBuffer *out);
extern void dyn_client_recycle(DynClient *client, DynBuffer *buf);

/*
 * To be called if the response of a finished call was rejected: its
 * connection, if still open, is not used again.
 */
extern void dyn_call_distrust(const DynCall *call);

extern void dyn_call_destroy(DynCall *call);

/* A fixed phrase for the failure, such as "could not connect". */
extern const char *dyn_failure_phrase(DynFailure failure);

#endif

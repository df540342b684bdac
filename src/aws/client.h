/*
 * client.h
 *		One logical request to an AWS JSON service: signed, sent, retried,
 *		checked.
 *
 * A DynClient belongs to a backend.  It owns libcurl's multi handle, whose
 * connection cache keeps connections alive over statements, the epoll
 * descriptor and the timer that mirror it, and a pool of easy handles and
 * response buffers.
 *
 * A DynService says where to send, as whom, and how patiently; it belongs to
 * the caller and must outlive every call started on it.  What is learned there
 * (the service's time) is kept beside it, so that copies of a service with other
 * limits share it.
 *
 * A DynCall is one request with all its attempts.  Legal order:
 *
 *		call = dyn_call_create(client)
 *		write the JSON document into dyn_call_body(call)
 *		dyn_call_start(call, service, quota, "Query")
 *		dyn_client_wait(...) until call->state is DYN_CALL_DONE
 *		dyn_call_unpack(call); wait on if it says that the call is not done
 *		look at call->failure; take or read call->response
 *		reset the body and start again (the next page), or dyn_call_destroy
 *
 * dyn_call_destroy is legal in every state, also while an attempt is under
 * way, and never blocks.  Nothing in this room raises a PostgreSQL error,
 * calls into PostgreSQL or sleeps: the only place that waits is the caller's
 * DynWaitFn, and it is never called from inside libcurl.  The process must
 * ignore SIGPIPE, as PostgreSQL does.
 */
#ifndef DYN_AWS_CLIENT_H
#define DYN_AWS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buffer.h"
#include "credentials.h"

struct DynRetryQuota;

typedef struct DynClient DynClient;

typedef enum DynWait
{
	DYN_WAIT_READY,				/* the descriptor became readable */
	DYN_WAIT_TIMEOUT,			/* the time is over */
	DYN_WAIT_INTERRUPTED		/* the caller has something else to look at */
} DynWait;

/*
 * Waits until `fd` is readable, at most timeout_ms (-1: no bound).  May leave
 * by longjmp: the client's state is consistent whenever it is called.
 */
typedef DynWait (*DynWaitFn) (void *arg, int fd, long timeout_ms);

/* What time it is at the service; zero before the first call. */
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
	const char *ca_file;		/* CA bundle, or NULL for the system's */
	const char *proxy;			/* proxy URL, or NULL: no proxy whatever the
								 * environment says */
	const DynCredentials *credentials;
	int			connect_timeout_ms;
	int			request_timeout_ms; /* of one attempt, body included */
	int			max_attempts;
	size_t		max_response;	/* bytes of a response body, after inflating */
	int			keep_connections;	/* that stay open between statements */
	DynClock   *clock;			/* learned by the client */
} DynService;

typedef enum DynCallState
{
	DYN_CALL_IDLE,				/* not started */
	DYN_CALL_SENT,				/* an attempt is under way */
	DYN_CALL_BACKOFF,			/* waiting before the next attempt, or for a
								 * descriptor */
	DYN_CALL_DONE				/* failure, response and figures are final */
} DynCallState;

typedef enum DynFailure
{
	DYN_FAIL_NONE = 0,			/* HTTP 200, body checked */
	DYN_FAIL_SERVICE,			/* an error document; see code and message */
	DYN_FAIL_HTTP,				/* an HTTP error whose body is no error
								 * document; see http_status, message */
	DYN_FAIL_DNS,
	DYN_FAIL_CONNECT,
	DYN_FAIL_TLS,
	DYN_FAIL_TIMEOUT,			/* of connecting or of the whole attempt */
	DYN_FAIL_NETWORK,			/* reset, cut off, protocol violated */
	DYN_FAIL_TOO_LARGE,			/* body above max_response, headers too long */
	DYN_FAIL_CHECKSUM,			/* x-amz-crc32 does not fit the bytes */
	DYN_FAIL_ENCODING,			/* gzip stream damaged */
	DYN_FAIL_ADDRESS,			/* the host resolved to a refused address */
	DYN_FAIL_CONFIG,			/* bad URL, unreadable ca_file */
	DYN_FAIL_MEMORY
} DynFailure;

typedef struct DynCall
{
	DynCallState state;

	/* final once state is DYN_CALL_DONE */
	DynFailure	failure;
	bool		passing;		/* the failure may be gone the next time */
	int			http_status;	/* of the last attempt; 0 if none came */
	char		code[128];		/* DynamoDB's error code, "" if none */
	char		message[1024];	/* its text, or what libcurl said; cut to fit,
								 * printable, valid UTF-8 */
	char		request_id[128];	/* x-amzn-RequestId of the last attempt */
	char		throttle_reason[256];	/* "reason resource" of the first
										 * throttling reason, or "" */
	DynBuffer	response;		/* the body, after dyn_call_unpack */

	/* counted over all attempts */
	int			attempts;
	int			throttles;		/* attempts refused for throttling */
	uint64_t	bytes_received; /* body bytes on the wire */
	double		elapsed_ms;		/* start to done */
} DynCall;

/*
 * The process's account of descriptors.  `acquire` asks for one more and may
 * refuse, `reserve` takes one in any case, `release` gives one back.
 */
typedef struct DynDescriptors
{
	bool		(*acquire) (void);
	void		(*reserve) (void);
	void		(*release) (void);
} DynDescriptors;

/*
 * NULL when libcurl, epoll or memory fail.  While `acquire` refuses, requests wait
 * until others have ended; one is always sent.  NULL: no account is kept.
 */
extern DynClient *dyn_client_create(const DynDescriptors *descriptors);

/* Only when every call has been destroyed. */
extern void dyn_client_destroy(DynClient *client);

/* Closes idle connections; calls under way are not touched. */
extern void dyn_client_close_idle(DynClient *client);

/*
 * A statement has ended.  Idle connections stay open as far as it, or the one
 * before it, has used them at once, and as the services of its calls want to keep.
 * If there are more, or the peer has closed some, all are closed: libcurl cannot
 * close some of them.
 */
extern void dyn_client_end_statement(DynClient *client);

/* Descriptor that is readable whenever dyn_client_drive has work to do. */
extern int	dyn_client_fd(const DynClient *client);

/*
 * Makes whatever progress is possible without waiting: moves bytes, starts
 * attempts whose backoff is over, finishes calls.
 */
extern void dyn_client_drive(DynClient *client);

/*
 * Drives, waits once through `wait` (at most timeout_ms; -1: until something
 * happens; never beyond the next backoff), drives again.
 */
extern DynWait dyn_client_wait(DynClient *client, DynWaitFn wait, void *arg,
							   long timeout_ms);

/* Makes the descriptor readable in so many milliseconds, if not before. */
extern void dyn_client_wake(DynClient *client, double ms);

/* Descriptors held open (connections, epoll, timer); for leak tests. */
extern int	dyn_client_open_fds(const DynClient *client);

/* Connections opened since the client was created. */
extern uint64_t dyn_client_connections(const DynClient *client);

/* NULL when memory fails. */
extern DynCall *dyn_call_create(DynClient *client);

/* The request document: reset it, write it, then start the call. */
extern DynBuffer *dyn_call_body(DynCall *call);

/*
 * Starts (or starts again, after DONE) with the body as it stands.  A failure
 * to start is reported like any other: state DONE and `failure` set.
 * `quota` (retry.h) bounds the retries of all calls that share it, and must stay
 * until the call is done or destroyed.  `operation` is appended to the service's
 * target_prefix; copied.
 */
extern void dyn_call_start(DynCall *call, const DynService *service,
						   struct DynRetryQuota *quota, const char *operation);

/*
 * Makes the response of a call that is DONE ready to be read: a body that came
 * packed stays so until then, as it may become much larger.  False if the
 * attempt turned out to be worth repeating: the call is not DONE any more.
 */
extern bool dyn_call_unpack(DynCall *call);

/* Bytes that have arrived and are held for the call, packed or not. */
extern size_t dyn_call_held(const DynCall *call);

/*
 * Moves the response into *out, which must not own memory; give it back with
 * dyn_client_recycle, so that pages reuse their memory.
 */
extern void dyn_call_take_response(DynCall *call, DynBuffer *out);
extern void dyn_client_recycle(DynClient *client, DynBuffer *buf);

/*
 * The answer of a call that is done was refused: its connection, if it is still
 * open, is not used again.
 */
extern void dyn_call_distrust(const DynCall *call);

extern void dyn_call_destroy(DynCall *call);

/* "https" failures in words: a fixed phrase such as "could not connect". */
extern const char *dyn_failure_phrase(DynFailure failure);

#endif

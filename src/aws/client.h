/*
 * client.h
 *		Signs, sends and retries requests to an AWS JSON service.
 *
 * A DynClient belongs to a backend, and keeps connections across statements.
 * A DynService belongs to the caller, and must outlive every call started on
 * it.  A DynCall is one request with all its attempts.  Legal order:
 *
 *		call = dyn_call_create(client)
 *		write the JSON document into dyn_call_body(call)
 *		dyn_call_start(call, service, quota, "Query")
 *		dyn_client_wait(...) until call->state is DYN_CALL_DONE
 *		dyn_call_unpack(call); if it returns false, wait again
 *		check call->failure; take or read call->response
 *		reset the body and start again (the next page), or dyn_call_destroy
 *
 * dyn_call_destroy is legal in every state, even while an attempt is running,
 * and never blocks.  Nothing in src/aws calls PostgreSQL, raises its errors or
 * sleeps.  Only the caller's DynWaitFn waits; it is never called from inside
 * libcurl.  The process must ignore SIGPIPE, as PostgreSQL does.
 *
 * The service may execute a call several times, since an attempt whose
 * response is lost is repeated.  But it executes a call with the flag `once`
 * at most once: such a call is repeated only if the service refused it, or if
 * no byte of its body was sent.
 */
#ifndef DYN_AWS_CLIENT_H
#define DYN_AWS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buffer.h"
#include "address.h"

struct curl_slist;
struct DynCredentials;
struct DynError;
struct DynProvider;
struct DynRetryQuota;

typedef struct DynClient DynClient;

typedef enum DynWait
{
	DYN_WAIT_READY,				/* the descriptor became readable */
	DYN_WAIT_TIMEOUT,
	DYN_WAIT_INTERRUPTED		/* the wait ended early: the caller has work */
} DynWait;

/*
 * Waits until `fd` is readable, but at most timeout_ms; -1 means no limit.
 * May exit by longjmp, since the client's state is consistent during the wait.
 */
typedef DynWait (*DynWaitFn) (void *arg, int fd, long timeout_ms);

/* A service's clock, shared by copies of a DynService; zero-initialize it. */
typedef struct DynClock
{
	int64_t		offset;			/* server's time minus local time (s) */
	bool		corrected;		/* true if the offset was set from a reply */
} DynClock;

typedef struct DynService
{
	/* set by the caller; constant while a call runs */
	const char *url;			/* "https://host[:port]/" */
	const char *host;			/* value of the Host header, with the port
								 * unless it is the scheme's default */
	const char *region;			/* for signing */
	const char *signing_name;	/* "dynamodb" */
	const char *target_prefix;	/* "DynamoDB_20120810." */
	const char *ca_bundle;		/* path; NULL for the system's certificates */
	const char *proxy;			/* URL, or NULL; the environment is ignored */
	struct DynProvider *provider;
	int			connect_timeout_ms;
	int			request_timeout_ms; /* time limit of one attempt; extended by
									 * pauses (dyn_call_allow) and other work
									 * of the caller (dyn_client_will_wait) */
	int			max_attempts;
	size_t		max_response;	/* maximum size of an inflated body (bytes) */
	int			max_idle_connections;	/* maximum between statements */
	DynClock   *clock;			/* clock that the client corrects */
} DynService;

typedef enum DynCallState
{
	DYN_CALL_IDLE,				/* state before the first start */
	DYN_CALL_SENT,				/* an attempt is running */
	DYN_CALL_BACKOFF,			/* waits for the next attempt, credentials, a
								 * descriptor or a connection */
	DYN_CALL_DONE				/* has ended: the members failure, response
								 * and counts are final */
} DynCallState;

typedef enum DynFailure
{
	DYN_FAIL_NONE = 0,			/* HTTP 200; the checksum, if any, matches */
	DYN_FAIL_SERVICE,			/* an error document; see code and message */
	DYN_FAIL_HTTP,				/* an HTTP error whose body is not an error
								 * document; see http_status and message */
	DYN_FAIL_DNS,
	DYN_FAIL_CONNECT,
	DYN_FAIL_TLS,
	DYN_FAIL_TIMEOUT,			/* connect_timeout or request_timeout expired */
	DYN_FAIL_NETWORK,			/* connection lost, or malformed reply */
	DYN_FAIL_TOO_LARGE,			/* reply exceeds max_response or header limit */
	DYN_FAIL_CHECKSUM,			/* x-amz-crc32 does not match the body */
	DYN_FAIL_ENCODING,			/* damaged gzip stream, or unknown encoding */
	DYN_FAIL_ADDRESS,			/* the host resolved to a refused address */
	DYN_FAIL_CONFIG,			/* bad URL, unreadable ca_bundle */
	DYN_FAIL_CREDENTIALS,		/* see DynCall.err */
	DYN_FAIL_MEMORY
} DynFailure;

typedef struct DynCall
{
	DynCallState state;

	/* set by the caller before dyn_call_start, which does not change them */
	bool		ends_throttled; /* true if throttling ends the call, and the
								 * caller decides when to send it again */
	bool		once;			/* true for a write, which must not be repeated
								 * if it may have been executed */
	int		   *in_flight;		/* counter that includes this call while it is
								 * active and not paused */

	/* final once state is DYN_CALL_DONE */
	DynFailure	failure;
	bool		passing;		/* true if the failure may be temporary */
	int			http_status;	/* 0 if the last attempt had no reply */
	char		code[128];		/* DynamoDB's error code, "" if none */
	char		message[1024];	/* text of the error, from DynamoDB or libcurl;
								 * truncated, printable, valid UTF-8 */
	char		request_id[128];	/* x-amzn-RequestId of the last attempt */
	bool		unanswered;		/* true if a call with `once` may have been
								 * executed, but has no usable response; the
								 * caller sets it if the body is unusable */
	bool		conflicting;	/* set by the caller: true if a conflict has
								 * canceled this call's transaction */
	bool		repeats;		/* true if dyn_call_is_repeated was true when
								 * the call was started */
	const struct DynError *err; /* set for DYN_FAIL_CREDENTIALS */
	char		throttle_reason[256];	/* first throttling reason and its
										 * resource, or "" */
	bool		throttled;		/* true if the last attempt was throttled */
	bool		hot_partition;	/* true if only limits of single partitions
								 * were exceeded, according to DynamoDB */
	DynBuffer	response;		/* body, after dyn_call_unpack */

	/* counted over all attempts */
	int			attempts;
	int			throttles;
	int			lost;			/* number of attempts that may have been
								 * executed, but got no valid reply; may be
								 * read in every state of the call */
	uint64_t	bytes_received; /* body bytes on the wire */
	double		elapsed_ms;		/* time from the start to the end */
	double		started_ms;		/* monotonic time of the start */
	double		done_ms;		/* monotonic time of the end */
} DynCall;

/*
 * Returns true if the finished call (DYN_CALL_DONE) has a result after which
 * callers usually send the request again.
 */
static inline bool
dyn_call_is_repeated(const DynCall *call)
{
	return call->unanswered || call->conflicting ||
		(call->throttled && call->ends_throttled);
}

/*
 * Callbacks that count the process's file descriptors (in PostgreSQL, fd.c).
 * `acquire` counts one more, or returns false if the limit is reached;
 * `reserve` counts one more even beyond the limit; `release` counts one less.
 */
typedef struct DynDescriptors
{
	bool		(*acquire) (void);
	void		(*reserve) (void);
	void		(*release) (void);
} DynDescriptors;

/*
 * Creates a client; returns NULL if libcurl, epoll or an allocation fails.  If
 * descriptors->acquire returns false while other requests are running, a
 * request waits until one of them ends.  `descriptors` may be NULL.
 */
extern DynClient *dyn_client_create(const DynDescriptors *descriptors);

/*
 * Closes all connections and drops their TLS sessions as soon as no transfer
 * is running.  Active calls are not affected.
 */
extern void dyn_client_close_idle(DynClient *client);

/*
 * Must be called when a statement has ended.  Unless a transfer is running,
 * closes all connections if more are open than needed, if a peer has closed
 * one, or if the process is short of file descriptors.  As many are needed as
 * requests were in flight at once in this or the previous statement, but at
 * most the highest max_idle_connections of the services used.
 */
extern void dyn_client_end_statement(DynClient *client);

/* Returns a descriptor that is readable if dyn_client_drive has work to do. */
extern int	dyn_client_fd(const DynClient *client);

/* Makes all progress that is possible without waiting. */
extern void dyn_client_drive(DynClient *client);

/*
 * Calls `wait` once, with the client's descriptor and timeout_ms, drives the
 * client, and returns the result of `wait`.  If calls have already ended, or
 * if timeout_ms is -1 (no limit) and nothing is active, drives the client
 * without calling `wait`, and returns DYN_WAIT_READY.
 */
extern DynWait dyn_client_wait(DynClient *client, DynWaitFn wait, void *arg,
							   long timeout_ms);

/*
 * Declares whether the caller waits for the client's descriptor until the next
 * dyn_client_drive, or does other work (the default).  The time of other work
 * is added to the deadlines of writes (calls with `once`).  If this time
 * exceeds DYN_LOOP_LATE_US, it is added to the deadlines of all calls.
 */
extern void dyn_client_will_wait(DynClient *client, bool waits);

/* Makes the client's descriptor readable after at most `ms` milliseconds. */
extern void dyn_client_wake(DynClient *client, double ms);

/*
 * A descriptor or a time that ends the wait of dyn_client_wait.  The caller
 * owns the watcher, and must not free or move it until it is removed.  Each
 * dyn_client_drive calls callback(arg), even if `fd` is not readable and
 * due_us is not reached.  The callback may remove this watcher or add others.
 */
typedef struct DynSocketWatcher
{
	int			fd;				/* -1 if there is no descriptor */
	int			held_fds;		/* descriptors to reserve (DynDescriptors) */
	int64_t		due_us;			/* monotonic us; DYN_LOOP_NEVER if none */
	void		(*callback) (void *arg);
	void	   *arg;

	struct DynSocketWatcher *next;	/* private to client.c */
} DynSocketWatcher;

/* Adds a watcher; returns false if the descriptor cannot be watched. */
extern bool dyn_client_add_watcher(DynClient *client, DynSocketWatcher *watcher);
extern void dyn_client_remove_watcher(DynClient *client, DynSocketWatcher *watcher);

/* Counts open descriptors (connections, epoll, timer), for leak tests. */
extern int	dyn_client_open_fds(const DynClient *client);

/* Creates a call that is IDLE; returns NULL if memory runs out. */
extern DynCall *dyn_call_create(DynClient *client);

/* Returns the buffer for the request document; reset it before writing. */
extern DynBuffer *dyn_call_body(DynCall *call);

/*
 * Starts a call that is IDLE or DONE, with the current body.  If the call
 * cannot be sent, it becomes DONE, with `failure` set.  All arguments must
 * live until the call has ended.
 */
extern void dyn_call_start(DynCall *call, const DynService *service,
						   struct DynRetryQuota *quota, const char *operation);

/*
 * Prepares the response of a DONE call for reading.  Compressed bodies are
 * inflated here, not on arrival, to save memory.  If inflating fails, and the
 * attempt can be repeated, puts the call into BACKOFF, and returns false.  If
 * the attempt cannot be repeated, sets `failure`, and returns true.
 */
extern bool dyn_call_unpack(DynCall *call);

/* Returns the size (bytes) of the body in memory, compressed or inflated. */
extern size_t dyn_call_held(const DynCall *call);

/*
 * Limits the body bytes that each attempt receives, as transmitted (before
 * inflating).  At the limit the attempt is paused until this function is
 * called with a higher limit.  A new call has no limit; a limit remains when
 * the call is started again.  Legal in every state.
 */
extern void dyn_call_allow(DynCall *call, size_t bytes);

extern bool dyn_call_is_paused(const DynCall *call);

/* Returns true if this write (call->once is set) may have been executed. */
extern bool dyn_call_may_be_executed(const DynCall *call);

/*
 * Moves the response to *out, which must not own memory.  Pass *out to
 * dyn_client_recycle at the end, so that later responses reuse the memory.
 */
extern void dyn_call_take_response(DynCall *call, DynBuffer *out);
extern void dyn_client_recycle(DynClient *client, DynBuffer *buf);

/* Prevents the reuse of the connection that returned an invalid response. */
extern void dyn_call_distrust(const DynCall *call);

extern void dyn_call_destroy(DynCall *call);

/* Returns a constant phrase for the failure, such as "could not connect". */
extern const char *dyn_failure_phrase(DynFailure failure);

/*
 * Copies text from the network to dst, at most dst_size - 1 bytes and a NUL.
 * Each run of control characters and spaces becomes one space, each malformed
 * byte a question mark, and each secret of `credentials` (may be NULL) "***".
 * Copying ends before the value of an Authorization header.
 */
extern void dyn_awserror_excerpt(const char *text, size_t len,
								 const struct DynCredentials *credentials,
								 char *dst, size_t dst_size);

/* ---- exchanges -------------------------------------------------------- */

/*
 * An exchange is one HTTP request for credentials, which is neither signed nor
 * retried here, and has its own connection.  Legal order:
 *
 *		exchange = dyn_exchange_create("GET", url, policy)
 *		add headers, write the body
 *		dyn_exchange_start(exchange, client, limits, done, arg)
 *		drive the client until done(arg) is called
 *		read the results, dyn_exchange_destroy
 *
 * URL, headers and bodies are overwritten before they are freed.
 */

/* Upper bound of a reply's body (bytes). */
#define DYN_EXCHANGE_LONGEST	((size_t) 64 * 1024)

typedef struct DynExchange
{
	/* the request */
	const char *method;			/* "GET", "POST" or "PUT"; not freed */
	char	   *url;
	struct curl_slist *headers; /* header lines; NULL once started */
	DynBuffer	body;
	DynAddressPolicy policy;

	/* the reply, once the exchange is done */
	DynFailure	failure;		/* NONE if a complete reply arrived, whatever
								 * its status; a reply with a content coding
								 * (such as gzip) is a failure */
	bool		lasting;		/* true if a repetition would fail, too */
	int			status;
	bool		has_date;
	int64_t		date;			/* server's Date, seconds since the epoch */
	DynBuffer	response;
	char		message[256];	/* text of the failure */
	bool		left_alone;		/* true if the client was not driven for some
								 * time, which may have caused the failure */

	/* private to client.c */
	DynClient  *client;			/* NULL unless the exchange runs */
	struct DynHttp *http;		/* NULL unless the exchange runs */
	void		(*done) (void *arg);
	void	   *arg;
	size_t		allowance;
	bool		ended;			/* true if ended, but `done` was not called yet */
	struct DynExchange *next;	/* next exchange in the client's list */
} DynExchange;

/* Limits of an exchange; the limits of a call are in its DynService. */
typedef struct DynExchangeLimits
{
	const char *ca_bundle;		/* as in DynService */
	const char *proxy;			/* as in DynService; NULL for ADDRESS_LOCAL */
	int			connect_timeout_ms;
	int			timeout_ms;
} DynExchangeLimits;

/* Creates an exchange; copies the URL.  Returns NULL if memory runs out. */
extern DynExchange *dyn_exchange_create(const char *method, const char *url,
										DynAddressPolicy policy);

/* Returns false if memory runs out or the value has control characters. */
extern bool dyn_exchange_header(DynExchange *exchange, const char *name,
								const char *value);

/*
 * Sends the request.  `done` is called once, even if the request cannot be
 * sent.  It is called from dyn_client_drive or dyn_client_wait, never from
 * within this function, and may destroy the exchange and start others.
 */
extern void dyn_exchange_start(DynExchange *exchange, DynClient *client,
							   const DynExchangeLimits *limits,
							   void (*done) (void *arg), void *arg);

/* Frees the exchange in any state, even a running one; NULL is allowed. */
extern void dyn_exchange_destroy(DynExchange *exchange);

#endif

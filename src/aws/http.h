/*
 * http.h
 *		Sends HTTP requests on pooled libcurl handles.
 *
 * A DynHttp is an easy handle and the reply that it has received.  Legal
 * order: prepare it, run it in the loop until libcurl reports the end, call
 * dyn_http_result, read the reply, release it; prepare it again.
 */
#ifndef DYN_AWS_HTTP_H
#define DYN_AWS_HTTP_H

#include <curl/curl.h>

#include "address.h"
#include "client.h"
#include "sockets.h"
#include "tls.h"

/* The parts of the reply that are examined while it arrives. */
typedef struct DynReply
{
	int			status;			/* HTTP status; 0 until dyn_http_result */
	size_t		header_bytes;
	bool		has_head;		/* true if the headers are complete */
	size_t		body_bytes;		/* body bytes as transmitted */
	bool		repeated;		/* true if an identical reply was received for
								 * an earlier request */
	bool		has_body_crc;	/* true if there is an x-amz-crc32 */
	bool		garbled_crc;	/* true if x-amz-crc32 is malformed */
	uint32_t	wanted_crc;
	uint32_t	crc;			/* CRC-32 of the body bytes so far */
	bool		packed;			/* true if Content-Encoding is gzip */
	bool		unknown_encoding;
	char		date[40];		/* Date header, unparsed (dyn_http_date) */
	long		retry_after_ms; /* delay requested by the service, or -1 */
	char		request_id[128];
} DynReply;

/* A request.  Its pointers must remain valid while the transfer runs. */
typedef struct DynHttpRequest
{
	void	   *owner;			/* call or exchange */
	bool		is_exchange;	/* true if the owner is an exchange, which has a
								 * connection of its own */
	const char *method;			/* "POST", "GET" or "PUT" */
	const char *url;
	struct curl_slist *headers; /* owned by the handle until it is released */
	const char *body;
	size_t		body_len;
	DynBuffer  *plain;			/* buffer for an uncompressed body */
	DynBuffer  *packed;			/* buffer for a gzip body */
	const size_t *allowance;	/* body bytes to receive before a pause */
	DynAddressPolicy policy;	/* address policy for new sockets */
	uint64_t	peer;			/* fingerprint of the peer, for new sockets */
	DynExchangeLimits limits;	/* a timeout_ms of 0 means no limit */
	bool		resolves;		/* true if a new connection must not use a
								 * cached address of the host */
	bool		never_resend;	/* true if libcurl must not send the request
								 * again when a reused connection is closed */
} DynHttpRequest;

/*
 * A handle.  `sockets` and `tls` must outlive all handles and connections; all
 * other members must be zero-initialized.
 */
typedef struct DynHttp
{
	CURL	   *easy;			/* NULL until a request is prepared */
	DynSockets *sockets;
	DynTls	   *tls;
	struct DynHttp *next;		/* next handle in the pool */
	bool		is_set;			/* true if the constant options are set */
	bool		trusts;			/* true if the TLS options are set, too */
	char	   *ca_bundle;		/* CA bundle that the TLS options name */
	unsigned	forgotten;		/* value of tls->forgotten at the last setup */
	DynHttpRequest request;		/* all zero if the handle is not in use */
	size_t		body_read;		/* bytes of request.body read by libcurl */
	int			opened;			/* last socket opened for the request, or -1 */
	bool		paused;			/* true while the transfer is paused */
	DynFailure	refusal;		/* failure set by a callback, or NONE */
	DynReply	reply;
	char		error[CURL_ERROR_SIZE];
} DynHttp;

/* Append a line, or "name: value"; return false if memory runs out. */
extern bool dyn_http_append_line(struct curl_slist **list, const char *line);
extern bool dyn_http_append_header(struct curl_slist **list,
								   const char *name, const char *value);

/* Wipes and frees the headers; NULL is allowed. */
extern void dyn_http_free_headers(struct curl_slist *headers);

/* Frees the handle, which must not be attached to an event loop (DynLoop). */
extern void dyn_http_destroy(DynHttp *http);

/*
 * Takes ownership of the headers, even on failure.  The buffers `plain` and
 * `packed` must be empty, with a maximum size.  Before resuming a paused
 * transfer, the caller must raise *allowance.  Fails only if memory runs out.
 */
extern DynFailure dyn_http_prepare(DynHttp *http,
								   const DynHttpRequest *request);

/*
 * Returns the failure for libcurl's result (NONE after a complete reply), and
 * sets reply.status.  *lasting is true if another attempt would fail in the
 * same way.  *text describes the error; it may point into the handle.
 */
extern DynFailure dyn_http_result(DynHttp *http, CURLcode code, bool *lasting,
								  const char **text);

/* Reads the Date header (s since the epoch); returns false if not valid. */
extern bool dyn_http_date(const DynHttp *http, int64_t *date);

/* Returns true if the TCP connection of the transfer is established. */
extern bool dyn_http_is_connected(const DynHttp *http);

/*
 * Returns the time that it took to establish the TCP connection, which is one
 * round trip (us); -1 if the transfer reused a connection.
 */
extern int64_t dyn_http_round_trip_us(const DynHttp *http);

/* Returns the descriptor of the connection; -1 if it is closed. */
extern int	dyn_http_socket(const DynHttp *http);

/* Returns true if the peer may have received the request or a part of it. */
extern bool dyn_http_was_sent(const DynHttp *http);

/* Updates *fingerprints; returns true if the reply repeats an earlier one. */
extern bool dyn_http_repeats(const DynHttp *http,
							 DynFingerprints *fingerprints);

/* Frees the headers, and forgets the request. */
extern void dyn_http_release(DynHttp *http);

#endif

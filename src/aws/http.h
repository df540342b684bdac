/*
 * http.h
 *		One HTTP exchange on a pooled libcurl handle.
 *
 * A DynHttp is an easy handle with all constant options set, and the record of
 * the reply.  Legal order: prepare, run it in the loop until libcurl reports
 * the end, result, read the reply, release; prepare again.
 */
#ifndef DYN_AWS_HTTP_H
#define DYN_AWS_HTTP_H

#include <curl/curl.h>

#include "address.h"
#include "client.h"
#include "fingerprints.h"
#include "sockets.h"
#include "tls.h"

/* The reply, as far as it is examined while it arrives. */
typedef struct DynReply
{
	int			status;			/* 0 until known; see dyn_http_result */
	size_t		header_bytes;
	bool		has_head;		/* the headers are complete */
	size_t		body_bytes;		/* on the wire */
	bool		repeated;		/* an earlier reply again */
	bool		has_body_crc;	/* there was an x-amz-crc32 */
	bool		garbled_crc;	/* but not a 32-bit number */
	uint32_t	wanted_crc;
	uint32_t	crc;			/* of the bytes so far */
	bool		packed;			/* Content-Encoding: gzip */
	bool		unknown_encoding;
	char		date[40];		/* unparsed: it is rarely needed
								 * (dyn_http_date) */
	long		retry_after_ms; /* -1: not sent */
	char		request_id[128];
} DynReply;

/* A request.  What it points to must not change while the exchange runs. */
typedef struct DynHttpRequest
{
	const char *method;			/* "POST", "GET" or "PUT" */
	const char *url;
	const char *body;
	size_t		body_len;
	DynAddressPolicy policy;
	const char *ca_bundle;		/* as in DynService */
	const char *proxy;			/* likewise */
	int			connect_timeout_ms;
	int			timeout_ms;
	bool		once;			/* on a connection that serves nothing else */
} DynHttpRequest;

typedef struct DynHttp
{
	CURL	   *easy;
	DynSockets *sockets;		/* outlives every handle and connection */
	DynTls	   *tls;			/* likewise */
	void	   *owner;			/* the call or exchange that uses it, or NULL */
	bool		is_exchange;	/* the owner is one */
	DynAddressPolicy policy;	/* of the sockets that it opens... */
	uint64_t	peer;			/* ...and what they are recorded with */
	int			opened;			/* the socket that it opened last; or -1 */
	struct DynHttp *next;		/* in the pool */
	bool		is_set;			/* the constant options are */
	bool		trusts;			/* so are those of TLS: */
	char	   *ca_bundle;		/* which file it trusts */
	unsigned	forgotten;		/* tls->forgotten then */
	struct curl_slist *headers; /* owned while the exchange runs */
	DynBuffer  *plain;			/* receives an uncompressed body */
	DynBuffer  *packed;			/* receives a gzip body */
	const size_t *allowance;	/* body bytes to receive before pausing */
	bool		paused;			/* reached it: libcurl waits for
								 * dyn_loop_resume */
	DynFailure	refusal;		/* set by a callback that stopped libcurl */
	DynReply	reply;
	char		error[CURL_ERROR_SIZE];
} DynHttp;

/* Returns NULL if memory runs out. */
extern DynHttp *dyn_http_create(DynSockets *sockets, DynTls *tls);

/* Not while the handle is in a loop. */
extern void dyn_http_destroy(DynHttp *http);

/*
 * Prepares the handle for the request.  Takes ownership of the headers, also on
 * failure.  Both buffers must be empty and have a bound.  The transfer is
 * paused when more than *allowance bytes of body would arrive; the caller may
 * raise that, and resumes the transfer.
 */
extern DynFailure dyn_http_prepare(DynHttp *http, const DynHttpRequest *request,
								   struct curl_slist *headers, DynBuffer *plain,
								   DynBuffer *packed, const size_t *allowance);

/* Takes libcurl's time limit off a running transfer. */
extern void dyn_http_lift_timeout(DynHttp *http);

/*
 * Translates libcurl's result, and sets reply.status.  *lasting is set if
 * another attempt would fail in the same way; *text (in this handle, or
 * static) describes the error.
 */
extern DynFailure dyn_http_result(DynHttp *http, CURLcode code, bool *lasting,
								  const char **text);

/* The time in the reply's Date header; false if there is none. */
extern bool dyn_http_date(const DynHttp *http, int64_t *date);

/* Does its connection stand, before TLS? */
extern bool dyn_http_is_connected(const DynHttp *http);

/*
 * How long its connection took to stand, before TLS: a round trip; -1 if it
 * stood before.
 */
extern int64_t dyn_http_round_trip_us(const DynHttp *http);

/* The descriptor of its connection; -1 if that is closed. */
extern int	dyn_http_socket(const DynHttp *http);

/* Has the peer got the request, or a part of it? */
extern bool dyn_http_was_sent(const DynHttp *http);

/*
 * What tells the reply from others.  Its connection is known by its local port,
 * also when it is closed.
 */
extern DynFingerprint dyn_http_fingerprint(const DynHttp *http);

/* Releases headers, body and buffers. */
extern void dyn_http_release(DynHttp *http);

#endif

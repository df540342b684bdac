/*
 * http.h
 *		One HTTP exchange on a pooled libcurl handle.
 *
 * A DynHttp is an easy handle with everything set that never changes, and the
 * record of what came back.  Legal order: prepare, run it in the loop until
 * libcurl reports an end, result, look at the reply, release; prepare again.
 */
#ifndef DYN_AWS_HTTP_H
#define DYN_AWS_HTTP_H

#include <curl/curl.h>

#include "client.h"
#include "sockets.h"

/* What came back, as far as it was looked at while it arrived. */
typedef struct DynReply
{
	int			status;			/* 0 until known; see dyn_http_result */
	size_t		header_bytes;
	bool		has_head;		/* the head came to its end */
	size_t		body_bytes;		/* on the wire */
	bool		repeated;		/* the connection's last answer once more */
	bool		has_body_crc;	/* x-amz-crc32 was sent */
	bool		garbled_crc;	/* and is not one number of 32 bits */
	uint32_t	wanted_crc;
	uint32_t	crc;			/* of the bytes so far, if one was sent */
	bool		packed;			/* Content-Encoding: gzip */
	bool		unknown_encoding;
	char		date[40];		/* as sent; reading it is left to those few who
								 * need it (dyn_http_date) */
	long		retry_after_ms; /* -1: not sent */
	char		request_id[128];
} DynReply;

typedef struct DynHttp
{
	CURL	   *easy;
	DynSockets *sockets;		/* outlives every handle and connection */
	void	   *owner;			/* the call it works for, or NULL */
	struct DynHttp *next;		/* in the pool */
	char	   *ca_file;		/* as set on the handle */
	struct curl_slist *headers; /* owned while the exchange runs */
	DynBuffer  *plain;			/* where a body goes that is not packed */
	DynBuffer  *packed;			/* where a packed body goes */
	DynFailure	refusal;		/* set by a callback that refused to go on */
	DynReply	reply;
	char		error[CURL_ERROR_SIZE];
} DynHttp;

/* NULL when memory fails. */
extern DynHttp *dyn_http_create(DynSockets *sockets);

/* Not while the handle is in a loop. */
extern void dyn_http_destroy(DynHttp *http);

/*
 * Readies the handle to POST `body`, which must stay as it is.  Takes the
 * headers, also on failure.  Both buffers must be empty and bounded.
 */
extern DynFailure dyn_http_prepare(DynHttp *http, const DynService *service,
								   struct curl_slist *headers,
								   const DynBuffer *body, DynBuffer *plain,
								   DynBuffer *packed);

/*
 * What libcurl's result means; sets reply.status.  *lasting tells that
 * another attempt would fail alike, *text (of this handle, or static) says
 * what went wrong.
 */
extern DynFailure dyn_http_result(DynHttp *http, CURLcode code, bool *lasting,
								  const char **text);

/* The time the service says it is; false if it did not say. */
extern bool dyn_http_date(const DynHttp *http, int64_t *date);

/* The descriptor of its connection; -1 if that is closed. */
extern int	dyn_http_socket(const DynHttp *http);

/* Lets go of headers, body and buffers. */
extern void dyn_http_release(DynHttp *http);

#endif

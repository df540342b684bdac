/*
 * response_check.c
 *		Checks the result of an attempt: checksum, encoding, error document.
 *
 * If the status is not 200, the body is an error document of DynamoDB or an
 * error page of a gateway.  Bodies of status 200 are checked in src/dynamodb
 * (page_check.h).
 *
 * Inflating can produce a thousand times the size of the stream, so the
 * buffer's maximum size limits the output.  When the buffer is full, inflating
 * into one spare byte shows whether the stream ends there.
 */
#include "client_private.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <zlib.h>

/* Maximum number of bytes shown of a body that is not an error document. */
#define EXCERPT_SIZE	300

#define HTTP_OK			200

#define GZIP_ONLY		(15 + 16)
#define GZIP_TRAILER	4
#define FIRST_GUESS		(64 * 1024)

/* The maximum compression ratio of deflate. */
#define LARGEST_RATIO	1032

/* ---- gzip ------------------------------------------------------------- */

static void
set_text(DynCall *call, const char *text, const DynCredentials *credentials)
{
	dyn_awserror_excerpt(text, strlen(text), credentials, call->message,
						 sizeof(call->message));
}

/* Appends the inflated stream to `out`; `hint` is its probable size. */
static DynFailure
inflate_all(z_stream *stream, DynBuffer *out, size_t hint)
{
	int			status;

	do
	{
		Bytef		spare;
		size_t		space;

		/* reserve no more than out->max: the stream may end exactly there */
		if (out->max > 0 && hint > out->max - out->len)
			hint = out->max - out->len;
		if (hint > 0 && !dyn_buffer_reserve(out, hint))
			return DYN_FAIL_MEMORY;
		space = out->cap - out->len;
		if (out->max > 0 && space > out->max - out->len)
			space = out->max - out->len;
		if (space > UINT_MAX)
			space = UINT_MAX;
		stream->next_out = space > 0 ? (Bytef *) out->data + out->len : &spare;
		stream->avail_out = space > 0 ? (uInt) space : 1;
		status = inflate(stream, Z_NO_FLUSH);
		if (space == 0 && stream->avail_out == 0)
			return DYN_FAIL_TOO_LARGE;
		if (space > 0)
			out->len += space - stream->avail_out;
		if (out->len == out->cap)
			hint = out->cap;
	} while (status == Z_OK);
	if (status == Z_MEM_ERROR)
		return DYN_FAIL_MEMORY;
	return status == Z_STREAM_END && stream->avail_in == 0 ?
		DYN_FAIL_NONE : DYN_FAIL_ENCODING;
}

/*
 * Appends the contents of a gzip stream to `out`.  The stream ends with the
 * length of its contents.  That length is not trusted, but it is nearly always
 * right, so the output is usually allocated once.
 */
static DynFailure
inflate_stream(const DynBuffer *packed, DynBuffer *out)
{
	z_stream	stream = {.next_in = (Bytef *) packed->data};
	size_t		hint = FIRST_GUESS;
	DynFailure	failure;

	if (packed->len > UINT_MAX)
		return DYN_FAIL_TOO_LARGE;
	if (inflateInit2(&stream, GZIP_ONLY) != Z_OK)
		return DYN_FAIL_MEMORY;
	if (packed->len >= GZIP_TRAILER)
	{
		const unsigned char *end = stream.next_in + packed->len - GZIP_TRAILER;
		size_t		stated = (size_t) end[0] | (size_t) end[1] << 8 |
			(size_t) end[2] << 16 | (size_t) end[3] << 24;

		if (stated / LARGEST_RATIO <= packed->len)
			hint = stated;
	}
	stream.avail_in = (uInt) packed->len;
	failure = inflate_all(&stream, out, hint + 1);
	inflateEnd(&stream);
	return failure;
}

DynFailure
dyn_response_inflate(DynCall *call, const DynBuffer *packed)
{
	DynFailure	failure = inflate_stream(packed, &call->response);

	if (failure != DYN_FAIL_NONE)
		set_text(call, failure == DYN_FAIL_TOO_LARGE
				 ? "the decompressed response is longer than allowed"
				 : failure == DYN_FAIL_MEMORY ? "out of memory"
				 : "the gzip stream is corrupted", NULL);
	return failure;
}

/* ---- checks ----------------------------------------------------------- */

static DynFailure
check_bytes(DynCall *call, const DynHttp *http)
{
	const DynReply *reply = &http->reply;

	if (reply->repeated)
	{
		set_text(call, "the response to an earlier request was received again", NULL);
		return DYN_FAIL_NETWORK;
	}
	if (reply->garbled_crc)
	{
		set_text(call, "x-amz-crc32 is not a 32-bit number", NULL);
		return DYN_FAIL_CHECKSUM;
	}
	if (reply->has_body_crc && reply->crc != reply->wanted_crc)
	{
		snprintf(call->message, sizeof(call->message),
				 "the CRC-32 of the %zu bytes received is %u, but the response header has %u",
				 reply->body_bytes, (unsigned) reply->crc,
				 (unsigned) reply->wanted_crc);
		return DYN_FAIL_CHECKSUM;
	}
	/* an empty body needs no decoding, whatever its Content-Encoding */
	if (reply->unknown_encoding && reply->body_bytes > 0)
	{
		set_text(call, "the response has an unsupported Content-Encoding", NULL);
		return DYN_FAIL_ENCODING;
	}
	return DYN_FAIL_NONE;
}

/* Reads the body of a reply whose status is not 200. */
static DynFailure
read_error(DynCall *call, const DynHttp *http,
		   const DynCredentials *credentials)
{
	const DynBuffer *body = &call->response;
	DynFailure	failure = DYN_FAIL_NONE;

	if (http->request.packed->len > 0)
		failure = dyn_response_inflate(call, http->request.packed);
	if (failure != DYN_FAIL_NONE)
		return failure;
	failure = dyn_awserror_parse(body->data, body->len, credentials, call);
	if (failure == DYN_FAIL_HTTP)
		dyn_awserror_excerpt(body->data, body->len < EXCERPT_SIZE ? body->len
							 : EXCERPT_SIZE, credentials, call->message,
							 sizeof(call->message));
	return failure;
}

DynRetryClass
dyn_response_check(DynCall *call, DynHttp *http, CURLcode code,
				   const DynCredentials *credentials, int64_t signed_clock)
{
	const DynReply *reply = &http->reply;
	bool		lasting;
	const char *text;
	int64_t		date;
	int64_t		skew;

	call->code[0] = '\0';
	call->message[0] = '\0';
	call->throttle_reason[0] = '\0';
	call->hot_partition = false;
	call->failure = dyn_http_result(http, code, &lasting, &text);
	call->http_status = reply->status;
	if (call->failure != DYN_FAIL_NONE)
		set_text(call, text, credentials);
	else
		call->failure = check_bytes(call, http);

	if (call->failure == DYN_FAIL_NONE && call->http_status != HTTP_OK)
		call->failure = read_error(call, http, credentials);
	dyn_awserror_excerpt(reply->request_id, strlen(reply->request_id),
						 credentials, call->request_id,
						 sizeof(call->request_id));
	call->bytes_received += reply->body_bytes;
	if (call->failure == DYN_FAIL_NONE)
		return DYN_RETRY_FINAL;
	/* the service may have executed a request that had no valid response */
	if (call->failure != DYN_FAIL_SERVICE && call->failure != DYN_FAIL_HTTP)
		call->lost += dyn_http_was_sent(http);
	if (!dyn_http_date(http, &date))
		return dyn_retry_classify(call, lasting, NULL);
	skew = date - signed_clock;
	return dyn_retry_classify(call, lasting, &skew);
}

const char *
dyn_failure_phrase(DynFailure failure)
{
	static const char *const phrases[] = {
		[DYN_FAIL_NONE] = "no failure",
		[DYN_FAIL_SERVICE] = "the service rejected the request",
		[DYN_FAIL_HTTP] = "unexpected HTTP response",
		[DYN_FAIL_DNS] = "could not resolve the host name",
		[DYN_FAIL_CONNECT] = "could not connect",
		[DYN_FAIL_TLS] = "could not establish a secure connection",
		[DYN_FAIL_TIMEOUT] = "timeout expired",
		[DYN_FAIL_NETWORK] = "connection lost",
		[DYN_FAIL_TOO_LARGE] = "response too large",
		[DYN_FAIL_CHECKSUM] = "incorrect checksum of the response",
		[DYN_FAIL_ENCODING] = "could not decompress the response",
		[DYN_FAIL_ADDRESS] = "address not allowed",
		[DYN_FAIL_CONFIG] = "invalid connection settings",
		[DYN_FAIL_CREDENTIALS] = "could not obtain credentials",
		[DYN_FAIL_MEMORY] = "out of memory"
	};

	return phrases[failure];
}

/*
 * response_check.c
 *		Checks the result of an attempt: checksum, encoding, error document.
 *
 * A reply must pass four checks, in this order; the first that fails sets the
 * failure:
 *
 *	1. libcurl received it completely, and it does not repeat an earlier
 *	   reply;
 *	2. the checksum matches the bytes received;
 *	3. the Content-Encoding is one that we accept;
 *	4. the status is 200.  Otherwise the body is inflated, and is an error
 *	   document or the page of a gateway.
 *
 * Inflating can produce a thousand times the size of the stream, so the
 * buffer's maximum size limits the output.  When the buffer is full, inflating
 * into one spare byte shows whether the stream ends there.
 *
 * This file does not check the contents of a body of status 200; that is done
 * in src/dynamodb (page_check.h).
 *
 * An error document is {"__type": "...#Code", "message": "..."}.  The name
 * "message" may also be "Message", the code may have a prefix and a suffix,
 * and for throttled requests there is a list of reasons.  Gateways and proxies
 * send HTML or XML instead; error messages then contain an excerpt of that
 * body.
 *
 * All text from the network passes through dyn_awserror_excerpt, for two
 * reasons.  The text may be malformed or unprintable.  And it may contain
 * parts of the request: the response to a wrong signature contains the
 * canonical request including the session token, and a proxy's error page may
 * contain every header.  So the messages of signature errors are truncated
 * after the first line or sentence, the text ends where an Authorization value
 * begins, and the secrets of the request are masked.
 */
#include "client_private.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <zlib.h>

#include "../base/jsonload.h"
#include "../base/lengthof.h"
#include "../base/text.h"

/* Maximum number of bytes shown of a body that is not an error document. */
#define EXCERPT_SIZE	300

#define HTTP_OK			200

#define GZIP_ONLY		(15 + 16)
#define GZIP_TRAILER	4
#define FIRST_GUESS		(64 * 1024)

/* The maximum compression ratio of deflate. */
#define LARGEST_RATIO	1032

/*
 * Maximum size of an error document (bytes).  Longer bodies come from
 * gateways; parsing them would take a lot of memory (jsonload.c).
 */
#define LONGEST_DOCUMENT	((size_t) 256 * 1024)

#define AUTHORIZATION	"AWS4-HMAC-SHA256"
#define BLOT			"***"

/*
 * Secrets of fewer bytes are not masked: they are placeholders for an
 * emulator.
 */
#define SHORTEST_SECRET	8

/*
 * Minimum length (bytes) of a secret's prefix that is masked.  A secret that
 * is shorter than this is masked where it occurs in full.
 */
#define BETRAYING		16

/* Errors whose messages may contain parts of the request. */
static const char *const echoing_codes[] = {
	"InvalidSignatureException",
	"IncompleteSignatureException",
	"SignatureDoesNotMatch",
	"MissingAuthenticationTokenException"
};

/* ---- excerpts of text from the network --------------------------------- */

/*
 * Returns true if the character of `n` bytes is a control character: below
 * U+0020, U+007F to U+009F, or one that makes a terminal show text in another
 * order (U+202A to U+202E, U+2066 to U+2069).
 */
static bool
is_control(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *) s;

	if (n == 1)
		return u[0] < 0x20 || u[0] == 0x7f;
	if (n == 2)
		return u[0] == 0xC2 && u[1] < 0xA0;
	if (n == 3 && u[0] == 0xE2)
		return (u[1] == 0x80 && u[2] >= 0xAA && u[2] <= 0xAE) ||
			(u[1] == 0x81 && u[2] >= 0xA6 && u[2] <= 0xA9);
	return false;
}

/*
 * Returns the length of the common prefix of `s` and the secret; 0 if the
 * prefix or the secret is too short to be masked, or the secret is NULL.
 */
static size_t
betrayed(const char *s, size_t len, const char *secret)
{
	size_t		need;
	size_t		n = 0;

	if (secret == NULL || strlen(secret) < SHORTEST_SECRET)
		return 0;
	need = strlen(secret) < BETRAYING ? strlen(secret) : BETRAYING;
	while (n < len && secret[n] && s[n] == secret[n])
		n++;
	return n >= need ? n : 0;
}

/*
 * Returns the length (bytes) of the character or secret at the start of the
 * text.  Sets *chunk to the text that replaces it in the excerpt: "***" for a
 * secret, "?" for a malformed byte, a space for a control character (such as a
 * line break), otherwise the character itself.  The caller merges successive
 * spaces.
 */
static size_t
next_chunk(const char *s, size_t len, const DynCredentials *credentials,
		   const char **chunk, size_t *chunk_len)
{
	unsigned char c = (unsigned char) *s;
	size_t		n = 0;

	if (credentials != NULL)
		n = betrayed(s, len, credentials->secret_access_key);
	if (n == 0 && credentials != NULL)
		n = betrayed(s, len, credentials->session_token);
	if (n > 0)
	{
		*chunk = BLOT;
		*chunk_len = strlen(BLOT);
		return n;
	}
	n = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
	*chunk_len = 1;
	if (n > len || !dyn_utf8_valid(s, n))
	{
		*chunk = "?";
		return 1;
	}
	*chunk = is_control(s, n) || c == ' ' ? " " : s;
	if (*chunk == s)
		*chunk_len = n;
	return n;
}

void
dyn_awserror_excerpt(const char *text, size_t len,
					 const DynCredentials *credentials,
					 char *dst, size_t dst_size)
{
	const size_t mark = strlen(AUTHORIZATION);
	size_t		used = 0;

	while (len > 0 &&
		   !(len >= mark && memcmp(text, AUTHORIZATION, mark) == 0))
	{
		const char *chunk;
		size_t		chunk_len;
		size_t		taken = next_chunk(text, len, credentials, &chunk,
									   &chunk_len);

		if (used + chunk_len >= dst_size)
			break;
		if (*chunk != ' ' || (used > 0 && dst[used - 1] != ' '))
		{
			memcpy(dst + used, chunk, chunk_len);
			used += chunk_len;
		}
		text += taken;
		len -= taken;
	}
	while (used > 0 && dst[used - 1] == ' ')
		used--;
	dst[used] = '\0';
}

/* ---- the error document ----------------------------------------------- */

static void
set_message(json_t *document, const DynCredentials *credentials,
			DynCall *call)
{
	json_t	   *text = json_object_get(document, "message");
	const char *shown;
	bool		echoes = false;
	size_t		len;

	if (!json_is_string(text))
		text = json_object_get(document, "Message");
	if (!json_is_string(text))
		return;
	shown = json_string_value(text);
	len = json_string_length(text);
	for (size_t i = 0; i < LENGTHOF(echoing_codes); i++)
		echoes |= strcmp(call->code, echoing_codes[i]) == 0;
	for (size_t i = 0; echoes && i < len; i++)
		if (shown[i] == '\n')
			len = i;
		else if (shown[i] == '.' && (i + 1 == len || shown[i + 1] == ' ' ||
									 shown[i + 1] == '\n'))
			len = i + 1;
	dyn_awserror_excerpt(shown, len, credentials, call->message,
						 sizeof(call->message));
}

static void
set_throttle_reason(json_t *document, const DynCredentials *credentials,
					DynCall *call)
{
	json_t	   *reasons = json_object_get(document, "ThrottlingReasons");
	json_t	   *first;
	const char *reason;
	const char *resource;
	size_t		used;

	if (!json_is_array(reasons))
		reasons = json_object_get(document, "throttlingReasons");
	first = json_array_get(reasons, 0);
	call->hot_partition = first != NULL;
	/*
	 * The reason for a single partition's limit ends with
	 * KeyRangeThroughputExceeded (developer guide, "Diagnosing throttling").
	 */
	for (size_t i = 0; i < json_array_size(reasons); i++)
	{
		reason = json_string_value(json_object_get(json_array_get(reasons, i),
												   "reason"));
		if (reason == NULL || strstr(reason, "KeyRange") == NULL)
			call->hot_partition = false;
	}
	reason = json_string_value(json_object_get(first, "reason"));
	resource = json_string_value(json_object_get(first, "resource"));
	if (reason == NULL)
		return;
	dyn_awserror_excerpt(reason, strlen(reason), credentials,
						 call->throttle_reason,
						 sizeof(call->throttle_reason) - 1);
	if (resource == NULL)
		return;
	used = strlen(call->throttle_reason);
	call->throttle_reason[used++] = ' ';
	dyn_awserror_excerpt(resource, strlen(resource), credentials,
						 call->throttle_reason + used,
						 sizeof(call->throttle_reason) - used);
}

DynFailure
dyn_awserror_parse(const char *body, size_t len,
				   const DynCredentials *credentials, DynCall *call)
{
	json_t	   *document;
	const char *type;
	bool		out_of_memory;

	call->code[0] = '\0';
	call->message[0] = '\0';
	call->throttle_reason[0] = '\0';
	call->hot_partition = false;
	if (len == 0 || len > LONGEST_DOCUMENT)
		return DYN_FAIL_HTTP;
	document = dyn_json_load(body, len, JSON_ALLOW_NUL, &out_of_memory);
	type = json_string_value(json_object_get(document, "__type"));
	if (type != NULL)
	{
		/* the code in "com.amazon.coral#Code:http://..." is Code */
		size_t		end = strcspn(type, ":");
		size_t		begin = end;

		while (begin > 0 && type[begin - 1] != '#')
			begin--;
		dyn_awserror_excerpt(type + begin, end - begin, credentials,
							 call->code, sizeof(call->code));
		set_message(document, credentials, call);
		set_throttle_reason(document, credentials, call);
	}
	json_decref(document);
	if (out_of_memory)
		return DYN_FAIL_MEMORY;
	return call->code[0] != '\0' ? DYN_FAIL_SERVICE : DYN_FAIL_HTTP;
}

/* ---- gzip ------------------------------------------------------------- */

static void
set_text(DynCall *call, const char *text, const DynCredentials *credentials)
{
	dyn_awserror_excerpt(text, strlen(text), credentials, call->message,
						 sizeof(call->message));
}

/* Appends the inflated stream, of about `hint` bytes, to `out`. */
static DynFailure
inflate_all(z_stream *stream, DynBuffer *out, size_t hint)
{
	int			status;

	do
	{
		Bytef		spare;
		size_t		space;

		/*
		 * a reservation beyond out->max would fail, but the stream may end
		 * there
		 */
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

/* Performs checks 1 to 3 (see above); sets call->message if one fails. */
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
	/* an empty body is not compressed, regardless of its header */
	if (reply->unknown_encoding && reply->body_bytes > 0)
	{
		set_text(call, "the response has an unsupported Content-Encoding", NULL);
		return DYN_FAIL_ENCODING;
	}
	return DYN_FAIL_NONE;
}

/*
 * Reads the error document of a reply whose status is not 200; returns
 * DYN_FAIL_HTTP if the body is not an error document.
 */
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
	DynAttemptResult result = {.code = call->code,.message = call->message};
	const char *text;
	int64_t		date;

	/* clear the results of the previous attempt */
	call->code[0] = '\0';
	call->message[0] = '\0';
	call->throttle_reason[0] = '\0';
	call->hot_partition = false;
	call->failure = dyn_http_result(http, code, &result.lasting, &text);
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
	result.failure = call->failure;
	result.http_status = call->http_status;
	result.has_date = dyn_http_date(http, &date);
	result.skew = result.has_date ? date - signed_clock : 0;
	return dyn_retry_classify(&result);
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

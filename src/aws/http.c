/*
 * http.c
 *		Sends HTTP requests on pooled libcurl handles.
 *
 * Creating an easy handle and setting three dozen options costs more than
 * sending a small request.  So handles are created once, and only the options
 * that differ are set for each request.
 *
 * The callbacks never raise an error: they record the failure, and return a
 * value that makes libcurl stop.
 */
#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../base/text.h"
#include "address.h"
#include "credentials.h"
#include "loop.h"

#define LONGEST_HEADERS		(64 * 1024)

/*
 * A connection that was idle for longer is not reused, because the service
 * soon closes it.
 */
#define LONGEST_IDLE_S		55L

/* Least status of a final reply; 100 Continue is an interim reply. */
#define FIRST_FINAL_STATUS	200

/* Body buffers above this size are multiples of it, which helps reuse. */
#define ROUNDING			((size_t) 64 * 1024)

/*
 * Size of the buffer that libcurl allocates if on_send provides the body.
 * Wiping 64 kB, the default (wiping.c), takes longer than sending in parts.
 */
#define SEND_BUFFER			(16 * 1024L)

/* Spare bytes after a body, for a NUL and for parsers that read ahead. */
#define SLACK				64

/* ---- sockets ---------------------------------------------------------- */

/*
 * Opens a socket unless its address is refused.  A host name that has one
 * refused address is not trusted: the request then ends, even if another
 * address of the host is allowed or already connected.
 */
static curl_socket_t
on_open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	DynHttp    *http = arg;
	int			fd;

	if (http->refusal == DYN_FAIL_ADDRESS ||
		!dyn_address_allowed(&address->addr, http->request.policy))
	{
		http->refusal = DYN_FAIL_ADDRESS;
		return CURL_SOCKET_BAD;
	}
	fd = dyn_sockets_open(http->sockets, address->family, address->socktype,
						  address->protocol, http->request.peer);
	http->opened = fd;
	return fd < 0 ? CURL_SOCKET_BAD : fd;
}

/* ---- headers ---------------------------------------------------------- */

static void
reset_reply(DynReply *reply)
{
	*reply = (DynReply) {
		.header_bytes = reply->header_bytes,.retry_after_ms = -1
	};
}

/*
 * Returns true if the header line has the name; then copies the line's value
 * to `value`, trimmed, and truncated to less than `size` bytes.
 */
static bool
has_value(const char *line, size_t len, const char *name, char *value,
		  size_t size)
{
	size_t		n = strlen(name);

	if (len <= n || line[n] != ':' || !curl_strnequal(line, name, n))
		return false;
	for (n++; n < len && strchr(" \t", line[n]);)
		n++;
	while (len > n && strchr(" \t\r\n", line[len - 1]))
		len--;
	len -= n;
	if (len >= size)
		len = size - 1;
	memcpy(value, line + n, len);
	value[len] = '\0';
	return true;
}

static void
read_header(DynReply *reply, const char *line, size_t len)
{
	char		value[128];
	char	   *end;
	long		ms;

	if (has_value(line, len, "x-amzn-requestid", reply->request_id,
				  sizeof(reply->request_id)) ||
		has_value(line, len, "date", reply->date, sizeof(reply->date)))
		return;
	if (has_value(line, len, "x-amz-crc32", value, sizeof(value)))
	{
		size_t		digits = strspn(value, "0123456789");
		unsigned long long crc = strtoull(value, NULL, 10);

		reply->garbled_crc = reply->has_body_crc || digits == 0 ||
			digits > 10 || value[digits] != '\0' || crc > UINT32_MAX;
		reply->has_body_crc = true;
		reply->wanted_crc = (uint32_t) crc;
	}
	else if (has_value(line, len, "content-encoding", value, sizeof(value)))
	{
		reply->packed = curl_strequal(value, "gzip") ||
			curl_strequal(value, "x-gzip");
		reply->unknown_encoding = !reply->packed && value[0] != '\0' &&
			!curl_strequal(value, "identity");
	}
	else if (has_value(line, len, "x-amz-retry-after", value, sizeof(value)))
	{
		ms = strtol(value, &end, 10);
		if (end != value && ms >= 0)
			reply->retry_after_ms = ms;
	}
}

/* Reads a header.  A status line discards the interim reply before it. */
static size_t
on_header(char *line, size_t size, size_t n, void *arg)
{
	DynHttp    *http = arg;
	size_t		len = size * n;

	http->reply.header_bytes += len;
	if (http->reply.header_bytes > LONGEST_HEADERS)
	{
		http->refusal = DYN_FAIL_TOO_LARGE;
		return 0;
	}
	if (len > 5 && memcmp(line, "HTTP/", 5) == 0)
		reset_reply(&http->reply);
	else if (line[0] == '\r' || line[0] == '\n')
		http->reply.has_head = true;
	else
		read_header(&http->reply, line, len);
	return len;
}

/* ---- the body --------------------------------------------------------- */

static size_t
rounded(size_t len)
{
	len += SLACK;
	return len <= ROUNDING ? len : (len + ROUNDING - 1) / ROUNDING * ROUNDING;
}

/* Returns the Content-Length; 0 if it is not known. */
static uint64_t
announced_length(const DynHttp *http)
{
	curl_off_t	length = -1;

	curl_easy_getinfo(http->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	return length > 0 ? (uint64_t) length : 0;
}

/*
 * Reserves space for `len` more bytes, and for the rest of the body only if
 * the allowance covers most of it, because large buffers that are filled only
 * after a pause, or never, would fragment the heap.
 */
static bool
make_space(const DynHttp *http, DynBuffer *body, size_t len)
{
	size_t		full = (size_t) announced_length(http);
	size_t		cap;

	if (full == 0)
		return dyn_buffer_reserve(body, len);
	full = rounded(full);
	cap = *http->request.allowance < full ? rounded(*http->request.allowance) : full;
	if (cap < 2 * body->len)
		cap = 2 * body->len;
	if (cap < body->len + len)
		cap = body->len + len;
	return dyn_buffer_enlarge(body, cap > full - full / 4 ? full : cap);
}

static bool
accept_body(DynHttp *http, const char *bytes, size_t len)
{
	DynReply   *reply = &http->reply;
	DynBuffer  *body = reply->packed ? http->request.packed : http->request.plain;

	if (body->max > 0 && (len > body->max - body->len ||
						  (reply->body_bytes == 0 &&
						   announced_length(http) > body->max)))
	{
		http->refusal = DYN_FAIL_TOO_LARGE;
		return false;
	}
	if (reply->body_bytes + len > *http->request.allowance)
	{
		http->paused = true;
		return false;
	}
	if ((len > body->cap - body->len && !make_space(http, body, len)) ||
		!dyn_buffer_append(body, bytes, len))
	{
		http->refusal = DYN_FAIL_MEMORY;
		return false;
	}
	reply->body_bytes += len;
	reply->crc = dyn_crc32(reply->crc, bytes, len);
	return true;
}

/*
 * Receives a part of the body.  If this pauses the transfer, libcurl stores
 * the part (up to DYN_RECEIVE_BUFFER bytes), and passes it to this function
 * again from within dyn_loop_resume.  The body of an exchange may contain
 * credentials, so this function overwrites it in libcurl's buffer (wiping.c).
 */
static size_t
on_body(char *bytes, size_t size, size_t n, void *arg)
{
	DynHttp    *http = arg;
	bool		accepted = accept_body(http, bytes, size * n);

	if (http->paused)
		return CURL_WRITEFUNC_PAUSE;
	if (http->request.is_exchange)
		explicit_bzero(bytes, size * n);
	return accepted ? size * n : 0;
}

static size_t
on_send(char *bytes, size_t size, size_t n, void *arg)
{
	DynHttp    *http = arg;
	size_t		len = size * n;

	if (len > http->request.body_len - http->body_read)
		len = http->request.body_len - http->body_read;
	memcpy(bytes, http->request.body + http->body_read, len);
	http->body_read += len;
	return len;
}

/*
 * Lets libcurl repeat a request whose reused connection has ended without a
 * reply.  This also happens with connections that we have shut down ourselves,
 * because recent versions of libcurl (such as 8.23) do not check a connection
 * before they reuse it, if it was used within the last second.
 *
 * Fails if the peer may have received a part of the request; the transfer then
 * ends with CURLE_SEND_FAIL_REWIND.
 */
static int
on_rewind(void *arg, curl_off_t offset, int origin)
{
	DynHttp    *http = arg;

	if (dyn_http_was_sent(http) || offset != 0 || origin != SEEK_SET)
		return CURL_SEEKFUNC_FAIL;
	http->body_read = 0;
	return CURL_SEEKFUNC_OK;
}

/* ---- request headers --------------------------------------------------- */

bool
dyn_http_append_line(struct curl_slist **list, const char *line)
{
	struct curl_slist *longer = curl_slist_append(*list, line);

	if (longer != NULL)
		*list = longer;
	return longer != NULL;
}

bool
dyn_http_append_header(struct curl_slist **list, const char *name,
					   const char *value)
{
	size_t		size = strlen(name) + strlen(value) + sizeof(": ");
	char	   *line = malloc(size);
	bool		ok;

	if (line != NULL)
		snprintf(line, size, "%s: %s", name, value);
	ok = line != NULL && dyn_http_append_line(list, line);
	dyn_secret_free(line);
	return ok;
}

void
dyn_http_free_headers(struct curl_slist *headers)
{
	for (struct curl_slist *line = headers; line; line = line->next)
		explicit_bzero(line->data, strlen(line->data));
	curl_slist_free_all(headers);
}

/* ---- handles and their transfers -------------------------------------- */

#define SET(option, value) \
	(ok = curl_easy_setopt(easy, (option), (value)) == CURLE_OK && ok)

static bool
set_static(DynHttp *http)
{
	CURL	   *easy = http->easy;
	bool		ok = true;

	SET(CURLOPT_PRIVATE, http);
	SET(CURLOPT_ERRORBUFFER, http->error);
	SET(CURLOPT_READFUNCTION, on_send);
	SET(CURLOPT_READDATA, http);
	SET(CURLOPT_SEEKFUNCTION, on_rewind);
	SET(CURLOPT_SEEKDATA, http);
	SET(CURLOPT_WRITEFUNCTION, on_body);
	SET(CURLOPT_WRITEDATA, http);
	SET(CURLOPT_HEADERFUNCTION, on_header);
	SET(CURLOPT_HEADERDATA, http);
	SET(CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
	SET(CURLOPT_OPENSOCKETDATA, http);
	/* the connection, which outlives http, keeps this pointer to sockets */
	SET(CURLOPT_CLOSESOCKETFUNCTION, dyn_sockets_close);
	SET(CURLOPT_CLOSESOCKETDATA, http->sockets);

#if LIBCURL_VERSION_NUM >= 0x075500
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
#else
	SET(CURLOPT_PROTOCOLS, (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	SET(CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_NETRC, (long) CURL_NETRC_IGNORED);
	SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	SET(CURLOPT_SSLVERSION, (long) CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	/* otherwise, libcurl would use the no_proxy list of the environment */
	SET(CURLOPT_NOPROXY, "");

	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_TCP_NODELAY, 1L);
	SET(CURLOPT_TCP_KEEPALIVE, 1L);
	SET(CURLOPT_MAXAGE_CONN, LONGEST_IDLE_S);
	SET(CURLOPT_BUFFERSIZE, DYN_RECEIVE_BUFFER);
	SET(CURLOPT_UPLOAD_BUFFERSIZE, SEND_BUFFER);
	SET(CURLOPT_USERAGENT, "dynamo_fdw");
#if LIBCURL_VERSION_NUM >= 0x075700
	/* do not wait for the resolver's thread when a transfer is canceled */
	SET(CURLOPT_QUICK_EXIT, 1L);
#endif
	return ok;
}

static bool
same_text(const char *a, const char *b)
{
	/* analyzer: strcmp is called only if a and b are not NULL */
	return a == b || (a && b && strcmp(a, b) == 0);
}

/*
 * Sets the constant options and the TLS options.  Replaces a handle that has
 * other TLS options, because libcurl cannot reset single options, and may
 * reject CURLOPT_BUFFERSIZE after curl_easy_reset.
 */
static bool
set_up(DynHttp *http)
{
	const char *ca_bundle = http->request.limits.ca_bundle;
	bool		trusts = dyn_tls_is_used(http->request.url,
										 http->request.limits.proxy);
	CURL	   *easy;

	if (http->is_set && (!trusts ||
						 (http->trusts &&
						  http->forgotten == http->tls->forgotten &&
						  same_text(http->ca_bundle, ca_bundle))))
		return true;
	easy = curl_easy_init();
	http->is_set = false;
	if (easy == NULL)
		return false;
	curl_easy_cleanup(http->easy);
	http->easy = easy;
	free(http->ca_bundle);
	http->ca_bundle = ca_bundle ? strdup(ca_bundle) : NULL;
	http->trusts = trusts;
	http->forgotten = http->tls->forgotten;
	http->is_set = same_text(http->ca_bundle, ca_bundle) && set_static(http) &&
		(!trusts || dyn_tls_trust(http->tls, easy, ca_bundle));
	return http->is_set;
}

static bool
set_request(DynHttp *http)
{
	const DynHttpRequest *request = &http->request;
	const DynExchangeLimits *limits = &request->limits;
	bool		ok = set_up(http);
	CURL	   *easy = http->easy;
	bool		is_get = strcmp(request->method, "GET") == 0;
	bool		is_plain = is_get || strcmp(request->method, "POST") == 0;

	SET(CURLOPT_URL, request->url);
	SET(CURLOPT_CUSTOMREQUEST, is_plain ? NULL : request->method);
	SET(CURLOPT_FRESH_CONNECT, request->is_exchange ? 1L : 0L);
	SET(CURLOPT_FORBID_REUSE, request->is_exchange ? 1L : 0L);
	/* libcurl's cache also keeps addresses to which it could not connect */
	SET(CURLOPT_DNS_CACHE_TIMEOUT, request->resolves ? 0L : 60L);
	SET(CURLOPT_PROXY, limits->proxy ? limits->proxy : "");
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long) limits->connect_timeout_ms);
	SET(CURLOPT_TIMEOUT_MS, (long) limits->timeout_ms);
	SET(CURLOPT_HTTPHEADER, request->headers);
	SET(is_get ? CURLOPT_HTTPGET : CURLOPT_POST, 1L);
	if (is_get)
		return ok;
	/* if POSTFIELDS is NULL, libcurl calls on_send and on_rewind */
	SET(CURLOPT_POSTFIELDS, request->never_resend ? NULL :
		request->body_len > 0 ? request->body : "");
	SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) request->body_len);
	return ok;
}

void
dyn_http_destroy(DynHttp *http)
{
	curl_easy_cleanup(http->easy);
	dyn_http_free_headers(http->request.headers);
	free(http->ca_bundle);
	free(http);
}

DynFailure
dyn_http_prepare(DynHttp *http, const DynHttpRequest *request)
{
	http->request = *request;
	http->body_read = 0;
	http->opened = -1;
	http->paused = false;
	http->refusal = DYN_FAIL_NONE;
	http->error[0] = '\0';
	http->reply.header_bytes = 0;
	reset_reply(&http->reply);
	if (!set_request(http))
		return DYN_FAIL_MEMORY;
	dyn_tls_share(http->tls, http->easy);
	return DYN_FAIL_NONE;
}

void
dyn_http_release(DynHttp *http)
{
	curl_easy_setopt(http->easy, CURLOPT_HTTPHEADER, NULL);
	curl_easy_setopt(http->easy, CURLOPT_POSTFIELDS, NULL);
	curl_easy_setopt(http->easy, CURLOPT_SHARE, NULL);
	dyn_http_free_headers(http->request.headers);
	memset(&http->request, 0, sizeof(http->request));
}

/*
 * Checks the socket, too, because some versions of libcurl (7.88 among them)
 * do not report the connect time before TLS is established.
 */
bool
dyn_http_is_connected(const DynHttp *http)
{
	curl_off_t	connected = 0;
	struct sockaddr_storage peer;
	socklen_t	len = sizeof(peer);

	curl_easy_getinfo(http->easy, CURLINFO_CONNECT_TIME_T, &connected);
	return connected > 0 ||
		(http->opened >= 0 &&
		 getpeername(http->opened, (struct sockaddr *) &peer, &len) == 0);
}

int64_t
dyn_http_round_trip_us(const DynHttp *http)
{
	curl_off_t	resolved = 0;
	curl_off_t	connected = 0;
	long		made = 0;

	curl_easy_getinfo(http->easy, CURLINFO_NUM_CONNECTS, &made);
	if (made == 0)
		return -1;
	curl_easy_getinfo(http->easy, CURLINFO_NAMELOOKUP_TIME_T, &resolved);
	curl_easy_getinfo(http->easy, CURLINFO_CONNECT_TIME_T, &connected);
	return connected > resolved ? connected - resolved : 0;
}

int
dyn_http_socket(const DynHttp *http)
{
	curl_socket_t fd = CURL_SOCKET_BAD;

	(void) curl_easy_getinfo(http->easy, CURLINFO_ACTIVESOCKET, &fd);
	return fd;
}

/*
 * Uses libcurl's count of the bytes that the socket or TLS has accepted, which
 * includes those of requests that libcurl itself repeats.
 */
bool
dyn_http_was_sent(const DynHttp *http)
{
	long		bytes = 0;

	return curl_easy_getinfo(http->easy, CURLINFO_REQUEST_SIZE,
							 &bytes) == CURLE_OK && bytes > 0;
}

/* Uses the local port to identify the connection, which may have ended. */
bool
dyn_http_repeats(const DynHttp *http, DynFingerprints *fingerprints)
{
	size_t		len = strlen(http->reply.request_id);
	uint64_t	id = dyn_hash_bytes(http->reply.request_id, len);
	long		port = 0;
	long		made = 0;

	(void) curl_easy_getinfo(http->easy, CURLINFO_LOCAL_PORT, &port);
	(void) curl_easy_getinfo(http->easy, CURLINFO_NUM_CONNECTS, &made);
	return len > 0 &&
		!dyn_fingerprints_add(fingerprints, id, id ^ http->reply.crc ^
							  ((uint64_t) port << 32), made > 0);
}

bool
dyn_http_date(const DynHttp *http, int64_t *date)
{
	time_t		t = curl_getdate(http->reply.date, NULL);

	*date = t;
	return http->reply.date[0] != '\0' && t != (time_t) -1;
}

/* ---- results ---------------------------------------------------------- */

typedef struct CodeRule
{
	CURLcode	code;
	DynFailure	failure;
	bool		lasting;
} CodeRule;

static const CodeRule code_rules[] = {
	{CURLE_OK, DYN_FAIL_NONE, false},
	{CURLE_COULDNT_RESOLVE_HOST, DYN_FAIL_DNS, false},
	{CURLE_COULDNT_RESOLVE_PROXY, DYN_FAIL_DNS, false},
	{CURLE_COULDNT_CONNECT, DYN_FAIL_CONNECT, false},
	{CURLE_OPERATION_TIMEDOUT, DYN_FAIL_TIMEOUT, false},
	{CURLE_SSL_CONNECT_ERROR, DYN_FAIL_TLS, false},
	{CURLE_PEER_FAILED_VERIFICATION, DYN_FAIL_TLS, true},
	{CURLE_SSL_ISSUER_ERROR, DYN_FAIL_TLS, true},
	{CURLE_SSL_CIPHER, DYN_FAIL_TLS, true},
	{CURLE_SSL_CACERT_BADFILE, DYN_FAIL_CONFIG, true},
	{CURLE_URL_MALFORMAT, DYN_FAIL_CONFIG, true},
	{CURLE_UNSUPPORTED_PROTOCOL, DYN_FAIL_CONFIG, true},
	{CURLE_NOT_BUILT_IN, DYN_FAIL_CONFIG, true},
	{CURLE_BAD_FUNCTION_ARGUMENT, DYN_FAIL_CONFIG, true},
	{CURLE_LOGIN_DENIED, DYN_FAIL_CONFIG, true},
#if LIBCURL_VERSION_NUM >= 0x080600
	{CURLE_TOO_LARGE, DYN_FAIL_TOO_LARGE, true},
#endif
	{CURLE_OUT_OF_MEMORY, DYN_FAIL_MEMORY, true},
	/* all other codes are network failures, which are retried */
	{CURL_LAST, DYN_FAIL_NETWORK, false}
};

static const char *
refusal_text(DynFailure refusal)
{
	if (refusal == DYN_FAIL_ADDRESS)
		return "the host resolves to an address that is not allowed";
	return refusal == DYN_FAIL_TOO_LARGE
		? "the response is longer than allowed" : "out of memory";
}

DynFailure
dyn_http_result(DynHttp *http, CURLcode code, bool *lasting, const char **text)
{
	const CodeRule *rule = code_rules;
	long		status = 0;

	while (rule->code != code && rule->code != CURL_LAST)
		rule++;
	curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
	http->reply.status = (int) status;
	*lasting = rule->lasting;
	*text = http->error[0] ? http->error : curl_easy_strerror(code);
	if (http->refusal != DYN_FAIL_NONE)
	{
		*lasting = true;
		*text = refusal_text(http->refusal);
		return http->refusal;
	}
	/* libcurl's message contains the URL of the proxy, with its password */
	if (strncmp(http->error, "Unsupported proxy", strlen("Unsupported proxy")) == 0)
	{
		*lasting = true;
		*text = "the URL of the proxy is not supported";
		return DYN_FAIL_CONFIG;
	}
	if (code == CURLE_OPERATION_TIMEDOUT && http->opened < 0 &&
		!dyn_http_was_sent(http))
		*text = "the host name was not resolved in time, which takes more than 5 seconds while a DNS server is down";
	if (code == CURLE_SEND_FAIL_REWIND)
		*text = "the connection was closed without a response";

	/* libcurl reports success for truncated headers and interim replies */
	if (code == CURLE_OK && (!http->reply.has_head ||
							 http->reply.status < FIRST_FINAL_STATUS))
	{
		*text = "the connection was closed within the header of the response";
		return DYN_FAIL_NETWORK;
	}
	/* libcurl also uses this code for a header line that is too long */
	if (code == CURLE_OUT_OF_MEMORY && http->reply.header_bytes > 0)
	{
		*text = refusal_text(DYN_FAIL_TOO_LARGE);
		return DYN_FAIL_TOO_LARGE;
	}
	/*
	 * The reply is not HTTP.  On a reused connection, it may be the rest of an
	 * earlier reply, so another attempt may succeed.
	 */
	if (code == CURLE_UNSUPPORTED_PROTOCOL && dyn_http_was_sent(http))
	{
		*lasting = dyn_http_round_trip_us(http) >= 0;
		return *lasting ? DYN_FAIL_HTTP : DYN_FAIL_NETWORK;
	}
	return rule->failure;
}

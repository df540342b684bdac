/*
 * request.c
 *		Builds the signed headers of one attempt.
 *
 * Every attempt is signed again, because signatures expire.  Headers that a
 * proxy may change (Accept-Encoding) or libcurl adds (Content-Length,
 * User-Agent) are not signed.
 *
 * We write Accept-Encoding ourselves.  Otherwise libcurl would inflate the
 * body before we can check its checksum, which covers the bytes as
 * transmitted.  "Expect:" without a value keeps libcurl from waiting for "100
 * Continue" before it sends a large body.
 *
 * Layer: aws.  Knows libcurl's header list and the signer.
 */
#include "request.h"

#include <string.h>

#include <curl/curl.h>
#include <openssl/crypto.h>

#include "../base/lengthof.h"
#include "provider.h"
#include "secret.h"

#define CONTENT_TYPE	"application/x-amz-json-1.0"

static const char *const fixed_headers[] = {
	("Content-Type: " CONTENT_TYPE),
	"Accept-Encoding: gzip",
	"Expect:"
};

bool
dyn_request_append_line(struct curl_slist **list, const char *line)
{
	struct curl_slist *longer = curl_slist_append(*list, line);

	if (longer != NULL)
		*list = longer;
	return longer != NULL;
}

/* Appends "name: value"; the scratch buffer saves an allocation per line. */
static bool
append_header(struct curl_slist **list, DynBuffer *scratch, const char *name,
			  const char *value)
{
	dyn_buffer_reset(scratch);
	dyn_buffer_append_str(scratch, name);
	dyn_buffer_append_str(scratch, ": ");
	dyn_buffer_append_str(scratch, value);
	return dyn_buffer_terminate(scratch) != NULL &&
		dyn_request_append_line(list, scratch->data);
}

/* headers[0], the content type, is among the fixed ones. */
static bool
append_all(struct curl_slist **list, DynBuffer *scratch,
		   const DynSigRequest *request, const char *authorization)
{
	size_t		i;

	for (i = 1; i < request->nheaders; i++)
		if (!append_header(list, scratch, request->headers[i].name,
						   request->headers[i].value))
			return false;
	if (!append_header(list, scratch, "Authorization", authorization))
		return false;
	for (i = 0; i < LENGTHOF(fixed_headers); i++)
		if (!dyn_request_append_line(list, fixed_headers[i]))
			return false;
	return true;
}

static struct curl_slist *
sign_and_list(DynSigKeyCache *cache, const DynSigScope *scope,
			  const DynCredentials *credentials, const DynSigRequest *request)
{
	struct curl_slist *list = NULL;
	DynBuffer	authorization;
	DynBuffer	scratch;
	size_t		token_len = 0;
	bool		ok;

	if (credentials->session_token)
		token_len = strlen(credentials->session_token);
	dyn_buffer_init(&authorization, 0);
	dyn_buffer_init(&scratch, 0);

	/*
	 * Reserves space for the longest line: growing would leave copies of
	 * secrets.
	 */
	ok = dyn_buffer_reserve(&scratch, 1024 + token_len) &&
		dyn_sigv4_authorization(cache, scope, credentials, request,
								&authorization) &&
		dyn_buffer_terminate(&authorization) != NULL &&
		append_all(&list, &scratch, request, authorization.data);
	dyn_secret_free_buffer(&authorization);
	dyn_secret_free_buffer(&scratch);
	if (ok)
		return list;
	dyn_request_headers_free(list);
	return NULL;
}

struct curl_slist *
dyn_request_headers(DynSigKeyCache *cache, const DynService *service,
					const char *operation, const DynBuffer *body, int64_t now)
{
	const DynCredentials *credentials = &service->provider->current;
	DynSigScope scope = {service->region, service->signing_name, ""};
	DynBuffer	target;
	struct curl_slist *list = NULL;

	dyn_buffer_init(&target, 0);
	dyn_buffer_append_str(&target, service->target_prefix);
	dyn_buffer_append_str(&target, operation);
	if (dyn_buffer_terminate(&target) != NULL)
	{
		DynSigHeader headers[] = {
			{"Content-Type", CONTENT_TYPE}, {"Host", service->host},
			{"X-Amz-Date", scope.time}, {"X-Amz-Target", target.data},
			{"X-Amz-Security-Token", credentials->session_token}
		};
		DynSigRequest request = {"POST", "/", "", false, headers,
			credentials->session_token ? 5 : 4,
		body->data ? body->data : "", body->len};

		dyn_sigv4_set_time(&scope, now);
		list = sign_and_list(cache, &scope, credentials, &request);
	}
	dyn_buffer_free(&target);
	return list;
}

void
dyn_request_headers_free(struct curl_slist *headers)
{
	struct curl_slist *line;

	for (line = headers; line; line = line->next)
		OPENSSL_cleanse(line->data, strlen(line->data));
	curl_slist_free_all(headers);
}

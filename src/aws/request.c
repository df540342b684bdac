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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>
#include <openssl/crypto.h>

#include "../base/lengthof.h"
#include "provider.h"
#include "credentials.h"

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

bool
dyn_request_append_header(struct curl_slist **list, const char *name,
						  const char *value)
{
	size_t		size = strlen(name) + strlen(value) + sizeof(": ");
	char	   *line = malloc(size);
	bool		ok = line != NULL;

	if (ok)
	{
		snprintf(line, size, "%s: %s", name, value);
		ok = dyn_request_append_line(list, line);
		OPENSSL_cleanse(line, size);
	}
	free(line);
	return ok;
}

struct curl_slist *
dyn_request_headers(DynSigKeyCache *cache, const DynService *service,
					const char *operation, const DynBuffer *body, int64_t now)
{
	const DynCredentials *credentials = &service->provider->current;
	DynSigScope scope = {service->region, service->signing_name, ""};
	DynSigHeader headers[] = {
		{"Content-Type", CONTENT_TYPE}, {"Host", service->host},
		{"X-Amz-Date", scope.time}, {"X-Amz-Target", NULL},
		{"X-Amz-Security-Token", credentials->session_token}
	};
	DynSigRequest request = {"POST", "/", "", false, headers,
		credentials->session_token ? 5 : 4,
	body->data ? body->data : "", body->len};
	struct curl_slist *list = NULL;
	DynBuffer	target;
	DynBuffer	authorization;
	bool		ok;
	size_t		i;

	dyn_sigv4_set_time(&scope, now);
	dyn_buffer_init(&target, 0);
	dyn_buffer_init(&authorization, 0);
	dyn_buffer_append_str(&target, service->target_prefix);
	dyn_buffer_append_str(&target, operation);
	headers[3].value = dyn_buffer_terminate(&target);
	ok = headers[3].value != NULL &&
		dyn_sigv4_authorization(cache, &scope, credentials, &request,
								&authorization) &&
		dyn_buffer_terminate(&authorization) != NULL;
	/* headers[0], the content type, is among the fixed ones */
	for (i = 1; ok && i < request.nheaders; i++)
		ok = dyn_request_append_header(&list, headers[i].name,
									   headers[i].value);
	ok = ok && dyn_request_append_header(&list, "Authorization",
										 authorization.data);
	for (i = 0; ok && i < LENGTHOF(fixed_headers); i++)
		ok = dyn_request_append_line(&list, fixed_headers[i]);
	dyn_buffer_free(&target);
	dyn_secret_free_buffer(&authorization);
	if (ok)
		return list;
	dyn_request_headers_free(list);
	return NULL;
}

void
dyn_request_headers_free(struct curl_slist *headers)
{
	struct curl_slist *line;

	for (line = headers; line; line = line->next)
		OPENSSL_cleanse(line->data, strlen(line->data));
	curl_slist_free_all(headers);
}

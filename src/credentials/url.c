/*
 * url.c
 *		Parses and writes the URLs of the services that provide credentials.
 *
 * libcurl parses the configured URLs and sends the requests, so the signed
 * host is the one that receives the request.  Parts that we put into a URL are
 * checked or percent-encoded, so they cannot change the rest of the URL.
 */
#include "url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "../aws/sigv4.h"
#include "../base/macros.h"
#include "provider_response.h"
#include "source.h"

enum
{
	SCHEME,
	USER,
	PASSWORD,
	HOST,
	PORT,
	PATH,
	PARTS
};

static const CURLUPart curl_parts[PARTS] = {
	CURLUPART_SCHEME, CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_HOST,
	CURLUPART_PORT, CURLUPART_PATH
};

static bool
copy_parts(char *const texts[PARTS], const char *url, const char *what,
		   bool query, DynUrl *parts, DynError *err)
{
	bool		is_https = texts[SCHEME] && curl_strequal(texts[SCHEME], "https");
	bool		shown = texts[PORT] &&
		strcmp(texts[PORT], is_https ? "443" : "80") != 0;
	size_t		size;

	if (!is_https && (!texts[SCHEME] || !curl_strequal(texts[SCHEME], "http")))
		return dyn_error_set(err, "%s is not an http or https URL", what);
	if (texts[USER] || texts[PASSWORD])
		return dyn_error_set(err, "%s contains a user name", what);
	/* libcurl does not report an empty fragment */
	if (strchr(url, '#') != NULL)
		return dyn_error_set(err, "%s contains a fragment", what);
	if (!query && strchr(url, '?') != NULL)
		return dyn_error_set(err, "%s contains a query", what);
	if (texts[HOST] == NULL || texts[PATH] == NULL)
		return dyn_error_memory(err);
	/* check the host after libcurl has percent-decoded it */
	if (texts[HOST][0] == '\0' || !dyn_response_is_visible(texts[HOST]))
		return dyn_error_set(err, "%s contains a host name with characters that are not ASCII", what);
	size = strlen(texts[HOST]) + 16;
	parts->host = malloc(size);
	parts->path = strdup(texts[PATH]);
	if (parts->host == NULL || parts->path == NULL)
		return dyn_error_memory(err);
	snprintf(parts->host, size, "%s%s%.6s", texts[HOST], shown ? ":" : "",
			 shown ? texts[PORT] : "");
	return true;
}

bool
dyn_url_parse(const char *url, const char *what, bool query, DynUrl *parts,
			  DynError *err)
{
	DynUrl		found = {NULL, NULL};
	CURLU	   *handle;
	CURLUcode	code;
	char	   *texts[PARTS] = {NULL};
	bool		ok = false;

	if (parts != NULL)
		*parts = found;
	if (!dyn_response_is_visible(url))
		return dyn_error_set(err, "%s is not a valid URL", what);
	handle = curl_url();
	code = handle ? curl_url_set(handle, CURLUPART_URL, url, 0)
		: CURLUE_OUT_OF_MEMORY;
	if (code == CURLUE_OUT_OF_MEMORY)
		dyn_error_memory(err);
	else if (code != CURLUE_OK)
		dyn_error_set(err, "%s is not a valid URL", what);
	else
	{
		for (int i = 0; i < PARTS; i++)
			if (curl_url_get(handle, curl_parts[i], &texts[i], 0) != CURLUE_OK)
				texts[i] = NULL;
		ok = copy_parts(texts, url, what, query, &found, err);
	}
	for (int i = 0; i < PARTS; i++)
		curl_free(texts[i]);
	curl_url_cleanup(handle);
	if (ok && parts != NULL)
		*parts = found;
	else
		dyn_url_clear(&found);
	return ok;
}

void
dyn_url_clear(DynUrl *parts)
{
	free(parts->host);
	free(parts->path);
	memset(parts, 0, sizeof(*parts));
}

const char *
dyn_url_configured(const char *variable)
{
	const char *ignored =
		dyn_response_environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");

	if (ignored && curl_strequal(ignored, "true"))
		return NULL;
	return dyn_response_environment(variable);
}

bool
dyn_url_check_region(const char *region, DynError *err)
{
	if (region == NULL || region[0] == '\0')
		return dyn_error_set(err, "the region is missing");
	return dyn_role_is_region(region) ||
		dyn_error_set(err, "invalid name of a region");
}

const char *
dyn_url_domain(const char *region)
{
	static const char *const partitions[][2] = {
		{"cn-", "amazonaws.com.cn"},
		{"eusc-", "amazonaws.eu"},
		{"us-iso-", "c2s.ic.gov"},
		{"us-isob-", "sc2s.sgov.gov"},
		{"eu-isoe-", "cloud.adc-e.uk"},
		{"us-isof-", "csp.hci.ic.gov"}
	};

	for (size_t i = 0; i < LENGTHOF(partitions); i++)
		if (strncmp(region, partitions[i][0], strlen(partitions[i][0])) == 0)
			return partitions[i][1];
	return "amazonaws.com";
}

bool
dyn_url_append_escaped(DynBuffer *buf, const char *text)
{
	dyn_sigv4_append_encoded(buf, text, strlen(text), "");
	return !buf->failed;
}

bool
dyn_url_append_base(DynBuffer *buf, const char *endpoint)
{
	size_t		len = strlen(endpoint);

	while (len > 0 && endpoint[len - 1] == '/')
		len--;
	return dyn_buffer_append(buf, endpoint, len);
}

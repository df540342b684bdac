/*
 * url.c
 *		The URLs of the services that give credentials.
 *
 * URLs that were configured are parsed by libcurl, which also sends the
 * requests, so that the host that is signed is the host that is asked.  Parts
 * that we put into a URL are checked or percent-encoded, so that they cannot
 * change its host, its path or its other parameters.
 *
 * Layer: credentials.  Knows libcurl's parser of URLs; sends nothing.
 */
#include "url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#include "../aws/sigv4.h"
#include "../base/lengthof.h"
#include "answer.h"
#include "role.h"

/* ---- parsing ------------------------------------------------------------ */

/* A part of the URL, to be freed with curl_free; NULL if it has none. */
static char *
part_of(CURLU *handle, CURLUPart part)
{
	char	   *text = NULL;

	return curl_url_get(handle, part, &text, 0) == CURLUE_OK ? text : NULL;
}

static bool
has_part(CURLU *handle, CURLUPart part)
{
	char	   *text = part_of(handle, part);
	bool		has = text != NULL;

	curl_free(text);
	return has;
}

/* "http" or "https", NULL if it is another scheme. */
static const char *
web_scheme(CURLU *handle)
{
	char	   *scheme = part_of(handle, CURLUPART_SCHEME);
	const char *found = NULL;

	if (scheme && strcasecmp(scheme, "http") == 0)
		found = "http";
	else if (scheme && strcasecmp(scheme, "https") == 0)
		found = "https";
	curl_free(scheme);
	return found;
}

/* NULL if memory runs out. */
static char *
host_header(CURLU *handle, const char *scheme)
{
	char	   *host = part_of(handle, CURLUPART_HOST);
	char	   *port = part_of(handle, CURLUPART_PORT);
	const char *own_port = strcmp(scheme, "https") == 0 ? "443" : "80";
	bool		shown = port && strcmp(port, own_port) != 0;
	size_t		size = (host ? strlen(host) : 0) + 16;
	char	   *header = host ? malloc(size) : NULL;

	if (header)
		snprintf(header, size, "%s%s%.6s", host, shown ? ":" : "",
				 shown ? port : "");
	curl_free(host);
	curl_free(port);
	return header;
}

static bool
copy_parts(CURLU *handle, const char *scheme, DynUrl *parts)
{
	char	   *path = part_of(handle, CURLUPART_PATH);

	parts->host = host_header(handle, scheme);
	parts->path = path ? strdup(path) : NULL;
	curl_free(path);
	return parts->host && parts->path;
}

static bool
parse_with(CURLU *handle, const char *url, const char *what, DynUrl *parts,
		   DynFault *fault)
{
	CURLUcode	code = curl_url_set(handle, CURLUPART_URL, url, 0);
	const char *scheme;

	if (code == CURLUE_OUT_OF_MEMORY)
		return dyn_fault_memory(fault);
	if (code != CURLUE_OK)
		return dyn_fault_set(fault, "%s is not a valid URL", what);
	scheme = web_scheme(handle);
	if (scheme == NULL)
		return dyn_fault_set(fault, "%s is not an http or https URL", what);
	if (has_part(handle, CURLUPART_USER) ||
		has_part(handle, CURLUPART_PASSWORD))
		return dyn_fault_set(fault, "%s contains a user name", what);
	/* libcurl does not tell of empty ones, but sends what follows in them. */
	if (strchr(url, '#') != NULL)
		return dyn_fault_set(fault, "%s contains a fragment", what);
	parts->has_query = strchr(url, '?') != NULL;
	return copy_parts(handle, scheme, parts) || dyn_fault_memory(fault);
}

bool
dyn_url_parse(const char *url, const char *what, DynUrl *parts,
			  DynFault *fault)
{
	CURLU	   *handle;
	bool		ok;

	memset(parts, 0, sizeof(*parts));
	if (!dyn_answer_is_visible(url))
		return dyn_fault_set(fault, "%s is not a valid URL", what);
	handle = curl_url();
	if (handle == NULL)
		return dyn_fault_memory(fault);
	ok = parse_with(handle, url, what, parts, fault);
	curl_url_cleanup(handle);
	if (!ok)
		dyn_url_clear(parts);
	return ok;
}

bool
dyn_url_parse_endpoint(const char *url, const char *what, DynUrl *parts,
					   DynFault *fault)
{
	if (!dyn_url_parse(url, what, parts, fault))
		return false;
	if (!parts->has_query)
		return true;
	dyn_url_clear(parts);
	return dyn_fault_set(fault, "%s contains a query", what);
}

bool
dyn_url_check_endpoint(const char *url, const char *what, DynFault *fault)
{
	DynUrl		parts;
	bool		ok = dyn_url_parse_endpoint(url, what, &parts, fault);

	dyn_url_clear(&parts);
	return ok;
}

void
dyn_url_clear(DynUrl *parts)
{
	free(parts->host);
	free(parts->path);
	memset(parts, 0, sizeof(*parts));
}

/* ---- configuration ------------------------------------------------------ */

const char *
dyn_url_configured(const char *variable)
{
	const char *ignored =
		dyn_answer_environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");

	if (ignored && strcasecmp(ignored, "true") == 0)
		return NULL;
	return dyn_answer_environment(variable);
}

bool
dyn_url_check_region(const char *region, DynFault *fault)
{
	if (region == NULL || region[0] == '\0')
		return dyn_fault_set(fault, "a region is missing");
	return dyn_role_is_region(region) ||
		dyn_fault_set(fault, "the name of a region is not valid");
}

typedef struct Partition
{
	const char *region_prefix;
	const char *domain;
} Partition;

static const Partition partitions[] = {
	{"cn-", "amazonaws.com.cn"},
	{"eusc-", "amazonaws.eu"},
	{"us-iso-", "c2s.ic.gov"},
	{"us-isob-", "sc2s.sgov.gov"},
	{"eu-isoe-", "cloud.adc-e.uk"},
	{"us-isof-", "csp.hci.ic.gov"}
};

const char *
dyn_url_domain(const char *region)
{
	size_t		i;

	for (i = 0; i < LENGTHOF(partitions); i++)
		if (strncmp(region, partitions[i].region_prefix,
					strlen(partitions[i].region_prefix)) == 0)
			return partitions[i].domain;
	return "amazonaws.com";
}

/* ---- writing ------------------------------------------------------------ */

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

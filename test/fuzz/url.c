/*
 * url.c
 *		Fuzzes the parser of configured URLs, and what is written with its
 *		parts.
 *
 * What is accepted has a host and a path in printable ASCII; the message of an
 * error does not contain the URL.
 */
#include "credentials/url.h"
#include "fuzz.h"

static bool
is_visible(const char *text)
{
	for (; *text != '\0'; text++)
	{
		if (*text <= ' ' || *text > '~')
			return false;
	}
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {(const char *) data, size};
	bool		query = take_number(&input, 2);
	char	   *url = take_text(&input);
	char	   *region = take_text(&input);
	DynUrl		parts = {0};
	DynError	err = {0};
	DynBuffer	buf;

	if (dyn_url_parse(url, "the URL", query, &parts, &err))
	{
		demand(parts.host[0] != '\0' && is_visible(parts.host));
		demand(parts.path[0] == '/' && is_visible(parts.path));
		demand(strchr(parts.host, '@') == NULL && strchr(parts.host, '/') == NULL);
	}
	else
	{
		demand(parts.host == NULL && parts.path == NULL && err.message[0] != '\0');
		demand(strlen(url) < 12 || strstr(err.message, url) == NULL);
	}
	dyn_url_clear(&parts);
	if (dyn_url_check_region(region, &err))
		demand(is_visible(region) && dyn_url_domain(region) != NULL);
	dyn_buffer_init(&buf, 0);
	demand(dyn_url_append_escaped(&buf, region) && buf.len <= 3 * strlen(region));
	dyn_buffer_reset(&buf);
	demand(dyn_url_append_base(&buf, url) && buf.len <= strlen(url));
	dyn_buffer_free(&buf);
	free(url);
	free(region);
	return 0;
}

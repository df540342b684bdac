/*
 * headers.h
 *		The headers of an exchange that was not started.
 */
#ifndef DYN_TEST_HEADERS_H
#define DYN_TEST_HEADERS_H

#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#include "aws/client.h"

/* The value of a header that was added, NULL if there is none. */
static const char *
find_header(const DynExchange *exchange, const char *name)
{
	const struct curl_slist *line;
	size_t		len = strlen(name);

	for (line = exchange->headers; line; line = line->next)
		if (strncasecmp(line->data, name, len) == 0 && line->data[len] == ':')
			return line->data + len + 2;
	return NULL;
}

#endif

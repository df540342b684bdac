/*
 * read_json.h
 *		Reads credentials from a JSON document.
 */
#ifndef DYN_TEST_READ_JSON_H
#define DYN_TEST_READ_JSON_H

#include "credentials/provider_response.h"

static inline bool
read_json_credentials(const char *text, size_t len,
					  const DynResponseNames *names, const char *whose,
					  DynCredentials *credentials, DynError *err)
{
	json_t	   *document = dyn_secret_json_open(text, len, whose, err);
	bool		ok;

	memset(credentials, 0, sizeof(*credentials));
	if (document == NULL)
		return false;
	ok = dyn_response_read_object(document, names, whose, credentials, err);
	dyn_secret_json_close(document);
	return ok;
}

#endif

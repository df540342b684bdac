/*
 * container.c
 *		Obtains the credentials of ECS tasks and EKS pods.
 *
 * The environment names the endpoint and the token, and is read again for each
 * request.  So is the token's file, as the platform replaces it.  A relative
 * URI may be as secret as a password: messages name the variable, and never
 * quote it.
 *
 * Layer: credentials.
 */
#include "container.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "url.h"

#define RELATIVE_URI	"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
#define FULL_URI		"AWS_CONTAINER_CREDENTIALS_FULL_URI"
#define TOKEN			"AWS_CONTAINER_AUTHORIZATION_TOKEN"
#define TOKEN_FILE		"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"

#define RELATIVE_HOST	"http://169.254.170.2"

#define WHOSE			"the container credentials"

bool
dyn_container_is_set(void)
{
	return dyn_response_environment(RELATIVE_URI) != NULL ||
		dyn_response_environment(FULL_URI) != NULL;
}

/* ---- the request -------------------------------------------------------- */

/*
 * Creates the request.  Without the slash, a relative URI would continue the
 * host's name.
 */
static DynExchange *
create(DynError *err)
{
	const char *relative = dyn_response_environment(RELATIVE_URI);
	const char *uri = relative ? relative : dyn_response_environment(FULL_URI);
	DynBuffer	url;
	DynUrl		parts;

	if (uri == NULL)
	{
		dyn_error_set(err, "neither %s nor %s is set", RELATIVE_URI, FULL_URI);
		dyn_error_hint(err, "Amazon ECS and EKS Pod Identity set one of them in the environment of a container.");
		return NULL;
	}
	if (relative && *relative != '/')
	{
		dyn_error_set(err, "%s does not begin with a slash", RELATIVE_URI);
		return NULL;
	}
	dyn_buffer_init(&url, 0);
	dyn_buffer_append_str(&url, relative ? RELATIVE_HOST : "");
	dyn_buffer_append_str(&url, uri);
	if (dyn_buffer_terminate(&url) == NULL)
		dyn_error_memory(err);
	else if (dyn_url_parse(url.data, relative ? RELATIVE_URI : FULL_URI, &parts,
						   err))
	{
		dyn_url_clear(&parts);
		return dyn_response_exchange("GET", &url, DYN_ADDRESS_LOCAL, err);
	}
	dyn_buffer_free(&url);
	return NULL;
}

static bool
add_token(DynExchange *exchange, DynError *err)
{
	const char *path = dyn_response_environment(TOKEN_FILE);
	const char *token = dyn_response_environment(TOKEN);
	DynBuffer	contents;
	bool		ok;

	if (path == NULL)
		return token == NULL ||
			dyn_response_header(exchange, "Authorization", token, TOKEN, err);
	ok = dyn_file_read(path, DYN_FILE_LONGEST_TOKEN, &contents,
					   err) == DYN_FILE_READ;
	if (ok && (contents.len == 0 || strlen(contents.data) < contents.len))
		ok = dyn_error_set(err, "file \"%s\" does not contain a token", path);
	ok = ok && dyn_response_header(exchange, "Authorization", contents.data,
								   "the token in the file that "
								   TOKEN_FILE " names", err);
	dyn_secret_free_buffer(&contents);
	return ok;
}

DynExchange *
dyn_container_request(DynError *err)
{
	DynExchange *exchange = create(err);

	return dyn_response_request(exchange, exchange != NULL &&
								add_token(exchange, err) &&
								dyn_response_header(exchange, "Accept",
													"application/json", "", err));
}

/* ---- the reply ---------------------------------------------------------- */

DynProviderResponse
dyn_container_response(const DynExchange *exchange, DynCredentials *credentials,
					   DynError *err)
{
	return dyn_response_read(exchange, &dyn_response_machine_names, WHOSE,
							 credentials, err);
}

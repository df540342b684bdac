/*
 * container.c
 *		Credentials of ECS tasks and EKS pods.
 *
 * The environment names the endpoint and the token, and is read anew for each
 * request; so is the token's file, as the platform replaces it.  A relative
 * URI may be as good as a password: messages name the variable, and never
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
	return dyn_answer_environment(RELATIVE_URI) != NULL ||
		dyn_answer_environment(FULL_URI) != NULL;
}

/* ---- the request -------------------------------------------------------- */

static DynExchange *
create_for(const char *url, const char *variable, DynFault *fault)
{
	DynExchange *exchange;
	DynUrl		parts;

	if (!dyn_url_parse(url, variable, &parts, fault))
		return NULL;
	dyn_url_clear(&parts);
	exchange = dyn_exchange_create("GET", url, DYN_REACH_LOCAL);
	if (exchange == NULL)
		dyn_fault_memory(fault);
	return exchange;
}

/* Without the slash, the URI would continue the host's name. */
static DynExchange *
create_relative(const char *uri, DynFault *fault)
{
	DynExchange *exchange = NULL;
	DynBuffer	url;

	if (*uri != '/')
	{
		dyn_fault_set(fault, "%s does not begin with a slash", RELATIVE_URI);
		return NULL;
	}
	dyn_buffer_init(&url, 0);
	dyn_buffer_append_str(&url, RELATIVE_HOST);
	dyn_buffer_append_str(&url, uri);
	if (dyn_buffer_terminate(&url) == NULL)
		dyn_fault_memory(fault);
	else
		exchange = create_for(url.data, RELATIVE_URI, fault);
	dyn_buffer_free(&url);
	return exchange;
}

static DynExchange *
create(DynFault *fault)
{
	const char *relative = dyn_answer_environment(RELATIVE_URI);
	const char *full = dyn_answer_environment(FULL_URI);

	if (relative)
		return create_relative(relative, fault);
	if (full)
		return create_for(full, FULL_URI, fault);
	dyn_fault_set(fault, "neither %s nor %s is set", RELATIVE_URI, FULL_URI);
	dyn_fault_hint(fault, "Amazon ECS and EKS Pod Identity set one of them in the environment of the server.");
	return NULL;
}

static bool
add_token_of_file(DynExchange *exchange, const char *path, DynFault *fault)
{
	DynBuffer	token;
	bool		ok = dyn_file_read(path, DYN_FILE_LONGEST_TOKEN, &token,
								   fault) == DYN_FILE_READ;

	if (ok && (token.len == 0 || memchr(token.data, '\0', token.len) != NULL))
		ok = dyn_fault_set(fault, "file \"%s\" does not contain a token", path);
	ok = ok && dyn_answer_header(exchange, "Authorization", token.data,
								 "the token in the file that "
								 TOKEN_FILE " names", fault);
	dyn_file_wipe(&token);
	return ok;
}

static bool
add_token(DynExchange *exchange, DynFault *fault)
{
	const char *file = dyn_answer_environment(TOKEN_FILE);
	const char *token = dyn_answer_environment(TOKEN);

	if (file)
		return add_token_of_file(exchange, file, fault);
	return token == NULL ||
		dyn_answer_header(exchange, "Authorization", token, TOKEN, fault);
}

DynExchange *
dyn_container_request(DynFault *fault)
{
	DynExchange *exchange = create(fault);

	if (exchange == NULL)
		return NULL;
	if (add_token(exchange, fault) &&
		dyn_answer_header(exchange, "Accept", "application/json", "", fault))
		return exchange;
	dyn_exchange_destroy(exchange);
	return NULL;
}

/* ---- the reply ---------------------------------------------------------- */

DynAnswer
dyn_container_answer(const DynExchange *exchange, DynCredentials *credentials,
					 DynFault *fault)
{
	static const DynAnswerNames names = {
		.access_key_id = "AccessKeyId",
		.secret_access_key = "SecretAccessKey",
		.session_token = "Token",
		.expires = "Expiration"
	};

	if (exchange->failure != DYN_FAIL_NONE || exchange->status != 200)
		return dyn_answer_failed(exchange, WHOSE, fault);
	return dyn_answer_read_json(exchange->response.data,
								exchange->response.len, &names, WHOSE,
								credentials, fault) ?
		DYN_ANSWER_CREDENTIALS : DYN_ANSWER_FAILED;
}

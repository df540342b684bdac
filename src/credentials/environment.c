/*
 * environment.c
 *		Reads AWS's variables from the server's environment.
 *
 * The environment is the one in which the server was started, and does not
 * change while the server runs.  An empty variable is regarded as not set, as
 * in AWS's tools.  An access key id without its secret, or a secret without
 * its id, is an error, while some of AWS's tools ignore the variable and try
 * other sources.
 */
#include "provider_chain.h"

#include <string.h>

#include "provider_response.h"
#include "source_options.h"

#define HINT \
	"The environment is the one in which the server was started; " \
	"change it there, and restart the server."

/*
 * Reports an error in the variable `name`; in the message, `what` follows the
 * name.  The hint mentions the server's environment, because people often set
 * the variable elsewhere.
 */
static DynFound
refuse(DynError *err, const char *name, const char *what)
{
	dyn_error_set(err, "environment variable %s %s", name, what);
	return dyn_error_hint(err, HINT);
}

static DynFound
half_set(DynError *err, const char *set, const char *missing)
{
	dyn_error_set(err, "environment variable %s is set, but %s is not",
				  set, missing);
	return dyn_error_hint(err, HINT);
}

DynFound
dyn_environment_keys(DynCredentials *keys, DynError *err)
{
	const char *id = dyn_response_environment("AWS_ACCESS_KEY_ID");
	const char *secret = dyn_response_environment("AWS_SECRET_ACCESS_KEY");
	const char *token_name = "AWS_SESSION_TOKEN";
	const char *token = dyn_response_environment(token_name);
	const char *expires = dyn_response_environment("AWS_CREDENTIAL_EXPIRATION");
	const char *bad;

	if (id == NULL && secret == NULL)
	{
		dyn_error_set(err, "environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set");
		dyn_error_hint(err, HINT);
		return DYN_FOUND_NOTHING;
	}
	if (id == NULL)
		return half_set(err, "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID");
	if (secret == NULL)
		return half_set(err, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY");
	if (token == NULL)
	{
		token_name = "AWS_SECURITY_TOKEN";
		token = dyn_response_environment(token_name);
	}
	if (!dyn_credentials_set(keys, id, secret, token, &bad))
	{
		if (bad != NULL)
			return refuse(err, strcmp(bad, "access_key_id") == 0
						  ? "AWS_ACCESS_KEY_ID"
						  : strcmp(bad, "secret_access_key") == 0
						  ? "AWS_SECRET_ACCESS_KEY" : token_name,
						  "contains a control character");
		return dyn_error_memory(err);
	}
	if (expires == NULL || dyn_response_read_time(expires, &keys->expires))
		return DYN_FOUND;
	dyn_credentials_clear(keys);
	return refuse(err, "AWS_CREDENTIAL_EXPIRATION",
				  "is not a time such as 2030-01-02T03:04:05Z");
}

DynFound
dyn_environment_web_identity(char **token_file, DynRole *role, DynError *err)
{
	const char *file = dyn_response_environment("AWS_WEB_IDENTITY_TOKEN_FILE");
	const char *arn = dyn_response_environment("AWS_ROLE_ARN");
	const char *name = dyn_response_environment("AWS_ROLE_SESSION_NAME");
	DynRole		found = {(char *) arn, (char *) name, NULL, 0};

	if (file == NULL)
	{
		(void) refuse(err, "AWS_WEB_IDENTITY_TOKEN_FILE", "is not set");
		return DYN_FOUND_NOTHING;
	}
	if (arn == NULL)
		return half_set(err, "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN");
	if (!dyn_role_is_arn(arn))
		return refuse(err, "AWS_ROLE_ARN", "is not the ARN of a role");
	if (name != NULL && !dyn_role_is_session_name(name))
		return refuse(err, "AWS_ROLE_SESSION_NAME",
					  "is not the name of a session");
	*token_file = strdup(file);
	if (*token_file != NULL && dyn_role_copy(role, &found))
		return DYN_FOUND;
	return dyn_error_memory(err);
}

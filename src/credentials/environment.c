/*
 * environment.c
 *		What the server's environment has of AWS's variables.
 *
 * It is the environment in which the server was started, which nobody changes
 * while it runs.  A variable that is empty counts as not set, as AWS's tools
 * have it.  Half a pair of keys is a mistake here; some of those tools overlook a
 * secret without its id, and go on to other sources.
 *
 * Layer: credentials.
 */
#include "environment.h"

#include <string.h>

#include "answer.h"
#include "role.h"

/* All variables are of the server, which is what people overlook. */
static DynFound
hint(DynFound found, DynFault *fault)
{
	dyn_fault_hint(fault, "The environment is the one in which the server was "
				   "started; change it there, and restart the server.");
	return found;
}

static DynFound
out_of_memory(DynFault *fault)
{
	dyn_fault_memory(fault);
	return DYN_FOUND_FAULT;
}

static DynFound
half_set(const char *set, const char *missing, DynFault *fault)
{
	dyn_fault_set(fault, "environment variable %s is set, but %s is not",
				  set, missing);
	return hint(DYN_FOUND_FAULT, fault);
}

/* ---- keys ------------------------------------------------------------- */

static DynFound
set_expiry(DynCredentials *keys, DynFault *fault)
{
	const char *text = dyn_answer_environment("AWS_CREDENTIAL_EXPIRATION");

	if (text == NULL || dyn_answer_read_time(text, &keys->expires))
		return DYN_FOUND;
	dyn_credentials_clear(keys);
	dyn_fault_set(fault, "environment variable AWS_CREDENTIAL_EXPIRATION is "
				  "not a time such as 2030-01-02T03:04:05Z");
	return hint(DYN_FOUND_FAULT, fault);
}

/* `bad` is the part with a control character, or NULL. */
static DynFound
refuse_keys(const char *bad, DynFault *fault)
{
	if (bad == NULL)
		return out_of_memory(fault);
	dyn_fault_set(fault, "environment variable %s contains a control character",
				  strcmp(bad, "access_key_id") == 0 ? "AWS_ACCESS_KEY_ID" :
				  strcmp(bad, "secret_access_key") == 0 ?
				  "AWS_SECRET_ACCESS_KEY" : "AWS_SESSION_TOKEN");
	return hint(DYN_FOUND_FAULT, fault);
}

DynFound
dyn_environment_keys(DynCredentials *keys, DynFault *fault)
{
	const char *id = dyn_answer_environment("AWS_ACCESS_KEY_ID");
	const char *secret = dyn_answer_environment("AWS_SECRET_ACCESS_KEY");
	const char *token = dyn_answer_environment("AWS_SESSION_TOKEN");
	const char *bad;

	if (id == NULL && secret == NULL)
	{
		dyn_fault_set(fault, "environment variables AWS_ACCESS_KEY_ID and "
					  "AWS_SECRET_ACCESS_KEY are not set");
		return hint(DYN_FOUND_NOTHING, fault);
	}
	if (id == NULL)
		return half_set("AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID", fault);
	if (secret == NULL)
		return half_set("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", fault);
	if (token == NULL)
		token = dyn_answer_environment("AWS_SECURITY_TOKEN");
	if (!dyn_credentials_set(keys, id, secret, token, &bad))
		return refuse_keys(bad, fault);
	return set_expiry(keys, fault);
}

/* ---- web identity ----------------------------------------------------- */

static DynFound
refuse_variable(const char *name, const char *what, DynFault *fault)
{
	dyn_fault_set(fault, "environment variable %s is not %s", name, what);
	return hint(DYN_FOUND_FAULT, fault);
}

DynFound
dyn_environment_web_identity(char **token_file, DynRole *role, DynFault *fault)
{
	const char *file = dyn_answer_environment("AWS_WEB_IDENTITY_TOKEN_FILE");
	const char *arn = dyn_answer_environment("AWS_ROLE_ARN");
	const char *name = dyn_answer_environment("AWS_ROLE_SESSION_NAME");
	DynRole		found = {(char *) arn, (char *) name, NULL, 0};

	if (file == NULL)
	{
		dyn_fault_set(fault, "environment variable AWS_WEB_IDENTITY_TOKEN_FILE "
					  "is not set");
		return hint(DYN_FOUND_NOTHING, fault);
	}
	if (arn == NULL)
		return half_set("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN", fault);
	if (!dyn_role_is_arn(arn))
		return refuse_variable("AWS_ROLE_ARN", "the ARN of a role", fault);
	if (name != NULL && !dyn_role_is_session_name(name))
		return refuse_variable("AWS_ROLE_SESSION_NAME", "the name of a session",
							   fault);
	*token_file = strdup(file);
	if (*token_file == NULL || !dyn_role_copy(role, &found))
		return out_of_memory(fault);
	return DYN_FOUND;
}

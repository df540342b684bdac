/*
 * source_options.c
 *		Checks, copies and wipes the credential options of a user mapping.
 *
 * The rules for roles are those of the API reference of STS.  They are checked
 * before a request is sent, so that a message can name the wrong option or
 * setting.
 *
 * All strings are overwritten when they are freed, not only the access keys.
 * An external id is also a kind of secret, and a proxy may have a password.
 */
#include "provider_response.h"
#include "source.h"

#include <stdlib.h>
#include <string.h>

#define LOWER_CASE		"abcdefghijklmnopqrstuvwxyz"
#define DIGITS			"0123456789"
#define NAME_CHARACTERS	LOWER_CASE "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "_+=,.@-"

#define LONGEST_ARN		2048
#define ACCOUNT_DIGITS	12
#define LONGEST_REGION	63

static bool
consists_of(const char *text, const char *characters, size_t least,
			size_t most)
{
	size_t		len = strlen(text);

	return len >= least && len <= most && strspn(text, characters) == len;
}

static bool
skip(const char **p, const char *text)
{
	if (strncmp(*p, text, strlen(text)) != 0)
		return false;
	*p += strlen(text);
	return true;
}

bool
dyn_role_is_arn(const char *text)
{
	const char *p = text;

	if (strlen(text) > LONGEST_ARN || !skip(&p, "arn:aws"))
		return false;
	p += strspn(p, LOWER_CASE "-");
	if (!skip(&p, ":iam::") || strspn(p, DIGITS) != ACCOUNT_DIGITS)
		return false;
	p += ACCOUNT_DIGITS;
	/* a path may come before the role's name */
	return skip(&p, ":role/") && dyn_response_is_visible(p) &&
		consists_of(strrchr(text, '/') + 1, NAME_CHARACTERS, 1, 64);
}

bool
dyn_role_is_session_name(const char *text)
{
	return consists_of(text, NAME_CHARACTERS, 2, 64);
}

bool
dyn_role_is_external_id(const char *text)
{
	return consists_of(text, NAME_CHARACTERS ":/", 2, 1224);
}

bool
dyn_role_is_region(const char *text)
{
	return consists_of(text, LOWER_CASE DIGITS "-", 1, LONGEST_REGION) &&
		text[0] != '-';
}

bool
dyn_role_read_duration(const char *text, int *seconds)
{
	long		n = strtol(text, NULL, 10);

	*seconds = (int) n;
	return text[strspn(text, DIGITS)] == '\0' && n >= DYN_ROLE_SHORTEST &&
		n <= DYN_ROLE_LONGEST;
}

bool
dyn_role_copy(DynRole *to, const DynRole *from)
{
	to->duration = from->duration;
	if (dyn_secret_copy(&to->arn, from->arn) &&
		dyn_secret_copy(&to->session_name, from->session_name) &&
		dyn_secret_copy(&to->external_id, from->external_id))
		return true;
	dyn_role_clear(to);
	return false;
}

void
dyn_role_clear(DynRole *role)
{
	dyn_secret_free(role->arn);
	dyn_secret_free(role->session_name);
	dyn_secret_free(role->external_id);
	memset(role, 0, sizeof(*role));
}

void
dyn_source_options_clear(DynSourceOptions *source_options)
{
	dyn_credentials_clear(&source_options->keys);
	dyn_role_clear(&source_options->role);
	dyn_secret_free(source_options->profile);
	dyn_secret_free(source_options->region);
	dyn_secret_free(source_options->sts_endpoint_url);
	dyn_secret_free(source_options->ca_bundle);
	dyn_secret_free(source_options->proxy);
	memset(source_options, 0, sizeof(*source_options));
}

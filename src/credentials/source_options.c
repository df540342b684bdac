/*
 * source_options.c
 *		Checks, copies and wipes the credential options of a user mapping.
 *
 * The rules for roles are those of the API reference of STS.  They are checked
 * before a request is sent, so that an error message can name the wrong option
 * of the user mapping, or the wrong setting of the profile.
 *
 * All strings are overwritten when they are freed, not only the access keys.
 * An external id is also a kind of secret, and a proxy may have a password.
 */
#include "source.h"

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

/* Returns true for a role's name, with or without a path before it. */
static bool
is_role_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (const char *p = path; *p; p++)
		if (*p <= ' ' || *p > '~')
			return false;
	return consists_of(slash ? slash + 1 : path, NAME_CHARACTERS, 1, 64);
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
	return skip(&p, ":role/") && is_role_path(p);
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
	int			n = 0;
	const char *p;

	for (p = text; *p >= '0' && *p <= '9'; p++)
	{
		n = n * 10 + (*p - '0');
		if (n > DYN_ROLE_LONGEST)
			return false;
	}
	*seconds = n;
	return *p == '\0' && n >= DYN_ROLE_SHORTEST;
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

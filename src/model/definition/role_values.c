/*
 * role_values.c
 *		The values that AWS accepts for a role to assume.
 *
 * They are those of the API reference of the security token service.
 *
 * Layer: model.
 */
#include "postgres.h"

#include "role_values.h"

#define ALPHANUMERIC \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define NAME_CHARACTERS		ALPHANUMERIC "_+=,.@-"

#define LONGEST_ARN			2048
#define ACCOUNT_DIGITS		12

static bool
consists_of(const char *value, const char *characters, size_t shortest,
			size_t longest)
{
	size_t		len = strlen(value);

	return len >= shortest && len <= longest &&
		strspn(value, characters) == len;
}

/* Moves *p past `text`, if it is there. */
static bool
skip_text(const char **p, const char *text)
{
	if (strncmp(*p, text, strlen(text)) != 0)
		return false;
	*p += strlen(text);
	return true;
}

/* A path and a name: the path may have all printable characters of ASCII. */
static bool
is_role_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (const char *p = path; *p; p++)
	{
		if (*p <= ' ' || *p > '~')
			return false;
	}
	return consists_of(slash ? slash + 1 : path, NAME_CHARACTERS, 1, 64);
}

bool
dyn_role_arn_check(const char *value, const char **why)
{
	const char *p = value;
	bool		valid = skip_text(&p, "arn:aws");

	*why = "The ARN of a role looks like arn:aws:iam::123456789012:role/name.";
	p += strspn(p, "abcdefghijklmnopqrstuvwxyz-");
	valid = valid && skip_text(&p, ":iam::") &&
		strspn(p, "0123456789") == ACCOUNT_DIGITS;
	p += valid ? ACCOUNT_DIGITS : 0;
	return valid && skip_text(&p, ":role/") && is_role_path(p) &&
		strlen(value) <= LONGEST_ARN;
}

bool
dyn_external_id_check(const char *value, const char **why)
{
	*why = "An external id has 2 to 1224 letters, digits and characters of _+=,.@:/-";
	return consists_of(value, NAME_CHARACTERS ":/", 2, 1224);
}

bool
dyn_session_name_check(const char *value, const char **why)
{
	*why = "A session name has 2 to 64 letters, digits and characters of _+=,.@-";
	return consists_of(value, NAME_CHARACTERS, 2, 64);
}

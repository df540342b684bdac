/*
 * role.c
 *		The values of a role that are read from files and the environment.
 *
 * The service's own rules, so that a mistake is reported with the place where
 * it was made, and not by the service's message about a request.
 *
 * Layer: credentials.
 */
#include "role.h"

#include <stddef.h>
#include <string.h>

#include "../aws/secret.h"

/* Letters, digits and those of `others`; of a length in this range. */
static bool
consists_of(const char *text, const char *others, size_t least, size_t most)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const char *p;

	for (p = text; *p; p++)
		if (strchr(letters, *p) == NULL && strchr(others, *p) == NULL)
			return false;
	return (size_t) (p - text) >= least && (size_t) (p - text) <= most;
}

bool
dyn_role_is_arn(const char *text)
{
	const char *p;

	for (p = text; *p; p++)
		if (*p <= ' ' || *p >= 0x7f)
			return false;
	return strncmp(text, "arn:", 4) == 0 && p - text >= 20 && p - text <= 2048;
}

bool
dyn_role_is_session_name(const char *text)
{
	return consists_of(text, "_+=,.@-", 2, 64);
}

bool
dyn_role_is_external_id(const char *text)
{
	return consists_of(text, "_+=,.@:/-", 2, 1224);
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

/*
 * credentials.c
 *		Copies, checks and wipes an AWS access key, and other secret strings.
 *
 * Credentials go into HTTP headers, where a line break would start a header of
 * an attacker's choice.  So dyn_credentials_set rejects control characters.
 * Memory is overwritten before it is freed, so that core files and reused
 * blocks do not contain secrets.
 */
#include "credentials.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "../base/macros.h"

bool
dyn_secret_copy(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from == NULL || *to != NULL;
}

void
dyn_secret_free(void *memory)
{
	/* hide the requested size: _FORTIFY_SOURCE=3 aborts writes beyond it */
	void	   *volatile block = memory;

	if (memory != NULL)
		explicit_bzero(block, malloc_usable_size(block));
	free(memory);
}

void
dyn_secret_forget(char **text)
{
	dyn_secret_free(*text);
	*text = NULL;
}

void
dyn_secret_free_buffer(DynBuffer *buf)
{
	if (buf->data != NULL)
		explicit_bzero(buf->data, buf->cap);
	dyn_buffer_free(buf);
}

bool
dyn_credentials_suit_header(const char *value)
{
	for (; *value; value++)
		if ((unsigned char) *value < 0x20 || *value == 0x7f)
			return false;
	return true;
}

bool
dyn_credentials_set(DynCredentials *credentials, const char *access_key_id,
					const char *secret_access_key, const char *session_token,
					const char **bad)
{
	const struct
	{
		char	  **to;
		const char *from;
		const char *name;
	}			parts[] = {
		{&credentials->access_key_id, access_key_id, "access_key_id"},
		{&credentials->secret_access_key, secret_access_key,
		"secret_access_key"},
		{&credentials->session_token, session_token, "session_token"}
	};

	memset(credentials, 0, sizeof(*credentials));
	*bad = NULL;
	for (size_t i = 0; i < LENGTHOF(parts); i++)
	{
		if (parts[i].from && !dyn_credentials_suit_header(parts[i].from))
			*bad = parts[i].name;
		else if (dyn_secret_copy(parts[i].to, parts[i].from))
			continue;
		dyn_credentials_clear(credentials);
		return false;
	}
	return true;
}

void
dyn_credentials_clear(DynCredentials *credentials)
{
	dyn_secret_forget(&credentials->access_key_id);
	dyn_secret_forget(&credentials->secret_access_key);
	dyn_secret_forget(&credentials->session_token);
	credentials->expires = 0;
}

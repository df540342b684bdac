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

bool
dyn_secret_copy(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from == NULL || *to != NULL;
}

void
dyn_secret_free(void *memory)
{
	/*
	 * volatile hides the size passed to malloc from the compiler: with
	 * _FORTIFY_SOURCE=3, writing more than that size would end the process
	 */
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

/*
 * Copies one string of the credentials; NULL (no session token) stays NULL.
 * Returns false if memory runs out or, with *bad set to `name`, if the string
 * has control characters.
 */
static bool
copy_part(char **dst, const char *src, const char *name, const char **bad)
{
	if (src == NULL)
		return true;
	if (!dyn_credentials_suit_header(src))
	{
		*bad = name;
		return false;
	}
	*dst = strdup(src);
	return *dst != NULL;
}

bool
dyn_credentials_set(DynCredentials *credentials, const char *access_key_id,
					const char *secret_access_key, const char *session_token,
					const char **bad)
{
	memset(credentials, 0, sizeof(*credentials));
	*bad = NULL;
	if (copy_part(&credentials->access_key_id, access_key_id,
				  "access_key_id", bad) &&
		copy_part(&credentials->secret_access_key, secret_access_key,
				  "secret_access_key", bad) &&
		copy_part(&credentials->session_token, session_token,
				  "session_token", bad))
		return true;
	dyn_credentials_clear(credentials);
	return false;
}

void
dyn_credentials_clear(DynCredentials *credentials)
{
	dyn_secret_forget(&credentials->access_key_id);
	dyn_secret_forget(&credentials->secret_access_key);
	dyn_secret_forget(&credentials->session_token);
	credentials->expires = 0;
}

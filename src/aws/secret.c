/*
 * secret.c
 *		Functions for texts that are overwritten before they are freed.
 *
 * Layer: aws.  Knows OpenSSL for a memset that is not optimized away.
 */
#include "secret.h"

#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

bool
dyn_secret_copy(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from == NULL || *to != NULL;
}

void
dyn_secret_free(char *text)
{
	if (text != NULL)
		OPENSSL_cleanse(text, strlen(text));
	free(text);
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
		OPENSSL_cleanse(buf->data, buf->cap);
	dyn_buffer_free(buf);
}

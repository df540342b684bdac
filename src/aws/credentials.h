/*
 * credentials.h
 *		Copies, checks and wipes an AWS access key, and other secret strings.
 */
#ifndef DYN_AWS_CREDENTIALS_H
#define DYN_AWS_CREDENTIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/buffer.h"

/* The strings are malloc'd, and owned by the struct. */
typedef struct DynCredentials
{
	char	   *access_key_id;
	char	   *secret_access_key;
	char	   *session_token;	/* NULL for long-term keys */
	int64_t		expires;		/* seconds since the epoch; 0 means never */
} DynCredentials;

/*
 * Copies the strings.  Returns false, with *credentials empty, if memory runs
 * out (*bad is NULL), or the string named *bad has control characters.
 */
extern bool dyn_credentials_set(DynCredentials *credentials,
								const char *access_key_id,
								const char *secret_access_key,
								const char *session_token,
								const char **bad);

/* Returns true if the value has no control characters, such as a newline. */
extern bool dyn_credentials_suit_header(const char *value);

extern void dyn_credentials_clear(DynCredentials *credentials);

/* Copies a string, which may be NULL.  Returns false if memory runs out. */
extern bool dyn_secret_copy(char **to, const char *from);

/* Overwrites and frees malloc'd memory, such as a string; NULL is allowed. */
extern void dyn_secret_free(void *memory);

/* Overwrites and frees *text, and sets it to NULL. */
extern void dyn_secret_forget(char **text);

/* Overwrites and frees the memory of a buffer. */
extern void dyn_secret_free_buffer(DynBuffer *buf);

#endif

/*
 * like.h
 *		What a LIKE pattern says of the texts that match it.
 */
#ifndef DYN_MODEL_LIKE_H
#define DYN_MODEL_LIKE_H

#include <stddef.h>

/* What a LIKE pattern says for certain. */
typedef enum DynLike
{
	DYN_LIKE_EQUAL,				/* no wildcard */
	DYN_LIKE_PREFIX,			/* begins with the text */
	DYN_LIKE_CONTAINS,			/* contains the text */
	DYN_LIKE_ANYTHING
} DynLike;

/*
 * *text is palloc'd, without escapes.  A pattern that ends in its escape
 * character is an error, but only for the values that are compared to its end:
 * nothing can be told of it.
 */
extern DynLike dyn_like_pattern(const char *pattern, size_t len,
								char **text, size_t *text_len);

#endif

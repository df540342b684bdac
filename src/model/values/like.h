/*
 * like.h
 *		Derives a condition from a LIKE pattern.
 */
#ifndef DYN_MODEL_LIKE_H
#define DYN_MODEL_LIKE_H

#include <stddef.h>

/* Condition that every text matching the pattern satisfies. */
typedef enum DynLike
{
	DYN_LIKE_EQUAL,				/* equals the text: no wildcard */
	DYN_LIKE_PREFIX,			/* begins with the text */
	DYN_LIKE_CONTAINS,			/* contains the text */
	DYN_LIKE_ANYTHING
} DynLike;

/*
 * Returns the condition; *text is palloc'd, without escapes.  A pattern that
 * ends with its escape character is an error for some values only, so it gives
 * no condition.
 */
extern DynLike dyn_like_pattern(const char *pattern, size_t len,
								char **text, size_t *text_len);

#endif

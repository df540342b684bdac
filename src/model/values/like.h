/*
 * like.h
 *		Derives a condition from a LIKE pattern.
 */
#ifndef DYN_MODEL_LIKE_H
#define DYN_MODEL_LIKE_H

#include <stddef.h>

typedef enum DynLike
{
	DYN_LIKE_EQUAL,				/* equals the text: no wildcard */
	DYN_LIKE_PREFIX,			/* begins with the text */
	DYN_LIKE_CONTAINS,			/* contains the text */
	DYN_LIKE_ANYTHING
} DynLike;

/*
 * Returns a condition that all matching strings satisfy, and sets *text to the
 * string in this condition, palloc'd and without escapes.  If the pattern ends
 * with an odd number of backslashes, LIKE raises an error for some strings.
 * These strings must be read, so the result is DYN_LIKE_ANYTHING.
 */
extern DynLike dyn_like_pattern(const char *pattern, size_t len,
								char **text, size_t *text_len);

#endif

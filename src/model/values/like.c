/*
 * like.c
 *		Parses LIKE patterns.
 */
#include "postgres.h"

#include "like.h"

DynLike
dyn_like_pattern(const char *pattern, size_t len, char **text, size_t *text_len)
{
	bool		wild = false;	/* true once a wildcard has been read */
	bool		leading = true; /* true if the collected text is at the start
								 * of the pattern */
	size_t		escapes = 0;

	*text = palloc(len + 1);
	*text_len = 0;
	/* in an odd number of final backslashes, the last one escapes nothing */
	while (escapes < len && pattern[len - escapes - 1] == '\\')
		escapes++;
	if (escapes % 2 != 0)
		return DYN_LIKE_ANYTHING;
	for (size_t i = 0; i < len; i++)
	{
		char		c = pattern[i];

		if (c == '%' || c == '_')
		{
			wild = true;
			if (*text_len > 0)
				break;
			leading = false;
			continue;
		}
		if (c == '\\')
			c = pattern[++i];
		(*text)[(*text_len)++] = c;
	}
	if (!wild)
		return DYN_LIKE_EQUAL;
	if (*text_len == 0)
		return DYN_LIKE_ANYTHING;
	return leading ? DYN_LIKE_PREFIX : DYN_LIKE_CONTAINS;
}

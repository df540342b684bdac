/*
 * like.c
 *		Parses LIKE patterns.
 */
#include "postgres.h"

#include "like.h"

/*
 * True for an odd number of trailing escape characters: the last one escapes
 * nothing.
 */
static bool
ends_in_escape(const char *pattern, size_t len)
{
	size_t		n = 0;

	while (n < len && pattern[len - n - 1] == '\\')
		n++;
	return n % 2 != 0;
}

DynLike
dyn_like_pattern(const char *pattern, size_t len, char **text, size_t *text_len)
{
	bool		wild = false;	/* true after a wildcard */
	bool		leading = true; /* true if no wildcard precedes the text */

	*text = palloc(len + 1);
	*text_len = 0;
	if (ends_in_escape(pattern, len))
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

/*
 * escape.c
 *		Decodes the escapes of JSON strings.
 */
#include "escape.h"

#include <stdint.h>
#include <string.h>

#include "../base/text.h"
#include "simd.h"

int
dyn_escape_hex4(const char *p)
{
	int			code = 0;
	int			i;

	for (i = 0; i < 4; i++)
	{
		char		letter = p[i] | 0x20;

		if (p[i] >= '0' && p[i] <= '9')
			code = code << 4 | (p[i] - '0');
		else if (letter >= 'a' && letter <= 'f')
			code = code << 4 | (letter - 'a' + 10);
		else
			return -1;
	}
	return code;
}

static const char *
undo_unicode(const char *src, char **dst)
{
	uint32_t	code = (uint32_t) dyn_escape_hex4(src + 2);

	src += 6;
	if (code >= 0xd800 && code <= 0xdbff)
	{
		code = 0x10000 + ((code - 0xd800) << 10) +
			((uint32_t) dyn_escape_hex4(src + 2) - 0xdc00);
		src += 6;
	}
	*dst += dyn_utf8_put(*dst, code);
	return src;
}

/* Decodes the escape at src; returns the position after it. */
static const char *
undo_escape(const char *src, char **dst)
{
	char		c = src[1];

	switch (c)
	{
		case 'u':
			return undo_unicode(src, dst);
		case 'b':
			c = '\b';
			break;
		case 'f':
			c = '\f';
			break;
		case 'n':
			c = '\n';
			break;
		case 'r':
			c = '\r';
			break;
		case 't':
			c = '\t';
			break;
		default:				/* quote, backslash, slash: unchanged */
			break;
	}
	*(*dst)++ = c;
	return src + 2;
}

/*
 * Copies up to the next backslash.  A step stores 16 bytes even if fewer are
 * needed: the text never grows, so while 16 bytes of the source are left,
 * `dst` has space for them.
 */
static inline const char *
copy_plain(const char *src, const char *end, char **dst)
{
	const char *stop;

#ifdef DYN_SCAN_SSE2
	while (end - src >= 16)
	{
		__m128i		v = _mm_loadu_si128((const __m128i *) src);
		uint32_t	hits = (uint32_t)
			_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));

		_mm_storeu_si128((__m128i *) *dst, v);
		if (hits != 0)
		{
			*dst += dyn_scan_ctz(hits);
			return src + dyn_scan_ctz(hits);
		}
		*dst += 16;
		src += 16;
	}
#endif
	stop = memchr(src, '\\', end - src);
	if (stop == NULL)
		stop = end;
	memcpy(*dst, src, stop - src);
	*dst += stop - src;
	return stop;
}

size_t
dyn_escape_undo(const char *src, size_t len, char *dst)
{
	const char *end = src + len;
	char	   *start = dst;

	while (src < end)
	{
		src = copy_plain(src, end, &dst);
		if (src < end)
			src = undo_escape(src, &dst);
	}
	return dst - start;
}

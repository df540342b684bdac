/*
 * attrvalue.c
 *		Decodes scalars, and contains the slow paths of slice.h.
 *
 * The page parser has validated all but base64, so only its decoding can fail.
 */
#include "attrvalue.h"

#include "../base/text.h"
#include "slice.h"

static const struct
{
	const char *name;
	size_t		len;
}			types[DYN_TYPE_COUNT] = {
	{"absent", 6}, {"S", 1}, {"N", 1}, {"B", 1}, {"BOOL", 4}, {"NULL", 4},
	{"SS", 2}, {"NS", 2}, {"BS", 2}, {"L", 1}, {"M", 1}
};

const char *
dyn_type_name(DynType type)
{
	return types[type].name;
}

DynType
dyn_type_of_name(const char *name, size_t len)
{
	DynType		type;

	for (type = DYN_TYPE_S; type <= DYN_TYPE_M; type++)
	{
		if (types[type].len == len && memcmp(types[type].name, name, len) == 0)
			return type;
	}
	return DYN_TYPE_ABSENT;
}

/* ---- Escapes ---- */

int
dyn_escape_hex4(const char *p)
{
	int			code = 0;

	for (int i = 0; i < 4; i++)
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

/* Decodes the escape at `src`; returns the position after it. */
static const char *
undo_escape(const char *src, char **dst)
{
	static const char letters[] = "bfnrt";
	static const char controls[] = "\b\f\n\r\t";
	char		c = src[1];
	const char *letter;

	if (c == 'u')
		return undo_unicode(src, dst);
	letter = memchr(letters, c, sizeof(letters) - 1);
	/* an escaped quote, backslash or slash represents itself */
	*(*dst)++ = letter != NULL ? controls[letter - letters] : c;
	return src + 2;
}

/*
 * Copies the text up to the next backslash or `end`; returns the position in
 * the source where the copy ends.  A step stores 16 bytes, even if fewer are
 * needed: the destination has space for as many bytes as the source still has.
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
			*dst += __builtin_ctz(hits);
			return src + __builtin_ctz(hits);
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

size_t
dyn_value_text(const DynValue *value, char *dst)
{
	if (value->flags & DYN_VALUE_ESCAPED)
		return dyn_escape_undo(value->data, value->len, dst);
	memcpy(dst, value->data, value->len);
	return value->len;
}

/* ---- base64 ---- */

#define BAD		0xff
#define PAD		0xfe

/* Value of each base64 character */
static const uint8_t sextets[256] = {
#define BAD16	BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, \
				BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD
	BAD16, BAD16,
	/* + and / */
	BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD,
	BAD, BAD, BAD, 62, BAD, BAD, BAD, 63,
	/* the digits, and '=' (padding) */
	52, 53, 54, 55, 56, 57, 58, 59, 60, 61, BAD, BAD, BAD, PAD, BAD, BAD,
	BAD, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
	15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, BAD, BAD, BAD, BAD, BAD,
	BAD, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
	41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, BAD, BAD, BAD, BAD, BAD,
	BAD16, BAD16, BAD16, BAD16, BAD16, BAD16, BAD16, BAD16
};

size_t
dyn_value_bytes_max(const DynValue *value)
{
	/* the buffer is first filled with the base64 text, its escapes decoded */
	if (value->flags & DYN_VALUE_ESCAPED)
		return value->len;
	return (size_t) value->len / 4 * 3 + 3;
}

/* Decodes base64; `dst` may be `src`.  Returns the length; -1 if invalid. */
static long
decode(const unsigned char *src, size_t len, unsigned char *dst)
{
	unsigned char *start = dst;
	const unsigned char *end;
	uint32_t	word = 0;
	int			n = 3;

	if (len == 0)
		return 0;
	if (len % 4 != 0)
		return -1;
	for (end = src + len - 4; src < end; src += 4, dst += 3)
	{
		uint8_t		a = sextets[src[0]];
		uint8_t		b = sextets[src[1]];
		uint8_t		c = sextets[src[2]];
		uint8_t		d = sextets[src[3]];

		if ((a | b | c | d) >= 64)
			return -1;
		dst[0] = (unsigned char) (a << 2 | b >> 4);
		dst[1] = (unsigned char) (b << 4 | c >> 2);
		dst[2] = (unsigned char) (c << 6 | d);
	}
	/* the last four characters, maybe with padding */
	if (src[3] == '=')
		n = src[2] == '=' ? 1 : 2;
	for (int i = 0; i <= n; i++)
	{
		if (sextets[src[i]] >= PAD)
			return -1;
		word |= (uint32_t) sextets[src[i]] << (18 - 6 * i);
	}
	for (int i = 0; i < n; i++)
		*dst++ = (unsigned char) (word >> (16 - 8 * i));
	return dst - start;
}

long
dyn_value_bytes(const DynValue *value, unsigned char *dst)
{
	const unsigned char *src = (const unsigned char *) value->data;
	size_t		len = value->len;

	if (value->flags & DYN_VALUE_ESCAPED)
	{
		len = dyn_escape_undo(value->data, value->len, (char *) dst);
		src = dst;
	}
	return decode(src, len, dst);
}

/* ---- Slow paths of slice.h ---- */

const char *
dyn_slice_quote_slow(const char *p, const char *end, bool *escaped)
{
#ifdef DYN_SCAN_SSE2
	while (end - p >= 16)
	{
		__m128i		v = _mm_loadu_si128((const __m128i *) p);
		uint32_t	hits = (uint32_t) _mm_movemask_epi8(
			_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
						 _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));

		if (hits == 0)
		{
			p += 16;
			continue;
		}
		p += __builtin_ctz(hits);
		if (*p == '"')
			return p;
		*escaped = true;
		p += 2;
	}
#endif
	for (; p < end && *p != '"'; p++)
	{
		if (*p == '\\')
		{
			*escaped = true;
			p++;
		}
	}
	return p;
}

const char *
dyn_slice_tag_slow(const char *p, const char *end, DynType *type)
{
	bool		escaped = false;
	const char *name = dyn_slice_token(p + 1, end) + 1;
	const char *quote = dyn_slice_quote(name, end, &escaped);
	char		text[32];
	size_t		len = dyn_escape_undo(name, quote - name, text);

	*type = dyn_type_of_name(text, len);
	return dyn_slice_token(quote + 1, end);
}

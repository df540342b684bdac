/*
 * slice.h
 *		Moves through a value that the page parser has validated, and defines
 *		macros that the other fast readers share.
 *
 * The functions do not validate: they go from one quote, brace or bracket to
 * the next, and skip commas and colons like white space.  `end` is the
 * position after the value, and `p` a position in the value.
 */
#ifndef DYN_DYNAMODB_SLICE_H
#define DYN_DYNAMODB_SLICE_H

#include <string.h>

#include "attrvalue.h"

/*
 * DYN_SCAN_SSE2 is defined if SSE2 is available; without it (other machines,
 * or -DDYN_NO_SIMD in tests) plain C does the same work.
 */
#if defined(__SSE2__) && !defined(DYN_NO_SIMD)
#define DYN_SCAN_SSE2 1
#include <emmintrin.h>
#endif

#define DYN_LIKELY(x)	__builtin_expect((x) != 0, 1)
#define DYN_UNLIKELY(x) __builtin_expect((x) != 0, 0)
#define DYN_HOT			inline __attribute__((always_inline))
#define DYN_COLD		__attribute__((noinline, cold))
#define DYN_NOINLINE	__attribute__((noinline))

/* Like dyn_slice_quote and dyn_slice_tag, but without their fast paths */
extern const char *dyn_slice_quote_slow(const char *p, const char *end,
										bool *escaped);
extern const char *dyn_slice_tag_slow(const char *p, const char *end,
									  DynType *type);

/* Returns the value of the four hexadecimal digits at `p`, or -1. */
extern int	dyn_escape_hex4(const char *p);

/*
 * Decodes the escapes of a valid JSON string, and writes the text to `dst`,
 * which needs `len` bytes.  Returns the number of bytes written.
 */
extern size_t dyn_escape_undo(const char *src, size_t len, char *dst);

/* Skips white space, commas and colons. */
static DYN_HOT const char *
dyn_slice_token(const char *p, const char *end)
{
	while (p < end && ((unsigned char) *p <= ' ' || *p == ',' || *p == ':'))
		p++;
	return p;
}

/* Skips what dyn_slice_token skips; faster if that is only the byte `c`. */
static DYN_HOT const char *
dyn_slice_after(const char *p, const char *end, char c)
{
	if (DYN_LIKELY(end - p >= 2 && *p == c && (unsigned char) p[1] > ' '))
		return p + 1;
	return dyn_slice_token(p, end);
}

/*
 * Returns the position of the closing quote; `p` is after the opening quote.
 * Sets *escaped if the string has an escape, and otherwise does not change it.
 */
static DYN_HOT const char *
dyn_slice_quote(const char *p, const char *end, bool *escaped)
{
#ifdef DYN_SCAN_SSE2
	if (DYN_LIKELY(end - p >= 16))
	{
		__m128i		v = _mm_loadu_si128((const __m128i *) p);
		uint32_t	hits = (uint32_t) _mm_movemask_epi8(
			_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
						 _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));

		p += hits != 0 ? __builtin_ctz(hits) : 16;
		if (DYN_LIKELY(*p == '"'))
			return p;
	}
#endif
	return dyn_slice_quote_slow(p, end, escaped);
}

/* Returns the type whose tag is this letter, or ABSENT. */
static DYN_HOT DynType
dyn_slice_letter_type(char letter)
{
	switch (letter)
	{
		case 'S':
			return DYN_TYPE_S;
		case 'N':
			return DYN_TYPE_N;
		case 'M':
			return DYN_TYPE_M;
		case 'L':
			return DYN_TYPE_L;
		case 'B':
			return DYN_TYPE_B;
		default:
			return DYN_TYPE_ABSENT;
	}
}

/* Sets *type of the attribute value at `p`; returns its payload's position. */
static DYN_HOT const char *
dyn_slice_tag(const char *p, const char *end, DynType *type)
{
	if (DYN_LIKELY(end - p >= 8 && memcmp(p, "{\"", 2) == 0))
	{
		*type = dyn_slice_letter_type(p[2]);
		if (DYN_LIKELY(*type != DYN_TYPE_ABSENT &&
					   memcmp(p + 3, "\":", 2) == 0))
			return dyn_slice_after(p + 4, end, ':');
		if (memcmp(p, "{\"BOOL\":", 8) == 0 || memcmp(p, "{\"NULL\":", 8) == 0)
		{
			*type = p[2] == 'B' ? DYN_TYPE_BOOL : DYN_TYPE_NULL;
			return dyn_slice_after(p + 7, end, ':');
		}
	}
	return dyn_slice_tag_slow(p, end, type);
}

#endif

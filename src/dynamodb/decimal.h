/*
 * decimal.h
 *		Reads the text of an N: an optional sign, digits with an optional
 *		point, and an optional exponent.
 *
 * Only the syntax is checked; base/number.h checks that DynamoDB can store the
 * number.  DynamoDB writes plain digits and a point, which the inline half
 * reads in steps of 16 characters.  JSON escapes are rejected, so that the
 * slice is the number.
 */
#ifndef DYN_DYNAMODB_DECIMAL_H
#define DYN_DYNAMODB_DECIMAL_H

#include "jsonscan.h"

extern const char *dyn_decimal_read_slow(DynJson *scan, const char *p);

/*
 * Reads the number at `p`, which is after the opening quote.  Returns the
 * position of the closing quote.
 */
static DYN_HOT const char *
dyn_decimal_read(DynJson *scan, const char *p)
{
#ifdef DYN_SCAN_SSE2
	if (DYN_LIKELY(scan->end - p >= 32))
	{
		const char *q = p + (*p == '-');
		__m128i		v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *) q),
									 _mm_set1_epi8('0'));
		__m128i		digit = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)),
										   v);
		uint32_t	others = ~(uint32_t) _mm_movemask_epi8(digit);
		int			full = dyn_scan_ctz(others);

		if (DYN_LIKELY(full > 0 && q[full] == '"'))
			return q + full;
		if (full > 0 && full < 15 && q[full] == '.')
		{
			int			all = full + 1 + dyn_scan_ctz(others >> (full + 1));

			if (all > full + 1 && q[all] == '"')
				return q + all;
		}
	}
#endif
	return dyn_decimal_read_slow(scan, p);
}

#endif

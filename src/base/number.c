/*
 * number.c
 *		Converts decimal text into canonical decimal text.
 *
 * The text is first parsed into a Decimal: sign, at most 38 significant
 * digits, and the exponent (the power of ten of the leading digit).  Digits
 * beyond the 38th only set the flag `excess`, which is enough for rounding.
 *
 * Whether a number is within DynamoDB's limits of magnitude then depends only
 * on its exponent.  Infinity is a Decimal with an exponent beyond all limits,
 * so that rounding needs no special case for it.
 */
#include <stdint.h>
#include <string.h>

#include "number.h"

/*
 * If an exponent reaches this value, its further digits are ignored: no text
 * has enough digits before the exponent to compensate for such an exponent.
 */
#define EXP_CLAMP	INT64_C(1000000000000000)

typedef struct Decimal
{
	bool		negative;
	bool		excess;			/* true if digits beyond the 38th are not 0 */
	int			ndigits;		/* number of digits; 0 if the value is zero */
	int64_t		exp;			/* power of ten of digits[0] */
	char		digits[DYN_NUMBER_MAX_DIGITS];	/* without leading zeros */
} Decimal;

static void
strip_trailing_zeros(Decimal *d)
{
	while (d->ndigits > 0 && d->digits[d->ndigits - 1] == '0')
		d->ndigits--;
}

/*
 * Reads digits on one side of the decimal point; returns the position after
 * the digits.  d->exp starts at -1, the first place after the point.
 */
static const char *
read_digits(const char *p, const char *end, Decimal *d, bool fraction)
{
	for (; p < end && *p >= '0' && *p <= '9'; p++)
	{
		if (d->ndigits == 0 && *p == '0')
		{
			d->exp -= fraction;
			continue;
		}
		d->exp += !fraction;
		if (d->ndigits < DYN_NUMBER_MAX_DIGITS)
			d->digits[d->ndigits++] = *p;
		else if (*p != '0')
			d->excess = true;
	}
	return p;
}

/*
 * Returns false if the text is not a number.  With `infinity`, also accepts
 * PostgreSQL's "Infinity" and "-Infinity", as numbers beyond the limits.
 */
static bool
parse(const char *text, size_t len, bool infinity, Decimal *d)
{
	static const char word[] = "Infinity";
	const char *p = text;
	const char *end = len > 0 ? text + len : text;
	const char *start;
	bool		negative;
	int64_t		exp = 0;

	memset(d, 0, sizeof(*d));
	d->exp = -1;
	d->negative = p < end && *p == '-';
	p += p < end && (*p == '-' || *p == '+');
	if (infinity && (size_t) (end - p) == sizeof(word) - 1 &&
		memcmp(p, word, sizeof(word) - 1) == 0)
	{
		d->digits[d->ndigits++] = '1';
		d->exp = EXP_CLAMP;
		return true;
	}
	start = p;
	p = read_digits(p, end, d, false);
	if (p < end && *p == '.')
	{
		p = read_digits(p + 1, end, d, true);
		start++;				/* a point alone is not a number */
	}
	strip_trailing_zeros(d);
	if (p == start)
		return false;
	if (p == end || (*p != 'e' && *p != 'E'))
		return p == end;
	p++;
	negative = p < end && *p == '-';
	p += p < end && (*p == '-' || *p == '+');
	for (start = p; p < end && *p >= '0' && *p <= '9'; p++)
		if (exp < EXP_CLAMP)
			exp = exp * 10 + (*p - '0');
	d->exp += negative ? -exp : exp;
	return p == end && p > start;
}

/* Writes the canonical form of a Decimal that is within the limits. */
static void
write_canonical(const Decimal *d, char *dst, size_t *dst_len)
{
	int			full = (int) d->exp + 1;	/* digits before the point */
	char	   *p = dst;

	if (d->ndigits > 0 && d->negative)
		*p++ = '-';
	if (d->ndigits == 0 || full <= 0)
		*p++ = '0';
	for (int i = 0; i < full && d->ndigits > 0; i++)
		*p++ = i < d->ndigits ? d->digits[i] : '0';
	if (d->ndigits > 0 && d->ndigits > full)
	{
		*p++ = '.';
		for (int i = full; i < d->ndigits; i++)
			*p++ = i < 0 ? '0' : d->digits[i];
	}
	*p = '\0';
	*dst_len = (size_t) (p - dst);
}

DynNumberStatus
dyn_number_canonical(const char *text, size_t len, char *dst, size_t *dst_len)
{
	Decimal		d;

	if (!parse(text, len, false, &d))
		return DYN_NUMBER_SYNTAX;
	if (d.ndigits > 0)
	{
		if (d.exp > DYN_NUMBER_MAX_EXP)
			return DYN_NUMBER_OVERFLOW;
		if (d.exp < DYN_NUMBER_MIN_EXP)
			return DYN_NUMBER_UNDERFLOW;
		if (d.excess)
			return DYN_NUMBER_PRECISION;
	}
	write_canonical(&d, dst, dst_len);
	return DYN_NUMBER_OK;
}

/* Rounds away from zero; returns false if the magnitude is too large. */
static bool
round_away_from_zero(Decimal *d)
{
	int			i = DYN_NUMBER_MAX_DIGITS - 1;

	if (d->exp < DYN_NUMBER_MIN_EXP)
	{
		d->digits[0] = '1';
		d->ndigits = 1;
		d->exp = DYN_NUMBER_MIN_EXP;
	}
	else if (d->excess && d->exp <= DYN_NUMBER_MAX_EXP)
	{
		/* add one in the 38th place */
		memset(d->digits + d->ndigits, '0', DYN_NUMBER_MAX_DIGITS - d->ndigits);
		while (i >= 0 && d->digits[i] == '9')
			d->digits[i--] = '0';
		if (i >= 0)
			d->digits[i]++;
		else
		{
			d->digits[0] = '1';
			d->exp++;
		}
		d->ndigits = DYN_NUMBER_MAX_DIGITS;
		strip_trailing_zeros(d);
	}
	return d->exp <= DYN_NUMBER_MAX_EXP;
}

bool
dyn_number_round(const char *text, size_t len, DynRounding dir,
				 char *dst, size_t *dst_len)
{
	Decimal		d;
	bool		away;

	if (!parse(text, len, true, &d))
		return false;
	away = d.negative != (dir == DYN_ROUND_UP);
	if (d.ndigits > 0 && away && !round_away_from_zero(&d))
		return false;
	/* otherwise, round toward zero: parse has dropped the excess digits */
	if (d.exp < DYN_NUMBER_MIN_EXP)
		d.ndigits = 0;
	else if (d.ndigits > 0 && d.exp > DYN_NUMBER_MAX_EXP)
	{
		memset(d.digits, '9', DYN_NUMBER_MAX_DIGITS);
		d.ndigits = DYN_NUMBER_MAX_DIGITS;
		d.exp = DYN_NUMBER_MAX_EXP;
	}
	write_canonical(&d, dst, dst_len);
	return true;
}

/*
 * Compares two canonical numbers without a sign.  If the integer parts have
 * equal length, the numbers compare as strings.
 */
static int
compare_magnitude(const char *a, size_t alen, const char *b, size_t blen)
{
	const char *apoint = memchr(a, '.', alen);
	const char *bpoint = memchr(b, '.', blen);
	size_t		adigits = apoint ? (size_t) (apoint - a) : alen;
	size_t		bdigits = bpoint ? (size_t) (bpoint - b) : blen;
	int			cmp;

	if (adigits != bdigits)
		return adigits < bdigits ? -1 : 1;
	cmp = memcmp(a, b, alen < blen ? alen : blen);
	if (cmp != 0)
		return cmp < 0 ? -1 : 1;
	return (alen > blen) - (alen < blen);
}

int
dyn_number_compare(const char *a, size_t alen, const char *b, size_t blen)
{
	bool		aneg = alen > 0 && a[0] == '-';
	bool		bneg = blen > 0 && b[0] == '-';

	if (aneg != bneg)
		return aneg ? -1 : 1;
	if (aneg)
		return compare_magnitude(b + 1, blen - 1, a + 1, alen - 1);
	return compare_magnitude(a, alen, b, blen);
}

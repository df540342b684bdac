/*
 * number.c
 *		Converts decimal text into canonical decimal text.
 *
 * The text is first parsed into a Decimal: sign, at most 38 significant
 * digits, and the power of ten of the leading digit.  Digits beyond the 38th
 * only set one bit ("excess"), and rounding needs no more.  Texts of any
 * length are read in one pass and constant space.
 *
 * The limits are then comparisons of that exponent: a number is too large
 * above DYN_NUMBER_MAX_EXP and too small below DYN_NUMBER_MIN_EXP, regardless
 * of its digits.  Infinity is a Decimal with an exponent beyond all limits, so
 * that rounding needs no special case for it.
 *
 * This file does not allocate, use the locale, or compute in binary.
 */
#include <stdint.h>
#include <string.h>

#include "number.h"

/* Exponents are clamped here; no text has enough digits to offset one. */
#define EXP_CLAMP	INT64_C(1000000000000000)

typedef struct Decimal
{
	bool		negative;
	bool		excess;			/* true if a digit after the 38th is not
								 * zero */
	int			ndigits;		/* number of digits held; 0 if the number is
								 * zero */
	int64_t		exp;			/* power of ten of digits[0] */
	char		digits[DYN_NUMBER_MAX_DIGITS];	/* text, no leading '0' */
} Decimal;

/* The unread rest of the text. */
typedef struct Parser
{
	const char *p;
	const char *end;
} Parser;

static bool
at_digit(const Parser *in)
{
	return in->p < in->end && *in->p >= '0' && *in->p <= '9';
}

/* Skips `c` if it is the next character; returns true if it did. */
static bool
accept(Parser *in, char c)
{
	if (in->p == in->end || *in->p != c)
		return false;
	in->p++;
	return true;
}

/* Skips a sign; returns true if it is a minus. */
static bool
read_sign(Parser *in)
{
	if (accept(in, '-'))
		return true;
	accept(in, '+');
	return false;
}

static void
strip_trailing_zeros(Decimal *d)
{
	while (d->ndigits > 0 && d->digits[d->ndigits - 1] == '0')
		d->ndigits--;
}

/*
 * Reads digits on one side of the point.  `exp` starts at -1, the first place
 * after the point, and changes with every digit that moves the leading one.
 */
static void
read_digits(Parser *in, Decimal *d, bool fraction)
{
	for (; at_digit(in); in->p++)
	{
		if (d->ndigits == 0 && *in->p == '0')
		{
			d->exp -= fraction;
			continue;
		}
		d->exp += !fraction;
		if (d->ndigits < DYN_NUMBER_MAX_DIGITS)
			d->digits[d->ndigits++] = *in->p;
		else if (*in->p != '0')
			d->excess = true;
	}
}

/* Reads the digits and the point; returns false if there are no digits. */
static bool
read_mantissa(Parser *in, Decimal *d)
{
	bool		any = at_digit(in);

	read_digits(in, d, false);
	if (accept(in, '.'))
	{
		any = any || at_digit(in);
		read_digits(in, d, true);
	}
	strip_trailing_zeros(d);
	return any;
}

/* Reads the exponent; returns false if an 'e' is not followed by one. */
static bool
read_exponent(Parser *in, Decimal *d)
{
	int64_t		exp = 0;
	bool		negative;

	if (!accept(in, 'e') && !accept(in, 'E'))
		return true;
	negative = read_sign(in);
	if (!at_digit(in))
		return false;
	for (; at_digit(in); in->p++)
	{
		if (exp < EXP_CLAMP)
			exp = exp * 10 + (*in->p - '0');
	}
	d->exp += negative ? -exp : exp;
	return true;
}

/*
 * Parses the text; returns false if it is not a number.  With `infinity`, it
 * may also be "Infinity", as PostgreSQL writes it; that becomes a number above
 * the limits.
 */
static bool
parse(const char *text, size_t len, bool infinity, Decimal *d)
{
	static const char word[] = "Infinity";
	Parser		in = {text, len > 0 ? text + len : text};

	memset(d, 0, sizeof(*d));
	d->exp = -1;
	d->negative = read_sign(&in);
	if (infinity && (size_t) (in.end - in.p) == sizeof(word) - 1 &&
		memcmp(in.p, word, sizeof(word) - 1) == 0)
	{
		d->digits[d->ndigits++] = '1';
		d->exp = EXP_CLAMP;
		return true;
	}
	return read_mantissa(&in, d) && read_exponent(&in, d) && in.p == in.end;
}

static char *
put_zeros(char *p, int64_t n)
{
	memset(p, '0', (size_t) n);
	return p + n;
}

static char *
put_digits(char *p, const char *digits, int64_t n)
{
	memcpy(p, digits, (size_t) n);
	return p + n;
}

/* Writes a Decimal that is within the limits. */
static void
write_canonical(const Decimal *d, char *dst, size_t *dst_len)
{
	int64_t		full = d->exp + 1;	/* digits before the point */
	char	   *p = dst;

	if (d->ndigits > 0 && d->negative)
		*p++ = '-';
	if (d->ndigits == 0)
		*p++ = '0';
	else if (full <= 0)
	{
		p = put_digits(p, "0.", 2);
		p = put_zeros(p, -full);
		p = put_digits(p, d->digits, d->ndigits);
	}
	else if (d->ndigits <= full)
	{
		p = put_digits(p, d->digits, d->ndigits);
		p = put_zeros(p, full - d->ndigits);
	}
	else
	{
		p = put_digits(p, d->digits, full);
		*p++ = '.';
		p = put_digits(p, d->digits + full, d->ndigits - full);
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

/* Adds one in the 38th place. */
static void
increment(Decimal *d)
{
	int			i = DYN_NUMBER_MAX_DIGITS - 1;

	put_zeros(d->digits + d->ndigits, DYN_NUMBER_MAX_DIGITS - d->ndigits);
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

/*
 * Rounds away from zero; returns false if DynamoDB cannot store a number of
 * that magnitude.
 */
static bool
round_away_from_zero(Decimal *d)
{
	if (d->exp < DYN_NUMBER_MIN_EXP)
	{
		d->digits[0] = '1';
		d->ndigits = 1;
		d->exp = DYN_NUMBER_MIN_EXP;
	}
	else if (d->excess && d->exp <= DYN_NUMBER_MAX_EXP)
		increment(d);
	return d->exp <= DYN_NUMBER_MAX_EXP;
}

static void
round_towards_zero(Decimal *d)
{
	if (d->exp < DYN_NUMBER_MIN_EXP)
		d->ndigits = 0;
	else if (d->exp > DYN_NUMBER_MAX_EXP)
	{
		memset(d->digits, '9', DYN_NUMBER_MAX_DIGITS);
		d->ndigits = DYN_NUMBER_MAX_DIGITS;
		d->exp = DYN_NUMBER_MAX_EXP;
	}
}

bool
dyn_number_round(const char *text, size_t len, DynRounding dir,
				 char *dst, size_t *dst_len)
{
	Decimal		d;

	if (!parse(text, len, true, &d))
		return false;
	if (d.ndigits > 0)
	{
		if (d.negative == (dir == DYN_ROUND_UP))
			round_towards_zero(&d);
		else if (!round_away_from_zero(&d))
			return false;
	}
	write_canonical(&d, dst, dst_len);
	return true;
}

static size_t
full_length(const char *s, size_t len)
{
	const char *point = memchr(s, '.', len);

	return point ? (size_t) (point - s) : len;
}

/*
 * Compares two numbers in canonical form without a sign: -1, 0 or 1.  The
 * number with the longer integer part is greater; integer parts of equal
 * length compare as strings.
 */
static int
compare_magnitude(const char *a, size_t alen, const char *b, size_t blen)
{
	size_t		adigits = full_length(a, alen);
	size_t		bdigits = full_length(b, blen);
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

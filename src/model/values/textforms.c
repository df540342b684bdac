/*
 * textforms.c
 *		Converts decimal text to PostgreSQL's numeric, and to digits of a fixed
 *		width.
 *
 * Most numbers are short.  We write them in the short storage format of
 * numeric.c: 16 bits for the sign, the number of decimal places and the weight
 * of the first digit, then digits of base 10000, without zeros at either end.
 * This format cannot change, because pg_upgrade does not convert stored data.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"

#include "../../base/number.h"
#include "../server/pg_compat.h"
#include "textforms.h"

/* ---- numeric ---- */

/* Bits of the short header, which suffices for numbers of 38 digits. */
#define SHORT_HEADER	0x8000
#define SHORT_NEGATIVE	0x2000
#define SHORT_SCALE		7		/* shift */
#define SHORT_WEIGHT	0x007f	/* two's complement */

#define GROUP			4		/* decimal digits per digit of base 10000 */

/* Digits of base 10000, without leading zeros. */
typedef struct Groups
{
	uint16	   *digits;
	int			n;
	int			weight;			/* weight of the first digit */
} Groups;

static inline int
count_digits(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p - start;
}

static inline int
read_group(const char *p, int n)
{
	int			digit = 0;

	for (int i = 0; i < n; i++)
		digit = digit * 10 + (p[i] - '0');
	return digit;
}

static inline void
add_group(Groups *groups, int digit)
{
	if (groups->n > 0 || digit > 0)
		groups->digits[groups->n++] = (uint16) digit;
	else
		groups->weight--;
}

size_t
dyn_plain_numeric_write(const char *p, size_t len, char *dst)
{
	static const int fill[GROUP] = {1, 1000, 100, 10};
	const char *end = p + len;
	bool		negative = (len > 0 && *p == '-');
	uint16	   *header = (uint16 *) (dst + VARHDRSZ);
	Groups		groups = {header + 1, 0, 0};
	const char *read;
	int			full;
	int			scale = 0;

	p += negative;
	full = count_digits(p, end);
	read = p + full;
	if (read < end && *read == '.')
	{
		scale = count_digits(read + 1, end);
		read += 1 + scale;
	}
	if (read != end || full + scale == 0 ||
		full + scale > DYN_NUMBER_MAX_DIGITS)
		return 0;
	groups.weight = (full + GROUP - 1) / GROUP - 1;
	/* the first group may be short */
	if (full % GROUP > 0)
		add_group(&groups, read_group(p, full % GROUP));
	for (int i = full % GROUP; i < full; i += GROUP)
		add_group(&groups, read_group(p + i, GROUP));
	/* fill the last group with zeros */
	for (p = end - scale; end - p >= GROUP; p += GROUP)
		add_group(&groups, read_group(p, GROUP));
	if (p < end)
		add_group(&groups, read_group(p, end - p) * fill[end - p]);
	while (groups.n > 0 && groups.digits[groups.n - 1] == 0)
		groups.n--;
	*header = SHORT_HEADER | scale << SHORT_SCALE;
	if (groups.n > 0)
		*header |= (negative ? SHORT_NEGATIVE : 0) |
			(groups.weight & SHORT_WEIGHT);
	SET_VARSIZE(dst, VARHDRSZ + (1 + groups.n) * sizeof(uint16));
	return VARSIZE(dst);
}

Numeric
dyn_plain_numeric(const char *p, size_t len)
{
	char	   *dst;

	if (len > DYN_NUMBER_MAX_DIGITS + 2)
		return NULL;
	dst = palloc(DYN_NUMERIC_SIZE(len));
	return dyn_plain_numeric_write(p, len, dst) > 0 ? (Numeric) dst : NULL;
}

Numeric
dyn_numeric_from_text(const char *text, size_t len)
{
	Numeric		number = dyn_plain_numeric(text, len);

	if (number != NULL)
		return number;
	return DatumGetNumeric(DirectFunctionCall3(numeric_in,
											   CStringGetDatum(text),
											   ObjectIdGetDatum(InvalidOid),
											   Int32GetDatum(-1)));
}

/* ---- padded(n) ---- */

DynPaddedPlace
dyn_padded_place(const char *number, int digits, char *dst)
{
	bool		negative = (*number == '-');
	bool		fraction;
	size_t		len;

	number += negative;
	if (*number < '0' || *number > '9')
		return negative ? DYN_PADDED_BELOW : DYN_PADDED_ABOVE;
	number += strspn(number, "0");
	len = strspn(number, "0123456789");
	fraction = strspn(number + len, ".0") < strlen(number + len);
	if (negative && (len > 0 || fraction))
		return DYN_PADDED_BELOW;
	if (len > (size_t) digits)
		return DYN_PADDED_ABOVE;
	memset(dst, '0', digits - len);
	memcpy(dst + digits - len, number, len);
	dst[digits] = '\0';
	if (!fraction)
		return DYN_PADDED_AT;
	return strspn(dst, "9") == (size_t) digits ? DYN_PADDED_ABOVE
		: DYN_PADDED_AFTER;
}

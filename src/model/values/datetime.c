/*
 * datetime.c
 *		Parses and prints ISO 8601 times, epoch numbers and ULIDs, exactly.
 *
 * We do not use PostgreSQL's input functions: they accept many more formats,
 * and a stored text must not mean another instant in another session.
 */
#include "postgres.h"

#include "common/int.h"
#include "datetime.h"
#include "utils/datetime.h"

#include "../../base/number.h"

typedef struct IsoScanner
{
	const char *p;
	const char *end;
} IsoScanner;

static bool
scan_digits(IsoScanner *s, int width, int *value)
{
	*value = 0;
	if (s->end - s->p < width)
		return false;
	for (int i = 0; i < width; i++)
	{
		if (*s->p < '0' || *s->p > '9')
			return false;
		*value = *value * 10 + (*s->p++ - '0');
	}
	return true;
}

static bool
scan_char(IsoScanner *s, char c)
{
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static bool
scan_time(IsoScanner *s, int64 *usec)
{
	int			hour,
				minute,
				second = 0;
	int64		fraction = 0;
	int			ndigits = 0;

	if (!scan_digits(s, 2, &hour) || !scan_char(s, ':') ||
		!scan_digits(s, 2, &minute))
		return false;
	if (scan_char(s, ':'))
	{
		if (!scan_digits(s, 2, &second))
			return false;
		if (scan_char(s, '.'))
		{
			for (; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++)
			{
				if (++ndigits <= 6)
					fraction = fraction * 10 + (*s->p - '0');
				else if (*s->p != '0' || ndigits > 9)
					return false;
			}
			if (ndigits == 0)
				return false;
			for (int i = ndigits; i < 6; i++)
				fraction *= 10;
		}
	}
	if (hour > 23 || minute > 59 || second > 59)
		return false;
	*usec = ((hour * 60 + minute) * 60 + second) * USECS_PER_SEC + fraction;
	return true;
}

/* Parses Z, an offset such as +02:00, +0200 or +02, or nothing. */
static bool
scan_zone(IsoScanner *s, int64 *usec)
{
	int			sign = 1;
	int			hour,
				minute = 0;

	*usec = 0;
	if (s->p == s->end || scan_char(s, 'Z') || scan_char(s, 'z'))
		return true;
	if (scan_char(s, '-'))
		sign = -1;
	else if (!scan_char(s, '+'))
		return false;
	if (!scan_digits(s, 2, &hour))
		return false;
	if (s->p != s->end)
	{
		(void) scan_char(s, ':');
		if (!scan_digits(s, 2, &minute))
			return false;
	}
	if (hour > 15 || minute > 59)
		return false;
	*usec = sign * (hour * 60 + minute) * 60 * USECS_PER_SEC;
	return true;
}

bool
dyn_instant_from_iso(const char *text, size_t len, Timestamp *result)
{
	IsoScanner	s = {text, text + len};
	int			year,
				month,
				day;
	int64		time = 0,
				zone = 0;

	if (!scan_digits(&s, 4, &year) || !scan_char(&s, '-') ||
		!scan_digits(&s, 2, &month) || !scan_char(&s, '-') ||
		!scan_digits(&s, 2, &day))
		return false;
	if (year < 1 || month < 1 || month > 12 || day < 1 ||
		day > day_tab[isleap(year)][month - 1])
		return false;
	if (s.p != s.end)
	{
		if (!scan_char(&s, 'T') && !scan_char(&s, 't') && !scan_char(&s, ' '))
			return false;
		if (!scan_time(&s, &time) || !scan_zone(&s, &zone) || s.p != s.end)
			return false;
	}
	*result = (int64) (date2j(year, month, day) - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY +
		time - zone;
	return true;
}

bool
dyn_instant_to_date(Timestamp instant, char *dst)
{
	int			year,
				month,
				day;

	if (instant < DYN_INSTANT_MIN || instant > DYN_INSTANT_MAX)
		return false;
	/* count from the earliest instant, so that the division rounds down */
	j2date((int) ((instant - DYN_INSTANT_MIN) / USECS_PER_DAY) + date2j(1, 1, 1),
		   &year, &month, &day);
	sprintf(dst, "%04d-%02d-%02d", year, month, day);
	return true;
}

/*
 * Returns n if the format's unit is 10^n microseconds.  For days, returns 0,
 * and the caller converts the days.  Sets *digits to the number of fractional
 * digits that the format accepts.
 */
static int
epoch_scale(const DynFormat *format, int *digits)
{
	int			scale = format->kind == DYN_FORMAT_EPOCH ? 6
		: format->kind == DYN_FORMAT_EPOCH_MS ? 3 : 0;

	*digits = format->kind == DYN_FORMAT_EPOCH ? format->digits : scale;
	return scale;
}

static bool
push_digit(int64 *value, int digit)
{
	return !pg_mul_s64_overflow(*value, 10, value) &&
		!pg_add_s64_overflow(*value, digit, value);
}

/*
 * Sets *result to a canonical decimal times 10^scale, rounded down.  Returns
 * false on overflow, or if the decimal has more than `most` fractional digits.
 */
static bool
scaled_integer(const char *text, int scale, int most, int64 *result)
{
	bool		negative = (*text == '-');
	const char *point = strchr(text, '.');
	int			digits = point ? (int) strlen(point + 1) : 0;
	bool		split = (digits > scale);

	if (digits > most)
		return false;
	*result = 0;
	for (const char *p = text + negative; *p != '\0'; p++)
	{
		if (p != point && (point == NULL || p - point <= scale) &&
			!push_digit(result, *p - '0'))
			return false;
	}
	for (int i = digits; i < scale; i++)
	{
		if (!push_digit(result, 0))
			return false;
	}
	/* if digits were dropped, they are not all 0: round down */
	if (negative)
		*result = -*result - split;
	return true;
}

bool
dyn_instant_from_epoch(const char *text, size_t len, const DynFormat *format,
					   Timestamp *result)
{
	char		buf[DYN_NUMBER_BUFSIZE];
	size_t		buflen;
	int64		number;
	int			digits;
	int			scale = epoch_scale(format, &digits);

	if (dyn_number_canonical(text, len, buf, &buflen) != DYN_NUMBER_OK ||
		!scaled_integer(buf, scale, digits, &number))
		return false;
	if (format->kind == DYN_FORMAT_EPOCH_DAYS &&
		pg_mul_s64_overflow(number, USECS_PER_DAY, &number))
		return false;
	return !pg_add_s64_overflow(number, DYN_INSTANT_1970, result) &&
		IS_VALID_TIMESTAMP(*result);
}

bool
dyn_instant_to_epoch(Timestamp instant, const DynFormat *format, bool last,
					 char *dst)
{
	char		text[64];
	size_t		len;
	int64		number;
	int64		unit = 1;
	int			digits;
	int			scale = epoch_scale(format, &digits);
	int			more = digits - scale;	/* digits below a microsecond */

	if (TIMESTAMP_NOT_FINITE(instant) ||
		pg_sub_s64_overflow(instant, DYN_INSTANT_1970, &number))
		return false;
	if (format->kind == DYN_FORMAT_EPOCH_DAYS)
		unit = USECS_PER_DAY;
	for (int i = more; i < 0; i++)
		unit *= 10;
	if (number % unit != 0)
		return false;
	if (format->kind == DYN_FORMAT_EPOCH_DAYS)
		number /= USECS_PER_DAY;
	/*
	 * if the format has `more` > 0 digits below a microsecond, 10^more numbers
	 * stand for this instant: print the first or the last of them
	 */
	if (more <= 0)
		sprintf(text, INT64_FORMAT, number);
	else if (!last)
		sprintf(text, INT64_FORMAT "%0*d", number, more, 0);
	else if (number >= 0)
		sprintf(text, INT64_FORMAT "%.*s", number, more, "999");
	else
		sprintf(text, "-" INT64_FORMAT "%0*d", -(number + 1), more, 1);
	sprintf(text + strlen(text), "e-%d", scale + Max(more, 0));
	return dyn_number_canonical(text, strlen(text), dst, &len) == DYN_NUMBER_OK;
}

#define ULID_LEN		26
#define ULID_TIME_LEN	10
#define ULID_MAX_MS		((INT64CONST(1) << 48) - 1)

/* Digits of Crockford's base 32. */
static const char ulid_digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

bool
dyn_instant_from_ulid(const char *text, size_t len, Timestamp *result)
{
	int64		ms = 0;

	if (len != ULID_LEN || text[0] > '7')
		return false;
	for (int i = 0; i < ULID_LEN; i++)
	{
		const char *digit = memchr(ulid_digits, text[i], 32);	/* without NUL */

		if (digit == NULL)
			return false;
		if (i < ULID_TIME_LEN)
			ms = ms << 5 | (digit - ulid_digits);
	}
	*result = DYN_INSTANT_1970 + ms * 1000;
	return true;
}

bool
dyn_instant_to_ulid(Timestamp instant, bool last, char *dst)
{
	int64		ms;

	if (instant < DYN_INSTANT_1970 || instant % 1000 != 0 ||
		instant > DYN_INSTANT_1970 + ULID_MAX_MS * 1000)
		return false;
	ms = (instant - DYN_INSTANT_1970) / 1000;
	for (int i = ULID_TIME_LEN - 1; i >= 0; i--, ms >>= 5)
		dst[i] = ulid_digits[ms & 31];
	memset(dst + ULID_TIME_LEN, last ? 'Z' : '0', ULID_LEN - ULID_TIME_LEN);
	dst[ULID_LEN] = '\0';
	return true;
}

/*
 * time_bounds.c
 *		Converts bounds of expressions over a date or time.
 *
 * The functions before_... invert one step: they convert a bound of the step's
 * result to a bound of its argument.  If a bound would overflow, it becomes
 * infinite, so that it excludes either all values or none.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "parser/scansup.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

#include "../server/pg_compat.h"
#include "datetime.h"
#include "time_bounds.h"

static bool
is_infinite(int64 value)
{
	return value == DT_NOBEGIN || value == DT_NOEND;
}

/* Returns a bound that excludes nothing. */
static int64
open_end(bool upper)
{
	return upper ? DT_NOEND : DT_NOBEGIN;
}

static int64
shift(int64 value, int64 by)
{
	int64		result;

	if (is_infinite(value))
		return value;
	if (pg_add_s64_overflow(value, by, &result))
		return by < 0 ? DT_NOBEGIN : DT_NOEND;
	return result;
}

static int64
shift_back(int64 value, int64 by)
{
	return by == PG_INT64_MIN ? open_end(true) : shift(value, -by);
}

static int64
multiply(int64 value, int64 by)
{
	int64		result;

	if (is_infinite(value))
		return value;
	if (pg_mul_s64_overflow(value, by, &result))
		return value < 0 ? DT_NOBEGIN : DT_NOEND;
	return result;
}

static int64
days_of_date(DateADT date)
{
	return DATE_IS_NOBEGIN(date) ? DT_NOBEGIN
		: DATE_IS_NOEND(date) ? DT_NOEND : date;
}

Datum
dyn_convert_time(Datum value, Oid from, Oid to)
{
	if (from == to)
		return value;
	if (from == TIMESTAMPOID)
		return TimestampTzGetDatum(dyn_timestamp_to_timestamptz(DatumGetTimestamp(value)));
	Assert(from == DATEOID);
	if (to == TIMESTAMPOID)
		return TimestampGetDatum(dyn_date_to_timestamp(DatumGetDateADT(value)));
	return TimestampTzGetDatum(dyn_date_to_timestamptz(DatumGetDateADT(value)));
}

/*
 * Returns the number as a double.  NaN, which sorts after all numbers, becomes
 * infinity.  Sets *rounded to true if the result may be inexact.
 */
static double
number_value(Datum value, Oid type, bool *rounded)
{
	double		number;
	char	   *text;

	*rounded = false;
	if (type == FLOAT8OID)
		number = DatumGetFloat8(value);
	else
	{
		text = DatumGetCString(DirectFunctionCall1(numeric_out, value));
		number = strtod(text, NULL);
		*rounded = strchr(text, '.') != NULL || fabs(number) > 1e15;
	}
	return isnan(number) ? INFINITY : number;
}

static int64
clamp_number(double number)
{
	return FLOAT8_FITS_IN_INT64(number) ? (int64) number
		: number < 0 ? DT_NOBEGIN : DT_NOEND;
}

/*
 * Returns the first year that satisfies a lower bound, or the last year that
 * satisfies an upper bound.  If `value` was rounded to a double, the returned
 * year may be one too low or, with `upper`, one too high.
 */
static int64
year_bound(Datum value, Oid type, bool upper, bool strict)
{
	bool		rounded;
	double		number = number_value(value, type, &rounded);

	if (upper)
		return clamp_number(rounded ? ceil(number) : strict ? ceil(number) - 1
							: floor(number));
	return clamp_number(rounded ? floor(number) : strict ? floor(number) + 1
						: ceil(number));
}

/*
 * Converts the bound `value`, in seconds since 1970, to a timestamp, and moves
 * it outward to allow for rounding errors.  Computes with doubles, because the
 * greatest timestamps, in microseconds since 1970, exceed the range of int64.
 */
static int64
epoch_bound(Datum value, Oid type, bool upper)
{
	bool		rounded;
	double		number = number_value(value, type, &rounded) * USECS_PER_SEC;
	double		space = 2 + fabs(number) * 4 * DBL_EPSILON;

	number -= (double) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
	return isinf(number) ? clamp_number(number)
		: clamp_number(upper ? ceil(number + space) : floor(number - space));
}

int64
dyn_unit_length(Datum unit)
{
	static const struct
	{
		int			token;
		int64		length;
	}			units[] = {
		{DTK_MICROSEC, 1},
		{DTK_MILLISEC, 1000},
		{DTK_SECOND, USECS_PER_SEC},
		{DTK_MINUTE, USECS_PER_MINUTE},
		{DTK_HOUR, USECS_PER_HOUR},
		{DTK_DAY, USECS_PER_DAY},
		{DTK_WEEK, 7 * USECS_PER_DAY},
		{DTK_MONTH, 31 * USECS_PER_DAY},
		{DTK_QUARTER, 92 * USECS_PER_DAY},
		{DTK_YEAR, 366 * USECS_PER_DAY},
		{DTK_DECADE, 3653 * USECS_PER_DAY},
		{DTK_CENTURY, 36525 * USECS_PER_DAY},
		{DTK_MILLENNIUM, 365250 * USECS_PER_DAY},
	};
	text	   *t = DatumGetTextPP(unit);
	int			token;

	if (DecodeUnits(0, downcase_truncate_identifier(VARDATA_ANY(t),
													VARSIZE_ANY_EXHDR(t), false),
					&token) != UNITS)
		return 0;
	for (int i = 0; i < lengthof(units); i++)
	{
		if (units[i].token == token)
			return units[i].length;
	}
	return 0;
}

static Timestamp
truncated(Datum unit, Timestamp value)
{
	return DatumGetTimestamp(DirectFunctionCall2(timestamp_trunc, unit,
												 TimestampGetDatum(value)));
}

/* Returns the last timestamp that date_trunc() truncates to at most `value`. */
static int64
last_truncated(Datum unit, int64 value)
{
	return truncated(unit, truncated(unit, value) + dyn_unit_length(unit)) - 1;
}

/*
 * Inverts date_trunc().  The unit of DYN_STEP_TRUNC_INSTANT is at most an
 * hour.  Truncation to such a unit does not change the offset from UTC, so it
 * moves an instant back by less than one unit.
 */
static int64
before_trunc(int64 value, bool upper, const DynTimeStep *step)
{
	int64		space = 2 * 365250 * USECS_PER_DAY;	/* two millennia */
	Datum		unit = step->operand;
	int64		length = dyn_unit_length(unit);

	if (length == 0)
		return open_end(upper);
	if (step->kind == DYN_STEP_TRUNC_INSTANT)
		return upper ? shift(value, length - 1) : value;
	if (is_infinite(value))
		return value;
	/* a unit may extend beyond the first or the last timestamp */
	if (value <= MIN_TIMESTAMP + space || value >= END_TIMESTAMP - space)
		return upper ? shift(value, length) : value;
	return upper ? last_truncated(unit, value)
		: last_truncated(unit, value - 1) + 1;
}

static int64
before_to_instant(int64 value, bool upper, const DynZone *zone)
{
	DynOffsets	offsets = dyn_zone_offsets(zone, value);

	return shift(value, upper ? offsets.most : offsets.least);
}

static int64
before_to_timestamp(int64 value, bool upper, const DynZone *zone)
{
	DynOffsets	offsets = dyn_zone_offsets(zone, value);

	return shift_back(value, upper ? offsets.least : offsets.most);
}

static int64
before_zone(int64 value, bool upper, const DynTimeStep *step)
{
	DynZone		zone;

	if (!dyn_zone_find(step->type, step->operand, &zone))
		return open_end(upper);
	return step->kind == DYN_STEP_TIMESTAMP_TO_INSTANT
		? before_to_instant(value, upper, &zone)
		: before_to_timestamp(value, upper, &zone);
}

#define LAST_YEAR	294276

/* Inverts extract(year).  1 BC is -1 for extract, but 0 for date2j(). */
static int64
before_year(int64 value, bool upper)
{
	int64		year = value > 0 ? value : value < 0 ? value + 1 : upper ? 0 : 1;

	if (is_infinite(value))
		return value;
	if (year > LAST_YEAR)
		return DT_NOEND;
	if (year < -4700 && !upper)
		return DT_NOBEGIN;
	year = Max(year, -4700);
	return upper ? (date2j((int) year + 1, 1, 1) - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY - 1
		: (date2j((int) year, 1, 1) - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY;
}

/* Subtracts days, and months of 28 or 31 days (for the wider bound). */
static int64
before_calendar(int64 value, bool upper, const Interval *interval)
{
	bool		fewest = (interval->month > 0) == upper;
	int64		days = (int64) interval->month * (fewest ? 28 : 31) + interval->day;

	return shift_back(value, multiply(days, USECS_PER_DAY));
}

/* Returns true below about 10,000 years; adding more may raise an error. */
static bool
is_moderate(const Interval *interval)
{
	int64		limit = 9999 * 12;

	return interval->month > -limit && interval->month < limit &&
		interval->day > -limit * 31 && interval->day < limit * 31 &&
		interval->time > -limit * 31 * USECS_PER_DAY &&
		interval->time < limit * 31 * USECS_PER_DAY;
}

/* Inverts the addition of months or days to an instant, in local time. */
static int64
before_calendar_in_zone(int64 value, bool upper, const Interval *interval)
{
	DynZone		zone;

	(void) dyn_zone_find(InvalidOid, (Datum) 0, &zone);
	value = before_to_instant(value, upper, &zone);
	value = before_calendar(value, upper, interval);
	return before_to_timestamp(value, upper, &zone);
}

/*
 * Inverts the addition or subtraction of an interval.  PostgreSQL adds months,
 * then days, then microseconds; it adds months and days in local time.
 */
static int64
before_add(int64 value, bool upper, const DynTimeStep *step)
{
	Interval	interval = *DatumGetIntervalP(step->operand);

	if (!is_moderate(&interval))
		return open_end(upper);
	if (step->kind == DYN_STEP_SUBTRACT ||
		step->kind == DYN_STEP_SUBTRACT_FROM_INSTANT)
		interval = (Interval) {-interval.time, -interval.day, -interval.month};
	value = shift_back(value, interval.time);
	if (step->kind == DYN_STEP_ADD || step->kind == DYN_STEP_SUBTRACT)
		return before_calendar(value, upper, &interval);
	if (interval.day != 0)
		value = before_calendar_in_zone(value, upper, &(Interval) {.day = interval.day});
	if (interval.month != 0)
		value = before_calendar_in_zone(value, upper, &(Interval) {.month = interval.month});
	return value;
}

/* Inverts a subtraction of dates (days) or of timestamps (microseconds). */
static int64
before_difference(int64 value, bool upper, const DynTimeStep *step)
{
	bool		since = step->kind == DYN_STEP_SINCE;
	int64		time = step->type == DATEOID
		? days_of_date(DatumGetDateADT(step->operand))
		: DatumGetTimestamp(step->operand);

	if (is_infinite(time))
		return open_end(since == upper);
	if (since)
		return shift(value, time);
	if (is_infinite(value))
		return value == DT_NOEND ? DT_NOBEGIN : DT_NOEND;
	return shift_back(time, value);
}

static int64
before_step(int64 value, bool upper, const DynTimeStep *step)
{
	int64		rest;

	switch (step->kind)
	{
		case DYN_STEP_DATE_TO_TIMESTAMP:
			if (is_infinite(value))
				break;
			/* round an upper bound down, and a lower bound up */
			rest = value % USECS_PER_DAY;
			return value / USECS_PER_DAY + (upper ? -(rest < 0) : rest > 0);
		case DYN_STEP_TIMESTAMP_TO_DATE:
			return upper
				? shift(multiply(shift(value, 1), USECS_PER_DAY), -1)
				: multiply(value, USECS_PER_DAY);
		case DYN_STEP_TIMESTAMP_TO_INSTANT:
		case DYN_STEP_INSTANT_TO_TIMESTAMP:
			return before_zone(value, upper, step);
		case DYN_STEP_TRUNC:
		case DYN_STEP_TRUNC_INSTANT:
			return before_trunc(value, upper, step);
		case DYN_STEP_YEAR:
			return before_year(value, upper);
		case DYN_STEP_EPOCH:
			break;				/* epoch_bound() has inverted this step */
		case DYN_STEP_ADD_DAYS:
			return shift(value, -(int64) DatumGetInt32(step->operand));
		case DYN_STEP_SUBTRACT_DAYS:
			return shift(value, DatumGetInt32(step->operand));
		case DYN_STEP_ADD:
		case DYN_STEP_SUBTRACT:
		case DYN_STEP_ADD_TO_INSTANT:
		case DYN_STEP_SUBTRACT_FROM_INSTANT:
			return before_add(value, upper, step);
		case DYN_STEP_SINCE:
		case DYN_STEP_UNTIL:
			return before_difference(value, upper, step);
	}
	return value;
}

/* Returns the inclusive bound with which the inversion of the steps begins. */
static int64
first_bound(Datum value, Oid from, Oid compared, bool upper, bool strict,
			DynTimeStepKind kind)
{
	int64		number;
	const Interval *interval;

	switch (compared)
	{
		case NUMERICOID:
		case FLOAT8OID:
			return kind == DYN_STEP_YEAR ? year_bound(value, compared, upper, strict)
				: epoch_bound(value, compared, upper);
		case INTERVALOID:
			/* PostgreSQL compares intervals as if a month had 30 days */
			interval = DatumGetIntervalP(value);
			number = (int64) interval->month * DAYS_PER_MONTH + interval->day +
				interval->time / USECS_PER_DAY;
			number = shift(multiply(number, USECS_PER_DAY), interval->time % USECS_PER_DAY);
			break;
		case INT4OID:
			number = DatumGetInt32(value);
			break;
		case DATEOID:
			number = days_of_date(DatumGetDateADT(value));
			break;
		default:
			number = DatumGetTimestamp(dyn_convert_time(value, from, compared));
			break;
	}
	return strict ? shift(number, upper ? -1 : 1) : number;
}

Datum
dyn_invert_bound(Datum value, Oid from, Oid compared, bool upper, bool strict,
				 const DynTimeStep *steps, int nsteps, Oid to)
{
	int64		bound = first_bound(value, from, compared, upper, strict, steps[0].kind);

	Assert(nsteps > 0);
	for (int i = 0; i < nsteps; i++)
	{
		bound = before_step(bound, upper, &steps[i]);
		/* an upper bound of x - y becomes a lower bound of y */
		upper ^= steps[i].kind == DYN_STEP_UNTIL;
	}
	if (to == DATEOID)
		return DateADTGetDatum(bound <= PG_INT32_MIN ? DATEVAL_NOBEGIN
							   : bound >= PG_INT32_MAX ? DATEVAL_NOEND
							   : (DateADT) bound);
	return TimestampGetDatum(bound < MIN_TIMESTAMP ? DT_NOBEGIN
							 : bound >= END_TIMESTAMP ? DT_NOEND : bound);
}

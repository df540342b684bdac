/*
 * datetime.h
 *		Converts dates and times from and to the formats of DynamoDB
 *		applications, including patterns of fixed width.
 *
 * An instant is an int64: microseconds since 2000-01-01 00:00 UTC, as in
 * PostgreSQL's timestamps.  Text formats cover the years 0001 to 9999, and do
 * not use the session's time zone: text without an offset is in UTC.
 */
#ifndef DYN_MODEL_DATETIME_H
#define DYN_MODEL_DATETIME_H

#include "datatype/timestamp.h"
#include "pgtime.h"

#include "format.h"

/*
 * Parses ISO 8601 text: YYYY-MM-DD, or YYYY-MM-DDTHH:MM[:SS[.fraction]][zone].
 * A blank may replace the T, and the zone is Z or an offset.  The fraction has
 * up to nine digits; those after the sixth must be zero.  Returns false for any
 * other text.
 */
extern bool dyn_instant_from_iso(const char *text, size_t len, Timestamp *result);

/*
 * Parses decimal text: a number of the format's units since 1970.  Digits
 * below a microsecond, if the format has them, are rounded down.
 */
extern bool dyn_instant_from_epoch(const char *text, size_t len,
								   const DynFormat *format, Timestamp *result);

/*
 * Parses a ULID: 26 digits and capital letters, without I, L, O and U.  The
 * first ten characters are milliseconds since 1970; the others are ignored.
 */
extern bool dyn_instant_from_ulid(const char *text, size_t len, Timestamp *result);

/*
 * The functions below print an instant into `dst`, which has
 * DYN_INSTANT_BUFSIZE bytes.
 * - If several encodings represent the instant, the functions print the first
 *   one in sort order or, if `last` is true, the last one.
 * - The functions return false if the format cannot represent the instant: it
 *   is infinite, its year is out of range, or it needs too many digits.
 */
#define DYN_INSTANT_BUFSIZE	256

extern bool dyn_instant_to_date(Timestamp instant, char *dst);
extern bool dyn_instant_to_epoch(Timestamp instant, const DynFormat *format,
								 bool last, char *dst);
extern bool dyn_instant_to_ulid(Timestamp instant, bool last, char *dst);

/* The first and last instant of years 0001 to 9999, and 1970-01-01. */
#define DYN_INSTANT_MIN		(-730119 * USECS_PER_DAY)
#define DYN_INSTANT_MAX		(2921940 * USECS_PER_DAY - 1)
#define DYN_INSTANT_1970	((UNIX_EPOCH_JDATE - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY)

/*
 * ---- patterns of fixed width (pattern.c): pattern(...) and iso8601(n) ----
 *
 * A pattern consists of fields, named as in to_char, and of literals.  Fields
 * are YYYY, MM, DD, HH24, MI, SS, and MS or US (the digits after the decimal
 * point of a second).  Letters in literals must be in double quotes; within
 * the quotes, a backslash escapes a double quote or a backslash.
 *
 * Every field has a fixed width.  A pattern contains its smallest field and
 * all larger ones exactly once.  Every matching string therefore represents
 * one time: the start of a unit of the smallest field, such as a day.
 */

typedef struct DynPattern DynPattern;

/* Parses a pattern in UTF-8; returns NULL with a hint in *why if invalid. */
extern DynPattern *dyn_pattern_parse(const char *text, const char **why);

/*
 * Returns the pattern of iso8601(n).  When a text is parsed with it, digits
 * after the microseconds are dropped.
 */
extern DynPattern *dyn_pattern_of_iso8601(int digits, const char *suffix);

/* Returns true if printed times sort in the order of the times. */
extern bool dyn_pattern_is_ordered(const DynPattern *pattern);

/*
 * Returns the length (us) of one unit of the pattern's smallest field, such as
 * a minute; the shortest length if it varies (28 days for a month).
 */
extern int64 dyn_pattern_unit(const DynPattern *pattern);

/* Scans a time; returns false if `text` does not match the pattern. */
extern bool dyn_pattern_scan(const DynPattern *pattern, const char *text,
							 size_t len, Timestamp *result);

/* Prints an instant, with the contract of dyn_instant_to_epoch. */
extern bool dyn_pattern_print(const DynPattern *pattern, Timestamp instant,
							  bool last, char *dst);

/*
 * Rounds an instant to the start of a unit of the pattern's smallest field: up
 * if `up` is true, else down.  The year of the result may be outside the
 * pattern's range.
 */
extern Timestamp dyn_pattern_round(const DynPattern *pattern, Timestamp instant,
								   bool up);

/*
 * ---- offsets of time zones, and truncated times (zones.c) ----
 *
 * To convert between timestamps and instants, PostgreSQL adds or subtracts one
 * of the zone's offsets, even where local times are skipped or repeated.  So
 * one end of a range is converted with the least of these offsets, and the
 * other end with the greatest.  The result contains all converted times of the
 * range.  The functions of zones.c raise no errors.
 */

/* Offsets in microseconds east of UTC. */
typedef struct DynOffsets
{
	int64		least;
	int64		most;
} DynOffsets;

typedef struct DynZone
{
	pg_tz	   *tz;				/* zone; NULL if only `all` is known */
	DynOffsets	all;			/* limits of all offsets of the zone */
} DynZone;

/*
 * Finds the zone that AT TIME ZONE uses for `operand`: a name or abbreviation
 * (type text), or an interval.  For any other `type`, uses the session's zone.
 * Returns false if AT TIME ZONE would raise an error, if the zone has leap
 * seconds, or if the interval is longer than 170 hours.
 */
extern bool dyn_zone_find(Oid type, Datum operand, DynZone *zone);

/*
 * Returns the least and the greatest offset that PostgreSQL may use to convert
 * between timestamps and instants near the given time.
 */
extern DynOffsets dyn_zone_offsets(const DynZone *zone, int64 near);

/*
 * Formats such as day (in UTC) and day(zone) (in that zone's local time)
 * truncate times to units (format.h).  If clocks are set back to before the
 * start of the current unit, this unit begins twice: in St. John's, clocks
 * once went from 00:01 to 23:01 of the day before.
 */

/* Returns the start (in local time) of the unit that contains `instant`. */
extern Timestamp dyn_trunc(const DynFormat *format, Timestamp instant);

/*
 * Returns a bound on the starts (in local time) of the units, such as days, to
 * which the format truncates times.  With `lower`, no unit that contains
 * `instant` or a later instant starts before the bound.  Otherwise, no unit
 * that contains `instant` or an earlier instant starts after the bound.
 */
extern Timestamp dyn_trunc_bound(const DynFormat *format, Timestamp instant,
								 bool lower);

/*
 * Returns true if dyn_trunc() is monotonic: its result for a later instant is
 * never before its result for an earlier one.
 */
extern bool dyn_trunc_ascends(const DynFormat *format);

#endif

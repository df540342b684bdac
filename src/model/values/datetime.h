/*
 * datetime.h
 *		Converts dates and times from and to the formats of DynamoDB
 *		applications.
 *
 * An instant is an int64: microseconds since 2000-01-01 00:00 UTC, as in
 * PostgreSQL's timestamps.  Text formats cover the years 0001 to 9999.  The
 * session's time zone is not used: text without an offset is in UTC.
 */
#ifndef DYN_MODEL_DATETIME_H
#define DYN_MODEL_DATETIME_H

#include "datatype/timestamp.h"

#include "format.h"

/*
 * Parses ISO 8601, extended format: YYYY-MM-DD, alone or followed by T or a
 * blank, HH:MM, optionally :SS and a fraction of up to nine digits, optionally
 * Z or an offset.  Returns false for any other text, and if a digit after the
 * sixth of the fraction is not zero.
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
 * first ten are the milliseconds since 1970; the others are ignored.
 */
extern bool dyn_instant_from_ulid(const char *text, size_t len, Timestamp *result);

/*
 * The functions below print an instant into `dst`, which has
 * DYN_INSTANT_BUFSIZE bytes.  They return false if the format cannot represent
 * the instant, because of its year, because it is infinite, or because it
 * needs more digits.  If several encodings represent the instant, the
 * functions print the first one in sort order or, if `last` is true, the last
 * one.
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

#endif

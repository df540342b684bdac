/*
 * datetime.h
 *		Dates and times as DynamoDB applications spell them.
 *
 * An instant is an int64: microseconds since 2000-01-01 00:00 UTC, as in
 * PostgreSQL's timestamps.  Spellings cover the years 0001 to 9999.  Nothing
 * here depends on the session's time zone: a spelling without an offset means
 * UTC.
 */
#ifndef DYN_MODEL_DATETIME_H
#define DYN_MODEL_DATETIME_H

#include "datatype/timestamp.h"

#include "format.h"

/*
 * ISO 8601, extended spelling: YYYY-MM-DD, alone or followed by T or a blank,
 * HH:MM, optionally :SS and a fraction of up to nine digits, optionally Z or
 * an offset.  False if it is something else or finer than a microsecond.
 */
extern bool dyn_instant_from_iso(const char *text, size_t len, Timestamp *result);

/* The one spelling of iso8601(n,suffix): exactly this and nothing else. */
extern bool dyn_instant_from_fixed(const char *text, size_t len,
								   const DynFormat *format, Timestamp *result);

/* A number of the format's units since 1970, decimal text. */
extern bool dyn_instant_from_epoch(const char *text, size_t len,
								   DynFormatKind unit, Timestamp *result);

/*
 * The other way.  Buffers hold DYN_INSTANT_BUFSIZE bytes.  False if the instant
 * has no such spelling (years, infinity, finer than n digits).
 */
#define DYN_INSTANT_BUFSIZE	256

extern bool dyn_instant_to_fixed(Timestamp instant, const DynFormat *format, char *dst);
extern bool dyn_instant_to_date(Timestamp instant, char *dst);
extern bool dyn_instant_to_epoch(Timestamp instant, DynFormatKind unit, char *dst);

/* The first and the last instant that are spelled with four digits of a year. */
extern Timestamp dyn_instant_min(void);
extern Timestamp dyn_instant_max(void);

#endif

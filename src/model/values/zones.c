/*
 * zones.c
 *		Determines the offsets from UTC that a time zone may use near a
 *		time, and truncates times to units of a pattern.
 *
 * To convert a timestamp, PostgreSQL may use the offset of the day before, or
 * the offset after a nearby transition.  So we collect all offsets in a window
 * that extends to both sides by more than a day plus the greatest offset.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "parser/scansup.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "../server/pg_compat.h"
#include "datetime.h"

/* Maximum offset of zones with a name; Manila once was at UTC-15:56. */
#define MAX_NAMED		(16 * USECS_PER_HOUR)

/* Maximum offset of POSIX zones such as <X>-9: a week, and some hours of DST. */
#define MAX_DESCRIBED	(170 * USECS_PER_HOUR)

#define MAX_TRANSITIONS	64

#define EPOCH_SECONDS	((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

static DynZone
zone_of(pg_tz *tz)
{
	long int	offset;
	int64		most;

	if (pg_get_timezone_offset(tz, &offset))
		return (DynZone) {NULL, {offset * USECS_PER_SEC, offset * USECS_PER_SEC}};
	/* a name without digits is not a POSIX description with an offset */
	most = strpbrk(pg_get_timezone_name(tz), "0123456789") ? MAX_DESCRIBED : MAX_NAMED;
	return (DynZone) {tz, {-most, most}};
}

static bool
zone_of_text(Datum name, DynZone *zone)
{
	char		buf[TZ_STRLEN_MAX + 1];
	int			offset;
	bool		fixed;
	pg_tz	   *tz;

	text_to_cstring_buffer(DatumGetTextPP(name), buf, sizeof(buf));
	if (dyn_find_zone_abbreviation(downcase_truncate_identifier(buf, strlen(buf), false),
								   &fixed, &offset))
	{
		/*
		 * if the abbreviation's offset changes over time, allow any offset;
		 * else allow both signs, since the sign depends on the server version
		 */
		int64		most = fixed ? abs(offset) * USECS_PER_SEC : MAX_DESCRIBED;

		*zone = (DynZone) {NULL, {-most, most}};
		return true;
	}
	tz = pg_tzset(buf);
	if (tz == NULL || !pg_tz_acceptable(tz))
		return false;
	*zone = zone_of(tz);
	return true;
}

bool
dyn_zone_find(Oid type, Datum operand, DynZone *zone)
{
	const Interval *offset;
	int64		most;

	switch (type)
	{
		case TEXTOID:
			return zone_of_text(operand, zone);
		case INTERVALOID:
			offset = DatumGetIntervalP(operand);
			if (offset->month != 0 || offset->day != 0 ||
				offset->time > MAX_DESCRIBED || offset->time < -MAX_DESCRIBED)
				return false;
			most = offset->time / USECS_PER_SEC * USECS_PER_SEC;
			*zone = (DynZone) {NULL, {most, most}};
			return true;
		default:
			*zone = zone_of(session_timezone);
			return true;
	}
}

/*
 * Advances *time (seconds since 1970) to the next transition.  Sets *before and
 * *after to the offsets (seconds) before and after that transition.  Returns a
 * positive number; 0 if no transition follows; -1 if that is unknown.
 *
 * If *time is the last transition in the zone's table, pg_next_dst_boundary()
 * returns 0.  If it is called with *time + 1 instead, it can extrapolate later
 * transitions.
 */
static int
next_transition(const DynZone *zone, pg_time_t *time, long int *before,
				long int *after)
{
	pg_time_t	boundary;
	int			before_isdst,
				after_isdst;
	int			found = pg_next_dst_boundary(time, before, &before_isdst,
											 &boundary, after, &after_isdst,
											 zone->tz);

	if (found == 0)
	{
		pg_time_t	next = *time + 1;

		found = pg_next_dst_boundary(&next, before, &before_isdst, &boundary,
									 after, &after_isdst, zone->tz);
	}
	if (found > 0)
		*time = boundary;
	return found;
}

/* Collects the offsets; returns false if transitions are unknown or too many. */
static bool
collect_offsets(const DynZone *zone, pg_time_t from, pg_time_t to,
				DynOffsets *offsets)
{
	offsets->least = PG_INT64_MAX;
	offsets->most = PG_INT64_MIN;
	for (int i = 0; i < MAX_TRANSITIONS; i++)
	{
		long int	before,
					after;
		int			found = next_transition(zone, &from, &before, &after);

		if (found < 0)
			return false;
		offsets->least = Min(offsets->least, before * USECS_PER_SEC);
		offsets->most = Max(offsets->most, before * USECS_PER_SEC);
		if (found == 0 || from > to)
			return true;
		offsets->least = Min(offsets->least, after * USECS_PER_SEC);
		offsets->most = Max(offsets->most, after * USECS_PER_SEC);
	}
	return false;
}

DynOffsets
dyn_zone_offsets(const DynZone *zone, int64 near)
{
	int64		window = 2 * zone->all.most / USECS_PER_SEC + 2 * SECS_PER_DAY;
	pg_time_t	unix_time = near / USECS_PER_SEC + EPOCH_SECONDS;
	DynOffsets	offsets;

	if (zone->tz == NULL || !IS_VALID_TIMESTAMP(near) ||
		!collect_offsets(zone, unix_time - window, unix_time + window, &offsets))
		return zone->all;
	return offsets;
}

Timestamp
dyn_trunc(const DynFormat *format, Timestamp instant)
{
	pg_time_t	seconds = instant / USECS_PER_SEC - (instant % USECS_PER_SEC < 0) +
		EPOCH_SECONDS;
	const struct pg_tm *tm = format->zone == NULL ? NULL
		: pg_localtime(&seconds, format->zone);

	if (tm != NULL)
		instant += tm->tm_gmtoff * USECS_PER_SEC;
	return dyn_pattern_round(format->pattern, instant, false);
}

/*
 * Returns true if clocks are never set back to before the start of the current
 * unit, such as a day.  We only check 1469 to 2471, because zones have no
 * earlier transitions, and the later ones repeat every 400 years.
 */
static bool
zone_ascends(const DynFormat *format)
{
	DynZone		zone = zone_of(format->zone);
	pg_time_t	last = (pg_time_t) 500 * 366 * SECS_PER_DAY;
	pg_time_t	at = -last;
	long int	before,
				after;
	int			found;

	if (zone.tz == NULL)
		return true;			/* the zone has only one offset */
	while ((found = next_transition(&zone, &at, &before, &after)) > 0 &&
		   at < last)
	{
		Timestamp	instant = (at - EPOCH_SECONDS) * USECS_PER_SEC;

		if (dyn_pattern_round(format->pattern, instant + after * USECS_PER_SEC, false) <
			dyn_pattern_round(format->pattern, instant + before * USECS_PER_SEC - 1, false))
			return false;
	}
	return found >= 0;
}

/* Caches the last result, since a zone may have hundreds of transitions. */
bool
dyn_trunc_ascends(const DynFormat *format)
{
	static pg_tz *last_zone = NULL;
	static int64 last_unit;
	static bool last_result;
	int64		unit = dyn_pattern_unit(format->pattern);

	if (format->zone == NULL)
		return true;
	if (format->zone != last_zone || unit != last_unit)
	{
		last_result = zone_ascends(format);
		last_zone = format->zone;
		last_unit = unit;
	}
	return last_result;
}

Timestamp
dyn_trunc_bound(const DynFormat *format, Timestamp instant, bool lower)
{
	DynZone		zone;
	DynOffsets	offsets;

	if (dyn_trunc_ascends(format))
		return dyn_trunc(format, instant);
	/* clocks may be set back near the instant, so use the extreme offset */
	zone = zone_of(format->zone);
	offsets = dyn_zone_offsets(&zone, instant);
	return dyn_pattern_round(format->pattern,
							 instant + (lower ? offsets.least : offsets.most), false);
}

/*
 * zones.c
 *		Determines the offsets from UTC that a time zone may use near a
 *		time.
 *
 * PostgreSQL converts a timestamp with the offset that was valid a day
 * earlier, or with the offset after a nearby transition.  So offsets are
 * collected in a window around the time.  Before and after the time, the
 * window extends by more than a day, and by more than any offset.
 */
#include "postgres.h"

#include "parser/scansup.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "../server/pg_compat.h"
#include "zones.h"

/*
 * Maximum offset in the time zone database: the largest are those of local
 * mean times on the other side of the date line.
 */
#define MAX_NAMED		(16 * USECS_PER_HOUR)

/*
 * Maximum offset of a POSIX zone: a week plus daylight saving time, rounded
 * up.
 */
#define MAX_DESCRIBED	(170 * USECS_PER_HOUR)

/* Maximum number of transitions examined. */
#define MAX_TRANSITIONS	64

/* Returns a zone without transitions. */
static DynZone
fixed_zone(int64 offset)
{
	return (DynZone) {NULL, {offset, offset}};
}

DynZone
dyn_zone_of(pg_tz *tz)
{
	long int	offset;
	int64		most;

	if (pg_get_timezone_offset(tz, &offset))
		return fixed_zone(offset * USECS_PER_SEC);
	/* a POSIX description has an offset, and therefore digits */
	most = strpbrk(pg_get_timezone_name(tz), "0123456789") ? MAX_DESCRIBED : MAX_NAMED;
	return (DynZone) {tz, {-most, most}};
}

DynZone
dyn_zone_of_session(void)
{
	return dyn_zone_of(session_timezone);
}

bool
dyn_zone_of_text(Datum name, DynZone *zone)
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
		 * if the abbreviation's offset has changed over time, allow all
		 * offsets; otherwise allow both signs, because versions of PostgreSQL
		 * differ in the sign
		 */
		int64		most = fixed ? abs(offset) * USECS_PER_SEC : MAX_DESCRIBED;

		*zone = (DynZone) {NULL, {-most, most}};
		return true;
	}
	tz = pg_tzset(buf);
	if (tz != NULL)
		*zone = dyn_zone_of(tz);
	return tz != NULL;
}

bool
dyn_zone_of_interval(const Interval *offset, DynZone *zone)
{
	if (offset->month != 0 || offset->day != 0 ||
		offset->time > MAX_DESCRIBED || offset->time < -MAX_DESCRIBED)
		return false;
	*zone = fixed_zone(offset->time / USECS_PER_SEC * USECS_PER_SEC);
	return true;
}

/*
 * At the last transition of the zone's table, pg_next_dst_boundary() returns
 * 0, although it extrapolates later transitions.  So it is called again for
 * the next second.
 */
int
dyn_zone_transition(const DynZone *zone, pg_time_t *time, long int *before,
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

/*
 * Collects all offsets between two times.  Returns false if there are too many
 * transitions, or if they are unknown.
 */
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
		int			found = dyn_zone_transition(zone, &from, &before, &after);

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
	pg_time_t	unix_time = near / USECS_PER_SEC +
		(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
	DynOffsets	offsets;

	if (zone->tz == NULL || TIMESTAMP_NOT_FINITE(near) ||
		!IS_VALID_TIMESTAMP(near) ||
		!collect_offsets(zone, unix_time - window, unix_time + window, &offsets))
		return zone->all;
	return offsets;
}

/*
 * trunc.c
 *		Truncates times to units of a pattern.
 */
#include "postgres.h"

#include "pgtime.h"
#include "utils/timestamp.h"

#include "pattern.h"
#include "trunc.h"
#include "zones.h"

/*
 * Time zone rules repeat every 400 years, so only transitions between about
 * 1469 and 2471 are checked.
 */
#define LAST_TRANSITION		((pg_time_t) 500 * 366 * SECS_PER_DAY)

#define EPOCH_SECONDS	((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)

/* Returns the local time of an instant. */
static Timestamp
local_time(const DynFormat *format, Timestamp instant)
{
	pg_time_t	seconds = instant / USECS_PER_SEC - (instant % USECS_PER_SEC < 0) +
		EPOCH_SECONDS;
	const struct pg_tm *tm = format->zone == NULL ? NULL
		: pg_localtime(&seconds, format->zone);

	return tm == NULL ? instant : instant + tm->tm_gmtoff * USECS_PER_SEC;
}

Timestamp
dyn_trunc(const DynFormat *format, Timestamp instant)
{
	return dyn_pattern_round(format->pattern, local_time(format, instant), false);
}

/* Returns true if no transition of the zone leads back to an earlier unit. */
static bool
zone_ascends(const DynFormat *format)
{
	DynZone		zone = dyn_zone_of(format->zone);
	pg_time_t	at = -LAST_TRANSITION;
	long int	before,
				after;
	int			found;

	if (zone.tz == NULL)
		return true;			/* only one offset */
	while ((found = dyn_zone_transition(&zone, &at, &before, &after)) > 0 &&
		   at < LAST_TRANSITION)
	{
		Timestamp	instant = (at - EPOCH_SECONDS) * USECS_PER_SEC;

		if (dyn_pattern_round(format->pattern, instant + after * USECS_PER_SEC, false) <
			dyn_pattern_round(format->pattern, instant + before * USECS_PER_SEC - 1, false))
			return false;
	}
	return found >= 0;
}

/* A zone has hundreds of transitions, so the last result is cached. */
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
	/*
	 * clocks may be set back near the instant, so use the limits of the
	 * offsets
	 */
	zone = dyn_zone_of(format->zone);
	offsets = dyn_zone_offsets(&zone, instant);
	return dyn_pattern_round(format->pattern,
							 instant + (lower ? offsets.least : offsets.most), false);
}

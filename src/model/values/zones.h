/*
 * zones.h
 *		Determines the offsets from UTC that a time zone may use near a
 *		time.
 *
 * PostgreSQL converts between timestamps and instants with one of the zone's
 * offsets, even where local times are skipped or repeated.  So a time and its
 * conversion differ by one of the offsets found here.  Bounds that are moved
 * by the smallest and the largest of these offsets contain all converted
 * times.
 *
 * These functions raise no errors, and do not depend on the current time.
 */
#ifndef DYN_MODEL_ZONES_H
#define DYN_MODEL_ZONES_H

#include "datatype/timestamp.h"
#include "pgtime.h"

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

extern DynZone dyn_zone_of(pg_tz *tz);

/* Returns the session's current zone. */
extern DynZone dyn_zone_of_session(void);

/*
 * Find the zone that AT TIME ZONE uses for a name or abbreviation, or for an
 * interval.  Return false if AT TIME ZONE would raise an error.
 */
extern bool dyn_zone_of_text(Datum name, DynZone *zone);
extern bool dyn_zone_of_interval(const Interval *offset, DynZone *zone);

/*
 * Advances *time (seconds since 1970) to the next transition.  Sets *before and
 * *after to the offsets (seconds) before and after that transition.  Returns a
 * positive number; 0 if there is no later transition; or a negative number if
 * it is unknown whether there is one.
 */
extern int	dyn_zone_transition(const DynZone *zone, pg_time_t *time,
								long int *before, long int *after);

/*
 * Returns the limits of the offsets that the zone uses near a time, which may
 * be an instant or a timestamp.  Every conversion between timestamps and
 * instants whose result is `near`, or just before or after it, uses an offset
 * within these limits.
 */
extern DynOffsets dyn_zone_offsets(const DynZone *zone, int64 near);

#endif

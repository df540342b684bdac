/*
 * zones.h
 *		Determines the offsets from UTC that a time zone may use near a
 *		time, and truncates times to units of a pattern.
 *
 * PostgreSQL converts between timestamps and instants with one of the zone's
 * offsets, even where local times are skipped or repeated.  So a time and its
 * conversion differ by one of the offsets found here.  Bounds that are moved
 * by the smallest and the largest of these offsets contain all converted
 * times.
 *
 * These functions raise no errors.
 */
#ifndef DYN_MODEL_ZONES_H
#define DYN_MODEL_ZONES_H

#include "datatype/timestamp.h"
#include "pgtime.h"

#include "format.h"

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
 * Finds the zone that AT TIME ZONE uses for a name or abbreviation (text), or
 * for an interval; for any other `type`, the session's current zone.  Returns
 * false if AT TIME ZONE would raise an error.
 */
extern bool dyn_zone_find(Oid type, Datum operand, DynZone *zone);

/*
 * Returns the limits of the offsets that the zone uses near a time, which may
 * be an instant or a timestamp.  Every conversion between timestamps and
 * instants whose result is `near`, or just before or after it, uses an offset
 * within these limits.
 */
extern DynOffsets dyn_zone_offsets(const DynZone *zone, int64 near);

/*
 * The formats day, trunc(...) and so on of template parts (format.h) truncate
 * times to units of a local time, in UTC or in the format's time zone.  When
 * clocks are set back, local times occur twice, so a unit may be longer than
 * usual.  A unit may even occur twice, if clocks are set back to a time before
 * its start: St. John's once set them back from 00:01 to 23:01.
 */

/* Returns the local time at which the instant's unit begins. */
extern Timestamp dyn_trunc(const DynFormat *format, Timestamp instant);

/*
 * Returns a limit of the local times at which units begin.  If `lower`, no
 * time at or after `instant` is in a unit that begins before the limit.
 * Otherwise no time at or before `instant` is in a unit that begins after the
 * limit.
 */
extern Timestamp dyn_trunc_bound(const DynFormat *format, Timestamp instant,
								 bool lower);

/* Returns true if a later instant is never in an earlier unit. */
extern bool dyn_trunc_ascends(const DynFormat *format);

#endif

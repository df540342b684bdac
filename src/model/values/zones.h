/*
 * zones.h
 *		Which offsets from UTC a time zone may use near a time.
 *
 * PostgreSQL converts between timestamps and instants by one of the zone's
 * offsets, in both directions, and where local times are skipped or repeated,
 * too.  So two times that it converts into each other differ by one of the
 * offsets here, and bounds moved by the least and the greatest of them contain
 * all that is converted.
 *
 * Nothing here raises an error or depends on when a statement was planned.
 */
#ifndef DYN_MODEL_ZONES_H
#define DYN_MODEL_ZONES_H

#include "datatype/timestamp.h"
#include "pgtime.h"

/* Microseconds east of UTC. */
typedef struct DynOffsets
{
	int64		least;
	int64		most;
} DynOffsets;

typedef struct DynZone
{
	pg_tz	   *tz;				/* NULL: `all` says everything */
	DynOffsets	all;			/* no offset of the zone is beyond */
} DynZone;

/* The session's zone, as it is now. */
extern DynZone dyn_zone_of_session(void);

/*
 * The zone that AT TIME ZONE takes a text (lookup of abbreviations included)
 * or an interval for.  False if it would raise an error.
 */
extern bool dyn_zone_of_text(Datum name, DynZone *zone);
extern bool dyn_zone_of_interval(const Interval *offset, DynZone *zone);

/*
 * The offsets by which a time that is an instant or a timestamp may have been
 * converted into one that is not beyond `near`, or just so.
 */
extern DynOffsets dyn_zone_offsets(const DynZone *zone, int64 near);

#endif

/*
 * trunc.h
 *		Truncates times to units of a pattern: the formats day, trunc(...) and
 *		so on of template parts (format.h).
 *
 * Units are those of a local time, in UTC or in the format's time zone.  When
 * clocks are set back, local times occur twice, so a unit may be longer than
 * usual.  A unit may even occur twice, if clocks are set back to a time before
 * its start: St. John's once set them back from 00:01 to 23:01.
 */
#ifndef DYN_MODEL_TRUNC_H
#define DYN_MODEL_TRUNC_H

#include "datatype/timestamp.h"

#include "format.h"

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

/*
 * time_bounds.h
 *		From a bound of an expression over a date or time to one of the date or
 *		time itself.
 *
 * An expression such as date_trunc('month', c AT TIME ZONE z) is a chain of
 * steps, the outermost first.  A bound of its value goes through the steps and
 * comes out as a bound of c, always inclusive: every c whose expression is
 * within the one is within the other.  There may be further ones.
 *
 * Bounds are numbers: days since 2000-01-01 of a date, microseconds of a
 * timestamp, instant or span, and the year.  What is beyond all of them is
 * infinite (DT_NOBEGIN and DT_NOEND).
 *
 * The session's time zone is that of the call.  No function here raises an
 * error: where the expression would, nothing is excluded.
 */
#ifndef DYN_MODEL_TIME_BOUNDS_H
#define DYN_MODEL_TIME_BOUNDS_H

#include "datatype/timestamp.h"

typedef enum DynTimeStepKind
{
	DYN_STEP_DATE_TO_TIMESTAMP,
	DYN_STEP_TIMESTAMP_TO_DATE,
	DYN_STEP_TIMESTAMP_TO_INSTANT,	/* zone, or that of the session */
	DYN_STEP_INSTANT_TO_TIMESTAMP,	/* zone, or that of the session */
	DYN_STEP_TRUNC,				/* of a timestamp; unit */
	DYN_STEP_TRUNC_INSTANT,		/* unit of an hour or less */
	DYN_STEP_YEAR,				/* of a timestamp */
	DYN_STEP_EPOCH,				/* of a timestamp or instant */
	DYN_STEP_ADD_DAYS,			/* date + number */
	DYN_STEP_SUBTRACT_DAYS,		/* date - number */
	DYN_STEP_ADD,				/* timestamp + interval */
	DYN_STEP_SUBTRACT,			/* timestamp - interval */
	DYN_STEP_ADD_TO_INSTANT,	/* instant + interval */
	DYN_STEP_SUBTRACT_FROM_INSTANT,
	DYN_STEP_SINCE,				/* c - date or time */
	DYN_STEP_UNTIL				/* date or time - c */
} DynTimeStepKind;

typedef struct DynTimeStep
{
	DynTimeStepKind kind;
	Oid			type;			/* of the operand; InvalidOid: none */
	Datum		operand;		/* not NULL */
} DynTimeStep;

/* Does a greater c have a smaller result? */
static inline bool
dyn_step_descends(DynTimeStepKind kind)
{
	return kind == DYN_STEP_UNTIL;
}

/* Is the text one of date_trunc's units?  *subday: an hour or less. */
extern bool dyn_unit_is_known(Datum unit, bool *subday);

/*
 * A date or time as one of another type, as the comparison operators of the
 * two do it: from date to timestamp to timestamptz.
 */
extern Datum dyn_convert_time(Datum value, Oid from, Oid to);

/*
 * The bound of c, as a value of its type `to`: a lower one unless `upper`,
 * which concerns the value, as `strict` does.  The value is of type `from`,
 * which is compared as `compared`.
 */
extern Datum dyn_invert_bound(Datum value, Oid from, Oid compared, bool upper,
							  bool strict, const DynTimeStep *steps, int nsteps,
							  Oid to);

#endif

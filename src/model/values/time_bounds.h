/*
 * time_bounds.h
 *		Converts a bound of an expression over a date or time to a bound of
 *		the date or time itself.
 *
 * An expression such as date_trunc('month', c AT TIME ZONE z) is a chain of
 * steps, the outermost first.  A bound of the expression is converted step by
 * step into an inclusive bound of c.  Whenever the expression satisfies its
 * bound, c satisfies the bound of c; the reverse need not be true.
 *
 * Bounds are numbers: the days of a date since 2000-01-01, the microseconds of
 * a timestamp, instant or interval, or a year.  A bound beyond all values is
 * infinite (DT_NOBEGIN, DT_NOEND).
 *
 * The functions use the current time zone of the session, and raise no errors.
 * If the expression would raise an error, the bound of c excludes nothing.
 */
#ifndef DYN_MODEL_TIME_BOUNDS_H
#define DYN_MODEL_TIME_BOUNDS_H

#include "datatype/timestamp.h"

typedef enum DynTimeStepKind
{
	DYN_STEP_DATE_TO_TIMESTAMP,
	DYN_STEP_TIMESTAMP_TO_DATE,
	DYN_STEP_TIMESTAMP_TO_INSTANT,	/* in zone `operand`, or the session's */
	DYN_STEP_INSTANT_TO_TIMESTAMP,	/* in zone `operand`, or the session's */
	DYN_STEP_TRUNC,				/* date_trunc() of a timestamp, with any unit */
	DYN_STEP_TRUNC_INSTANT,		/* date_trunc() of an instant; unit <= hour */
	DYN_STEP_YEAR,				/* extract(year) of a timestamp */
	DYN_STEP_EPOCH,				/* extract(epoch) of a timestamp or instant */
	DYN_STEP_ADD_DAYS,			/* date + number */
	DYN_STEP_SUBTRACT_DAYS,		/* date - number */
	DYN_STEP_ADD,				/* timestamp + interval */
	DYN_STEP_SUBTRACT,			/* timestamp - interval */
	DYN_STEP_ADD_TO_INSTANT,	/* instant + interval */
	DYN_STEP_SUBTRACT_FROM_INSTANT,
	DYN_STEP_SINCE,				/* c - operand; both are dates or timestamps */
	DYN_STEP_UNTIL				/* operand - c: descends as c ascends */
} DynTimeStepKind;

typedef struct DynTimeStep
{
	DynTimeStepKind kind;
	Oid			type;			/* type of the operand; InvalidOid: none */
	Datum		operand;		/* operand (not NULL) */
} DynTimeStep;

/*
 * Returns the maximum length (us) of a unit of date_trunc(), such as 31 days
 * for "month"; 0 for any other text.  The start of a unit plus this length is
 * always in the next unit.
 */
extern int64 dyn_unit_length(Datum unit);

/* Converts a date or timestamp to a wider type, as a comparison does. */
extern Datum dyn_convert_time(Datum value, Oid from, Oid to);

/*
 * Returns the bound of a date or time c that follows from the bound `value`
 * (of type `from`) of an expression.  `steps` compute the expression from c;
 * it is compared in type `compared`.  The result has type `to`, the type of c.
 * `upper` is true for an upper bound, and `strict` for an exclusive bound.
 */
extern Datum dyn_invert_bound(Datum value, Oid from, Oid compared, bool upper,
							  bool strict, const DynTimeStep *steps, int nsteps,
							  Oid to);

#endif

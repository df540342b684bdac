/*
 * steps.h
 *		Enumerates the encodings of an interval of integers or times.
 *
 * A range of a partition key's column is requested as the keys of all its
 * values.  For that the column must have a next value: an integer, a date, or
 * a time in hours or longer units.  A codec that truncates times has the
 * units that times of the interval may be in.
 */
#ifndef DYN_MODEL_STEPS_H
#define DYN_MODEL_STEPS_H

#include "types.h"

/* An interval; both ends are included. */
typedef struct DynSteps
{
	const DynCodec *codec;
	bool		has_lo;			/* true if it has a lower bound */
	bool		has_hi;
	int64		lo;				/* integers, or microseconds as in datetime.h:
								 * of a truncated time, in local time */
	int64		hi;
} DynSteps;

/*
 * Returns true if values between bounds can be enumerated, if each of them has
 * one encoding.
 */
extern bool dyn_codec_has_steps(const DynCodec *codec);

/* Initializes the interval to all values. */
extern void dyn_steps_init(DynSteps *steps, const DynCodec *codec);

/* Returns true if bounds of the codec may have this type. */
extern bool dyn_steps_accept(const DynCodec *codec, Oid boundtype);

/* Excludes values below a lower bound, or above an upper one. */
extern void dyn_steps_bound(DynSteps *steps, bool lower, bool inclusive,
							Oid boundtype, Datum bound);

/* Returns the number of values; infinity if it lacks a bound. */
extern double dyn_steps_count(const DynSteps *steps);

/*
 * Removes the first value, and stores its encoding in CurrentMemoryContext;
 * false if there is none.  Values without an encoding are skipped.
 */
extern bool dyn_steps_next(DynSteps *steps, DynScalar *out);

#endif

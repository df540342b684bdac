/*
 * steps.h
 *		Enumerates the encodings of an interval of integers or times.
 *
 * For a range condition on a partition key, one key is requested for each
 * value in the range.  The values must be integers, dates, or times in units
 * of an hour or longer.  If the codec truncates times to units such as days,
 * one key is requested for each unit that contains a time of the range.
 */
#ifndef DYN_MODEL_STEPS_H
#define DYN_MODEL_STEPS_H

#include "types.h"

/* An interval with inclusive ends. */
typedef struct DynSteps
{
	const DynCodec *codec;
	bool		has_lo;			/* true if there is a lower bound */
	bool		has_hi;
	int64		lo;				/* integer or instant (datetime.h); local time
								 * if the codec truncates times */
	int64		hi;
} DynSteps;

/*
 * Returns true if the codec's values between any two bounds can be enumerated.
 * The caller must also check traits.point: each value must have one encoding.
 */
extern bool dyn_codec_has_steps(const DynCodec *codec);

/* Initializes the interval to all values. */
extern void dyn_steps_init(DynSteps *steps, const DynCodec *codec);

/* Excludes values below `lo` or above `hi`; (1, 0) excludes all values. */
extern void dyn_steps_within(DynSteps *steps, int64 lo, int64 hi);

/* Returns true if dyn_steps_bound accepts bounds of this SQL type. */
extern bool dyn_steps_accept(const DynCodec *codec, Oid boundtype);

/* Excludes values below a lower bound, or above an upper one. */
extern void dyn_steps_bound(DynSteps *steps, bool lower, bool inclusive,
							Oid boundtype, Datum bound);

/* Returns the maximum number of values; infinity if a bound is missing. */
extern double dyn_steps_count(const DynSteps *steps);

/*
 * Removes the first value, and encodes it into CurrentMemoryContext.  Values
 * without an encoding are skipped.  Returns false if no value is left.
 */
extern bool dyn_steps_next(DynSteps *steps, DynScalar *out);

#endif

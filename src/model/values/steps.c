/*
 * steps.c
 *		Enumerates the encodings of an interval of integers or times.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "miscadmin.h"

#include "datetime.h"
#include "steps.h"

bool
dyn_codec_has_steps(const DynCodec *codec)
{
	if (codec->format.pattern != NULL)
		return dyn_pattern_unit(codec->format.pattern) >= USECS_PER_HOUR;
	return dyn_codec_is_integer(codec) || codec->kind == DYN_CODEC_DATE;
}

void
dyn_steps_init(DynSteps *steps, const DynCodec *codec)
{
	const DynCodecFacts *facts = &dyn_codec_facts[codec->kind];

	*steps = (DynSteps) {.codec = codec,.lo = DYN_INSTANT_MIN - USECS_PER_DAY,
		.hi = DYN_INSTANT_MAX + USECS_PER_DAY};
	if (dyn_codec_is_integer(codec))
	{
		steps->lo = facts->least;
		steps->hi = facts->most;
	}
	else if (codec->wire == DYN_TYPE_N)
	{
		steps->lo = MIN_TIMESTAMP;
		steps->hi = END_TIMESTAMP - 1;
	}
}

void
dyn_steps_within(DynSteps *steps, int64 lo, int64 hi)
{
	steps->has_lo = steps->has_hi = true;
	steps->lo = Max(steps->lo, lo);
	steps->hi = Min(steps->hi, hi);
}

bool
dyn_steps_accept(const DynCodec *codec, Oid boundtype)
{
	return dyn_codec_is_integer(codec)
		? boundtype == INT2OID || boundtype == INT4OID || boundtype == INT8OID
		: boundtype == codec->basetype;
}

void
dyn_steps_bound(DynSteps *steps, bool lower, bool inclusive, Oid boundtype, Datum bound)
{
	const DynCodec *codec = steps->codec;
	int64		unit = codec->kind == DYN_CODEC_DATE ? USECS_PER_DAY : 1;
	int64		value;

	if (dyn_codec_is_integer(codec))
		value = boundtype == INT2OID ? DatumGetInt16(bound)
			: boundtype == INT4OID ? DatumGetInt32(bound) : DatumGetInt64(bound);
	else if (!dyn_value_instant(codec, bound, &value))
	{
		/* an infinite bound excludes all values, or none */
		if (TIMESTAMP_IS_NOBEGIN(value) != lower)
			dyn_steps_within(steps, 1, 0);
		return;
	}
	if (!inclusive && pg_add_s64_overflow(value, lower ? unit : -unit, &value))
	{
		dyn_steps_within(steps, 1, 0);
		return;
	}
	if (dyn_codec_truncates(codec))
		value = dyn_trunc_bound(&codec->format, value, lower);
	if (lower)
		steps->lo = Max(steps->lo, value);
	else
		steps->hi = Min(steps->hi, value);
	steps->has_lo |= lower;
	steps->has_hi |= !lower;
}

/* Returns the least difference between successive times. */
static int64
step_unit(const DynCodec *codec)
{
	int64		unit = codec->format.pattern != NULL
		? dyn_pattern_unit(codec->format.pattern) : USECS_PER_DAY;

	return codec->kind == DYN_CODEC_DATE ? Max(unit, USECS_PER_DAY) : unit;
}

double
dyn_steps_count(const DynSteps *steps)
{
	const DynCodec *codec = steps->codec;
	int64		unit = dyn_codec_is_integer(codec) ? 1 : step_unit(codec);

	if (steps->lo > steps->hi)
		return 0;
	if (!steps->has_lo || !steps->has_hi)
		return INFINITY;
	/* subtract integers, since doubles do not distinguish large ones */
	return (double) (((uint64) steps->hi - (uint64) steps->lo) / unit) + 1;
}

static int64
round_up(const DynCodec *codec, int64 value)
{
	int64		rest;

	/* a date advances by days, even if its pattern has hours */
	if (step_unit(codec) != USECS_PER_DAY)
		return dyn_pattern_round(codec->format.pattern, value, true);
	rest = value % USECS_PER_DAY;
	return rest == 0 ? value : value - rest + (rest > 0 ? USECS_PER_DAY : 0);
}

static bool
encode(const DynCodec *codec, int64 value, DynScalar *out)
{
	char	   *dst;

	if (dyn_codec_is_integer(codec))
		return dyn_codec_encode(codec, INT8OID, Int64GetDatum(value), out) == DYN_ENCODED;
	dst = palloc(DYN_INSTANT_BUFSIZE);
	if (!(codec->format.pattern != NULL
		  ? dyn_pattern_print(codec->format.pattern, value, false, dst)
		  : dyn_instant_text(codec, value, false, dst)))
		return false;
	*out = (DynScalar) {codec->wire, dst, strlen(dst)};
	return true;
}

bool
dyn_steps_next(DynSteps *steps, DynScalar *out)
{
	const DynCodec *codec = steps->codec;

	for (;;)
	{
		int64		value = dyn_codec_is_integer(codec) ? steps->lo
			: round_up(codec, steps->lo);

		CHECK_FOR_INTERRUPTS();
		if (steps->lo > steps->hi || value > steps->hi)
			return false;
		if (pg_add_s64_overflow(value, 1, &steps->lo))
			dyn_steps_within(steps, 1, 0);
		if (encode(codec, value, out))
			return true;
	}
}

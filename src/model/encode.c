/*
 * encode.c
 *		SQL values on their way into key conditions and filters.
 *
 * A comparison in DynamoDB is made on the stored spelling, so that a value is
 * encoded as the column spells it, or found to be one that no item can hold.
 * An equality with such a value selects nothing.  A range bound is moved
 * outward to the nearest value that exists, or found to select everything or
 * nothing.  Bounds of keys (empty, over-long) are exec/bind.c's business.
 *
 * Encoders allocate in CurrentMemoryContext.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "../base/number.h"
#include "datetime.h"
#include "encoding.h"
#include "pg_compat.h"
#include "types.h"

/* A value larger than an item can be is in no item. */
#define MAX_ITEM_BYTES	(400 * 1024)

static bool
is_number_type(Oid typid)
{
	return typid == INT2OID || typid == INT4OID || typid == INT8OID ||
		typid == NUMERICOID;
}

bool
dyn_codec_accepts(const DynCodec *codec, Oid valuetype)
{
	switch (codec->kind)
	{
		case DYN_CODEC_TEXT:
			return valuetype == TEXTOID || valuetype == VARCHAROID ||
				valuetype == NAMEOID;
		case DYN_CODEC_UUID:
			return valuetype == UUIDOID || valuetype == TEXTOID;
		case DYN_CODEC_INT2:
		case DYN_CODEC_INT4:
		case DYN_CODEC_INT8:
		case DYN_CODEC_NUMERIC:
			return is_number_type(valuetype);
		case DYN_CODEC_FLOAT4:
		case DYN_CODEC_FLOAT8:
			return valuetype == FLOAT4OID || valuetype == FLOAT8OID;
		case DYN_CODEC_BOOL:
		case DYN_CODEC_BYTEA:
		case DYN_CODEC_DATE:
		case DYN_CODEC_TIMESTAMP:
		case DYN_CODEC_TIMESTAMPTZ:
			return valuetype == codec->basetype;
		default:
			return false;
	}
}

static void
set_scalar(DynScalar *out, DynType type, const char *data, size_t len)
{
	out->type = type;
	out->data = data;
	out->len = len;
}

static DynEncoded
encode_text(Datum value, DynScalar *out)
{
	text	   *t = DatumGetTextPP(value);
	size_t		len = VARSIZE_ANY_EXHDR(t);
	const char *data = dyn_to_utf8_len(VARDATA_ANY(t), &len);

	if (len > MAX_ITEM_BYTES)
		return DYN_ENCODED_NOTHING;
	set_scalar(out, DYN_TYPE_S, data, len);
	return DYN_ENCODED;
}

static DynEncoded
encode_bytea(Datum value, DynScalar *out)
{
	bytea	   *b = DatumGetByteaPP(value);

	if (VARSIZE_ANY_EXHDR(b) > MAX_ITEM_BYTES)
		return DYN_ENCODED_NOTHING;
	set_scalar(out, DYN_TYPE_B, VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b));
	return DYN_ENCODED;
}

/* The decimal text of any exact number type. */
static char *
number_out(Oid valuetype, Datum value)
{
	switch (valuetype)
	{
		case INT2OID:
			return psprintf("%d", DatumGetInt16(value));
		case INT4OID:
			return psprintf("%d", DatumGetInt32(value));
		case INT8OID:
			return psprintf(INT64_FORMAT, DatumGetInt64(value));
		default:
			return DatumGetCString(DirectFunctionCall1(numeric_out, value));
	}
}

/* Can a column of an integer type have this canonical number as its value? */
static bool
is_in_integer_type(DynCodecKind kind, const char *text)
{
	int64		number;

	if (kind == DYN_CODEC_NUMERIC)
		return true;
	if (strchr(text, '.') != NULL)
		return false;
	errno = 0;
	number = strtoll(text, NULL, 10);
	return errno == 0 &&
		(kind != DYN_CODEC_INT4 ||
		 (number >= PG_INT32_MIN && number <= PG_INT32_MAX)) &&
		(kind != DYN_CODEC_INT2 ||
		 (number >= PG_INT16_MIN && number <= PG_INT16_MAX));
}

static DynEncoded
encode_number(DynCodecKind kind, Oid valuetype, Datum value, DynScalar *out)
{
	char	   *text = number_out(valuetype, value);
	char	   *buf = palloc(DYN_NUMBER_BUFSIZE);
	size_t		len;

	if (dyn_number_canonical(text, strlen(text), buf, &len) != DYN_NUMBER_OK ||
		!is_in_integer_type(kind, buf))
		return DYN_ENCODED_NOTHING;
	set_scalar(out, DYN_TYPE_N, buf, len);
	return DYN_ENCODED;
}

static DynEncoded
encode_bool(const DynCodec *codec, Datum value, DynScalar *out)
{
	bool		flag = DatumGetBool(value);

	if (codec->format.kind == DYN_FORMAT_BOOL)
	{
		const char *text = flag ? codec->format.true_text
			: codec->format.false_text;

		set_scalar(out, codec->wire, text, strlen(text));
	}
	else
		set_scalar(out, DYN_TYPE_BOOL, NULL, flag);
	return DYN_ENCODED;
}

/* The instant of a date/time value; false for infinity. */
static bool
value_instant(const DynCodec *codec, Datum value, Timestamp *instant)
{
	if (codec->kind == DYN_CODEC_DATE)
	{
		DateADT		date = DatumGetDateADT(value);

		if (DATE_NOT_FINITE(date))
			return false;
		*instant = (Timestamp) date * USECS_PER_DAY;
		return IS_VALID_TIMESTAMP(*instant);
	}
	*instant = DatumGetTimestamp(value);
	return !TIMESTAMP_NOT_FINITE(*instant);
}

static bool
instant_text(const DynCodec *codec, Timestamp instant, char *dst)
{
	if (codec->wire == DYN_TYPE_N)
		return dyn_instant_to_epoch(instant, codec->format.kind, dst);
	if (codec->format.kind == DYN_FORMAT_ISO8601_FIXED)
		return dyn_instant_to_fixed(instant, &codec->format, dst);
	Assert(codec->kind == DYN_CODEC_DATE);
	return dyn_instant_to_date(instant, dst);
}

static DynEncoded
encode_instant(const DynCodec *codec, Datum value, DynScalar *out)
{
	Timestamp	instant;
	char	   *dst = palloc(DYN_INSTANT_BUFSIZE);

	if (!value_instant(codec, value, &instant) ||
		!instant_text(codec, instant, dst))
		return DYN_ENCODED_NOTHING;
	set_scalar(out, codec->wire, dst, strlen(dst));
	return DYN_ENCODED;
}

DynEncoded
dyn_codec_encode(const DynCodec *codec, Oid valuetype, Datum value,
				 DynScalar *out)
{
	switch (codec->kind)
	{
		case DYN_CODEC_TEXT:
			if (valuetype == NAMEOID)
				value = CStringGetTextDatum(NameStr(*DatumGetName(value)));
			return encode_text(value, out);
		case DYN_CODEC_UUID:
			if (valuetype == UUIDOID)
				value = CStringGetTextDatum(DatumGetCString(DirectFunctionCall1(uuid_out, value)));
			return encode_text(value, out);
		case DYN_CODEC_INT2:
		case DYN_CODEC_INT4:
		case DYN_CODEC_INT8:
		case DYN_CODEC_NUMERIC:
			return encode_number(codec->kind, valuetype, value, out);
		case DYN_CODEC_BYTEA:
			return encode_bytea(value, out);
		case DYN_CODEC_BOOL:
			return encode_bool(codec, value, out);
		default:
			return encode_instant(codec, value, out);
	}
}

/* ---- range bounds ---- */

static DynEncoded
bound_number(Oid valuetype, Datum value, bool lower, bool *inclusive,
			 DynScalar *out)
{
	char	   *text = number_out(valuetype, value);
	char	   *buf = palloc(DYN_NUMBER_BUFSIZE);
	size_t		len;

	/* NaN is greater than every number */
	if (strcmp(text, "NaN") == 0)
		return lower ? DYN_ENCODED_NOTHING : DYN_ENCODED_ANYTHING;
	if (dyn_number_canonical(text, strlen(text), buf, &len) != DYN_NUMBER_OK)
	{
		if (!dyn_number_round(text, strlen(text),
							  lower ? DYN_ROUND_UP : DYN_ROUND_DOWN, buf, &len))
			return DYN_ENCODED_NOTHING;
		*inclusive = true;
	}
	set_scalar(out, DYN_TYPE_N, buf, len);
	return DYN_ENCODED;
}

/* One step outward, since several decimals become one binary float. */
static double
widen_float(Oid valuetype, DynCodecKind kind, double number, bool lower)
{
	double		outward = lower ? -INFINITY : INFINITY;

	if (kind == DYN_CODEC_FLOAT4)
		return nextafterf(nextafterf((float) number, outward), outward);
	return nextafter(number, outward);
}

static DynEncoded
bound_float(const DynCodec *codec, Oid valuetype, Datum value, bool lower,
			bool *inclusive, DynScalar *out)
{
	double		number = valuetype == FLOAT4OID ? DatumGetFloat4(value)
		: DatumGetFloat8(value);
	char		text[64];
	char	   *buf = palloc(DYN_NUMBER_BUFSIZE);
	size_t		len;

	if (isnan(number))
		return lower ? DYN_ENCODED_NOTHING : DYN_ENCODED_ANYTHING;
	number = widen_float(valuetype, codec->kind, number, lower);
	if (isinf(number))
		return (number > 0) == lower ? DYN_ENCODED_NOTHING
			: DYN_ENCODED_ANYTHING;
	*inclusive = true;
	snprintf(text, sizeof(text), "%.17g", number);
	if (dyn_number_canonical(text, strlen(text), buf, &len) != DYN_NUMBER_OK &&
		!dyn_number_round(text, strlen(text),
						  lower ? DYN_ROUND_UP : DYN_ROUND_DOWN, buf, &len))
		return DYN_ENCODED_NOTHING;
	set_scalar(out, DYN_TYPE_N, buf, len);
	return DYN_ENCODED;
}

/*
 * A spelling with an offset can begin with another day than the instant's in
 * UTC, by less than a day.  So the bound is a bare date, one day outward; the
 * upper one a day further, since every time of a day sorts behind its date.
 */
static DynEncoded
bound_lenient(Timestamp instant, bool lower, bool *inclusive, DynScalar *out)
{
	char	   *dst = palloc(DYN_INSTANT_BUFSIZE);

	instant += lower ? -USECS_PER_DAY : 2 * USECS_PER_DAY;
	if (!dyn_instant_to_date(instant, dst))
		return (instant < dyn_instant_min()) == lower ? DYN_ENCODED_ANYTHING
			: DYN_ENCODED_NOTHING;
	*inclusive = true;
	set_scalar(out, DYN_TYPE_S, dst, strlen(dst));
	return DYN_ENCODED;
}

/* The finest step that the spelling can tell apart, in microseconds. */
static int64
instant_step(const DynCodec *codec)
{
	int64		step = 1;

	if (codec->kind == DYN_CODEC_DATE)
		return USECS_PER_DAY;
	if (codec->format.kind == DYN_FORMAT_ISO8601_FIXED)
	{
		for (int i = codec->format.digits; i < 6; i++)
			step *= 10;
	}
	return step;
}

/* The next instant that has a spelling, in the given direction. */
static Timestamp
round_instant(Timestamp instant, int64 step, bool up, bool *moved)
{
	int64		rest = instant % step;

	if (rest < 0)
		rest += step;
	*moved = (rest != 0);
	if (rest == 0)
		return instant;
	return up ? instant + (step - rest) : instant - rest;
}

static DynEncoded
bound_instant(const DynCodec *codec, Datum value, bool lower, bool *inclusive,
			  DynScalar *out)
{
	char	   *dst = palloc(DYN_INSTANT_BUFSIZE);
	Timestamp	instant;
	bool		moved;

	if (!value_instant(codec, value, &instant))
	{
		bool		below = codec->kind == DYN_CODEC_DATE
			? DATE_IS_NOBEGIN(DatumGetDateADT(value))
			: TIMESTAMP_IS_NOBEGIN(DatumGetTimestamp(value));

		return below == lower ? DYN_ENCODED_ANYTHING : DYN_ENCODED_NOTHING;
	}
	if (!codec->canonical)
		return bound_lenient(instant, lower, inclusive, out);
	instant = round_instant(instant, instant_step(codec), lower, &moved);
	if (moved)
		*inclusive = true;
	if (!instant_text(codec, instant, dst))
		return (instant < dyn_instant_min()) == lower ? DYN_ENCODED_ANYTHING
			: DYN_ENCODED_NOTHING;
	set_scalar(out, codec->wire, dst, strlen(dst));
	return DYN_ENCODED;
}

DynEncoded
dyn_codec_encode_bound(const DynCodec *codec, Oid valuetype, Datum value,
					   bool lower, bool *inclusive, DynScalar *out)
{
	switch (codec->kind)
	{
		case DYN_CODEC_INT2:
		case DYN_CODEC_INT4:
		case DYN_CODEC_INT8:
		case DYN_CODEC_NUMERIC:
			return bound_number(valuetype, value, lower, inclusive, out);
		case DYN_CODEC_FLOAT4:
		case DYN_CODEC_FLOAT8:
			return bound_float(codec, valuetype, value, lower, inclusive, out);
		case DYN_CODEC_DATE:
		case DYN_CODEC_TIMESTAMP:
		case DYN_CODEC_TIMESTAMPTZ:
			return bound_instant(codec, value, lower, inclusive, out);
		default:
			{
				DynEncoded	done = dyn_codec_encode(codec, valuetype, value, out);

				/* too long for any item: a bound on nothing that exists */
				if (done != DYN_ENCODED)
					return DYN_ENCODED_ANYTHING;
				/* nothing sorts below the empty text */
				return !lower && !*inclusive && out->len == 0
					? DYN_ENCODED_NOTHING : DYN_ENCODED;
			}
	}
}

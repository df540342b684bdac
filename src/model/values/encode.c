/*
 * encode.c
 *		Encodes SQL values for key conditions and filters.
 *
 * DynamoDB compares stored values, so SQL values are encoded in the column's
 * format.  An equality with a value that the column cannot hold selects
 * nothing.  A range bound that cannot be stored is replaced by a value that
 * can be.  The new range contains all stored values of the original range, and
 * possibly others.  If all values that can be stored are on one side of the
 * bound, the range has all or none of them.  For some texts, no bound is sent
 * (DYN_ENCODED_UNKNOWN).  The executor handles bounds that are empty, or too
 * long for a key.
 *
 * Encoders allocate in CurrentMemoryContext.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "../../base/number.h"
#include "../../base/text.h"
#include "../../dynamodb/metadata.h"
#include "../server/encoding.h"
#include "../server/pg_compat.h"
#include "datetime.h"
#include "textforms.h"
#include "types.h"

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
			return valuetype == INT2OID || valuetype == INT4OID || valuetype == INT8OID ||
				valuetype == NUMERICOID || valuetype == FLOAT8OID;
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

bool
dyn_encode_text(Datum value, DynScalar *out)
{
	text	   *t = DatumGetTextPP(value);
	size_t		len = VARSIZE_ANY_EXHDR(t);
	const char *data = VARDATA_ANY(t);

	if (!dyn_value_to_utf8(&data, &len))
		return false;
	*out = (DynScalar) {DYN_TYPE_S, data, len};
	return true;
}

/* Encodes bytea as B, other types as S; returns false if conversion fails. */
static bool
encode_bytes(Oid valuetype, Datum value, DynScalar *out)
{
	bytea	   *b;

	switch (valuetype)
	{
		case BYTEAOID:
			b = DatumGetByteaPP(value);
			*out = (DynScalar) {DYN_TYPE_B, VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b)};
			return true;
		case NAMEOID:
			value = CStringGetTextDatum(NameStr(*DatumGetName(value)));
			break;
		case UUIDOID:
			value = CStringGetTextDatum(DatumGetCString(DirectFunctionCall1(uuid_out, value)));
			break;
	}
	return dyn_encode_text(value, out);
}

bool
dyn_is_plain_uuid(const char *text, size_t len)
{
	static const char pattern[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t		i = 0;

	while (i < len && len == sizeof(pattern) - 1 &&
		   (pattern[i] == '-' ? text[i] == '-'
			: (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f')))
		i++;
	return i == sizeof(pattern) - 1;
}

static bool
holds_bytes(const DynCodec *codec, Oid valuetype, Datum value,
			const DynScalar *encoded)
{
	text	   *t;

	if (encoded->len > DYN_MAX_ITEM_BYTES)
		return false;
	/* without a format, decode_uuid() accepts only lower-case digits */
	if (codec->kind == DYN_CODEC_UUID)
		return dyn_is_plain_uuid(encoded->data, encoded->len);
	if (codec->kind != DYN_CODEC_TEXT)
		return true;
	if (valuetype == NAMEOID)
		return dyn_codec_holds_text(codec, NameStr(*DatumGetName(value)),
									strlen(NameStr(*DatumGetName(value))));
	t = DatumGetTextPP(value);
	return dyn_codec_holds_text(codec, VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t));
}

char *
dyn_number_out(Oid valuetype, Datum value)
{
	double		number;
	char	   *digits;

	switch (valuetype)
	{
		case INT2OID:
			return psprintf("%d", DatumGetInt16(value));
		case INT4OID:
			return psprintf("%d", DatumGetInt32(value));
		case INT8OID:
			return psprintf(INT64_FORMAT, DatumGetInt64(value));
		case FLOAT8OID:
			number = DatumGetFloat8(value);
			if (isnan(number) || isinf(number))
				return float8out_internal(number);
			/* 17 digits identify the double; numeric_out prints no exponent */
			digits = psprintf("%.17g", number);
			value = NumericGetDatum(dyn_numeric_from_text(digits, strlen(digits)));
			break;
	}
	return DatumGetCString(DirectFunctionCall1(numeric_out, value));
}

static DynEncoded
encode_number(const DynCodec *codec, Oid valuetype, Datum value,
			  DynScalar *out)
{
	int			digits = codec->format.digits;
	char	   *text = dyn_number_out(valuetype, value);
	char	   *buf = palloc(DYN_NUMBER_BUFSIZE);
	size_t		len;

	if (dyn_number_canonical(text, strlen(text), buf, &len) != DYN_NUMBER_OK ||
		!dyn_codec_holds_number(codec, buf))
		return DYN_ENCODED_NOTHING;
	*out = (DynScalar) {codec->wire, buf, len};
	if (codec->format.kind != DYN_FORMAT_PADDED)
		return DYN_ENCODED;
	text = palloc(digits + 1);
	*out = (DynScalar) {codec->wire, text, digits};
	return dyn_padded_place(buf, digits, text) == DYN_PADDED_AT
		? DYN_ENCODED : DYN_ENCODED_NOTHING;
}

/* First day after the last timestamp; type date has millions of years more. */
#define END_OF_INSTANTS	(TIMESTAMP_END_JULIAN - POSTGRES_EPOCH_JDATE)

bool
dyn_value_instant(const DynCodec *codec, Datum value, Timestamp *instant)
{
	DateADT		date;

	if (codec->kind == DYN_CODEC_DATE)
	{
		date = DatumGetDateADT(value);
		*instant = DATE_IS_NOBEGIN(date) ? DT_NOBEGIN
			: date >= END_OF_INSTANTS ? DT_NOEND : date * USECS_PER_DAY;
	}
	else
		*instant = DatumGetTimestamp(value);
	return !TIMESTAMP_NOT_FINITE(*instant);
}

bool
dyn_instant_text(const DynCodec *codec, Timestamp instant, bool last, char *dst)
{
	if (codec->wire == DYN_TYPE_N)
		return dyn_instant_to_epoch(instant, &codec->format, last, dst);
	switch (codec->format.kind)
	{
		case DYN_FORMAT_PATTERN:
			return dyn_pattern_print(codec->format.pattern, instant, last, dst);
		case DYN_FORMAT_TRUNC:
			return dyn_pattern_print(codec->format.pattern,
									 dyn_trunc(&codec->format, instant), false, dst);
		case DYN_FORMAT_ULID:
			return dyn_instant_to_ulid(instant, last, dst);
		default:
			Assert(codec->kind == DYN_CODEC_DATE);
			return dyn_instant_to_date(instant, dst);
	}
}

bool
dyn_codec_is_lenient(const DynCodec *codec)
{
	return codec->format.kind == DYN_FORMAT_ISO8601 ||
		(codec->format.kind == DYN_FORMAT_NONE &&
		 codec->kind != DYN_CODEC_DATE);
}

static DynEncoded
encode_instant(const DynCodec *codec, Datum value, DynScalar *out)
{
	Timestamp	instant;
	char	   *dst = palloc(DYN_INSTANT_BUFSIZE);

	if (dyn_codec_is_lenient(codec) || !dyn_value_instant(codec, value, &instant) ||
		!dyn_codec_holds_instant(codec, instant) ||
		!dyn_instant_text(codec, instant, false, dst))
		return DYN_ENCODED_NOTHING;
	*out = (DynScalar) {codec->wire, dst, strlen(dst)};
	return DYN_ENCODED;
}

DynScalar
dyn_bool_scalar(const DynCodec *codec, bool flag)
{
	const char *word = flag ? codec->format.true_text : codec->format.false_text;

	if (codec->format.kind != DYN_FORMAT_BOOL)
		return (DynScalar) {DYN_TYPE_BOOL, NULL, flag};
	return (DynScalar) {codec->wire, word, strlen(word)};
}

DynEncoded
dyn_codec_encode(const DynCodec *codec, Oid valuetype, Datum value,
				 DynScalar *out)
{
	if (codec->format.kind == DYN_FORMAT_BASE64)
	{
		bytea	   *b = DatumGetByteaPP(value);
		size_t		len = DYN_BASE64_LEN(VARSIZE_ANY_EXHDR(b));
		char	   *dst;

		/* do not allocate a text that may be much longer than any item */
		if (len > DYN_MAX_ITEM_BYTES)
			return DYN_ENCODED_NOTHING;
		dst = palloc(Max(len, 1));
		dyn_base64_encode(VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b), dst);
		*out = (DynScalar) {DYN_TYPE_S, dst, len};
		return DYN_ENCODED;
	}
	switch (codec->kind)
	{
		case DYN_CODEC_TEXT:
		case DYN_CODEC_UUID:
		case DYN_CODEC_BYTEA:
			return encode_bytes(valuetype, value, out) &&
				holds_bytes(codec, valuetype, value, out)
				? DYN_ENCODED : DYN_ENCODED_NOTHING;
		case DYN_CODEC_INT2:
		case DYN_CODEC_INT4:
		case DYN_CODEC_INT8:
		case DYN_CODEC_NUMERIC:
			return encode_number(codec, valuetype, value, out);
		case DYN_CODEC_BOOL:
			*out = dyn_bool_scalar(codec, DatumGetBool(value));
			return DYN_ENCODED;
		default:
			return encode_instant(codec, value, out);
	}
}

/*
 * Encodes a bound that is a number in decimal text.  If DynamoDB cannot store
 * the number, a lower bound is rounded up, and an upper bound down, to the
 * nearest number that DynamoDB can store, and becomes inclusive.
 */
static DynEncoded
bound_text(const char *text, bool lower, bool *inclusive, DynScalar *out)
{
	char	   *buf = palloc(DYN_NUMBER_BUFSIZE);
	size_t		len;

	if (dyn_number_canonical(text, strlen(text), buf, &len) != DYN_NUMBER_OK)
	{
		if (!dyn_number_round(text, strlen(text),
							  lower ? DYN_ROUND_UP : DYN_ROUND_DOWN, buf, &len))
			return DYN_ENCODED_NOTHING;
		*inclusive = true;
	}
	*out = (DynScalar) {DYN_TYPE_N, buf, len};
	return DYN_ENCODED;
}

static DynEncoded
bound_padded(const DynCodec *codec, Oid valuetype, Datum value, bool lower,
			 bool *inclusive, DynScalar *out)
{
	int			digits = codec->format.digits;
	char	   *text = palloc(digits + 1);

	switch (dyn_padded_place(dyn_number_out(valuetype, value), digits, text))
	{
		case DYN_PADDED_BELOW:
			return lower ? DYN_ENCODED_ANYTHING : DYN_ENCODED_NOTHING;
		case DYN_PADDED_ABOVE:
			return lower ? DYN_ENCODED_NOTHING : DYN_ENCODED_ANYTHING;
		case DYN_PADDED_AFTER:
			*inclusive = !lower;
			break;
		case DYN_PADDED_AT:
			break;
	}
	if (!*inclusive && strspn(text, lower ? "9" : "0") == (size_t) digits)
		return DYN_ENCODED_NOTHING;
	*out = (DynScalar) {DYN_TYPE_S, text, digits};
	return DYN_ENCODED;
}

static DynEncoded
bound_float(const DynCodec *codec, Oid valuetype, Datum value, bool lower,
			bool *inclusive, DynScalar *out)
{
	double		number = valuetype == FLOAT4OID ? DatumGetFloat4(value)
		: DatumGetFloat8(value);
	double		outward = lower ? -INFINITY : INFINITY;
	char		text[64];

	if (isnan(number))
		return lower ? DYN_ENCODED_NOTHING : DYN_ENCODED_ANYTHING;
	/* decimals beyond the bound may be rounded to it, so move it outward */
	number = codec->kind == DYN_CODEC_FLOAT4
		? nextafterf(nextafterf((float) number, outward), outward)
		: nextafter(number, outward);
	if (isinf(number))
		return (number > 0) == lower ? DYN_ENCODED_NOTHING
			: DYN_ENCODED_ANYTHING;
	*inclusive = true;
	snprintf(text, sizeof(text), "%.17g", number);
	return bound_text(text, lower, inclusive, out);
}

/* Rounds an instant up or down to one that the format can represent. */
static Timestamp
round_instant(const DynCodec *codec, Timestamp instant, bool up)
{
	int64		step = codec->kind == DYN_CODEC_DATE ? USECS_PER_DAY
		: codec->format.kind == DYN_FORMAT_ULID ? 1000 : 1;
	int64		rest;

	if (codec->format.kind == DYN_FORMAT_PATTERN)
		return dyn_pattern_round(codec->format.pattern, instant, up);
	if (codec->kind != DYN_CODEC_DATE && codec->format.kind == DYN_FORMAT_EPOCH)
	{
		for (int i = codec->format.digits; i < 6; i++)
			step *= 10;
	}
	rest = instant % step;
	if (rest < 0)
		rest += step;
	return up && rest > 0 ? instant + (step - rest) : instant - rest;
}

/*
 * Encodes a bound that is a time.  If the time has several encodings, >= and <
 * use the first encoding as the bound, and > and <= use the last.
 */
static DynEncoded
bound_instant(const DynCodec *codec, Datum value, bool lower, bool *inclusive,
			  DynScalar *out)
{
	char	   *dst = palloc(DYN_INSTANT_BUFSIZE);
	Timestamp	first = DYN_INSTANT_MIN;
	Timestamp	instant,
				rounded;
	bool		encoded;

	if (!dyn_value_instant(codec, value, &instant))
		return TIMESTAMP_IS_NOBEGIN(instant) == lower ? DYN_ENCODED_ANYTHING
			: DYN_ENCODED_NOTHING;
	if (dyn_codec_is_lenient(codec))
	{
		/*
		 * The date in a text with a UTC offset may be one day earlier or later
		 * than the date in UTC, so each bound is moved outward by one day.  An
		 * upper bound is moved by a second day, because the text of a time
		 * sorts after the text of its date.
		 */
		instant += lower ? -USECS_PER_DAY : 2 * USECS_PER_DAY;
		*inclusive = true;
		encoded = dyn_instant_to_date(instant, dst);
	}
	else if (dyn_codec_truncates(codec))
	{
		/* find the day, or other unit, of the range's first or last instant */
		if (!*inclusive)
			instant += (lower ? 1 : -1) *
				(codec->kind == DYN_CODEC_DATE ? USECS_PER_DAY : 1);
		*inclusive = true;
		/* from here on, both `instant` and `first` are local times */
		instant = dyn_trunc_bound(&codec->format, instant, lower);
		encoded = dyn_pattern_print(codec->format.pattern, instant, false, dst);
	}
	else
	{
		rounded = round_instant(codec, instant, lower);
		if (rounded != instant)
			*inclusive = true;
		encoded = dyn_instant_text(codec, rounded, *inclusive != lower, dst);
		if (codec->format.kind == DYN_FORMAT_ULID)
			first = DYN_INSTANT_1970;
	}
	/* the instant is before the format's first value, or after its last */
	if (!encoded)
		return (instant < first) == lower ? DYN_ENCODED_ANYTHING
			: DYN_ENCODED_NOTHING;
	*out = (DynScalar) {codec->wire, dst, strlen(dst)};
	return DYN_ENCODED;
}

/*
 * Encodes a bound that is text or bytea.  A bound longer than an item is
 * truncated to the maximum size of an item, because no stored value is between
 * the two.  But if the truncated bound would end within a character, and this
 * character is removed, a stored value may be between the two bounds, so an
 * upper bound is not encoded.
 */
static DynEncoded
bound_bytes(Oid valuetype, Datum value, bool lower, bool *inclusive,
			DynScalar *out)
{
	if (!encode_bytes(valuetype, value, out))
		return DYN_ENCODED_UNKNOWN;
	/* nothing sorts before an empty value */
	if (out->len <= DYN_MAX_ITEM_BYTES)
		return !lower && !*inclusive && out->len == 0
			? DYN_ENCODED_NOTHING : DYN_ENCODED;
	if (out->type == DYN_TYPE_S)
		out->len = pg_encoding_mbcliplen(PG_UTF8, out->data, out->len, DYN_MAX_ITEM_BYTES);
	else
		out->len = DYN_MAX_ITEM_BYTES;
	if (!lower && out->len < DYN_MAX_ITEM_BYTES)
		return DYN_ENCODED_UNKNOWN;
	*inclusive = !lower;
	return DYN_ENCODED;
}

DynEncoded
dyn_codec_encode_bound(const DynCodec *codec, Oid valuetype, Datum value,
					   bool lower, bool *inclusive, DynScalar *out)
{
	char	   *number;

	/*
	 * The comparison rounds column values to double precision.  All values that
	 * it rounds to the bound are between the two doubles next to the bound.
	 */
	if (valuetype == FLOAT8OID &&
		(codec->kind == DYN_CODEC_NUMERIC ||
		 (codec->kind == DYN_CODEC_INT8 &&
		  fabs(DatumGetFloat8(value)) >= DYN_EXACT_DOUBLES)))
	{
		double		neighbor = nextafter(DatumGetFloat8(value), lower ? -INFINITY : INFINITY);

		if (isinf(neighbor))
			return (neighbor < 0) == lower ? DYN_ENCODED_ANYTHING : DYN_ENCODED_NOTHING;
		value = Float8GetDatum(neighbor);
		*inclusive = true;
	}
	if (codec->format.kind == DYN_FORMAT_PADDED)
		return bound_padded(codec, valuetype, value, lower, inclusive, out);
	switch (codec->kind)
	{
		case DYN_CODEC_INT2:
		case DYN_CODEC_INT4:
		case DYN_CODEC_INT8:
		case DYN_CODEC_NUMERIC:
			number = dyn_number_out(valuetype, value);
			/* NaN is greater than every number */
			if (strcmp(number, "NaN") == 0)
				return lower ? DYN_ENCODED_NOTHING : DYN_ENCODED_ANYTHING;
			return bound_text(number, lower, inclusive, out);
		case DYN_CODEC_FLOAT4:
		case DYN_CODEC_FLOAT8:
			return bound_float(codec, valuetype, value, lower, inclusive, out);
		case DYN_CODEC_DATE:
		case DYN_CODEC_TIMESTAMP:
		case DYN_CODEC_TIMESTAMPTZ:
			return bound_instant(codec, value, lower, inclusive, out);
		default:
			return bound_bytes(valuetype, value, lower, inclusive, out);
	}
}

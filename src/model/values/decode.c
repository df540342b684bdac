/*
 * decode.c
 *		Decodes DynamoDB's values.
 *
 * Encoding is in encode.c and encode_value.c, jsonb in jsonvalue.c, and dates
 * and times are in datetime.c.
 *
 * Decoders allocate in CurrentMemoryContext.  They return false for a value
 * that the column cannot hold.  If an input function or a domain rejects the
 * value, they raise an error unless `soft` is true (but see decode_any_form).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/xml.h"

#include "../../base/number.h"
#include "../../base/text.h"
#include "../../dynamodb/elements.h"
#include "../server/encoding.h"
#include "../server/pg_compat.h"
#include "datetime.h"
#include "textforms.h"
#include "types.h"

static bool
mismatch(const char **why, const char *reason)
{
	*why = reason;
	return false;
}

static bool
wrong_type(const DynCodec *codec, const DynValue *value, const char **why)
{
	*why = psprintf("it has DynamoDB type %s, which %s does not accept", dyn_type_name(value->type),
					codec->format.text != NULL && codec->element == NULL
					? psprintf("format \"%s\"", codec->format.text)
					: psprintf("type %s", format_type_be(codec->typid)));
	return false;
}

/* Gets the NUL-terminated text of an S value, in the database's encoding. */
static bool
value_cstring(const DynValue *value, char **result, size_t *len,
			  const char **why)
{
	char	   *text;

	if (value->flags & DYN_VALUE_HAS_NUL)
		return mismatch(why, "it contains the character U+0000, which PostgreSQL's text types cannot represent");
	text = palloc(value->len + 1);
	*len = dyn_value_text(value, text);
	text[*len] = '\0';
	if (!dyn_from_utf8(&text, len, why))
		return false;
	*result = text;
	return true;
}

static bool
check_length(const DynCodec *codec, const char *content, size_t len, const char **why)
{
	return dyn_codec_holds_text(codec, content, len) ||
		mismatch(why, psprintf("it is longer than %d characters",
							   codec->typmod - VARHDRSZ));
}

static bool
decode_text(DynCodec *codec, const DynValue *value, bool soft,
			Datum *result, const char **why)
{
	text	   *t;
	size_t		len;

	if (value->flags & DYN_VALUE_HAS_NUL || dyn_encoding_differs())
	{
		char	   *cstring;

		if (!value_cstring(value, &cstring, &len, why))
			return false;
		t = cstring_to_text_with_len(cstring, len);
	}
	else
	{
		t = palloc(VARHDRSZ + value->len);
		if (value->flags & DYN_VALUE_ESCAPED)
			len = dyn_value_text(value, VARDATA(t));
		else
		{
			len = value->len;
			memcpy(VARDATA(t), value->data, len);
		}
		SET_VARSIZE(t, VARHDRSZ + len);
	}
	*result = PointerGetDatum(t);
	return check_length(codec, VARDATA(t), len, why);
}

/*
 * Decodes with the type's input function.  For char(n), the input function
 * only adds blanks and cannot fail, because the length is checked first.
 * Accepts any XML content, also in a composite, whatever value xmloption has.
 */
static bool
decode_input(DynCodec *codec, const DynValue *value, bool soft,
			 Datum *result, const char **why)
{
	bool		is_bpchar = (codec->kind == DYN_CODEC_BPCHAR);
	bool		ok = true;
	char	   *cstring;
	size_t		len;
	int			level = 0;

	if (!value_cstring(value, &cstring, &len, why) ||
		(is_bpchar && !check_length(codec, cstring, len, why)))
		return false;
	if (xmloption != XMLOPTION_CONTENT)
	{
		level = NewGUCNestLevel();
		dyn_set_parameter("xmloption", "content");
	}
	if (soft && !is_bpchar)
		ok = dyn_input_or_why(&codec->input, cstring, codec->ioparam,
							  codec->typmod, soft, result, why);
	else
		*result = InputFunctionCall(&codec->input, cstring, codec->ioparam,
									codec->typmod);
	if (level > 0)
		AtEOXact_GUC(true, level);
	return ok;
}

/*
 * If the format is 'json' or 'string', calls the type's input function.  With
 * 'string', the text may be a number that N cannot hold, such as 1E200 or NaN.
 * If this function returns false and `soft` is false, the caller must raise an
 * error (see dyn_input_or_why).
 */
static bool
decode_any_form(DynCodec *codec, const DynValue *value, bool soft,
				Datum *result, const char **why)
{
	char	   *cstring;
	size_t		len;
	bool		is_json = (codec->format.kind == DYN_FORMAT_JSON);

	if ((codec->format.kind != DYN_FORMAT_STRING && !is_json) ||
		!value_cstring(value, &cstring, &len, why))
		return false;
	return dyn_input_or_why(&codec->input, cstring, codec->ioparam, -1, soft, result, why) ||
		mismatch(why, is_json
				 ? psprintf("it is not JSON text that jsonb can represent: %s", *why)
				 : psprintf("it is not a valid text of type %s",
							format_type_be(codec->basetype)));
}

static bool
decode_uuid(DynCodec *codec, const DynValue *value, bool soft,
			Datum *result, const char **why)
{
	char		text[37] = "";

	if (codec->format.kind == DYN_FORMAT_STRING)
		return decode_any_form(codec, value, soft, result, why);
	if (!dyn_is_plain_uuid(value->data, value->len))
		return mismatch(why, "it is not a uuid in lower case with hyphens");
	memcpy(text, value->data, value->len);
	*result = DirectFunctionCall1(uuid_in, CStringGetDatum(text));
	return true;
}

/*
 * Writes the canonical text of a number to `buf`.  With the format 'string',
 * blanks may surround the number.
 */
static bool
number_text(const DynCodec *codec, const DynValue *value, char *buf,
			size_t *len, const char **why)
{
	const char *p = value->data;
	const char *end = p + value->len;

	if (codec->format.kind == DYN_FORMAT_STRING)
	{
		while (p < end && *p == ' ')
			p++;
		while (p < end && end[-1] == ' ')
			end--;
	}
	if (dyn_number_canonical(p, end - p, buf, len) == DYN_NUMBER_OK)
		return true;
	return mismatch(why, "it is not a valid DynamoDB number");
}

static bool
are_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p == end;
}

/* Checks the text of a number with the format 'padded' or 'digits'. */
static bool
check_digits(const DynCodec *codec, const DynValue *value, const char **why)
{
	const char *p = value->data;
	const char *end = p + value->len;

	if (codec->format.kind == DYN_FORMAT_PADDED)
		return (end - p == codec->format.digits && are_digits(p, end)) ||
			mismatch(why, psprintf("it does not have exactly %d digits",
								   codec->format.digits));
	if (codec->format.kind != DYN_FORMAT_DIGITS)
		return true;
	if (p < end && *p == '-')
		p++;
	if (p < end && *p == '0' && value->len > 1)
		return mismatch(why, "it has a leading zero");
	return (p < end && are_digits(p, end)) || mismatch(why, "it is not an integer");
}

/* Parses up to 18 plain digits with an optional minus sign (fast path). */
static bool
plain_integer(const char *p, size_t len, int64 *result)
{
	const char *end = p + len;
	bool		negative = (len > 0 && *p == '-');
	int64		number = 0;

	p += negative;
	if (p == end || end - p > 18)
		return false;
	for (; p < end; p++)
	{
		if (*p < '0' || *p > '9')
			return false;
		number = number * 10 + (*p - '0');
	}
	*result = negative ? -number : number;
	return true;
}

Datum
dyn_codec_integer(const DynCodec *codec, int64 number)
{
	Assert(dyn_codec_is_integer(codec));
	return codec->kind == DYN_CODEC_INT2 ? Int16GetDatum((int16) number)
		: codec->kind == DYN_CODEC_INT4 ? Int32GetDatum((int32) number)
		: Int64GetDatum(number);
}

static bool
decode_integer(DynCodec *codec, const DynValue *value, bool soft,
			   Datum *result, const char **why)
{
	const DynCodecFacts *facts = &dyn_codec_facts[codec->kind];
	char		buf[DYN_NUMBER_BUFSIZE];
	size_t		len;
	int64		number;
	bool		overflows = false;

	if (codec->format.kind != DYN_FORMAT_NONE && !check_digits(codec, value, why))
		return false;
	if (!plain_integer(value->data, value->len, &number))
	{
		if (!number_text(codec, value, buf, &len, why))
			return false;
		if (memchr(buf, '.', len) != NULL)
			return mismatch(why, "it is not an integer");
		errno = 0;
		number = strtoll(buf, NULL, 10);
		overflows = errno != 0;
	}
	if (overflows || number < facts->least || number > facts->most)
		return mismatch(why, psprintf("it is out of range for type %s",
									  format_type_be(codec->typid)));
	*result = dyn_codec_integer(codec, number);
	return true;
}

static bool
decode_numeric(DynCodec *codec, const DynValue *value, bool soft,
			   Datum *result, const char **why)
{
	char		buf[DYN_NUMBER_BUFSIZE];
	const char *plain = buf;
	size_t		len;
	Numeric		number;

	if (codec->format.kind != DYN_FORMAT_NONE && !check_digits(codec, value, why))
		return false;
	if (codec->typmod < 0 && (number = dyn_plain_numeric(value->data, value->len)) != NULL)
	{
		*result = NumericGetDatum(number);
		return true;
	}
	if (number_text(codec, value, buf, &len, why))
		*result = NumericGetDatum(dyn_numeric_from_text(buf, len));
	else if (decode_any_form(codec, value, soft, result, why))
		plain = numeric_normalize(DatumGetNumeric(*result));
	else
		return false;
	number = DatumGetNumeric(*result);
	if (codec->typmod < 0 || numeric_is_nan(number))
		return true;
	if (numeric_is_inf(number) || !dyn_codec_holds_number(codec, plain))
		return mismatch(why, psprintf("%s cannot represent it without rounding",
									  format_type_with_typemod(NUMERICOID, codec->typmod)));
	/* pad to the scale of the typmod */
	*result = DirectFunctionCall2(numeric, *result, Int32GetDatum(codec->typmod));
	return true;
}

static bool
decode_float(DynCodec *codec, const DynValue *value, bool soft,
			 Datum *result, const char **why)
{
	char		buf[DYN_NUMBER_BUFSIZE];
	size_t		len;
	float		number;

	if (!number_text(codec, value, buf, &len, why))
		return decode_any_form(codec, value, soft, result, why);
	if (codec->kind == DYN_CODEC_FLOAT8)
	{
		/* DynamoDB's limits, 1E-130 and 1E126, are within a double's range */
		*result = Float8GetDatum(strtod(buf, NULL));
		return true;
	}
	number = strtof(buf, NULL);
	if (isinf(number) || (number == 0 && strcmp(buf, "0") != 0))
		return mismatch(why, "it is out of range for type real");
	*result = Float4GetDatum(number);
	return true;
}

/* Returns true if the text, which may contain U+0000, is this word. */
static bool
text_is(const char *content, size_t len, const char *word)
{
	return len == strlen(word) && memcmp(content, word, len) == 0;
}

static bool
decode_bool(DynCodec *codec, const DynValue *value, bool soft,
			Datum *result, const char **why)
{
	static const char *const words[][2] = {
		{"t", "f"}, {"true", "false"}, {"Y", "N"}
	};
	const DynFormat *format = &codec->format;
	bool		yes = false,
				no = false;

	if (format->kind == DYN_FORMAT_BOOL)
	{
		char	   *buf = palloc(Max(value->len, DYN_NUMBER_BUFSIZE));
		size_t		len;

		if (!format->numeric)
			len = dyn_value_text(value, buf);
		else if (!number_text(codec, value, buf, &len, why))
			return false;
		yes = text_is(buf, len, format->true_text);
		no = text_is(buf, len, format->false_text);
	}
	else if (value->type == DYN_TYPE_BOOL)
	{
		yes = (value->flags & DYN_VALUE_TRUE) != 0;
		no = !yes;
	}
	else if (value->type == DYN_TYPE_N)
	{
		yes = text_is(value->data, value->len, "1");
		no = text_is(value->data, value->len, "0");
	}
	else if (value->type == DYN_TYPE_S)
	{
		for (int i = 0; i < lengthof(words); i++)
		{
			yes |= text_is(value->data, value->len, words[i][0]);
			no |= text_is(value->data, value->len, words[i][1]);
		}
	}
	else
		return wrong_type(codec, value, why);
	*result = BoolGetDatum(yes);
	return yes || no ||
		mismatch(why, format->kind == DYN_FORMAT_BOOL
				 ? "it is neither of the two texts of format \"bool\""
				 : "it is not a valid text of a Boolean");
}

static bool
decode_bytea(DynCodec *codec, const DynValue *value, bool soft,
			 Datum *result, const char **why)
{
	bytea	   *b = palloc(VARHDRSZ + dyn_value_bytes_max(value));
	unsigned char *bytes = (unsigned char *) VARDATA(b);
	long		len = dyn_value_bytes(value, bytes);
	long		last = (len - 1) / 3 * 3;
	char		again[4];

	/* unused bits of the last group must be 0, so that encodings are unique */
	if (len > 0 && codec->format.kind == DYN_FORMAT_BASE64)
	{
		dyn_base64_encode(bytes + last, len - last, again);
		if (memcmp(again, value->data + value->len - 4, 4) != 0)
			len = -1;
	}
	if (len < 0)
		return mismatch(why, "it is not valid base64");
	SET_VARSIZE(b, VARHDRSZ + len);
	*result = PointerGetDatum(b);
	return true;
}

static bool
parse_instant(const DynCodec *codec, const DynValue *value, Timestamp *instant,
			  const char **why)
{
	const char *text = value->data;
	size_t		len = value->len;
	DynFormat	finest = codec->format;
	Timestamp	other;
	bool		ok;

	if (codec->wire == DYN_TYPE_N)
		ok = dyn_instant_from_epoch(text, len, &codec->format, instant);
	else if (codec->format.kind == DYN_FORMAT_PATTERN)
		ok = dyn_pattern_scan(codec->format.pattern, text, len, instant);
	else if (codec->format.kind == DYN_FORMAT_ULID)
		ok = dyn_instant_from_ulid(text, len, instant);
	else
		ok = dyn_instant_from_iso(text, len, instant);
	if (ok || codec->wire != DYN_TYPE_N)
		return ok || mismatch(why, codec->format.kind == DYN_FORMAT_NONE
							  ? "it is not a valid date or time of the form YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS"
							  : psprintf("it does not match format \"%s\"",
										 codec->format.text));
	/* find out whether too many fractional digits are the only error */
	finest.digits = 9;
	return mismatch(why, finest.kind == DYN_FORMAT_EPOCH &&
					dyn_instant_from_epoch(text, len, &finest, &other)
					? "it has more fractional digits than its format; epoch(9) allows nine"
					: "it is not a valid time in the unit of the format");
}

static bool
decode_instant(DynCodec *codec, const DynValue *value, bool soft,
			   Datum *result, const char **why)
{
	bool		is_date = (codec->kind == DYN_CODEC_DATE);
	Timestamp	instant;

	if (is_date && codec->format.kind == DYN_FORMAT_NONE && value->len != 10)
		return mismatch(why, "it is not in the format YYYY-MM-DD");
	if (!parse_instant(codec, value, &instant, why))
		return false;
	if (is_date && instant % USECS_PER_DAY != 0)
		return mismatch(why, "it has a time of day");
	if (!dyn_codec_holds_instant(codec, instant))
		return mismatch(why, "it has more fractional digits than the column's type allows");
	*result = is_date ? DateADTGetDatum((DateADT) (instant / USECS_PER_DAY))
		: TimestampGetDatum(instant);
	return true;
}

static bool
decode_json(DynCodec *codec, const DynValue *value, bool soft,
			Datum *result, const char **why)
{
	Jsonb	   *jsonb;

	if (!dyn_value_to_jsonb(value, &codec->members, result, why))
		return false;
	if (codec->kind == DYN_CODEC_JSON)
	{
		jsonb = DatumGetJsonbP(*result);
		*result = CStringGetTextDatum(JsonbToCString(NULL, &jsonb->root,
													 VARSIZE(jsonb)));
	}
	return true;
}

static bool
decode_array(DynCodec *codec, const DynValue *value, bool soft,
			 Datum *result, const char **why)
{
	Oid			elemtype;
	ArrayBuildState *state;
	DynElements elements;

	if (value->type == DYN_TYPE_M || value->type < DYN_TYPE_SS)
		return wrong_type(codec, value, why);
	elemtype = codec->element->typid;
	state = initArrayResult(elemtype, CurrentMemoryContext, false);
	dyn_elements_begin(&elements, value);
	while (dyn_elements_next(&elements))
	{
		Datum		element = (Datum) 0;
		bool		isnull = (elements.value.type == DYN_TYPE_NULL);

		if (isnull ? codec->element->is_domain &&
			!dyn_codec_check_domain(codec->element, element, true, soft, why)
			: !dyn_codec_decode(codec->element, &elements.value, soft, &element, why))
			return mismatch(why, psprintf("invalid element: %s", *why));
		accumArrayResult(state, element, isnull, elemtype, CurrentMemoryContext);
	}
	*result = makeArrayResult(state, CurrentMemoryContext);
	return true;
}

/* Decoders; `plain` is true if the decoder expects text without JSON escapes. */
static const struct
{
	bool		(*decode) (DynCodec *codec, const DynValue *value, bool soft,
						   Datum *result, const char **why);
	bool		plain;
}			decoders[] = {
	[DYN_CODEC_TEXT] = {decode_text, false},
	[DYN_CODEC_BPCHAR] = {decode_input, false},
	[DYN_CODEC_UUID] = {decode_uuid, true},
	[DYN_CODEC_INT2] = {decode_integer, true},
	[DYN_CODEC_INT4] = {decode_integer, true},
	[DYN_CODEC_INT8] = {decode_integer, true},
	[DYN_CODEC_NUMERIC] = {decode_numeric, true},
	[DYN_CODEC_FLOAT4] = {decode_float, true},
	[DYN_CODEC_FLOAT8] = {decode_float, true},
	[DYN_CODEC_BOOL] = {decode_bool, true},
	[DYN_CODEC_BYTEA] = {decode_bytea, true},
	[DYN_CODEC_DATE] = {decode_instant, true},
	[DYN_CODEC_TIMESTAMP] = {decode_instant, true},
	[DYN_CODEC_TIMESTAMPTZ] = {decode_instant, true},
	[DYN_CODEC_JSON] = {decode_json, false},
	[DYN_CODEC_JSONB] = {decode_json, false},
	[DYN_CODEC_JSON_TEXT] = {decode_any_form, false},
	[DYN_CODEC_ARRAY] = {decode_array, false},
	[DYN_CODEC_INPUT] = {decode_input, false},
};

bool
dyn_codec_decode(DynCodec *codec, const DynValue *value, bool soft,
				 Datum *result, const char **why)
{
	DynValue	plain;

	if (codec->wire != DYN_TYPE_ABSENT && value->type != codec->wire)
		return wrong_type(codec, value, why);
	if ((value->flags & DYN_VALUE_ESCAPED) && value->type == DYN_TYPE_S &&
		decoders[codec->kind].plain)
	{
		char	   *unescaped = palloc(value->len);

		plain = *value;
		plain.data = unescaped;
		plain.len = (uint32) dyn_value_text(value, unescaped);
		plain.flags &= ~DYN_VALUE_ESCAPED;
		value = &plain;
	}
	if (!decoders[codec->kind].decode(codec, value, soft, result, why))
		return false;
	return !codec->is_domain || dyn_codec_check_domain(codec, *result, false, soft, why);
}

bool
dyn_codec_holds(DynCodec *codec, const DynValue *value, const char **why)
{
	Datum		datum;

	/* do not copy a text that can always be decoded */
	if (codec->kind == DYN_CODEC_TEXT && value->type == DYN_TYPE_S &&
		!(value->flags & DYN_VALUE_HAS_NUL) && codec->typmod < 0 &&
		!codec->is_domain && !dyn_encoding_differs())
		return true;
	return dyn_codec_decode(codec, value, true, &datum, why);
}

/*
 * encode_value.c
 *		Encodes SQL values to be stored.
 *
 * If a value has several encodings, the usual one is stored.  Numbers are as
 * short as possible, jsonb has the DynamoDB types that correspond to the types
 * of JSON, and times are in UTC with 0, 3 or 6 fractional digits.
 *
 * The encoding of a list, map or set is JSON without the outer DynamoDB type:
 * [...] instead of {"L": [...]}.  The functions of wire.h add the type.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/float.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "../../base/number.h"
#include "../../base/text.h"
#include "../../dynamodb/metadata.h"
#include "../server/encoding.h"
#include "../server/memory.h"
#include "datetime.h"
#include "path.h"
#include "textforms.h"
#include "types.h"

/* Maximum nesting of lists and maps (developer guide, "Constraints"). */
#define MAX_NESTING		32

static const char date_hint[] =
"Truncate the value with date_trunc(), or use a format or type with more fractional digits.";

int
dyn_codec_remedy(const DynCodec *codec, const char **hint)
{
	*hint = NULL;
	if (dyn_codec_is_instant(codec))
	{
		*hint = date_hint;
		return ERRCODE_DATETIME_FIELD_OVERFLOW;
	}
	if (codec->kind >= DYN_CODEC_INT2 && codec->kind <= DYN_CODEC_FLOAT8)
		return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
	return ERRCODE_INVALID_PARAMETER_VALUE;
}

static bool
refuse(DynStoreError *err, int sqlstate, const char *why, const char *hint)
{
	err->sqlstate = sqlstate;
	err->why = why;
	err->hint = hint;
	return false;
}

static bool
store_bytes(const char *data, size_t len, DynScalar *out, DynStoreError *err)
{
	if (!dyn_value_to_utf8(&data, &len))
		return refuse(err, ERRCODE_UNTRANSLATABLE_CHARACTER,
					  "it cannot be converted to UTF-8, or is too long for an item", NULL);
	*out = (DynScalar) {DYN_TYPE_S, data, len};
	return true;
}

static bool
store_text(DynCodec *codec, Datum value, DynScalar *out, DynStoreError *err)
{
	text	   *t = DatumGetTextPP(value);
	const char *data = VARDATA_ANY(t);
	size_t		len = VARSIZE_ANY_EXHDR(t);

	/* strip the padding of char(n), which decoding adds again */
	while (codec->kind == DYN_CODEC_BPCHAR && len > 0 && data[len - 1] == ' ')
		len--;
	return store_bytes(data, len, out, err);
}

static bool
store_uuid(DynCodec *codec, Datum value, DynScalar *out, DynStoreError *err)
{
	char	   *text = DatumGetCString(DirectFunctionCall1(uuid_out, value));

	*out = (DynScalar) {DYN_TYPE_S, text, strlen(text)};
	return true;
}

void
dyn_set_parameter(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/*
 * Sets the GUCs that affect output functions, so that input functions can read
 * the text in every session.  Returns the level for AtEOXact_GUC().
 */
static int
set_portable_output(Oid type)
{
	static const Oid names[] = {REGPROCOID, REGPROCEDUREOID, REGOPEROID, REGOPERATOROID,
	REGCLASSOID, REGTYPEOID, REGCONFIGOID, REGDICTIONARYOID, REGCOLLATIONOID};
	bool		qualifies = type_is_rowtype(type);	/* fields may print names */
	int			level = NewGUCNestLevel();

	if (DateStyle != USE_ISO_DATES)
		dyn_set_parameter("datestyle", "ISO");
	if (IntervalStyle != INTSTYLE_POSTGRES)
		dyn_set_parameter("intervalstyle", "postgres");
	if (extra_float_digits < 1)
		dyn_set_parameter("extra_float_digits", "1");
	for (int i = 0; i < lengthof(names); i++)
		qualifies |= type == names[i];
	if (qualifies)
		dyn_set_parameter("search_path", "pg_catalog");
	return level;
}

static bool
store_input(DynCodec *codec, Datum value, DynScalar *out, DynStoreError *err)
{
	char	   *text;
	int			level;

	if (!OidIsValid(codec->output.fn_oid))
	{
		Oid			function;
		bool		varlena;

		getTypeOutputInfo(codec->basetype, &function, &varlena);
		fmgr_info_cxt(function, &codec->output, codec->context);
	}
	level = set_portable_output(codec->basetype);
	text = OutputFunctionCall(&codec->output, value);
	AtEOXact_GUC(true, level);
	return store_bytes(text, strlen(text), out, err);
}

static bool
store_decimal(const char *text, DynScalar *out, DynStoreError *err)
{
	char	   *buf = palloc(DYN_NUMBER_BUFSIZE);
	size_t		len;

	switch (dyn_number_canonical(text, strlen(text), buf, &len))
	{
		case DYN_NUMBER_OK:
			*out = (DynScalar) {DYN_TYPE_N, buf, len};
			return true;
		case DYN_NUMBER_PRECISION:
			return refuse(err, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
						  "it has more than 38 significant digits, the maximum in DynamoDB",
						  "Round the value, for example with round().");
		case DYN_NUMBER_SYNTAX:
			return refuse(err, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
						  psprintf("it is %s, which DynamoDB cannot represent", text), NULL);
		default:
			return refuse(err, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
						  "it is outside of the range of DynamoDB numbers, from 1E-130 to 9.99E+125", NULL);
	}
}

static bool
store_number(DynCodec *codec, Datum value, DynScalar *out, DynStoreError *err)
{
	char		text[DOUBLE_SHORTEST_DECIMAL_LEN + 32];
	const char *decimal = text;

	switch (codec->kind)
	{
		case DYN_CODEC_FLOAT4:
			float_to_shortest_decimal_buf(DatumGetFloat4(value), text);
			break;
		case DYN_CODEC_FLOAT8:
			double_to_shortest_decimal_buf(DatumGetFloat8(value), text);
			break;
		default:
			decimal = dyn_number_out(codec->basetype, value);
			break;
	}
	if (!store_decimal(decimal, out, err))
	{
		if (codec->format.kind != DYN_FORMAT_STRING)
			return false;
		*out = (DynScalar) {DYN_TYPE_S, pstrdup(decimal), strlen(decimal)};
	}
	if (codec->format.kind == DYN_FORMAT_PADDED)
	{
		char	   *padded = palloc(codec->format.digits + 1);

		if (dyn_padded_place(out->data, codec->format.digits, padded) != DYN_PADDED_AT)
			return refuse(err, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
						  psprintf("it is not an integer from 0 on with at most %d digits",
								   codec->format.digits), NULL);
		*out = (DynScalar) {DYN_TYPE_S, padded, codec->format.digits};
	}
	out->type = codec->wire;
	return true;
}

static bool
store_bool(DynCodec *codec, Datum value, DynScalar *out, DynStoreError *err)
{
	*out = dyn_bool_scalar(codec, DatumGetBool(value));
	return true;
}

static bool
store_bytea(DynCodec *codec, Datum value, DynScalar *out, DynStoreError *err)
{
	bytea	   *b = DatumGetByteaPP(value);
	const char *data = VARDATA_ANY(b);
	size_t		len = VARSIZE_ANY_EXHDR(b);

	if (codec->format.kind == DYN_FORMAT_BASE64)
	{
		char	   *text = palloc(DYN_BASE64_LEN(len) + 1);

		dyn_base64_encode(data, len, text);
		*out = (DynScalar) {DYN_TYPE_S, text, DYN_BASE64_LEN(len)};
	}
	else
		*out = (DynScalar) {DYN_TYPE_B, data, len};
	return true;
}

/*
 * Prints an instant in the column's format; returns false if the format cannot
 * represent it.  Prints 0, 3 or 6 fractional digits if any number is allowed.
 */
static bool
print_instant(const DynCodec *codec, Timestamp instant, char *dst)
{
	int			digits = instant % USECS_PER_SEC == 0 ? 0 : instant % 1000 == 0 ? 3 : 6;

	/* we can decode fractions of a ms, but other applications may not */
	if (codec->format.kind == DYN_FORMAT_EPOCH_MS && digits == 6)
		return false;
	if (codec->kind != DYN_CODEC_DATE && dyn_codec_is_lenient(codec))
		return dyn_pattern_print(dyn_pattern_of_iso8601(digits, "Z"), instant, false, dst);
	return dyn_instant_text(codec, instant, false, dst);
}

static bool
store_instant(DynCodec *codec, Datum value, DynScalar *out, DynStoreError *err)
{
	char	   *text = palloc(DYN_INSTANT_BUFSIZE);
	bool		is_date = (codec->kind == DYN_CODEC_DATE);
	Timestamp	instant;

	if (is_date ? DATE_NOT_FINITE(DatumGetDateADT(value))
		: TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value)))
		return refuse(err, ERRCODE_DATETIME_FIELD_OVERFLOW,
					  "it is infinity, which has no representation in DynamoDB", NULL);
	if (codec->format.kind == DYN_FORMAT_ULID || dyn_format_truncates(&codec->format))
		return refuse(err, ERRCODE_FEATURE_NOT_SUPPORTED,
					  "its format contains more than the time",
					  "Assign the value to another column with the same attribute.");
	if (is_date && !IS_VALID_DATE(DatumGetDateADT(value)))
		return refuse(err, ERRCODE_DATETIME_FIELD_OVERFLOW, "it is out of range", NULL);
	if (!dyn_value_instant(codec, value, &instant))
		return refuse(err, ERRCODE_DATETIME_FIELD_OVERFLOW,
					  "its format cannot represent it", NULL);
	if (print_instant(codec, instant, text))
	{
		*out = (DynScalar) {codec->wire, text, strlen(text)};
		return true;
	}
	if (codec->wire == DYN_TYPE_S &&
		(instant < DYN_INSTANT_MIN || instant > DYN_INSTANT_MAX))
		return refuse(err, ERRCODE_DATETIME_FIELD_OVERFLOW,
					  "its year is not from 0001 to 9999", NULL);
	return refuse(err, ERRCODE_DATETIME_FIELD_OVERFLOW,
				  "its format would have to round it", date_hint);
}

static void
set_buffer(DynScalar *out, DynType type, const DynBuffer *buf)
{
	dyn_check_oom(buf->failed);
	*out = (DynScalar) {type, buf->data, buf->len};
}

static bool
store_json_scalar(const JsonbValue *value, DynScalar *out, DynStoreError *err)
{
	switch (value->type)
	{
		case jbvString:
			return store_bytes(value->val.string.val, value->val.string.len, out, err);
		case jbvNumeric:
			return store_decimal(DatumGetCString(DirectFunctionCall1(numeric_out,
																	 NumericGetDatum(value->val.numeric))),
								 out, err);
		case jbvBool:
			*out = (DynScalar) {DYN_TYPE_BOOL, NULL, value->val.boolean};
			return true;
		default:
			Assert(value->type == jbvNull);
			*out = (DynScalar) {DYN_TYPE_NULL, NULL, 0};
			return true;
	}
}

static bool
store_name(const JsonbValue *name, DynScalar *out, DynStoreError *err)
{
	if (name->val.string.len == 0)
		return refuse(err, ERRCODE_INVALID_PARAMETER_VALUE,
					  "it has an empty member name, which DynamoDB does not allow", NULL);
	return store_bytes(name->val.string.val, name->val.string.len, out, err);
}

/*
 * Appends a JSON value, which is inside of `depth` lists and maps.  Only the
 * outermost list or map is written without its DynamoDB type.
 */
static bool
append_json(DynBuffer *buf, const JsonbValue *value, int depth, DynStoreError *err)
{
	JsonbIterator *it;
	JsonbValue	member;
	JsonbIteratorToken token;
	DynScalar	scalar;
	const char *separator = "";
	bool		is_array;

	if (value->type != jbvBinary)
	{
		if (!store_json_scalar(value, &scalar, err))
			return false;
		dyn_wire_scalar(buf, &scalar);
		return true;
	}
	check_stack_depth();
	if (depth == MAX_NESTING)
		return refuse(err, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
					  "it is nested more than 32 levels deep, the maximum in DynamoDB", NULL);
	is_array = JsonContainerIsArray(value->val.binary.data);
	if (depth > 0)
		dyn_buffer_append_str(buf, is_array ? "{\"L\":" : "{\"M\":");
	dyn_buffer_append_char(buf, is_array ? '[' : '{');
	it = JsonbIteratorInit(value->val.binary.data);
	(void) JsonbIteratorNext(&it, &member, true);
	while ((token = JsonbIteratorNext(&it, &member, true)) == WJB_KEY || token == WJB_ELEM)
	{
		dyn_buffer_append_str(buf, separator);
		separator = ",";
		if (token == WJB_KEY)
		{
			if (!store_name(&member, &scalar, err))
				return false;
			dyn_append_json_string(buf, scalar.data, scalar.len);
			dyn_buffer_append_char(buf, ':');
			(void) JsonbIteratorNext(&it, &member, true);
		}
		if (!append_json(buf, &member, depth + 1, err))
			return false;
	}
	dyn_buffer_append_str(buf, is_array ? "]" : "}");
	if (depth > 0)
		dyn_buffer_append_char(buf, '}');
	return true;
}

static bool
store_json_value(const JsonbValue *value, DynScalar *out, DynStoreError *err)
{
	DynBuffer  *buf;

	if (value->type != jbvBinary)
		return store_json_scalar(value, out, err);
	buf = dyn_buffer_create();
	if (!append_json(buf, value, 0, err))
		return false;
	set_buffer(out, JsonContainerIsArray(value->val.binary.data) ? DYN_TYPE_L : DYN_TYPE_M,
			   buf);
	return true;
}

int
dyn_store_members(Datum document, DynPathValue **out, DynStoreError *err)
{
	Jsonb	   *object = DatumGetJsonbP(document);
	JsonbIterator *it = JsonbIteratorInit(&object->root);
	JsonbValue	value;
	DynScalar	name;
	int			n = 0;

	if (!JB_ROOT_IS_OBJECT(object))
	{
		(void) refuse(err, ERRCODE_INVALID_PARAMETER_VALUE, "it is not a JSON object", NULL);
		return -1;
	}
	/* each name has at least one byte, so the names alone are too long */
	if (JB_ROOT_COUNT(object) > DYN_MAX_ITEM_BYTES)
	{
		(void) refuse(err, ERRCODE_PROGRAM_LIMIT_EXCEEDED,
					  "it has more members than an item can have bytes", NULL);
		return -1;
	}
	*out = palloc(Max(JB_ROOT_COUNT(object), 1) * sizeof(DynPathValue));
	(void) JsonbIteratorNext(&it, &value, true);
	while (JsonbIteratorNext(&it, &value, true) == WJB_KEY)
	{
		if (!store_name(&value, &name, err))
			return -1;
		(void) JsonbIteratorNext(&it, &value, true);
		(*out)[n].path = dyn_path_of_attribute(pnstrdup(name.data, name.len));
		if (!store_json_value(&value, &(*out)[n++].value, err))
			return -1;
	}
	return n;
}

static bool
store_json(DynCodec *codec, Datum value, DynScalar *out, DynStoreError *err)
{
	Jsonb	   *document;
	JsonbValue	root;

	if (codec->kind == DYN_CODEC_JSON)
		value = DirectFunctionCall1(jsonb_in,
									CStringGetDatum(TextDatumGetCString(value)));
	document = DatumGetJsonbP(value);
	if (!JsonbExtractScalar(&document->root, &root))
	{
		root.type = jbvBinary;
		root.val.binary.data = &document->root;
	}
	else if (root.type == jbvNull)
		return refuse(err, ERRCODE_INVALID_PARAMETER_VALUE,
					  "it is the JSON value null, which would be read as SQL NULL",
					  "Store NULL instead.");
	return store_json_value(&root, out, err);
}

static bool
store_json_text(DynCodec *codec, Datum value, DynScalar *out, DynStoreError *err)
{
	Jsonb	   *document = DatumGetJsonbP(value);
	char	   *text = JsonbToCString(NULL, &document->root, VARSIZE(document));

	return store_bytes(text, strlen(text), out, err);
}

static bool
check_set(const DynScalar *elements, int n, DynStoreError *err)
{
	DynScalar  *sorted = palloc(Max(n, 1) * sizeof(DynScalar));

	if (n <= 0)
		return refuse(err, ERRCODE_INVALID_PARAMETER_VALUE,
					  "it is empty, and DynamoDB has no empty sets",
					  "Store NULL instead, for example with nullif(..., '{}').");
	for (int i = 0; i < n; i++)
	{
		if (elements[i].type == DYN_TYPE_NULL)
			return refuse(err, ERRCODE_INVALID_PARAMETER_VALUE,
						  "it has an element that is NULL, which a set cannot contain",
						  "Remove the element, for example with array_remove(..., NULL).");
		if (elements[i].type > DYN_TYPE_B || elements[i].type != elements[0].type)
			return refuse(err, ERRCODE_INVALID_PARAMETER_VALUE,
						  "its elements are not texts, numbers or bytes, as those of a set must be",
						  "Set the column option \"format\" to \"list\".");
	}
	memcpy(sorted, elements, n * sizeof(DynScalar));
	qsort(sorted, n, sizeof(DynScalar), dyn_scalar_order);
	for (int i = 1; i < n; i++)
	{
		if (dyn_scalar_equal(&sorted[i - 1], &sorted[i]))
			return refuse(err, ERRCODE_INVALID_PARAMETER_VALUE,
						  "it has equal elements, which a set cannot contain", NULL);
	}
	return true;
}

static bool
store_array(DynCodec *codec, Datum value, DynScalar *out, DynStoreError *err)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	bool		is_set = (codec->format.kind == DYN_FORMAT_SET);
	DynArrayElements elements;
	DynBuffer  *buf;
	DynScalar  *stored;

	if (codec->format.kind == DYN_FORMAT_NONE)
		return refuse(err, ERRCODE_FEATURE_NOT_SUPPORTED,
					  "its column does not define whether arrays are stored as sets or as lists",
					  "Set the column option \"format\" to \"set\" or \"list\".");
	if (ARR_NDIM(array) > 1)
		return refuse(err, ERRCODE_INVALID_PARAMETER_VALUE,
					  "it has more than one dimension",
					  "Use a column of type jsonb for lists in lists.");
	if (ARR_NDIM(array) == 1 && ARR_LBOUND(array)[0] != 1)
		return refuse(err, ERRCODE_INVALID_PARAMETER_VALUE,
					  "its first subscript is not 1, which would not be stored", NULL);
	elements = dyn_array_elements(PointerGetDatum(array));
	stored = palloc(Max(elements.n, 1) * sizeof(DynScalar));
	for (int i = 0; i < elements.n; i++)
	{
		stored[i] = (DynScalar) {DYN_TYPE_NULL, NULL, 0};
		if (!elements.nulls[i] &&
			!dyn_codec_store(codec->element, elements.values[i], &stored[i], err))
		{
			err->why = psprintf("invalid element: %s", err->why);
			return false;
		}
	}
	if (is_set && !check_set(stored, elements.n, err))
		return false;
	buf = dyn_buffer_create();
	dyn_buffer_append_char(buf, '[');
	for (int i = 0; i < elements.n; i++)
	{
		if (i > 0)
			dyn_buffer_append_char(buf, ',');
		if (is_set)
			dyn_wire_payload(buf, &stored[i]);
		else
			dyn_wire_scalar(buf, &stored[i]);
	}
	dyn_buffer_append_char(buf, ']');
	set_buffer(out, is_set ? DYN_TYPE_SS + (stored[0].type - DYN_TYPE_S) : DYN_TYPE_L, buf);
	return true;
}

static bool (*const stores[]) (DynCodec *codec, Datum value, DynScalar *out,
							   DynStoreError *err) = {
	[DYN_CODEC_TEXT] = store_text,
	[DYN_CODEC_BPCHAR] = store_text,
	[DYN_CODEC_UUID] = store_uuid,
	[DYN_CODEC_INT2] = store_number,
	[DYN_CODEC_INT4] = store_number,
	[DYN_CODEC_INT8] = store_number,
	[DYN_CODEC_NUMERIC] = store_number,
	[DYN_CODEC_FLOAT4] = store_number,
	[DYN_CODEC_FLOAT8] = store_number,
	[DYN_CODEC_BOOL] = store_bool,
	[DYN_CODEC_BYTEA] = store_bytea,
	[DYN_CODEC_DATE] = store_instant,
	[DYN_CODEC_TIMESTAMP] = store_instant,
	[DYN_CODEC_TIMESTAMPTZ] = store_instant,
	[DYN_CODEC_JSON] = store_json,
	[DYN_CODEC_JSONB] = store_json,
	[DYN_CODEC_JSON_TEXT] = store_json_text,
	[DYN_CODEC_ARRAY] = store_array,
	[DYN_CODEC_INPUT] = store_input,
};

bool
dyn_codec_store(DynCodec *codec, Datum value, DynScalar *out, DynStoreError *err)
{
	if (!stores[codec->kind] (codec, value, out, err))
		return false;
	/* copy S and B values, which may still point into `value` */
	if (out->type == DYN_TYPE_S || out->type == DYN_TYPE_B)
		out->data = memcpy(palloc(out->len + 1), out->data, out->len);
	return true;
}

/*
 * types.c
 *		Sets up codecs from the types and formats of columns.
 *
 * `dyn_codec_facts` has the DynamoDB type and the encoding for each kind of
 * codec; a format overrides it.  Decoding is in decode.c, encoding in
 * encode.c.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "../server/domain.h"
#include "pattern.h"
#include "types.h"

/*
 * Text is not total, because S may contain U+0000, but text may not.  Integers
 * are not total, because N may be 1.5 or 1E20.
 */
#define KIND(type, canonical, sorting, total) \
	.wire = DYN_TYPE_##type, .encoding = {canonical, DYN_##sorting, total}

const DynCodecFacts dyn_codec_facts[] = {
	[DYN_CODEC_TEXT] = {KIND(S, true, SORTED, false), .may_be_empty = true},
	[DYN_CODEC_BPCHAR] = {KIND(S, false, UNSORTED, false), .may_be_empty = true},
	[DYN_CODEC_UUID] = {KIND(S, true, SORTED, false)},
	[DYN_CODEC_INT2] = {KIND(N, true, SORTED, false),
	.least = PG_INT16_MIN, .most = PG_INT16_MAX},
	[DYN_CODEC_INT4] = {KIND(N, true, SORTED, false),
	.least = PG_INT32_MIN, .most = PG_INT32_MAX},
	[DYN_CODEC_INT8] = {KIND(N, true, SORTED, false),
	.least = PG_INT64_MIN, .most = PG_INT64_MAX},
	[DYN_CODEC_NUMERIC] = {KIND(N, true, SORTED, true)},
	[DYN_CODEC_FLOAT4] = {KIND(N, false, SORTED_ROUGHLY, false)},
	[DYN_CODEC_FLOAT8] = {KIND(N, false, SORTED_ROUGHLY, false)},
	[DYN_CODEC_BOOL] = {KIND(ABSENT, false, UNSORTED, false)},
	[DYN_CODEC_BYTEA] = {KIND(B, true, SORTED, true), .may_be_empty = true},
	[DYN_CODEC_DATE] = {KIND(S, true, SORTED, false), .instant = true},
	[DYN_CODEC_TIMESTAMP] = {KIND(S, false, SORTED_ROUGHLY, false), .instant = true},
	[DYN_CODEC_TIMESTAMPTZ] = {KIND(S, false, SORTED_ROUGHLY, false), .instant = true},
	[DYN_CODEC_JSON] = {KIND(ABSENT, false, UNSORTED, false)},
	[DYN_CODEC_JSONB] = {KIND(ABSENT, false, UNSORTED, false)},
	[DYN_CODEC_JSON_TEXT] = {KIND(S, false, UNSORTED, false)},
	[DYN_CODEC_ARRAY] = {KIND(ABSENT, false, UNSORTED, false)},
	[DYN_CODEC_INPUT] = {KIND(S, false, UNSORTED, false), .may_be_empty = true},
};

typedef struct TypeKind
{
	Oid			typid;
	DynCodecKind kind;
} TypeKind;

static const TypeKind type_kinds[] = {
	{TEXTOID, DYN_CODEC_TEXT}, {VARCHAROID, DYN_CODEC_TEXT},
	{BPCHAROID, DYN_CODEC_BPCHAR}, {UUIDOID, DYN_CODEC_UUID},
	{INT2OID, DYN_CODEC_INT2}, {INT4OID, DYN_CODEC_INT4},
	{INT8OID, DYN_CODEC_INT8}, {NUMERICOID, DYN_CODEC_NUMERIC},
	{FLOAT4OID, DYN_CODEC_FLOAT4}, {FLOAT8OID, DYN_CODEC_FLOAT8},
	{BOOLOID, DYN_CODEC_BOOL}, {BYTEAOID, DYN_CODEC_BYTEA},
	{DATEOID, DYN_CODEC_DATE}, {TIMESTAMPOID, DYN_CODEC_TIMESTAMP},
	{TIMESTAMPTZOID, DYN_CODEC_TIMESTAMPTZ}, {JSONOID, DYN_CODEC_JSON},
	{JSONBOID, DYN_CODEC_JSONB},
};

/* ---- setting up ---- */

static const TypeKind *
listed_type(Oid typid)
{
	for (int i = 0; i < lengthof(type_kinds); i++)
	{
		if (type_kinds[i].typid == typid)
			return &type_kinds[i];
	}
	return NULL;
}

/*
 * Returns true if the format applies; sets *types to the types that it is for.
 */
static bool
format_applies(const DynCodec *codec, DynFormatKind format, const char **types)
{
	switch (format)
	{
		case DYN_FORMAT_NONE:
			return true;
		case DYN_FORMAT_EPOCH_DAYS:
			*types = "type date";
			return codec->kind == DYN_CODEC_DATE;
		case DYN_FORMAT_BOOL:
			*types = "type boolean";
			return codec->kind == DYN_CODEC_BOOL;
		case DYN_FORMAT_STRING:
			*types = "a number type or uuid";
			return codec->kind == DYN_CODEC_UUID ||
				(codec->kind >= DYN_CODEC_INT2 &&
				 codec->kind <= DYN_CODEC_FLOAT8);
		case DYN_FORMAT_ULID:
			*types = "type timestamptz";
			return codec->kind == DYN_CODEC_TIMESTAMPTZ;
		case DYN_FORMAT_DIGITS:
			*types = "an integer type or numeric";
			return dyn_codec_is_integer(codec);
		case DYN_FORMAT_PADDED:
			*types = "an integer type or numeric";
			return codec->kind >= DYN_CODEC_INT2 &&
				codec->kind <= DYN_CODEC_NUMERIC;
		case DYN_FORMAT_BASE64:
			*types = "type bytea";
			return codec->kind == DYN_CODEC_BYTEA;
		case DYN_FORMAT_JSON:
			*types = "type jsonb";
			return codec->kind == DYN_CODEC_JSONB;
		case DYN_FORMAT_SET:
		case DYN_FORMAT_LIST:
			*types = "an array type";
			return codec->kind == DYN_CODEC_ARRAY;
		default:
			*types = "type date, timestamp or timestamptz";
			return dyn_codec_is_instant(codec);
	}
}

/* Applies the format's changes to the type's encoding. */
static void
apply_format_traits(DynCodec *codec)
{
	switch (codec->format.kind)
	{
		case DYN_FORMAT_NONE:
		case DYN_FORMAT_JSON:
		case DYN_FORMAT_SET:
		case DYN_FORMAT_LIST:
			break;
		case DYN_FORMAT_ISO8601:
			codec->encoding.canonical = false;
			codec->encoding.sorting = DYN_SORTED_ROUGHLY;
			break;
		case DYN_FORMAT_ISO8601_FIXED:
			codec->encoding.canonical = !dyn_format_truncates(&codec->format);
			codec->encoding.sorting = DYN_SORTED;
			break;
		case DYN_FORMAT_PATTERN:
			codec->encoding.canonical = true;
			codec->encoding.sorting =
				dyn_pattern_is_ordered(codec->format.pattern) ? DYN_SORTED
				: DYN_UNSORTED;
			break;
		case DYN_FORMAT_ULID:
			codec->encoding.canonical = false;
			codec->encoding.sorting = DYN_SORTED;
			break;
		case DYN_FORMAT_EPOCH:
		case DYN_FORMAT_EPOCH_MS:
		case DYN_FORMAT_EPOCH_US:
		case DYN_FORMAT_EPOCH_DAYS:
			codec->wire = DYN_TYPE_N;
			codec->encoding.canonical = !dyn_format_truncates(&codec->format);
			codec->encoding.sorting = DYN_SORTED;
			break;
		case DYN_FORMAT_STRING:
			codec->wire = DYN_TYPE_S;
			codec->encoding.canonical = false;
			codec->encoding.sorting = DYN_UNSORTED;
			codec->encoding.total = false;
			break;
		case DYN_FORMAT_PADDED:
			codec->wire = DYN_TYPE_S;
			codec->encoding.total = false;
			break;
		case DYN_FORMAT_DIGITS:
		case DYN_FORMAT_BASE64:
			codec->wire = DYN_TYPE_S;
			codec->encoding.sorting = DYN_UNSORTED;
			codec->encoding.total = false;
			break;
		case DYN_FORMAT_BOOL:
			codec->wire = codec->format.numeric ? DYN_TYPE_N : DYN_TYPE_S;
			codec->encoding.canonical = true;
			break;
	}
}

void
dyn_codec_init(DynCodec *codec, Oid typid, int32 typmod,
			   const DynFormat *format, const char *column)
{
	const TypeKind *listed;
	const char *types;

	memset(codec, 0, sizeof(*codec));
	codec->typid = typid;
	codec->typmod = typmod;
	codec->basetype = listed_type(typid) != NULL ? typid
		: getBaseTypeAndTypmod(typid, &codec->typmod);
	codec->is_domain = (codec->basetype != typid);
	listed = listed_type(codec->basetype);
	codec->kind = listed != NULL ? listed->kind
		: OidIsValid(get_element_type(codec->basetype)) ? DYN_CODEC_ARRAY
		: DYN_CODEC_INPUT;
	codec->format = *format;
	codec->context = CurrentMemoryContext;
	if (!format_applies(codec, format->kind, &types))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
				 errmsg("cannot use format of column \"%s\" with type %s",
						column, format_type_be(typid)),
				 errhint("This format requires a column of %s.", types)));
	if (format->kind == DYN_FORMAT_JSON)
		codec->kind = DYN_CODEC_JSON_TEXT;
	codec->wire = dyn_codec_facts[codec->kind].wire;
	codec->encoding = dyn_codec_facts[codec->kind].encoding;
	if (codec->kind == DYN_CODEC_NUMERIC && codec->typmod >= 0)
		codec->encoding.total = false;
	apply_format_traits(codec);
	if (codec->is_domain)
		codec->encoding.total = false;
	if (codec->kind == DYN_CODEC_ARRAY)
	{
		codec->element = palloc0(sizeof(DynCodec));
		dyn_codec_init(codec->element, get_element_type(codec->basetype),
					   codec->typmod, &(DynFormat) {0}, column);
	}
	else if (codec->kind == DYN_CODEC_INPUT ||
			 codec->kind == DYN_CODEC_BPCHAR ||
			 codec->kind == DYN_CODEC_JSON_TEXT)
	{
		Oid			function;

		getTypeInputInfo(codec->basetype, &function, &codec->ioparam);
		fmgr_info(function, &codec->input);
	}
}

bool
dyn_codec_uses_input(const DynCodec *codec)
{
	return codec->kind == DYN_CODEC_INPUT ||
		codec->kind == DYN_CODEC_JSON_TEXT ||
		(codec->kind == DYN_CODEC_ARRAY && dyn_codec_uses_input(codec->element));
}

bool
dyn_codec_check_domain(DynCodec *codec, Datum value, bool isnull, bool soft,
					   const char **why)
{
	if (soft)
	{
		if (codec->soft_domain == NULL)
			codec->soft_domain = dyn_domain_create(codec->typid, codec->context);
		return dyn_domain_check(codec->soft_domain, value, isnull, why);
	}
	domain_check(value, isnull, codec->typid, &codec->domain_cache,
				 codec->context);
	return true;
}

/*
 * types.c
 *		Sets up codecs from the types and formats of columns.
 *
 * The functions dyn_codec_holds_... decide which values a type can hold,
 * according to integer ranges and typmods.  Decoding rejects all other values,
 * and dyn_codec_encode does not encode them.  So if a request selects the
 * items whose attribute equals an encoded value, this attribute can be decoded
 * in each of them, unless a domain's constraints reject it.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "../server/pg_compat.h"
#include "datetime.h"
#include "types.h"

/*
 * Text and integers are not `total`: text cannot hold an S value with U+0000,
 * and integers cannot hold N values such as 1.5 and 1E20.
 */
#define KIND(type, canonical, sorting, total) \
	.wire = DYN_TYPE_##type, .encoding = {canonical, DYN_##sorting, total}

const DynCodecFacts dyn_codec_facts[] = {
	[DYN_CODEC_TEXT] = {KIND(S, true, SORTED, false), .may_be_empty = true},
	[DYN_CODEC_BPCHAR] = {KIND(S, false, UNSORTED, false), .may_be_empty = true},
	[DYN_CODEC_UUID] = {KIND(S, true, SORTED, false),
	.charset = "0123456789abcdef-", .width = 36},
	[DYN_CODEC_INT2] = {KIND(N, true, SORTED, false), .charset = "-0123456789",
	.least = PG_INT16_MIN, .most = PG_INT16_MAX},
	[DYN_CODEC_INT4] = {KIND(N, true, SORTED, false), .charset = "-0123456789",
	.least = PG_INT32_MIN, .most = PG_INT32_MAX},
	[DYN_CODEC_INT8] = {KIND(N, true, SORTED, false), .charset = "-0123456789",
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

/* Facts about a format.  `wire` and `encoding` override those of the kind. */
typedef struct FormatFacts
{
	DynCodecKind first;			/* first kind that may have the format */
	DynCodecKind last;
	const char *types;			/* types of these kinds, for a hint */
	DynType		wire;
	DynEncoding encoding;		/* default encoding; dyn_codec_init may replace
								 * it by one that guarantees less */
} FormatFacts;

#define INSTANTS	DYN_CODEC_DATE, DYN_CODEC_TIMESTAMPTZ, "type date, timestamp or timestamptz"

static const FormatFacts format_facts[] = {
	[DYN_FORMAT_ISO8601] = {INSTANTS, KIND(S, false, SORTED_ROUGHLY, false)},
	[DYN_FORMAT_PATTERN] = {INSTANTS, KIND(S, true, SORTED, false)},
	[DYN_FORMAT_TRUNC] = {INSTANTS, KIND(S, true, SORTED, false)},
	[DYN_FORMAT_ULID] = {DYN_CODEC_TIMESTAMPTZ, DYN_CODEC_TIMESTAMPTZ, "type timestamptz",
	KIND(S, false, SORTED, false)},
	[DYN_FORMAT_EPOCH] = {INSTANTS, KIND(N, true, SORTED, false)},
	[DYN_FORMAT_EPOCH_MS] = {INSTANTS, KIND(N, true, SORTED, false)},
	[DYN_FORMAT_EPOCH_US] = {INSTANTS, KIND(N, true, SORTED, false)},
	[DYN_FORMAT_EPOCH_DAYS] = {DYN_CODEC_DATE, DYN_CODEC_DATE, "type date",
	KIND(N, true, SORTED, false)},
	[DYN_FORMAT_STRING] = {DYN_CODEC_UUID, DYN_CODEC_FLOAT8, "a number type or uuid",
	KIND(S, false, UNSORTED, false)},
	[DYN_FORMAT_PADDED] = {DYN_CODEC_INT2, DYN_CODEC_NUMERIC, "an integer type or numeric",
	KIND(S, true, SORTED, false)},
	[DYN_FORMAT_DIGITS] = {DYN_CODEC_INT2, DYN_CODEC_INT8, "an integer type or numeric",
	KIND(S, true, UNSORTED, false)},
	[DYN_FORMAT_BASE64] = {DYN_CODEC_BYTEA, DYN_CODEC_BYTEA, "type bytea",
	KIND(S, true, UNSORTED, false)},
	[DYN_FORMAT_JSON] = {DYN_CODEC_JSONB, DYN_CODEC_JSONB, "type jsonb",
	KIND(S, false, UNSORTED, false)},
	[DYN_FORMAT_BOOL] = {DYN_CODEC_BOOL, DYN_CODEC_BOOL, "type boolean",
	KIND(S, true, UNSORTED, false)},
	[DYN_FORMAT_SET] = {DYN_CODEC_ARRAY, DYN_CODEC_ARRAY, "an array type",
	KIND(ABSENT, false, UNSORTED, false)},
	[DYN_FORMAT_LIST] = {DYN_CODEC_ARRAY, DYN_CODEC_ARRAY, "an array type",
	KIND(ABSENT, false, UNSORTED, false)},
};

static const struct
{
	Oid			typid;
	DynCodecKind kind;
}			type_kinds[] = {
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

static DynCodecKind
kind_of(Oid typid)
{
	for (int i = 0; i < lengthof(type_kinds); i++)
	{
		if (type_kinds[i].typid == typid)
			return type_kinds[i].kind;
	}
	return DYN_CODEC_INPUT;
}

void
dyn_codec_init(DynCodec *codec, Oid typid, int32 typmod,
			   const DynFormat *format, const char *column)
{
	const FormatFacts *facts = &format_facts[format->kind];

	memset(codec, 0, sizeof(*codec));
	codec->typid = typid;
	codec->typmod = typmod;
	codec->basetype = kind_of(typid) != DYN_CODEC_INPUT ? typid
		: getBaseTypeAndTypmod(typid, &codec->typmod);
	codec->is_domain = (codec->basetype != typid);
	codec->kind = kind_of(codec->basetype);
	/* a valid int2vector or oidvector must be built by its input function */
	if (codec->kind == DYN_CODEC_INPUT && codec->basetype != INT2VECTOROID &&
		codec->basetype != OIDVECTOROID &&
		OidIsValid(get_element_type(codec->basetype)))
		codec->kind = DYN_CODEC_ARRAY;
	codec->format = *format;
	codec->context = CurrentMemoryContext;
	codec->wire = dyn_codec_facts[codec->kind].wire;
	codec->encoding = dyn_codec_facts[codec->kind].encoding;
	if (codec->is_domain || (codec->kind == DYN_CODEC_NUMERIC && codec->typmod >= 0))
		codec->encoding.total = false;
	if (format->kind != DYN_FORMAT_NONE &&
		(codec->kind < facts->first || codec->kind > facts->last))
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_DATA_TYPE),
				 errmsg("cannot use format of column \"%s\" with type %s",
						column, format_type_be(typid)),
				 errhint("This format requires a column of %s.", facts->types)));
	if (format->kind != DYN_FORMAT_NONE)
	{
		codec->wire = format->numeric ? DYN_TYPE_N : facts->wire;
		codec->encoding = facts->encoding;
		if (dyn_format_truncates(format))
			codec->encoding.canonical = false;
		if (format->pattern != NULL && !dyn_pattern_is_ordered(format->pattern))
			codec->encoding.sorting = DYN_UNSORTED;
	}
	if (format->kind == DYN_FORMAT_JSON)
		codec->kind = DYN_CODEC_JSON_TEXT;
	if (codec->kind == DYN_CODEC_ARRAY)
	{
		codec->element = palloc0(sizeof(DynCodec));
		dyn_codec_init(codec->element, get_element_type(codec->basetype),
					   codec->typmod, &(DynFormat) {0}, column);
	}
	else if (codec->kind == DYN_CODEC_INPUT ||
			 codec->kind == DYN_CODEC_BPCHAR ||
			 codec->kind == DYN_CODEC_JSON_TEXT ||
			 codec->format.kind == DYN_FORMAT_STRING)
	{
		Oid			function;

		getTypeInputInfo(codec->basetype, &function, &codec->ioparam);
		fmgr_info(function, &codec->input);
	}
}

bool
dyn_codec_runs_user_code(const DynCodec *codec)
{
	return codec->element != NULL && !codec->is_domain
		? dyn_codec_runs_user_code(codec->element)
		: codec->typid >= FirstNormalObjectId && !type_is_enum(codec->typid);
}

bool
dyn_codec_has_hard_input(const DynCodec *codec)
{
	if (codec->kind == DYN_CODEC_ARRAY)
		return dyn_codec_has_hard_input(codec->element);
	return OidIsValid(codec->input.fn_oid) && codec->kind != DYN_CODEC_BPCHAR &&
		!dyn_codec_is_integer(codec) && !dyn_input_is_soft(&codec->input, codec->ioparam);
}

struct DynDomain
{
	int16		typlen;
	DomainConstraintRef constraints;	/* updated by the type cache */
	ExprContext *econtext;
};

static struct DynDomain *
create_domain(const DynCodec *codec)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(codec->context);
	struct DynDomain *domain = palloc0(sizeof(struct DynDomain));

	domain->typlen = get_typlen(codec->typid);
	domain->econtext = CreateStandaloneExprContext();
	InitDomainConstraintRef(codec->typid, &domain->constraints, codec->context, true);
	MemoryContextSwitchTo(oldcontext);
	return domain;
}

/*
 * Evaluates the constraints of a domain.  domain_check() would need a
 * subtransaction for each value, which is slow, and impossible while parallel
 * workers run.  Errors in the expressions of constraints are raised.
 */
static bool
satisfies_domain(DynCodec *codec, Datum value, bool isnull, const char **why)
{
	struct DynDomain *domain = codec->soft_domain;
	bool		ok = true;
	ListCell   *lc;

	if (domain == NULL)
		domain = codec->soft_domain = create_domain(codec);
	UpdateDomainConstraintRef(&domain->constraints);
	domain->econtext->domainValue_datum =
		MakeExpandedObjectReadOnly(value, isnull, domain->typlen);
	domain->econtext->domainValue_isNull = isnull;
	foreach(lc, domain->constraints.constraints)
	{
		DomainConstraintState *constraint = lfirst(lc);
		bool		is_not_null = constraint->constrainttype == DOM_CONSTRAINT_NOTNULL;

		ok = is_not_null ? !isnull
			: ExecCheck(constraint->check_exprstate, domain->econtext);
		if (ok)
			continue;
		*why = is_not_null
			? psprintf("domain %s does not allow null values",
					   format_type_be(codec->typid))
			: psprintf("value for domain %s violates check constraint \"%s\"",
					   format_type_be(codec->typid), constraint->name);
		break;
	}
	ReScanExprContext(domain->econtext);
	return ok;
}

bool
dyn_codec_check_domain(DynCodec *codec, Datum value, bool isnull, bool soft,
					   const char **why)
{
	if (soft)
		return satisfies_domain(codec, value, isnull, why);
	domain_check(value, isnull, codec->typid, &codec->domain_cache, codec->context);
	return true;
}

/* The result must agree with the types that the decoders accept. */
bool
dyn_codec_holds_type(const DynCodec *codec, DynType type)
{
	Assert(type == DYN_TYPE_S || type == DYN_TYPE_N || type == DYN_TYPE_B);
	if (codec->wire != DYN_TYPE_ABSENT)
		return codec->wire == type;
	return codec->kind == DYN_CODEC_BOOL ? type != DYN_TYPE_B
		: codec->kind != DYN_CODEC_ARRAY;
}

bool
dyn_codec_holds_number(const DynCodec *codec, const char *number)
{
	const DynCodecFacts *facts = &dyn_codec_facts[codec->kind];
	int32		typmod = codec->typmod - VARHDRSZ;
	int			precision = (typmod >> 16) & 0xffff;
	int			scale = ((typmod & 0x7ff) ^ 1024) - 1024;
	const char *point = strchr(number, '.');
	int			len;
	int			leading;
	int			zeros = 0;

	if (codec->kind != DYN_CODEC_NUMERIC)
	{
		int64		integer;

		errno = 0;
		integer = strtoll(number, NULL, 10);
		return point == NULL && errno == 0 && integer >= facts->least &&
			integer <= facts->most;
	}
	if (codec->typmod < 0 || strcmp(number, "0") == 0)
		return true;
	/*
	 * set `leading` to the number of digits before the point; if the number is
	 * below 1, to the negated number of zeros directly after the point
	 */
	number += (*number == '-');
	leading = *number != '0' ? (int) strcspn(number, ".")
		: -(int) strspn(number + 2, "0");
	len = strlen(number);
	while (zeros < len && number[len - zeros - 1] == '0')
		zeros++;
	return (point ? (int) strlen(point + 1) : 0) <= Max(scale, 0) &&
		leading <= precision - scale && (scale >= 0 || zeros >= -scale);
}

bool
dyn_codec_holds_instant(const DynCodec *codec, Timestamp instant)
{
	int64		unit = 1;

	if (codec->kind == DYN_CODEC_DATE || codec->typmod < 0)
		return true;
	for (int i = codec->typmod; i < 6; i++)
		unit *= 10;
	return instant % unit == 0;
}

/* ---- elements of arrays ---- */

DynArrayElements
dyn_array_elements(Datum array)
{
	ArrayType  *a = DatumGetArrayTypeP(array);
	DynArrayElements elements;
	int16		len;
	bool		byval;
	char		align;

	get_typlenbyvalalign(ARR_ELEMTYPE(a), &len, &byval, &align);
	deconstruct_array(a, ARR_ELEMTYPE(a), len, byval, align, &elements.values,
					  &elements.nulls, &elements.n);
	return elements;
}

Datum
dyn_array_of_elements(const DynArrayElements *elements, Oid type)
{
	int			n = elements->n;
	int			lower = 1;
	int16		len;
	bool		byval;
	char		align;

	get_typlenbyvalalign(type, &len, &byval, &align);
	return PointerGetDatum(construct_md_array(elements->values, elements->nulls, 1,
											  &n, &lower, type, len, byval, align));
}

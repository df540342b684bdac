/*
 * exact.c
 *		Determines for which columns and conditions DynamoDB compares and sorts
 *		values as SQL does.
 *
 * DynamoDB compares and sorts encoded values, so equality requires that a value
 * has only one encoding.  For strings, equality also requires a deterministic
 * collation, and a database encoding that maps one-to-one to UTF-8.  Ranges and
 * order of strings require a bytewise collation, and a database encoding that
 * sorts like UTF-8.
 *
 * A condition is not exact if it may select stored values that the column
 * cannot hold.  Equality never selects such a value, since encode.c encodes
 * only values that the column can hold.  But encode.c does not check a
 * domain's constraints, so = is not exact on a domain.  Ranges, inequality and
 * IS NOT NULL are exact only if the codec can decode every value of its
 * DynamoDB type (`total`).
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/string.h"
#include "mb/pg_wchar.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "../server/encoding.h"
#include "../server/pg_compat.h"
#include "column.h"

/*
 * Returns true if different strings remain different in UTF-8.  In some
 * multibyte encodings, one character and a sequence of two become the same
 * UTF-8.
 */
static bool
encoding_is_one_to_one(void)
{
	switch (GetDatabaseEncoding())
	{
		case PG_UTF8:
		case PG_EUC_CN:
		case PG_EUC_KR:
			return true;
		default:
			return pg_database_encoding_max_length() == 1;
	}
}

static bool
is_text(const DynCodec *codec)
{
	return codec->kind == DYN_CODEC_TEXT;
}

/* Avoids a catalog lookup for the two most common collations. */
static bool
is_deterministic(Oid collation)
{
	return collation == DEFAULT_COLLATION_OID || collation == C_COLLATION_OID ||
		get_collation_isdeterministic(collation);
}

/*
 * Returns true if the type is not collatable, or if PostgreSQL compares its
 * strings by their bytes under this collation: for equality and, with `sorts`,
 * also for order.  Returns false if a collatable type has no collation:
 * PostgreSQL then evaluates the condition and raises an error.
 */
static bool
compares_bytes(Oid type, Oid collation, bool sorts)
{
	if (!type_is_collatable(type))
		return true;
	return OidIsValid(collation) &&
		(sorts ? dyn_collation_is_bytewise(collation) : is_deterministic(collation));
}

/* Returns true if each SQL value has exactly one encoding. */
static bool
has_points(const DynCodec *codec)
{
	return dyn_codec_is_point(codec) &&
		(!is_text(codec) || encoding_is_one_to_one());
}

static bool
has_ranges(const DynCodec *codec)
{
	return codec->encoding.sorting != DYN_UNSORTED &&
		(!is_text(codec) || !dyn_encoding_differs() || GetDatabaseEncoding() == PG_LATIN1);
}

static bool
column_compares_bytes(const DynColumn *column)
{
	return !OidIsValid(column->collation) ||
		is_deterministic(column->collation);
}

static DynExactness
exact_if(bool exact)
{
	return exact ? DYN_EXACT : DYN_SUPERSET;
}

void
dyn_traits_init(DynColumn *column)
{
	const DynCodec *codec = &column->codec;
	DynTraits  *traits = &column->traits;
	bool		nulls = column->null_on_mismatch;
	bool		point = has_points(codec);
	bool		range = has_ranges(codec);
	/* the Scan segment is not a stored value, so it is never a mismatch */
	bool		total = codec->encoding.total || column->segments > 0;

	memset(traits, 0, sizeof(*traits));
	traits->point = point;
	traits->key = codec->kind != DYN_CODEC_FLOAT4 &&
		codec->kind != DYN_CODEC_FLOAT8;

	/* = on values with several encodings is sent as an interval */
	if (point || range)
		traits->equality = exact_if(point && !nulls && !codec->is_domain);
	if (point)
		traits->inequality = exact_if(total && !nulls);
	if (range)
		traits->range = exact_if(total && !nulls);
	traits->order = range && codec->encoding.sorting == DYN_SORTED && (total || !nulls);
	/* a domain's constraints need the full value, not a member */
	traits->parts = codec->kind == DYN_CODEC_JSONB && !nulls &&
		!codec->is_domain;
	traits->distinct = point && column_compares_bytes(column);

	if (!nulls && !codec->is_domain)
	{
		traits->null_test = DYN_EXACT;
		traits->not_null_test = exact_if(total);
	}
	if (codec->kind == DYN_CODEC_BOOL)
		traits->truth = exact_if(codec->encoding.canonical && !nulls &&
								 !codec->is_domain);
}

/* Makes comparisons inexact: DynamoDB compares the full text, not one part. */
void
dyn_traits_init_part(DynColumn *column, bool base, bool folded)
{
	const DynCodec *codec = &column->codec;
	DynTraits  *traits = &column->traits;

	memset(traits, 0, sizeof(*traits));
	traits->point = traits->key = has_points(codec);
	if (!traits->point)
		return;
	traits->equality = DYN_SUPERSET;
	if (!folded && !dyn_codec_truncates(codec))
		traits->inequality = DYN_SUPERSET;
	if (has_ranges(codec) && !folded)
	{
		traits->range = DYN_SUPERSET;
		traits->order = !dyn_codec_truncates(codec) &&
			(base || !column->null_on_mismatch);
	}
	if (codec->kind == DYN_CODEC_BOOL)
		traits->truth = DYN_SUPERSET;
	traits->members = base || !column->null_on_mismatch;
	if (base && !column->null_on_mismatch && !codec->is_domain)
		traits->null_test = traits->not_null_test = DYN_EXACT;
	traits->distinct = column_compares_bytes(column) &&
		!(folded && is_text(codec)) && !dyn_codec_truncates(codec);
}

bool
dyn_column_rejects(const DynColumn *column, DynType type)
{
	return !column->null_on_mismatch &&
		column->codec.format.kind == DYN_FORMAT_NONE &&
		!dyn_codec_holds_type(&column->codec, type);
}

static bool
is_range(const DynOperator *op)
{
	return op->comparison >= DYN_COMPARE_LT;
}

/* Returns true if the codec accepts both types, and text compares bytewise. */
static bool
is_of_codec(const DynOperator *op, const DynCodec *codec)
{
	return dyn_codec_accepts(codec, op->column_type) &&
		dyn_codec_accepts(codec, op->value_type) &&
		compares_bytes(op->column_type, op->collation, is_range(op));
}

static DynExactness
trait_of(const DynTraits *traits, DynComparison comparison)
{
	switch (comparison)
	{
		case DYN_COMPARE_EQ:
			return traits->equality;
		case DYN_COMPARE_NE:
			return traits->inequality;
		default:
			return traits->range;
	}
}

DynExactness
dyn_operator_exactness(const DynColumn *column, const DynOperator *op)
{
	if (!is_of_codec(op, &column->codec))
		return DYN_LOCAL;
	/* PostgreSQL rounds the column's values to double precision first */
	if (op->value_type == FLOAT8OID &&
		(column->codec.kind == DYN_CODEC_INT8 || column->codec.kind == DYN_CODEC_NUMERIC))
		return is_range(op)
			? Min(DYN_SUPERSET, column->traits.range) : DYN_LOCAL;
	return trait_of(&column->traits, op->comparison);
}

static bool
is_plain_number(const DynCodec *codec)
{
	return codec->kind >= DYN_CODEC_INT2 && codec->kind <= DYN_CODEC_NUMERIC &&
		codec->format.kind == DYN_FORMAT_NONE;
}

/*
 * Never returns DYN_EXACT: DynamoDB compares stored values of any type,
 * including its own NULLs.
 */
DynExactness
dyn_columns_exactness(const DynColumn *column, const DynColumn *other,
					  const DynOperator *op)
{
	const DynCodec *a = &column->codec;
	const DynCodec *b = &other->codec;

	if (op->comparison == DYN_COMPARE_NE || op->column_type == FLOAT8OID ||
		dyn_column_is_part(column) || dyn_column_is_part(other) ||
		!((is_plain_number(a) && is_plain_number(b)) ||
		  (is_text(a) && is_text(b))) ||
		!is_of_codec(op, a) || !is_of_codec(op, b))
		return DYN_LOCAL;
	return Min(DYN_SUPERSET, Min(trait_of(&column->traits, op->comparison),
								 trait_of(&other->traits, op->comparison)));
}

DynExactness
dyn_prefix_exactness(const DynColumn *column, Oid collation)
{
	const DynCodec *codec = &column->codec;

	return is_text(codec) && has_points(codec) &&
		compares_bytes(codec->basetype, collation, false) ? DYN_SUPERSET : DYN_LOCAL;
}

DynExactness
dyn_element_exactness(const DynColumn *column, const DynOperator *op)
{
	const DynCodec *element = column->codec.element;

	return column->codec.kind == DYN_CODEC_ARRAY && has_points(element) &&
		is_of_codec(op, element) ? DYN_SUPERSET : DYN_LOCAL;
}

/*
 * Never returns DYN_EXACT: DynamoDB selects items, not elements, and every
 * element of a selected item becomes a row, even one that does not match.
 */
DynExactness
dyn_unnested_exactness(const DynColumn *column, const DynOperator *op)
{
	const DynCodec *codec = &column->codec;

	if (column->base != DYN_PATH_ELEMENT || column->below->nsteps > 0 ||
		op->comparison != DYN_COMPARE_EQ)
		return DYN_LOCAL;
	if (codec->kind == DYN_CODEC_JSONB)
		return op->column_type == JSONBOID && encoding_is_one_to_one()
			? DYN_SUPERSET : DYN_LOCAL;
	return has_points(codec) && is_of_codec(op, codec) ? DYN_SUPERSET : DYN_LOCAL;
}

/* ->> returns text, so only = on text is supported. */
DynExactness
dyn_member_exactness(const DynOperator *op)
{
	return op->comparison == DYN_COMPARE_EQ &&
		op->column_type == TEXTOID && op->value_type == TEXTOID &&
		compares_bytes(TEXTOID, op->collation, false) &&
		encoding_is_one_to_one() ? DYN_SUPERSET : DYN_LOCAL;
}

bool
dyn_name_is_exact(const char *name)
{
	const char *utf8 = name;
	size_t		len = strlen(name);

	return pg_is_ascii(name) ||
		(encoding_is_one_to_one() && dyn_value_to_utf8(&utf8, &len));
}

bool
dyn_order_is_exact(const DynColumn *column, Oid opfamily, Oid collation)
{
	Oid			type = column->codec.basetype;

	return column->traits.order &&
		lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf == opfamily &&
		compares_bytes(type, collation, true);
}

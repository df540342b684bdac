/*
 * exact.c
 *		Judges how far DynamoDB compares and sorts as SQL does.
 *
 * Equality is of spellings: it holds where a value has one spelling.  Texts are
 * compared byte by byte, as every deterministic collation does, provided that
 * the database's encoding and UTF-8 have one form of each text.
 *
 * Ranges and order are those of spellings: of texts, only by a collation that
 * goes by bytes, in an encoding whose bytes sort as UTF-8.
 *
 * Misfits: equality never meets one, since encode.c makes no condition of a value
 * that the column cannot hold; but it does not know the constraints of domains.
 * Ranges, inequality and presence meet them unless the codec is total, and then
 * what was selected has to be decoded here.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/string.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "encoding.h"
#include "exact.h"
#include "pg_compat.h"
#include "relation.h"

static DynVerdict
weaker(DynVerdict a, DynVerdict b)
{
	return Min(a, b);
}

/* ---- the ingredients ---- */

/* Does the codec depend on the database's encoding? */
static bool
is_text(const DynCodec *codec)
{
	return codec->kind == DYN_CODEC_TEXT;
}

/* Without a collation a comparison of texts is an error, for SQL to raise. */
static bool
compares_bytes(Oid type, Oid collation)
{
	if (!type_is_collatable(type))
		return true;
	return OidIsValid(collation) && get_collation_isdeterministic(collation);
}

static bool
sorts_bytes(Oid type, Oid collation)
{
	if (!type_is_collatable(type))
		return true;
	return OidIsValid(collation) && dyn_collation_is_bytewise(collation);
}

/* Is one SQL value one stored value? */
static bool
has_points(const DynCodec *codec)
{
	return dyn_codec_is_point(codec) &&
		(!is_text(codec) || dyn_encoding_is_one_to_one());
}

static bool
has_ranges(const DynCodec *codec)
{
	return codec->spelling.ordered &&
		(!is_text(codec) || dyn_encoding_sorts_as_utf8());
}

/* ---- the column ---- */

/* It has a collation if its type takes one. */
static bool
column_compares_bytes(const DynColumn *column)
{
	return !OidIsValid(column->collation) ||
		get_collation_isdeterministic(column->collation);
}

static DynVerdict
exact_if(bool exact)
{
	return exact ? DYN_EXACT : DYN_SUPERSET;
}

void
dyn_judge_column(DynColumn *column)
{
	const DynCodec *codec = &column->codec;
	DynTraits  *traits = &column->traits;
	bool		nulls = column->null_on_mismatch;
	bool		point = has_points(codec);
	bool		range = has_ranges(codec);

	memset(traits, 0, sizeof(*traits));
	traits->point = point;
	traits->key = codec->kind != DYN_CODEC_FLOAT4 &&
		codec->kind != DYN_CODEC_FLOAT8;

	/* where spellings vary, = is the interval that holds them all */
	if (point || range)
		traits->equality = exact_if(point && !nulls && !codec->is_domain);
	if (point)
		traits->inequality = exact_if(codec->spelling.total && !nulls);
	if (range)
		traits->range = exact_if(codec->spelling.total && !nulls);
	traits->order = point && range && (codec->spelling.total || !nulls);
	traits->distinct = point && column_compares_bytes(column);

	if (!nulls && !codec->is_domain)
	{
		traits->absence = DYN_EXACT;
		traits->presence = exact_if(codec->spelling.total);
	}
	if (codec->kind == DYN_CODEC_BOOL)
		traits->truth = exact_if(codec->spelling.canonical && !nulls &&
								 !codec->is_domain);
}

/* ---- operators ---- */

/* Does the operator compare what the codec decodes, as the codec's type does? */
static bool
is_of_codec(const DynOperator *op, const DynCodec *codec)
{
	return dyn_codec_accepts(codec, op->column_type) &&
		dyn_codec_accepts(codec, op->value_type) &&
		(op->comparison == DYN_COMPARE_RANGE
		 ? sorts_bytes(op->column_type, op->collation)
		 : compares_bytes(op->column_type, op->collation));
}

static DynVerdict
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

DynVerdict
dyn_judge_operator(const DynColumn *column, const DynOperator *op)
{
	if (!is_of_codec(op, &column->codec))
		return DYN_LOCAL;
	return trait_of(&column->traits, op->comparison);
}

static bool
is_plain_number(const DynCodec *codec)
{
	return codec->kind >= DYN_CODEC_INT2 && codec->kind <= DYN_CODEC_NUMERIC &&
		codec->format.kind == DYN_FORMAT_NONE;
}

/*
 * Columns of one kind.  Never exact: DynamoDB compares what is stored in both,
 * of whatever type it is, its NULLs included.
 */
DynVerdict
dyn_judge_columns(const DynColumn *column, const DynColumn *other,
				  const DynOperator *op)
{
	const DynCodec *a = &column->codec;
	const DynCodec *b = &other->codec;

	if (op->comparison == DYN_COMPARE_NE ||
		!((is_plain_number(a) && is_plain_number(b)) ||
		  (is_text(a) && is_text(b))) ||
		!is_of_codec(op, a) || !is_of_codec(op, b))
		return DYN_LOCAL;
	return weaker(DYN_SUPERSET,
				  weaker(trait_of(&column->traits, op->comparison),
						 trait_of(&other->traits, op->comparison)));
}

DynVerdict
dyn_judge_prefix(const DynColumn *column, Oid collation)
{
	const DynCodec *codec = &column->codec;

	return is_text(codec) && has_points(codec) &&
		compares_bytes(codec->basetype, collation) ? DYN_SUPERSET : DYN_LOCAL;
}

DynVerdict
dyn_judge_element(const DynColumn *column, const DynOperator *op)
{
	const DynCodec *element = column->codec.element;

	return column->codec.kind == DYN_CODEC_ARRAY && has_points(element) &&
		is_of_codec(op, element) ? DYN_SUPERSET : DYN_LOCAL;
}

/* Texts alone: DynamoDB does not know what other operators make of them. */
DynVerdict
dyn_judge_member(const DynOperator *op)
{
	return op->comparison == DYN_COMPARE_EQ &&
		op->column_type == TEXTOID && op->value_type == TEXTOID &&
		compares_bytes(TEXTOID, op->collation) &&
		dyn_encoding_is_one_to_one() ? DYN_SUPERSET : DYN_LOCAL;
}

bool
dyn_judge_name(const char *name)
{
	const char *utf8 = name;
	size_t		len = strlen(name);

	return pg_is_ascii(name) ||
		(dyn_encoding_is_one_to_one() && dyn_value_to_utf8(&utf8, &len));
}

/* ---- order ---- */

bool
dyn_judge_order(const DynColumn *column, Oid opfamily, Oid collation)
{
	Oid			type = column->codec.basetype;

	return column->traits.order &&
		lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf == opfamily &&
		sorts_bytes(type, collation);
}

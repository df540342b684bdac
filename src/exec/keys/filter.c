/*
 * filter.c
 *		Converts predicates to conditions: one small function for each kind.
 *
 * DynamoDB's logic does not have NULL: a negated comparison is true if the
 * attribute is missing.  So conditions for <> and NOT IN also test the
 * attribute's type (Amazon DynamoDB Developer Guide, "Condition and filter
 * expressions").
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "../../base/number.h"
#include "../../model/values/like.h"
#include "filter.h"
#include "key_values.h"

static DynCond *
on_path(DynCondKind kind, const DynPath *path)
{
	return dyn_make_cond(kind, path, NULL, 0);
}

static DynCond *
with_value(DynCondKind kind, const DynPath *path, DynScalar value)
{
	DynScalar  *copy = palloc(sizeof(DynScalar));

	*copy = value;
	return dyn_make_cond(kind, path, copy, 1);
}

static DynCond *
is_type(const DynPath *path, DynType type)
{
	DynCond    *cond = on_path(DYN_COND_IS_TYPE, path);

	cond->type = type;
	return cond;
}

static DynCond *
both(DynCond *a, DynCond *b)
{
	return dyn_make_both(DYN_COND_AND, a, b);
}

static DynCond *
either(DynCond *a, DynCond *b)
{
	return dyn_make_both(DYN_COND_OR, a, b);
}

static DynCond *
not(DynCond *arg)
{
	DynCond    *cond = dyn_make_junction(DYN_COND_NOT, 1);

	dyn_cond_add(cond, arg);
	return cond;
}

/* ---- comparisons ---- */

/* Returns FALSE if the value cannot be encoded. */
static DynCond *
encoded_cond(DynCondKind kind, const DynCodec *codec, const DynPath *path,
			 Oid valuetype, Datum value)
{
	DynScalar	scalar;

	if (dyn_codec_encode(codec, valuetype, value, &scalar) != DYN_ENCODED)
		return dyn_make_constant(false);
	return with_value(kind, path, scalar);
}

static DynCond *
bound_cond(const DynCodec *codec, const DynPath *path, DynComparison comparison,
		   Oid valuetype, Datum value)
{
	bool		lower = comparison == DYN_COMPARE_GT || comparison == DYN_COMPARE_GE;
	bool		inclusive = comparison == DYN_COMPARE_LE ||
		comparison == DYN_COMPARE_GE;
	DynScalar	scalar;

	switch (dyn_codec_encode_bound(codec, valuetype, value, lower, &inclusive,
								   &scalar))
	{
		case DYN_ENCODED_NOTHING:
			return dyn_make_constant(false);
		case DYN_ENCODED_ANYTHING:
		case DYN_ENCODED_UNKNOWN:
			return is_type(path, codec->wire);
		default:
			if (lower)
				return with_value(inclusive ? DYN_COND_GE : DYN_COND_GT, path, scalar);
			return with_value(inclusive ? DYN_COND_LE : DYN_COND_LT, path, scalar);
	}
}

/* Returns an equality, or an interval if several encodings equal `value`. */
static DynCond *
equality_cond(const DynCodec *codec, const DynPath *path, Oid valuetype,
			  Datum value)
{
	if (!dyn_codec_is_point(codec))
		return both(bound_cond(codec, path, DYN_COMPARE_GE, valuetype, value),
					bound_cond(codec, path, DYN_COMPARE_LE, valuetype, value));
	return encoded_cond(DYN_COND_EQ, codec, path, valuetype, value);
}

static DynCond *
inequality_cond(const DynCodec *codec, const DynPath *path, Oid valuetype,
				Datum value)
{
	DynScalar	scalar;

	if (dyn_codec_encode(codec, valuetype, value, &scalar) != DYN_ENCODED)
		return is_type(path, codec->wire);
	return both(with_value(DYN_COND_NE, path, scalar),
				is_type(path, codec->wire));
}

/* ---- arrays ---- */

static int
compare_scalars(const void *a, const void *b, void *arg)
{
	return dyn_scalar_compare(a, b);
}

/*
 * Returns an IN condition with those elements of the SQL array that an item
 * can store; FALSE if there are none.  If there are more elements than
 * DynamoDB's IN permits, expression.c renders several INs, connected by OR.
 */
static DynCond *
members_cond(const DynCodec *codec, const DynPath *path, Oid elemtype,
			 const DynArrayElements *elements)
{
	DynCond    *cond = on_path(DYN_COND_IN, path);
	DynScalar  *scalars =
		MemoryContextAllocHuge(CurrentMemoryContext,
							   elements->n * sizeof(DynScalar));

	for (int i = 0; i < elements->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!elements->nulls[i] &&
			dyn_codec_encode(codec, elemtype, elements->values[i],
							 &scalars[cond->nvalues]) == DYN_ENCODED)
			cond->nvalues++;
	}
	/* sort a long list, because it may be searched for each cached item */
	if (cond->nvalues > DYN_EXPR_MAX_IN && codec->wire != DYN_TYPE_ABSENT &&
		codec->wire <= DYN_TYPE_B)
	{
		qsort_interruptible(scalars, cond->nvalues, sizeof(DynScalar), compare_scalars, NULL);
		cond->sorted = true;
	}
	cond->values = scalars;
	return cond->nvalues > 0 ? cond : dyn_make_constant(false);
}

static bool
has_null(const DynArrayElements *elements)
{
	return elements->n > 0 && memchr(elements->nulls, true, elements->n) != NULL;
}

/* Returns NOT IN, which is never true in SQL if the list contains a NULL. */
static DynCond *
not_members_cond(const DynCodec *codec, const DynPath *path, Oid elemtype,
				 const DynArrayElements *elements)
{
	if (elements->n == 0)
		return dyn_make_constant(true);
	if (has_null(elements))
		return dyn_make_constant(false);
	return both(is_type(path, codec->wire),
				not(members_cond(codec, path, elemtype, elements)));
}

static DynCond *
contains_all_cond(const DynCodec *codec, const DynPath *path, Oid elemtype,
				  const DynArrayElements *elements)
{
	DynCond    *cond = dyn_make_junction(DYN_COND_AND,
										 Min(elements->n, DYN_EXPR_MAX_OPERATORS) + 1);

	if (has_null(elements))
		return dyn_make_constant(false);
	dyn_cond_add(cond, on_path(DYN_COND_EXISTS, path));
	for (int i = 0; i < elements->n && cond->nargs <= DYN_EXPR_MAX_OPERATORS; i++)
		dyn_cond_add(cond, encoded_cond(DYN_COND_CONTAINS, codec->element, path,
										elemtype, elements->values[i]));
	return cond;
}

/* ---- patterns and equality of text ---- */

static DynCond *
prefix_cond(const DynPath *path, DynScalar prefix)
{
	if (prefix.len == 0)
		return is_type(path, DYN_TYPE_S);
	return with_value(DYN_COND_BEGINS_WITH, path, prefix);
}

static DynCond *
like_cond(const DynPath *path, bool is_literal, Datum pattern)
{
	char	   *literal;
	DynScalar	value;
	DynLike		like;

	if (!dyn_encode_text(pattern, &value))
		return is_type(path, DYN_TYPE_S);
	if (is_literal)
		return prefix_cond(path, value);
	like = dyn_like_pattern(value.data, value.len, &literal, &value.len);
	value.data = literal;
	switch (like)
	{
		case DYN_LIKE_EQUAL:
			return with_value(DYN_COND_EQ, path, value);
		case DYN_LIKE_PREFIX:
			return prefix_cond(path, value);
		case DYN_LIKE_CONTAINS:
			return with_value(DYN_COND_CONTAINS, path, value);
		default:
			return is_type(path, DYN_TYPE_S);
	}
}

static void
add_bytes_of_text(DynCond *cond, DynCondKind kind, const DynPath *path,
				  const char *s, size_t len)
{
	DynValue	base64 = {s, (uint32_t) len, DYN_TYPE_B, 0};
	unsigned char *bytes = palloc(dyn_value_bytes_max(&base64) + 1);
	long		n = dyn_value_bytes(&base64, bytes);

	if (n >= 0)
		dyn_cond_add(cond, with_value(kind, path,
									  (DynScalar) {DYN_TYPE_B, (char *) bytes, n}));
}

/*
 * Returns a condition that is true if ->> yields `value` for the attribute.
 * If `value` looks like the text of a list or map, the condition only tests
 * whether the attribute exists.
 */
static DynCond *
text_equality_cond(const DynPath *path, Datum value)
{
	char	   *number = palloc(DYN_NUMBER_BUFSIZE);
	size_t		number_len;
	DynScalar	scalar;
	const char *s;
	size_t		len;
	bool		yes;
	DynCond    *cond;

	if (!dyn_encode_text(value, &scalar))
		return dyn_make_constant(false);
	s = scalar.data;
	len = scalar.len;
	if (len > 0 && (s[0] == '{' || s[0] == '['))
		return on_path(DYN_COND_EXISTS, path);
	cond = dyn_make_junction(DYN_COND_OR, 4);
	dyn_cond_add(cond, with_value(DYN_COND_EQ, path, scalar));
	if (dyn_number_canonical(s, len, number, &number_len) == DYN_NUMBER_OK &&
		number_len == len && memcmp(number, s, len) == 0)
		dyn_cond_add(cond, with_value(DYN_COND_EQ, path,
									  (DynScalar) {DYN_TYPE_N, number, len}));
	yes = (len == 4 && memcmp(s, "true", 4) == 0);
	if (yes || (len == 5 && memcmp(s, "false", 5) == 0))
		dyn_cond_add(cond, with_value(DYN_COND_EQ, path,
									  (DynScalar) {DYN_TYPE_BOOL, NULL, yes}));
	add_bytes_of_text(cond, DYN_COND_EQ, path, s, len);
	return cond;
}

/* ---- elements of unnested attributes ---- */

/* Tests for `string`, and for the B value whose base64 text is `string`. */
static DynCond *
contains_string(const DynPath *path, const JsonbValue *string)
{
	text	   *t = cstring_to_text_with_len(string->val.string.val,
											 string->val.string.len);
	DynCond    *cond = dyn_make_junction(DYN_COND_OR, 2);
	DynScalar	scalar;

	if (!dyn_encode_text(PointerGetDatum(t), &scalar))
		return dyn_make_constant(false);
	dyn_cond_add(cond, with_value(DYN_COND_CONTAINS, path, scalar));
	add_bytes_of_text(cond, DYN_COND_CONTAINS, path, scalar.data, scalar.len);
	return cond;
}

static DynCond *
contains_number(const DynPath *path, const JsonbValue *number)
{
	char	   *text = numeric_normalize(number->val.numeric);
	char	   *buf = palloc(DYN_NUMBER_BUFSIZE);
	size_t		len;

	if (dyn_number_canonical(text, strlen(text), buf, &len) != DYN_NUMBER_OK)
		return dyn_make_constant(false);
	return with_value(DYN_COND_CONTAINS, path, (DynScalar) {DYN_TYPE_N, buf, len});
}

/*
 * Returns the condition that a set or list contains the jsonb value.  For a
 * boolean, list or map, returns TRUE, which tests nothing.  For JSON's null,
 * returns FALSE, since a null element is NULL in SQL.
 */
static DynCond *
contains_jsonb(const DynPath *path, Datum value)
{
	Jsonb	   *jsonb = DatumGetJsonbP(value);
	JsonbValue	scalar;

	if (!JsonbExtractScalar(&jsonb->root, &scalar))
		return dyn_make_constant(true);
	switch (scalar.type)
	{
		case jbvString:
			return contains_string(path, &scalar);
		case jbvNumeric:
			return contains_number(path, &scalar);
		default:
			return dyn_make_constant(scalar.type != jbvNull);
	}
}

/*
 * Returns a condition that is true if an element of the unnested attribute may
 * equal the value, or FALSE if none can.  The condition is true for every map,
 * because DynamoDB's contains() does not examine the members of maps.
 */
static DynCond *
unnested_cond(const DynCodec *codec, const DynPath *path, Oid valuetype,
			  Datum value)
{
	DynCond    *contains = codec->kind == DYN_CODEC_JSONB
		? contains_jsonb(path, value)
		: encoded_cond(DYN_COND_CONTAINS, codec, path, valuetype, value);

	return contains->kind == DYN_COND_FALSE ? contains
		: either(contains, is_type(path, DYN_TYPE_M));
}

/* ---- existence and booleans ---- */

/* Returns the condition for IS NULL.  A full item (no steps) is never NULL. */
static DynCond *
null_cond(const DynPath *path)
{
	if (path->nsteps == 0)
		return dyn_make_constant(false);
	return either(on_path(DYN_COND_NOT_EXISTS, path),
				  is_type(path, DYN_TYPE_NULL));
}

static DynCond *
not_null_cond(const DynCodec *codec, const DynPred *pred, const DynPath *path)
{
	if (pred->field.steps != NIL)
		return on_path(DYN_COND_EXISTS, path);
	if (codec->wire != DYN_TYPE_ABSENT)
		return is_type(path, codec->wire);
	return both(on_path(DYN_COND_EXISTS, path),
				not(is_type(path, DYN_TYPE_NULL)));
}

/* Returns the condition for all encodings of a boolean. */
static DynCond *
boolean_cond(const DynCodec *codec, const DynPath *path, bool flag)
{
	static const DynScalar words[2][3] = {
		{{DYN_TYPE_S, "f", 1}, {DYN_TYPE_S, "false", 5}, {DYN_TYPE_S, "N", 1}},
		{{DYN_TYPE_S, "t", 1}, {DYN_TYPE_S, "true", 4}, {DYN_TYPE_S, "Y", 1}}};
	DynCond    *cond;

	if (dyn_codec_is_point(codec))
		return equality_cond(codec, path, BOOLOID, BoolGetDatum(flag));
	cond = dyn_make_junction(DYN_COND_OR, 3);
	dyn_cond_add(cond, with_value(DYN_COND_EQ, path,
								  (DynScalar) {DYN_TYPE_BOOL, NULL, flag}));
	dyn_cond_add(cond, with_value(DYN_COND_EQ, path,
								  (DynScalar) {DYN_TYPE_N, flag ? "1" : "0", 1}));
	dyn_cond_add(cond, dyn_make_cond(DYN_COND_IN, path, words[flag], 3));
	return cond;
}

/* ---- predicates with a value ---- */

/* Returns the condition for a predicate whose value is not NULL. */
static DynCond *
value_cond(const DynColumn *column, const DynPath *path, const DynPred *pred, Datum value)
{
	const DynCodec *codec = &column->codec;
	Oid			type = pred->valuetype;
	DynArrayElements elements = {0};

	if (pred->array)
		elements = dyn_array_elements(value);
	if (pred->kind == DYN_PRED_LIKE)
		return like_cond(path, pred->literal, value);
	if (pred->kind == DYN_PRED_CONTAINS)
		return pred->array ? contains_all_cond(codec, path, type, &elements)
			: dyn_column_is_of_item(column)
			? encoded_cond(DYN_COND_CONTAINS, codec->element, path, type, value)
			: unnested_cond(codec, path, type, value);
	Assert(pred->kind == DYN_PRED_COMPARE);
	if (pred->field.steps != NIL)
		return text_equality_cond(path, value);
	switch (pred->operator.comparison)
	{
		case DYN_COMPARE_EQ:
			return pred->array ? members_cond(codec, path, type, &elements)
				: equality_cond(codec, path, type, value);
		case DYN_COMPARE_NE:
			return pred->array ? not_members_cond(codec, path, type, &elements)
				: inequality_cond(codec, path, type, value);
		default:
			return bound_cond(codec, path, pred->operator.comparison, type, value);
	}
}

/* ---- item filter ---- */

DynCond *
dyn_filter_term_cond(const DynFilterTerm *term)
{
	DynCond    *cond;
	DynCond    *absent;

	if (term->ttl)
	{
		DynScalar  *expired = palloc(2 * sizeof(DynScalar));

		dyn_expired_range(&expired[0], &expired[1]);
		return not(dyn_make_cond(DYN_COND_BETWEEN, term->path, expired, 2));
	}
	cond = dyn_make_cond(term->nvalues == 1 ? DYN_COND_EQ : DYN_COND_IN, term->path,
						 term->values, term->nvalues);
	if (!term->or_null)
		return cond;
	absent = null_cond(term->path);
	return term->nvalues > 0 ? either(absent, cond) : absent;
}

DynCond *
dyn_item_filter_cond(const DynItemFilter *test)
{
	DynCond    *all = dyn_make_junction(DYN_COND_AND, test->nterms);

	for (int i = 0; i < test->nterms; i++)
		dyn_cond_add(all, dyn_filter_term_cond(&test->terms[i]));
	return dyn_cond_simplify(all);
}

/* ---- all predicates ---- */

/* Converts a predicate on a field; a comparison with NULL becomes FALSE. */
static DynCond *
field_cond(const DynRelation *relation, const DynPred *pred, const DynValues *values)
{
	static const DynCondKind comparisons[] = {
		[DYN_COMPARE_EQ] = DYN_COND_EQ,
		[DYN_COMPARE_LT] = DYN_COND_LT,
		[DYN_COMPARE_LE] = DYN_COND_LE,
		[DYN_COMPARE_GT] = DYN_COND_GT,
		[DYN_COMPARE_GE] = DYN_COND_GE,
	};
	const DynColumn *column = dyn_relation_column(relation, pred->field.attnum);
	const DynPath *path = dyn_field_path(relation, &pred->field);
	DynCond    *cond;

	switch (pred->kind)
	{
		case DYN_PRED_NULL:
			return pred->negated ? not_null_cond(&column->codec, pred, path) : null_cond(path);
		case DYN_PRED_BOOLEAN:
			return boolean_cond(&column->codec, path, !pred->negated);
		case DYN_PRED_FIELDS:
			cond = on_path(comparisons[pred->operator.comparison], path);
			cond->path2 = dyn_relation_column(relation, pred->other)->path;
			return cond;
		default:
			return values->nulls[pred->param] ? dyn_make_constant(false)
				: value_cond(column, path, pred, values->values[pred->param]);
	}
}

DynCond *
dyn_filter_cond(const DynRelation *relation, const DynPred *pred,
				const DynValues *values)
{
	DynCond    *cond;
	ListCell   *lc;

	check_stack_depth();
	switch (pred->kind)
	{
		case DYN_PRED_AND:
		case DYN_PRED_OR:
			cond = dyn_make_junction(pred->kind == DYN_PRED_AND ? DYN_COND_AND : DYN_COND_OR,
									 list_length(pred->args));
			foreach(lc, pred->args)
				dyn_cond_add(cond, dyn_filter_cond(relation, lfirst(lc), values));
			return cond;
		case DYN_PRED_FILTER_TERM:
			return dyn_filter_term_cond(&relation->item_filter.terms[pred->term]);
		case DYN_PRED_TEMPLATED:
			return dyn_templated_cond(relation, pred, values);
		case DYN_PRED_GIVEN:
			return dyn_make_constant(dyn_given_holds(values, pred));
		default:
			return field_cond(relation, pred, values);
	}
}

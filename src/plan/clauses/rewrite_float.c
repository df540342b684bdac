/*
 * rewrite_float.c
 *		Classifies comparisons of integer and numeric columns with double
 *		precision values.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "../../model/values/arrays.h"
#include "../../model/values/types.h"
#include "rewrite_float.h"

/* Longer lists are not worth a filter. */
#define MAX_LIST	25

/*
 * Returns true if several values of the column may become one double precision
 * value.
 */
static bool
is_rounded(const DynClassify *context, const DynOperator *op,
		   const DynField *field)
{
	DynCodecKind kind = dyn_field_column(context, field)->codec.kind;

	return op->column_type == FLOAT8OID && op->value_type == FLOAT8OID &&
		(kind == DYN_CODEC_INT8 || kind == DYN_CODEC_NUMERIC);
}

static bool
is_plain(double value)
{
	return fabs(value) < DYN_EXACT_DOUBLES;
}

static bool
is_bigint(const DynClassify *context, const DynField *field)
{
	return dyn_field_column(context, field)->codec.kind == DYN_CODEC_INT8;
}

static DynOperator
numeric_operator(const DynOperator *op)
{
	DynOperator other = *op;

	other.column_type = other.value_type = NUMERICOID;
	return other;
}

static Datum
numeric_of(double value)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(psprintf("%.17g", value)),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

/*
 * Returns the value as a numeric constant, if it equals at most one bigint;
 * else NULL.
 */
static Node *
plain_constant(const DynClassify *context, const DynField *field, Node *value)
{
	const Const *constant = (const Const *) value;

	if (!is_bigint(context, field) || !IsA(value, Const) ||
		constant->constisnull || !is_plain(DatumGetFloat8(constant->constvalue)))
		return NULL;
	return (Node *) makeConst(NUMERICOID, -1, InvalidOid, -1,
							  numeric_of(DatumGetFloat8(constant->constvalue)),
							  false, false);
}

/* Classifies a range from the lower neighbor to the upper one. */
static DynPred *
classify_neighbors(DynClassify *context, const DynOperator *op,
				   const DynField *field, Node *value)
{
	DynOperator range = *op;
	DynPred    *lower,
			   *upper;

	range.comparison = DYN_COMPARE_GE;
	lower = dyn_classify_comparison(context, &range, field, value);
	range.comparison = DYN_COMPARE_LE;
	upper = dyn_classify_comparison(context, &range, field, value);
	return dyn_make_between(lower, upper);
}

DynPred *
dyn_classify_number(DynClassify *context, const DynOperator *op,
					const DynField *field, Node *value)
{
	DynOperator numeric = numeric_operator(op);
	Node	   *constant;

	if (field->steps != NIL || !is_rounded(context, op, field))
		return dyn_classify_comparison(context, op, field, value);
	constant = plain_constant(context, field, value);
	if (constant != NULL)
		return dyn_classify_comparison(context, &numeric, field, constant);
	return op->comparison == DYN_COMPARE_EQ
		? classify_neighbors(context, op, field, value)
		: dyn_classify_comparison(context, op, field, value);
}

/* ---- lists ---- */

static bool
are_plain(const DynArrayElements *doubles)
{
	for (int i = 0; i < doubles->n; i++)
	{
		if (!doubles->nulls[i] && !is_plain(DatumGetFloat8(doubles->values[i])))
			return false;
	}
	return true;
}

static Node *
numeric_array(DynArrayElements *doubles)
{
	for (int i = 0; i < doubles->n; i++)
	{
		if (!doubles->nulls[i])
			doubles->values[i] = numeric_of(DatumGetFloat8(doubles->values[i]));
	}
	return (Node *) makeConst(NUMERICARRAYOID, -1, InvalidOid, -1,
							  dyn_array_of_elements(doubles, NUMERICOID),
							  false, false);
}

/*
 * Classifies the neighbors of each element; NULL if the list is empty or long.
 */
static DynPred *
classify_each(DynClassify *context, const DynOperator *op, const DynField *field,
			  const DynArrayElements *doubles)
{
	List	   *arms = NIL;

	if (doubles->n > MAX_LIST)
		return NULL;
	for (int i = 0; i < doubles->n; i++)
	{
		Node	   *value = (Node *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
											   doubles->values[i], false,
											   FLOAT8PASSBYVAL);
		DynPred    *arm;

		if (doubles->nulls[i])
			continue;
		arm = classify_neighbors(context, op, field, value);
		if (arm == NULL)
			return NULL;
		arms = lappend(arms, arm);
	}
	return arms == NIL ? NULL : dyn_make_or(arms);
}

bool
dyn_number_list_is_plain(DynClassify *context, DynOperator *op,
						 const DynField *field, Node **array, DynPred **pred)
{
	DynArrayElements doubles;

	if (!is_rounded(context, op, field))
		return true;
	*pred = NULL;
	if (op->comparison != DYN_COMPARE_EQ || !IsA(*array, Const) ||
		((Const *) *array)->constisnull)
		return false;
	doubles = dyn_array_elements(((Const *) *array)->constvalue);
	if (doubles.n > 0 && is_bigint(context, field) && are_plain(&doubles))
	{
		*op = numeric_operator(op);
		*array = numeric_array(&doubles);
		return true;
	}
	*pred = classify_each(context, op, field, &doubles);
	return false;
}

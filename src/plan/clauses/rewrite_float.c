/*
 * rewrite_float.c
 *		Classifies comparisons of integer and numeric columns with double
 *		precision values.
 *
 * SQL converts the column to double precision.  This preserves all values of
 * smallint and integer, and bigint values with a magnitude below 2^53.
 * Otherwise several values of the column may become one double.  Therefore the
 * predicates are bounds, which model/values/encode.c widens to the adjacent
 * doubles, and an equality becomes a lower and an upper bound.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "../../model/values/arrays.h"
#include "../../model/values/types.h"
#include "rewrite.h"

/* Maximum number of elements of a list that becomes an OR of ranges. */
#define MAX_LIST	25

/*
 * Returns true for a comparison in double precision if several values of the
 * column may become one double.
 */
static bool
is_rounded(const DynClassify *context, const DynOperator *op,
		   const DynField *field)
{
	DynCodecKind kind = dyn_field_column(context, field)->codec.kind;

	return op->column_type == FLOAT8OID && op->value_type == FLOAT8OID &&
		(kind == DYN_CODEC_INT8 || kind == DYN_CODEC_NUMERIC);
}

/*
 * Converts the doubles to numeric values.  Returns false, and converts
 * nothing, if one of the doubles is NaN or may be equal to several bigints.
 */
static bool
convert_doubles(DynArrayElements *doubles)
{
	for (int i = 0; i < doubles->n; i++)
	{
		double		value = doubles->nulls[i] ? 0 : DatumGetFloat8(doubles->values[i]);

		if (fabs(value) >= DYN_EXACT_DOUBLES || isnan(value))
			return false;
	}
	for (int i = 0; i < doubles->n; i++)
	{
		char	   *digits;

		if (doubles->nulls[i])
			continue;
		digits = psprintf("%.17g", DatumGetFloat8(doubles->values[i]));
		doubles->values[i] = DirectFunctionCall3(numeric_in, CStringGetDatum(digits),
												 ObjectIdGetDatum(InvalidOid),
												 Int32GetDatum(-1));
	}
	return true;
}

/* Classifies = as >= and <=. */
static DynPred *
classify_neighbors(DynClassify *context, const DynOperator *op,
				   const DynField *field, Node *value)
{
	DynOperator range = *op;
	DynPred    *lower,
			   *upper;

	range.comparison = DYN_COMPARE_GE;
	lower = dyn_classify_comparison(context, &range, field, value, false);
	range.comparison = DYN_COMPARE_LE;
	upper = dyn_classify_comparison(context, &range, field, value, false);
	return dyn_make_between(lower, upper);
}

DynPred *
dyn_classify_number(DynClassify *context, const DynOperator *op,
					const DynField *field, Node *value)
{
	const Const *constant = (const Const *) value;

	if (field->steps != NIL || !is_rounded(context, op, field))
		return dyn_classify_comparison(context, op, field, value, false);
	if (dyn_field_column(context, field)->codec.kind == DYN_CODEC_INT8 &&
		IsA(value, Const) && !constant->constisnull)
	{
		Datum		number = constant->constvalue;
		bool		isnull = false;
		DynArrayElements one = {.n = 1,.values = &number,.nulls = &isnull};
		DynOperator numeric = {op->comparison, NUMERICOID, NUMERICOID, op->collation};

		if (convert_doubles(&one))
			return dyn_classify_comparison(context, &numeric, field, (Node *)
										   makeConst(NUMERICOID, -1, InvalidOid, -1,
													 number, false, false), false);
	}
	return op->comparison == DYN_COMPARE_EQ
		? classify_neighbors(context, op, field, value)
		: dyn_classify_comparison(context, op, field, value, false);
}

bool
dyn_number_list_is_plain(DynClassify *context, DynOperator *op,
						 const DynField *field, Node **array, DynPred **pred)
{
	DynArrayElements doubles;
	List	   *arms = NIL;

	if (!is_rounded(context, op, field))
		return true;
	*pred = NULL;
	if (op->comparison != DYN_COMPARE_EQ || !IsA(*array, Const) ||
		((Const *) *array)->constisnull)
		return false;
	doubles = dyn_array_elements(((Const *) *array)->constvalue);
	if (doubles.n > 0 &&
		dyn_field_column(context, field)->codec.kind == DYN_CODEC_INT8 &&
		convert_doubles(&doubles))
	{
		op->column_type = op->value_type = NUMERICOID;
		*array = (Node *) makeConst(NUMERICARRAYOID, -1, InvalidOid, -1,
									dyn_array_of_elements(&doubles, NUMERICOID),
									false, false);
		return true;
	}
	/* each element becomes a range */
	for (int i = 0; i < doubles.n && doubles.n <= MAX_LIST; i++)
	{
		DynPred    *arm;

		if (doubles.nulls[i])
			continue;
		arm = classify_neighbors(context, op, field, (Node *)
								 makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
										   doubles.values[i], false, FLOAT8PASSBYVAL));
		if (arm == NULL)
			return false;
		arms = lappend(arms, arm);
	}
	*pred = arms == NIL ? NULL : dyn_make_or(arms);
	return false;
}

/*
 * values.c
 *		Evaluates, copies and compares the run-time values of executions.
 *
 * Some values are converted to the types of the columns with which they are
 * compared (plan/clauses/preds.h).  A conversion returns NULL if the value, or
 * another operand (such as the interval in column + interval), is NULL: the
 * SQL comparison then selects no rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "../../plan/clauses/preds.h"
#include "values.h"

void
dyn_values_init(DynValues *values, const List *exprs, const List *conversions)
{
	int			n = list_length(exprs);
	DynValueType *types = palloc(Max(n, 1) * sizeof(DynValueType));
	ListCell   *lc;

	for (int i = 0; i < n; i++)
		get_typlenbyval(exprType(list_nth(exprs, i)), &types[i].len,
						&types[i].byval);
	foreach(lc, conversions)
	{
		const DynConversion *conversion = lfirst(lc);
		DynValueType *type = &types[conversion->param];

		get_typlenbyval(conversion->array && conversion->bound == DYN_BOUND_EQUAL
						? get_array_type(conversion->to) : conversion->to,
						&type->len, &type->byval);
	}
	values->n = n;
	values->types = types;
	values->values = palloc0(Max(n, 1) * sizeof(Datum));
	values->nulls = palloc(Max(n, 1) * sizeof(bool));
	memset(values->nulls, true, n * sizeof(bool));
}

/* ---- conversions ---- */

static Datum
convert_array(const DynConversion *conversion, Datum array)
{
	DynArrayElements elements = dyn_array_elements(array);

	for (int i = 0; i < elements.n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!elements.nulls[i])
			elements.values[i] = dyn_convert_time(elements.values[i],
												  conversion->from, conversion->to);
	}
	return dyn_array_of_elements(&elements, conversion->to);
}

static int64
time_as_int(Oid type, Datum value)
{
	return type == DATEOID ? DatumGetInt32(value) : DatumGetInt64(value);
}

/*
 * Converts each element that is not NULL to a bound.  Stores the greatest of
 * upper bounds, or the least of lower bounds.  Returns false if all are NULL.
 */
static bool
convert_bound(const DynConversion *conversion, const DynTimeStep *steps,
			  const DynArrayElements *elements, Datum *result)
{
	bool		found = false;

	for (int i = 0; i < elements->n; i++)
	{
		Datum		bound;
		int64		a,
					b;

		CHECK_FOR_INTERRUPTS();
		if (elements->nulls[i])
			continue;
		bound = dyn_invert_bound(elements->values[i], conversion->from,
								 conversion->compared, conversion->upper,
								 conversion->strict, steps,
								 list_length(conversion->steps), conversion->to);
		a = time_as_int(conversion->to, bound);
		b = found ? time_as_int(conversion->to, *result) : a;
		if (!found || (conversion->bound == DYN_BOUND_UPPER ? a > b : a < b))
			*result = bound;
		found = true;
	}
	return found;
}

/* Converts *value; returns false if the result is NULL. */
static bool
convert(const DynConversion *conversion, const Datum *values, const bool *nulls,
		Datum *value)
{
	DynTimeStep *steps = palloc(Max(list_length(conversion->steps), 1) *
								sizeof(DynTimeStep));
	Datum		source = *value;
	bool		no = false;
	DynArrayElements elements = {1, &source, &no};	/* a single value */
	ListCell   *lc;

	foreach(lc, conversion->steps)
	{
		const DynConversionStep *step = lfirst(lc);
		bool		has_operand = step->param >= 0;

		if (has_operand && nulls[step->param])
			return false;
		steps[foreach_current_index(lc)] = (DynTimeStep) {
			.kind = step->kind,
			.type = has_operand ? step->type : InvalidOid,
			.operand = has_operand ? values[step->param] : (Datum) 0
		};
	}
	if (conversion->bound == DYN_BOUND_EQUAL)
	{
		*value = conversion->array ? convert_array(conversion, source)
			: dyn_convert_time(source, conversion->from, conversion->to);
		return true;
	}
	if (conversion->array)
		elements = dyn_array_elements(source);
	return convert_bound(conversion, steps, &elements, value);
}

/* ---- values ---- */

void
dyn_values_evaluate(DynValues *values, const List *exprs,
					const List *conversions, ExprContext *econtext)
{
	ListCell   *lc;

	Assert(values->n == list_length(exprs));
	foreach(lc, exprs)
		values->values[foreach_current_index(lc)] =
			ExecEvalExpr((ExprState *) lfirst(lc), econtext,
						 &values->nulls[foreach_current_index(lc)]);
	foreach(lc, conversions)
	{
		const DynConversion *conversion = lfirst(lc);
		int			n = conversion->param;

		if (!values->nulls[n] && !convert(conversion, values->values, values->nulls,
										  &values->values[n]))
		{
			values->nulls[n] = true;
			values->values[n] = (Datum) 0;
		}
	}
}

DynValues
dyn_values_copy(const DynValues *values)
{
	DynValues	copy = *values;
	Size		size = values->n * sizeof(Datum);
	char	   *memory = palloc(Max(size + values->n * sizeof(bool), 1));

	copy.values = memcpy(memory, values->values, size);
	copy.nulls = memcpy(memory + size, values->nulls, values->n * sizeof(bool));
	dyn_values_keep(&copy);
	return copy;
}

void
dyn_values_keep(DynValues *values)
{
	for (int i = 0; i < values->n; i++)
	{
		if (values->nulls[i])
			values->values[i] = (Datum) 0;
		else if (!values->types[i].byval)
			values->values[i] = datumCopy(values->values[i], false,
										  values->types[i].len);
	}
}

bool
dyn_values_equal(const DynValues *a, const DynValues *b, const bool *used)
{
	Assert(a->n == b->n);
	for (int i = 0; i < a->n; i++)
	{
		Assert(a->types[i].len == b->types[i].len &&
			   a->types[i].byval == b->types[i].byval);
		if (used != NULL && !used[i])
			continue;
		if (a->nulls[i] != b->nulls[i] ||
			(!a->nulls[i] &&
			 !datum_image_eq(a->values[i], b->values[i], a->types[i].byval,
							 a->types[i].len)))
			return false;
	}
	return true;
}

uint32
dyn_values_hash(const DynValues *values)
{
	uint32		hash = 0;

	for (int i = 0; i < values->n; i++)
		hash = hash_combine(hash, values->nulls[i] ? 0
							: datum_image_hash(values->values[i],
											   values->types[i].byval,
											   values->types[i].len));
	return hash;
}

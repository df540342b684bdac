/*
 * values.c
 *		Copies and compares the run-time values of executions.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "convert.h"
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

		get_typlenbyval(dyn_converted_type(conversion), &type->len, &type->byval);
	}
	values->n = n;
	values->types = types;
	values->values = palloc0(Max(n, 1) * sizeof(Datum));
	values->nulls = palloc(Max(n, 1) * sizeof(bool));
	memset(values->nulls, true, n * sizeof(bool));
}

void
dyn_values_evaluate(DynValues *values, const List *exprs,
					const List *conversions, ExprContext *econtext)
{
	int			i = 0;
	ListCell   *lc;

	Assert(values->n == list_length(exprs));
	foreach(lc, exprs)
	{
		values->values[i] = ExecEvalExpr((ExprState *) lfirst(lc), econtext,
										 &values->nulls[i]);
		i++;
	}
	dyn_convert_values(conversions, values->values, values->nulls);
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
dyn_values_equal(const DynValues *a, const DynValues *b)
{
	Assert(a->n == b->n);
	for (int i = 0; i < a->n; i++)
	{
		Assert(a->types[i].len == b->types[i].len &&
			   a->types[i].byval == b->types[i].byval);
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

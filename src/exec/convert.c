/*
 * convert.c
 *		Converts values to the types of the columns that they are compared
 *		with.
 *
 * NULL stays NULL, and becomes of a value whose expression has a NULL operand:
 * both select nothing.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "convert.h"

Oid
dyn_converted_type(const DynConversion *conversion)
{
	return conversion->array && conversion->bound == DYN_BOUND_EQUAL
		? get_array_type(conversion->to) : conversion->to;
}

/* Elements of an array, or the value alone. */
typedef struct Elements
{
	int			n;
	Datum	   *values;
	bool	   *nulls;
} Elements;

static void
get_elements(Datum array, Elements *elements)
{
	ArrayType  *a = DatumGetArrayTypeP(array);
	int16		len;
	bool		byval;
	char		align;

	get_typlenbyvalalign(ARR_ELEMTYPE(a), &len, &byval, &align);
	deconstruct_array(a, ARR_ELEMTYPE(a), len, byval, align, &elements->values,
					  &elements->nulls, &elements->n);
}

static Datum
make_array(const Elements *elements, Oid type)
{
	int			lower = 1;
	int16		len;
	bool		byval;
	char		align;

	if (elements->n == 0)
		return PointerGetDatum(construct_empty_array(type));
	get_typlenbyvalalign(type, &len, &byval, &align);
	return PointerGetDatum(construct_md_array(elements->values, elements->nulls, 1,
											  unconstify(int *, &elements->n),
											  &lower, type, len, byval, align));
}

static Datum
convert_array(const DynConversion *conversion, Datum array)
{
	Elements	elements;

	get_elements(array, &elements);
	for (int i = 0; i < elements.n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!elements.nulls[i])
			elements.values[i] = dyn_convert_time(elements.values[i],
												  conversion->from, conversion->to);
	}
	return make_array(&elements, conversion->to);
}

/* False if one of the operands is NULL. */
static bool
get_steps(const DynConversion *conversion, const Datum *values, const bool *nulls,
		  DynTimeStep *steps)
{
	ListCell   *lc;

	foreach(lc, conversion->steps)
	{
		const DynConversionStep *from = lfirst(lc);
		DynTimeStep    *step = &steps[foreach_current_index(lc)];

		step->kind = from->kind;
		step->type = InvalidOid;
		step->operand = (Datum) 0;
		if (from->param < 0)
			continue;
		if (nulls[from->param])
			return false;
		step->type = from->type;
		step->operand = values[from->param];
	}
	return true;
}

static bool
is_further(const DynConversion *conversion, Datum a, Datum b)
{
	int64		one = conversion->to == DATEOID ? DatumGetInt32(a) : DatumGetInt64(a);
	int64		other = conversion->to == DATEOID ? DatumGetInt32(b) : DatumGetInt64(b);

	return conversion->bound == DYN_BOUND_UPPER ? one > other : one < other;
}

/* The furthest bound of any element; false if there is none. */
static bool
convert_bound(const DynConversion *conversion, const DynTimeStep *steps,
			  const Elements *elements, Datum *result)
{
	bool		found = false;

	for (int i = 0; i < elements->n; i++)
	{
		Datum		bound;

		CHECK_FOR_INTERRUPTS();
		if (elements->nulls[i])
			continue;
		bound = dyn_preimage(elements->values[i], conversion->from,
							 conversion->compared, conversion->upper,
							 conversion->strict, steps,
							 list_length(conversion->steps), conversion->to);
		if (!found || is_further(conversion, bound, *result))
			*result = bound;
		found = true;
	}
	return found;
}

/* False if the result is NULL. */
static bool
convert(const DynConversion *conversion, const Datum *values, const bool *nulls,
		Datum *value)
{
	DynTimeStep    *steps = palloc(Max(list_length(conversion->steps), 1) * sizeof(DynTimeStep));
	Datum		source = *value;
	bool		no = false;
	Elements	elements = {1, &source, &no};

	if (!get_steps(conversion, values, nulls, steps))
		return false;
	if (conversion->bound == DYN_BOUND_EQUAL)
	{
		*value = conversion->array ? convert_array(conversion, source)
			: dyn_convert_time(source, conversion->from, conversion->to);
		return true;
	}
	if (conversion->array)
		get_elements(source, &elements);
	return convert_bound(conversion, steps, &elements, value);
}

void
dyn_convert_values(const List *conversions, Datum *values, bool *nulls)
{
	ListCell   *lc;

	foreach(lc, conversions)
	{
		const DynConversion *conversion = lfirst(lc);
		int			n = conversion->param;

		if (!nulls[n] && !convert(conversion, values, nulls, &values[n]))
		{
			nulls[n] = true;
			values[n] = (Datum) 0;
		}
	}
}

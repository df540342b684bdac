/*
 * convert.c
 *		Converts values to the types of the columns that they are compared
 *		with.
 *
 * NULL stays NULL, and a value whose expression has a NULL operand becomes
 * NULL: both select zero rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/lsyscache.h"

#include "../../model/values/arrays.h"
#include "convert.h"

Oid
dyn_converted_type(const DynConversion *conversion)
{
	return conversion->array && conversion->bound == DYN_BOUND_EQUAL
		? get_array_type(conversion->to) : conversion->to;
}

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

/* Reads the steps; false if one of the operands is NULL. */
static bool
get_steps(const DynConversion *conversion, const Datum *values, const bool *nulls,
		  DynTimeStep *steps)
{
	ListCell   *lc;

	foreach(lc, conversion->steps)
	{
		const DynConversionStep *from = lfirst(lc);
		DynTimeStep *step = &steps[foreach_current_index(lc)];

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

/* Stores the furthest bound of any element; false if there is none. */
static bool
convert_bound(const DynConversion *conversion, const DynTimeStep *steps,
			  const DynArrayElements *elements, Datum *result)
{
	bool		found = false;

	for (int i = 0; i < elements->n; i++)
	{
		Datum		bound;

		CHECK_FOR_INTERRUPTS();
		if (elements->nulls[i])
			continue;
		bound = dyn_invert_bound(elements->values[i], conversion->from,
								 conversion->compared, conversion->upper,
								 conversion->strict, steps,
								 list_length(conversion->steps), conversion->to);
		if (!found || is_further(conversion, bound, *result))
			*result = bound;
		found = true;
	}
	return found;
}

/* Stores the result; false if it is NULL. */
static bool
convert(const DynConversion *conversion, const Datum *values, const bool *nulls,
		Datum *value)
{
	DynTimeStep *steps = palloc(Max(list_length(conversion->steps), 1) *
								sizeof(DynTimeStep));
	Datum		source = *value;
	bool		no = false;
	DynArrayElements elements = {1, &source, &no};	/* a single value */

	if (!get_steps(conversion, values, nulls, steps))
		return false;
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

/*
 * arrays.c
 *		Splits arrays into elements, and builds arrays from them.
 */
#include "postgres.h"

#include "utils/array.h"
#include "utils/lsyscache.h"

#include "arrays.h"

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

/*
 * arrays.h
 *		Splits arrays into elements, and builds arrays from them.
 */
#ifndef DYN_MODEL_ARRAYS_H
#define DYN_MODEL_ARRAYS_H

typedef struct DynArrayElements
{
	int			n;
	Datum	   *values;
	bool	   *nulls;
} DynArrayElements;

/*
 * Returns the elements of an array of any type and dimensions, in storage
 * order.  Allocates in CurrentMemoryContext; values passed by reference point
 * into the array, or into a detoasted copy.
 */
extern DynArrayElements dyn_array_elements(Datum array);

/* Returns a one-dimensional array of elements of `type`. */
extern Datum dyn_array_of_elements(const DynArrayElements *elements, Oid type);

#endif

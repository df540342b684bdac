/*
 * arrays.h
 *		The elements of arrays.
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
 * The elements of an array of any type and dimensions, in their order.  In
 * CurrentMemoryContext; values that are not passed by value point into the
 * array, or into a copy of a toasted one.
 */
extern DynArrayElements dyn_array_elements(Datum array);

/* An array of one dimension, of elements of that type. */
extern Datum dyn_array_of_elements(const DynArrayElements *elements, Oid type);

#endif

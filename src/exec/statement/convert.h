/*
 * convert.h
 *		Converts values to the types of the columns that they are compared
 *		with, after they were evaluated (plan/clauses/conversion.h).
 */
#ifndef DYN_EXEC_CONVERT_H
#define DYN_EXEC_CONVERT_H

#include "../../plan/clauses/conversion.h"

/* Returns the type of the converted value. */
extern Oid	dyn_converted_type(const DynConversion *conversion);

/*
 * Replaces the values that are converted, by position; the others are the
 * operands.  Allocates in CurrentMemoryContext.
 */
extern void dyn_convert_values(const List *conversions, Datum *values,
							   bool *nulls);

#endif

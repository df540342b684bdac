/*
 * values.h
 *		Run-time values of one execution.
 *
 * A DynValues has one value for each expression of fdw_exprs, in the same
 * order.  Some values are converted to other types (plan/clauses/preds.h).  A
 * plan refers to a value by its position (plan/keys/access.h).
 *
 * Lists of values are compared byte by byte.  Values that are equal in SQL but
 * have different bytes are treated as different; this only costs requests.
 * Values that differ in SQL never have the same bytes.
 */
#ifndef DYN_EXEC_VALUES_H
#define DYN_EXEC_VALUES_H

#include "nodes/execnodes.h"

typedef struct DynValueType
{
	int16		len;
	bool		byval;
} DynValueType;

typedef struct DynValues
{
	int			n;
	const DynValueType *types;	/* types (shared by copies) */
	Datum	   *values;			/* 0 where NULL */
	bool	   *nulls;
} DynValues;

/*
 * Initializes all values to NULL, with the types that the expressions have
 * after conversion.  Allocates in CurrentMemoryContext.
 */
extern void dyn_values_init(DynValues *values, const List *exprs,
							const List *conversions);

/* Evaluates and converts `exprs` (ExprState *), in CurrentMemoryContext. */
extern void dyn_values_evaluate(DynValues *values, const List *exprs,
								const List *conversions, ExprContext *econtext);

/* Returns a deep copy in CurrentMemoryContext; only `types` is shared. */
extern DynValues dyn_values_copy(const DynValues *values);

/* Copies values into CurrentMemoryContext, to outlive the next evaluation. */
extern void dyn_values_keep(DynValues *values);

/*
 * Returns true if the lists are equal at each position i with used[i], or at
 * all positions if `used` is NULL.  The types of both lists must be the same.
 */
extern bool dyn_values_equal(const DynValues *a, const DynValues *b,
							 const bool *used);

extern uint32 dyn_values_hash(const DynValues *values);

#endif

/*
 * values.h
 *		Run-time values of one execution.
 *
 * The list has one value for each expression of fdw_exprs, in the same order.
 * Some values are converted to other types (plan/clauses/preds.h).  A
 * plan refers to them by position (plan/keys/access.h).
 *
 * Two lists of values are equal if their bytes are.  Equal values with
 * different bytes count as different, which only costs requests.  Different
 * values never count as equal.
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
	Datum	   *values;			/* values; 0 where NULL */
	bool	   *nulls;
} DynValues;

/* Initializes NULLs of the expressions' types, in CurrentMemoryContext. */
extern void dyn_values_init(DynValues *values, const List *exprs,
							const List *conversions);

/*
 * Evaluates the expressions (list of ExprState, one for each value) and
 * converts the values.  Allocates in CurrentMemoryContext.
 */
extern void dyn_values_evaluate(DynValues *values, const List *exprs,
								const List *conversions, ExprContext *econtext);

/* Returns a copy in CurrentMemoryContext, also of what the values point to. */
extern DynValues dyn_values_copy(const DynValues *values);

/*
 * Copies values that are passed by reference into CurrentMemoryContext, so
 * that they outlive the next evaluation.
 */
extern void dyn_values_keep(DynValues *values);

/*
 * True if the lists, which must have the same types, are equal in the
 * positions that are `used` (NULL: all).
 */
extern bool dyn_values_equal(const DynValues *a, const DynValues *b,
							 const bool *used);

/* Returns a hash value, the same for equal lists. */
extern uint32 dyn_values_hash(const DynValues *values);

#endif

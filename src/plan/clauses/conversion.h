/*
 * conversion.h
 *		How a predicate's value becomes one of its column's type.
 *
 * The operator compares the column, or an expression over it, with a value of
 * another type.  The value is converted when it is known, after each
 * evaluation (exec/statement/convert.h), since that may depend on the session's time
 * zone; the predicate then compares the column itself.  Until then nothing may
 * take the value for one of pred->valuetype.
 */
#ifndef DYN_PLAN_CONVERSION_H
#define DYN_PLAN_CONVERSION_H

#include "nodes/primnodes.h"

#include "../../model/values/time_bounds.h"

/* What the value becomes. */
typedef enum DynBoundKind
{
	DYN_BOUND_NONE,				/* not converted */
	DYN_BOUND_EQUAL,			/* what compares like it, in every operator */
	DYN_BOUND_LOWER,			/* the least that the column may be */
	DYN_BOUND_UPPER				/* the greatest */
} DynBoundKind;

typedef struct DynConversionStep
{
	DynTimeStepKind kind;
	Expr	   *operand;		/* at planning; or NULL */
	Oid			type;			/* of the operand */
	int			param;			/* its position in fdw_exprs; -1: none */
} DynConversionStep;

typedef struct DynConversion
{
	DynBoundKind bound;
	bool		upper;			/* is the value the upper end? */
	bool		strict;			/* is it not within? */
	bool		array;			/* all elements; bounds: of any of them */
	Oid			from;			/* type of the value, or of its elements */
	Oid			compared;		/* type of the comparison */
	Oid			to;				/* type of the column */
	List	   *steps;			/* of DynConversionStep *, outermost first */
	int			param;			/* position of the value in fdw_exprs */
} DynConversion;

#endif

/*
 * conversion.h
 *		Converts a predicate's value to its column's type.
 *
 * The operator compares the column, or an expression over it, with a value of
 * another type.  The value is converted when it is known, after each
 * evaluation (exec/statement/convert.h), since the conversion may depend on
 * the session's time zone.  The predicate then compares the column itself.
 * Until then no code may treat the value as one of pred->valuetype.
 */
#ifndef DYN_PLAN_CONVERSION_H
#define DYN_PLAN_CONVERSION_H

#include "nodes/primnodes.h"

#include "../../model/values/time_bounds.h"

/* Result of converting a value */
typedef enum DynBoundKind
{
	DYN_BOUND_NONE,				/* not converted */
	DYN_BOUND_EQUAL,			/* value that compares the same in every
								 * operator */
	DYN_BOUND_LOWER,			/* least value that the column may have */
	DYN_BOUND_UPPER				/* greatest value */
} DynBoundKind;

typedef struct DynConversionStep
{
	DynTimeStepKind kind;
	Expr	   *operand;		/* operand (at planning), or NULL */
	Oid			type;			/* type of the operand */
	int			param;			/* position of the operand in fdw_exprs; -1:
								 * none */
} DynConversionStep;

typedef struct DynConversion
{
	DynBoundKind bound;
	bool		upper;			/* true if the value is the upper end */
	bool		strict;			/* true if the value itself is excluded */
	bool		array;			/* true for all elements; bounds: of any of
								 * them */
	Oid			from;			/* type of the value, or of its elements */
	Oid			compared;		/* type of the comparison */
	Oid			to;				/* type of the column */
	List	   *steps;			/* DynConversionStep *, outermost first */
	int			param;			/* position of the value in fdw_exprs */
} DynConversion;

#endif

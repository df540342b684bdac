/*
 * rewrite_float.h
 *		Classifies comparisons of integer and numeric columns with double
 *		precision values.
 *
 * SQL converts the column.  For smallint and integer the conversion preserves
 * the value; for bigint if the other value is below 2^53.  Otherwise several
 * values of the column become one double precision value.  So the predicates
 * are ranges that model/values/encode.c widens to the neighbors, and equality
 * is two of them.
 */
#ifndef DYN_PLAN_REWRITE_FLOAT_H
#define DYN_PLAN_REWRITE_FLOAT_H

#include "classify.h"

/* Calls dyn_classify_comparison, for such comparisons and all others. */
extern DynPred *dyn_classify_number(DynClassify *context,
									const DynOperator *op,
									const DynField *field, Node *value);

/*
 * Handles field = ANY (array).  Returns false if the doubles in a constant
 * list match other values as well: then the predicate is an OR of equalities,
 * or NULL.  Returns true if not, with *array and *op changed to those of
 * numeric values, or unchanged.
 */
extern bool dyn_number_list_is_plain(DynClassify *context, DynOperator *op,
									 const DynField *field, Node **array,
									 DynPred **pred);

#endif

/*
 * rewrite_float.h
 *		Integer and numeric columns compared with values of double precision.
 *
 * SQL converts the column.  For smallint and integer that keeps the value; for
 * bigint if the other value is below 2^53.  Otherwise several values of the
 * column become one double precision value, so the predicates are ranges that
 * model/values/encode.c widens to the neighbours, and equality is two of them.
 */
#ifndef DYN_PLAN_REWRITE_FLOAT_H
#define DYN_PLAN_REWRITE_FLOAT_H

#include "classify.h"

/* dyn_classify_comparison for such comparisons and all others. */
extern DynPred *dyn_classify_number(DynClassify *context,
									const DynOperator *op,
									const DynField *field, Node *value);

/*
 * field = ANY (array).  If the doubles of a constant list have other values
 * beside them: an OR of equalities; NULL if there is none.  If they have none:
 * true, with *array and *op those of numeric values, or as they were.
 */
extern bool dyn_number_list_is_plain(DynClassify *context, DynOperator *op,
									 const DynField *field, Node **array,
									 DynPred **pred);

#endif

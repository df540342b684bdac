/*
 * rewrite.h
 *		Rewrites of conditions, one file for each family
 */
#ifndef DYN_PLAN_REWRITE_H
#define DYN_PLAN_REWRITE_H

#include "classify.h"

/* ---- rewrite_equal.c: equivalent to equalities ---- */

/*
 * Returns LIKE and IS NOT DISTINCT FROM, with a constant, as an operator
 * expression with =, which is true for the same rows; returns any other
 * expression unchanged.  Where = is NULL, the expression may be false.
 */
extern Node *dyn_plain_equality(Node *node);

/* Does the same for a full clause, and also removes IS TRUE. */
extern Node *dyn_plain_clause(Node *clause);

/*
 * Classifies field IS NOT DISTINCT FROM value, where the value may be NULL:
 * only for an attribute of the table's own key, which every item has.
 */
extern DynPred *dyn_classify_not_distinct(DynClassify *context,
										  const DistinctExpr *expr);

/* An equality that two of the clauses imply */
typedef struct DynImplied
{
	RestrictInfo *rinfo;		/* one of the two clauses */
	Node	   *equality;
} DynImplied;

/*
 * Returns the equalities that clauses L >= R and L <= R imply together, as a
 * List of DynImplied *.  For a column in a partition key, column LIKE $1 and
 * column BETWEEN $1 AND $2 are equalities for some parameters; each becomes an
 * OR with a guard (choice.c).
 */
extern List *dyn_implied_equalities(const DynClassify *context, List *rinfos);

/* ---- rewrite_class.c: lists of equal columns ---- */

/*
 * Returns the clauses column = ANY (array) of other relations that hold for a
 * column of this one, because the join requires both columns to be equal; a
 * List of RestrictInfo *.
 */
extern List *dyn_lists_of_equals(PlannerInfo *root, const RelOptInfo *rel);

/* ---- rewrite_float.c: numbers as double precision ---- */

/*
 * Classifies a comparison of numbers as double precision; passes all others to
 * dyn_classify_comparison.
 */
extern DynPred *dyn_classify_number(DynClassify *context,
									const DynOperator *op,
									const DynField *field, Node *value);

/*
 * Handles field = ANY (array).  Returns false if a double in a constant list
 * is equal to several values of the column: then *pred is an OR of equalities,
 * or NULL.  Otherwise returns true, with *array and *op unchanged or changed
 * to numeric values.
 */
extern bool dyn_number_list_is_plain(DynClassify *context, DynOperator *op,
									 const DynField *field, Node **array,
									 DynPred **pred);

/* ---- rewrite_given.c: conditions without columns ---- */

/*
 * Returns coalesce(x, k) = k as x IS NULL OR x = k.  Both are true for the
 * same rows if k is not NULL.  Returns NULL if the operator has other
 * operands.
 */
extern Node *dyn_expand_coalesce(const DynClassify *context, const OpExpr *op);

/*
 * Returns a DYN_PRED_GIVEN.  Returns NULL if the expression contains a column,
 * or might fail; a subquery always might.
 */
extern DynPred *dyn_classify_given(const DynClassify *context, Node *node);

/*
 * Guards values that might fail.  In an OR they are only evaluated if no arm
 * without columns is true; in an AND, only if all such arms are true.
 */
extern void dyn_guard_values(const DynClassify *context, DynPred *pred);

/* ---- rewrite_keyset.c: keyset paging ---- */

/*
 * Returns the row comparison as ORs and ANDs of comparisons; NULL if it does
 * not compare columns with run-time values.  Clears `exact` if the result is
 * weaker.
 */
extern Node *dyn_keyset_expand(DynClassify *context, RowCompareExpr *row);

/*
 * Returns the condition that the row comparison implies for one column, given
 * the other conditions (RestrictInfo *); NULL if there is none.  Sets *first
 * if that is the first column, which is then not NULL.
 */
extern Node *dyn_keyset_bound(const DynClassify *context, Node *clause,
							  List *rinfos, bool *first);

/* ---- rewrite_time.c: dates and times ---- */

/*
 * Classifies left op right.  With `array`, right is an array, and the operator
 * is = ANY or <> ALL.  Returns NULL for other conditions, also for comparisons
 * of a column with a value of its own type.
 */
extern DynPred *dyn_classify_times(DynClassify *context, const DynOperator *op,
								   Node *left, Node *right, bool array);

#endif

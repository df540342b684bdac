/*
 * rewrite.h
 *		Rewrites conditions, with one file for each kind of condition.
 *
 * An expression that is equivalent to an equality is replaced by that equality
 * before it is classified, also within AND and OR (dyn_plain_equality).  For
 * any other kind of condition, quals.c calls a function that returns a
 * predicate.  The planner's estimates still use the original clause.
 */
#ifndef DYN_PLAN_REWRITE_H
#define DYN_PLAN_REWRITE_H

#include "classify.h"

/* ---- rewrite_equal.c: conditions that are equivalent to equalities ---- */

/*
 * If the node is LIKE without wildcards, or IS NOT DISTINCT FROM, with a
 * constant that is not NULL, returns the equality that is true for the same
 * rows (the node may be false where the equality is NULL).  Else returns the
 * node.
 */
extern Node *dyn_plain_equality(Node *node);

/* Removes IS TRUE from a clause, then does the same as dyn_plain_equality. */
extern Node *dyn_plain_clause(Node *clause);

/*
 * Classifies field IS NOT DISTINCT FROM value, where the value may be NULL.
 * Returns NULL unless the field is an attribute of the table's own key, which
 * every item has.
 */
extern DynPred *dyn_classify_not_distinct(DynClassify *context,
										  const DistinctExpr *expr);

/* An equality that one or two clauses imply */
typedef struct DynImplied
{
	RestrictInfo *rinfo;		/* one of the clauses that imply it */
	Node	   *equality;
} DynImplied;

/*
 * Returns the equalities that two clauses L >= R and L <= R imply together, as
 * a List of DynImplied *.  On a partition key, LIKE $1 or BETWEEN $1 AND $2 is
 * an equality only for some values of the parameters.  For each condition of
 * these two kinds, the list has an OR of the equality and a guard (choice.c).
 */
extern List *dyn_implied_equalities(const DynClassify *context, List *rinfos);

/* ---- rewrite_class.c: lists of equal columns ---- */

/*
 * Returns a List of RestrictInfo *, which are clauses column = ANY (array) on
 * this relation.  They follow from clauses on columns of other relations that
 * the join requires to be equal to the column.
 */
extern List *dyn_lists_of_equals(PlannerInfo *root, const RelOptInfo *rel);

/* ---- rewrite_float.c: numbers as double precision ---- */

/*
 * Classifies a comparison that SQL evaluates in double precision; passes any
 * other comparison to dyn_classify_comparison.
 */
extern DynPred *dyn_classify_number(DynClassify *context,
									const DynOperator *op,
									const DynField *field, Node *value);

/*
 * Prepares field = ANY (array) or field <> ALL (array).  Returns true if the
 * condition can be classified as an array, after converting *array and *op to
 * numeric if necessary.  Otherwise, because one element may be equal to
 * several values of the column, returns false and sets *pred to an OR of
 * ranges, or to NULL.
 */
extern bool dyn_number_list_is_plain(DynClassify *context, DynOperator *op,
									 const DynField *field, Node **array,
									 DynPred **pred);

/* ---- rewrite_given.c: conditions without columns ---- */

/*
 * Returns x IS NULL OR x = k for coalesce(x, k) = k.  Both expressions are
 * true for the same rows if k is not NULL.  Returns NULL for any other
 * expression.
 */
extern Node *dyn_expand_coalesce(const DynClassify *context, const OpExpr *op);

/*
 * Returns a DYN_PRED_GIVEN for a boolean expression; NULL if the expression
 * contains a column of the table, or might fail (a subquery always might).
 */
extern DynPred *dyn_classify_given(const DynClassify *context, Node *node);

/*
 * Guards the values in an OR, or AND (`all`), whose evaluation might fail, so
 * that they are evaluated only if needed.  In an OR, they are needed if all
 * arms without columns are false or NULL; in an AND, if all these arms are
 * true.
 */
extern void dyn_guard_values(const DynClassify *context, DynPred *pred, bool all);

/* ---- rewrite_keyset.c: keyset paging ---- */

/*
 * Returns the row comparison as ORs and ANDs of comparisons; NULL if it does
 * not compare columns with run-time values.  Clears `exact` if the result may
 * be true for more rows.
 */
extern Node *dyn_keyset_expand(DynClassify *context, RowCompareExpr *row);

/*
 * Returns the condition on one column that the clause (a row comparison, or an
 * equivalent OR) implies together with the conditions `rinfos`; NULL if there
 * is none.  Sets *first to true if the condition is on the first column of the
 * row comparison, which then cannot be NULL, else to false.
 */
extern Node *dyn_keyset_bound(const DynClassify *context, Node *clause,
							  List *rinfos, bool *first);

/* ---- rewrite_time.c: dates and times ---- */

/*
 * Classifies "left op right", or, with `array`, left = ANY (right) or left <>
 * ALL (right).  Returns NULL for a column that is compared with a value of its
 * own type, and for conditions that rewrite_time.c does not support.
 */
extern DynPred *dyn_classify_times(DynClassify *context, const DynOperator *op,
								   Node *left, Node *right, bool array);

#endif

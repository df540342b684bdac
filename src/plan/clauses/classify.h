/*
 * classify.h
 *		Functions shared by the files that classify expressions (quals.h)
 *
 * These files have one function for each kind of expression.  Each function
 * returns NULL, or a predicate that is true for every row for which the
 * expression is true.  Each function also clears those flags in DynClassify
 * that do not apply to the predicate.
 *
 * Some expressions are replaced before they are classified.  The planner's
 * estimates still use the original clause.
 * - An expression that is equivalent to an equality, also within AND and OR,
 *   is replaced by this equality (dyn_plain_equality).
 * - An expression that only implies bounds on a column is replaced by these
 *   bounds, and `exact` is cleared.
 */
#ifndef DYN_PLAN_CLASSIFY_H
#define DYN_PLAN_CLASSIFY_H

#include "nodes/pathnodes.h"

#include "../../model/definition/column.h"
#include "quals.h"

typedef struct DynClassify
{
	const DynRelPlan *plan;

	/* results: initially true; the functions below only clear them */
	bool		exact;			/* true if predicate and expression are true
								 * for the same rows */
	bool		sized;			/* see DynClause; used only with `exact` */
} DynClassify;

/*
 * Maximum size (bytes) of the constant, or list of constants, in one
 * comparison of a `sized` predicate (one whose filter cannot exceed the size
 * limit of a request).  A filter that replaces local checks must be `sized`:
 * with at most 25 comparisons (match_keys.c), each at most six times as long
 * after JSON escaping, it does not exceed that limit.
 */
#define DYN_MAX_SIZED_BYTES	4096

static inline const DynColumn *
dyn_field_column(const DynClassify *context, const DynField *field)
{
	return dyn_relation_column(context->plan->relation, field->attnum);
}

/*
 * The dyn_match functions determine the location in the item that an
 * expression reads.  They return false, with *field undefined, if the
 * expression does not match.
 */

/* Matches a column of the table. */
extern bool dyn_match_any_column(const DynRelPlan *plan, Node *node,
								 DynField *field);

/* Matches a column that is read from the item, not from an unnested element. */
extern bool dyn_match_column(const DynRelPlan *plan, Node *node,
							 DynField *field);

/*
 * Matches a column, or a jsonb column under constant path operators (->, ->>,
 * #>, #>>).  Sets *as_text if the last operator returns text.
 */
extern bool dyn_match_field(const DynRelPlan *plan, Node *node, DynField *field,
							bool *as_text);

/*
 * Matches like dyn_match_field, but ignores casts that do not affect a
 * comparison.  A member of a jsonb column can only be compared as text (->>).
 */
extern bool dyn_match_comparand(const DynRelPlan *plan, Node *node,
								DynField *field, bool *as_text);

/*
 * Returns true if the expression has the same value in all executions of a
 * scan: it has no columns, and no parameters other than external ones ($1).
 */
extern bool dyn_is_fixed(Node *node);

/*
 * Returns true if the expression can be evaluated once in each execution,
 * before the first row is read: it has no column of this relation, no volatile
 * function and no subplan.  It may have columns of other relations.
 */
extern bool dyn_is_runtime_value(const DynClassify *context, Node *node);

/* Returns true if the expression (or List) may fail or have side effects. */
extern bool dyn_may_fail(Node *node);

/* Like dyn_match_comparand, but does not match members of jsonb columns. */
extern bool dyn_classify_column(const DynClassify *context, Node *node,
								DynField *field);

/*
 * Applies the exactness of a part of the expression: clears context->exact if
 * it is not DYN_EXACT, and returns false if it is DYN_LOCAL (cannot be sent).
 */
extern bool dyn_classify_accept(DynClassify *context, DynExactness exactness);

/*
 * Classifies "field op value".  With `array`, classifies field = ANY (value),
 * or field <> ALL (value).  The result may be restricted to placeholders of
 * key templates (part_only).
 */
extern DynPred *dyn_classify_comparison(DynClassify *context,
										const DynOperator *op,
										const DynField *field, Node *value,
										bool array);

/* Returns the array's length; -1 if it is unknown at planning, or for NULL. */
extern int	dyn_fixed_array_size(Node *array);

/*
 * Sets *op to the comparison operator `opno`, with the column on the left.
 * Returns false unless the operator is in the default btree family of its left
 * input type, or is the negator (<>) of the = in this family.
 */
extern bool dyn_describe_operator(Oid opno, Oid collation, DynOperator *op);

/* Swaps the sides of the comparison: a < b becomes b > a. */
extern void dyn_commute(DynOperator *op);

/* Returns the expression "left op right". */
extern Node *dyn_compare(Oid opno, Node *left, Node *right, Oid collation);

/* ---- rewrite_equal.c: conditions that are equivalent to equalities ---- */

/*
 * If the node is LIKE without wildcards, or IS NOT DISTINCT FROM a constant
 * that is not NULL, returns an equality that is true for the same rows.  For
 * other rows, the equality may be NULL where the node is false.  Returns any
 * other node unchanged.
 */
extern Node *dyn_plain_equality(Node *node);

/* Removes IS TRUE from a clause, then calls dyn_plain_equality. */
extern Node *dyn_plain_clause(Node *clause);

/*
 * Classifies field IS NOT DISTINCT FROM value, where the value may be NULL.
 * Returns NULL unless the field is an attribute of the table's own key, which
 * every item has.
 */
extern DynPred *dyn_classify_not_distinct(DynClassify *context,
										  const DistinctExpr *expr);

/*
 * A condition that one or two clauses imply: an equality, or an OR with an
 * equality among its arms
 */
typedef struct DynImplied
{
	RestrictInfo *rinfo;		/* one of the clauses that imply `equality` */
	Node	   *equality;
} DynImplied;

/*
 * Returns the equalities that the clauses imply, as a List of DynImplied *.
 * For example, L >= R and L <= R imply L = R.  If k is a partition key, the
 * list also has ORs: k BETWEEN $1 AND $2 implies $1 <> $2 OR k = $1, and
 * k LIKE $1 implies that $1 contains a wildcard or a backslash, or k = $1.
 */
extern List *dyn_implied_equalities(const DynClassify *context, List *rinfos);

/* ---- rewrite_class.c: lists of equal columns ---- */

/*
 * Returns clauses column = ANY (array) on this relation (RestrictInfo *).
 * Each follows from a clause on a column of another relation, because the join
 * requires both columns to be equal.
 */
extern List *dyn_lists_of_equals(PlannerInfo *root, const RelOptInfo *rel);

/* ---- rewrite_given.c: conditions without columns ---- */

/*
 * For coalesce(x, k) = k, returns x IS NULL OR x = k, which is true for the
 * same rows if k is not NULL.  Returns NULL for other expressions.
 */
extern Node *dyn_expand_coalesce(const DynClassify *context, const OpExpr *op);

/*
 * Returns a DYN_PRED_GIVEN for a boolean expression; NULL if the expression
 * contains a column of the table, or might fail (a subquery always might).
 */
extern DynPred *dyn_classify_given(const DynClassify *context, Node *node);

/*
 * Puts a CASE around each value in `pred` that might raise an error.  `pred`
 * is an AND if `all` is true, else an OR.  The CASE does not evaluate the
 * value if an arg without columns already decides the result, because it is
 * true in an OR, or not true in an AND.  For example, in $1 IS NULL OR
 * k = f($1), f($1) is evaluated only if $1 is not NULL.
 */
extern void dyn_guard_values(const DynClassify *context, DynPred *pred, bool all);

/* ---- rewrite_keyset.c: keyset paging ---- */

/*
 * Returns the row comparison as ORs and ANDs of comparisons; NULL if it does
 * not compare columns with run-time values.  Clears context->exact if the
 * result may be true for more rows than the row comparison.
 */
extern Node *dyn_keyset_expand(DynClassify *context, RowCompareExpr *row);

/*
 * Returns the condition on a single column that follows from the clause (a row
 * comparison, or an equivalent OR) together with the conditions `rinfos`; NULL
 * if none follows.  Sets *first to true if this column is the first one of the
 * row comparison, else to false.  The first column is never NULL in rows for
 * which the clause is true.
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

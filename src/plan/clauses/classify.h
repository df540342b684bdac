/*
 * classify.h
 *		Functions shared by the files that classify expressions (quals.h)
 *
 * These files have one function for each kind of expression.  Each returns
 * NULL, or a predicate that is true for every row for which the expression is
 * true.  It clears those results in the DynClassify that do not apply.  If an
 * expression only implies bounds on a column, the function builds them by
 * dyn_classify_comparison and clears `exact`.  If a full clause becomes an AND
 * of several bounds, these are matched with keys one by one.
 */
#ifndef DYN_PLAN_CLASSIFY_H
#define DYN_PLAN_CLASSIFY_H

#include "nodes/pathnodes.h"

#include "../../model/definition/exact.h"
#include "preds.h"
#include "rel_plan.h"

typedef struct DynClassify
{
	const DynRelPlan *plan;

	/* results, initially true; functions may only clear them */
	bool		exact;			/* true if the predicate is true for no other
								 * row */
	bool		sized;			/* true if the size of the filter is bounded */
} DynClassify;

/*
 * Maximum size of a value with which filters cannot exceed the size limit of a
 * request: a plan relies on filters of fewer than 25 leaves (match_keys.c),
 * each with one value or list, and JSON escapes make these at most six times
 * as long.
 */
#define DYN_MAX_SIZED_BYTES	4096

static inline const DynColumn *
dyn_field_column(const DynClassify *context, const DynField *field)
{
	return dyn_relation_column(context->plan->relation, field->attnum);
}

/*
 * The dyn_match functions determine the location in the item that an
 * expression reads.  They return false, with *field undefined, if it does not
 * read a location.
 */

/* Matches a column of the table. */
extern bool dyn_match_any_column(const DynRelPlan *plan, Node *node,
								 DynField *field);

/*
 * Matches a column, but not one of an unnested element: those have no location
 * in the item.
 */
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
 * comparison.  A field below a jsonb column has no codec of its own, so only
 * its text can be compared.
 */
extern bool dyn_match_comparand(const DynRelPlan *plan, Node *node,
								DynField *field, bool *as_text);

/*
 * Returns true if the expression has the same value in all executions of a
 * scan, that is, depends on no column and on no parameter that the executor
 * sets.
 */
extern bool dyn_is_fixed(Node *node);

/*
 * Returns true if the expression can be evaluated once, before the first row
 * is read.
 */
extern bool dyn_is_runtime_value(const DynClassify *context, Node *node);

/*
 * Returns true if evaluating the expression, or list of expressions, can raise
 * an error or have side effects, or if that is unknown.
 */
extern bool dyn_may_fail(Node *node);

/*
 * Matches like dyn_match_comparand, but only a column itself, without a path
 * below it.
 */
extern bool dyn_classify_column(const DynClassify *context, Node *node,
								DynField *field);

/*
 * Records the exactness of a part of the expression; returns false if the part
 * cannot be sent.
 */
extern bool dyn_classify_accept(DynClassify *context, DynExactness exactness);

/*
 * Clears `sized` unless the size of the encoded value is known to be bounded
 * during planning.  The size is always bounded for numbers, times and
 * booleans, but for texts only if they are constants.
 */
extern void dyn_classify_size(DynClassify *context, Node *value, Oid valuetype);

/* Classifies field op value, where `op` has the field on its left side. */
extern DynPred *dyn_classify_comparison(DynClassify *context,
										const DynOperator *op,
										const DynField *field, Node *value);

/*
 * Returns the number of elements in an array if it is known during planning,
 * else -1.
 */
extern int	dyn_fixed_array_size(Node *array);

/*
 * Classifies field = ANY (array), field <> ALL (array); the operator is = or
 * <>.
 */
extern DynPred *dyn_classify_array(DynClassify *context, const DynOperator *op,
								   const DynField *field, Node *array);

/*
 * Describes an operator in the btree family of its left type, or the negator
 * of = in that family, with the column on the left.  Returns false for other
 * operators.
 */
extern bool dyn_describe_operator(Oid opno, Oid collation, DynOperator *op);

/* Exchanges the sides of the comparison. */
extern void dyn_commute(DynOperator *op);

/* Returns left op right, as an expression. */
extern Node *dyn_compare(Oid opno, Node *left, Node *right, Oid collation);

#endif

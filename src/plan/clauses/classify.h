/*
 * classify.h
 *		Functions shared by the files that classify expressions (quals.h)
 *
 * These files have one function for each kind of expression.  Each returns a
 * predicate that keeps every row the expression keeps, or NULL, and clears the
 * results in the DynClassify that do not hold.  An expression that implies
 * bounds on a column, but is not itself one, builds them by
 * dyn_classify_comparison and clears `exact`.  Several bounds, as the args of
 * an AND, are matched with keys one by one if they are a full clause.
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
	bool		exact;			/* true if the predicate keeps no other row */
	bool		sized;			/* true if its size as a filter is bounded */
} DynClassify;

/*
 * A filter with larger values may exceed the size limit of a request.  Smaller
 * values do not.  A plan relies on filters of fewer than 25 leaves
 * (match_keys.c), each with one value or list.  JSON escapes make these at
 * most six times as long.
 */
#define DYN_MAX_SIZED_BYTES	4096

static inline const DynColumn *
dyn_field_column(const DynClassify *context, const DynField *field)
{
	return dyn_relation_column(context->plan->relation, field->attnum);
}

/*
 * The dyn_match functions determine which location in the item an expression
 * reads.  They return false, with *field undefined, if it does not read one.
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
 * Matches the same, ignoring casts that do not affect a comparison.  A field
 * below a jsonb column has no codec of its own, so only its text can be
 * compared.
 */
extern bool dyn_match_comparand(const DynRelPlan *plan, Node *node,
								DynField *field, bool *as_text);

/*
 * Returns true if the expression has one value in all executions of a scan.
 * Then it depends on no column and on no parameter that the executor sets.
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

/* Calls dyn_match_comparand for a column itself, without a path below it. */
extern bool dyn_classify_column(const DynClassify *context, Node *node,
								DynField *field);

/* Records the exactness of a part; returns false if it cannot be sent. */
extern bool dyn_classify_accept(DynClassify *context, DynExactness exactness);

/*
 * Clears `sized` unless the size of the encoded value is bounded at planning.
 * It always is for numbers, times and booleans; for texts if they are
 * constants.
 */
extern void dyn_classify_size(DynClassify *context, Node *value, Oid valuetype);

/* Classifies field op value, where `op` has the field on its left side. */
extern DynPred *dyn_classify_comparison(DynClassify *context,
										const DynOperator *op,
										const DynField *field, Node *value);

/*
 * Returns the number of elements in an array if it is fixed at planning, else
 * -1.
 */
extern int	dyn_fixed_array_size(Node *array);

/*
 * Classifies field = ANY (array), field <> ALL (array); the operator is = or
 * <>.
 */
extern DynPred *dyn_classify_array(DynClassify *context, const DynOperator *op,
								   const DynField *field, Node *array);

/*
 * Describes a btree operator of its left type's family, or the negator of = in
 * it, with the column on the left; returns false for other operators.
 */
extern bool dyn_describe_operator(Oid opno, Oid collation, DynOperator *op);

/* Exchanges the sides of the comparison. */
extern void dyn_commute(DynOperator *op);

/* Returns left op right, as an expression. */
extern Node *dyn_compare(Oid opno, Node *left, Node *right, Oid collation);

#endif

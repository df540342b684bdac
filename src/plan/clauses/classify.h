/*
 * classify.h
 *		What the files that classify expressions share (quals.h).
 *
 * There is one function for each form of expression; each returns a predicate
 * that keeps every row the expression keeps, or NULL, and clears what is no
 * longer so in the DynClassify.  A form that implies bounds of a column without
 * being one builds them by dyn_classify_comparison and clears `exact`; several
 * of them, as the args of an AND, are matched with keys one by one if they are
 * a whole clause.
 */
#ifndef DYN_PLAN_CLASSIFY_H
#define DYN_PLAN_CLASSIFY_H

#include "nodes/pathnodes.h"

#include "../../model/definition/exact.h"
#include "match_field.h"

typedef struct DynClassify
{
	PlannerInfo *root;
	const DynRelPlan *plan;

	/* results; initially true, may only be cleared */
	bool		exact;			/* the predicate keeps no other row */
	bool		sized;			/* its size as a filter is bounded */
} DynClassify;

/*
 * Larger values of a filter may not fit into a request.  Smaller ones do: a
 * plan relies on filters of fewer than 25 leaves (match_keys.c), each with one
 * value or list, which JSON escapes make six times as long at most.
 */
#define DYN_MAX_SIZED_BYTES	4096

static inline const DynColumn *
dyn_field_column(const DynClassify *context, const DynField *field)
{
	return dyn_relation_column(context->plan->relation, field->attnum);
}

/*
 * Has the expression one value in all executions of a scan?  It depends on no
 * column, nor on a parameter that the executor sets.
 */
extern bool dyn_is_fixed(Node *node);

/* Can the expression be evaluated once, before the first row is read? */
extern bool dyn_is_runtime_value(const DynClassify *context, Node *node);

/* dyn_match_comparand of a column itself, not of what is below it. */
extern bool dyn_classify_column(const DynClassify *context, Node *node,
								DynField *field);

/* Notes the exactness of a part; returns false if it cannot be sent. */
extern bool dyn_classify_accept(DynClassify *context, DynExactness exactness);

/*
 * Is the size of the encoded value bounded at planning?  Numbers, times and
 * booleans always are; texts if they are constants.  Else clears `sized`.
 */
extern void dyn_classify_size(DynClassify *context, Node *value, Oid valuetype);

/* field op value, where `op` has the field on its left side. */
extern DynPred *dyn_classify_comparison(DynClassify *context,
										const DynOperator *op,
										const DynField *field, Node *value);

/* The number of elements of an array if it is fixed at planning, else -1. */
extern int	dyn_fixed_array_size(Node *array);

/* field = ANY (array), field <> ALL (array); the operator is = or <>. */
extern DynPred *dyn_classify_array(DynClassify *context, const DynOperator *op,
								   const DynField *field, Node *array);

/*
 * Describes a btree operator of its left type's family, or the negator of = in
 * it, with the column on the left; false if it is another one.
 */
extern bool dyn_describe_operator(Oid opno, Oid collation, DynOperator *op);

/* The same comparison with its sides exchanged. */
extern void dyn_commute(DynOperator *op);

/* left op right, as an expression */
extern Node *dyn_compare(Oid opno, Node *left, Node *right, Oid collation);

#endif

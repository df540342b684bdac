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
	Index		relid;
	const DynRelation *relation;

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
	return dyn_relation_column(context->relation, field->attnum);
}

/*
 * Has the expression one value in all executions of a scan?  It depends on no
 * column, nor on a parameter that the executor sets.
 */
extern bool dyn_is_fixed(Node *node);

/* Can the expression be evaluated once, before the first row is read? */
extern bool dyn_is_runtime_value(const DynClassify *context, Node *node);

/* dyn_match_comparand for the table that is classified. */
extern bool dyn_classify_comparand(const DynClassify *context, Node *node,
								   DynField *field, bool *as_text);

extern DynPred *dyn_make_pred(DynPredKind kind, const DynField *field);
extern DynPred *dyn_make_value_pred(DynPredKind kind, const DynField *field,
									Node *value, Oid valuetype);

/* Notes the exactness of a part; returns false if it cannot be sent. */
extern bool dyn_classify_accept(DynClassify *context, DynExactness exactness);

/*
 * Is the size of the encoded value bounded at planning?  Numbers, times and
 * booleans always are; texts if they are constants.  Else clears `sized`.
 */
extern void dyn_classify_size(DynClassify *context, Node *value, Oid valuetype);

/*
 * field op value, where `op` has the field on its left side and `kind` is EQ,
 * NE, LT, LE, GT or GE.
 */
extern DynPred *dyn_classify_comparison(DynClassify *context, int kind,
										const DynOperator *op,
										const DynField *field, Node *value);
/* The number of elements of an array if it is fixed at planning, else -1. */
extern int	dyn_fixed_array_size(Node *array);

/* field = ANY (array), field <> ALL (array); the operator's kind is EQ or NE. */
extern DynPred *dyn_classify_array(DynClassify *context, int kind,
								   const DynOperator *op,
								   const DynField *field, Node *array);

/* EQ, NE, LT ... of a btree operator of its left type's family; -1 if none. */
extern int	dyn_comparison_kind(Oid opno);

/* The kind of the same comparison with its sides exchanged. */
extern int	dyn_commuted_kind(int kind);

/* Describes a comparison of this kind; its left side is the column. */
extern DynOperator dyn_describe_operator(Oid opno, int kind, Oid collation);
extern void dyn_commute_types(DynOperator *op);

#endif

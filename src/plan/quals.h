/*
 * quals.h
 *		What a SQL condition means in DynamoDB, and whether it means exactly the
 *		same there.
 *
 * dyn_quals_classify turns each clause into a predicate over fields of the
 * item (or finds that it has none), by the verdicts of model/exact.h.  Every
 * later step asks the DynClause and derives nothing again.
 *
 * A predicate never loses a row that the clause would keep.  It is exact if it
 * keeps no other either, for every value that DynamoDB may hold there and
 * for every run-time value; only then may the clause's local check be left
 * out (design, section 13, Exactness).
 *
 * Run-time values (constants, parameters, stable expressions, other tables'
 * columns) are kept as expressions; exec/bind.c makes requests of their values.
 */
#ifndef DYN_PLAN_QUALS_H
#define DYN_PLAN_QUALS_H

#include "nodes/pathnodes.h"

#include "../model/relation.h"

typedef enum DynPredKind
{
	DYN_PRED_AND,				/* args */
	DYN_PRED_OR,				/* args */
	DYN_PRED_EQ,				/* field = value */
	DYN_PRED_NE,
	DYN_PRED_LT,
	DYN_PRED_LE,
	DYN_PRED_GT,
	DYN_PRED_GE,
	DYN_PRED_IN,				/* field = ANY (value) */
	DYN_PRED_NOT_IN,			/* field <> ALL (value) */
	DYN_PRED_PREFIX,			/* field begins with value */
	DYN_PRED_LIKE,				/* field LIKE value: what can be told of it */
	DYN_PRED_CONTAINS,			/* value is an element of field */
	DYN_PRED_CONTAINS_ALL,		/* every element of value is one of field */
	DYN_PRED_TEXT_EQ,			/* field's text (->>) = value */
	DYN_PRED_NULL,				/* field IS NULL */
	DYN_PRED_NOT_NULL,
	DYN_PRED_TRUE,				/* boolean field */
	DYN_PRED_FALSE,
	DYN_PRED_FIELDS				/* field op other field */
} DynPredKind;

/* A place in the item: a column, and for jsonb a path of names below it. */
typedef struct DynField
{
	AttrNumber	attnum;
	List	   *steps;			/* of String; NIL: the column itself */
} DynField;

typedef struct DynPred
{
	DynPredKind kind;
	DynPredKind op;				/* FIELDS: EQ .. GE */
	DynField	field;
	AttrNumber	other;			/* FIELDS */
	Expr	   *value;			/* at planning; NULL in an executable plan */
	int			param;			/* position of the value in fdw_exprs */
	Oid			valuetype;		/* of the value, or of its elements */
	List	   *args;			/* of DynPred * */
} DynPred;

typedef struct DynClause
{
	RestrictInfo *rinfo;
	DynPred    *pred;			/* NULL: to be checked locally only */
	bool		exact;
	bool		sized;			/* its size as a filter is known now */
} DynClause;

/* Classifies RestrictInfos of `baserel`; returns a List of DynClause *. */
extern List *dyn_quals_classify(PlannerInfo *root, RelOptInfo *baserel,
								const DynRelation *relation, List *rinfos);

/*
 * The attribute that a predicate is about, if it is about one top-level
 * attribute with a value (a key attribute could be meant); else NULL.
 */
extern const char *dyn_pred_attribute(const DynRelation *relation,
									  const DynPred *pred);

/* Does the predicate give its column one stored value, whichever it is? */
extern bool dyn_pred_is_single(const DynRelation *relation, const DynPred *pred);

/* The document path of a field. */
extern const DynPath *dyn_field_path(const DynRelation *relation,
									 const DynField *field);

/*
 * Calls visit(pred, arg) for every leaf of the tree; stops and returns true as
 * soon as it returns true.
 */
extern bool dyn_pred_walk(DynPred *pred, bool (*visit) (DynPred *, void *),
						  void *arg);

/*
 * Recognises a jsonb column under constant path operators (->, ->>, #>, #>>)
 * or a bare column of ours.  *as_text tells whether the last operator gives text.
 */
extern bool dyn_match_field(Node *node, Index relid, const DynRelation *relation,
							DynField *field, bool *as_text);

#endif

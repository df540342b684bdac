/*
 * preds.h
 *		Predicates: conditions as DynamoDB could evaluate them.
 */
#ifndef DYN_PLAN_PREDS_H
#define DYN_PLAN_PREDS_H

#include "nodes/primnodes.h"

#include "../../model/tables/relation.h"
#include "conversion.h"

typedef enum DynPredKind
{
	DYN_PRED_AND,				/* args */
	DYN_PRED_OR,				/* args */
	DYN_PRED_EQ,				/* field = value; in the order of DynComparison */
	DYN_PRED_NE,
	DYN_PRED_LT,
	DYN_PRED_LE,
	DYN_PRED_GT,
	DYN_PRED_GE,
	DYN_PRED_IN,				/* field = ANY (value) */
	DYN_PRED_NOT_IN,			/* field <> ALL (value) */
	DYN_PRED_PREFIX,			/* field begins with value */
	DYN_PRED_LIKE,				/* field LIKE value: its fixed prefix */
	DYN_PRED_CONTAINS,			/* value is an element of field */
	DYN_PRED_CONTAINS_ALL,		/* every element of value is one of field */
	DYN_PRED_UNNESTED,			/* value is an element of what the field's
								 * table unnests */
	DYN_PRED_TEXT_EQ,			/* field's text (->>) = value */
	DYN_PRED_NULL,				/* field IS NULL */
	DYN_PRED_NOT_NULL,
	DYN_PRED_TRUE,				/* boolean field */
	DYN_PRED_FALSE,
	DYN_PRED_FIELDS,			/* field op other field */
	DYN_PRED_ROW,				/* term of the row test; alone, without field */
	DYN_PRED_TEMPLATED,			/* the text of a template's attribute is
								 * spelled by args, one AND for each of the
								 * leading parts (match_template.h) */
	DYN_PRED_MEMBERS,			/* among them: all members of a part */
	DYN_PRED_GIVEN				/* value, which depends on no column, is true */
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
	DynField	field;
	AttrNumber	other;			/* FIELDS: the column on the right; else 0 */
	Expr	   *value;			/* at planning; NULL in an executable plan */
	DynConversion *conversion;	/* of the value, at planning; or NULL */
	DynBoundKind bound;			/* what that makes of it */
	DynOperator operator;		/* of comparisons; at planning, but of FIELDS */
	bool		integers;		/* IN: of all integers from the first to the
								 * last value */
	bool		part_only;		/* at planning: it says something of parts of
								 * keys, but not of the column's own attribute */
	int			param;			/* position of the value in fdw_exprs */
	int			term;			/* ROW: position in the row test */
	int			templated;		/* SPELLED, MEMBERS: of the template, likewise */
	int			part;			/* MEMBERS: of that template */
	Oid			valuetype;		/* of the value, or of its elements */
	bool		enforced;		/* of a filter: it is not checked again */
	List	   *args;			/* of DynPred * */
} DynPred;

extern DynPred *dyn_make_pred(DynPredKind kind, const DynField *field);
extern DynPred *dyn_make_value_pred(DynPredKind kind, const DynField *field,
									Node *value, Oid valuetype);

/* An AND or OR of predicates. */
extern DynPred *dyn_make_junction(DynPredKind kind, List *args);

/* Two bounds, from the lower to the upper one; NULL if one of them is. */
extern DynPred *dyn_make_between(DynPred *lower, DynPred *upper);

/*
 * Does it compare the key attribute itself with a value, by a column that shows
 * it?
 */
extern bool dyn_pred_is_on(const DynRelation *relation, const DynPred *pred,
						   const DynKeyAttr *attr);

/*
 * Does it compare attributes themselves, so that it might be a filter?  Not
 * what compares a part of a text.
 */
extern bool dyn_pred_is_of_attribute(const DynRelation *relation,
									 const DynPred *pred);

/* The document path of a field, and of a predicate's left side. */
extern const DynPath *dyn_field_path(const DynRelation *relation,
									 const DynField *field);
extern const DynPath *dyn_pred_path(const DynRelation *relation,
									const DynPred *pred);

/* AND, OR */
static inline bool
dyn_pred_is_junction(const DynPred *pred)
{
	return pred->kind == DYN_PRED_AND || pred->kind == DYN_PRED_OR;
}

/* field < value, <=, >, >= */
static inline bool
dyn_pred_is_bound(const DynPred *pred)
{
	return pred->kind >= DYN_PRED_LT && pred->kind <= DYN_PRED_GE;
}

/* field begins with value, field LIKE value */
static inline bool
dyn_pred_is_pattern(const DynPred *pred)
{
	return pred->kind == DYN_PRED_PREFIX || pred->kind == DYN_PRED_LIKE;
}

/* A boolean column that is true, or false. */
static inline bool
dyn_pred_is_boolean(const DynPred *pred)
{
	return pred->kind == DYN_PRED_TRUE || pred->kind == DYN_PRED_FALSE;
}

/* Does it name the values that it allows: by =, by IN, a boolean? */
static inline bool
dyn_pred_is_point(const DynPred *pred)
{
	return pred->kind == DYN_PRED_EQ || pred->kind == DYN_PRED_IN ||
		dyn_pred_is_boolean(pred);
}

/* A condition without columns, which is nothing to DynamoDB. */
static inline bool
dyn_pred_is_given(const DynPred *pred)
{
	return pred->kind == DYN_PRED_GIVEN;
}

/* Of the row test, or of a text that a template spells. */
static inline bool
dyn_pred_tells_rows(const DynPred *pred)
{
	return pred->kind == DYN_PRED_ROW || pred->kind == DYN_PRED_TEMPLATED;
}

/* The only predicate, if it is one of a template's text; else NULL. */
extern const DynPred *dyn_only_templated(const List *preds);

/*
 * Calls visit(pred, arg) for every leaf of the tree; returns true as soon as
 * the visitor does.
 */
extern bool dyn_pred_walk(DynPred *pred, bool (*visit) (DynPred *, void *),
						  void *arg);

/* The same, and for the predicates on the parts of a template's text, too. */
extern bool dyn_pred_walk_parts(DynPred *pred, bool (*visit) (DynPred *, void *),
								void *arg);

#endif

/*
 * preds.h
 *		Predicates: conditions that DynamoDB could evaluate
 */
#ifndef DYN_PLAN_PREDS_H
#define DYN_PLAN_PREDS_H

#include "nodes/primnodes.h"

#include "../../model/tables/relation.h"
#include "../../model/values/time_bounds.h"

/*
 * If predicates of a kind can occur as one of these, the kind must be added in
 * these files:
 *
 *		a condition on a key	to plan/keys/terms.c and exec/keys/key_values.c
 *		a filter				to exec/keys/filter.c, and leaf_is_forbidden()
 *								in plan/keys/match_keys.c
 *		on an index's key		to plan/keys/index_complete.c
 *		shown by EXPLAIN		to pred_words in exec/node/explain.c
 */
typedef enum DynPredKind
{
	DYN_PRED_AND,				/* args */
	DYN_PRED_OR,				/* args */
	DYN_PRED_COMPARE,			/* field operator value; array: = ANY, <> ALL;
								 * below a column: its text (->>) = value */
	DYN_PRED_LIKE,				/* field LIKE value: its fixed prefix; literal:
								 * field begins with value */
	DYN_PRED_CONTAINS,			/* value, or each element of the array, is an
								 * element of field, or of the collection that
								 * the table unnests */
	DYN_PRED_NULL,				/* field IS NULL; negated: IS NOT NULL */
	DYN_PRED_BOOLEAN,			/* boolean field; negated: NOT field */
	DYN_PRED_FIELDS,			/* field operator other field */
	DYN_PRED_FILTER_TERM,		/* term of the item filter; alone, without
								 * field */
	DYN_PRED_TEMPLATED,			/* text of a template's attribute; args: an AND
								 * of predicates for each of the leading parts
								 * (match_template.c) */
	DYN_PRED_EACH,				/* field has one of all values between bounds,
								 * the args (enumerate.c); without bounds, one
								 * of those that a part of TEMPLATED lists */
	DYN_PRED_GIVEN				/* value, which depends on no column, is
								 * true */
} DynPredKind;

/*
 * A conversion of a predicate's value to its column's type.  The operator
 * compares the column, or an expression over it, with a value of another type.
 * The value is converted when it is known, after each evaluation
 * (exec/statement/values.h), since the conversion may depend on the session's
 * time zone.  The predicate then compares the column itself.  Until then the
 * value does not have the type pred->valuetype.
 */
typedef enum DynBoundKind
{
	DYN_BOUND_NONE,				/* not converted */
	DYN_BOUND_EQUAL,			/* value that compares the same in every
								 * operator */
	DYN_BOUND_LOWER,			/* least value that the column may have */
	DYN_BOUND_UPPER				/* greatest value */
} DynBoundKind;

typedef struct DynConversionStep
{
	DynTimeStepKind kind;
	Expr	   *operand;		/* operand (at planning), or NULL */
	Oid			type;			/* type of the operand */
	int			param;			/* position of the operand in fdw_exprs; -1:
								 * none */
} DynConversionStep;

typedef struct DynConversion
{
	DynBoundKind bound;
	bool		upper;			/* true if the value is an upper bound */
	bool		strict;			/* true if the bound excludes the value
								 * itself */
	bool		array;			/* true for an array: EQUAL converts each
								 * element; a bound includes all values beyond
								 * any of the elements */
	Oid			from;			/* type of the value, or of its elements */
	Oid			compared;		/* type of the comparison */
	Oid			to;				/* type of the column */
	List	   *steps;			/* DynConversionStep *, outermost first */
	int			param;			/* position of the value in fdw_exprs */
} DynConversion;

/* A location in the item: a column, and for jsonb a path of names below it */
typedef struct DynField
{
	AttrNumber	attnum;
	List	   *steps;			/* String; NIL: the column itself */
} DynField;

typedef struct DynPred
{
	DynPredKind kind;
	bool		negated;		/* NULL, BOOLEAN: true for the opposite */
	bool		array;			/* COMPARE, CONTAINS: value is an array */
	bool		literal;		/* LIKE: value is a prefix, not a pattern */
	DynField	field;
	AttrNumber	other;			/* FIELDS: column on the right; else 0 */
	Expr	   *value;			/* value (at planning); NULL in an executable
								 * plan */
	DynConversion *conversion;	/* conversion of the value (at planning), or
								 * NULL */
	DynBoundKind bound;			/* result of the conversion */
	DynOperator operator;		/* COMPARE, FIELDS; LIKE: the collation */
	int			most;			/* EACH: maximum number of values; if there are
								 * more, the key cannot be used */
	double		expected;		/* EACH: estimate of their number */
	bool		unsure;			/* at planning: true if only run-time values
								 * show whether the key can be used */
	bool		part_only;		/* at planning: true if it restricts parts of
								 * keys, but not the column's own attribute */
	int			param;			/* position of the value in fdw_exprs */
	int			term;			/* FILTER_TERM: position in the item filter */
	int			templated;		/* TEMPLATED: position of the template */
	Oid			valuetype;		/* type of the value, or of its elements */
	bool		enforced;		/* true for a filter that is not checked
								 * again */
	List	   *args;			/* DynPred * */
} DynPred;

extern DynPred *dyn_make_pred(DynPredKind kind, const DynField *field);
extern DynPred *dyn_make_value_pred(DynPredKind kind, const DynField *field,
									Node *value, Oid valuetype);
extern DynPred *dyn_make_and(List *args);
extern DynPred *dyn_make_or(List *args);
extern DynPred *dyn_make_templated(int position, List *args);
extern DynPred *dyn_make_each(const DynField *field, int most);
extern DynPred *dyn_make_given(Node *condition);

/* Returns field operator value; `array`: = ANY or <> ALL. */
extern DynPred *dyn_make_comparison(const DynField *field, const DynOperator *op,
									Node *value, bool array);

/*
 * Returns an AND of two bounds, the lower one first; NULL if one of them is
 * NULL.
 */
extern DynPred *dyn_make_between(DynPred *lower, DynPred *upper);

/*
 * Returns true if the predicate compares a column that shows the key attribute
 * itself with a value.
 */
extern bool dyn_pred_is_on(const DynRelation *relation, const DynPred *pred,
						   const DynKeyAttr *attr);

/*
 * Returns true if the predicate compares attributes themselves, not parts of
 * their texts, so that it might be a filter.
 */
extern bool dyn_pred_is_of_attribute(const DynRelation *relation,
									 const DynPred *pred);

/* Returns the document path of a field, or of a predicate's left side. */
extern const DynPath *dyn_field_path(const DynRelation *relation,
									 const DynField *field);
extern const DynPath *dyn_pred_path(const DynRelation *relation,
									const DynPred *pred);

/* True for AND, OR. */
static inline bool
dyn_pred_is_junction(const DynPred *pred)
{
	return pred->kind == DYN_PRED_AND || pred->kind == DYN_PRED_OR;
}

/* True for a comparison of a field with one value by this operator. */
static inline bool
dyn_pred_compares(const DynPred *pred, DynComparison comparison)
{
	return pred->kind == DYN_PRED_COMPARE && !pred->array &&
		pred->operator.comparison == comparison;
}

/* True for field < value, <=, >, >=. */
static inline bool
dyn_pred_is_bound(const DynPred *pred)
{
	return pred->kind == DYN_PRED_COMPARE &&
		pred->operator.comparison >= DYN_COMPARE_LT;
}

/* True for field LIKE value, field begins with value. */
static inline bool
dyn_pred_is_pattern(const DynPred *pred)
{
	return pred->kind == DYN_PRED_LIKE;
}

/* True if it lists the allowed values: =, = ANY, or a boolean column. */
static inline bool
dyn_pred_is_point(const DynPred *pred)
{
	return pred->kind == DYN_PRED_BOOLEAN ||
		(pred->kind == DYN_PRED_COMPARE && pred->operator.comparison == DYN_COMPARE_EQ);
}

/* True for a condition without columns, which is not sent to DynamoDB. */
static inline bool
dyn_pred_is_given(const DynPred *pred)
{
	return pred->kind == DYN_PRED_GIVEN;
}

/* True for a term of the item filter, or a predicate on a template's text. */
static inline bool
dyn_pred_selects_rows(const DynPred *pred)
{
	return pred->kind == DYN_PRED_FILTER_TERM || pred->kind == DYN_PRED_TEMPLATED;
}

/*
 * If the list has only one predicate, and it is on a template's text, returns
 * it; otherwise NULL.
 */
extern const DynPred *dyn_only_templated(const List *preds);

/*
 * Calls visit(pred, arg) for every leaf of the tree; returns true as soon as
 * the visitor does.
 */
extern bool dyn_pred_visit(DynPred *pred, bool (*visit) (DynPred *, void *),
						   void *arg);

/*
 * Does the same, and also visits the predicates on parts of a template's text.
 */
extern bool dyn_pred_visit_parts(DynPred *pred, bool (*visit) (DynPred *, void *),
								 void *arg);

#endif

/*
 * preds.h
 *		Predicates: the parts of clauses that DynamoDB can evaluate
 */
#ifndef DYN_PLAN_PREDS_H
#define DYN_PLAN_PREDS_H

#include "nodes/primnodes.h"

#include "../../model/tables/relation.h"
#include "../../model/values/time_bounds.h"

/*
 * A new kind must be added in these files, depending on its use:
 *
 *		condition on a key		plan/keys/terms.c and exec/keys/key_values.c
 *		filter					exec/keys/filter.c, and leaf_is_forbidden()
 *								in plan/keys/match_keys.c
 *		completeness of indexes	plan/keys/index_complete.c
 *		shown by EXPLAIN		pred_words in exec/node/explain.c
 */
typedef enum DynPredKind
{
	DYN_PRED_AND,				/* AND of args */
	DYN_PRED_OR,				/* OR of args */
	DYN_PRED_COMPARE,			/* `field operator value`; if `array` is true,
								 * `field = ANY (value)` or `field <> ALL
								 * (value)`.  A member of a jsonb column is
								 * compared as text (->>) */
	DYN_PRED_LIKE,				/* field LIKE `value`; with `literal`: field
								 * begins with `value` */
	DYN_PRED_CONTAINS,			/* field contains `value`; with `array`, every
								 * element of `value`.  For a field of an
								 * unnested element: the unnested attribute has
								 * an element equal to `value` */
	DYN_PRED_NULL,				/* field IS NULL; negated: IS NOT NULL */
	DYN_PRED_BOOLEAN,			/* boolean field; negated: NOT field */
	DYN_PRED_FIELDS,			/* field operator column `other` */
	DYN_PRED_FILTER_TERM,		/* condition of the table option item_filter or
								 * ttl_attribute; has no field */
	DYN_PRED_TEMPLATED,			/* condition on an attribute with a key
								 * template; args has one AND or EACH for each
								 * of the leading placeholders ("parts"), not
								 * necessarily for all (match_template.c) */
	DYN_PRED_EACH,				/* field has one of the finitely many values
								 * between the bounds in args (enumerate.c);
								 * if args is NIL, a placeholder has one of
								 * the values that its template lists */
	DYN_PRED_GIVEN				/* the condition in `value`, which uses no
								 * columns of the table; the predicate's
								 * `field` is not set */
} DynPredKind;

/* Result of the conversion of a predicate's value */
typedef enum DynBoundKind
{
	DYN_BOUND_NONE,				/* not converted */
	DYN_BOUND_EQUAL,			/* value that all operators treat like the
								 * original value */
	DYN_BOUND_LOWER,			/* lower bound of the column in all rows for
								 * which the clause is true */
	DYN_BOUND_UPPER				/* upper bound of the column in these rows */
} DynBoundKind;

/* A step of an expression over a date or time (time_bounds.h) */
typedef struct DynConversionStep
{
	DynTimeStepKind kind;
	Expr	   *operand;		/* operand (at planning), or NULL */
	Oid			type;			/* type of the operand */
	int			param;			/* operand's position in fdw_exprs, or -1 */
} DynConversionStep;

/*
 * The conversion of a predicate's value to its column's type.  It is needed if
 * the clause compares a date or time column with a value of another type, or
 * an expression over the column.  It may depend on the session's time zone, so
 * the value is converted at run time, after each evaluation
 * (exec/statement/values.h).  The predicate then compares the column itself.
 */
typedef struct DynConversion
{
	DynBoundKind bound;
	bool		upper;			/* true if the value is an upper bound of the
								 * expression that the clause compares */
	bool		strict;			/* true if the bound excludes the value */
	bool		array;			/* true if the value is an array; it becomes an
								 * array if `bound` is EQUAL, else the least or
								 * greatest bound of its elements */
	Oid			from;			/* type of the value, or of its elements */
	Oid			compared;		/* type in which both sides are compared */
	Oid			to;				/* column's type; equals pred->valuetype */
	List	   *steps;			/* DynConversionStep *, outermost first; NIL:
								 * the clause compares the column itself */
	int			param;			/* position of the value in fdw_exprs */
} DynConversion;

/* The location of a column, or of a member of a jsonb column, in the item */
typedef struct DynField
{
	AttrNumber	attnum;
	List	   *steps;			/* String *, nested members; NIL: the column */
} DynField;

typedef struct DynPred
{
	DynPredKind kind;
	bool		negated;		/* true for IS NOT NULL, and for NOT field */
	bool		array;			/* COMPARE, CONTAINS: value is an array */
	bool		literal;		/* LIKE: value is a prefix, not a pattern */
	DynField	field;
	AttrNumber	other;			/* FIELDS: column on the right; else 0 */
	Expr	   *value;			/* value at planning; NULL in the plan node */
	DynConversion *conversion;	/* conversion of `value` (planning), or NULL */
	DynBoundKind bound;			/* result of the conversion */
	DynOperator operator;		/* COMPARE, FIELDS: the operator; LIKE: only
								 * the collation is set */
	int			most;			/* EACH: maximum number of values; if there
								 * are more, the key cannot be used */
	double		expected;		/* EACH: estimated number of values */
	bool		unsure;			/* EACH, at planning: true if there may be
								 * more than `most` values at run time */
	bool		part_only;		/* at planning: true if no condition on the
								 * column's attribute can be sent, only one on
								 * a placeholder of a key template */
	int			param;			/* position of the value in fdw_exprs */
	int			term;			/* FILTER_TERM: position in the item filter */
	int			templated;		/* TEMPLATED: position of the template */
	Oid			valuetype;		/* type of the value, or of its elements */
	bool		enforced;		/* true if the filter must be sent, because
								 * PostgreSQL does not check its clause */
	List	   *args;			/* DynPred * */
} DynPred;

extern DynPred *dyn_make_pred(DynPredKind kind, const DynField *field);
extern DynPred *dyn_make_value_pred(DynPredKind kind, const DynField *field,
									Node *value, Oid valuetype);
extern DynPred *dyn_make_connective(DynPredKind kind, List *args);

static inline DynPred *
dyn_make_and(List *args)
{
	return dyn_make_connective(DYN_PRED_AND, args);
}

static inline DynPred *
dyn_make_or(List *args)
{
	return dyn_make_connective(DYN_PRED_OR, args);
}

extern DynPred *dyn_make_templated(int position, List *args);
extern DynPred *dyn_make_given(Node *condition);

static inline DynPred *
dyn_make_each(const DynField *field)
{
	return dyn_make_pred(DYN_PRED_EACH, field);
}

/* Returns true for a condition without columns, which is not sent. */
static inline bool
dyn_pred_is_given(const DynPred *pred)
{
	return pred->kind == DYN_PRED_GIVEN;
}

extern DynPred *dyn_make_comparison(const DynField *field, const DynOperator *op,
									Node *value, bool array);

extern DynPred *dyn_make_between(DynPred *lower, DynPred *upper);

/* Returns true if the column has the path and type of a key attribute. */
extern bool dyn_column_is_in_key(const DynColumn *column, const DynKeySchema *key);

/* Returns true for a COMPARE, LIKE or BOOLEAN on the full attribute `attr`. */
extern bool dyn_pred_is_on(const DynRelation *relation, const DynPred *pred,
						   const DynKeyAttr *attr);

/*
 * Returns false if the predicate needs a placeholder of a key template.  Such
 * a predicate cannot be a filter, because a placeholder is not an attribute.
 */
extern bool dyn_pred_is_of_attribute(const DynRelation *relation,
									 const DynPred *pred);

/* Returns the document path of a field, or of a predicate's left side. */
extern const DynPath *dyn_field_path(const DynRelation *relation,
									 const DynField *field);
extern const DynPath *dyn_pred_path(const DynRelation *relation,
									const DynPred *pred);

static inline bool
dyn_pred_is_junction(const DynPred *pred)
{
	return pred->kind == DYN_PRED_AND || pred->kind == DYN_PRED_OR;
}

/* Returns true for a predicate "field op value" where op is `comparison`. */
static inline bool
dyn_pred_compares(const DynPred *pred, DynComparison comparison)
{
	return pred->kind == DYN_PRED_COMPARE && !pred->array &&
		pred->operator.comparison == comparison;
}

static inline bool
dyn_pred_is_bound(const DynPred *pred)
{
	return pred->kind == DYN_PRED_COMPARE &&
		pred->operator.comparison >= DYN_COMPARE_LT;
}

/* Returns true for predicates that list values: =, = ANY, a boolean column. */
static inline bool
dyn_pred_is_point(const DynPred *pred)
{
	return pred->kind == DYN_PRED_BOOLEAN ||
		(pred->kind == DYN_PRED_COMPARE && pred->operator.comparison == DYN_COMPARE_EQ);
}

/* Returns true for conditions of the item filter or of a key template. */
static inline bool
dyn_pred_selects_rows(const DynPred *pred)
{
	return pred->kind == DYN_PRED_FILTER_TERM || pred->kind == DYN_PRED_TEMPLATED;
}

/* Returns the only predicate of the list if it is TEMPLATED; else NULL. */
extern const DynPred *dyn_only_templated(const List *preds);

/*
 * Call visit(leaf, arg) for each predicate, except AND and OR, of the tree (or
 * list of trees) until a call returns true.  Return true if a call did.  With
 * `parts`, also visit the args of TEMPLATED and EACH, after their parent.
 */
extern bool dyn_pred_visit(DynPred *pred, bool parts,
						   bool (*visit) (DynPred *, void *), void *arg);
extern bool dyn_preds_visit(const List *preds, bool parts,
							bool (*visit) (DynPred *, void *), void *arg);

#endif

/*
 * exact.h
 *		Decides where DynamoDB compares and sorts values as SQL does.
 *
 * This decision is made only here.  It depends on the codec, the collation,
 * the encoding, on_mismatch and the operator's input types.  Other files do
 * not decide by these properties themselves (test/lint).
 *
 * Properties of the column alone are computed once, into its DynTraits, when
 * the foreign table's definition is read.  They are valid for operators that
 * compare values as the column's decoded type.  Whether an operator does so
 * depends on its own input types and collation, not on the types of columns
 * inside its casts.  dyn_operator_exactness() and the functions after it
 * combine both.
 *
 * An exactness is valid for all values that may be stored and all run-time
 * values.  A mismatch is a stored value that the column cannot hold: an error
 * here or, under on_mismatch 'null', NULL.  DynamoDB compares it like any
 * other value.
 */
#ifndef DYN_MODEL_EXACT_H
#define DYN_MODEL_EXACT_H

#include "../values/types.h"

struct DynColumn;

typedef enum DynExactness
{
	DYN_LOCAL,					/* may lose rows: must not be sent */
	DYN_SUPERSET,				/* keeps every row that SQL keeps, and possibly
								 * others: must be rechecked */
	DYN_EXACT					/* keeps the same rows */
} DynExactness;

typedef enum DynComparison
{
	DYN_COMPARE_EQ,				/* =, IN */
	DYN_COMPARE_NE,				/* <>, NOT IN */
	DYN_COMPARE_LT,
	DYN_COMPARE_LE,
	DYN_COMPARE_GT,
	DYN_COMPARE_GE
} DynComparison;

/* A comparison operator of a default btree family, or its negator. */
typedef struct DynOperator
{
	DynComparison comparison;
	Oid			column_type;	/* input type on the column's side */
	Oid			value_type;		/* input type on the other side; for an array,
								 * that of its elements */
	Oid			collation;		/* collation used by the comparison */
} DynOperator;

typedef struct DynTraits
{
	DynExactness equality;
	DynExactness inequality;
	DynExactness range;

	/*
	 * True if a key attribute sorts like the column under a bytewise
	 * collation.  Equal column values may have different attributes; then the
	 * next attributes of the key do not determine the order.
	 */
	bool		order;

	/*
	 * True if different values of a key attribute are never decoded as values
	 * that are equal by the column's collation (several may be NULL).  Then
	 * the column can be in a unique index.
	 */
	bool		distinct;

	DynExactness null_test;		/* IS NULL */
	DynExactness not_null_test; /* IS NOT NULL */
	DynExactness truth;			/* booleans: c, NOT c */

	bool		parts;			/* true if a member of a document has the same
								 * value if only a part of the document is
								 * read */
	bool		members;		/* true for a part if every row has one of the
								 * values that its template enumerates */
	bool		point;			/* true if = means one stored value, usable as
								 * a key */
	bool		key;			/* true if usable in key conditions */
} DynTraits;

/* Sets column->traits from the other fields. */
extern void dyn_traits_init(struct DynColumn *column);

/*
 * Sets the traits of a column encoded in a part of a template.  Comparisons
 * with its values are never exact.  `base` is true for a key attribute of the
 * table: items with mismatches there are not rows.  `folded` is true if its
 * letters are in one case.
 */
extern void dyn_traits_init_part(struct DynColumn *column, bool base,
								 bool folded);

/*
 * Returns true if every value of this DynamoDB type, which must be a key type,
 * is an error in the column.  If the column has a format, the stored values
 * are assumed to have it.
 */
extern bool dyn_column_rejects(const struct DynColumn *column, DynType type);

/* column OP value, column OP ANY (array), value OP column */
extern DynExactness dyn_operator_exactness(const struct DynColumn *column,
										   const DynOperator *op);

/* column OP other column */
extern DynExactness dyn_columns_exactness(const struct DynColumn *column,
										  const struct DynColumn *other,
										  const DynOperator *op);

/* column LIKE value, column ^@ value, by the operators on text */
extern DynExactness dyn_prefix_exactness(const struct DynColumn *column,
										 Oid collation);

/* value = ANY (column), column @> array; op's types are those of elements */
extern DynExactness dyn_element_exactness(const struct DynColumn *column,
										  const DynOperator *op);

/*
 * column OP value in an unnested table, evaluated as: the item has such an
 * element
 */
extern DynExactness dyn_unnested_exactness(const struct DynColumn *column,
										   const DynOperator *op);

/* column ->> 'name' OP value */
extern DynExactness dyn_member_exactness(const DynOperator *op);

/*
 * Returns true if the name of a document's member has a unique form in
 * DynamoDB.
 */
extern bool dyn_name_is_exact(const char *name);

/*
 * Returns true if sorting a partition's items by this key attribute gives this
 * order.
 */
extern bool dyn_order_is_exact(const struct DynColumn *column, Oid opfamily,
							   Oid collation);

#endif

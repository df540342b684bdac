/*
 * exact.h
 *		Decides where DynamoDB compares and sorts values as SQL does.
 *
 * This decision is made only here.  It depends on the codec, the collation,
 * the encoding, on_mismatch and the operator's input types; other files do not
 * use its results instead (test/lint).
 *
 * Properties of the column alone are computed once, into its DynTraits, when
 * the foreign table's definition is read.  They are valid for operators that
 * compare by the type that the column is decoded as.  The operator's own input
 * types and collation decide whether that is so, not the types of columns
 * below its casts; dyn_operator_exactness() and the like combine both.
 *
 * An exactness is valid for all values that may be stored and all run-time
 * values.  A misfit is a stored value that does not fit the column: an error
 * here or, under on_mismatch 'null', NULL; DynamoDB compares it like any other
 * value.
 */
#ifndef DYN_MODEL_EXACT_H
#define DYN_MODEL_EXACT_H

#include "../values/types.h"

struct DynColumn;

typedef enum DynExactness
{
	DYN_LOCAL,					/* may lose rows: must not be sent */
	DYN_SUPERSET,				/* keeps every row that SQL keeps, and maybe
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
	Oid			column_type;	/* its input type on the column's side */
	Oid			value_type;		/* on the other; of an array: of elements */
	Oid			collation;		/* used by the comparison */
} DynOperator;

typedef struct DynTraits
{
	DynExactness equality;
	DynExactness inequality;
	DynExactness range;

	/*
	 * A key attribute sorts like the column under a bytewise collation.  Values
	 * that are equal to the column may differ in the attribute: then the next
	 * attributes of the key say nothing about the order.
	 */
	bool		order;

	/*
	 * Different values of a key attribute are decoded as values that differ
	 * by the column's collation, or NULL: as for a unique index.
	 */
	bool		distinct;

	DynExactness absence;		/* IS NULL */
	DynExactness completeness;	/* IS NOT NULL */
	DynExactness truth;			/* booleans: c, NOT c */

	bool		parts;			/* members of a document are the same whether
								 * it is read whole or only in part */
	bool		members;		/* of a part: no row has another value than the
								 * members of its enumeration */
	bool		point;			/* = means one stored value, usable as a key */
	bool		key;			/* usable in key conditions */
} DynTraits;

/* Sets column->traits from the other fields. */
extern void dyn_traits_init(struct DynColumn *column);

/*
 * The same for a column as it is spelled in a part of a template; `base`: of a
 * key attribute of the table, so that items with misfits are no rows; `folded`:
 * its letters in one case.  Nothing is exact but the order.
 */
extern void dyn_traits_init_part(struct DynColumn *column, bool base,
								 bool folded);

/*
 * Is every value of this DynamoDB type, which keys can have, an error in the
 * column?  A format says where values come from, so it is trusted.
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

/* column OP value, as the presence of such an element, of an unnested table */
extern DynExactness dyn_unnested_exactness(const struct DynColumn *column,
										   const DynOperator *op);

/* column ->> 'name' OP value */
extern DynExactness dyn_member_exactness(const DynOperator *op);

/* Does the name of a document's member have a unique form in DynamoDB? */
extern bool dyn_name_is_exact(const char *name);

/*
 * Are the items of a partition, sorted by this key attribute, in this order?
 */
extern bool dyn_order_is_exact(const struct DynColumn *column, Oid opfamily,
							   Oid collation);

#endif

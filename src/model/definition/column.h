/*
 * column.h
 *		A column of a foreign table: the location of its value in an item, the
 *		type that the value is converted to, and the conditions on it for which
 *		DynamoDB compares and sorts values as SQL does.
 *
 * The exactness of a condition depends on the codec, the collation, the
 * encoding, on_mismatch and the operator's input types.  Only exact.c may test
 * these for this purpose (test/lint).
 *
 * The traits of a column apply only to operators that compare values of the
 * column's decoded type.  Whether they apply depends on the operator's input
 * types and collation, not on the types of columns inside of casts.
 *
 * An exactness holds for all stored values and all run-time values.  A
 * mismatch is a stored value that the column's type cannot represent.  For
 * PostgreSQL it is an error or, under on_mismatch 'null', NULL; DynamoDB
 * compares it like any other value.
 */
#ifndef DYN_MODEL_COLUMN_H
#define DYN_MODEL_COLUMN_H

#include "../../dynamodb/page.h"
#include "../values/path.h"
#include "../values/types.h"
#include "options.h"

typedef enum DynExactness
{
	DYN_LOCAL,					/* could lose rows: must not be sent */
	DYN_SUPERSET,				/* selects all rows that SQL selects, and maybe
								 * more: must be rechecked */
	DYN_EXACT					/* selects the same rows */
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

/* A comparison operator of a type's default btree family, or <>. */
typedef struct DynOperator
{
	DynComparison comparison;
	Oid			column_type;	/* input type on the column's side */
	Oid			value_type;		/* input type on the other side; element type
								 * of an array */
	Oid			collation;		/* collation used by the comparison */
} DynOperator;

typedef struct DynTraits
{
	DynExactness equality;
	DynExactness inequality;
	DynExactness range;

	/*
	 * True if items sorted by this key attribute are sorted by the column,
	 * under a bytewise collation.  Different attribute values may be decoded
	 * as equal column values; rows with equal column values may then not be
	 * sorted by the later attributes of the key.
	 */
	bool		order;

	/*
	 * True if different values of a key attribute are decoded as column values
	 * that differ under the column's collation, so that a unique key makes the
	 * column unique.  Only NULL may be decoded from several values.
	 */
	bool		distinct;

	DynExactness null_test;		/* IS NULL */
	DynExactness not_null_test; /* IS NOT NULL */
	DynExactness truth;			/* c and NOT c, for a boolean column */

	bool		parts;			/* true if members of a document can be read
								 * without the rest of it */
	bool		members;		/* true if every row has one of the values that
								 * the part's template enumerates */
	bool		point;			/* true if = selects one stored value, so that
								 * this value can be a key */
	bool		key;			/* true if usable in key conditions */
} DynTraits;

typedef struct DynColumn
{
	const char *name;
	bool		dropped;		/* true if the column is dropped, or is a
								 * virtual generated column; NULL in each row */
	bool		not_null;
	bool		placed;			/* true if an option sets the location */
	Oid			collation;
	DynPathBase base;			/* start of the path; always ITEM unless the
								 * table is unnested */
	const DynPath *path;		/* path from the item to the value, to the
								 * string that a template composes from the
								 * value, or to the unnested collection; a
								 * document's path has no steps */
	const DynPath *below;		/* path in the element, if base is ELEMENT */
	DynDocument document;
	int			segments;		/* number of segments, if the column shows the
								 * Scan segment of the item; else 0 */
	int			templated;		/* index of the template that the column is
								 * read from (template_columns.h), or -1 */
	int			part;			/* index of the part in the template */
	bool		null_on_mismatch;
	DynCodec	codec;			/* codec of the value, or of the part */
	DynTraits	traits;
} DynColumn;

/* Returns false for a column of an element of an unnested collection. */
static inline bool
dyn_column_is_of_item(const DynColumn *column)
{
	return column->base == DYN_PATH_ITEM;
}

/* Returns true if the column is read from a part of a template. */
static inline bool
dyn_column_is_part(const DynColumn *column)
{
	return column->templated >= 0;
}

/* Sets column->traits from the other fields of the column. */
extern void dyn_traits_init(DynColumn *column);

/*
 * Sets the traits of a part of a template, in the part's copy of its column.
 * Comparisons with a part are never exact.  `base` is true if the template
 * belongs to a key attribute of the table; items with mismatches in that
 * attribute are not rows.  `folded` is true if the part's letters are stored
 * in one case.
 */
extern void dyn_traits_init_part(DynColumn *column, bool base, bool folded);

/*
 * Returns true if the column raises an error for every stored value of this
 * key type (S, N or B).  Returns false for a column with a format, since the
 * stored values are assumed to have this format.
 */
extern bool dyn_column_rejects(const DynColumn *column, DynType type);

/*
 * Returns the exactness of column OP value, value OP column, and column OP ANY
 * (array).  The functions below return the exactness of other conditions.
 */
extern DynExactness dyn_operator_exactness(const DynColumn *column,
										   const DynOperator *op);

/* column OP other column */
extern DynExactness dyn_columns_exactness(const DynColumn *column,
										  const DynColumn *other,
										  const DynOperator *op);

/* column LIKE value, column ^@ value, with the operators on text */
extern DynExactness dyn_prefix_exactness(const DynColumn *column, Oid collation);

/* value = ANY (column), column @> array; `op` has the types of the elements */
extern DynExactness dyn_element_exactness(const DynColumn *column,
										  const DynOperator *op);

/* the same, sent as a condition that the item contains an element */
extern DynExactness dyn_unnested_exactness(const DynColumn *column,
										   const DynOperator *op);

/* column ->> 'name' OP value */
extern DynExactness dyn_member_exactness(const DynOperator *op);

/* Returns true if this name of a member has exactly one encoding in UTF-8. */
extern bool dyn_name_is_exact(const char *name);

/*
 * Returns true if the items of a partition, sorted by the column's key
 * attribute, are sorted as this operator family and collation require.
 */
extern bool dyn_order_is_exact(const DynColumn *column, Oid opfamily,
							   Oid collation);

#endif

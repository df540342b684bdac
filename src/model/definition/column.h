/*
 * column.h
 *		A column of a foreign table: the location of its value in an item, the
 *		codec that converts the value (types.h), and the column's traits.
 *
 * Traits state whether DynamoDB compares and sorts values as SQL does
 * (DynExactness).  They hold for all values that may be stored or compared.
 * Only exact.c may derive them from codecs, collations and on_mismatch.
 *
 * Traits apply only to operators that compare values of the column's type; an
 * operand may be a cast of the column to another type.
 *
 * A mismatch is a stored value that the column's type cannot represent.
 * Reading a mismatch raises an error or, under on_mismatch 'null', returns
 * NULL.  DynamoDB compares a mismatch like any other value.
 */
#ifndef DYN_MODEL_COLUMN_H
#define DYN_MODEL_COLUMN_H

#include "../../dynamodb/page.h"
#include "../values/path.h"
#include "../values/types.h"
#include "options.h"

typedef enum DynExactness
{
	DYN_LOCAL,					/* condition could miss rows: never sent */
	DYN_SUPERSET,				/* condition selects all rows that SQL selects,
								 * maybe also others, so rows are rechecked */
	DYN_EXACT					/* condition selects the same rows as SQL */
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
	Oid			value_type;		/* input type on the other side; if it is an
								 * array, the type of its elements */
	Oid			collation;		/* collation used by the comparison */
} DynOperator;

typedef struct DynTraits
{
	DynExactness equality;
	DynExactness inequality;
	DynExactness range;

	/*
	 * True if the key attribute sorts items as the column sorts rows (strings
	 * by their bytes).  Rows with equal values of the column are sorted by the
	 * next key attribute only if `distinct` is true.
	 */
	bool		order;

	/*
	 * True if different values of a key attribute never become equal values of
	 * the column (under its collation; NULLs count as different).  A unique
	 * key then makes the column unique.
	 */
	bool		distinct;

	DynExactness null_test;		/* IS NULL */
	DynExactness not_null_test; /* IS NOT NULL */
	DynExactness truth;			/* c and NOT c, for a boolean column */

	bool		parts;			/* true if a member of a jsonb column can be
								 * read without the other members */
	bool		members;		/* true if every row has one of the values that
								 * the placeholder lists, as in ${type:A|B} */
	bool		point;			/* true if column = value holds for only one
								 * stored value; then a request can use this
								 * value as a key */
	bool		key;			/* true if key conditions can use the column */
} DynTraits;

typedef struct DynColumn
{
	const char *name;
	bool		dropped;		/* true for dropped and virtual generated
								 * columns, which are NULL in each row */
	bool		not_null;
	bool		placed;			/* true if an option sets the location */
	Oid			collation;
	DynPathBase base;			/* start of the path; ITEM unless unnested */
	const DynPath *path;		/* path of the value, of the templated string
								 * that contains the value, or of the unnested
								 * collection; no steps for the full item */
	const DynPath *below;		/* path inside an element of the unnested
								 * collection (`base` is ELEMENT) */
	DynDocument document;
	int			segments;		/* number of segments, if the column shows the
								 * Scan segment of the item; else 0 */
	int			templated;		/* index of the template that the column is
								 * read from (template_columns.h), or -1 */
	int			part;			/* index of the placeholder in the template */
	bool		null_on_mismatch;
	DynCodec	codec;			/* codec of the value, or of the placeholder */
	DynTraits	traits;
} DynColumn;

/* Returns true if the column is read from the item, not from an element. */
static inline bool
dyn_column_is_of_item(const DynColumn *column)
{
	return column->base == DYN_PATH_ITEM;
}

/* Returns true if the column is read from a placeholder of a template. */
static inline bool
dyn_column_is_part(const DynColumn *column)
{
	return column->templated >= 0;
}

/* Sets column->traits from the other fields of the column. */
extern void dyn_traits_init(DynColumn *column);

/*
 * Sets the traits of a placeholder, in its copy of the column (DynPart).  `base`
 * is true if the template belongs to a key attribute of the table; items with
 * mismatches in that attribute are not rows.  `folded` is true if the template
 * stores all letters of the value in one case.
 */
extern void dyn_traits_init_part(DynColumn *column, bool base, bool folded);

/*
 * Returns true if the column raises an error for every stored value of this
 * key type (S, N or B).  Returns false for a column with a format, since the
 * stored values are assumed to have this format.
 */
extern bool dyn_column_rejects(const DynColumn *column, DynType type);

/* Returns the exactness of column OP value and column OP ANY (array). */
extern DynExactness dyn_operator_exactness(const DynColumn *column,
										   const DynOperator *op);

/* Returns the exactness of column OP other column. */
extern DynExactness dyn_columns_exactness(const DynColumn *column,
										  const DynColumn *other,
										  const DynOperator *op);

/* Returns the exactness of column LIKE value and column ^@ value, on text. */
extern DynExactness dyn_prefix_exactness(const DynColumn *column, Oid collation);

/*
 * Returns the exactness of value = ANY (column) and of column @> array.  `op`
 * has the types of the elements.
 */
extern DynExactness dyn_element_exactness(const DynColumn *column,
										  const DynOperator *op);

/* Returns the exactness of element = value with unnest, sent as contains(). */
extern DynExactness dyn_unnested_exactness(const DynColumn *column,
										   const DynOperator *op);

/* Returns the exactness of column ->> 'name' OP value. */
extern DynExactness dyn_member_exactness(const DynOperator *op);

/* Returns true if the name has a UTF-8 form that no other name has. */
extern bool dyn_name_is_exact(const char *name);

/*
 * Returns true if the items of a partition, sorted by the column's key
 * attribute, are sorted as this operator family and collation require.
 */
extern bool dyn_order_is_exact(const DynColumn *column, Oid opfamily,
							   Oid collation);

#endif

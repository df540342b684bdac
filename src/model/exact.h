/*
 * exact.h
 *		Decides where DynamoDB compares and sorts values as SQL does.
 *
 * This decision is made only here.  It depends on the codec, the collation,
 * the encoding, on_mismatch and the operator's input types; other files do not
 * use these (test/lint), but the verdicts.
 *
 * Properties of the column alone are computed once, into its DynTraits, when
 * the foreign table's definition is read.  They are valid for operators that
 * compare by the type that the column is decoded as.  The operator's own input
 * types and collation decide whether that is so, not the types of columns
 * below its casts; dyn_judge_operator() and the like combine both.
 *
 * A verdict is valid for all values that may be stored and all run-time
 * values.  A misfit is a stored value that does not fit the column: an error
 * here or, under on_mismatch 'null', NULL; DynamoDB compares it like any other
 * value.
 */
#ifndef DYN_MODEL_EXACT_H
#define DYN_MODEL_EXACT_H

#include "types.h"

struct DynColumn;

typedef enum DynVerdict
{
	DYN_LOCAL,					/* may lose rows: must not be sent */
	DYN_SUPERSET,				/* keeps every row that SQL keeps, and maybe
								 * others: must be rechecked */
	DYN_EXACT					/* keeps the same rows */
} DynVerdict;

typedef enum DynComparison
{
	DYN_COMPARE_EQ,				/* =, IN */
	DYN_COMPARE_NE,				/* <>, NOT IN */
	DYN_COMPARE_RANGE			/* <, <=, >, >= */
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
	DynVerdict	equality;
	DynVerdict	inequality;
	DynVerdict	range;

	/* A key attribute sorts like the column under a bytewise collation. */
	bool		order;

	/*
	 * Different values of a key attribute are decoded as values that differ by
	 * the column's collation, or NULL: as for a unique index.
	 */
	bool		distinct;

	DynVerdict	absence;		/* IS NULL */
	DynVerdict	presence;		/* IS NOT NULL */
	DynVerdict	truth;			/* booleans: c, NOT c */

	bool		parts;			/* members of a document are the same whether
								 * it is read whole or only in part */
	bool		point;			/* = means one stored value, usable as a key */
	bool		key;			/* usable in key conditions */
} DynTraits;

/* Sets column->traits from the other fields. */
extern void dyn_judge_column(struct DynColumn *column);

/* column OP value, column OP ANY (array), value OP column */
extern DynVerdict dyn_judge_operator(const struct DynColumn *column,
									 const DynOperator *op);

/* column OP other column */
extern DynVerdict dyn_judge_columns(const struct DynColumn *column,
									const struct DynColumn *other,
									const DynOperator *op);

/* column LIKE value, column ^@ value, by the operators on text */
extern DynVerdict dyn_judge_prefix(const struct DynColumn *column,
								   Oid collation);

/* value = ANY (column), column @> array; op's types are those of elements */
extern DynVerdict dyn_judge_element(const struct DynColumn *column,
									const DynOperator *op);

/* column ->> 'name' OP value */
extern DynVerdict dyn_judge_member(const DynOperator *op);

/* Does the name of a document's member have a unique form in DynamoDB? */
extern bool dyn_judge_name(const char *name);

/*
 * Are the items of a partition, sorted by this key attribute, in this order?
 */
extern bool dyn_judge_order(const struct DynColumn *column, Oid opfamily,
							Oid collation);

#endif

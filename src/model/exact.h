/*
 * exact.h
 *		How far DynamoDB compares and sorts the values of a column as SQL does.
 *
 * This is the only judge.  It knows the ingredients (codec, collation,
 * encoding, on_mismatch, an operator's input types) and nobody else looks at
 * them (test/lint); planning reads the verdicts.
 *
 * What depends on the column alone is computed once, into its DynTraits, when
 * the foreign table's definition is read.  They hold for operators that compare
 * by the type that the column is decoded as.  Whether an operator does is told
 * by its own input types and its own collation, never by the types of columns
 * below its casts: dyn_judge_operator() and its like take both together.
 *
 * A verdict is about all values that may be stored and all run-time values.
 * Values that do not fit the column (misfits) are an error here or, under
 * on_mismatch 'null', NULL; DynamoDB compares them like any other.
 */
#ifndef DYN_MODEL_EXACT_H
#define DYN_MODEL_EXACT_H

#include "types.h"

struct DynColumn;

typedef enum DynVerdict
{
	DYN_LOCAL,					/* may lose rows: not to be sent */
	DYN_SUPERSET,				/* keeps every row that SQL keeps: to be checked
								 * again */
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
	Oid			value_type;		/* and on the other; of an array, the elements' */
	Oid			collation;		/* that it compares by */
} DynOperator;

typedef struct DynTraits
{
	DynVerdict	equality;
	DynVerdict	inequality;
	DynVerdict	range;

	/* A key attribute sorts as the column does, under a collation that goes by
	 * bytes. */
	bool		order;

	/* Two values of a key attribute never show as the same value, except NULL,
	 * by the column's collation: what a unique index says. */
	bool		distinct;

	DynVerdict	absence;		/* IS NULL */
	DynVerdict	presence;		/* IS NOT NULL */
	DynVerdict	truth;			/* booleans: c, NOT c */

	bool		point;			/* = is one stored value, and may name a key */
	bool		key;			/* conditions on it may be key conditions */
} DynTraits;

/* Fills column->traits from what relation.c read. */
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

/* Has the name of a document's member one form in DynamoDB? */
extern bool dyn_judge_name(const char *name);

/* Do the items of a partition, by their key attribute, come in this order? */
extern bool dyn_judge_order(const struct DynColumn *column, Oid opfamily,
							Oid collation);

#endif

/*
 * rewrite_equal.h
 *		Rewrites conditions that are equivalent to equalities.
 *
 *		k LIKE 'abc'				a pattern without wildcards
 *		k IS NOT DISTINCT FROM 5	a constant that is not NULL
 *		(k = x) IS TRUE				as a full clause
 *		k BETWEEN x AND x			two clauses with the same value
 */
#ifndef DYN_PLAN_REWRITE_EQUAL_H
#define DYN_PLAN_REWRITE_EQUAL_H

#include "classify.h"

/*
 * Returns the first two as an operator expression with =, which is true for
 * the same rows; any other expression unchanged.  If = is NULL, the expression
 * may be false.
 */
extern Node *dyn_plain_equality(Node *node);

/* Does the same for a full clause, and also removes IS TRUE. */
extern Node *dyn_plain_clause(Node *clause);

/*
 * Classifies field IS NOT DISTINCT FROM value, where the value may be NULL:
 * only for an attribute of the table's own key, which every item has.
 */
extern DynPred *dyn_classify_not_distinct(DynClassify *context,
										  const DistinctExpr *expr);

/* An equality that two of the clauses imply */
typedef struct DynImplied
{
	RestrictInfo *rinfo;		/* one of the two clauses */
	Node	   *equality;
} DynImplied;

/*
 * Returns the equalities implied by clauses L >= R and L <= R, a List of
 * DynImplied *.  For a column in a partition key, these include column LIKE $1
 * and column BETWEEN $1 AND $2: each becomes an OR with a guard (choice.c),
 * since the parameters decide.
 */
extern List *dyn_implied_equalities(const DynClassify *context, List *rinfos);

#endif

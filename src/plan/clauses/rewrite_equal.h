/*
 * rewrite_equal.h
 *		Conditions that are equalities without being written so.
 *
 *		k LIKE 'abc'				a pattern without wildcards
 *		k IS NOT DISTINCT FROM 5	a constant that is not NULL
 *		(k = x) IS TRUE				as a whole clause
 *		k BETWEEN x AND x			two clauses with the same value
 */
#ifndef DYN_PLAN_REWRITE_EQUAL_H
#define DYN_PLAN_REWRITE_EQUAL_H

#include "classify.h"

/*
 * The first two as an operator expression with =, which is true for the same
 * rows; any other expression itself.  Where = is NULL, the expression may be
 * false.
 */
extern Node *dyn_plain_equality(Node *node);

/* Likewise of a whole clause: without IS TRUE, too. */
extern Node *dyn_plain_clause(Node *clause);

/*
 * field IS NOT DISTINCT FROM value, where the value may be NULL: only of an
 * attribute of the table's own key, which every item has.
 */
extern DynPred *dyn_classify_not_distinct(DynClassify *context,
										  const DistinctExpr *expr);

/* An equality that two of the clauses imply. */
typedef struct DynImplied
{
	RestrictInfo *rinfo;		/* one of the two */
	Node	   *equality;
} DynImplied;

/*
 * Of clauses L >= R and L <= R.  Of column LIKE $1 and column BETWEEN $1 AND $2,
 * too, where the column is in a partition key: then it is an OR with a gate
 * (guards.h), since the parameters decide.  A List of DynImplied *.
 */
extern List *dyn_implied_equalities(const DynClassify *context, List *rinfos);

#endif

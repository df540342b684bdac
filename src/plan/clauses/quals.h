/*
 * quals.h
 *		Classifies SQL conditions: their predicates in DynamoDB, and whether
 *		they are exact.
 *
 * dyn_quals_classify translates each clause into a predicate over fields of
 * the item, if possible; model/definition/exact.h decides its exactness.  All
 * later steps use the DynClause; index_complete.c also reads the SQL clause.
 *
 * A predicate keeps every row that the clause keeps.  It is exact if it keeps
 * no other row, for every value that may be stored and every run-time value;
 * only then may the clause's local check be omitted.
 *
 * Run-time values (constants, parameters, stable expressions, columns of other
 * tables) stay expressions, which exec/keys/resolve_keys.c evaluates.
 */
#ifndef DYN_PLAN_QUALS_H
#define DYN_PLAN_QUALS_H

#include "nodes/pathnodes.h"

#include "preds.h"
#include "rel_plan.h"

typedef struct DynClause
{
	RestrictInfo *rinfo;		/* source clause; NULL: a term of the item
								 * filter */
	DynPred    *pred;			/* predicate; NULL: checked locally only */
	bool		exact;
	bool		sized;			/* true if the size of the filter is bounded */
	bool		implied;		/* true if it follows from rinfo, which is
								 * stricter */
	bool		keys_only;		/* true if implied, and not useful as a
								 * filter */
	Node	   *condition;		/* keys_only: an expression that is true for
								 * the same rows, and shows which columns have
								 * values; or NULL */
} DynClause;

/*
 * Classifies RestrictInfos of the relation; returns a List of DynClause *.  Each
 * is classified once: its predicate is the same in later results.
 */
extern List *dyn_quals_classify(DynRelPlan *plan, List *rinfos);

/* Returns the relation's lists (rel_plan.h), which match keys only. */
extern List *dyn_classify_lists(DynRelPlan *plan);

/*
 * Returns clauses for the item filter, a List of DynClause *: one for each
 * term, and for each template of a key attribute one without a predicate,
 * which is checked locally.
 */
extern List *dyn_row_clauses(const DynRelation *relation);

/* Resets the clauses for another access plan. */
extern void dyn_clauses_rely_on_nothing(List *clauses);

#endif

/*
 * quals.h
 *		Translates SQL conditions into predicates for DynamoDB, and determines
 *		whether these predicates are exact.
 *
 * dyn_quals_classify translates each clause into a predicate over fields of
 * the item, if possible; model/definition/exact.c decides its exactness.  All
 * later steps use the DynClause; index_complete.c also reads the SQL clause.
 *
 * A predicate selects every row that the clause selects.  It is exact if it
 * selects no other row, for all values that may be stored and all run-time
 * values.  Only then is the clause not checked locally.
 *
 * Run-time values (constants, parameters, stable expressions, columns of other
 * tables) remain expressions until execution.
 */
#ifndef DYN_PLAN_QUALS_H
#define DYN_PLAN_QUALS_H

#include "nodes/pathnodes.h"

#include "preds.h"
#include "rel_plan.h"

typedef struct DynClause
{
	RestrictInfo *rinfo;		/* source clause; NULL: a condition for an item
								 * to be a row (dyn_row_clauses) */
	DynPred    *pred;			/* predicate; NULL: checked locally only */
	bool		exact;
	bool		sized;			/* true if the size of the filter is bounded */
	bool		implied;		/* true if rinfo implies the predicate, but may
								 * not be equivalent to it */
	bool		keys_only;		/* true if the predicate is only matched to
								 * keys, and never sent as a filter; `implied`
								 * is then true, too */
	Node	   *condition;		/* keys_only: SQL expression of the predicate,
								 * if it implies that a column is not NULL;
								 * else NULL */
} DynClause;

/*
 * Classifies RestrictInfos of the relation; returns a List of DynClause *. The
 * predicate of each RestrictInfo is cached, so later calls return the same
 * predicate.
 */
extern List *dyn_quals_classify(DynRelPlan *plan, List *rinfos);

/* Returns clauses (DynClause *) for plan->lists, all with `keys_only`. */
extern List *dyn_classify_lists(DynRelPlan *plan);

/*
 * Returns a List of DynClause * for the conditions that an item must satisfy
 * to be a row: one for each term of the item filter, and one without a
 * predicate (so it is checked locally) for each template of the table's key.
 */
extern List *dyn_row_clauses(const DynRelation *relation);

#endif

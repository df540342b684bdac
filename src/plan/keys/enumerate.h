/*
 * enumerate.h
 *		Replaces bounds of a partition key's column by all values between them.
 *
 * A partition key needs values.  Bounds of integers, dates, and times in hours
 * or longer units leave finitely many, which are counted and requested when
 * the bounds are known.  One of the bounds may be a CHECK constraint with a
 * constant.  If there are more values than a limit, the key is not used: at
 * planning if all bounds are constants, else at execution, where the table is
 * read without the key (dyn_add_fallback).
 */
#ifndef DYN_PLAN_ENUMERATE_H
#define DYN_PLAN_ENUMERATE_H

#include "terms.h"

/* Maximum number of values of one range. */
#define DYN_MAX_EACH	1000

/*
 * Returns a predicate DYN_PRED_EACH that the clauses (DynClause *) imply for
 * the target, whose values may be at most `most`.  Returns NULL if the clauses
 * do not bound the target on both sides, if its values cannot be enumerated,
 * or if there are none or too many of them.  Adds the clauses to *used.
 */
extern DynPred *dyn_match_each(const DynTarget *target, List *clauses, int most,
							   List **used);

/*
 * Returns why the values between the bounds of the target's column are not
 * enumerated; NULL if they are, or if there are no bounds, or only one of an
 * attribute itself.
 */
extern const char *dyn_why_not_each(const DynTarget *target, List *clauses);

/*
 * Returns the column of whose times each partition that the access plan reads
 * has one unit, in the order of the partitions' keys; 0 if there is none.
 */
extern AttrNumber dyn_column_of_units(const DynRelPlan *plan, const DynAccess *access);

#endif

/*
 * advice.h
 *		Why a condition on a key attribute does not restrict the key.
 */
#ifndef DYN_PLAN_ADVICE_H
#define DYN_PLAN_ADVICE_H

#include "../keys/match_keys.h"

/*
 * What EXPLAIN advises about an access plan that was made from these clauses, as
 * a sentence without capital and full stop; NULL: nothing.  Of a Scan: an index
 * that could be used, or else why conditions on a partition key do not restrict
 * it; of a Query: the same of the next attribute of the sort key.  Without a
 * condition there is no reason.
 */
extern const char *dyn_advise(PlannerInfo *root, const DynRelPlan *plan,
							  const DynAccess *access, List *clauses);

#endif

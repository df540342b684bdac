/*
 * guards.h
 *		Matches conditions on keys that apply only at times: $1 IS NULL OR k =
 *		$1.
 *
 * An optional condition is an OR with a guard: an arm that depends on no
 * column and has one value in all executions of a scan.  While the guard is
 * false or NULL (closed), the OR is equivalent to its other arms and may match
 * a key.  While it is true (open), the OR restricts nothing.  So there are two
 * access plans: one for closed guards, and one that uses no optional condition
 * for keys.  One of them is chosen when the statement starts.
 *
 * Properties of the rows hold in both plans: no order is declared, and an
 * index is read only if it is complete for both states of the guards.
 */
#ifndef DYN_PLAN_GUARDS_H
#define DYN_PLAN_GUARDS_H

#include "match_keys.h"

/*
 * Returns the access plan like dyn_match_keys with as few closed guards as
 * possible, and sets them in the access plan.  Returns NULL if the clauses
 * match the key without closing a guard, or not at all.
 */
extern DynAccess *dyn_match_optional(const DynRelPlan *plan,
									 const DynIndexMeta *index, List *clauses);

/* Returns true if any of the clauses has a guard. */
extern bool dyn_has_optional_quals(List *clauses);

/* Returns a copy of `clauses` to build an alternative access plan with. */
extern List *dyn_copy_clauses(List *clauses);

#endif

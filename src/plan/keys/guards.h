/*
 * guards.h
 *		Conditions on keys that a gate may take away: $1 IS NULL OR k = $1.
 *
 * A gate is an arm of an OR that depends on no column and has one value in all
 * executions of a scan.  While it is false (or NULL), the OR is what its other
 * arms say, and may match a key; if it is true, the OR says nothing.  So there
 * are two access plans: one for closed gates, and one that uses none of them
 * for keys.  One of them is chosen when the statement starts.
 *
 * What is claimed of the rows holds in both: no order is claimed, and an index
 * is read only if it is complete whatever the gates are.
 */
#ifndef DYN_PLAN_GUARDS_H
#define DYN_PLAN_GUARDS_H

#include "match_keys.h"

/*
 * As dyn_match_keys with as few closed gates as possible, which are set in the
 * access plan.  NULL if the clauses match the key without, or not even so.
 */
extern DynAccess *dyn_match_optional(const DynRelPlan *plan,
									 const DynIndexMeta *index, List *clauses);

/* Has any of the clauses a gate? */
extern bool dyn_has_optional_quals(List *clauses);

/* Clauses for another access plan, which relies on others of them. */
extern List *dyn_copy_clauses(List *clauses);

#endif

/*
 * presence.h
 *		Whether an index holds every item that a statement selects.
 *
 * Items of a table enter an index only with values for all its key attributes,
 * of the key's type, not empty and not too long.  DynamoDB refuses to write
 * others, but a global index may be younger than its items.  So an index is
 * complete for a statement if each of its key attributes is proved to be
 * there, with a value that the index can hold, in all items selected.
 *
 * What depends on run-time values is left open by the planner and decided at
 * the start of each execution; if it fails then, the table answers.
 */
#ifndef DYN_PLAN_PRESENCE_H
#define DYN_PLAN_PRESENCE_H

#include "match_keys.h"

/* Of a value in a partition key, and in a sort key. */
#define DYN_MAX_HASH_BYTES	2048
#define DYN_MAX_RANGE_BYTES	1024

/*
 * May the index be complete for the clauses?  If not, and if one column's NOT
 * NULL would prove it, *missing names the column.
 */
extern bool dyn_index_is_complete(const DynRelPlan *plan, Index relid,
								  const DynIndexMeta *index, List *clauses,
								  const char **missing);

/* Sets the proofs of an access plan that depend on run-time values. */
extern void dyn_bind_proofs(const DynRelPlan *plan, const DynIndexMeta *index,
							List *clauses, DynAccess *access);

/*
 * Is the index complete with these values, by their positions in fdw_exprs?
 * Allocates in CurrentMemoryContext.
 */
extern bool dyn_proofs_hold(const DynAccess *access,
							const DynRelation *relation,
							const Datum *values, const bool *nulls);

#endif

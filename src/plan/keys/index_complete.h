/*
 * index_complete.h
 *		Decides whether an index contains every item that a statement selects.
 *
 * An index contains only items with values for all its key attributes, of the
 * key's type, not empty and not too long.  DynamoDB rejects writes of other
 * values, but items may be older than a global index.  So an index is complete
 * for a statement if each of its key attributes is proved to be present, with
 * a value that the index can hold, in all items selected.
 *
 * Proofs that depend on run-time values are checked at the start of each
 * execution; if one fails, the table is read instead.
 */
#ifndef DYN_PLAN_INDEX_COMPLETE_H
#define DYN_PLAN_INDEX_COMPLETE_H

#include "match_keys.h"

/* Of a value in a partition key, and in a sort key. */
#define DYN_MAX_HASH_BYTES	2048
#define DYN_MAX_RANGE_BYTES	1024

/*
 * May the index be read, and can it be complete for the clauses?  If not, but
 * NOT NULL on one column would prove it, sets *missing to the column's name.
 * `whole`: for a Scan, of which NOT NULL proves less: an empty value is one, too.
 */
extern bool dyn_index_is_usable(const DynRelPlan *plan,
								const DynIndexMeta *index, bool full,
								List *clauses, const char **missing);

/* Sets the proofs of an access plan that depend on run-time values. */
extern void dyn_index_conditions_add(const DynRelPlan *plan, const DynIndexMeta *index,
									 List *clauses, DynAccess *access);

/*
 * Is the index complete with these values, by their positions in fdw_exprs?
 * Allocates in CurrentMemoryContext.
 */
extern bool dyn_index_conditions_hold(const DynAccess *access,
									  const DynRelation *relation,
									  const Datum *values, const bool *nulls);

#endif

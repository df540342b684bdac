/*
 * index_complete.h
 *		Decides whether an index contains every item that a statement selects.
 *
 * An index contains only items with values for all its key attributes, of the
 * key's type, not empty and not too long.  DynamoDB rejects writes of other
 * values, but items may be older than a global index.  So an index is complete
 * for a statement if all selected items are known to have each of its key
 * attributes, with a value that the index can hold.
 *
 * Conditions that depend on run-time values are checked at the start of each
 * execution; if one fails, the table is read instead.
 */
#ifndef DYN_PLAN_INDEX_COMPLETE_H
#define DYN_PLAN_INDEX_COMPLETE_H

#include "match_keys.h"

/* Size limits of a value in a partition key, and in a sort key */
#define DYN_MAX_HASH_BYTES	2048
#define DYN_MAX_RANGE_BYTES	1024

/* The declaration that would make an index complete. */
typedef struct DynIndexLack
{
	const char *column;			/* column that is not declared NOT NULL, or
								 * NULL */
	bool		trust;			/* true if trusted_indexes is sufficient */
} DynIndexLack;

/*
 * Returns true if the index may be read, and can be complete for the clauses.
 * If not, stores in *lack (unless NULL) what would make it complete.  `full`
 * is true for a Scan.  There NOT NULL is not always sufficient, because an
 * empty value is not NULL.
 */
extern bool dyn_index_is_usable(const DynRelPlan *plan,
								const DynIndexMeta *index, bool full,
								List *clauses, DynIndexLack *lack);

/* Sets the conditions of an access plan that depend on run-time values. */
extern void dyn_index_conditions_add(const DynRelPlan *plan, const DynIndexMeta *index,
									 List *clauses, DynAccess *access);

/*
 * Returns true if the index is complete with these values, which are indexed
 * by the positions in fdw_exprs.  Allocates in CurrentMemoryContext.
 */
extern bool dyn_index_conditions_hold(const DynAccess *access,
									  const DynRelation *relation,
									  const Datum *values, const bool *nulls);

#endif

/*
 * item_filter.h
 *		Filters that are evaluated here, on items that were received without.
 *
 * For reads that several executions or several scans share.  An item passes if
 * DynamoDB would have returned it with the filters (dynamodb/item_match.h).
 */
#ifndef DYN_EXEC_KEPT_ITEM_FILTER_H
#define DYN_EXEC_KEPT_ITEM_FILTER_H

#include "../rows/rows.h"
#include "../statement/values.h"

typedef struct DynItemFilter
{
	bool		contradiction;	/* no item passes */
	DynCond    *cond;			/* NULL: every item passes */
	DynBuffer	scratch;
} DynItemFilter;

/* In CurrentMemoryContext; the scratch buffer is freed with it. */
extern void dyn_item_filter_init(DynItemFilter *filter);

/* Can the filters (DynPred *) be evaluated here? */
extern bool dyn_item_filter_can(List *filters);

/*
 * Puts the values into the filters of an access plan, which has no keys, for
 * items with the slots of `rows`, to which the filters were added
 * (dyn_reader_set_kept_rows).  The condition is in CurrentMemoryContext.
 */
extern void dyn_item_filter_resolve(DynItemFilter *filter, const DynAccess *access,
									const DynRelation *relation,
									const DynValues *values, const DynRows *rows);

/* Not for a contradiction. */
extern bool dyn_item_filter_passes(DynItemFilter *filter, const DynValue *item);

#endif

/*
 * items.h
 *		Sources: the protocol by which an execution gets its items or rows.
 *
 * A source returns items one by one, with the DynRows that decode them:
 *
 *		empty		no items, since none can qualify
 *		fetched		items of a fetch
 *		listed		items of the table, read by keys from an index
 *		member		items of a shared or cached read (shared.h)
 *		presumed	items that a write expects to exist (requested.c)
 *
 * A source of rows returns rows that were checked or cached:
 *
 *		united		rows of the arms of an OR, each once (united.c)
 *		fallback	rows of the table in place of an index (requested.c)
 *		looked up	rows that a lookup join has requested (lookup/lookup.h)
 *		stored		rows of a source that cannot be rewound itself
 *
 * A source is closed at the end of the execution, except after an error.
 *
 * dyn_items_start chooses the source that reads an access plan.  Openers
 * (input.h), the arms of an OR, and cached and shared reads call this
 * function; only lookups start keyed fetches themselves (lookup_cache.c).  So
 * if an access plan can be cached or shared (dyn_access_can), an opener must
 * not itself choose another source, such as `presumed`.
 *
 * PostgreSQL does not check conditions that the planned requests enforce:
 * those on keys, predicates with the flag `enforced`, and the item filter
 * unless the access plan has `rechecks_item_filter`.  If the access plan is
 * `ordered`, its requests also determine the order of rows.
 *
 * A source that sends other requests than the planned ones must evaluate the
 * above conditions on items, or check fdw_recheck_quals on rows (DynChecker).
 * If dyn_items_start chooses such a source, the source must
 *
 *		- return slots in the layout of scandesc->rows; the slot of the segment
 *		  column has the number of the segment
 *		- return only items of resolved->segments that are in the planned index
 *		- evaluate a copy of resolved->filter: the original refers to slots of
 *		  the members of a shared read, not of this source.  dyn_cond_bind
 *		  sets the slots of the copy; it fails if the filter compares two paths
 *		- keep its files through subtransactions (dyn_shared_start)
 *
 * If no source sends the planned requests for a foreign table, planning must
 * not match clauses to its keys (plan/clauses/quals.c), unless the source
 * reads items by keys.
 *
 * The following files assume that two scans of one DynamoDB table read the
 * same items, or that reading uses read units: sharing.c (reads_alike),
 * scan_policy.c, scandesc.c (dyn_scandesc_check_schema), and ANALYZE.
 */
#ifndef DYN_EXEC_ITEMS_H
#define DYN_EXEC_ITEMS_H

#include "nodes/execnodes.h"

#include "../fetch/base_keys.h"
#include "../fetch/scandesc.h"

typedef struct DynItems DynItems;

typedef struct DynItemsMethods
{
	/*
	 * Returns the next item's slots, valid until the next call, or NULL at the
	 * end.  items->rows decodes the item.  May wait or raise errors.  A source
	 * of rows needs this function only if its next_row calls it (united.c).
	 */
	const DynValue *(*next) (DynItems *items);

	/*
	 * Stores the next row.  Returns DYN_FETCH_WAITS only if `wait` is false.
	 * NULL in a source that returns items instead of rows.
	 */
	DynFetchState (*next_row) (DynItems *items, TupleTableSlot *slot, bool wait);

	/*
	 * Takes in received data like dyn_fetch_poll, so the current item becomes
	 * invalid.  Then returns true if `next` or `count` would wait.  Without
	 * this function, the source's `next` may wait at any time.
	 */
	bool		(*would_wait) (DynItems *items);

	/*
	 * Returns the fetch that `next` would wait for; NULL if there is none.  A
	 * source without this function never waits.
	 */
	DynFetch   *(*awaited) (const DynItems *items);

	/* Optional.  Returns true if `next` would first examine a stored item. */
	bool		(*has_next) (const DynItems *items);

	/* Optional.  Begins again without a request, or returns false. */
	bool		(*rewind) (DynItems *items);

	/*
	 * Returns the number of all items.  If a source lacks this function, the
	 * caller counts the items that `next` returns.
	 */
	uint64		(*count) (DynItems *items);

	/* Optional.  Abandons requests.  Need not free memory; the caller does. */
	void		(*close) (DynItems *items);
} DynItemsMethods;

struct DynItems
{
	const DynItemsMethods *methods;
	DynRows    *rows;			/* converts the item that `next` returned last
								 * to rows (united.c sets it for each arm);
								 * NULL in a source of stored rows */
};

/*
 * Returns a source of the items of a resolved access plan, in
 * CurrentMemoryContext; scandesc->rows decodes the items.  Sends no requests
 * yet.  The caller has checked the schema.  `resolved` must live as long as
 * the source.
 */
extern DynItems *dyn_items_start(DynScanDesc *scandesc,
								 const DynResolvedAccess *resolved);

extern DynItems *dyn_items_empty(DynRows *rows);

/*
 * Returns `source` if it can be rewound, or if `keeps` is false (the source
 * will not be rewound).  Otherwise returns a source, in CurrentMemoryContext,
 * that stores its rows.
 */
extern DynItems *dyn_items_repeatable(DynItems *source, bool keeps);

/*
 * Returns true if dyn_items_read_rest can be called, and has not been called
 * for this source.  It cannot be called for a source that checks conditions on
 * rows: the rest is read before a statement writes (input.c), and functions in
 * those conditions must not run then.
 */
extern bool dyn_items_has_rest(const DynItems *items);

/*
 * Reads and stores the remaining rows of *items, which have the type `desc`.
 * Sets *items to a source of these rows, in CurrentMemoryContext.  The row
 * that was returned last stays valid.
 */
extern void dyn_items_read_rest(DynItems **items, TupleDesc desc);

/*
 * Makes a source that reads a list of keys (`listed`) skip those in `done`,
 * and count them in *skipped.  Does nothing for other sources.
 */
extern void dyn_items_skip_keys(DynItems *items, DynBaseKeys *done,
								uint64 *skipped);

static inline bool
dyn_items_would_wait(DynItems *items)
{
	return items->methods->would_wait != NULL && items->methods->would_wait(items);
}

/*
 * Stores the next row of a source of items, like next_row.  Returns all rows
 * of an item before it polls for the next item, because polling invalidates
 * the current item.
 */
static inline DynFetchState
dyn_items_take_row(DynItems *items, TupleTableSlot *slot, bool wait)
{
	while (!dyn_rows_next(items->rows, slot))
	{
		const DynValue *item;

		if (!wait && dyn_items_would_wait(items))
			return DYN_FETCH_WAITS;
		item = items->methods->next(items);
		if (item == NULL)
			return DYN_FETCH_END;
		dyn_rows_begin(items->rows, item);
	}
	return DYN_FETCH_ITEM;
}

/* Stores the next row of any source, like next_row. */
static inline DynFetchState
dyn_items_next_row(DynItems *items, TupleTableSlot *slot, bool wait)
{
	return items->methods->next_row != NULL
		? items->methods->next_row(items, slot, wait)
		: dyn_items_take_row(items, slot, wait);
}

static inline DynFetch *
dyn_items_awaited(const DynItems *items)
{
	return items->methods->awaited ? items->methods->awaited(items) : NULL;
}

static inline void
dyn_items_set_group(DynItems *items, dlist_head *group)
{
	DynFetch   *fetch = dyn_items_awaited(items);

	if (fetch != NULL)
		dyn_fetch_set_group(fetch, group);
}

extern bool dyn_items_rewind(DynItems *items);
extern uint64 dyn_items_count(DynItems *items);
extern void dyn_items_close(DynItems *items);

/* ---- checks ---- */

/*
 * Checks conditions on rows before the executor sees them.  Values that are
 * decoded or computed for the checks live until the next row.
 */
typedef struct DynChecker
{
	ForeignScanState *node;
	ExprState  *qual;			/* conditions; NULL if every row passes */
	bool		counts;			/* true to count Rows Removed by Filter */
	ExprContext *econtext;		/* expression context of a row */
} DynChecker;

/* Works like the method next_row, but skips rows that fail the checks. */
extern DynFetchState dyn_checker_next_row(const DynChecker *checker,
										  DynItems *items, TupleTableSlot *slot,
										  bool wait);

#endif

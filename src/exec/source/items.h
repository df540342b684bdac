/*
 * items.h
 *		Source of one execution's items: the protocol of all sources.
 *
 *		source		its items
 *		empty		none, since no item can qualify
 *		fetched		items of a fetch
 *		listed		items of the table whose keys an index lists
 *		member		items of a shared or cached read (shared.h)
 *		presumed	items that a write expects to exist (requested.c)
 *
 *		source		its rows
 *		united		rows of the arms of an OR, each once (united.c)
 *		fallback	rows of the table in place of an index (requested.c)
 *		looked up	rows that lookups serve (lookup/lookup.h)
 *		stored		rows of a source that cannot be rewound itself
 *
 * A source returns items one by one, together with the DynRows that decode
 * them.  A source whose rows are checked or cached returns rows instead.  A
 * source is closed at the end of the execution, unless an error ends the
 * transaction.
 *
 * dyn_items_start chooses the source that reads an access plan.  All openers,
 * and the arms of an OR, call this function, except for lookups:
 * lookup_cache.c starts keyed fetches.  An opener may choose a source itself
 * only if the access plan cannot be cached or shared (abilities in
 * plan/keys/access.c), like the presumed source.  Commands do not use sources.
 *
 * A plan relies on the requests of its access plan.  These enforce the
 * conditions on keys, predicates that are `enforced`, and the item filter
 * unless `rechecks_item_filter`; if `ordered`, they also determine the order.
 * PostgreSQL does not check these conditions again.  So a source that does not
 * send these requests has to evaluate the same conditions on items, or check
 * fdw_recheck_quals on rows (DynChecker).  Chosen by dyn_items_start, such a
 * source must
 *
 *		return slots in the layout of scandesc->rows, with the number of the
 *		segment in that of the segment column, and only items of
 *		resolved->segments
 *		evaluate a copy of resolved->filter (dyn_cond_* in expression.h, except
 *		for comparisons of two paths): members of a shared read have bound the
 *		original to their own slots
 *		omit items that are not in the index that the access plan reads
 *		keep its files through subtransactions (dyn_shared_start)
 *
 * If some foreign tables can only be read by such a source, planning must not
 * match their clauses to keys (plan/clauses/quals.c), unless the source reads
 * items by keys.
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
	 * Returns the next item's slots, valid until the next call; NULL at the
	 * end.  items->rows decodes the item.  May wait or raise errors.  NULL:
	 * the source returns rows.  A source of rows may have this function for
	 * its own checks (united.c).
	 */
	const DynValue *(*next) (DynItems *items);

	/*
	 * Stores the next row.  Returns DYN_FETCH_WAITS only if `wait` is false.
	 * NULL: the source returns items.
	 */
	DynFetchState (*next_row) (DynItems *items, TupleTableSlot *slot, bool wait);

	/*
	 * Returns true if `next`, or `count`, would wait now.  First takes in
	 * received data, which invalidates the current item, like dyn_fetch_poll.
	 * NULL: not known; the source may wait.
	 */
	bool		(*would_wait) (DynItems *items);

	/*
	 * Returns the fetch that `next` would wait for; NULL if there is none.  A
	 * source without this function never waits.
	 */
	DynFetch   *(*awaited) (const DynItems *items);

	/*
	 * Returns true if the next item is available without a response to the
	 * awaited fetch.  NULL: never.
	 */
	bool		(*has_next) (const DynItems *items);

	/*
	 * Makes the source begin again, without a request.  Returns false if that
	 * is impossible.  NULL: always impossible.
	 */
	bool		(*rewind) (DynItems *items);

	/*
	 * Returns the number of all items, without `next`.  NULL: the items are
	 * counted one by one.  A source of rows without `next` never serves a
	 * count.
	 */
	uint64		(*count) (DynItems *items);

	/*
	 * Makes the values of the row that was returned last valid until the end
	 * of the execution, even if more rows are requested.  NULL: only `rows`
	 * needs this (dyn_rows_keep_row).
	 */
	void		(*keep_row) (DynItems *items);

	/*
	 * Abandons requests in flight.  The memory is freed with its context.
	 * NULL: the source has only memory.
	 */
	void		(*close) (DynItems *items);
} DynItemsMethods;

struct DynItems
{
	const DynItemsMethods *methods;
	DynRows    *rows;			/* row conversion for the item that `next`
								 * returned last; may differ from item to item
								 * if several sources are united.  NULL: the
								 * source has stored rows */
};

/*
 * Returns a source of the items of a resolved access plan; an empty source for
 * a contradiction.  Does not send requests yet.  The caller has checked the
 * schema; scandesc->rows decodes the items.  The source is in
 * CurrentMemoryContext; `resolved` must live as long as the source.
 */
extern DynItems *dyn_items_start(DynScanDesc *scandesc,
								 const DynResolvedAccess *resolved);

extern DynItems *dyn_items_empty(DynRows *rows);

/*
 * Returns the source if it can be rewound, or need not be (`keeps` false).
 * Otherwise returns a source, in CurrentMemoryContext, that stores the rows of
 * `source`.
 */
extern DynItems *dyn_items_repeatable(DynItems *source, bool keeps);

/* Calls the method keep_row. */
extern void dyn_items_keep_row(DynItems *items);

/*
 * Reads the rest of a source's rows, of type `desc`.  Returns a source of these
 * rows, in CurrentMemoryContext.  The row that was returned last stays valid.
 */
extern DynItems *dyn_items_read_rest(DynItems *source, TupleDesc desc);

/*
 * Makes a listed source skip keys in `done`, and count them in *skipped.  Does
 * nothing for other sources.
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
 * of the current item before it polls for the next item, because polling
 * invalidates the current item.
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

/*
 * Moves the fetch that the source waits for, if any, to the group with this
 * counter (dyn_fetch_set_group).
 */
static inline void
dyn_items_set_group(DynItems *items, int *group_in_flight)
{
	DynFetch   *fetch = dyn_items_awaited(items);

	if (fetch != NULL)
		dyn_fetch_set_group(fetch, group_in_flight);
}

extern bool dyn_items_rewind(DynItems *items);
extern uint64 dyn_items_count(DynItems *items);
extern void dyn_items_close(DynItems *items);

/* ---- checks ---- */

/*
 * Checks conditions on rows before the executor sees the rows.  If other
 * requests replace those of the access plan, the conditions that the planned
 * requests would enforce must be checked.  Values that are decoded or computed
 * for the checks live until the next row.
 */
typedef struct DynChecker
{
	ForeignScanState *node;
	ExprState  *qual;			/* conditions; NULL: every row passes */
	bool		counts;			/* true to count rejected rows for EXPLAIN
								 * (Rows Removed by Filter) */
	ExprContext *econtext;		/* expression context of a row */
} DynChecker;

/* Stores the next row that passes the checks, like next_row. */
extern DynFetchState dyn_checker_next_row(const DynChecker *checker,
										  DynItems *items, TupleTableSlot *slot,
										  bool wait);

#endif

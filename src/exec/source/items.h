/*
 * items.h
 *		Where the items of one execution come from: what all sources have in
 *		common.
 *
 *		source		its items
 *		empty		none: no item can qualify
 *		fetched		those of a fetch
 *		listed		those of the table whose keys an index lists (listed.h)
 *
 *		members		those of a read that several go through (shared.h)
 *		checked		rows of another source that pass conditions (checked.h)
 *		united		rows of the arms of a union, each once (united.h)
 *
 * Most give items, one by one, and tell which rows decode them.  Those that have
 * to see rows before the executor does give rows instead.  A source lives in a memory context of the execution, and is closed before
 * that goes, unless an error ends the transaction.
 */
#ifndef DYN_EXEC_ITEMS_H
#define DYN_EXEC_ITEMS_H

#include "../fetch/reader.h"

typedef struct DynItems DynItems;

typedef struct DynItemsMethods
{
	/*
	 * The next item's slots, valid until the next call; NULL at the end.
	 * items->rows decode it.  Waits, raises errors.
	 */
	const DynValue *(*next) (DynItems *items);

	/* Instead of that: stores the next row; false at the end. */
	bool		(*next_row) (DynItems *items, TupleTableSlot *slot);

	/*
	 * Tells what `next` would do now, as dyn_fetch_poll.  NULL: the scan is
	 * never a child of an asynchronous Append.
	 */
	DynFetchState (*poll) (DynItems *items);

	/* What `next` waits for; NULL: nothing. */
	DynFetch   *(*awaited) (const DynItems *items);

	/* Is the next item here already, whatever is awaited?  NULL: no. */
	bool		(*has_next) (const DynItems *items);

	/*
	 * Starts again, without a request; false if that cannot be done.  NULL: it
	 * never can.
	 */
	bool		(*rewind) (DynItems *items);

	/* Instead of `next`: the number of items.  NULL: they are taken one by one. */
	uint64		(*count) (DynItems *items);

	/* Abandons requests in flight.  The memory goes with its context. */
	void		(*close) (DynItems *items);
} DynItemsMethods;

struct DynItems
{
	const DynItemsMethods *methods;
	DynRows    *rows;			/* of the item that `next` returned last */
};

/*
 * The items of a resolved access plan, with the rows of the reader, whose schema
 * was checked.  Sends nothing yet.  `resolved` must live as long.
 */
extern DynItems *dyn_items_start(DynReader *reader,
								 const DynResolvedAccess *resolved);

/* No items. */
extern DynItems *dyn_items_empty(DynRows *rows);

/* Stores the next row of items; false at the end. */
static inline bool
dyn_items_take_row(DynItems *items, TupleTableSlot *slot)
{
	while (!dyn_rows_next(items->rows, slot))
	{
		const DynValue *item = items->methods->next(items);

		if (item == NULL)
			return false;
		dyn_rows_begin(items->rows, item);
	}
	return true;
}

/* The same for all sources. */
static inline bool
dyn_items_next_row(DynItems *items, TupleTableSlot *slot)
{
	return items->methods->next_row != NULL
		? items->methods->next_row(items, slot) : dyn_items_take_row(items, slot);
}

/*
 * Would dyn_items_next_row return without waiting?  Rows of the item in hand
 * come first: polling gives it up.
 */
static inline bool
dyn_items_is_ready(DynItems *items)
{
	return dyn_rows_has_more(items->rows) ||
		items->methods->poll(items) != DYN_FETCH_WAITS;
}

static inline DynFetch *
dyn_items_awaited(const DynItems *items)
{
	return items->methods->awaited(items);
}

/*
 * Of a source that waits: in how many milliseconds asking it is worth while even
 * if nothing comes (dyn_fetch_pause).
 */
extern double dyn_items_pause(const DynItems *items);

extern bool dyn_items_rewind(DynItems *items);
extern uint64 dyn_items_count(DynItems *items);
extern void dyn_items_close(DynItems *items);

#endif

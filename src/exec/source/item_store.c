/*
 * item_store.c
 *		Stores items in a tuplestore: each is one bytea (item_record.h).
 *
 * A cursor has a copy of its item's record, because the tuplestore may move
 * its tuples when another cursor adds a tuple.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "../../model/server/pg_compat.h"
#include "../rows/item_record.h"
#include "item_store.h"

/* Number of reads between two trims.  A trim examines all cursors. */
#define READS_BETWEEN_TRIMS		64

typedef struct Cursor
{
	uint64		position;		/* number of items before the cursor */
	bool		at_end;			/* true if the tuplestore has reported the
								 * end */
	bool		left;
	bytea	   *record;			/* record of the current item */
	Size		space;
} Cursor;

struct DynItemStore
{
	MemoryContext context;
	Tuplestorestate *tuples;
	TupleTableSlot *slot;
	int			nslots;
	int			ncursors;
	Cursor	   *cursors;
	int			selected;		/* cursor whose read pointer is selected */
	int			reads;			/* number of reads since the last trim */
	uint64		items;
	uint64		bytes;
};

DynItemStore *
dyn_item_store_create(int nslots, int ncursors, const bool *may_rewind)
{
	DynItemStore *store = palloc0(sizeof(DynItemStore));

	Assert(ncursors > 0);
	store->context = CurrentMemoryContext;
	store->nslots = nslots;
	store->ncursors = ncursors;
	store->cursors = palloc0(ncursors * sizeof(Cursor));
	store->tuples = tuplestore_begin_heap(false, false, work_mem);
	tuplestore_set_eflags(store->tuples, may_rewind[0] ? EXEC_FLAG_REWIND : 0);
	for (int i = 1; i < ncursors; i++)
		(void) tuplestore_alloc_read_pointer(store->tuples,
											 may_rewind[i] ? EXEC_FLAG_REWIND : 0);
	store->slot = dyn_item_record_slot(&TTSOpsMinimalTuple);
	return store;
}

/*
 * Selects the cursor's read pointer, unless it is selected already: each
 * selection makes the tuplestore read its file buffer again.
 */
static Cursor *
select_cursor(DynItemStore *store, int cursor)
{
	Assert(cursor >= 0 && cursor < store->ncursors);
	Assert(!store->cursors[cursor].left);
	if (store->selected != cursor)
		tuplestore_select_read_pointer(store->tuples, cursor);
	store->selected = cursor;
	return &store->cursors[cursor];
}

static void
reserve_record(const DynItemStore *store, Cursor *cursor, Size size)
{
	if (size <= cursor->space)
		return;
	if (cursor->record != NULL)
		pfree(cursor->record);
	cursor->record = NULL;
	cursor->space = Max(size, 2 * cursor->space);
	cursor->record = MemoryContextAllocHuge(store->context, cursor->space);
}

/*
 * Stores the selected cursor's next tuple in store->slot.  Returns false at
 * the end.
 */
static bool
next_tuple(DynItemStore *store, Cursor *cursor)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(store->context);

	cursor->at_end = !tuplestore_gettupleslot(store->tuples, true, false,
											  store->slot);
	MemoryContextSwitchTo(oldcontext);
	return !cursor->at_end;
}

/* ---- adding items ---- */

void
dyn_item_store_add(DynItemStore *store, int number, DynValue *slots)
{
	Cursor	   *cursor = select_cursor(store, number);
	Size		size = dyn_item_record_size(slots, store->nslots);
	Datum		value;
	bool		isnull = false;

	Assert(cursor->position == store->items);
	if (!cursor->at_end && next_tuple(store, cursor))
		elog(ERROR, "an item is added before the end");

	/*
	 * When a tuple is added, the selected read pointer stays at the end if it
	 * was there.  All other read pointers are then before the new tuple.
	 */
	for (int i = 0; i < store->ncursors; i++)
		store->cursors[i].at_end = false;
	cursor->at_end = true;
	reserve_record(store, cursor, size);
	dyn_item_record_write(cursor->record, slots, store->nslots);
	value = PointerGetDatum(cursor->record);
	tuplestore_putvalues(store->tuples, store->slot->tts_tupleDescriptor, &value,
						 &isnull);
	dyn_item_record_read(cursor->record, slots, store->nslots);
	cursor->position++;
	store->items++;
	store->bytes += size;
}

/* ---- reading items ---- */

/*
 * Moves the read pointer of a cursor that has left to the position of another
 * cursor, so that it does not prevent trimming.
 */
static void
move_away(DynItemStore *store, int number)
{
	for (int i = 0; i < store->ncursors; i++)
	{
		if (store->cursors[i].left || i == number)
			continue;
		tuplestore_copy_read_pointer(store->tuples, i, number);
		return;
	}
}

bool
dyn_item_store_has_next(const DynItemStore *store, int cursor)
{
	return store->cursors[cursor].position < store->items;
}

/*
 * Clears store->slot after use, to free the memory of a tuple that was read
 * from the temporary file.
 */
bool
dyn_item_store_next(DynItemStore *store, int number, DynValue *slots)
{
	Cursor	   *cursor;
	bytea	   *record;

	if (!dyn_item_store_has_next(store, number))
		return false;
	cursor = select_cursor(store, number);
	if (!next_tuple(store, cursor))
		elog(ERROR, "a cached item is missing");
	slot_getallattrs(store->slot);
	record = (bytea *) DatumGetPointer(store->slot->tts_values[0]);
	reserve_record(store, cursor, VARSIZE_ANY(record));
	memcpy(cursor->record, record, VARSIZE_ANY(record));
	ExecClearTuple(store->slot);
	dyn_item_record_read(cursor->record, slots, store->nslots);
	cursor->position++;
	if (++store->reads < READS_BETWEEN_TRIMS)
		return true;
	store->reads = 0;
	for (int i = 0; i < store->ncursors; i++)
	{
		if (store->cursors[i].left)
			move_away(store, i);
	}
	tuplestore_trim(store->tuples);
	return true;
}

void
dyn_item_store_rewind(DynItemStore *store, int number)
{
	Cursor	   *cursor = select_cursor(store, number);

	tuplestore_rescan(store->tuples);
	cursor->position = 0;
	cursor->at_end = false;
}

void
dyn_item_store_leave(DynItemStore *store, int number)
{
	move_away(store, number);
	store->cursors[number].left = true;
}

/* ---- sizes and release ---- */

bool
dyn_item_store_is_in_memory(const DynItemStore *store)
{
	return tuplestore_in_memory(store->tuples);
}

uint64
dyn_item_store_items(const DynItemStore *store)
{
	return store->items;
}

uint64
dyn_item_store_bytes(const DynItemStore *store)
{
	return store->bytes;
}

void
dyn_item_store_free(DynItemStore *store)
{
	ExecDropSingleTupleTableSlot(store->slot);
	tuplestore_end(store->tuples);
}

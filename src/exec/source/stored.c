/*
 * stored.c
 *		Stores the rows of another source as they are returned.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "stored.h"

typedef struct Stored
{
	DynItems	items;			/* must be first */
	DynItems   *source;
	MemoryContext context;
	Tuplestorestate *rows;		/* rows; NULL: not begun */
	TupleTableSlot *row;		/* slot of a row; NULL: not begun */
	int64		nrows;
	int64		position;		/* position of the next row */
} Stored;

static void
store_row(Stored *stored, TupleTableSlot *slot)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(stored->context);

	if (stored->rows == NULL)
	{
		stored->rows = tuplestore_begin_heap(false, false, work_mem);
		stored->row = MakeSingleTupleTableSlot(CreateTupleDescCopy(slot->tts_tupleDescriptor),
											   &TTSOpsMinimalTuple);
	}
	tuplestore_puttupleslot(stored->rows, slot);
	MemoryContextSwitchTo(oldcontext);
	stored->position = ++stored->nrows;
}

static DynFetchState
stored_next_row(DynItems *items, TupleTableSlot *slot, bool wait)
{
	Stored	   *stored = (Stored *) items;
	DynFetchState state;

	if (stored->position < stored->nrows)
	{
		if (!tuplestore_gettupleslot(stored->rows, true, false, stored->row))
			elog(ERROR, "a row that was stored is missing");
		ExecCopySlot(slot, stored->row);
		stored->position++;
		return DYN_FETCH_ITEM;
	}
	state = dyn_items_next_row(stored->source, slot, wait);
	if (state == DYN_FETCH_ITEM)
		store_row(stored, slot);
	return state;
}

static DynFetch *
stored_awaited(const DynItems *items)
{
	return dyn_items_awaited(((const Stored *) items)->source);
}

static bool
stored_rewind(DynItems *items)
{
	Stored	   *stored = (Stored *) items;

	if (stored->rows != NULL)
		tuplestore_rescan(stored->rows);
	stored->position = 0;
	return true;
}

static void
stored_close(DynItems *items)
{
	Stored	   *stored = (Stored *) items;

	dyn_items_close(stored->source);
	if (stored->rows == NULL)
		return;
	ExecDropSingleTupleTableSlot(stored->row);
	tuplestore_end(stored->rows);
}

static const DynItemsMethods stored_methods = {
	.next_row = stored_next_row,
	.awaited = stored_awaited,
	.rewind = stored_rewind,
	.close = stored_close,
};

DynItems *
dyn_stored_create(DynItems *source)
{
	Stored	   *stored = palloc0(sizeof(Stored));

	stored->items.methods = &stored_methods;
	stored->source = source;
	stored->context = CurrentMemoryContext;
	return &stored->items;
}

/*
 * item_store.c
 *		Keeps items in a tuplestore: each is one bytea (item_record.h).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "../fetch/item_record.h"
#include "item_store.h"

struct DynItemStore
{
	MemoryContext context;
	Tuplestorestate *tuples;
	TupleTableSlot *slot;		/* of the item at hand */
	int			nslots;
	bool		at_end;			/* the position is behind the last item */
	uint64		items;
	uint64		bytes;

	bytea	   *record;			/* of the item that is added */
	Size		space;
};

DynItemStore *
dyn_item_store_create(int nslots)
{
	DynItemStore *store = palloc0(sizeof(DynItemStore));
	TupleDesc	desc = CreateTemplateTupleDesc(1);

	TupleDescInitEntry(desc, 1, "item", BYTEAOID, -1, 0);
	store->context = CurrentMemoryContext;
	store->nslots = nslots;
	store->tuples = tuplestore_begin_heap(false, false, work_mem);
	store->slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	return store;
}

/* ---- adding ---- */

static void
reserve_record(DynItemStore *store, Size size)
{
	if (size <= store->space)
		return;
	if (store->record != NULL)
		pfree(store->record);
	store->record = NULL;
	store->space = Max(size, 2 * store->space);
	store->record = MemoryContextAlloc(store->context, store->space);
}

void
dyn_item_store_add(DynItemStore *store, const DynValue *slots)
{
	Size		size = dyn_item_record_size(slots, store->nslots);
	Datum		value;
	bool		isnull = false;

	Assert(store->at_end);
	reserve_record(store, size);
	dyn_item_record_write(store->record, slots, store->nslots);
	value = PointerGetDatum(store->record);
	/* the tuplestore's position, if at its end, stays there */
	tuplestore_putvalues(store->tuples, store->slot->tts_tupleDescriptor, &value,
						 &isnull);
	store->items++;
	store->bytes += size;
}

/* ---- reading ---- */

/* Tuples that were read from the file belong to the slot. */
static bool
next_tuple(DynItemStore *store)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(store->context);

	store->at_end = !tuplestore_gettupleslot(store->tuples, true, false,
											 store->slot);
	MemoryContextSwitchTo(oldcontext);
	return !store->at_end;
}

bool
dyn_item_store_next(DynItemStore *store, DynValue *slots)
{
	if (store->at_end || !next_tuple(store))
		return false;
	slot_getallattrs(store->slot);
	dyn_item_record_read((bytea *) DatumGetPointer(store->slot->tts_values[0]),
						 slots, store->nslots);
	return true;
}

void
dyn_item_store_rewind(DynItemStore *store)
{
	ExecClearTuple(store->slot);
	tuplestore_rescan(store->tuples);
	store->at_end = false;
}

/* ---- the whole ---- */

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

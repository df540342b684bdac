/*
 * item_store.c
 *		Keeps items in a tuplestore: each is one bytea (item_record.h).
 *
 * A reader has the record of its item in a buffer of its own: the tuplestore
 * moves its tuples when another reader adds one.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "../rows/item_record.h"
#include "item_store.h"

/* Forgetting items costs a look at all readers. */
#define READS_BETWEEN_TRIMS		64

typedef struct Reader
{
	uint64		position;		/* items before it */
	bool		at_end;			/* the tuplestore has found that out */
	bool		left;
	bytea	   *record;			/* of the item at hand */
	Size		space;
} Reader;

struct DynItemStore
{
	MemoryContext context;
	Tuplestorestate *tuples;
	TupleTableSlot *slot;
	int			nslots;
	int			nreaders;
	Reader	   *readers;
	int			selected;		/* the reader whose position counts */
	int			reads;			/* since items were forgotten */
	uint64		items;
	uint64		bytes;
};

DynItemStore *
dyn_item_store_create(int nslots, int nreaders, const bool *may_rewind)
{
	DynItemStore *store = palloc0(sizeof(DynItemStore));

	Assert(nreaders > 0);
	store->context = CurrentMemoryContext;
	store->nslots = nslots;
	store->nreaders = nreaders;
	store->readers = palloc0(nreaders * sizeof(Reader));
	store->tuples = tuplestore_begin_heap(false, false, work_mem);
	tuplestore_set_eflags(store->tuples, may_rewind[0] ? EXEC_FLAG_REWIND : 0);
	for (int i = 1; i < nreaders; i++)
		(void) tuplestore_alloc_read_pointer(store->tuples,
											 may_rewind[i] ? EXEC_FLAG_REWIND : 0);
	store->slot = dyn_item_record_slot(&TTSOpsMinimalTuple);
	return store;
}

/* Not before it has to be done: each time the file's buffer is read anew. */
static Reader *
select_reader(DynItemStore *store, int reader)
{
	Assert(reader >= 0 && reader < store->nreaders);
	Assert(!store->readers[reader].left);
	if (store->selected != reader)
		tuplestore_select_read_pointer(store->tuples, reader);
	store->selected = reader;
	return &store->readers[reader];
}

static void
reserve_record(const DynItemStore *store, Reader *reader, Size size)
{
	if (size <= reader->space)
		return;
	if (reader->record != NULL)
		pfree(reader->record);
	reader->record = NULL;
	reader->space = Max(size, 2 * reader->space);
	reader->record = MemoryContextAllocHuge(store->context, reader->space);
}

/* Of the selected reader: the next tuple, in the slot; false at the end. */
static bool
next_tuple(DynItemStore *store, Reader *reader)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(store->context);

	reader->at_end = !tuplestore_gettupleslot(store->tuples, true, false,
											  store->slot);
	MemoryContextSwitchTo(oldcontext);
	return !reader->at_end;
}

/* ---- adding ---- */

void
dyn_item_store_add(DynItemStore *store, int number, DynValue *slots)
{
	Reader	   *reader = select_reader(store, number);
	Size		size = dyn_item_record_size(slots, store->nslots);
	Datum		value;
	bool		isnull = false;

	Assert(reader->position == store->items);
	if (!reader->at_end && next_tuple(store, reader))
		elog(ERROR, "an item is added before the end");

	/*
	 * A position that the tuplestore knows to be its end stays behind what is added
	 * if it is the selected one; others are before it.
	 */
	for (int i = 0; i < store->nreaders; i++)
		store->readers[i].at_end = false;
	reader->at_end = true;
	reserve_record(store, reader, size);
	dyn_item_record_write(reader->record, slots, store->nslots);
	value = PointerGetDatum(reader->record);
	tuplestore_putvalues(store->tuples, store->slot->tts_tupleDescriptor, &value,
						 &isnull);
	dyn_item_record_read(reader->record, slots, store->nslots);
	reader->position++;
	store->items++;
	store->bytes += size;
}

/* ---- reading ---- */

/* A position that counts no more goes where another one is. */
static void
move_away(DynItemStore *store, int number)
{
	for (int i = 0; i < store->nreaders; i++)
	{
		if (store->readers[i].left || i == number)
			continue;
		tuplestore_copy_read_pointer(store->tuples, i, number);
		return;
	}
}

static void
forget_items(DynItemStore *store)
{
	if (++store->reads < READS_BETWEEN_TRIMS)
		return;
	store->reads = 0;
	for (int i = 0; i < store->nreaders; i++)
	{
		if (store->readers[i].left)
			move_away(store, i);
	}
	tuplestore_trim(store->tuples);
}

bool
dyn_item_store_has_next(const DynItemStore *store, int reader)
{
	return store->readers[reader].position < store->items;
}

/* Tuples that were read from the file belong to the slot. */
bool
dyn_item_store_next(DynItemStore *store, int number, DynValue *slots)
{
	Reader	   *reader;
	bytea	   *record;

	if (!dyn_item_store_has_next(store, number))
		return false;
	reader = select_reader(store, number);
	if (!next_tuple(store, reader))
		elog(ERROR, "an item that was kept is missing");
	slot_getallattrs(store->slot);
	record = (bytea *) DatumGetPointer(store->slot->tts_values[0]);
	reserve_record(store, reader, VARSIZE_ANY(record));
	memcpy(reader->record, record, VARSIZE_ANY(record));
	ExecClearTuple(store->slot);
	dyn_item_record_read(reader->record, slots, store->nslots);
	reader->position++;
	forget_items(store);
	return true;
}

void
dyn_item_store_rewind(DynItemStore *store, int number)
{
	Reader	   *reader = select_reader(store, number);

	tuplestore_rescan(store->tuples);
	reader->position = 0;
	reader->at_end = false;
}

void
dyn_item_store_leave(DynItemStore *store, int number)
{
	move_away(store, number);
	store->readers[number].left = true;
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

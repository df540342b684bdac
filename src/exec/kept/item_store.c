/*
 * item_store.c
 *		Keeps items in a tuplestore: each is one bytea.
 *
 * A slot is its type and flags, a byte each, and for types that have contents
 * four bytes of length and the contents as in the response.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

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

static bool
has_contents(uint8 type)
{
	return type != DYN_TYPE_ABSENT && type != DYN_TYPE_BOOL &&
		type != DYN_TYPE_NULL;
}

static Size
record_size(const DynItemStore *store, const DynValue *slots)
{
	Size		size = VARHDRSZ;

	for (int i = 0; i < store->nslots; i++)
		size += has_contents(slots[i].type)
			? 2 + sizeof(uint32) + slots[i].len : 2;
	return size;
}

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

static char *
write_slot(char *p, const DynValue *value)
{
	*p++ = (char) value->type;
	*p++ = (char) value->flags;
	if (!has_contents(value->type))
		return p;
	memcpy(p, &value->len, sizeof(uint32));
	p += sizeof(uint32);
	memcpy(p, value->data, value->len);
	return p + value->len;
}

void
dyn_item_store_add(DynItemStore *store, const DynValue *slots)
{
	Size		size = record_size(store, slots);
	Datum		value;
	bool		isnull = false;
	char	   *p;

	Assert(store->at_end);
	reserve_record(store, size);
	SET_VARSIZE(store->record, size);
	p = VARDATA(store->record);
	for (int i = 0; i < store->nslots; i++)
		p = write_slot(p, &slots[i]);
	Assert(p == (char *) store->record + size);
	value = PointerGetDatum(store->record);
	/* the tuplestore's position, if at its end, stays there */
	tuplestore_putvalues(store->tuples, store->slot->tts_tupleDescriptor, &value,
						 &isnull);
	store->items++;
	store->bytes += size;
}

/* ---- reading ---- */

static const char *
read_slot(const char *p, DynValue *value)
{
	value->type = (uint8) *p++;
	value->flags = (uint8) *p++;
	value->len = 0;
	if (has_contents(value->type))
	{
		memcpy(&value->len, p, sizeof(uint32));
		p += sizeof(uint32);
	}
	value->data = p;
	return p + value->len;
}

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
	bytea	   *record;
	const char *p;

	if (store->at_end || !next_tuple(store))
		return false;
	slot_getallattrs(store->slot);
	record = (bytea *) DatumGetPointer(store->slot->tts_values[0]);
	p = VARDATA_ANY(record);
	for (int i = 0; i < store->nslots; i++)
		p = read_slot(p, &slots[i]);
	Assert(p == VARDATA_ANY(record) + VARSIZE_ANY_EXHDR(record));
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

/*
 * lookup_items.c
 *		Stores items as the rows of cache entries.
 */
#include "postgres.h"

#include "../rows/item_record.h"
#include "lookup_items.h"

struct DynLookupItems
{
	int			nslots;
	DynValue   *slots;			/* values of the item read last */
	TupleTableSlot *tuple;		/* slot of one column, a record */
};

DynLookupItems *
dyn_lookup_items_create(int nslots)
{
	DynLookupItems *items = palloc0(sizeof(DynLookupItems));

	items->nslots = nslots;
	items->slots = palloc0(Max(nslots, 1) * sizeof(DynValue));
	items->tuple = dyn_item_record_slot(&TTSOpsVirtual);
	return items;
}

void
dyn_lookup_items_add(DynLookupItems *items, DynLookupCache *cache,
					 DynLookupEntry *entry, const DynValue *item)
{
	bytea	   *record = palloc(dyn_item_record_size(item, items->nslots));

	dyn_item_record_write(record, item, items->nslots);
	ExecClearTuple(items->tuple);
	items->tuple->tts_values[0] = PointerGetDatum(record);
	items->tuple->tts_isnull[0] = false;
	ExecStoreVirtualTuple(items->tuple);
	dyn_lookup_entry_add_row(cache, entry, items->tuple);
	ExecClearTuple(items->tuple);
	pfree(record);
}

bool
dyn_lookup_items_next(DynLookupItems *items, DynRows *rows,
					  const DynLookupEntry *entry, int *at, TupleTableSlot *slot)
{
	while (!dyn_rows_next(rows, slot))
	{
		if (*at >= entry->nrows)
			return false;
		ExecForceStoreMinimalTuple(entry->rows[(*at)++], items->tuple, false);
		dyn_item_record_read((bytea *) DatumGetPointer(items->tuple->tts_values[0]),
							 items->slots, items->nslots);
		dyn_rows_begin(rows, items->slots);
	}
	return true;
}

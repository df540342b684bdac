/*
 * lookup_cache.c
 *		Manages the cache's entries, their contents, and eviction.
 *
 * Idle entries are in a separate list, so that eviction need not skip pinned
 * entries.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "../../model/server/memory.h"
#include "../rows/item_record.h"
#include "lookup_cache.h"

DynLookupCache *
dyn_lookup_cache_create(Size max_bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw lookup cache",
												  ALLOCSET_DEFAULT_SIZES);
	DynLookupCache *cache = MemoryContextAllocZero(context, sizeof(DynLookupCache));

	cache->context = context;
	cache->max_bytes = max_bytes;
	cache->table = dyn_byte_key_table("dynamo_fdw lookup cache", 1024,
									  sizeof(DynLookupEntry), context);
	dlist_init(&cache->idle);
	return cache;
}

static void
count_bytes(DynLookupCache *cache, DynLookupEntry *entry, Size bytes)
{
	entry->bytes += bytes;
	cache->bytes += bytes;
	Assert(cache->bytes >= entry->bytes);
}

DynLookupEntry *
dyn_lookup_cache_get(DynLookupCache *cache, const char *key, Size len)
{
	DynByteKey	wanted = {key, len};
	bool		found;
	DynLookupEntry *entry = hash_search(cache->table, &wanted, HASH_ENTER, &found);

	Assert(len > 0);
	if (found)
		return entry;
	memset((char *) entry + sizeof(DynByteKey), 0,
		   sizeof(DynLookupEntry) - sizeof(DynByteKey));
	entry->caching = true;
	/* until now, entry->key.data points to the caller's key */
	entry->key.data = memcpy(MemoryContextAlloc(cache->context, len), key, len);
	count_bytes(cache, entry, sizeof(DynLookupEntry) + len);
	return entry;
}

static void
leave_idle(DynLookupEntry *entry)
{
	Assert(!entry->is_idle ||
		   (entry->pins == 0 && entry->state == DYN_LOOKUP_COMPLETE));
	if (entry->is_idle)
		dlist_delete(&entry->idle);
	entry->is_idle = false;
}

static void
enter_idle(DynLookupCache *cache, DynLookupEntry *entry)
{
	if (entry->pins > 0 || entry->is_idle || entry->state != DYN_LOOKUP_COMPLETE)
		return;
	Assert(entry->caching && entry->transient == NULL);
	entry->is_idle = true;
	dlist_push_tail(&cache->idle, &entry->idle);
}

void
dyn_lookup_entry_pin(DynLookupEntry *entry)
{
	leave_idle(entry);
	entry->pins++;
}

/* ---- transient rows ---- */

DynTransientRows *
dyn_transient_rows_create(MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent,
												  "dynamo_fdw transient rows",
												  ALLOCSET_DEFAULT_SIZES);
	DynTransientRows *transient = MemoryContextAlloc(context, sizeof(*transient));

	transient->context = context;
	transient->left = 0;
	return transient;
}

void
dyn_lookup_entry_add_transient_row(DynLookupEntry *entry,
								   DynTransientRows *transient,
								   const TupleTableSlot *slot)
{
	int			n = slot->tts_tupleDescriptor->natts;

	Assert(entry->state == DYN_LOOKUP_PENDING && entry->pins == 1);
	Assert(entry->nrows == 0 && entry->transient == NULL);
	entry->values = MemoryContextAlloc(transient->context,
									   n * (sizeof(Datum) + sizeof(bool)));
	entry->nulls = (bool *) (entry->values + n);
	memcpy(entry->values, slot->tts_values, n * sizeof(Datum));
	memcpy(entry->nulls, slot->tts_isnull, n * sizeof(bool));
	entry->transient = transient;
	transient->left++;
}

/* ---- contents ---- */

void
dyn_lookup_entry_unpin(DynLookupCache *cache, DynLookupEntry *entry)
{
	Assert(entry->pins > 0);
	entry->pins--;
	if (entry->transient != NULL)
	{
		DynTransientRows *transient = entry->transient;

		Assert(entry->pins == 0 && transient->left > 0);
		entry->transient = NULL;
		entry->state = DYN_LOOKUP_EMPTY;
		if (--transient->left == 0)
			MemoryContextDelete(transient->context);
	}
	enter_idle(cache, entry);
}

void
dyn_lookup_entry_add_row(DynLookupCache *cache, DynLookupEntry *entry,
						 TupleTableSlot *slot)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(cache->context);

	Assert(entry->state == DYN_LOOKUP_PENDING && entry->caching);
	Assert(entry->nitems == 0 && entry->transient == NULL);
	if (entry->nrows == entry->row_space)
	{
		entry->row_space = Max(4, entry->row_space * 2);
		entry->rows = dyn_grown(entry->rows, entry->row_space * sizeof(MinimalTuple));
	}
	entry->rows[entry->nrows] = ExecCopySlotMinimalTuple(slot);
	count_bytes(cache, entry,
				entry->rows[entry->nrows]->t_len + sizeof(MinimalTuple));
	entry->nrows++;
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_lookup_entry_add_item(DynLookupCache *cache, DynLookupEntry *entry,
						  DynLookupEntry *item)
{
	Assert(entry->state == DYN_LOOKUP_PENDING && entry->nrows == 0);
	Assert(item != entry && item->nitems == 0 && item->transient == NULL);
	if (entry->nitems == entry->item_space)
	{
		Size		size;

		entry->item_space = Max(8, entry->item_space * 2);
		size = entry->item_space * sizeof(DynLookupEntry *);
		entry->items = entry->items ? repalloc_huge(entry->items, size)
			: MemoryContextAlloc(cache->context, size);
	}
	entry->items[entry->nitems++] = item;
	dyn_lookup_entry_pin(item);
	count_bytes(cache, entry, sizeof(DynLookupEntry *));
}

void
dyn_lookup_entry_end_index_result(DynLookupEntry *entry)
{
	if (entry->base_keys != NULL)
		dyn_base_keys_free(entry->base_keys);
	entry->base_keys = NULL;
}

void
dyn_lookup_entry_complete(DynLookupCache *cache, DynLookupEntry *entry)
{
	Assert(entry->state == DYN_LOOKUP_PENDING && !entry->is_idle);
	dyn_lookup_entry_end_index_result(entry);
	entry->ended = true;
	if (entry->caching)
		entry->state = DYN_LOOKUP_COMPLETE;
	enter_idle(cache, entry);
}

static void
drop_contents(DynLookupCache *cache, DynLookupEntry *entry)
{
	for (int i = 0; i < entry->nrows; i++)
		pfree(entry->rows[i]);
	if (entry->rows != NULL)
		pfree(entry->rows);
	for (int i = 0; i < entry->nitems; i++)
	{
		DynLookupEntry *item = entry->items[i];

		dyn_lookup_entry_unpin(cache, item);
		/* remove an entry that has no pins and no result */
		if (item->pins == 0 && item->state == DYN_LOOKUP_EMPTY)
			dyn_lookup_entry_remove(cache, item);
	}
	if (entry->items != NULL)
		pfree(entry->items);
	entry->rows = NULL;
	entry->items = NULL;
	entry->nrows = entry->row_space = 0;
	entry->nitems = entry->item_space = 0;
}

void
dyn_lookup_entry_stop_caching(DynLookupCache *cache, DynLookupEntry *entry)
{
	Size		rest = sizeof(DynLookupEntry) + entry->key.len;

	Assert(entry->state == DYN_LOOKUP_PENDING && entry->bytes >= rest);
	drop_contents(cache, entry);
	cache->bytes -= entry->bytes - rest;
	entry->bytes = rest;
	entry->caching = false;
}

void
dyn_lookup_entry_remove(DynLookupCache *cache, DynLookupEntry *entry)
{
	void	   *key = unconstify(char *, entry->key.data);

	Assert(entry->pins == 0 && entry->transient == NULL);
	leave_idle(entry);
	dyn_lookup_entry_end_index_result(entry);
	drop_contents(cache, entry);
	Assert(cache->bytes >= entry->bytes);
	cache->bytes -= entry->bytes;
	hash_search(cache->table, &entry->key, HASH_REMOVE, NULL);
	pfree(key);
}

bool
dyn_lookup_cache_trim(DynLookupCache *cache)
{
	while (cache->bytes > cache->max_bytes && !dlist_is_empty(&cache->idle))
		dyn_lookup_entry_remove(cache, dlist_container(DynLookupEntry, idle,
													   dlist_head_node(&cache->idle)));
	return cache->bytes <= cache->max_bytes;
}

/* ---- items in place of rows ---- */

struct DynLookupItems
{
	int			nslots;
	DynValue   *slots;			/* values of the item read last */
	TupleTableSlot *tuple;		/* slot with one column, the item's record */
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

/*
 * lookup_cache.c
 *		Manages the cache's entries, their contents, and eviction; collects and
 *		sends the requests of lookups.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "../../dynamodb/operation.h"
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
	dyn_buffer_init_in(&cache->fingerprint, context);
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

/* Returns the entry of cache->fingerprint, and adds it if there is none. */
static DynLookupEntry *
find_entry(DynLookupCache *cache)
{
	DynByteKey	wanted = {cache->fingerprint.data, cache->fingerprint.len};
	bool		found;
	DynLookupEntry *entry;

	dyn_check_oom(cache->fingerprint.failed);
	entry = hash_search(cache->table, &wanted, HASH_ENTER, &found);
	if (found)
		return entry;
	memset((char *) entry + sizeof(DynByteKey), 0,
		   sizeof(DynLookupEntry) - sizeof(DynByteKey));
	entry->caching = true;
	/* entry->key.data still points to the buffer: copy the key */
	entry->key.data = memcpy(MemoryContextAlloc(cache->context, wanted.len),
							 wanted.data, wanted.len);
	count_bytes(cache, entry, sizeof(DynLookupEntry) + wanted.len);
	return entry;
}

/*
 * Begins the fingerprint of a request: its first byte is the kind of request,
 * and the values of the key follow.  The names and types of key parts are
 * omitted, because they are the same in all requests of a scan.
 */
static void
begin_fingerprint(DynLookupCache *cache, char kind, const DynKeyPart *parts,
				  int nparts)
{
	Assert(nparts > 0);
	dyn_buffer_reset(&cache->fingerprint);
	dyn_buffer_append_char(&cache->fingerprint, kind);
	dyn_key_append(&cache->fingerprint, parts, nparts);
}

DynLookupEntry *
dyn_lookup_entry_of_key(DynLookupCache *cache, const DynKeyPart *parts, int nparts)
{
	begin_fingerprint(cache, 'k', parts, nparts);
	return find_entry(cache);
}

DynLookupEntry *
dyn_lookup_entry_of_query(DynLookupCache *cache, const DynResolvedAccess *resolved,
						  int n)
{
	const DynQuery *query = &resolved->queries[n];

	begin_fingerprint(cache, 'q', query->key, resolved->nparts);
	for (int i = 0; i < query->nrange; i++)
		dyn_cond_fingerprint(query->range[i], &cache->fingerprint);
	if (resolved->filter != NULL)
	{
		dyn_buffer_append_char(&cache->fingerprint, 'f');
		dyn_cond_fingerprint(resolved->filter, &cache->fingerprint);
	}
	return find_entry(cache);
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

bool
dyn_lookup_entry_is_servable(const DynLookupEntry *entry)
{
	ListCell   *lc;

	if (entry->state == DYN_LOOKUP_EMPTY)
		return false;
	foreach(lc, entry->items)
	{
		if (((DynLookupEntry *) lfirst(lc))->state == DYN_LOOKUP_EMPTY)
			return false;
	}
	return entry->caching || entry->taken == 0;
}

void
dyn_lookup_entry_pin(DynLookupEntry *entry)
{
	leave_idle(entry);
	entry->pins++;
}

/* ---- transient rows ---- */

void
dyn_lookup_entry_add_transient_row(DynLookupEntry *entry,
								   DynTransientRows *transient,
								   const TupleTableSlot *slot)
{
	int			n = slot->tts_tupleDescriptor->natts;

	Assert(entry->state == DYN_LOOKUP_PENDING && entry->pins == 1);
	Assert(entry->rows == NIL && entry->transient == NULL);
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

/* Adds a row or item record of `size` bytes, which is in cache->context. */
static void
add_row(DynLookupCache *cache, DynLookupEntry *entry, void *row, Size size)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(cache->context);

	Assert(entry->state == DYN_LOOKUP_PENDING && entry->caching);
	Assert(entry->items == NIL && entry->transient == NULL);
	entry->rows = lappend(entry->rows, row);
	count_bytes(cache, entry, size + sizeof(row));
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_lookup_entry_add_row(DynLookupCache *cache, DynLookupEntry *entry,
						 TupleTableSlot *slot)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(cache->context);
	MinimalTuple row = ExecCopySlotMinimalTuple(slot);

	MemoryContextSwitchTo(oldcontext);
	add_row(cache, entry, row, row->t_len);
}

void
dyn_lookup_entry_add_record(DynLookupCache *cache, DynLookupEntry *entry,
							const DynValue *slots, int nslots)
{
	Size		size = dyn_item_record_size(slots, nslots);
	bytea	   *record = MemoryContextAlloc(cache->context, size);

	dyn_item_record_write(record, slots, nslots);
	add_row(cache, entry, record, size);
}

void
dyn_lookup_entry_add_item(DynLookupCache *cache, DynLookupEntry *entry,
						  DynLookupEntry *item)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(cache->context);

	Assert(entry->state == DYN_LOOKUP_PENDING && entry->rows == NIL);
	Assert(item != entry && item->items == NIL && item->transient == NULL);
	entry->items = lappend(entry->items, item);
	dyn_lookup_entry_pin(item);
	count_bytes(cache, entry, sizeof(DynLookupEntry *));
	MemoryContextSwitchTo(oldcontext);
}

/* Frees entry->base_keys, which are needed until the index Query has ended. */
static void
free_base_keys(DynLookupEntry *entry)
{
	if (entry->base_keys != NULL)
		dyn_base_keys_free(entry->base_keys);
	entry->base_keys = NULL;
}

static void
drop_contents(DynLookupCache *cache, DynLookupEntry *entry)
{
	ListCell   *lc;

	foreach(lc, entry->items)
	{
		DynLookupEntry *item = lfirst(lc);

		dyn_lookup_entry_unpin(cache, item);
		if (item->pins == 0 && item->state == DYN_LOOKUP_EMPTY)
			dyn_lookup_entry_remove(cache, item);
	}
	list_free_deep(entry->rows);
	list_free(entry->items);
	entry->rows = NIL;
	entry->items = NIL;
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
	free_base_keys(entry);
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

/* ---- batches ---- */

void
dyn_lookup_batch_reset(DynLookupBatch *batch)
{
	for (int i = 0; i < batch->n; i++)
	{
		DynLookupEntry *entry = batch->entries[i];

		if (entry == NULL || entry->state != DYN_LOOKUP_PENDING)
			continue;
		Assert(entry->batch_position == i);
		entry->state = DYN_LOOKUP_EMPTY;
		free_base_keys(entry);
		if (entry->pins == 0)
			dyn_lookup_entry_remove(batch->cache, entry);
	}
	MemoryContextReset(batch->context);
	batch->n = batch->space = batch->sent = 0;
	batch->entries = NULL;
	batch->keys = NULL;
	batch->queries = NULL;
	batch->fetch = NULL;
}

void
dyn_lookup_batch_add(DynLookupBatch *batch, DynLookupEntry *entry,
					 const DynKeyPart *parts)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(batch->context);

	Assert(entry->state == DYN_LOOKUP_EMPTY && !entry->is_idle);
	Assert(entry->rows == NIL && entry->items == NIL && entry->base_keys == NULL);
	Assert((batch->nparts > 0) == (parts != NULL));
	if (batch->n == batch->space)
	{
		Size		space = Max(16, batch->space * 2);

		batch->space = space;
		batch->entries = dyn_grown(batch->entries, space * sizeof(DynLookupEntry *));
		if (batch->nparts > 0)
			batch->keys = dyn_grown(batch->keys,
									space * batch->nparts * sizeof(DynKeyPart));
		else
			batch->queries = dyn_grown(batch->queries, space * sizeof(DynQuery));
	}
	for (int i = 0; i < batch->nparts; i++)
	{
		DynKeyPart *copy = &batch->keys[(Size) batch->n * batch->nparts + i];

		*copy = parts[i];
		copy->value.data = memcpy(palloc(parts[i].value.len + 1),
								  parts[i].value.data, parts[i].value.len);
	}
	entry->state = DYN_LOOKUP_PENDING;
	entry->batch_position = batch->n;
	entry->ended = false;
	entry->caching = true;
	entry->taken = 0;
	entry->count = 0;
	batch->entries[batch->n++] = entry;
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_lookup_batch_add_items(DynLookupBatch *batch, const DynLookupEntry *entry,
						   int at, int max)
{
	for (; at < list_length(entry->items) && batch->n < max; at++)
	{
		DynLookupEntry *item = list_nth(entry->items, at);
		DynKeyPart	parts[2];

		if (item->state != DYN_LOOKUP_EMPTY)
			continue;
		/* skip the first byte, which is the kind of request */
		dyn_key_read(item->key.data + 1, batch->scandesc->access, parts);
		dyn_lookup_batch_add(batch, item, parts);
	}
}

void
dyn_lookup_batch_send(DynLookupBatch *batch, int n)
{
	DynScanDesc *scandesc = batch->scandesc;
	const DynAccess *access = scandesc->access;
	DynRequests *requests;
	MemoryContext oldcontext;

	Assert(n >= batch->sent && n <= batch->n);
	if (n == batch->sent)
		return;
	/* earlier BatchGetItems are full: the new keys cannot be added to them */
	Assert(batch->nparts == 0 || batch->sent % DYN_BATCH_GET_MAX_KEYS == 0);
	oldcontext = MemoryContextSwitchTo(batch->context);
	if (batch->fetch != NULL && batch->nparts > 0)
		dyn_requests_set_keys(dyn_fetch_requests(batch->fetch), batch->keys, n);
	else if (batch->fetch != NULL)
		dyn_requests_set_queries(dyn_fetch_requests(batch->fetch), batch->queries, n);
	else
	{
		requests = batch->nparts > 0
			? dyn_requests_of_keys(scandesc->relation, batch->keys, n, batch->nparts)
			: dyn_requests_of_queries(scandesc->relation, access, batch->queries, n,
									  access->row_keys != NULL ? access->nrow_attrs
									  : access->nhash);
		batch->fetch = dyn_scandesc_start(scandesc, requests, batch->rows, true);
	}
	batch->sent = n;
	MemoryContextSwitchTo(batch->work_context);
	dyn_fetch_extend(batch->fetch);
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(batch->work_context);
}

void
dyn_lookup_batch_finish(DynLookupBatch *batch, DynLookupEntry *entry)
{
	Assert(batch->entries[entry->batch_position] == entry);
	Assert(entry->state == DYN_LOOKUP_PENDING && !entry->is_idle);
	free_base_keys(entry);
	entry->ended = true;
	if (!entry->caching)
		return;
	batch->entries[entry->batch_position] = NULL;
	entry->state = DYN_LOOKUP_COMPLETE;
	enter_idle(batch->cache, entry);
}

void
dyn_lookup_batch_give_up(DynLookupBatch *batch, DynLookupEntry *entry)
{
	if (entry->pins > 0 || entry->state != DYN_LOOKUP_PENDING ||
		batch->nparts > 0)
		return;
	if (batch->fetch != NULL)
		dyn_fetch_drop(batch->fetch, entry->batch_position);
	batch->entries[entry->batch_position] = NULL;
	dyn_lookup_entry_remove(batch->cache, entry);
}

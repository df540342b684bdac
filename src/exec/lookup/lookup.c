/*
 * lookup.c
 *		Serves many executions of one scan together.
 *
 * An execution needs one cache entry for each key or partition that it reads.
 * The state of an entry (lookup_cache.h) decides where its rows come from:
 * - COMPLETE: from the cache.
 * - PENDING: from the fetch of the entry's batch, as responses arrive.
 * - EMPTY: the lookups do not serve the execution; the scan sends requests.
 *
 * Full primary keys are requested by BatchGetItem, up to a hundred keys for
 * each stream of the fetch.  Items are assigned to entries according to their
 * keys, and the end of a stream completes all of its entries.  Each partition
 * is requested by its own Query, and each row is returned as it arrives.
 *
 * If items are read from the table after an index Query (fetch_base_items),
 * the Query only lists their keys (base_keys.h).  Each listed key has its own
 * entry, to which the Query's entry refers.  Listed keys are requested in
 * chunks of as many keys as all connections can request at once.
 *
 * Rows are cached for later executions while the cache is below its memory
 * limit.  If the entry of a Query receives a row above the limit, the entry
 * drops its rows, and caches no more.  For later executions that need this
 * entry, the scan sends its own requests.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "../../model/server/memory.h"
#include "../rows/item_record.h"
#include "../statement/values.h"
#include "lookup.h"
#include "lookup_cache.h"

/*
 * A batch is full when it has max_concurrency * KEYS_PER_CONNECTION keys, or
 * max_concurrency * QUERIES_PER_CONNECTION Queries
 * (INDEX_QUERIES_PER_CONNECTION if items are then read from the table).
 */
#define KEYS_PER_CONNECTION		(2 * DYN_BATCH_GET_MAX_KEYS)
#define QUERIES_PER_CONNECTION	64
#define INDEX_QUERIES_PER_CONNECTION	16

/* Minimum of the limits of batch and cache: fetch_memory / SPACE_PART. */
#define SPACE_PART			8

/* Maximum memory of one response's transient rows, which are needed once. */
#define TRANSIENT_BYTES		(1024 * 1024)

/*
 * A prefetched execution, which find_execution finds by its values.  Until it
 * has run or was skipped, it pins the cache entries whose rows it will return.
 */
typedef struct Execution
{
	DynValues	values;			/* values with which it will run (copies) */
	bool		refused;		/* true if its values do not permit the plan's
								 * requests (resolved.incomplete) */
	int			nentries;
	DynLookupEntry **entries;	/* entry of each key or partition, pinned */
} Execution;

struct DynLookups
{
	DynItems	items;			/* source of the rows of the execution in
								 * `open` (must be the first member) */
	DynInput   *input;
	DynScanDesc *scandesc;
	MemoryContext context;
	MemoryContext work_context; /* temporary memory */
	DynLookupCache *cache;
	bool		by_key;			/* true if executions read by full key */
	DynRows    *rows;			/* conversion of items to rows */
	TupleTableSlot *slot;		/* slot for rows to be cached */
	DynValue   *item_slots;		/* slots of an item, if items are cached */
	DynLookupBatch first;		/* first requests for `executions`:
								 * BatchGetItems or Queries */
	DynLookupBatch base;		/* BatchGetItems by keys from index Queries */
	uint64		served;			/* number of executions opened so far */
	DynLookupCounters *counters;

	/* executions of this batch of outer rows */
	MemoryContext executions_context;	/* context of the executions */
	Execution  *executions;
	int			nexecutions;
	int			space;
	int			next;			/* first execution neither run nor skipped */
	bool		last;			/* true if no other batch is expected */

	/* execution whose rows are returned now, or NULL */
	Execution  *open;
	int			position;		/* current position in open->entries */
	int			row;			/* next row, or next item (fetch_base_items) */
	int			item_row;		/* fetch_base_items: next row of item `row` */
};

/* ---- prefetching ---- */

/* Unpins the entries, and drops Queries that no other execution needs. */
static void
release_execution(DynLookups *lookups, Execution *execution)
{
	for (int i = 0; i < execution->nentries; i++)
	{
		dyn_lookup_entry_unpin(lookups->cache, execution->entries[i]);
		dyn_lookup_batch_give_up(&lookups->first, execution->entries[i]);
	}
	execution->nentries = 0;
}

static void
close_execution(DynLookups *lookups)
{
	if (lookups->open != NULL)
		release_execution(lookups, lookups->open);
	lookups->open = NULL;
	(void) dyn_lookup_cache_trim(lookups->cache);
}

void
dyn_lookups_begin(DynLookups *lookups)
{
	close_execution(lookups);
	while (lookups->next < lookups->nexecutions)
		release_execution(lookups, &lookups->executions[lookups->next++]);
	dyn_lookup_batch_reset(&lookups->base);
	dyn_lookup_batch_reset(&lookups->first);
	MemoryContextReset(lookups->executions_context);
	lookups->executions = NULL;
	lookups->nexecutions = lookups->space = lookups->next = 0;
}

static Execution *
add_execution(DynLookups *lookups, const DynValues *values)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(lookups->executions_context);
	Execution  *execution;

	/* all executions are added before the first one runs */
	Assert(lookups->open == NULL && lookups->next == 0);
	if (lookups->nexecutions == lookups->space)
	{
		lookups->space = Max(16, lookups->space * 2);
		lookups->executions = dyn_grown(lookups->executions,
										lookups->space * sizeof(Execution));
	}
	execution = &lookups->executions[lookups->nexecutions++];
	memset(execution, 0, sizeof(*execution));
	execution->values = dyn_values_copy(values);
	MemoryContextSwitchTo(oldcontext);
	return execution;
}

/*
 * Resolves the execution's Queries once more, so that the results are
 * allocated in the batch's memory, and stores the new Queries in the batch.
 */
static void
fill_queries(DynLookups *lookups, const Execution *execution, int first_new)
{
	DynLookupBatch *batch = &lookups->first;
	DynScanDesc *scandesc = lookups->scandesc;
	MemoryContext oldcontext = MemoryContextSwitchTo(batch->context);
	DynResolvedAccess *resolved = palloc(sizeof(DynResolvedAccess));

	dyn_resolve_access(scandesc->access, scandesc->relation, &execution->values,
					   resolved);
	Assert(resolved->nqueries == execution->nentries);
	for (int i = 0; i < execution->nentries; i++)
	{
		const DynLookupEntry *entry = execution->entries[i];

		if (entry->state == DYN_LOOKUP_PENDING && entry->batch_position >= first_new)
			batch->queries[entry->batch_position] = resolved->queries[i];
	}
	MemoryContextSwitchTo(oldcontext);
}

static DynLookupEntry *
entry_of(DynLookups *lookups, const DynResolvedAccess *resolved, int n)
{
	return lookups->by_key
		? dyn_lookup_entry_of_key(lookups->cache,
								  &resolved->keys[(Size) n * resolved->nparts],
								  resolved->nparts)
		: dyn_lookup_entry_of_query(lookups->cache, resolved, n);
}

static void
find_entries(DynLookups *lookups, Execution *execution,
			 const DynResolvedAccess *resolved)
{
	int			n = lookups->by_key ? resolved->nkeys : resolved->nqueries;

	Assert(execution->nentries == 0);
	execution->entries = MemoryContextAllocHuge(lookups->executions_context,
												n * sizeof(DynLookupEntry *));
	for (int i = 0; i < n; i++)
	{
		DynLookupEntry *entry = entry_of(lookups, resolved, i);

		CHECK_FOR_INTERRUPTS();

		/*
		 * The idle entry of an index Query cannot be used if the entry of one
		 * of its items has become EMPTY.  The Query is then sent again.
		 */
		if (entry->is_idle && !dyn_lookup_entry_is_servable(entry))
		{
			dyn_lookup_entry_remove(lookups->cache, entry);
			entry = entry_of(lookups, resolved, i);
		}
		if (entry->state == DYN_LOOKUP_EMPTY)
		{
			dyn_lookup_batch_add(&lookups->first, entry, lookups->by_key
								 ? &resolved->keys[(Size) i * resolved->nparts]
								 : NULL);
			lookups->counters->distinct_keys++;
		}
		else
			lookups->counters->repeated_keys++;
		dyn_lookup_entry_pin(entry);
		execution->entries[execution->nentries++] = entry;
	}
}

/* Resolves keys in temporary memory: most are cached, and need no copy. */
void
dyn_lookups_prefetch(DynLookups *lookups, const DynValues *values)
{
	DynScanDesc *scandesc = lookups->scandesc;
	Execution  *execution = add_execution(lookups, values);
	int			first_new = lookups->first.n;
	MemoryContext oldcontext = MemoryContextSwitchTo(lookups->work_context);
	DynResolvedAccess resolved;
	int			full;			/* number of entries whose requests are full */

	dyn_resolve_access(scandesc->access, scandesc->relation, &execution->values,
					   &resolved);
	execution->refused = resolved.incomplete;
	if (!resolved.contradiction && !resolved.incomplete)
		find_entries(lookups, execution, &resolved);
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(lookups->work_context);
	if (!lookups->by_key && lookups->first.n > first_new)
		fill_queries(lookups, execution, first_new);
	full = lookups->first.n;
	if (lookups->by_key)
		full -= full % DYN_BATCH_GET_MAX_KEYS;
	dyn_lookup_batch_send(&lookups->first, full);
}

bool
dyn_lookups_is_full(const DynLookups *lookups)
{
	int			concurrency = lookups->scandesc->relation->connection->max_concurrency;

	Assert(lookups->open == NULL);
	if (MemoryContextMemAllocated(lookups->executions_context, false) +
		MemoryContextMemAllocated(lookups->first.context, false) >
		Max((Size) work_mem * 1024 / 2,
			lookups->scandesc->statement->max_bytes / SPACE_PART))
		return true;
	if (lookups->by_key)
		return lookups->first.n >= concurrency * KEYS_PER_CONNECTION;
	return lookups->first.n >= concurrency * (lookups->scandesc->access->fetch_base_items
											  ? INDEX_QUERIES_PER_CONNECTION : QUERIES_PER_CONNECTION);
}

void
dyn_lookups_start(DynLookups *lookups, bool last)
{
	Assert(lookups->open == NULL && lookups->next == 0);
	lookups->last = last;
	dyn_lookup_batch_send(&lookups->first, lookups->first.n);
}

/* ---- opening ---- */

static void
begin_entry(DynLookups *lookups)
{
	lookups->row = lookups->item_row = 0;
	dyn_rows_end(lookups->rows);
}

/*
 * Returns the position of the next execution with these values, or -1.
 * Executions run in the order in which they were added, but some may be
 * skipped.  Also returns -1 if the execution found last seems to run again: it
 * has these values, but the execution after it does not.
 */
static int
find_execution(const DynLookups *lookups, const DynValues *values)
{
	const Execution *executions = lookups->executions;
	int			next = lookups->next;

	if (next < lookups->nexecutions &&
		dyn_values_equal(values, &executions[next].values, NULL))
		return next;
	if (next > 0 && dyn_values_equal(values, &executions[next - 1].values, NULL))
		return -1;
	for (int i = next + 1; i < lookups->nexecutions; i++)
	{
		if (dyn_values_equal(values, &executions[i].values, NULL))
			return i;
	}
	return -1;
}

static DynItems *
open_lookups(void *state)
{
	DynLookups *lookups = state;
	int			at = find_execution(lookups, &lookups->input->values);
	bool		servable;

	Assert(lookups->open == NULL);
	if (at < 0)
		return NULL;
	while (lookups->next < at)
		release_execution(lookups, &lookups->executions[lookups->next++]);
	lookups->next = at + 1;
	lookups->open = &lookups->executions[at];
	lookups->position = 0;
	lookups->served++;
	begin_entry(lookups);
	servable = !lookups->open->refused;
	for (int i = 0; i < lookups->open->nentries; i++)
		servable &= dyn_lookup_entry_is_servable(lookups->open->entries[i]);
	if (servable)
		return &lookups->items;
	close_execution(lookups);
	return NULL;
}

/* ---- receiving ---- */

/*
 * Stores the rows of a received item in the entry of its key.  For an unnested
 * table, stores the item itself.  Items often come in request order, so the
 * key of the entry at `guess` is compared first.
 */
static void
receive_item(DynLookups *lookups, DynLookupBatch *batch, const DynValue *item,
			 int guess, DynTransientRows *transient)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(lookups->work_context);
	DynLookupEntry *entry;
	DynKeyPart	parts[2];

	if (guess < batch->n && batch->entries[guess] != NULL &&
		dyn_rows_encodes_key(batch->rows, item,
							 &batch->keys[(Size) guess * batch->nparts]))
		entry = batch->entries[guess];
	else
	{
		dyn_rows_item_key(batch->rows, item, parts);
		entry = dyn_lookup_entry_of_key(lookups->cache, parts, batch->nparts);
	}
	if (entry->state != DYN_LOOKUP_PENDING || entry->rows != NIL ||
		entry->transient != NULL || batch->entries[entry->batch_position] != entry)
		elog(ERROR, "a batch contains an item that was not requested");
	if (lookups->item_slots != NULL)
		dyn_lookup_entry_add_record(lookups->cache, entry, item, lookups->rows->npaths);
	/* the cache is not needed for a row that only one execution returns */
	else if (lookups->last && batch == &lookups->first && entry->pins == 1 &&
			 MemoryContextMemAllocated(transient->context, false) < TRANSIENT_BYTES)
	{
		dyn_rows_begin(lookups->rows, item);
		MemoryContextSwitchTo(transient->context);
		/* an item that is not unnested has at most one row */
		if (dyn_rows_next(lookups->rows, lookups->slot))
			dyn_lookup_entry_add_transient_row(entry, transient, lookups->slot);
	}
	else
	{
		dyn_rows_begin(lookups->rows, item);
		while (dyn_rows_next(lookups->rows, lookups->slot))
			dyn_lookup_entry_add_row(lookups->cache, entry, lookups->slot);
	}
	ExecClearTuple(lookups->slot);
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(lookups->work_context);
}

/*
 * Waits for the items of the stream that requests the entry's key, and
 * completes the entries of all keys that the stream requests.
 */
static void
receive_batch(DynLookups *lookups, DynLookupBatch *batch, const DynLookupEntry *entry)
{
	int			stream = entry->batch_position / DYN_BATCH_GET_MAX_KEYS;
	int			first = stream * DYN_BATCH_GET_MAX_KEYS;
	MemoryContext context = AllocSetContextCreate(batch->context,
												  "dynamo_fdw transient rows",
												  ALLOCSET_DEFAULT_SIZES);
	DynTransientRows *transient = MemoryContextAllocZero(context,
														 sizeof(DynTransientRows));
	const DynValue *item;
	int			guess = first;

	transient->context = context;
	Assert(batch->nparts > 0 && batch->entries[entry->batch_position] == entry);
	batch->scandesc->origin = batch->fetch;
	while ((item = dyn_fetch_next_of(batch->fetch, stream)) != NULL)
		receive_item(lookups, batch, item, guess++, transient);
	if (transient->left == 0)
		MemoryContextDelete(context);
	for (int i = first; i < Min(first + DYN_BATCH_GET_MAX_KEYS, batch->n); i++)
	{
		if (batch->entries[i] != NULL)
			dyn_lookup_batch_finish(batch, batch->entries[i]);
	}
	(void) dyn_lookup_cache_trim(lookups->cache);
}

/* Caches the row, or the item of an unnested table, if there is memory. */
static void
keep(DynLookups *lookups, DynLookupEntry *entry, TupleTableSlot *slot,
	 const DynValue *item)
{
	entry->taken++;
	if (!entry->caching)
		return;
	if (lookups->item_slots != NULL)
		dyn_lookup_entry_add_record(lookups->cache, entry, item, lookups->rows->npaths);
	else
		dyn_lookup_entry_add_row(lookups->cache, entry, slot);
	if (!dyn_lookup_cache_trim(lookups->cache))
		dyn_lookup_entry_stop_caching(lookups->cache, entry);
}

/* ---- returning the rows of an entry that keeps no list of items ---- */

/* Stores the next row of the entry's Query; returns false at the end. */
static bool
next_of_stream(DynLookups *lookups, DynLookupEntry *entry, TupleTableSlot *slot)
{
	DynLookupBatch *batch = &lookups->first;

	while (!dyn_rows_next(lookups->rows, slot))
	{
		const DynValue *item = NULL;

		Assert(entry->pins > 0 && entry->batch_position < batch->sent);
		Assert(entry->state == DYN_LOOKUP_PENDING || entry->ended);
		batch->scandesc->origin = batch->fetch;
		if (!entry->ended)
			item = dyn_fetch_next_of(batch->fetch, entry->batch_position);
		if (item == NULL)
		{
			dyn_lookup_batch_finish(batch, entry);
			return false;
		}
		if (lookups->item_slots != NULL)
			keep(lookups, entry, NULL, item);
		dyn_rows_begin(lookups->rows, item);
	}
	if (lookups->item_slots == NULL)
		keep(lookups, entry, slot, NULL);
	lookups->row = list_length(entry->rows);
	if (lookups->scandesc->access->first_row_only)
	{
		dyn_rows_end(lookups->rows);
		dyn_fetch_drop(batch->fetch, entry->batch_position);
		dyn_lookup_batch_finish(batch, entry);
	}
	return true;
}

/*
 * Stores the entry's next cached row; returns false after the last.  `*at` is
 * the position of the next row, or of the next item if items are cached.
 */
static bool
next_cached_row(DynLookups *lookups, const DynLookupEntry *entry, int *at,
				TupleTableSlot *slot)
{
	if (lookups->item_slots == NULL)
	{
		if (*at >= list_length(entry->rows))
			return false;
		ExecForceStoreMinimalTuple(list_nth(entry->rows, (*at)++), slot, false);
		return true;
	}
	while (!dyn_rows_next(lookups->rows, slot))
	{
		if (*at == list_length(entry->rows))
			return false;
		dyn_item_record_read(list_nth(entry->rows, (*at)++), lookups->item_slots,
							 lookups->rows->npaths);
		dyn_rows_begin(lookups->rows, lookups->item_slots);
	}
	return true;
}

static bool
next_of_rows(DynLookups *lookups, const DynLookupEntry *entry, TupleTableSlot *slot)
{
	Assert(entry->transient == NULL || (entry->rows == NIL && entry->pins == 1));
	if (entry->transient != NULL && lookups->row == 0)
	{
		int			n = slot->tts_tupleDescriptor->natts;

		ExecClearTuple(slot);
		memcpy(slot->tts_values, entry->values, n * sizeof(Datum));
		memcpy(slot->tts_isnull, entry->nulls, n * sizeof(bool));
		ExecStoreVirtualTuple(slot);
		lookups->row++;
		return true;
	}
	return next_cached_row(lookups, entry, &lookups->row, slot);
}

/* ---- serving an index Query, whose items are then read by key ---- */

static int
chunk_keys(const DynLookups *lookups)
{
	return lookups->scandesc->relation->connection->max_concurrency *
		DYN_BATCH_GET_MAX_KEYS;
}

/*
 * Adds to the entry of an index Query a key that the Query has listed.  Also
 * adds the key to `base`, unless its item is cached or already requested.
 */
static void
list_key(DynLookups *lookups, DynLookupEntry *entry, const DynKeyPart *parts)
{
	DynLookupEntry *item = dyn_lookup_entry_of_key(lookups->cache, parts,
												   lookups->scandesc->access->nbase);

	Assert(entry->state == DYN_LOOKUP_PENDING && !entry->ended);
	entry->taken++;
	if (item->state == DYN_LOOKUP_EMPTY)
		dyn_lookup_batch_add(&lookups->base, item, parts);
	dyn_lookup_entry_add_item(lookups->cache, entry, item);
}

/*
 * Stores the next listed key.  Skips keys that base_keys has, since they were
 * returned before.  When base_keys is full, new keys are returned only after
 * the index Query has ended (base_keys.h).
 */
static bool
next_listed_key(DynLookups *lookups, DynLookupEntry *entry, DynKeyPart *parts)
{
	const DynValue *listed;

	while ((listed = dyn_fetch_next_of(lookups->first.fetch,
									   entry->batch_position)) != NULL)
	{
		dyn_rows_item_key(lookups->first.rows, listed, parts);
		if (entry->base_keys == NULL || dyn_base_keys_add(entry->base_keys, parts))
			return true;
	}
	return entry->base_keys != NULL && dyn_base_keys_next(entry->base_keys, parts);
}

/* Reads the entry's next keys until lookups->base has chunk_keys() keys. */
static void
list_keys(DynLookups *lookups, DynLookupEntry *entry)
{
	bool		found = true;

	Assert(!entry->ended);
	Assert(lookups->first.entries[entry->batch_position] == entry);
	while (found && lookups->base.n < chunk_keys(lookups))
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(lookups->work_context);
		DynKeyPart	parts[2];

		found = next_listed_key(lookups, entry, parts);
		if (found)
			list_key(lookups, entry, parts);
		MemoryContextSwitchTo(oldcontext);
		dyn_reset_if_large(lookups->work_context);
	}
	if (!found)
		dyn_lookup_batch_finish(&lookups->first, entry);
}

/*
 * Copies the keys of the entry's items, which were all returned, to base_keys,
 * because the index may list a key again.  Then drops the items, unless other
 * executions need the entry and there is memory.
 */
static void
forget_listed(DynLookups *lookups, DynLookupEntry *entry)
{
	ListCell   *lc;

	if (entry->items == NIL)
		return;
	if (entry->base_keys == NULL)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(lookups->first.context);

		entry->base_keys = dyn_base_keys_create(lookups->scandesc->access);
		MemoryContextSwitchTo(oldcontext);
		foreach(lc, entry->items)
		{
			const DynByteKey *key = &((DynLookupEntry *) lfirst(lc))->key;

			/* skip the first byte, which is the kind of request */
			dyn_base_keys_remember(entry->base_keys, key->data + 1, key->len - 1);
		}
	}
	if (entry->pins > 1 && dyn_lookup_cache_trim(lookups->cache))
		return;
	dyn_lookup_entry_stop_caching(lookups->cache, entry);
	begin_entry(lookups);
}

/*
 * Reads up to chunk_keys() keys from the index Queries, and requests the items
 * of these keys.  Begins with `entry`, whose rows the caller is returning, and
 * continues with later entries that have no keys yet.  For entries that have
 * keys, dyn_lookup_batch_reset may have canceled the requests; then
 * next_listed_row() sends them again before more keys are read for the entry.
 */
static void
next_chunk(DynLookups *lookups, DynLookupEntry *entry)
{
	Assert(entry->pins > 0 && entry->state == DYN_LOOKUP_PENDING);
	dyn_lookup_batch_reset(&lookups->base);
	lookups->scandesc->origin = lookups->first.fetch;
	forget_listed(lookups, entry);
	for (int i = entry->batch_position;
		 i < lookups->first.n && lookups->base.n < chunk_keys(lookups); i++)
	{
		DynLookupEntry *other = lookups->first.entries[i];

		if (other != NULL && !other->ended &&
			(other == entry || other->taken == 0))
			list_keys(lookups, other);
	}
	dyn_lookup_batch_send(&lookups->base, lookups->base.n);
}

/* Stores the next row of the listed items; returns false after the last. */
static bool
next_listed_row(DynLookups *lookups, DynLookupEntry *entry, TupleTableSlot *slot)
{
	while (lookups->row < list_length(entry->items))
	{
		DynLookupEntry *item = list_nth(entry->items, lookups->row);

		Assert(item->pins > 0);
		/* an index may list a moving item twice, even in two partitions */
		if (lookups->item_row == 0 && item->served_in == lookups->served)
		{
			lookups->row++;
			continue;
		}
		item->served_in = lookups->served;
		/*
		 * Request the item again: an execution ended before it received the
		 * item, and a reset for another entry then canceled the request.
		 */
		if (item->state == DYN_LOOKUP_EMPTY)
		{
			dyn_lookup_batch_reset(&lookups->base);
			lookups->scandesc->origin = lookups->first.fetch;
			dyn_lookup_batch_add_items(&lookups->base, entry, lookups->row,
									   chunk_keys(lookups));
			dyn_lookup_batch_send(&lookups->base, lookups->base.n);
		}
		if (item->state == DYN_LOOKUP_PENDING)
			receive_batch(lookups, &lookups->base, item);
		Assert(item->state == DYN_LOOKUP_COMPLETE);
		if (next_cached_row(lookups, item, &lookups->item_row, slot))
			return true;
		lookups->row++;
		lookups->item_row = 0;
	}
	return false;
}

/* ---- serving an execution ---- */

static bool
next_of_entry(DynLookups *lookups, DynLookupEntry *entry, TupleTableSlot *slot)
{
	if (lookups->scandesc->access->fetch_base_items)
	{
		while (!next_listed_row(lookups, entry, slot))
		{
			if (entry->ended || entry->state == DYN_LOOKUP_COMPLETE)
				return false;
			next_chunk(lookups, entry);
		}
		return true;
	}
	if (lookups->by_key && entry->state == DYN_LOOKUP_PENDING)
		receive_batch(lookups, &lookups->first, entry);
	if (next_of_rows(lookups, entry, slot))
		return true;
	return entry->state != DYN_LOOKUP_COMPLETE &&
		next_of_stream(lookups, entry, slot);
}

/* Waits even if `wait` is false; the batch's requests stay in flight. */
static DynFetchState
lookups_next_row(DynItems *items, TupleTableSlot *slot, bool wait)
{
	DynLookups *lookups = (DynLookups *) items;
	const Execution *open = lookups->open;

	Assert(open != NULL && lookups->next > 0);
	while (lookups->position < open->nentries)
	{
		if (next_of_entry(lookups, open->entries[lookups->position], slot))
			return DYN_FETCH_ITEM;
		lookups->position++;
		begin_entry(lookups);
	}
	return DYN_FETCH_END;
}

static uint64
lookups_count(DynItems *items)
{
	DynLookups *lookups = (DynLookups *) items;
	const Execution *open = lookups->open;
	uint64		count = 0;

	Assert(open != NULL && lookups->scandesc->access->count_only);
	for (int i = 0; i < open->nentries; i++)
	{
		DynLookupEntry *entry = open->entries[i];

		if (entry->state == DYN_LOOKUP_PENDING)
		{
			entry->count = dyn_fetch_count_of(lookups->first.fetch,
											  entry->batch_position);
			dyn_lookup_batch_finish(&lookups->first, entry);
		}
		count += entry->count;
	}
	return count;
}

static void
lookups_close(DynItems *items)
{
	close_execution((DynLookups *) items);
}

static const DynItemsMethods lookups_methods = {
	.next_row = lookups_next_row,
	.count = lookups_count,
	.close = lookups_close,
};

/* ---- creation ---- */

/*
 * Returns the row conversion of lookups.  For BatchGetItem, it includes the
 * primary key, by which each item's entry is found.  For Queries, it includes
 * the partition key, so that a response to the wrong Query is detected.  For
 * Queries of an unnested table, whose items are cached, it also includes the
 * primary key, for error messages.
 */
static DynRows *
lookup_rows(DynScanDesc *scandesc)
{
	if (scandesc->access->count_only)
		return scandesc->rows;
	if (scandesc->access->kind != DYN_ACCESS_QUERY || scandesc->index_rows != NULL)
		return dyn_scandesc_rows(scandesc, DYN_ROWS_KEY);
	return dyn_scandesc_rows(scandesc, scandesc->relation->unnest != NULL
							 ? DYN_ROWS_KEY | DYN_ROWS_PARTITION : DYN_ROWS_PARTITION);
}

static void
init_batch(DynLookups *lookups, DynLookupBatch *batch, const DynRows *rows,
		   bool by_key)
{
	*batch = (DynLookupBatch) {lookups->scandesc, lookups->cache, rows,
		.nparts = by_key ? lookups->scandesc->access->nbase : 0,
		.work_context = lookups->work_context,
		.context = AllocSetContextCreate(lookups->context, "dynamo_fdw lookup batch",
										 ALLOCSET_DEFAULT_SIZES)};
}

static void
free_lookups(void *state)
{
	DynLookups *lookups = state;

	/* close temporary files of the entries' base keys (base_keys.h) */
	dyn_lookup_batch_reset(&lookups->first);
	MemoryContextDelete(lookups->context);
}

DynLookups *
dyn_lookups_create(DynInput *input, DynLookupCounters *counters)
{
	DynScanDesc *scandesc = input->scandesc;
	TupleDesc	desc = input->node->ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw lookups",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	DynLookups *lookups = palloc0(sizeof(DynLookups));

	Assert(dyn_access_can(scandesc->access, DYN_CAN_BATCH));
	dyn_scandesc_check_schema(scandesc);
	lookups->items.methods = &lookups_methods;
	lookups->items.rows = scandesc->rows;
	lookups->input = input;
	lookups->counters = counters;
	lookups->scandesc = scandesc;
	lookups->context = context;
	lookups->by_key = (scandesc->access->kind == DYN_ACCESS_GET);
	lookups->rows = lookup_rows(scandesc);
	lookups->cache = dyn_lookup_cache_create(Max(get_hash_memory_limit(),
												 scandesc->statement->max_bytes / SPACE_PART));
	lookups->work_context = AllocSetContextCreate(context,
												  "dynamo_fdw lookup work",
												  ALLOCSET_DEFAULT_SIZES);
	init_batch(lookups, &lookups->first, scandesc->index_rows != NULL
			   ? dyn_scandesc_index_rows(scandesc, true) : lookups->rows, lookups->by_key);
	init_batch(lookups, &lookups->base, lookups->rows, true);
	lookups->executions_context = AllocSetContextCreate(context,
														"dynamo_fdw executions",
														ALLOCSET_DEFAULT_SIZES);
	/* copy the descriptor, so that the slot does not pin the original */
	lookups->slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(desc),
											 &TTSOpsVirtual);
	if (lookups->rows->unnested != NULL)
		lookups->item_slots = palloc0(lookups->rows->npaths * sizeof(DynValue));
	MemoryContextSwitchTo(oldcontext);
	dyn_input_add_opener(input, &(DynOpener) {.open = open_lookups,.free = free_lookups,
		.only_compares = true,.state = lookups});
	return lookups;
}

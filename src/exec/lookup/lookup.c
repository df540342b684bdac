/*
 * lookup.c
 *		Answers many executions of one scan together.
 *
 * Requests leave as soon as they are complete, while more is prefetched (batch.c).
 * Items of a batch are told apart by their keys.
 *
 * Index, then base: a Query lists keys of the table; these are asked for as
 * answers of their own, a piece of them at a time (piece: about as many as fill
 * the concurrency), and the index's answer holds references to them.
 *
 * An answer is taken from its stream while the first execution that needs it is
 * served, and kept for the others: those prefetched, and as far as memory allows
 * those that may follow.  If what is needed later has to be let go, dyn_lookups_open
 * refuses and the scan asks alone.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "../../model/pg_compat.h"
#include "lookup_cache.h"
#include "lookup_batch.h"
#include "lookup.h"

/* What a batch of announcements asks for at most, for each lane. */
#define KEYS_PER_CONNECTION		(2 * DYN_BATCH_GET_MAX_KEYS)
#define QUERIES_PER_CONNECTION	64
#define INDEX_QUERIES_PER_CONNECTION	16

/* Of one request: rows that are not remembered take no more than this. */
#define TRANSIENT_BYTES		(1024 * 1024)

/* The execution for one outer row. */
typedef struct Prefetched
{
	Datum	   *values;			/* copies */
	bool	   *nulls;
	bool		refused;		/* it cannot be served */
	int			nentries;
	DynLookupEntry **entries;
} Prefetched;

struct DynLookups
{
	DynReader  *reader;
	int			nvalues;		/* of an execution */
	int16	   *lens;			/* of the values */
	bool	   *byvals;
	MemoryContext context;
	MemoryContext prefetched_context;	/* of the batch */
	MemoryContext work_context; /* of one announcement or item */
	DynLookupCache *cache;
	bool		by_key;			/* first asks for whole keys, not partitions */
	DynRows    *rows;			/* of what becomes a row */
	DynRows    *index_rows;		/* index, then base: of what the index lists */
	TupleTableSlot *slot;		/* for rows that are kept */
	DynLookupBatch	first;			/* by the values */
	DynLookupBatch	base;			/* fetch_base_items: by the keys that came */
	DynBuffer	identity;		/* of a request, while it is looked for */
	uint64		listings;		/* Querys that were asked, see DynLookupEntry */
	DynLookupCounters counters;

	int			nprefetched;
	int			space;
	Prefetched  *prefetched;
	int			next;			/* is expected to be executed */
	bool		last;			/* no other batch is expected */

	Prefetched  *open;			/* NULL: none */
	int			position;		/* among its answers */
	int			row;			/* of that entry; fetch_base_items: of its items */
	int			item_row;		/* fetch_base_items: of that item */
};

/* ---- making ---- */

/*
 * Rows of whole keys show the key, by which they are told apart; those of
 * Queries their partition key, as Queries of many are in flight.
 */
static DynRows *
lookup_rows(DynReader *reader)
{
	if (reader->access->count_only)
		return reader->rows;
	if (reader->access->kind == DYN_ACCESS_QUERY && reader->index_rows == NULL)
		return dyn_reader_rows_with_partition(reader);
	return dyn_reader_rows_with_keys(reader);
}

static void
init_batch(DynLookups *lookups, DynLookupBatch *batch, const DynRows *rows)
{
	batch->reader = lookups->reader;
	batch->cache = lookups->cache;
	batch->rows = rows;
	batch->work_context = lookups->work_context;
	dyn_lookup_batch_init(batch);
}

static void
init_types(DynLookups *lookups, const List *exprs)
{
	int			n = list_length(exprs);

	lookups->nvalues = n;
	lookups->lens = palloc(Max(n, 1) * sizeof(int16));
	lookups->byvals = palloc(Max(n, 1) * sizeof(bool));
	for (int i = 0; i < n; i++)
		get_typlenbyval(exprType(list_nth(exprs, i)), &lookups->lens[i],
						&lookups->byvals[i]);
}

/* Runs when the context goes. */
static void
release_identity(void *arg)
{
	dyn_buffer_free(arg);
}

static void
init_identity(DynLookups *lookups)
{
	MemoryContextCallback *callback = palloc(sizeof(MemoryContextCallback));

	dyn_buffer_init(&lookups->identity, 0);
	callback->func = release_identity;
	callback->arg = &lookups->identity;
	MemoryContextRegisterResetCallback(lookups->context, callback);
}

DynLookups *
dyn_lookups_create(DynReader *reader, List *exprs, TupleDesc desc)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw lookups",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	DynLookups *lookups = palloc0(sizeof(DynLookups));

	dyn_reader_check_schema(reader);
	lookups->reader = reader;
	lookups->context = context;
	lookups->by_key = (reader->access->kind == DYN_ACCESS_GET);
	lookups->rows = lookup_rows(reader);
	if (reader->index_rows != NULL)
		lookups->index_rows = dyn_reader_index_rows(reader, true);
	lookups->cache = dyn_lookup_cache_create(get_hash_memory_limit());
	lookups->prefetched_context = AllocSetContextCreate(context,
													   "dynamo_fdw prefetched",
													   ALLOCSET_DEFAULT_SIZES);
	lookups->work_context = AllocSetContextCreate(context,
												  "dynamo_fdw lookup work",
												  ALLOCSET_DEFAULT_SIZES);
	init_batch(lookups, &lookups->first,
				lookups->index_rows ? lookups->index_rows : lookups->rows);
	init_batch(lookups, &lookups->base, lookups->rows);
	init_types(lookups, exprs);
	init_identity(lookups);
	/* a copy, which nobody has to unpin */
	lookups->slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(desc),
											 &TTSOpsVirtual);
	MemoryContextSwitchTo(oldcontext);
	return lookups;
}

void
dyn_lookups_free(DynLookups *lookups)
{
	/* listings may have files */
	dyn_lookup_batch_reset(&lookups->first, 0);
	MemoryContextDelete(lookups->context);
}

const DynLookupCounters *
dyn_lookups_counters(const DynLookups *lookups)
{
	return &lookups->counters;
}

/* ---- identities ---- */

static DynLookupEntry *
entry_of_identity(DynLookups *lookups)
{
	if (lookups->identity.failed)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	return dyn_lookup_cache_get(lookups->cache, lookups->identity.data,
						   lookups->identity.len);
}

/* The parts have the same names and types wherever they are compared. */
static void
begin_identity(DynLookups *lookups, char kind, const DynKeyPart *parts, int nparts)
{
	dyn_buffer_reset(&lookups->identity);
	dyn_buffer_append_char(&lookups->identity, kind);
	dyn_key_append(&lookups->identity, parts, nparts);
}

/* The answer to a whole key of the table. */
static DynLookupEntry *
entry_of_key(DynLookups *lookups, const DynKeyPart *parts, int nparts)
{
	begin_identity(lookups, 'k', parts, nparts);
	return entry_of_identity(lookups);
}

/* The answer to a Query. */
static DynLookupEntry *
entry_of_query(DynLookups *lookups, const DynResolvedAccess *resolved, int partition)
{
	begin_identity(lookups, 'q', &resolved->keys[(Size) partition * resolved->nparts],
				   resolved->nparts);
	for (int i = 0; i < resolved->nrange; i++)
		dyn_cond_identity(resolved->range[i], &lookups->identity);
	if (resolved->filter != NULL)
	{
		dyn_buffer_append_char(&lookups->identity, 'f');
		dyn_cond_identity(resolved->filter, &lookups->identity);
	}
	return entry_of_identity(lookups);
}

/* ---- announcing ---- */

static void
release_prefetched(DynLookups *lookups, Prefetched *prefetched)
{
	for (int i = 0; i < prefetched->nentries; i++)
	{
		dyn_lookup_entry_unpin(lookups->cache, prefetched->entries[i]);
		dyn_lookup_batch_give_up(&lookups->first, prefetched->entries[i]);
	}
	prefetched->nentries = 0;
}

void
dyn_lookups_begin(DynLookups *lookups)
{
	dyn_lookups_close(lookups);
	while (lookups->next < lookups->nprefetched)
		release_prefetched(lookups, &lookups->prefetched[lookups->next++]);
	dyn_lookup_batch_reset(&lookups->base, lookups->reader->access->nbase);
	dyn_lookup_batch_reset(&lookups->first,
					 lookups->by_key ? lookups->reader->access->nbase : 0);
	MemoryContextReset(lookups->prefetched_context);
	lookups->nprefetched = lookups->space = lookups->next = 0;
	lookups->prefetched = NULL;
}

/* With a copy of the values. */
static Prefetched *
new_prefetched(DynLookups *lookups, const DynValues *values)
{
	Prefetched  *prefetched;

	if (lookups->nprefetched == lookups->space)
	{
		lookups->space = Max(16, lookups->space * 2);
		lookups->prefetched = dyn_grown(lookups->prefetched,
								   lookups->space * sizeof(Prefetched));
	}
	prefetched = &lookups->prefetched[lookups->nprefetched++];
	prefetched->values = palloc(Max(values->n, 1) * (sizeof(Datum) + sizeof(bool)));
	prefetched->nulls = (bool *) (prefetched->values + values->n);
	for (int i = 0; i < values->n; i++)
	{
		prefetched->nulls[i] = values->nulls[i];
		prefetched->values[i] = values->nulls[i] ? (Datum) 0
			: datumCopy(values->values[i], lookups->byvals[i], lookups->lens[i]);
	}
	return prefetched;
}

/* Binds once more, where conditions may stay, and fills in what is new. */
static void
fill_terms(DynLookups *lookups, const Prefetched *prefetched, int first_new)
{
	DynLookupBatch  *batch = &lookups->first;
	DynReader  *reader = lookups->reader;
	DynValues	values = {lookups->nvalues, prefetched->values, prefetched->nulls};
	MemoryContext oldcontext = MemoryContextSwitchTo(batch->context);
	DynResolvedAccess   *resolved = palloc(sizeof(DynResolvedAccess));

	dyn_resolve_access(reader->access, reader->relation, &values, resolved);
	for (int i = 0; i < prefetched->nentries; i++)
	{
		const DynLookupEntry *entry = prefetched->entries[i];

		if (entry->state == DYN_LOOKUP_PENDING && entry->batch_position >= first_new)
			dyn_resolved_terms(resolved, i, &batch->terms[entry->batch_position]);
	}
	MemoryContextSwitchTo(oldcontext);
}

static void
find_entries(DynLookups *lookups, Prefetched *prefetched, const DynResolvedAccess *resolved)
{
	for (int i = 0; i < resolved->nkeys; i++)
	{
		const DynKeyPart *parts = &resolved->keys[(Size) i * resolved->nparts];
		DynLookupEntry  *entry = lookups->by_key
			? entry_of_key(lookups, parts, resolved->nparts)
			: entry_of_query(lookups, resolved, i);

		CHECK_FOR_INTERRUPTS();
		if (entry->state == DYN_LOOKUP_EMPTY)
		{
			dyn_lookup_batch_add(&lookups->first, entry);
			entry->listing = ++lookups->listings;
			if (lookups->by_key)
				dyn_lookup_batch_keep_key(&lookups->first, entry, parts);
			lookups->counters.distinct_keys++;
		}
		else
			lookups->counters.repeated_keys++;
		dyn_lookup_entry_pin(entry);
		prefetched->entries[prefetched->nentries++] = entry;
	}
}

/*
 * The keys are looked for in memory that is given back at once; only what is
 * new is made again to stay.
 */
void
dyn_lookups_prefetch(DynLookups *lookups, const DynValues *given)
{
	DynReader  *reader = lookups->reader;
	MemoryContext oldcontext = MemoryContextSwitchTo(lookups->prefetched_context);
	Prefetched  *prefetched = new_prefetched(lookups, given);
	DynValues	values = {lookups->nvalues, prefetched->values, prefetched->nulls};
	int			first_new = lookups->first.n;
	DynResolvedAccess	resolved;

	prefetched->nentries = 0;
	prefetched->entries = NULL;
	MemoryContextSwitchTo(lookups->work_context);
	dyn_resolve_access(reader->access, reader->relation, &values, &resolved);
	prefetched->refused = resolved.incomplete;
	if (!resolved.contradiction && !resolved.incomplete)
	{
		prefetched->entries = MemoryContextAllocHuge(lookups->prefetched_context,
													resolved.nkeys * sizeof(DynLookupEntry *));
		find_entries(lookups, prefetched, &resolved);
	}
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(lookups->work_context);
	if (!lookups->by_key && lookups->first.n > first_new)
		fill_terms(lookups, prefetched, first_new);
	dyn_lookup_batch_send(&lookups->first, dyn_lookup_batch_complete(&lookups->first));
}

bool
dyn_lookups_is_full(const DynLookups *lookups)
{
	int			concurrency = lookups->reader->relation->connection->max_concurrency;

	if (lookups->by_key)
		return lookups->first.n >= concurrency * KEYS_PER_CONNECTION;
	return lookups->first.n >= concurrency * (lookups->reader->access->fetch_base_items
										? INDEX_QUERIES_PER_CONNECTION : QUERIES_PER_CONNECTION);
}

Size
dyn_lookups_memory(const DynLookups *lookups)
{
	return MemoryContextMemAllocated(lookups->prefetched_context, false) +
		MemoryContextMemAllocated(lookups->first.context, false);
}

void
dyn_lookups_start(DynLookups *lookups, bool last)
{
	lookups->last = last;
	dyn_lookup_batch_send(&lookups->first, lookups->first.n);
}

/* ---- opening ---- */

static bool
values_are(const DynLookups *lookups, const DynValues *values,
		   const Prefetched *prefetched)
{
	for (int i = 0; i < values->n; i++)
	{
		if (values->nulls[i] != prefetched->nulls[i] ||
			(!values->nulls[i] &&
			 !datum_image_eq(values->values[i], prefetched->values[i],
							 lookups->byvals[i], lookups->lens[i])))
			return false;
	}
	return true;
}

/*
 * Executions come in the order in which they were prefetched; some may be
 * passed over.  One that is repeated was served already.
 */
static int
find_prefetched(const DynLookups *lookups, const DynValues *values)
{
	int			next = lookups->next;

	if (next < lookups->nprefetched &&
		values_are(lookups, values, &lookups->prefetched[next]))
		return next;
	if (next > 0 && values_are(lookups, values, &lookups->prefetched[next - 1]))
		return -1;
	for (int i = next + 1; i < lookups->nprefetched; i++)
	{
		if (values_are(lookups, values, &lookups->prefetched[i]))
			return i;
	}
	return -1;
}

static bool
is_servable(const DynLookupEntry *entry)
{
	if (entry->state == DYN_LOOKUP_EMPTY)
		return false;
	for (int i = 0; i < entry->nitems; i++)
	{
		if (entry->items[i]->state == DYN_LOOKUP_EMPTY)
			return false;
	}
	return entry->keeping || entry->taken == 0;
}

/* The next row to serve is the first one of an answer. */
static void
begin_entry(DynLookups *lookups)
{
	lookups->row = lookups->item_row = 0;
	dyn_rows_end(lookups->rows);
}

bool
dyn_lookups_open(DynLookups *lookups, const DynValues *values)
{
	int			at = find_prefetched(lookups, values);
	bool		servable;

	Assert(lookups->open == NULL);
	if (at < 0)
		return false;
	servable = !lookups->prefetched[at].refused;
	while (lookups->next < at)
		release_prefetched(lookups, &lookups->prefetched[lookups->next++]);
	lookups->next = at + 1;
	lookups->open = &lookups->prefetched[at];
	lookups->position = 0;
	begin_entry(lookups);
	for (int i = 0; i < lookups->open->nentries; i++)
		servable &= is_servable(lookups->open->entries[i]);
	if (!servable)
		dyn_lookups_close(lookups);
	return servable;
}

void
dyn_lookups_close(DynLookups *lookups)
{
	if (lookups->open != NULL)
		release_prefetched(lookups, lookups->open);
	lookups->open = NULL;
	(void) dyn_lookup_cache_trim(lookups->cache);
}

/* ---- receiving ---- */

/* Items often come in the order in which they were asked for. */
static DynLookupEntry *
entry_of_item(DynLookups *lookups, const DynLookupBatch *batch,
			   const DynValue *item, int guess)
{
	int			nparts = lookups->reader->access->nbase;
	DynKeyPart	parts[2];
	DynLookupEntry  *entry = guess < batch->n ? batch->entries[guess] : NULL;

	dyn_rows_item_key(batch->rows, item, parts);
	begin_identity(lookups, 'k', parts, nparts);
	if (entry != NULL && !lookups->identity.failed &&
		entry->key.len == lookups->identity.len &&
		memcmp(entry->key.data, lookups->identity.data, entry->key.len) == 0)
		return entry;
	return entry_of_identity(lookups);
}

/* May the answer's row be forgotten as soon as it was served? */
static bool
is_transient(const DynLookups *lookups, const DynLookupBatch *batch,
		   const DynLookupEntry *entry, const DynTransientRows *transient)
{
	return lookups->last && batch == &lookups->first && entry->pins == 1 &&
		MemoryContextMemAllocated(transient->context, false) < TRANSIENT_BYTES;
}

static void
receive_rows(DynLookups *lookups, DynLookupEntry *entry)
{
	while (dyn_rows_next(lookups->rows, lookups->slot))
		dyn_lookup_entry_add_row(lookups->cache, entry, lookups->slot);
	ExecClearTuple(lookups->slot);
}

/* An item gives one row. */
static void
receive_transient_row(DynLookups *lookups, DynLookupEntry *entry,
					DynTransientRows *transient)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(transient->context);

	if (dyn_rows_next(lookups->rows, lookups->slot))
		dyn_lookup_entry_add_transient_row(entry, transient, lookups->slot);
	ExecClearTuple(lookups->slot);
	MemoryContextSwitchTo(oldcontext);
}

/* An item of a batch: the rows of the answer to its key. */
static void
receive_item(DynLookups *lookups, DynLookupBatch *batch, const DynValue *item,
			 int guess, DynTransientRows *transient)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(lookups->work_context);
	DynLookupEntry  *entry = entry_of_item(lookups, batch, item, guess);

	if (entry->state != DYN_LOOKUP_PENDING || entry->nrows > 0 ||
		entry->transient != NULL || batch->entries[entry->batch_position] != entry)
		elog(ERROR, "a batch holds an item that was not asked for");
	dyn_rows_begin(lookups->rows, item);
	if (is_transient(lookups, batch, entry, transient))
		receive_transient_row(lookups, entry, transient);
	else
		receive_rows(lookups, entry);
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(lookups->work_context);
}

static DynTransientRows *
create_transient_rows(const DynLookupBatch *batch)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(batch->context);
	DynTransientRows *transient = dyn_transient_rows_create();

	MemoryContextSwitchTo(oldcontext);
	return transient;
}

/* All of the batch that brings the entry; keys without an item have no row. */
static void
receive_batch(DynLookups *lookups, DynLookupBatch *batch, int stream)
{
	int			first = stream * DYN_BATCH_GET_MAX_KEYS;
	DynTransientRows *transient = create_transient_rows(batch);
	const DynValue *item;
	int			guess = first;

	dyn_lookup_batch_set_origin(batch);
	while ((item = dyn_fetch_next_of(batch->fetch, stream)) != NULL)
		receive_item(lookups, batch, item, guess++, transient);
	if (transient->left == 0)
		MemoryContextDelete(transient->context);
	for (int i = first; i < Min(first + DYN_BATCH_GET_MAX_KEYS, batch->n); i++)
	{
		if (batch->entries[i] != NULL)
			dyn_lookup_batch_finish(batch, batch->entries[i]);
	}
	(void) dyn_lookup_cache_trim(lookups->cache);
}

/* Keeps the row for others, and for later if there is room. */
static void
keep_row(DynLookups *lookups, DynLookupEntry *entry, TupleTableSlot *slot)
{
	entry->taken++;
	if (!entry->keeping)
		return;
	dyn_lookup_entry_add_row(lookups->cache, entry, slot);
	if (!dyn_lookup_cache_trim(lookups->cache))
		dyn_lookup_entry_stop_keeping(lookups->cache, entry);
}

/* ---- serving ---- */

/* Begins the next item of a Query, from its stream; false at its end. */
static bool
begin_stream_item(DynLookups *lookups, DynLookupEntry *entry)
{
	DynLookupBatch  *batch = &lookups->first;
	const DynValue *item = NULL;

	dyn_lookup_batch_set_origin(batch);
	if (!entry->ended)
		item = dyn_fetch_next_of(batch->fetch, entry->batch_position);
	if (item == NULL)
		dyn_lookup_batch_finish(batch, entry);
	else
		dyn_rows_begin(lookups->rows, item);
	return item != NULL;
}

static bool
next_of_stream(DynLookups *lookups, DynLookupEntry *entry, TupleTableSlot *slot)
{
	while (!dyn_rows_next(lookups->rows, slot))
	{
		if (!begin_stream_item(lookups, entry))
			return false;
	}
	keep_row(lookups, entry, slot);
	lookups->row = entry->nrows;
	if (lookups->reader->access->first_row_only)
	{
		/* nobody asks for a second row */
		dyn_rows_end(lookups->rows);
		dyn_fetch_drop(lookups->first.fetch, entry->batch_position);
		dyn_lookup_batch_finish(&lookups->first, entry);
	}
	return true;
}

static void
store_transient_row(const DynLookupEntry *entry, TupleTableSlot *slot)
{
	int			n = slot->tts_tupleDescriptor->natts;

	ExecClearTuple(slot);
	memcpy(slot->tts_values, entry->values, n * sizeof(Datum));
	memcpy(slot->tts_isnull, entry->nulls, n * sizeof(bool));
	ExecStoreVirtualTuple(slot);
}

static bool
next_of_rows(DynLookups *lookups, const DynLookupEntry *entry, TupleTableSlot *slot)
{
	if (entry->transient != NULL && lookups->row == 0)
	{
		store_transient_row(entry, slot);
		lookups->row++;
		return true;
	}
	if (lookups->row >= entry->nrows)
		return false;
	ExecForceStoreMinimalTuple(entry->rows[lookups->row++], slot, false);
	return true;
}

/* ---- index, then base ---- */

static int
piece_keys(const DynLookups *lookups)
{
	return lookups->reader->relation->connection->max_concurrency *
		DYN_BATCH_GET_MAX_KEYS;
}

/* Asks the table for a key that the index lists, unless it was asked before. */
static void
list_key(DynLookups *lookups, DynLookupEntry *entry, const DynKeyPart *parts)
{
	DynLookupEntry  *item = entry_of_key(lookups, parts, lookups->reader->access->nbase);

	entry->taken++;
	if (item->listed_by == entry->listing)
		return;
	if (item->state == DYN_LOOKUP_EMPTY)
	{
		dyn_lookup_batch_add(&lookups->base, item);
		dyn_lookup_batch_keep_key(&lookups->base, item, parts);
	}
	item->listed_by = entry->listing;
	dyn_lookup_entry_add_item(lookups->cache, entry, item);
}

/* The next key that is new, of the index or of those that were set aside. */
static bool
next_listed_key(DynLookups *lookups, DynLookupEntry *entry, DynKeyPart *parts)
{
	const DynValue *listed;

	while ((listed = dyn_fetch_next_of(lookups->first.fetch,
									  entry->batch_position)) != NULL)
	{
		dyn_rows_item_key(lookups->index_rows, listed, parts);
		if (entry->base_keys == NULL || dyn_base_keys_add(entry->base_keys, parts))
			return true;
	}
	return entry->base_keys != NULL && dyn_base_keys_next(entry->base_keys, parts);
}

/* Lists what the index has for the entry, until the piece is full. */
static void
list_keys(DynLookups *lookups, DynLookupEntry *entry)
{
	bool		found = true;

	while (found && lookups->base.n < piece_keys(lookups))
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
 * The listing goes beyond one piece: from now on its keys are remembered apart
 * from its items, which may be forgotten, since the index may list them again.
 */
static void
remember_listed(DynLookups *lookups, DynLookupEntry *entry)
{
	const DynAccess *access = lookups->reader->access;
	MemoryContext oldcontext = MemoryContextSwitchTo(lookups->first.context);

	entry->base_keys = dyn_base_keys_create(access->base, access->nbase,
											 get_hash_memory_limit());
	MemoryContextSwitchTo(oldcontext);
	for (int i = 0; i < entry->nitems; i++)
	{
		DynKeyPart	parts[2];

		/* behind the identity's kind */
		dyn_key_split(entry->items[i]->key.data + 1, access->base, access->nbase,
					  parts);
		dyn_base_keys_remember(entry->base_keys, parts);
	}
}

/* What was listed was served, and is kept only if another execution needs it. */
static void
forget_listed(DynLookups *lookups, DynLookupEntry *entry)
{
	if (entry->nitems == 0)
		return;
	if (entry->base_keys == NULL)
		remember_listed(lookups, entry);
	if (entry->pins > 1 && dyn_lookup_cache_trim(lookups->cache))
		return;
	dyn_lookup_entry_stop_keeping(lookups->cache, entry);
	begin_entry(lookups);
}

/* The next piece: from the answer that is being served on. */
static void
next_piece(DynLookups *lookups, DynLookupEntry *entry)
{
	dyn_lookup_batch_reset(&lookups->base, lookups->reader->access->nbase);
	dyn_lookup_batch_set_origin(&lookups->first);
	forget_listed(lookups, entry);
	for (int i = entry->batch_position;
		 i < lookups->first.n && lookups->base.n < piece_keys(lookups); i++)
	{
		DynLookupEntry  *other = lookups->first.entries[i];

		if (other != NULL && !other->ended)
			list_keys(lookups, other);
	}
	dyn_lookup_batch_send(&lookups->base, lookups->base.n);
}

/* Stores the next row of the items that are listed; false after the last. */
static bool
next_listed_row(DynLookups *lookups, DynLookupEntry *entry, TupleTableSlot *slot)
{
	while (lookups->row < entry->nitems)
	{
		DynLookupEntry  *item = entry->items[lookups->row];

		if (item->state == DYN_LOOKUP_PENDING)
			receive_batch(lookups, &lookups->base,
						  dyn_lookup_batch_stream(&lookups->base, item));
		if (item->state != DYN_LOOKUP_COMPLETE)
			elog(ERROR, "item of an index is neither known nor asked for");
		if (lookups->item_row < item->nrows)
		{
			ExecForceStoreMinimalTuple(item->rows[lookups->item_row++], slot, false);
			return true;
		}
		lookups->row++;
		lookups->item_row = 0;
	}
	return false;
}

static bool
next_of_items(DynLookups *lookups, DynLookupEntry *entry, TupleTableSlot *slot)
{
	while (!next_listed_row(lookups, entry, slot))
	{
		if (entry->ended || entry->state == DYN_LOOKUP_COMPLETE)
			return false;
		next_piece(lookups, entry);
	}
	return true;
}

/* ---- serving, all kinds ---- */

static bool
next_of_entry(DynLookups *lookups, DynLookupEntry *entry, TupleTableSlot *slot)
{
	if (lookups->reader->access->fetch_base_items)
		return next_of_items(lookups, entry, slot);
	if (lookups->by_key && entry->state == DYN_LOOKUP_PENDING)
		receive_batch(lookups, &lookups->first, dyn_lookup_batch_stream(&lookups->first, entry));
	if (next_of_rows(lookups, entry, slot))
		return true;
	return entry->state != DYN_LOOKUP_COMPLETE &&
		next_of_stream(lookups, entry, slot);
}

bool
dyn_lookups_next(DynLookups *lookups, TupleTableSlot *slot)
{
	const Prefetched *open = lookups->open;

	if (open == NULL)
		elog(ERROR, "no lookup is open");
	while (lookups->position < open->nentries)
	{
		if (next_of_entry(lookups, open->entries[lookups->position], slot))
			return true;
		lookups->position++;
		begin_entry(lookups);
	}
	return false;
}

uint64
dyn_lookups_count(DynLookups *lookups)
{
	const Prefetched *open = lookups->open;
	uint64		count = 0;

	for (int i = 0; i < open->nentries; i++)
	{
		DynLookupEntry  *entry = open->entries[i];

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

/*
 * base_items.c
 *		Collects the keys that an index lists, and reads their items in batches.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "base_items.h"

/* Keys of one batch. */
#define BATCH_KEYS			(4 * DYN_BATCH_GET_MAX_KEYS)

DynBaseItems *
dyn_base_items_create(DynReader *reader, DynFetch *listing)
{
	DynBaseItems *items = palloc0(sizeof(DynBaseItems));

	Assert(reader->index_rows != NULL);
	items->reader = reader;
	items->listing = listing;
	items->context = CurrentMemoryContext;
	items->keys = dyn_base_keys_create(reader->access->base, reader->access->nbase,
									   get_hash_memory_limit());
	return items;
}

/* Is the item of the key not to be read? */
static bool
is_done(DynBaseItems *items, const DynKeyPart *parts)
{
	if (items->done == NULL || !dyn_base_keys_has(items->done, parts))
		return false;
	(*items->skipped)++;
	return true;
}

/* The next key that is new, of the index or of those it had set aside. */
static bool
next_key(DynBaseItems *items, DynKeyPart *parts)
{
	const DynValue *entry;

	while ((entry = dyn_fetch_next(items->listing)) != NULL)
	{
		dyn_rows_item_key(items->reader->index_rows, entry, parts);
		if (!is_done(items, parts) && dyn_base_keys_add(items->keys, parts))
			return true;
		/* a batch may pass over very many of them */
		for (int i = 0; i < items->reader->access->nbase; i++)
			pfree(unconstify(char *, parts[i].value.data));
	}
	return dyn_base_keys_next(items->keys, parts);
}

static int
batch_size(const DynAccess *access)
{
	if (access->limit_hint > 0)
		return Min(access->limit_hint, BATCH_KEYS);
	return access->may_stop_early ? DYN_BATCH_GET_MAX_KEYS : BATCH_KEYS;
}

/* What is waited for is the index again. */
static void
end_batch(DynBaseItems *items)
{
	items->fetch = NULL;
	dyn_fetch_set_group(items->listing, items->reader->group_in_flight);
}

/*
 * Collects keys, waiting for them, and starts to read their items; false at the
 * end of the index.  What the index has in flight meanwhile is nothing that
 * peers can wait for: it is taken in after the batch.
 */
static bool
start_batch(DynBaseItems *items)
{
	DynReader  *reader = items->reader;
	int			nparts = reader->access->nbase;
	int			max = batch_size(reader->access);
	MemoryContext oldcontext;
	DynKeyPart *parts;
	int			n = 0;

	if (items->batch_context == NULL)
		items->batch_context = AllocSetContextCreate(items->context,
													 "dynamo_fdw batch",
													 ALLOCSET_DEFAULT_SIZES);
	end_batch(items);
	MemoryContextReset(items->batch_context);
	oldcontext = MemoryContextSwitchTo(items->batch_context);
	parts = palloc((Size) max * nparts * sizeof(DynKeyPart));
	while (n < max && next_key(items, &parts[n * nparts]))
		n++;
	if (n > 0)
	{
		dyn_fetch_set_group(items->listing, NULL);
		items->fetch =
			dyn_reader_start(reader,
							 dyn_requests_of_keys(reader->relation, parts, n, nparts,
												  reader->rows->projection,
												  reader->rows->nprojection),
							 reader->rows, false);
	}
	MemoryContextSwitchTo(oldcontext);
	return n > 0;
}

const DynValue *
dyn_base_items_next(DynBaseItems *items)
{
	for (;;)
	{
		const DynValue *item = NULL;

		if (items->fetch != NULL)
			item = dyn_fetch_next(items->fetch);
		if (item != NULL)
			return item;
		if (!start_batch(items))
			return NULL;
	}
}

bool
dyn_base_items_is_ready(DynBaseItems *items)
{
	for (;;)
	{
		DynFetchState state = dyn_fetch_poll(dyn_base_items_awaited(items));

		if (state == DYN_FETCH_WAITS)
			return false;
		if (items->fetch != NULL)
		{
			if (state == DYN_FETCH_ITEM)
				return true;
			end_batch(items);
		}
		else if (!start_batch(items))
			return true;
	}
}

void
dyn_base_items_free(DynBaseItems *items)
{
	dyn_base_keys_free(items->keys);
}

/*
 * listed.c
 *		Collects keys that an index lists, and reads their items in batches.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "listed.h"

/* Number of keys in one batch. */
#define BATCH_KEYS			(4 * DYN_BATCH_GET_MAX_KEYS)

typedef struct Listed
{
	DynItems	items;			/* must be first */
	DynScanDesc *scandesc;
	DynFetch   *index_result;	/* fetch of the index */
	DynFetch   *fetch;			/* fetch of a batch's items; NULL between
								 * batches */
	MemoryContext context;
	MemoryContext batch_context;	/* context of that batch; NULL before the
									 * first */
	DynBaseKeys *keys;			/* keys that the index listed so far */
	DynBaseKeys *done;			/* keys not to be read, or NULL */
	uint64	   *skipped;		/* number of those skipped, if `done` is set */
} Listed;

/* ---- keys ---- */

/* Returns the next new key, from the index or from the keys set aside. */
static bool
next_key(Listed *listed, DynKeyPart *parts)
{
	const DynValue *entry;

	while ((entry = dyn_fetch_next(listed->index_result)) != NULL)
	{
		dyn_rows_item_key(listed->scandesc->index_rows, entry, parts);
		if (listed->done != NULL && dyn_base_keys_has(listed->done, parts))
			(*listed->skipped)++;
		else if (dyn_base_keys_add(listed->keys, parts))
			return true;
		/* a batch may skip very many of them */
		for (int i = 0; i < listed->scandesc->access->nbase; i++)
			pfree(unconstify(char *, parts[i].value.data));
	}
	return dyn_base_keys_next(listed->keys, parts);
}

/* Ends the batch: the index is awaited again. */
static void
end_batch(Listed *listed)
{
	listed->fetch = NULL;
	dyn_fetch_set_group(listed->index_result, listed->scandesc->group_in_flight);
}

/*
 * Collects keys, waiting for them, and starts to read their items; false at
 * the end of the index.  Peers cannot wait for the index's requests in flight:
 * they are taken in after the batch.
 */
static bool
start_batch(Listed *listed)
{
	DynScanDesc *scandesc = listed->scandesc;
	int			nparts = scandesc->access->nbase;
	int			max = scandesc->access->limit_hint > 0 ? Min(scandesc->access->limit_hint, BATCH_KEYS)
		: scandesc->access->may_stop_early ? DYN_BATCH_GET_MAX_KEYS : BATCH_KEYS;
	MemoryContext oldcontext;
	DynKeyPart *parts;
	int			n = 0;

	if (listed->batch_context == NULL)
		listed->batch_context = AllocSetContextCreate(listed->context,
													  "dynamo_fdw batch",
													  ALLOCSET_DEFAULT_SIZES);
	end_batch(listed);
	MemoryContextReset(listed->batch_context);
	oldcontext = MemoryContextSwitchTo(listed->batch_context);
	parts = palloc((Size) max * nparts * sizeof(DynKeyPart));
	while (n < max && next_key(listed, &parts[n * nparts]))
		n++;
	if (n > 0)
	{
		dyn_fetch_set_group(listed->index_result, NULL);
		listed->fetch =
			dyn_scandesc_start(scandesc,
							   dyn_requests_of_keys(scandesc->relation, parts, n, nparts,
													scandesc->rows->projection,
													scandesc->rows->nprojection),
							   scandesc->rows, false);
	}
	MemoryContextSwitchTo(oldcontext);
	return n > 0;
}

/* ---- the source ---- */

static const DynValue *
listed_next(DynItems *items)
{
	Listed	   *listed = (Listed *) items;

	for (;;)
	{
		const DynValue *item = NULL;

		if (listed->fetch != NULL)
			item = dyn_fetch_next(listed->fetch);
		if (item != NULL)
			return item;
		if (!start_batch(listed))
			return NULL;
	}
}

/* Returns the fetch waited for: the batch's, or the listing. */
static DynFetch *
listed_awaited(const DynItems *items)
{
	const Listed *listed = (const Listed *) items;

	return listed->fetch ? listed->fetch : listed->index_result;
}

/*
 * Collecting the keys of the next batch may wait, if the index has more pages.
 */
static bool
listed_would_wait(DynItems *items)
{
	Listed	   *listed = (Listed *) items;

	for (;;)
	{
		DynFetchState state = dyn_fetch_poll(listed_awaited(items));

		if (state == DYN_FETCH_WAITS)
			return true;
		if (listed->fetch != NULL)
		{
			if (state == DYN_FETCH_ITEM)
				return false;
			end_batch(listed);
		}
		else if (!start_batch(listed))
			return false;
	}
}

static void
listed_close(DynItems *items)
{
	Listed	   *listed = (Listed *) items;

	dyn_scandesc_set_origin(listed->scandesc, NULL, NULL);
	dyn_base_keys_free(listed->keys);
	if (listed->batch_context != NULL)
		MemoryContextDelete(listed->batch_context);
	dyn_fetch_stop(listed->index_result);
}

static const DynItemsMethods listed_methods = {
	.next = listed_next,
	.would_wait = listed_would_wait,
	.awaited = listed_awaited,
	.close = listed_close,
};

DynItems *
dyn_listed_create(DynScanDesc *scandesc, DynFetch *index_result)
{
	Listed	   *listed = palloc0(sizeof(Listed));

	Assert(scandesc->index_rows != NULL);
	listed->items.methods = &listed_methods;
	listed->items.rows = scandesc->rows;
	listed->scandesc = scandesc;
	listed->index_result = index_result;
	listed->context = CurrentMemoryContext;
	listed->keys = dyn_base_keys_create(scandesc->access->base, scandesc->access->nbase,
										get_hash_memory_limit());
	return &listed->items;
}

void
dyn_listed_skip(DynItems *items, DynBaseKeys *done, uint64 *skipped)
{
	Listed	   *listed = (Listed *) items;

	if (items->methods != &listed_methods)
		return;
	listed->done = done;
	listed->skipped = skipped;
}

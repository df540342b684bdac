/*
 * items.c
 *		Common functions of all sources, and the simple sources: empty,
 *		fetched, listed and stored.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "items.h"

/* Maximum number of items that are read from the table in one batch. */
#define BATCH_KEYS			(4 * DYN_BATCH_GET_MAX_KEYS)

/* ---- all sources ---- */

bool
dyn_items_rewind(DynItems *items)
{
	if (items->methods->rewind == NULL || !items->methods->rewind(items))
		return false;
	if (items->rows != NULL)
		dyn_rows_end(items->rows);
	return true;
}

uint64
dyn_items_count(DynItems *items)
{
	uint64		count = 0;

	if (items->methods->count != NULL)
		return items->methods->count(items);
	while (items->methods->next(items) != NULL)
		count++;
	return count;
}

void
dyn_items_close(DynItems *items)
{
	if (items->rows != NULL)
		dyn_rows_end(items->rows);
	if (items->methods->close != NULL)
		items->methods->close(items);
}

/* ---- empty source ---- */

static const DynValue *
empty_next(DynItems *items)
{
	return NULL;
}

static bool
empty_rewind(DynItems *items)
{
	return true;
}

static const DynItemsMethods empty_methods = {
	.next = empty_next,
	.rewind = empty_rewind,
};

DynItems *
dyn_items_empty(DynRows *rows)
{
	DynItems   *items = palloc(sizeof(DynItems));

	*items = (DynItems) {&empty_methods, rows};
	return items;
}

/* ---- fetched source ---- */

typedef struct Fetched
{
	DynItems	items;			/* must be first */
	DynScanDesc *scandesc;
	DynFetch   *fetch;
} Fetched;

static const DynValue *
fetched_next(DynItems *items)
{
	return dyn_fetch_next(((Fetched *) items)->fetch);
}

static bool
fetched_would_wait(DynItems *items)
{
	return dyn_fetch_poll(((Fetched *) items)->fetch) == DYN_FETCH_WAITS;
}

static DynFetch *
fetched_awaited(const DynItems *items)
{
	return ((const Fetched *) items)->fetch;
}

static bool
fetched_rewind(DynItems *items)
{
	return dyn_fetch_rewind(((Fetched *) items)->fetch);
}

static uint64
fetched_count(DynItems *items)
{
	return dyn_fetch_count(((Fetched *) items)->fetch);
}

static void
fetched_close(DynItems *items)
{
	Fetched    *fetched = (Fetched *) items;

	fetched->scandesc->origin = NULL;
	dyn_fetch_stop(fetched->fetch);
}

static const DynItemsMethods fetched_methods = {
	.next = fetched_next,
	.would_wait = fetched_would_wait,
	.awaited = fetched_awaited,
	.rewind = fetched_rewind,
	.count = fetched_count,
	.close = fetched_close,
};

/* ---- listed source ---- */

/*
 * Source of items whose keys are read from an index.  The items are read from
 * the table in batches, each item once (base_keys.h).  An item that was
 * deleted in the meantime is omitted.
 */
typedef struct Listed
{
	DynItems	items;			/* must be first */
	DynScanDesc *scandesc;
	DynFetch   *index_result;	/* fetch of the index */
	DynFetch   *fetch;			/* fetch of the current batch, or NULL */
	MemoryContext batch_context;
	DynBaseKeys *keys;			/* keys that the index has returned so far */
	DynBaseKeys *done;			/* keys of items not to be read, or NULL */
	uint64	   *skipped;		/* counter of skipped keys, if `done` is set */
} Listed;

/*
 * Stores the next key whose item must be read.  Keys that were set aside
 * (base_keys.h) follow those of the index.  Returns false if no key is left.
 */
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
		/* free the key, since a batch may skip many keys */
		for (int i = 0; i < listed->scandesc->access->nbase; i++)
			pfree(unconstify(char *, parts[i].value.data));
	}
	return dyn_base_keys_next(listed->keys, parts);
}

/* Ends the batch; the source then waits for the index again. */
static void
end_batch(Listed *listed)
{
	listed->fetch = NULL;
	dyn_fetch_set_group(listed->index_result, listed->scandesc->group);
}

/*
 * Collects keys, and starts to read their items; may wait for the index.
 * Returns false if no key is left.  Until the batch ends, the source processes
 * no responses of the index, so an asynchronous Append must not wait for them.
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
							   dyn_requests_of_keys(scandesc->relation, parts, n, nparts),
							   scandesc->rows, false);
	}
	MemoryContextSwitchTo(oldcontext);
	return n > 0;
}

static const DynValue *
listed_next(DynItems *items)
{
	Listed	   *listed = (Listed *) items;
	const DynValue *item;

	do
	{
		item = listed->fetch != NULL ? dyn_fetch_next(listed->fetch) : NULL;
	} while (item == NULL && start_batch(listed));
	return item;
}

static DynFetch *
listed_awaited(const DynItems *items)
{
	const Listed *listed = (const Listed *) items;

	return listed->fetch ? listed->fetch : listed->index_result;
}

/*
 * Returns true if `next` would wait.  This function itself may wait for
 * further pages of the index, to fill a batch.
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

	listed->scandesc->origin = NULL;
	dyn_base_keys_free(listed->keys);
	MemoryContextDelete(listed->batch_context);
	dyn_fetch_stop(listed->index_result);
}

static const DynItemsMethods listed_methods = {
	.next = listed_next,
	.would_wait = listed_would_wait,
	.awaited = listed_awaited,
	.close = listed_close,
};

void
dyn_items_skip_keys(DynItems *items, DynBaseKeys *done, uint64 *skipped)
{
	Listed	   *listed = (Listed *) items;

	if (items->methods != &listed_methods)
		return;
	listed->done = done;
	listed->skipped = skipped;
}

DynItems *
dyn_items_start(DynScanDesc *scandesc, const DynResolvedAccess *resolved)
{
	const DynRows *rows = scandesc->index_rows ? scandesc->index_rows : scandesc->rows;
	DynRequests *requests;
	DynFetch   *fetch;
	Fetched    *fetched;
	Listed	   *listed;

	if (resolved->contradiction)
		return dyn_items_empty(scandesc->rows);
	requests = dyn_requests_of_access(scandesc->relation, scandesc->access, resolved,
									  dyn_scandesc_segments(scandesc));
	fetch = dyn_scandesc_start(scandesc, requests, rows, false);
	if (scandesc->index_rows == NULL)
	{
		fetched = palloc(sizeof(Fetched));
		*fetched = (Fetched) {{&fetched_methods, scandesc->rows}, scandesc, fetch};
		return &fetched->items;
	}
	listed = palloc(sizeof(Listed));
	*listed = (Listed) {{&listed_methods, scandesc->rows},.scandesc = scandesc,
		.index_result = fetch,.keys = dyn_base_keys_create(scandesc->access),
		.batch_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo_fdw batch",
											   ALLOCSET_DEFAULT_SIZES)};
	return &listed->items;
}

/* ---- stored source ---- */

/*
 * Source that stores the rows of `source` in memory, and beyond work_mem in a
 * temporary file.  After a rewind, the stored rows are returned first, and
 * then the rows that were not read yet.  But if `rest` is true, a rewind drops
 * the stored rows, and rewinds `source`.
 */
typedef struct Stored
{
	DynItems	items;			/* must be first */
	DynItems   *source;
	MemoryContext context;
	Tuplestorestate *rows;		/* store of the rows; NULL before the first */
	TupleTableSlot *row;		/* slot for a stored row, or NULL */
	int64		nrows;
	int64		position;		/* position of the next row */
	bool		rest;			/* true if storing began during the execution,
								 * so rows returned before are not stored */
	bool		complete;		/* true after dyn_items_read_rest */
} Stored;

static DynFetchState
stored_next_row(DynItems *items, TupleTableSlot *slot, bool wait)
{
	Stored	   *stored = (Stored *) items;
	DynFetchState state;

	if (stored->position < stored->nrows)
	{
		if (!tuplestore_gettupleslot(stored->rows, true, false, stored->row))
			elog(ERROR, "a row that was stored is missing");
		ExecCopySlot(slot, stored->row);
		/* a row read from the file is in the caller's context: free it now */
		ExecClearTuple(stored->row);
		stored->position++;
		return DYN_FETCH_ITEM;
	}
	state = dyn_items_next_row(stored->source, slot, wait);
	if (state != DYN_FETCH_ITEM)
		return state;
	if (stored->rows == NULL)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(stored->context);

		stored->rows = tuplestore_begin_heap(false, false, work_mem);
		stored->row = MakeSingleTupleTableSlot(CreateTupleDescCopy(slot->tts_tupleDescriptor),
											   &TTSOpsMinimalTuple);
		MemoryContextSwitchTo(oldcontext);
	}
	tuplestore_puttupleslot(stored->rows, slot);
	stored->position = ++stored->nrows;
	return state;
}

static DynFetch *
stored_awaited(const DynItems *items)
{
	return dyn_items_awaited(((const Stored *) items)->source);
}

static bool
stored_rewind(DynItems *items)
{
	Stored	   *stored = (Stored *) items;

	if (stored->rest)
	{
		if (!dyn_items_rewind(stored->source))
			return false;
		if (stored->rows != NULL)
			tuplestore_clear(stored->rows);
		stored->nrows = 0;
	}
	else if (stored->rows != NULL)
		tuplestore_rescan(stored->rows);
	stored->position = 0;
	return true;
}

static void
stored_close(DynItems *items)
{
	Stored	   *stored = (Stored *) items;

	dyn_items_close(stored->source);
	if (stored->rows == NULL)
		return;
	ExecDropSingleTupleTableSlot(stored->row);
	tuplestore_end(stored->rows);
}

static const DynItemsMethods stored_methods = {
	.next_row = stored_next_row,
	.awaited = stored_awaited,
	.rewind = stored_rewind,
	.close = stored_close,
};

static Stored *
create_stored(DynItems *source, bool rest)
{
	Stored	   *stored = palloc(sizeof(Stored));

	*stored = (Stored) {{&stored_methods, NULL}, source, CurrentMemoryContext,.rest = rest};
	return stored;
}

/* Never stores the rows of a count, because its source always has `rewind`. */
DynItems *
dyn_items_repeatable(DynItems *source, bool keeps)
{
	return !keeps || source->methods->rewind != NULL ? source
		: &create_stored(source, false)->items;
}

bool
dyn_items_has_rest(const DynItems *items)
{
	const Stored *stored = (const Stored *) items;

	return items->methods->next_row != stored_next_row
		? items->methods->next_row == NULL
		: !stored->complete && stored->source->methods->next_row == NULL;
}

void
dyn_items_read_rest(DynItems **items, TupleDesc desc)
{
	Stored	   *stored = (*items)->methods->next_row == stored_next_row
		? (Stored *) *items : create_stored(*items, true);
	int64		position = stored->position;
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	MemoryContext row_context = AllocSetContextCreate(CurrentMemoryContext,
													  "dynamo_fdw stored row",
													  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(row_context);

	Assert(dyn_items_has_rest(*items));
	*items = &stored->items;
	stored->complete = true;
	dyn_rows_keep_row(stored->source->rows);
	stored->position = stored->nrows;
	while (stored_next_row(*items, slot, true) == DYN_FETCH_ITEM)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(oldcontext);
	ExecDropSingleTupleTableSlot(slot);
	MemoryContextDelete(row_context);
	if (stored->rows != NULL)
	{
		tuplestore_rescan(stored->rows);
		(void) tuplestore_skiptuples(stored->rows, position, true);
	}
	stored->position = position;
}

/* ---- checks of rows ---- */

DynFetchState
dyn_checker_next_row(const DynChecker *checker, DynItems *items,
					 TupleTableSlot *slot, bool wait)
{
	ExprContext *econtext = checker->econtext;
	Relation	relation = checker->node->ss.ss_currentRelation;
	MemoryContext oldcontext;
	DynFetchState state;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		ExecClearTuple(slot);
		ResetExprContext(econtext);
		oldcontext = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		state = dyn_items_take_row(items, slot, wait);
		MemoryContextSwitchTo(oldcontext);
		if (state != DYN_FETCH_ITEM)
			return state;
		/*
		 * The conditions may read tts_tableOid, but the executor sets it only
		 * later.  A scan that returns a count has no relation.
		 */
		if (relation != NULL)
			slot->tts_tableOid = RelationGetRelid(relation);
		econtext->ecxt_scantuple = slot;
		if (ExecQual(checker->qual, econtext))
			return state;
		if (checker->counts)
			InstrCountFiltered1(checker->node, 1);
	}
}

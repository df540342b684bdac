/*
 * lookup_batch.c
 *		Stores the values of prefetched executions.  Collects and sends the
 *		requests of lookups.
 */
#include "postgres.h"

#include "../../dynamodb/operation.h"
#include "../../model/server/memory.h"
#include "lookup_batch.h"

void
dyn_lookup_batch_reset(DynLookupBatch *batch, int nparts)
{
	for (int i = 0; i < batch->n; i++)
	{
		DynLookupEntry *entry = batch->entries[i];

		if (entry == NULL || entry->state != DYN_LOOKUP_PENDING)
			continue;
		Assert(entry->batch_position == i);
		entry->state = DYN_LOOKUP_EMPTY;
		dyn_lookup_entry_end_index_result(entry);
		if (entry->pins == 0)
			dyn_lookup_entry_remove(batch->cache, entry);
	}
	MemoryContextReset(batch->context);
	batch->nparts = nparts;
	batch->n = batch->space = batch->sent = 0;
	batch->entries = NULL;
	batch->keys = NULL;
	batch->queries = NULL;
	batch->requests = NULL;
	batch->fetch = NULL;
}

/* ---- entries ---- */

void
dyn_lookup_batch_add(DynLookupBatch *batch, DynLookupEntry *entry)
{
	Assert(entry->state == DYN_LOOKUP_EMPTY && !entry->is_idle);
	Assert(entry->nrows == 0 && entry->nitems == 0 && entry->base_keys == NULL);
	if (batch->n == batch->space)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(batch->context);
		Size		space = Max(16, batch->space * 2);

		batch->space = space;
		batch->entries = dyn_grown(batch->entries, space * sizeof(DynLookupEntry *));
		if (batch->nparts > 0)
			batch->keys = dyn_grown(batch->keys,
									space * batch->nparts * sizeof(DynKeyPart));
		else
			batch->queries = dyn_grown(batch->queries, space * sizeof(DynQuery));
		MemoryContextSwitchTo(oldcontext);
	}
	entry->state = DYN_LOOKUP_PENDING;
	entry->batch_position = batch->n;
	entry->ended = false;
	entry->caching = true;
	entry->taken = 0;
	entry->count = 0;
	batch->entries[batch->n++] = entry;
}

void
dyn_lookup_batch_keep_key(DynLookupBatch *batch, const DynLookupEntry *entry,
						  const DynKeyPart *parts)
{
	DynKeyPart *cached = &batch->keys[(Size) entry->batch_position * batch->nparts];

	Assert(batch->nparts > 0 && batch->entries[entry->batch_position] == entry);
	for (int i = 0; i < batch->nparts; i++)
	{
		cached[i] = parts[i];
		cached[i].value.data = memcpy(MemoryContextAlloc(batch->context,
														 parts[i].value.len + 1),
									  parts[i].value.data, parts[i].value.len);
	}
}

/* ---- requests ---- */

static void
start_fetch(DynLookupBatch *batch, int n)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(batch->context);
	DynScanDesc *scandesc = batch->scandesc;

	Assert(batch->sent == 0 && n > 0);
	batch->requests = batch->nparts > 0
		? dyn_requests_of_keys(scandesc->relation, batch->keys, n, batch->nparts)
		: dyn_requests_of_queries(scandesc->relation, scandesc->access, batch->queries,
								  n, dyn_access_key_parts(scandesc->access));
	batch->fetch = dyn_scandesc_start(scandesc, batch->requests, batch->rows, true);
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_lookup_batch_send(DynLookupBatch *batch, int n)
{
	MemoryContext oldcontext;

	Assert(n >= batch->sent && n <= batch->n);
	if (n == batch->sent)
		return;
	/* the last request must have been full */
	Assert(batch->nparts == 0 || batch->sent % DYN_BATCH_GET_MAX_KEYS == 0);
	if (batch->fetch == NULL)
		start_fetch(batch, n);
	else if (batch->nparts > 0)
		dyn_requests_set_keys(batch->requests, batch->keys, n);
	else
		dyn_requests_set_queries(batch->requests, batch->queries, n);
	Assert(batch->requests->nstreams == (batch->nparts == 0 ? n
										 : (n + DYN_BATCH_GET_MAX_KEYS - 1) /
										 DYN_BATCH_GET_MAX_KEYS));
	batch->sent = n;
	oldcontext = MemoryContextSwitchTo(batch->work_context);
	dyn_fetch_extend(batch->fetch, batch->requests->nstreams);
	MemoryContextSwitchTo(oldcontext);
	dyn_reset_if_large(batch->work_context);
}

void
dyn_lookup_batch_set_origin(DynLookupBatch *batch)
{
	Assert(batch->fetch != NULL);
	dyn_scandesc_set_origin(batch->scandesc, batch->fetch, batch->requests);
}

int
dyn_lookup_batch_complete(const DynLookupBatch *batch)
{
	return batch->nparts > 0 ? batch->n - batch->n % DYN_BATCH_GET_MAX_KEYS
		: batch->n;
}

int
dyn_lookup_batch_stream(const DynLookupBatch *batch, const DynLookupEntry *entry)
{
	Assert(entry->state == DYN_LOOKUP_PENDING && entry->batch_position < batch->n);
	Assert(batch->entries[entry->batch_position] == entry);
	return batch->nparts > 0 ? entry->batch_position / DYN_BATCH_GET_MAX_KEYS
		: entry->batch_position;
}

/* ---- results ---- */

void
dyn_lookup_batch_finish(DynLookupBatch *batch, DynLookupEntry *entry)
{
	Assert(batch->entries[entry->batch_position] == entry);
	if (entry->caching)
		batch->entries[entry->batch_position] = NULL;
	dyn_lookup_entry_complete(batch->cache, entry);
}

void
dyn_lookup_batch_give_up(DynLookupBatch *batch, DynLookupEntry *entry)
{
	if (entry->pins > 0 || entry->state != DYN_LOOKUP_PENDING ||
		batch->nparts > 0)
		return;
	if (batch->fetch != NULL)
		dyn_fetch_drop(batch->fetch, dyn_lookup_batch_stream(batch, entry));
	batch->entries[entry->batch_position] = NULL;
	dyn_lookup_entry_remove(batch->cache, entry);
}

/* ---- executions ---- */

void
dyn_executions_init(DynExecutions *executions)
{
	memset(executions, 0, sizeof(*executions));
	executions->context = AllocSetContextCreate(CurrentMemoryContext,
												"dynamo_fdw executions",
												ALLOCSET_DEFAULT_SIZES);
}

void
dyn_executions_clear(DynExecutions *executions)
{
	for (int i = 0; i < executions->n; i++)
		Assert(executions->list[i].nentries == 0);
	MemoryContextReset(executions->context);
	executions->n = executions->space = executions->next = 0;
	executions->list = NULL;
}

DynExecution *
dyn_executions_add(DynExecutions *executions, const DynValues *values)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(executions->context);
	DynExecution *execution;

	/* all executions are added before the first one runs */
	Assert(executions->next == 0);
	if (executions->n == executions->space)
	{
		executions->space = Max(16, executions->space * 2);
		executions->list = dyn_grown(executions->list,
									 executions->space * sizeof(DynExecution));
	}
	execution = &executions->list[executions->n++];
	memset(execution, 0, sizeof(*execution));
	execution->values = dyn_values_copy(values);
	MemoryContextSwitchTo(oldcontext);
	return execution;
}

int
dyn_executions_find(const DynExecutions *executions, const DynValues *values)
{
	int			next = executions->next;

	Assert(next >= 0 && next <= executions->n);
	if (next < executions->n &&
		dyn_values_equal(values, &executions->list[next].values, NULL))
		return next;
	if (next > 0 &&
		dyn_values_equal(values, &executions->list[next - 1].values, NULL))
		return -1;
	for (int i = next + 1; i < executions->n; i++)
	{
		if (dyn_values_equal(values, &executions->list[i].values, NULL))
			return i;
	}
	return -1;
}

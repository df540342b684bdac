/*
 * row_buffer.c
 *		Rows that were read ahead, in one of core's tuplestores.
 *
 * The store is written, read forward once and cleared, so that it needs neither
 * rewinding nor a second read pointer.
 */
#include "postgres.h"

#include <limits.h>

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "row_buffer.h"

/* What a row takes in the store besides its bytes, about. */
#define ROW_OVERHEAD	32

struct DynRowBuffer
{
	MemoryContext context;
	Tuplestorestate *store;
	TupleTableSlot *slot;		/* minimal: the row added or read last */
	Size		bytes;			/* of all rows */
	Size		max_bytes;
	int			nrows;
	int			next;			/* the first that was not read */
};

DynRowBuffer *
dyn_row_buffer_create(TupleDesc desc, Size max_bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw rows read ahead",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	DynRowBuffer *buffer = palloc0(sizeof(DynRowBuffer));
	bool		may_spill = temp_file_limit < 0;
	Size		half = (Size) work_mem * 1024 / 2;

	buffer->context = context;
	buffer->max_bytes = may_spill ? Max(half, max_bytes) : half;
	buffer->store = tuplestore_begin_heap(false, false,
										  may_spill ? work_mem / 2 : INT_MAX);
	tuplestore_set_eflags(buffer->store, 0);
	/* a copy, which nobody has to unpin */
	buffer->slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(desc),
											&TTSOpsMinimalTuple);
	MemoryContextSwitchTo(oldcontext);
	return buffer;
}

void
dyn_row_buffer_free(DynRowBuffer *buffer)
{
	ExecClearTuple(buffer->slot);
	tuplestore_end(buffer->store);
	MemoryContextDelete(buffer->context);
}

static MinimalTuple
store_row(DynRowBuffer *buffer, TupleTableSlot *out)
{
	MinimalTuple row = ExecFetchSlotMinimalTuple(buffer->slot, NULL);

	ExecForceStoreMinimalTuple(row, out, false);
	return row;
}

void
dyn_row_buffer_add(DynRowBuffer *buffer, TupleTableSlot *slot,
				   TupleTableSlot *out)
{
	Assert(buffer->next == 0 && buffer->nrows < INT_MAX);
	ExecCopySlot(buffer->slot, slot);
	tuplestore_puttupleslot(buffer->store, buffer->slot);
	buffer->bytes += store_row(buffer, out)->t_len + ROW_OVERHEAD;
	buffer->nrows++;
}

bool
dyn_row_buffer_next(DynRowBuffer *buffer, TupleTableSlot *out)
{
	if (buffer->next >= buffer->nrows)
		return false;
	if (!tuplestore_gettupleslot(buffer->store, true, false, buffer->slot))
		elog(ERROR, "row %d of %d that were read ahead is missing",
			 buffer->next, buffer->nrows);
	buffer->next++;
	(void) store_row(buffer, out);
	return true;
}

void
dyn_row_buffer_clear(DynRowBuffer *buffer)
{
	ExecClearTuple(buffer->slot);
	tuplestore_clear(buffer->store);
	buffer->bytes = 0;
	buffer->nrows = buffer->next = 0;
}

int
dyn_row_buffer_count(const DynRowBuffer *buffer)
{
	return buffer->nrows;
}

bool
dyn_row_buffer_is_full(const DynRowBuffer *buffer)
{
	return buffer->nrows == INT_MAX ||
		(buffer->nrows > 0 && buffer->bytes > buffer->max_bytes);
}

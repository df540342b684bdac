/*
 * row_buffer.c
 *		Buffers rows that were read ahead: the first rows in memory, all others
 *		in a tuplestore.
 *
 * The tuplestore is written, read forward once and cleared, so it needs
 * neither rewinding nor a second read pointer.  Its memory is the minimum
 * (STORE_KB).
 */
#include "postgres.h"

#include <limits.h>

#include "access/htup_details.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "row_buffer.h"

/* Approximate memory of a row, in addition to its bytes. */
#define ROW_OVERHEAD	32

/* Memory of the store in kB: the minimum that PostgreSQL uses. */
#define STORE_KB		64

#define FIRST_ROWS		64

struct DynRowBuffer
{
	MemoryContext context;
	MemoryContext row_context;	/* context of the rows in memory */
	MinimalTuple *rows;			/* first rows, in memory */
	int			nheld;			/* number of rows in memory */
	int			allocated;
	Tuplestorestate *store;		/* store of all other rows */
	TupleTableSlot *slot;		/* slot (minimal tuple) for rows of `store` */
	Size		bytes;			/* bytes of all rows, with ROW_OVERHEAD each */
	Size		max_held;		/* maximum bytes of the rows in memory */
	Size		max_bytes;		/* bytes above which a batch is full */
	int			nrows;
	int			next;			/* position of the next row to read */
};

DynRowBuffer *
dyn_row_buffer_create(TupleDesc desc, Size max_bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "dynamo_fdw outer rows",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);
	DynRowBuffer *buffer = palloc0(sizeof(DynRowBuffer));
	bool		may_spill = temp_file_limit < 0;
	Size		half = (Size) work_mem * 1024 / 2;

	buffer->context = context;
	buffer->row_context = AllocSetContextCreate(context, "rows in memory",
												ALLOCSET_DEFAULT_SIZES);
	buffer->allocated = FIRST_ROWS;
	buffer->rows = palloc(FIRST_ROWS * sizeof(MinimalTuple));
	buffer->max_held = may_spill ? half : MaxAllocHugeSize;
	buffer->max_bytes = may_spill ? Max(half, max_bytes) : half;
	buffer->store = tuplestore_begin_heap(false, false, STORE_KB);
	tuplestore_set_eflags(buffer->store, 0);
	/* copy the descriptor, so that it is not pinned */
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

void
dyn_row_buffer_add(DynRowBuffer *buffer, TupleTableSlot *slot,
				   TupleTableSlot *out)
{
	MinimalTuple row;

	Assert(buffer->next == 0 && buffer->nrows < INT_MAX);
	if (buffer->nheld == buffer->nrows && buffer->bytes < buffer->max_held)
	{
		MemoryContext oldcontext;

		if (buffer->nheld == buffer->allocated)
		{
			buffer->allocated *= 2;
			buffer->rows = repalloc_huge(buffer->rows, (Size) buffer->allocated *
										 sizeof(MinimalTuple));
		}
		oldcontext = MemoryContextSwitchTo(buffer->row_context);
		buffer->rows[buffer->nheld] = ExecCopySlotMinimalTuple(slot);
		MemoryContextSwitchTo(oldcontext);
		row = buffer->rows[buffer->nheld++];
	}
	else
	{
		ExecCopySlot(buffer->slot, slot);
		tuplestore_puttupleslot(buffer->store, buffer->slot);
		row = ExecFetchSlotMinimalTuple(buffer->slot, NULL);
	}
	buffer->bytes += row->t_len + ROW_OVERHEAD;
	buffer->nrows++;
	ExecForceStoreMinimalTuple(row, out, false);
}

bool
dyn_row_buffer_next(DynRowBuffer *buffer, TupleTableSlot *out)
{
	MinimalTuple row;

	if (buffer->next >= buffer->nrows)
		return false;
	if (buffer->next < buffer->nheld)
		row = buffer->rows[buffer->next];
	else if (tuplestore_gettupleslot(buffer->store, true, false, buffer->slot))
		row = ExecFetchSlotMinimalTuple(buffer->slot, NULL);
	else
		elog(ERROR, "outer row %d of %d is missing",
			 buffer->next, buffer->nrows);
	buffer->next++;
	ExecForceStoreMinimalTuple(row, out, false);
	return true;
}

void
dyn_row_buffer_clear(DynRowBuffer *buffer)
{
	if (buffer->nheld < buffer->nrows)
	{
		ExecClearTuple(buffer->slot);
		tuplestore_clear(buffer->store);
	}
	MemoryContextReset(buffer->row_context);
	buffer->bytes = 0;
	buffer->nrows = buffer->nheld = buffer->next = 0;
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

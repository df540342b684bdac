/*
 * row_buffer.h
 *		Buffers rows that were read ahead, in their order: a batch is added,
 *		read once, and cleared.
 *
 * Rows in memory take up to half of work_mem; further rows are in a temporary
 * file.  The file belongs to the resource owner that is current when the
 * buffer is created.  This is the owner of the statement (for a cursor, of its
 * portal), not of a subtransaction.  So the rows of an open cursor survive the
 * rollback of a savepoint.
 *
 * If temp_file_limit is set, no row is written to a file, and a batch has at
 * most about half of work_mem: reading ahead must not make a statement fail.
 *
 * Legal order: dyn_row_buffer_add for each row, until it is full;
 * dyn_row_buffer_next until it returns false; dyn_row_buffer_clear, which is
 * legal at any time.
 */
#ifndef DYN_EXEC_ROW_BUFFER_H
#define DYN_EXEC_ROW_BUFFER_H

#include "executor/tuptable.h"

typedef struct DynRowBuffer DynRowBuffer;

/*
 * Returns an empty buffer, in a new child of CurrentMemoryContext.  A batch is
 * full when its rows take `max_bytes`, or half of work_mem if that is more.
 */
extern DynRowBuffer *dyn_row_buffer_create(TupleDesc desc, Size max_bytes);

extern void dyn_row_buffer_free(DynRowBuffer *buffer);

/*
 * Adds a copy of the slot's row, and stores this copy in `out`, so that the
 * caller has the bytes that dyn_row_buffer_next will return.  `out` is valid
 * until the next call for the buffer.
 */
extern void dyn_row_buffer_add(DynRowBuffer *buffer, TupleTableSlot *slot,
							   TupleTableSlot *out);

/* Stores the next row, valid until the next call; false after the last row. */
extern bool dyn_row_buffer_next(DynRowBuffer *buffer, TupleTableSlot *out);

extern void dyn_row_buffer_clear(DynRowBuffer *buffer);

/* Returns the number of rows in the buffer, read or not. */
extern int	dyn_row_buffer_count(const DynRowBuffer *buffer);

extern bool dyn_row_buffer_is_full(const DynRowBuffer *buffer);

#endif

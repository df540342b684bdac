/*
 * row_write.h
 *		Composes the write of a row, and renders its request.
 *
 * INSERT puts an item if none has its key.  UPDATE sets the assigned columns,
 * and all that is composed of them; DELETE deletes the item.  Both require
 * that the item exists, and that what the statement read has not changed: the
 * guard.  Nothing is sent that would not be read back as it was written.
 */
#ifndef DYN_EXEC_ROW_WRITE_H
#define DYN_EXEC_ROW_WRITE_H

#include "modify.h"

/* Checks the constraints that core leaves to the wrapper. */
extern void dyn_modify_check_row(DynModify *modify, TupleTableSlot *row);

/* Composes the write of a new row. */
extern DynWrite *dyn_modify_insert(DynModify *modify, TupleTableSlot *row);

/*
 * Composes the write that makes the old row the new one; NULL if nothing
 * changes.  `write` is NULL, or an earlier attempt to compose again.
 */
extern DynWrite *dyn_modify_update(DynModify *modify, TupleTableSlot *old,
								   TupleTableSlot *new, DynWrite *write);

extern DynWrite *dyn_modify_delete(DynModify *modify, TupleTableSlot *old,
								   DynWrite *write);

/* Stores the old row that a row of the subplan contains in modify->old. */
extern void dyn_modify_old_row(DynModify *modify, TupleTableSlot *planSlot);

/*
 * Writes the request's document, which replaces the buffer's contents.  With
 * `member`, appends a member of a TransactWriteItems instead.
 */
extern void dyn_write_render(DynWriter *writer, DynWrite *write, DynBuffer *out,
							 bool member);

/* Frees a write that is not in flight. */
extern void dyn_write_free(DynWrite *write);

#endif

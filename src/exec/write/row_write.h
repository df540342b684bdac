/*
 * row_write.h
 *		Composes the write of a row, and renders its request.
 *
 * INSERT puts an item if none has its key.  UPDATE sets the assigned columns,
 * and the template texts that contain them.  DELETE deletes the item.  The
 * condition of UPDATE and DELETE is that the item exists, and that the values
 * that the statement has read have not changed (the guard).  A row is only
 * sent if it would be read as it was written.
 */
#ifndef DYN_EXEC_ROW_WRITE_H
#define DYN_EXEC_ROW_WRITE_H

#include "modify.h"

/* Checks the constraints that core does not check for foreign tables. */
extern void dyn_modify_check_row(DynModify *modify, TupleTableSlot *row);

/* Computes the new row of an UPDATE like core, and checks it. */
extern TupleTableSlot *dyn_modify_project(DynModify *modify, ProjectionInfo *projection);

/* Composes the write of a new row. */
extern DynWrite *dyn_modify_insert(DynModify *modify, TupleTableSlot *row);

/*
 * Composes the write that changes the old row into the new one.  Returns NULL
 * if nothing changes.  `write`: a write to compose again; NULL: a new one.
 */
extern DynWrite *dyn_modify_update(DynModify *modify, TupleTableSlot *old,
								   TupleTableSlot *new, DynWrite *write);

extern DynWrite *dyn_modify_delete(DynModify *modify, TupleTableSlot *old,
								   DynWrite *write);

/* Stores the old row, which is in a row of the subplan, in modify->old. */
extern void dyn_modify_old_row(DynModify *modify, TupleTableSlot *planSlot);

/*
 * Copies the segment column of an UPDATE or DELETE from the old row to the row
 * in modify->scratch, since no item contains it.  Overwrites modify->old.
 */
extern void dyn_modify_keep_segment(const DynWrite *write);

/* Returns a write whose request is not composed. */
extern DynWrite *dyn_write_create(DynModify *modify, DynOperation op);

/*
 * Replaces the contents of the buffer by the JSON document of the request; if
 * `member`, appends a member of a TransactWriteItems instead.
 */
extern void dyn_write_render(const DynWrite *write, DynBuffer *out, bool member);

/* Returns a write of the list for the same item as `write`, or NULL. */
extern DynWrite *dyn_write_find(const List *writes, const DynWrite *write);

/* Frees a write that is not in flight. */
extern void dyn_write_free(DynWrite *write);

#endif

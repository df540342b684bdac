/*
 * row_write.h
 *		Composes the write of a row, and renders its request.
 *
 * INSERT puts an item if no item has its key.  UPDATE sets the attributes of
 * the assigned columns, and those that templates compose from these columns.
 * DELETE deletes the item.  UPDATE and DELETE require that the item exists, and
 * that the values that the statement has read have not changed (the guard).  A
 * row is sent only if it would be read as it was written.
 */
#ifndef DYN_EXEC_ROW_WRITE_H
#define DYN_EXEC_ROW_WRITE_H

#include "utils/hsearch.h"

#include "modify.h"

/* Checks the constraints that core does not check for foreign tables. */
extern void dyn_modify_check_row(DynModify *modify, TupleTableSlot *row);

/* Computes an updated row's generated columns; checks and returns the row. */
extern TupleTableSlot *dyn_modify_complete_row(DynModify *modify, TupleTableSlot *row);

/*
 * Compose the write, and replace the results of an earlier evaluation.
 * Allocate in CurrentMemoryContext, which must live until the next evaluation.
 * dyn_modify_update returns false if nothing changes.
 */
extern void dyn_modify_insert(DynWrite *write, TupleTableSlot *row);
extern bool dyn_modify_update(DynWrite *write, TupleTableSlot *old, TupleTableSlot *new);
extern void dyn_modify_delete(DynWrite *write, TupleTableSlot *old);

/* Stores the old row, from a row of the subplan, in modify->old. */
extern void dyn_modify_old_row(DynModify *modify, TupleTableSlot *planSlot);

/*
 * Copies the number of the Scan segment, which items do not contain, from the
 * old row (if any) to the row in modify->scratch.  Overwrites modify->old.
 */
extern void dyn_modify_keep_segment(const DynWrite *write);

/*
 * Adapts an UPDATE or DELETE whose condition has failed although the values of
 * its row have not changed:
 * - If the item holds an equal value in another encoding, changes the
 *   condition to require the stored encoding.
 * - If the item lacks a map on the path of a written value, writes the map.
 *
 * Sets the state to FAILED if the item holds a value that the write must not
 * replace, such as a set in a jsonb column.  Returns false if an UPDATE has
 * nothing left to write.  Allocates like dyn_modify_update.
 */
extern bool dyn_write_require_stored(DynWrite *write, const DynScalar *item);

extern DynWrite *dyn_write_create(DynModify *modify, DynOperation op);

/*
 * Replaces the contents of the buffer with the body of the request; if
 * `member`, appends an element of TransactItems (TransactWriteItems) instead.
 */
extern void dyn_write_render(const DynWrite *write, DynBuffer *out, bool member);

/*
 * Prepares to send an UPDATE or DELETE of unknown outcome again: it must not
 * overwrite what another session has written after the first attempt.  Adds
 * the old values of the columns in write->replaced to the guard, and renders
 * the request again.  Returns false if the guard would be too long.
 */
extern bool dyn_write_guard_replaced(DynWrite *write);

/* Returns a write of the list for the same item as `write`, or NULL. */
extern DynWrite *dyn_write_find(const List *writes, const DynWrite *write);

/* Returns a write with only the row's key, to search lists and sets by key. */
extern DynWrite dyn_write_of_row(DynModify *modify, TupleTableSlot *row);

/* Returns an empty set of rows, in the writer's memory context. */
extern struct HTAB *dyn_met_create(const DynWriter *writer);

/*
 * Adds the row of a write to the set, finds it, or removes it.  Returns true if
 * the set contained the row; false if `met` is NULL.
 */
extern bool dyn_met_change(struct HTAB *met, const DynWrite *write, HASHACTION action);

/* Frees a write that is not in flight. */
extern void dyn_write_free(DynWrite *write);

/* Marks the write as failed; its error is raised when other writes have ended. */
extern void dyn_write_fail(DynWrite *write, void (*report) (DynWrite *write),
						   const char *why);

#endif

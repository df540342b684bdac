/*
 * modify_row.h
 *		Writes one row of a statement.
 *
 * A row is composed first, then sent.  While it waits for its turn, earlier
 * rows may be evaluated again, and this overwrites core's slots for new rows.
 */
#ifndef DYN_EXEC_MODIFY_ROW_H
#define DYN_EXEC_MODIFY_ROW_H

#include "modify.h"

/*
 * Returns false for the old row of an UPDATE or DELETE that the statement has
 * already written.  Like PostgreSQL, the statement writes a row only once,
 * even if the row is joined with several others.
 */
extern bool dyn_modify_accept(DynModify *modify, TupleTableSlot *planSlot);

/*
 * Writes a row that was checked.  `planSlot` has the subplan's row for UPDATE
 * and DELETE.  Returns false if the row does not exist any more.
 */
extern bool dyn_modify_row(DynModify *modify, TupleTableSlot *row,
						   TupleTableSlot *planSlot);

#endif

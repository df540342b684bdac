/*
 * modify_row.h
 *		Writes one row of a statement.
 *
 * The write of a row is composed before the write waits for its turn, because
 * earlier rows may be evaluated again in the meantime, which overwrites core's
 * slots for new rows.
 */
#ifndef DYN_EXEC_MODIFY_ROW_H
#define DYN_EXEC_MODIFY_ROW_H

#include "modify.h"

/*
 * Writes a row that was checked.  `planSlot` has the subplan's row for UPDATE
 * and DELETE.  Returns false if a response shows that no row is affected.
 * With RETURNING, `row` becomes the row in the response.
 */
extern bool dyn_modify_row(DynModify *modify, TupleTableSlot *row,
						   TupleTableSlot *planSlot);

#endif

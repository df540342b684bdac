/*
 * modify_row.h
 *		Writes one row of a statement.
 *
 * A row is composed and checked first, then sent.  While it waits, rows before
 * it may be evaluated again, which overwrites the slots that core computes new
 * rows in.
 */
#ifndef DYN_EXEC_MODIFY_ROW_H
#define DYN_EXEC_MODIFY_ROW_H

#include "modify.h"

/*
 * Writes the row; the subplan's row is for UPDATE and DELETE.  Returns false
 * if there is nothing to write any more.
 */
extern bool dyn_modify_row(DynModify *modify, TupleTableSlot *row,
						   TupleTableSlot *planSlot);

#endif

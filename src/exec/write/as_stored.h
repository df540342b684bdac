/*
 * as_stored.h
 *		Adapts an UPDATE or DELETE whose condition has failed although the
 *		values of its row have not changed.
 *
 * Other applications may have stored a value in another encoding than the one
 * that the guard expects.  Also, an item may lack a map that is on the path of
 * a written value.
 */
#ifndef DYN_EXEC_AS_STORED_H
#define DYN_EXEC_AS_STORED_H

#include "../../dynamodb/item_equal.h"
#include "writer.h"

/*
 * Returns true if the guarded columns have the same values as when they were
 * read, and not only equal ones, such as 24 hours instead of 1 day.  The row of
 * the item is in the modify's scratch slot.
 */
extern bool dyn_write_is_unchanged(DynWrite *write);

/*
 * Makes the write require the values that the item has, and write the maps
 * that it lacks.  Sets the state FAILED if it would replace values that a
 * column does not show, or that are not maps.  Returns false if nothing is left
 * to write.  `len` is the item's length as text.
 */
extern bool dyn_write_require_stored(DynWrite *write, const DynItemTree *item,
									 size_t len);

#endif

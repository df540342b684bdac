/*
 * as_stored.h
 *		Adapts an UPDATE or DELETE whose condition has failed although the
 *		values of its row have not changed.
 *
 * Another application may have stored a value in an encoding that the guard
 * does not expect.  Also, an item may lack a map that is on the path of a
 * written value.
 */
#ifndef DYN_EXEC_AS_STORED_H
#define DYN_EXEC_AS_STORED_H

#include "writer.h"

/*
 * Returns true if the guarded columns have the same values as when they were
 * read.  Equal values with different texts, such as 24 hours and 1 day, are
 * not the same.  The caller has stored the row of the item as it is now in
 * modify->scratch.  Overwrites modify->old.
 */
extern bool dyn_write_is_unchanged(DynWrite *write);

/*
 * Changes the guard to the values that the item has, and adds maps that the
 * item lacks to the values to be written.  Sets the state FAILED if the write
 * would replace values that its column cannot represent, such as a set inside
 * a document, or if the item has a value that is not a map in place of a
 * required map.  Returns false if nothing is left to write.  `item` must live
 * as long as the write.  Allocates in CurrentMemoryContext, which must be the
 * write's.
 */
extern bool dyn_write_require_stored(DynWrite *write, const DynScalar *item);

#endif

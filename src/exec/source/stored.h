/*
 * stored.h
 *		Stores the rows of a source that cannot be rewound, so that they can
 *		be.
 *
 * They are in work_mem and then in a temporary file.  After a rewind the rows
 * that were returned come first, then those not yet read from the source.
 */
#ifndef DYN_EXEC_STORED_H
#define DYN_EXEC_STORED_H

#include "items.h"

/*
 * Returns a source of the rows of `source`, which it closes.  In
 * CurrentMemoryContext.
 */
extern DynItems *dyn_stored_create(DynItems *source);

#endif

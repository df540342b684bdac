/*
 * stored.h
 *		The rows of a source that cannot be rewound, stored so that they can.
 *
 * They are in work_mem and then in a temporary file.  After a rewind the rows that
 * were returned come first, then those that were not asked for yet.
 */
#ifndef DYN_EXEC_STORED_H
#define DYN_EXEC_STORED_H

#include "items.h"

/* A source of the rows of `source`, which it closes.  In CurrentMemoryContext. */
extern DynItems *dyn_stored_create(DynItems *source);

#endif

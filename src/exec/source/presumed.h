/*
 * presumed.h
 *		The rows of an UPDATE or DELETE that reads nothing.
 *
 * If the statement has the full key of its rows and needs no other column,
 * the condition of the write alone decides whether a row exists.  The source
 * returns a row for each key, from an item that has only the key and what the
 * item filter requires.  Columns without a value there are NULL.
 */
#ifndef DYN_EXEC_PRESUMED_H
#define DYN_EXEC_PRESUMED_H

#include "items.h"

/*
 * Returns a source of the rows of these keys.  `resolved` must live as long.
 * In CurrentMemoryContext.
 */
extern DynItems *dyn_items_presume(DynScanDesc *scandesc,
								   const DynResolvedAccess *resolved);

#endif

/*
 * listed.h
 *		Reads the items of the table whose keys an index lists (index, then
 *		base).
 *
 * The listing is a fetch of the index.  Its keys, each once (base_keys.h), are
 * read from the table in batches.  An item that was deleted by then is
 * omitted.
 */
#ifndef DYN_EXEC_SOURCE_LISTED_H
#define DYN_EXEC_SOURCE_LISTED_H

#include "../fetch/base_keys.h"
#include "items.h"

/*
 * Returns a source for the scan descriptor's index rows, which the listing
 * returns.  Lives in CurrentMemoryContext, together with the listing.  It
 * cannot be rewound.
 */
extern DynItems *dyn_listed_create(DynScanDesc *scandesc, DynFetch *index_result);

/*
 * Skips the keys of `done` if the source is listed: they are counted, not
 * read.
 */
extern void dyn_listed_skip(DynItems *items, DynBaseKeys *done, uint64 *skipped);

#endif

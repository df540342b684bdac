/*
 * listed.h
 *		Index, then base: reads the items of the table whose keys an index lists.
 *
 * The listing is a fetch of the index.  Its keys, each once (base_keys.h), are
 * read from the table in batches.  An item that is gone by then is left out.
 */
#ifndef DYN_EXEC_SOURCE_LISTED_H
#define DYN_EXEC_SOURCE_LISTED_H

#include "../fetch/base_keys.h"
#include "items.h"

/*
 * For the reader's index rows, which the listing returns.  In
 * CurrentMemoryContext, and with it.  A source that cannot be rewound.
 */
extern DynItems *dyn_listed_create(DynScanDesc *scandesc, DynFetch *index_result);

/* If the source is listed: keys of `done` are not read, but counted. */
extern void dyn_listed_skip(DynItems *items, DynBaseKeys *done, uint64 *skipped);

#endif

/*
 * lookup_items.h
 *		Caches items instead of rows for lookups in an unnested table.
 *
 * The rows of an item repeat the item's values, so they may take much more
 * memory than the item.  Each row of an entry is then a record
 * (item_record.h), which is unnested whenever it is served.
 */
#ifndef DYN_EXEC_LOOKUP_ITEMS_H
#define DYN_EXEC_LOOKUP_ITEMS_H

#include "../rows/rows.h"
#include "lookup_cache.h"

typedef struct DynLookupItems DynLookupItems;

/* Returns a store for items of `nslots` slots, in CurrentMemoryContext. */
extern DynLookupItems *dyn_lookup_items_create(int nslots);

/* Adds a copy of the item to the entry's rows. */
extern void dyn_lookup_items_add(DynLookupItems *items, DynLookupCache *cache,
								 DynLookupEntry *entry, const DynValue *item);

/*
 * Stores the next row: of the item that `rows` has begun, or of the entry's
 * items starting at `*at`; false after the last.  The entry keeps the items in
 * memory while they are read.
 */
extern bool dyn_lookup_items_next(DynLookupItems *items, DynRows *rows,
								  const DynLookupEntry *entry, int *at,
								  TupleTableSlot *slot);

#endif

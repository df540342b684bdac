/*
 * lookup_items.h
 *		What the cache keeps of lookups in an unnested table: items instead of
 *		rows.
 *
 * The rows of an item repeat what they show of it, so that they may take much
 * more memory than it.  Each row of an entry is then a record (item_record.h),
 * which is unnested whenever it is served.
 */
#ifndef DYN_EXEC_LOOKUP_ITEMS_H
#define DYN_EXEC_LOOKUP_ITEMS_H

#include "../rows/rows.h"
#include "lookup_cache.h"

typedef struct DynLookupItems DynLookupItems;

/* Items of `nslots` slots.  In CurrentMemoryContext. */
extern DynLookupItems *dyn_lookup_items_create(int nslots);

/* Adds a copy of the item to the entry's rows. */
extern void dyn_lookup_items_add(DynLookupItems *items, DynLookupCache *cache,
								 DynLookupEntry *entry, const DynValue *item);

/*
 * Stores the next row: of the item that `rows` has begun, or of the entry's
 * items from `*at` on; false after the last.  The entry holds them meanwhile.
 */
extern bool dyn_lookup_items_next(DynLookupItems *items, DynRows *rows,
								  const DynLookupEntry *entry, int *at,
								  TupleTableSlot *slot);

#endif

/*
 * item_store.h
 *		Stores received items in memory, and beyond work_mem in a temporary
 *		file.
 *
 * An item is stored as the slots of a fetch.  A store has one or more cursors,
 * numbered from 0, each at its own position.  An item is added by a cursor at
 * the end, which is then after this item.  Other cursors at the end read the
 * item next.
 *
 * The file belongs to the resource owner that is current when the store is
 * created.  During an execution this is the portal's owner, so the file of an
 * SQL cursor outlives a savepoint that is rolled back.
 */
#ifndef DYN_EXEC_ITEM_STORE_H
#define DYN_EXEC_ITEM_STORE_H

#include "../../dynamodb/attrvalue.h"

typedef struct DynItemStore DynItemStore;

/*
 * Creates a store for items of `nslots` slots, in CurrentMemoryContext.
 * may_rewind[i] is true if cursor i might be rewound.  If this is true for no
 * cursor, items that all cursors have read are dropped.
 */
extern DynItemStore *dyn_item_store_create(int nslots, int ncursors,
										   const bool *may_rewind);

/*
 * Adds a copy of an item.  The cursor must be at the end, and stays there.
 * Replaces the slots with those of the copy, which are valid until the next
 * call for this cursor.
 */
extern void dyn_item_store_add(DynItemStore *store, int cursor, DynValue *slots);

/*
 * Stores the slots of the cursor's next item, which are valid until the next
 * call for this cursor.  Returns false at the end.
 */
extern bool dyn_item_store_next(DynItemStore *store, int cursor, DynValue *slots);

/* True if there is an item that the cursor has not read. */
extern bool dyn_item_store_has_next(const DynItemStore *store, int cursor);

extern void dyn_item_store_rewind(DynItemStore *store, int cursor);

/* Ends the cursor: items need not be stored for it any more. */
extern void dyn_item_store_leave(DynItemStore *store, int cursor);

extern bool dyn_item_store_is_in_memory(const DynItemStore *store);

/* Return the number and the bytes of all items that were added. */
extern uint64 dyn_item_store_items(const DynItemStore *store);
extern uint64 dyn_item_store_bytes(const DynItemStore *store);

/* Closes the file; the memory is freed with its context. */
extern void dyn_item_store_free(DynItemStore *store);

#endif

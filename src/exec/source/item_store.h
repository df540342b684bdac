/*
 * item_store.h
 *		Items as they were received, in work_mem and then in a temporary file.
 *
 * An item is stored as the slots of a fetch.  A store has one or more readers,
 * numbered from 0, each at a position of its own.  An item that is added for a
 * reader at the end is behind this one, so that it need not be read again, and
 * before all others.
 *
 * The file belongs to the resource owner that is current when the store is
 * made.  During an execution that is the portal's, so a cursor's file outlives
 * a savepoint that is rolled back.
 */
#ifndef DYN_EXEC_ITEM_STORE_H
#define DYN_EXEC_ITEM_STORE_H

#include "../../dynamodb/attrvalue.h"

typedef struct DynItemStore DynItemStore;

/*
 * Items of `nslots` slots.  `may_rewind` tells which readers may start again; if
 * none may, items that all have read are forgotten.  In CurrentMemoryContext.
 */
extern DynItemStore *dyn_item_store_create(int nslots, int nreaders,
										   const bool *may_rewind);

/*
 * Copies an item for a reader at the end, and replaces the slots by those of
 * the copy, which are valid until that reader's next call.
 */
extern void dyn_item_store_add(DynItemStore *store, int cursor, DynValue *slots);

/*
 * Fills in the slots of the reader's next item, which are valid until its next
 * call, whatever others do; false at the end.
 */
extern bool dyn_item_store_next(DynItemStore *store, int cursor, DynValue *slots);

/* Is there an item that the reader has not read? */
extern bool dyn_item_store_has_next(const DynItemStore *store, int cursor);

/* The reader's position is the first item's. */
extern void dyn_item_store_rewind(DynItemStore *store, int cursor);

/* The reader reads no more, and does not hold anything. */
extern void dyn_item_store_leave(DynItemStore *store, int cursor);

extern bool dyn_item_store_is_in_memory(const DynItemStore *store);

/* Of what was added. */
extern uint64 dyn_item_store_items(const DynItemStore *store);
extern uint64 dyn_item_store_bytes(const DynItemStore *store);

/* Closes the file; the memory goes with its context. */
extern void dyn_item_store_free(DynItemStore *store);

#endif

/*
 * item_store.h
 *		Items as they were received, in work_mem and then in a temporary file.
 *
 * An item is stored as the slots of a fetch.  The store has one position: an
 * item that is added when the position is at the end is behind it, so that it
 * need not be read again.
 *
 * The file belongs to the resource owner that is current when the store is
 * made.  During an execution that is the portal's, so a cursor's file outlives
 * a savepoint that is rolled back.
 */
#ifndef DYN_EXEC_ITEM_STORE_H
#define DYN_EXEC_ITEM_STORE_H

#include "../../dynamodb/attrvalue.h"

typedef struct DynItemStore DynItemStore;

/* Items of `nslots` slots.  In CurrentMemoryContext. */
extern DynItemStore *dyn_item_store_create(int nslots);

/* Copies an item; the position is at the end. */
extern void dyn_item_store_add(DynItemStore *store, const DynValue *slots);

/*
 * Fills in the slots of the next item, which are valid until the next call;
 * false at the end.
 */
extern bool dyn_item_store_next(DynItemStore *store, DynValue *slots);

/* The position is the first item's. */
extern void dyn_item_store_rewind(DynItemStore *store);

extern bool dyn_item_store_is_in_memory(const DynItemStore *store);

/* Of what was added. */
extern uint64 dyn_item_store_items(const DynItemStore *store);
extern uint64 dyn_item_store_bytes(const DynItemStore *store);

/* Closes the file; the memory goes with its context. */
extern void dyn_item_store_free(DynItemStore *store);

#endif

/*
 * base_items.h
 *		Index, then base: reads the items of the table whose keys an index lists.
 *
 * The listing is a fetch of the index.  Its keys, each once (base_keys.h), are
 * read from the table in batches.  An item that is gone by then is left out.
 *
 * Legal order: dyn_base_items_create once; dyn_base_items_next until it returns
 * NULL; dyn_base_items_free at any time, unless an error ends the transaction.
 */
#ifndef DYN_EXEC_FETCH_BASE_ITEMS_H
#define DYN_EXEC_FETCH_BASE_ITEMS_H

#include "base_keys.h"
#include "reader.h"

typedef struct DynBaseItems
{
	DynReader  *reader;
	DynFetch   *listing;		/* of the index */
	DynFetch   *fetch;			/* items of a batch of keys; NULL: none is read */
	MemoryContext context;
	MemoryContext batch_context;	/* of that batch; NULL: there was none */
	DynBaseKeys *keys;			/* that the index listed so far */

	/* set by the creator */
	DynBaseKeys *done;			/* keys that are not to be read; NULL: none */
	uint64	   *skipped;		/* counts those, with `done` */
} DynBaseItems;

/*
 * For the reader's index rows, which the listing returns.  In
 * CurrentMemoryContext, and with it.
 */
extern DynBaseItems *dyn_base_items_create(DynReader *reader, DynFetch *listing);

/* The next item's slots, as dyn_fetch_next. */
extern const DynValue *dyn_base_items_next(DynBaseItems *items);

/*
 * Would dyn_base_items_next return without waiting?  Collecting the keys of the
 * next batch may wait, if the index has more pages.
 */
extern bool dyn_base_items_is_ready(DynBaseItems *items);

/* What is waited for: the batch, or the listing. */
static inline DynFetch *
dyn_base_items_awaited(const DynBaseItems *items)
{
	return items->fetch ? items->fetch : items->listing;
}

extern void dyn_base_items_free(DynBaseItems *items);

#endif

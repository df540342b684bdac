/*
 * lookup_cache.h
 *		A cache of answers to lookups, by the identity of their request.
 *
 * An entry is pinned while a prefetched execution, or the entry of an index that
 * lists it, needs it.  Complete entries that are not pinned are idle: they are
 * evicted in LRU order when the cache is larger than its bound.
 *
 *		state		pins	idle list	may be removed
 *		EMPTY		any		no			if not pinned
 *		PENDING		any		no			by its batch only
 *		COMPLETE	> 0		no			no
 *		COMPLETE	0		yes			yes
 */
#ifndef DYN_EXEC_LOOKUP_CACHE_H
#define DYN_EXEC_LOOKUP_CACHE_H

#include "executor/tuptable.h"
#include "lib/ilist.h"

#include "../fetch/base_keys.h"
#include "../statement/byte_key.h"

typedef enum DynLookupState
{
	DYN_LOOKUP_EMPTY,			/* not asked for, or given up */
	DYN_LOOKUP_PENDING,			/* its request is part of a batch */
	DYN_LOOKUP_COMPLETE			/* holds the whole answer */
} DynLookupState;

/* Rows of one request that are needed once each, and freed together. */
typedef struct DynTransientRows
{
	MemoryContext context;		/* of the rows, and of this */
	int			left;			/* rows that are still needed */
} DynTransientRows;

typedef struct DynLookupEntry
{
	DynByteKey	key;			/* first: what the table hashes */
	DynLookupState state;
	int			batch_position; /* PENDING: among the batch's entries */
	int			pins;			/* executions, and entries that list it */
	bool		ended;			/* its stream has nothing more */
	bool		caching;		/* everything that came is held here */
	uint64		taken;			/* rows or keys that came */
	uint64		count;			/* Select=COUNT */

	int			nrows;
	int			row_space;
	MinimalTuple *rows;

	/* or the only row, needed by one execution */
	DynTransientRows *transient;	/* that it is one of; NULL: there is none */
	Datum	   *values;
	bool	   *nulls;

	/* of an index: the entries of the table's keys that it lists, pinned */
	int			nitems;
	int			item_space;
	struct DynLookupEntry **items;
	DynBaseKeys *base_keys;		/* listed so far; NULL: `items` are all of
								 * them */
	uint64		index_result;	/* number of its listing; never used again */
	uint64		listed_by;		/* the last listing that had it, which tells
								 * keys that are listed again */

	Size		bytes;			/* counted in the cache's */
	bool		is_idle;
	dlist_node	idle;			/* least recently used first */
} DynLookupEntry;

typedef struct DynLookupCache
{
	MemoryContext context;
	struct HTAB *table;
	dlist_head	idle;
	Size		bytes;			/* as asked for; the allocator's part is not
								 * counted */
	Size		max_bytes;
} DynLookupCache;

/* In a context of its own below the current one. */
extern DynLookupCache *dyn_lookup_cache_create(Size max_bytes);

/* The entry of that key, which is copied; a new one is EMPTY. */
extern DynLookupEntry *dyn_lookup_cache_get(DynLookupCache *cache,
											const char *key, Size len);

extern void dyn_lookup_entry_pin(DynLookupEntry *entry);

/* A transient row goes with its only pin; the entry is EMPTY then. */
extern void dyn_lookup_entry_unpin(DynLookupCache *cache, DynLookupEntry *entry);

/* Adds a copy of the slot's row. */
extern void dyn_lookup_entry_add_row(DynLookupCache *cache, DynLookupEntry *entry,
									 TupleTableSlot *slot);

/* For rows of one request. */
extern DynTransientRows *dyn_transient_rows_create(MemoryContext parent);

/*
 * Makes the slot's row the entry's only one, until it is unpinned.  What the
 * slot's values point to must be in the context of the transient rows.
 */
extern void dyn_lookup_entry_add_transient_row(DynLookupEntry *entry,
											   DynTransientRows *transient,
											   const TupleTableSlot *slot);

/* Adds the entry of a key that the index lists, and pins it. */
extern void dyn_lookup_entry_add_item(DynLookupCache *cache, DynLookupEntry *entry,
									  DynLookupEntry *item);

/* The index lists nothing more for the entry: frees what its listing needed. */
extern void dyn_lookup_entry_end_index_result(DynLookupEntry *entry);

/* The answer has ended: COMPLETE if everything was kept. */
extern void dyn_lookup_entry_complete(DynLookupCache *cache, DynLookupEntry *entry);

/* Drops what the entry holds; what comes from now on is not kept. */
extern void dyn_lookup_entry_stop_caching(DynLookupCache *cache,
										  DynLookupEntry *entry);

/* Removes an entry that is not pinned. */
extern void dyn_lookup_entry_remove(DynLookupCache *cache, DynLookupEntry *entry);

/* Evicts idle entries above the bound; true if the rest is within it. */
extern bool dyn_lookup_cache_trim(DynLookupCache *cache);

#endif

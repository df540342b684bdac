/*
 * lookup_cache.h
 *		Caches the results of requests, with their fingerprints as keys.
 *
 * An entry is pinned by each prefetched execution that needs it, and by the
 * entry of each index Query that lists its key.  Complete entries that are not
 * pinned are idle.  If the cache exceeds its memory limit, it evicts the idle
 * entry that was used least recently.
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
#include "../rows/rows.h"

typedef enum DynLookupState
{
	DYN_LOOKUP_EMPTY,			/* not requested, or its result was dropped */
	DYN_LOOKUP_PENDING,			/* its request is in a batch */
	DYN_LOOKUP_COMPLETE			/* complete result is in the entry */
} DynLookupState;

/* Rows of one request, each needed only once, that are freed together. */
typedef struct DynTransientRows
{
	MemoryContext context;		/* context of the rows, and of this struct */
	int			left;			/* number of rows still needed */
} DynTransientRows;

typedef struct DynLookupEntry
{
	DynByteKey	key;			/* key in the hash table (must be first) */
	DynLookupState state;
	int			batch_position; /* PENDING: position in its batch */
	int			pins;			/* number of executions and entries that need
								 * this entry */
	bool		ended;			/* true if its result has ended */
	bool		caching;		/* true if all received rows are stored here */
	uint64		taken;			/* number of rows, items or listed keys
								 * received from the Query */
	uint64		count;			/* sum of the Counts (Select=COUNT) */

	int			nrows;
	int			row_space;
	MinimalTuple *rows;

	/* instead of `rows`: the only row, which only one execution needs */
	DynTransientRows *transient;	/* storage of the row; NULL: not used */
	Datum	   *values;
	bool	   *nulls;

	/* entries of the base keys that an index lists (pinned) */
	int			nitems;
	int			item_space;
	struct DynLookupEntry **items;
	DynBaseKeys *base_keys;		/* keys listed so far; NULL: all are in
								 * `items` */
	uint64		index_result;	/* ID of the entry's own listing (never
								 * reused) */
	uint64		listed_by;		/* ID of the last listing that contained this
								 * entry's key, to detect repeated keys */

	Size		bytes;			/* bytes counted in the cache's total */
	bool		is_idle;
	dlist_node	idle;			/* position in the cache's idle list */
} DynLookupEntry;

typedef struct DynLookupCache
{
	MemoryContext context;
	struct HTAB *table;
	dlist_head	idle;			/* idle entries, least recently used first */
	Size		bytes;			/* sum of the entries' bytes, without the
								 * overhead of palloc */
	Size		max_bytes;
} DynLookupCache;

/* Returns an empty cache, in a new child of CurrentMemoryContext. */
extern DynLookupCache *dyn_lookup_cache_create(Size max_bytes);

/*
 * Returns the entry of the key.  If there is none, adds one in state EMPTY,
 * with a copy of the key.  Does not pin the entry.
 */
extern DynLookupEntry *dyn_lookup_cache_get(DynLookupCache *cache,
											const char *key, Size len);

extern void dyn_lookup_entry_pin(DynLookupEntry *entry);

/*
 * Removes a pin.  When the last pin is removed, an entry with a transient row
 * becomes EMPTY.
 */
extern void dyn_lookup_entry_unpin(DynLookupCache *cache, DynLookupEntry *entry);

/* Adds a copy of the slot's row. */
extern void dyn_lookup_entry_add_row(DynLookupCache *cache, DynLookupEntry *entry,
									 TupleTableSlot *slot);

/* Returns storage for the rows of one request. */
extern DynTransientRows *dyn_transient_rows_create(MemoryContext parent);

/*
 * Makes the slot's row the only row of the entry, until the entry is unpinned.
 * The slot's values must be in the context of the transient rows.
 */
extern void dyn_lookup_entry_add_transient_row(DynLookupEntry *entry,
											   DynTransientRows *transient,
											   const TupleTableSlot *slot);

/*
 * Appends `item` to entry->items, and pins `item`.  `entry` is the entry of an
 * index Query, and `item` the entry of a key that this Query lists.
 */
extern void dyn_lookup_entry_add_item(DynLookupCache *cache, DynLookupEntry *entry,
									  DynLookupEntry *item);

/* Frees entry->base_keys, which only an unfinished listing needs. */
extern void dyn_lookup_entry_end_index_result(DynLookupEntry *entry);

/*
 * Ends the entry's result.  Sets the state COMPLETE if the full result is
 * cached.
 */
extern void dyn_lookup_entry_complete(DynLookupCache *cache, DynLookupEntry *entry);

/* Drops the entry's contents; later rows are not cached. */
extern void dyn_lookup_entry_stop_caching(DynLookupCache *cache,
										  DynLookupEntry *entry);

/* Removes an entry that is not pinned. */
extern void dyn_lookup_entry_remove(DynLookupCache *cache, DynLookupEntry *entry);

/*
 * Evicts idle entries while the memory limit is exceeded.  Returns false if
 * the limit is still exceeded after that.
 */
extern bool dyn_lookup_cache_trim(DynLookupCache *cache);

/*
 * Items cached in place of rows, for lookups in an unnested table.  The rows
 * of an item repeat its values, so the rows may need much more memory than the
 * item.  The field `rows` of an entry then contains stored items
 * (item_record.h), which are unnested each time that the entry is served.
 */
typedef struct DynLookupItems DynLookupItems;

/* Returns a store for items of `nslots` slots, in CurrentMemoryContext. */
extern DynLookupItems *dyn_lookup_items_create(int nslots);

/* Adds a copy of the item to the entry's rows. */
extern void dyn_lookup_items_add(DynLookupItems *items, DynLookupCache *cache,
								 DynLookupEntry *entry, const DynValue *item);

/*
 * Stores the next row of the item that `rows` has begun.  If that item has no
 * further row, continues with the entry's item at position `*at`, and advances
 * `*at`.  Returns false after the last row.  The entry must not be removed
 * while its items are read.
 */
extern bool dyn_lookup_items_next(DynLookupItems *items, DynRows *rows,
								  const DynLookupEntry *entry, int *at,
								  TupleTableSlot *slot);

#endif

/*
 * lookup_cache.h
 *		Caches the results of requests by fingerprint, and collects in batches
 *		the requests of entries that have no result.
 *
 * An entry is pinned by each prefetched execution that needs it.  The entry of
 * an item is also pinned by the entry of each index Query that has listed the
 * item's key.  Complete entries that are not pinned are idle.  Beyond its
 * memory limit, the cache evicts the least recently used idle entry.
 *
 *		state		pins	idle list	may be removed
 *		EMPTY		any		no			if not pinned
 *		PENDING		any		no			by its batch only
 *		COMPLETE	> 0		no			no
 *		COMPLETE	0		yes			yes
 *
 * Legal order for a batch: dyn_lookup_batch_reset; dyn_lookup_batch_add for
 * each entry; dyn_lookup_batch_send at any time.  After the entry of a Query
 * is added, and before it is sent, the caller stores the Query in `queries`.
 */
#ifndef DYN_EXEC_LOOKUP_CACHE_H
#define DYN_EXEC_LOOKUP_CACHE_H

#include "executor/tuptable.h"
#include "lib/ilist.h"
#include "nodes/pg_list.h"

#include "../fetch/base_keys.h"
#include "../fetch/scandesc.h"

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
	int			pins;			/* executions and entries that pin the entry */
	bool		ended;			/* true if the full result was received */
	bool		caching;		/* true if all received rows are stored here */
	uint64		taken;			/* number of received rows, items or keys */
	uint64		count;			/* sum of Count in the pages (Select=COUNT) */

	List	   *rows;			/* list of MinimalTuple; unnested table: list
								 * of records of items (item_record.h) */

	/* row needed by only one execution; `rows` is NIL if `transient` is set */
	DynTransientRows *transient;	/* memory of the row, or NULL if none */
	Datum	   *values;
	bool	   *nulls;

	List	   *items;			/* for an index Query that only lists keys:
								 * pinned entries (DynLookupEntry *) of the
								 * items whose keys it has listed; else NIL */
	DynBaseKeys *base_keys;		/* all keys that the index Query has listed;
								 * NULL while `items` still has all of them */

	uint64		served_in;		/* last execution (DynLookups.served) that has
								 * returned the item, and must not repeat it */

	Size		bytes;			/* bytes counted in the cache's total */
	bool		is_idle;
	dlist_node	idle;			/* position in the cache's idle list */
} DynLookupEntry;

typedef struct DynLookupCache
{
	MemoryContext context;
	struct HTAB *table;
	DynBuffer	fingerprint;	/* fingerprint of the entry searched for */
	dlist_head	idle;			/* idle entries, least recently used first */
	Size		bytes;			/* entries' bytes, without palloc's overhead */
	Size		max_bytes;
} DynLookupCache;

/* Returns an empty cache, in a new child of CurrentMemoryContext. */
extern DynLookupCache *dyn_lookup_cache_create(Size max_bytes);

/*
 * These functions return the entry of a full key, or of the n-th Query of an
 * execution, without pinning it.  If there is no entry, they add an EMPTY one.
 */
extern DynLookupEntry *dyn_lookup_entry_of_key(DynLookupCache *cache,
											   const DynKeyPart *parts, int nparts);
extern DynLookupEntry *dyn_lookup_entry_of_query(DynLookupCache *cache,
												 const DynResolvedAccess *resolved,
												 int n);

/* Returns true if no new request is needed to return the complete result. */
extern bool dyn_lookup_entry_is_servable(const DynLookupEntry *entry);

extern void dyn_lookup_entry_pin(DynLookupEntry *entry);

/* Removes a pin.  An unpinned entry with a transient row becomes EMPTY. */
extern void dyn_lookup_entry_unpin(DynLookupCache *cache, DynLookupEntry *entry);

/* Adds a copy of the slot's row. */
extern void dyn_lookup_entry_add_row(DynLookupCache *cache, DynLookupEntry *entry,
									 TupleTableSlot *slot);

/*
 * Adds a copy of an item's slots.  For an unnested table, items are cached,
 * and unnested at each use, because their rows can need much more memory.
 */
extern void dyn_lookup_entry_add_record(DynLookupCache *cache, DynLookupEntry *entry,
										const DynValue *slots, int nslots);

/*
 * Makes the slot's row the only row of the entry, until the entry is unpinned.
 * The slot's values must be in the context of the transient rows.
 */
extern void dyn_lookup_entry_add_transient_row(DynLookupEntry *entry,
											   DynTransientRows *transient,
											   const TupleTableSlot *slot);

/* Appends `item` to entry->items, and pins `item`. */
extern void dyn_lookup_entry_add_item(DynLookupCache *cache, DynLookupEntry *entry,
									  DynLookupEntry *item);

/* Drops the entry's contents; later rows are not cached. */
extern void dyn_lookup_entry_stop_caching(DynLookupCache *cache,
										  DynLookupEntry *entry);

/* Removes an entry that is not pinned. */
extern void dyn_lookup_entry_remove(DynLookupCache *cache, DynLookupEntry *entry);

/* Evicts idle entries to meet the memory limit; returns false if it fails. */
extern bool dyn_lookup_cache_trim(DynLookupCache *cache);

/* ---- batches ---- */

typedef struct DynLookupBatch
{
	DynScanDesc *scandesc;
	DynLookupCache *cache;
	const DynRows *rows;
	MemoryContext context;		/* context of keys, Queries and the fetch */
	MemoryContext work_context; /* temporary memory, owned by the lookups */
	int			nparts;			/* parts of each key; 0 if Queries are sent */

	int			n;
	int			space;
	DynLookupEntry **entries;	/* entry of each key or Query, or NULL if the
								 * entry was removed or is complete */
	DynKeyPart *keys;			/* full keys: nparts parts for each entry */
	DynQuery   *queries;		/* partitions: the Query of each entry */

	int			sent;			/* number of entries that the fetch requests */
	DynFetch   *fetch;			/* NULL if no request was created yet */
} DynLookupBatch;

/* Empties the batch.  Its entries become EMPTY; unpinned ones are removed. */
extern void dyn_lookup_batch_reset(DynLookupBatch *batch);

/*
 * Adds an EMPTY entry, which becomes PENDING, with a copy of its full key.
 * `parts` is NULL for the entry of a Query.
 */
extern void dyn_lookup_batch_add(DynLookupBatch *batch, DynLookupEntry *entry,
								 const DynKeyPart *parts);

/* Adds the EMPTY ones of entry->items, from `at` on, while batch->n < max. */
extern void dyn_lookup_batch_add_items(DynLookupBatch *batch, const DynLookupEntry *entry,
									   int at, int max);

/*
 * Creates the requests for the first `n` entries, and sends those that the
 * limits of the fetch allow now.  For full keys, `n` must be a multiple of
 * DYN_BATCH_GET_MAX_KEYS, except in the last call, because no keys can be
 * added to a request once it is created.
 */
extern void dyn_lookup_batch_send(DynLookupBatch *batch, int n);

/* Ends an entry's result; the entry becomes COMPLETE if it caches all rows. */
extern void dyn_lookup_batch_finish(DynLookupBatch *batch, DynLookupEntry *entry);

/*
 * If no execution needs a Query's pending entry any more, removes the entry,
 * and drops the Query.  Does nothing for full keys.
 */
extern void dyn_lookup_batch_give_up(DynLookupBatch *batch, DynLookupEntry *entry);

#endif

/*
 * lookup_cache.h
 *		Answers to lookups, remembered within a bound of memory.
 *
 * An answer is found by the identity of its request.  It is in use while
 * prefetched executions still need it; one that is known and not in use stays
 * until its memory is wanted, the one longest unused going first.
 */
#ifndef DYN_EXEC_LOOKUP_CACHE_H
#define DYN_EXEC_LOOKUP_CACHE_H

#include "executor/tuptable.h"
#include "lib/ilist.h"

#include "../byte_key.h"
#include "../fetch/base_keys.h"

typedef enum DynLookupState
{
	DYN_LOOKUP_EMPTY,			/* not asked for, or given up */
	DYN_LOOKUP_PENDING,			/* its request is part of a fetch */
	DYN_LOOKUP_COMPLETE			/* all of it is here */
} DynLookupState;

/* Rows of one request that are needed once each, and freed together. */
typedef struct DynTransientRows
{
	MemoryContext context;		/* of the rows, and of this */
	int			left;			/* rows that are still needed */
} DynTransientRows;

typedef struct DynLookupEntry
{
	DynByteKey key;			/* first: what the table hashes */
	DynLookupState state;
	int			batch_position;		/* ASKED: position among what was asked for */
	int			pins;			/* executions, and answers that list it */
	bool		ended;			/* its stream has nothing more */
	bool		keeping;		/* all that was taken so far is here */
	uint64		taken;			/* rows or items that came */
	uint64		count;			/* Select=COUNT */

	int			nrows;
	int			row_space;
	MinimalTuple *rows;

	/* or its only row, if that is needed only once */
	DynTransientRows *transient;	/* NULL: not so */
	Datum	   *values;
	bool	   *nulls;

	/* of an index: the answers to the table's keys that it lists */
	int			nitems;
	int			item_space;
	struct DynLookupEntry **items;
	DynBaseKeys *base_keys;		/* that were listed and forgotten; NULL: none */
	uint64		listing;		/* number of the present listing, never used again */
	uint64		listed_by;		/* the last listing that had it; tells repeated keys */

	Size		bytes;
	bool		is_idle;
	dlist_node	idle;			/* in the order of last use */
} DynLookupEntry;

typedef struct DynLookupCache
{
	MemoryContext context;
	struct HTAB *table;
	dlist_head	idle;
	Size		bytes;
	Size		max_bytes;
} DynLookupCache;

/* In a context of its own below the current one. */
extern DynLookupCache *dyn_lookup_cache_create(Size max_bytes);

/* The answer to a request, made UNKNOWN if there was none.  Copies the key. */
extern DynLookupEntry *dyn_lookup_cache_get(DynLookupCache *cache, const char *key, Size len);

/* One more use, one less. */
extern void dyn_lookup_entry_pin(DynLookupEntry *entry);
extern void dyn_lookup_entry_unpin(DynLookupCache *cache, DynLookupEntry *entry);

/* Adds a copy of the slot's row. */
extern void dyn_lookup_entry_add_row(DynLookupCache *cache, DynLookupEntry *entry,
							   TupleTableSlot *slot);

/* For rows of one request; below the current context. */
extern DynTransientRows *dyn_transient_rows_create(void);

/*
 * The slot's row is the answer's only one, and is gone when the answer's only
 * use is released; the answer is unknown then.  What the slot's values point to is
 * in the context of the transient rows already.
 */
extern void dyn_lookup_entry_add_transient_row(DynLookupEntry *entry, DynTransientRows *transient,
								const TupleTableSlot *slot);

/* Adds what an index lists, and a use of it. */
extern void dyn_lookup_entry_add_item(DynLookupCache *cache, DynLookupEntry *entry,
								DynLookupEntry *item);

/* Its index lists no more for it. */
extern void dyn_lookup_entry_end_listing(DynLookupEntry *entry);

/* It came to its end: KNOWN if all of it was kept. */
extern void dyn_lookup_entry_complete(DynLookupCache *cache, DynLookupEntry *entry);

/*
 * Forgets what the answer holds; what comes from now on is not kept.
 */
extern void dyn_lookup_entry_stop_keeping(DynLookupCache *cache, DynLookupEntry *entry);

/* Frees the answer, which nobody uses. */
extern void dyn_lookup_entry_remove(DynLookupCache *cache, DynLookupEntry *entry);

/* Forgets idle ones above the bound; true if the rest is within it. */
extern bool dyn_lookup_cache_trim(DynLookupCache *cache);

#endif

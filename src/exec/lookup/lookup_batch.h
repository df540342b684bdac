/*
 * lookup_batch.h
 *		What lookups ask for together: cache entries, each at its position, and
 *		the fetch that brings their answers in that order.
 *
 * Whole primary keys are asked for a hundred at a time, by BatchGetItem, whose
 * items come in any order; partitions by one Query each.  Belongs to lookup.c.
 *
 *		operation				entry before	entry after
 *		dyn_lookup_batch_add	EMPTY			PENDING
 *		dyn_lookup_batch_finish	PENDING			COMPLETE; PENDING and ended if rows
 *												were not kept
 *		dyn_lookup_batch_give_up	PENDING, not pinned; partitions only: removed
 *		dyn_lookup_batch_reset	PENDING			EMPTY; removed if not pinned
 *
 * Legal order: dyn_lookup_batch_reset; dyn_lookup_batch_add for each entry, after
 * which its key or its terms are filled in; dyn_lookup_batch_send at any time,
 * for as many entries as are filled in.
 */
#ifndef DYN_EXEC_LOOKUP_BATCH_H
#define DYN_EXEC_LOOKUP_BATCH_H

#include "../fetch/scandesc.h"
#include "lookup_cache.h"

typedef struct DynLookupBatch
{
	DynScanDesc *scandesc;
	DynLookupCache *cache;
	const DynRows *rows;
	MemoryContext context;		/* of keys, terms and the fetch; reset for
								 * each batch */
	MemoryContext work_context; /* the lookups', for a step */
	int			nparts;			/* of a whole key; 0: partitions */

	int			n;
	int			space;
	DynLookupEntry **entries;	/* NULL: given up, or complete */
	DynKeyPart *keys;			/* whole keys: nparts each */
	DynQueryTerms *terms;		/* partitions */

	DynRequests *requests;
	int			sent;			/* entries whose requests are streams of the
								 * fetch */
	DynFetch   *fetch;			/* NULL: nothing was sent */
} DynLookupBatch;

/* Makes an empty batch below CurrentMemoryContext; the members above are set. */
extern void dyn_lookup_batch_init(DynLookupBatch *batch);

/*
 * Empties the batch; answers that did not come are lost.  The next entries are
 * of keys of `nparts` parts, or of partitions (0).
 */
extern void dyn_lookup_batch_reset(DynLookupBatch *batch, int nparts);

/* Adds an empty entry. */
extern void dyn_lookup_batch_add(DynLookupBatch *batch, DynLookupEntry *entry);

/* Copies the parts of an entry's key to where they may stay. */
extern void dyn_lookup_batch_keep_key(DynLookupBatch *batch,
									  const DynLookupEntry *entry,
									  const DynKeyPart *parts);

/*
 * Makes requests of the first n entries, and sends what may be sent.  A request
 * that is not full cannot be added to: after it nothing may be added any more.
 */
extern void dyn_lookup_batch_send(DynLookupBatch *batch, int n);

/* Makes the batch's fetch the origin of items in hand. */
extern void dyn_lookup_batch_set_origin(DynLookupBatch *batch);

/* How many of the entries fill whole requests. */
extern int	dyn_lookup_batch_complete(const DynLookupBatch *batch);

/* The stream that brings an entry's answer. */
extern int	dyn_lookup_batch_stream(const DynLookupBatch *batch,
									const DynLookupEntry *entry);

/* The answer has ended.  A complete entry may be evicted once it is not pinned. */
extern void dyn_lookup_batch_finish(DynLookupBatch *batch, DynLookupEntry *entry);

/* Gives up the entry's Query if nothing needs it any more. */
extern void dyn_lookup_batch_give_up(DynLookupBatch *batch, DynLookupEntry *entry);

#endif

/*
 * lookup_batch.h
 *		What lookups ask for together: a list of cache, each at its position,
 *		and the fetch that brings them in that order.
 *
 * Whole primary keys are asked for in batches, whose items come in any order;
 * partitions by one Query each, a stream of its own.  Belongs to lookup.c.
 *
 * Legal order: dyn_lookup_batch_reset; dyn_lookup_batch_add for each answer, after which its
 * key or its terms are filled in; dyn_lookup_batch_send at any time, for as many as are
 * filled in.
 */
#ifndef DYN_EXEC_LOOKUP_BATCH_H
#define DYN_EXEC_LOOKUP_BATCH_H

#include "lookup_cache.h"
#include "../fetch/reader.h"

typedef struct DynLookupBatch
{
	DynReader  *reader;
	DynLookupCache *cache;
	const DynRows *rows;
	MemoryContext context;		/* of what is asked for; reset for each batch */
	MemoryContext work_context; /* the lookups', for short */
	int			nparts;			/* of a whole key; 0: partitions */

	int			n;
	int			space;
	DynLookupEntry **entries;			/* NULL: given up, or known */
	DynKeyPart *keys;			/* whole keys: nparts each */
	DynQueryTerms *terms;		/* partitions */

	DynRequests *requests;
	int			sent;			/* of the cache, for which there are streams */
	DynFetch   *fetch;			/* NULL: nothing was sent */
} DynLookupBatch;

/* An array of that size with what the old one held; NULL: a new one. */
extern void *dyn_grown(void *array, Size size);

/* Makes an empty one below CurrentMemoryContext; the members above are set. */
extern void dyn_lookup_batch_init(DynLookupBatch *batch);

/*
 * Lets go of all that was asked for; answers that did not come are unknown
 * then.  The next list is of keys of so many parts, or of partitions (0).
 */
extern void dyn_lookup_batch_reset(DynLookupBatch *batch, int nparts);

/* Puts an answer, which is unknown, onto the list. */
extern void dyn_lookup_batch_add(DynLookupBatch *batch, DynLookupEntry *entry);

/* Copies the parts of an answer's key to where they may stay. */
extern void dyn_lookup_batch_keep_key(DynLookupBatch *batch, const DynLookupEntry *entry,
								const DynKeyPart *parts);

/*
 * There are requests for the first n answers now; sends as many as may be sent.
 * A batch that is not full cannot be added to: then nothing more may be asked.
 */
extern void dyn_lookup_batch_send(DynLookupBatch *batch, int n);

/* Items in hand come from here, for whoever has to name one. */
extern void dyn_lookup_batch_set_origin(DynLookupBatch *batch);

/* How many of the answers fill whole requests. */
extern int	dyn_lookup_batch_complete(const DynLookupBatch *batch);

/* The stream that brings an answer. */
extern int	dyn_lookup_batch_stream(const DynLookupBatch *batch, const DynLookupEntry *entry);

/* All of it came.  What is known may be forgotten at any time. */
extern void dyn_lookup_batch_finish(DynLookupBatch *batch, DynLookupEntry *entry);

/* If nobody needs the answer any more, its Query is given up. */
extern void dyn_lookup_batch_give_up(DynLookupBatch *batch, DynLookupEntry *entry);

#endif

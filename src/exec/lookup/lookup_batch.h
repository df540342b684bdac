/*
 * lookup_batch.h
 *		Prefetched executions, and the batch of their requests: the cache
 *		entries to be filled, and the fetch of their results.
 *
 * Full primary keys are requested by BatchGetItem, a hundred at a time; the
 * items come in any order.  Each partition is requested by one Query.  Only
 * lookup.c uses these functions.
 *
 *		operation				entry before	entry after
 *		dyn_lookup_batch_add	EMPTY			PENDING
 *		dyn_lookup_batch_finish	PENDING			COMPLETE; PENDING and ended if
 *												rows were not cached
 *		dyn_lookup_batch_give_up	PENDING		removed if it is a partition
 *												and not pinned
 *		dyn_lookup_batch_reset	PENDING			EMPTY; removed if not pinned
 *
 * Legal order: dyn_lookup_batch_reset; dyn_lookup_batch_add for each entry,
 * after which the caller stores the entry's key or Query in the batch;
 * dyn_lookup_batch_send at any time, for entries whose keys or Queries are
 * stored.
 */
#ifndef DYN_EXEC_LOOKUP_BATCH_H
#define DYN_EXEC_LOOKUP_BATCH_H

#include "../fetch/scandesc.h"
#include "../statement/values.h"
#include "lookup_cache.h"

typedef struct DynLookupBatch
{
	DynScanDesc *scandesc;
	DynLookupCache *cache;
	const DynRows *rows;
	MemoryContext context;		/* context of keys, Queries and the fetch */
	MemoryContext work_context; /* context of one step; owned by the lookups */
	int			nparts;			/* number of parts of a full key; 0:
								 * partitions */

	int			n;
	int			space;
	DynLookupEntry **entries;	/* entries; NULL: removed, or complete */
	DynKeyPart *keys;			/* full keys: nparts parts for each entry */
	DynQuery   *queries;		/* partitions: the Query of each entry */

	DynRequests *requests;
	int			sent;			/* number of entries whose requests are in the
								 * fetch */
	DynFetch   *fetch;			/* fetch; NULL: no request was sent */
} DynLookupBatch;

/*
 * Empties the batch; drops results that were not received.  The next entries
 * are for full keys of `nparts` parts, or for partitions if `nparts` is 0.
 */
extern void dyn_lookup_batch_reset(DynLookupBatch *batch, int nparts);

extern void dyn_lookup_batch_add(DynLookupBatch *batch, DynLookupEntry *entry);

/* Copies the parts of an entry's key into the memory of the batch. */
extern void dyn_lookup_batch_keep_key(DynLookupBatch *batch,
									  const DynLookupEntry *entry,
									  const DynKeyPart *parts);

/*
 * Creates the requests of the first `n` entries, and sends those that the
 * limits of the fetch allow now.  No key can be added to a request that was
 * sent.  So if the last request is not full, entries must not be added after
 * this call.
 */
extern void dyn_lookup_batch_send(DynLookupBatch *batch, int n);

/* Declares that items converted from now on come from the batch's fetch. */
extern void dyn_lookup_batch_set_origin(DynLookupBatch *batch);

/* Returns the number of entries whose requests are full. */
extern int	dyn_lookup_batch_complete(const DynLookupBatch *batch);

/* Returns the number of the stream that returns the entry's result. */
extern int	dyn_lookup_batch_stream(const DynLookupBatch *batch,
									const DynLookupEntry *entry);

/*
 * Marks the end of the entry's result.  A complete entry may be evicted while
 * it is not pinned.
 */
extern void dyn_lookup_batch_finish(DynLookupBatch *batch, DynLookupEntry *entry);

/*
 * Removes the entry of a partition, and drops its Query, if no execution needs
 * the entry any more.  Does nothing for full keys.
 */
extern void dyn_lookup_batch_give_up(DynLookupBatch *batch, DynLookupEntry *entry);

/* ---- executions ---- */

/*
 * A prefetched execution.  When it runs, dyn_executions_find finds it by its
 * values, which are copied here.  Until it is served or skipped, it pins the
 * cache entries that will serve it.
 */
typedef struct DynExecution
{
	DynValues	values;			/* values with which it will run (copies) */
	bool		refused;		/* true if its values do not permit the plan's
								 * requests (resolved.incomplete) */
	int			nentries;
	DynLookupEntry **entries;	/* pinned entries, one for each key or
								 * partition */
} DynExecution;

typedef struct DynExecutions
{
	MemoryContext context;		/* context of values and arrays of entries */
	int			n;
	int			space;
	DynExecution *list;
	int			next;			/* position of the first execution that was
								 * neither opened nor skipped */
} DynExecutions;

/* Initializes an empty list, which lives in CurrentMemoryContext. */
extern void dyn_executions_init(DynExecutions *executions);

/* Removes all executions. None of their entries may still be pinned. */
extern void dyn_executions_clear(DynExecutions *executions);

/*
 * Adds an execution with a copy of `values` and without entries.  The result
 * is valid until the next add.
 */
extern DynExecution *dyn_executions_add(DynExecutions *executions,
										const DynValues *values);

/*
 * Returns the position of the next execution with these values, or -1.
 * Executions run in the order in which they were added, but some may be
 * skipped.  If the values are those of the execution that ran last, that
 * execution is running again: returns -1, unless the next execution also has
 * these values.
 */
extern int	dyn_executions_find(const DynExecutions *executions,
								const DynValues *values);

#endif

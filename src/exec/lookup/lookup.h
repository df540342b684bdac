/*
 * lookup.h
 *		Serves many executions of one scan together (lookups).
 *
 * A scan on the inner side of a nested loop is executed once for each outer
 * row.  A node that reads the outer rows ahead (readahead.c) prefetches these
 * executions: it passes the values with which each of them will run.  The
 * lookups find the distinct keys, keep many requests in flight, and serve the
 * executions when they run.
 *
 * Legal order, for each batch of outer rows: dyn_lookups_begin;
 * dyn_lookups_prefetch for each row; dyn_lookups_start.  Then, for each
 * execution, the scan calls the opener of the lookups, and the methods of the
 * source that the opener returns (source/items.h).
 *
 * Memory is limited as follows.  The minimum is fetch_memory / 8, so that a
 * small work_mem does not reduce lookups to one request in flight.
 *
 *		values and requests of a batch	half of work_mem, at least the minimum
 *		cached results					work_mem * hash_mem_multiplier, at
 *										least the minimum; plus the results of
 *										one response
 *		rows that are needed once		1 MB for each response
 *		pages of responses				fetch_memory, for all nodes (statement.h)
 *
 * An execution is served only from results of the requests that it would send
 * itself.  Otherwise the opener returns NULL, and the scan sends its own
 * requests.  So a wrong prefetch costs requests, but never changes rows.
 */
#ifndef DYN_EXEC_LOOKUP_H
#define DYN_EXEC_LOOKUP_H

#include "../source/input.h"

typedef struct DynLookups DynLookups;

typedef struct DynLookupCounters
{
	uint64		distinct_keys;	/* number of keys or Queries requested */
	uint64		repeated_keys;	/* number that needed no new request */
} DynLookupCounters;

/*
 * Creates the state that batches the lookups of a scan's executions, and puts
 * its DynOpener first in input->openers.  The state lives until the end of the
 * scan, in a new child of CurrentMemoryContext, and counts its work in
 * `counters`.
 */
extern DynLookups *dyn_lookups_create(DynInput *input, DynLookupCounters *counters);

/* Ends the batch of executions, and begins the next.  Cached results stay. */
extern void dyn_lookups_begin(DynLookups *lookups);

/* Adds an execution with a copy of these values; may send requests. */
extern void dyn_lookups_prefetch(DynLookups *lookups, const DynValues *values);

/*
 * Returns true if the caller should start the batch: the requests keep all
 * connections busy for some time, or the memory of the batch is used up.
 */
extern bool dyn_lookups_is_full(const DynLookups *lookups);

/*
 * Sends the remaining requests of the batch.  After that, no execution may be
 * added to the batch.  If `last`, no other batch is expected, so results need
 * not be cached for later batches.
 */
extern void dyn_lookups_start(DynLookups *lookups, bool last);

#endif

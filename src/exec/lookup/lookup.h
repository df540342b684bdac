/*
 * lookup.h
 *		Lookups: many executions of one scan, answered together.
 *
 * A scan on the inner side of a nested loop is executed once for each outer
 * row.  A node that reads the outer rows ahead (readahead.c) prefetches for
 * them: it passes the values that each execution will run with.  The lookups
 * find the distinct keys, send the requests, many in flight, and serve the
 * executions when they run.
 *
 * Legal order, for each batch of outer rows: dyn_lookups_begin;
 * dyn_lookups_prefetch for each row; dyn_lookups_start.  Then, for each
 * execution: dyn_lookups_open; while that returned true dyn_lookups_next, or
 * once dyn_lookups_count; dyn_lookups_close, at any time.
 *
 * Memory.  A small work_mem must not leave one request in flight, so keys and
 * answers have room of their own, an eighth of fetch_memory each (3 MB by
 * default: room for 1,600 keys of 400 bytes, or twice as many short ones):
 *
 *		values and requests of a batch	half of work_mem, or their room
 *		answers that are kept			work_mem * hash_mem_multiplier, or their
 *										room; those of one response more
 *		transient rows					1 MB for each response
 *		pages of responses				fetch_memory, for all nodes (fetch.h)
 *
 * An execution is served only by answers to the very requests that it would
 * send itself; otherwise dyn_lookups_open returns false, and the scan sends
 * them.  So a wrong prefetch costs requests, and never rows.
 */
#ifndef DYN_EXEC_LOOKUP_H
#define DYN_EXEC_LOOKUP_H

#include "../fetch/scandesc.h"

typedef struct DynLookups DynLookups;

/*
 * For executions of what the reader reads, which differ by their values; their
 * rows have the shape of `desc`.  Lives in a context of its own below the
 * current one, until it is freed.
 */
extern DynLookups *dyn_lookups_create(DynScanDesc *scandesc, TupleDesc desc);
extern void dyn_lookups_free(DynLookups *lookups);

/* Ends the last batch of executions.  Cached answers stay. */
extern void dyn_lookups_begin(DynLookups *lookups);

/* Adds an execution with these values, which are copied; may send requests. */
extern void dyn_lookups_prefetch(DynLookups *lookups, const DynValues *values);

/* Is enough asked for to keep all connections busy for long, or is memory full? */
extern bool dyn_lookups_is_full(const DynLookups *lookups);

/*
 * The batch of executions is complete: sends the rest of its requests.  `last`:
 * no other batch will follow, so that answers need not be kept for one.
 */
extern void dyn_lookups_start(DynLookups *lookups, bool last);

/* Begins to serve the execution with these values, if it can be served. */
extern bool dyn_lookups_open(DynLookups *lookups, const DynValues *values);

/* Stores the next row of the execution that is open; false at its end. */
extern bool dyn_lookups_next(DynLookups *lookups, TupleTableSlot *slot);

/* The number of items of the execution that is open. */
extern uint64 dyn_lookups_count(DynLookups *lookups);

extern void dyn_lookups_close(DynLookups *lookups);

/* Keys that were asked for, and those whose entry was not empty. */
typedef struct DynLookupCounters
{
	uint64		distinct_keys;
	uint64		repeated_keys;
} DynLookupCounters;

extern const DynLookupCounters *dyn_lookups_counters(const DynLookups *lookups);

#endif

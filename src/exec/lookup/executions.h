/*
 * executions.h
 *		Prefetched executions of a scan, in their order.
 *
 * Each execution has a copy of the values that it will run with, which
 * identifies it.  It also has the cache entries that will serve it, which it
 * pins until it is served or skipped.
 */
#ifndef DYN_EXEC_LOOKUP_EXECUTIONS_H
#define DYN_EXEC_LOOKUP_EXECUTIONS_H

#include "../keys/resolve_keys.h"
#include "lookup_cache.h"

typedef struct DynExecution
{
	DynValues	values;			/* values (copies) */
	bool		refused;		/* true if the plan's requests cannot serve it:
								 * it is not served */
	int			nentries;
	DynLookupEntry **entries;	/* entries, one for each key or partition
								 * (pinned) */
} DynExecution;

typedef struct DynExecutions
{
	MemoryContext context;		/* context of the values and the arrays of
								 * entries */
	int			n;
	int			space;
	DynExecution *list;
	int			next;			/* position of the first execution not opened
								 * yet */
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
 * Executions run in the order in which they were added, though some may be
 * skipped.  One that runs a second time was served already.
 */
extern int	dyn_executions_find(const DynExecutions *executions,
								const DynValues *values);

#endif

/*
 * executions.h
 *		The executions of a scan that are prefetched for, in their order.
 *
 * Each has a copy of the values that it will run with, by which it is
 * recognised, and the cache entries that will answer it, which it keeps pinned
 * until it is served or passed over.
 */
#ifndef DYN_EXEC_LOOKUP_EXECUTIONS_H
#define DYN_EXEC_LOOKUP_EXECUTIONS_H

#include "../keys/resolve_keys.h"
#include "lookup_cache.h"

typedef struct DynExecution
{
	DynValues	values;			/* copies */
	bool		refused;		/* the plan's requests cannot answer it: it is
								 * not served */
	int			nentries;
	DynLookupEntry **entries;	/* one for each key or partition; pinned */
} DynExecution;

typedef struct DynExecutions
{
	MemoryContext context;		/* of the values and the entries' arrays */
	int			n;
	int			space;
	DynExecution *list;
	int			next;			/* the first that was not opened yet */
} DynExecutions;

/* Makes an empty list, which lives in CurrentMemoryContext. */
extern void dyn_executions_init(DynExecutions *executions);

/* Forgets all executions.  None of their entries may be pinned any more. */
extern void dyn_executions_clear(DynExecutions *executions);

/*
 * Adds an execution with a copy of the values and without entries.  The result
 * is good until the next add.
 */
extern DynExecution *dyn_executions_add(DynExecutions *executions,
										const DynValues *values);

/*
 * The position of the next execution with these values; -1: there is none.
 * Executions run in the order in which they were added, though some may be
 * passed over; one that runs a second time was served already.
 */
extern int	dyn_executions_find(const DynExecutions *executions,
								const DynValues *values);

#endif

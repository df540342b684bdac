/*
 * caching.h
 *		Caches a read for executions that would repeat it.
 *
 * Some scans are executed again and again with values that their requests only
 * use in filters.  Examples are a correlated subquery or LATERAL over other
 * columns than the key, and the inner side of a nested loop.  They would read
 * the same items each time.  From the second execution on, the items are
 * received without the filters whose values change, and cached for the
 * statement (shared.h).  All later executions read the cached items.
 *
 * Which values change is known from the parameters that core marks as changed
 * at a rescan.  When another parameter changes for the first time, the read is
 * repeated once, without the filters of that parameter.  So a Scan is repeated
 * at most once for each parameter.
 *
 * Queries are cached, too, as long as their keys stay the same: an execution
 * is served if it has the keys of the previous one.  Only one read is cached
 * at a time.
 *
 * If items are read from the table after the index, only filters that the
 * index does not evaluate may change.
 *
 * Not cached: executions served by lookups, children of an asynchronous
 * Append, executions of EvalPlanQual, and filters that compare two attributes.
 *
 * Legal order: dyn_caching_rescan at each rescan, dyn_caching_open for an
 * execution, and dyn_caching_free at the end of the scan.
 */
#ifndef DYN_EXEC_CACHING_H
#define DYN_EXEC_CACHING_H

#include "input.h"
#include "items.h"

/*
 * Notes which parameters change; creates input->caching if reads may be
 * cached.
 */
extern void dyn_caching_rescan(DynInput *input);

/*
 * Returns the source of the execution that begins, with input->values, if a
 * cached read can serve it.  May start that read.  Otherwise returns NULL.
 */
extern DynItems *dyn_caching_open(DynInput *input);

extern void dyn_caching_free(DynInput *input);

/* Figures for EXPLAIN, about all reads that are cached now. */
typedef struct DynCachedFigures
{
	uint64		items;
	uint64		bytes;
	bool		on_disk;		/* true if some of them are on disk */
	uint64		executions;		/* number of executions served so far */
} DynCachedFigures;

/* Stores the figures; false if no execution was served. */
extern bool dyn_caching_figures(const DynInput *input, DynCachedFigures *figures);

#endif

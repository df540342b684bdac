/*
 * caching.h
 *		Keeps a read for executions that would repeat it.
 *
 * A scan that is executed again and again with values that its requests only
 * use in filters (a correlated subquery or LATERAL over other columns than the
 * key, the inner side of a nested loop) would read the same items each time.
 * From its second execution on, the items are received without the filters
 * whose values change, and kept for the statement (shared.h).  Executions go
 * through them, one after the other.
 *
 * Which values change is told by the parameters that core says have changed at
 * a rescan.  When another one changes, the read is made once more, without its
 * filters too; so a Scan is repeated at most once for each parameter.
 *
 * The same for Queries as long as their keys stay the same: an execution with
 * the keys of the one before it is served.  One read is kept at a time.
 *
 * Index, then base: only filters that the index does not evaluate may change.
 *
 * Not kept: what lookups serve, children of an asynchronous Append, executions
 * of EvalPlanQual, and filters that compare two attributes.
 *
 * Legal order: dyn_caching_rescan at each rescan, dyn_caching_open for an
 * execution, and dyn_caching_free at the end of the scan.
 */
#ifndef DYN_EXEC_CACHING_H
#define DYN_EXEC_CACHING_H

#include "input.h"
#include "items.h"

/* Notes which parameters change; makes input->keeping if reads may be kept. */
extern void dyn_caching_rescan(DynInput *input);

/*
 * The source of the execution that begins, with input->values, if it is answered
 * from a kept read, which may be begun here; else NULL.
 */
extern DynItems *dyn_caching_open(DynInput *input);

extern void dyn_caching_free(DynInput *input);

/* For EXPLAIN: of all reads that are kept now. */
typedef struct DynCachedFigures
{
	uint64		items;
	uint64		bytes;
	bool		on_disk;		/* some of them */
	uint64		executions;		/* served so far */
} DynCachedFigures;

/* False if no execution was served. */
extern bool dyn_caching_figures(const DynInput *input, DynCachedFigures *figures);

#endif

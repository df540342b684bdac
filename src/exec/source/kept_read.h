/*
 * kept_read.h
 *		Reads that are kept for executions which would repeat them.
 *
 * A scan that is executed again and again with values that its requests only
 * use in filters (a correlated subquery or LATERAL over other columns than the
 * key, the inner side of a nested loop) would read the same items each time.
 * From its second execution on, the items are received without the filters
 * whose values change, and kept for the statement (item_store.h).  Executions
 * are answered from them: the changing filters are evaluated on each item as
 * DynamoDB would evaluate them (dynamodb/item_match.h), so that the rows, and
 * the items whose values do not fit, are those of the request that is saved.
 *
 * A read goes on where it stood: an execution that ends early leaves the rest
 * to the next one.
 *
 * Which values change is told by the parameters that core says have changed at
 * a rescan.  When another one changes, the read is made once more, without its
 * filters too; so a Scan is repeated at most once for each parameter.
 *
 * The same for Queries as long as their keys stay the same: an execution with
 * the keys of the one before it is served.  One read is kept at a time.
 *
 * Not kept: what lookups serve, children of an asynchronous Append, executions
 * of EvalPlanQual, and filters that compare two attributes.
 *
 * Legal order: dyn_kept_rescan at each rescan; for an execution dyn_kept_open,
 * and if that is true dyn_kept_next until it returns false or dyn_kept_count
 * once, dyn_kept_rewind in between, and dyn_kept_close; at the end of the scan
 * dyn_kept_free.
 */
#ifndef DYN_EXEC_KEPT_READ_H
#define DYN_EXEC_KEPT_READ_H

#include "scan.h"

/* Notes which parameters change; makes scan->kept if reads may be kept. */
extern void dyn_kept_rescan(DynScan *scan);

/*
 * Is the execution that begins, with scan->values, answered from a kept read?
 * If so, the read may be begun here.
 */
extern bool dyn_kept_open(DynScan *scan);

/* Stores the next row that the filters select. */
extern bool dyn_kept_next(DynScan *scan, TupleTableSlot *slot);
extern uint64 dyn_kept_count(DynScan *scan);

/* The execution starts again at its first row. */
extern void dyn_kept_rewind(DynScan *scan);
extern void dyn_kept_close(DynScan *scan);

extern void dyn_kept_free(DynScan *scan);

/* For EXPLAIN: of all reads that are kept now. */
typedef struct DynKeptFigures
{
	uint64		items;
	uint64		bytes;
	bool		on_disk;		/* some of them */
	uint64		executions;		/* served so far */
} DynKeptFigures;

/* False if no execution was served. */
extern bool dyn_kept_figures(const DynScan *scan, DynKeptFigures *figures);

#endif

/*
 * shared_read.h
 *		One read for several scans of a statement.
 *
 * Foreign tables that show the entities of one DynamoDB table are read together:
 * scans that would read the same, a whole table or index, or one partition key
 * with the same range, send the requests once.  (So do the branches of a UNION
 * and the subqueries of a statement, and a parent with its own elements.)  It is
 * decided when the first of them begins, and changes no plan.
 *
 * The items are received with what any of the scans wants of them, and with a
 * filter only if each has one.  Each scan goes through them at its own pace;
 * what another has not come to yet is kept (item_store.h).  It evaluates its own
 * filter (item_filter.h) and decodes only what passes, so that its rows and
 * errors are those of requests of its own.
 *
 * Not shared: what is executed for each row of another node, keys that are known
 * only then, lists of keys, index reads that need the table besides, executions
 * of EvalPlanQual, and filters that compare two attributes.
 *
 * Legal order: for an execution dyn_shared_open, and if that is true any of
 * dyn_shared_next, dyn_shared_is_ready and dyn_shared_rewind, or dyn_shared_count
 * once, and dyn_shared_close; at the end of the scan dyn_shared_free.
 */
#ifndef DYN_EXEC_KEPT_SHARED_READ_H
#define DYN_EXEC_KEPT_SHARED_READ_H

#include "scan.h"

/*
 * Is the execution that begins, with scan->values, answered from a shared read?
 * If so, and it is the first of its scans, the read is set up; nothing is sent.
 */
extern bool dyn_shared_open(DynScan *scan);

/* Does another scan stand for the requests, so that it adds no read units? */
extern bool dyn_shared_is_paid(const DynScan *scan);

/* Does one of the scans read all there is, in the same plan or subplan? */
extern bool dyn_shared_is_read_whole(const DynScan *scan);

/* Has the scan to warn of its requests, as no other has?  It is asked once. */
extern bool dyn_shared_warns(DynScan *scan);

/* Stores the next row that the filters select. */
extern bool dyn_shared_next(DynScan *scan, TupleTableSlot *slot);
extern uint64 dyn_shared_count(DynScan *scan);

/* Would dyn_shared_next (dyn_shared_count) return without waiting? */
extern bool dyn_shared_is_ready(DynScan *scan);

/* In how many milliseconds it is worth asking again: dyn_fetch_pause. */
extern double dyn_shared_pause(const DynScan *scan);

/* What the scan waits for; NULL: everything was received. */
extern DynFetch *dyn_shared_fetch(const DynScan *scan);

/* The execution starts again at its first row; false if it cannot. */
extern bool dyn_shared_rewind(DynScan *scan);
extern void dyn_shared_close(DynScan *scan);

extern void dyn_shared_free(DynScan *scan);

/* For EXPLAIN. */
typedef struct DynSharedFigures
{
	int			scans;			/* that the read is for */
	const char *reader;			/* foreign table of the scan that reads; NULL:
								 * this scan does */
} DynSharedFigures;

/* False if no execution was answered from a shared read. */
extern bool dyn_shared_figures(const DynScan *scan, DynSharedFigures *figures);

#endif

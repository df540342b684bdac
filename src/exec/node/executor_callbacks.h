/*
 * executor_callbacks.h
 *		Callbacks of the executor: foreign scans, their asynchronous execution
 *		below an Append, and the node of a lookup join.
 *
 * Children of an asynchronous Append (the branches of a UNION ALL, partitions)
 * do not wait for one another.  The node of a lookup join reads the outer side
 * of a nested loop ahead, and prefetches for the scans on the inner side.
 */
#ifndef DYN_EXEC_CALLBACKS_H
#define DYN_EXEC_CALLBACKS_H

#include "foreign/fdwapi.h"
#include "nodes/extensible.h"

/* foreign_scan.c, explain.c */
extern void dynBeginForeignScan(ForeignScanState *node, int eflags);
extern TupleTableSlot *dynIterateForeignScan(ForeignScanState *node);
extern bool dynRecheckForeignScan(ForeignScanState *node, TupleTableSlot *slot);
extern void dynReScanForeignScan(ForeignScanState *node);
extern void dynEndForeignScan(ForeignScanState *node);
extern void dynExplainForeignScan(ForeignScanState *node, struct ExplainState *es);

/* async.c */
extern void dynForeignAsyncRequest(AsyncRequest *areq);
extern void dynForeignAsyncConfigureWait(AsyncRequest *areq);
extern void dynForeignAsyncNotify(AsyncRequest *areq);

/* readahead.c */
extern const CustomScanMethods dyn_read_ahead_methods;

#endif

/*
 * async.h
 *		Asynchronous execution below an Append: the branches of a UNION ALL and
 *		partitions do not wait for one another.
 *
 * The callbacks are core's; dyn_async_is_ready is asked by the scan.
 */
#ifndef DYN_EXEC_ASYNC_H
#define DYN_EXEC_ASYNC_H

#include "scan.h"

/*
 * May the scan go on without waiting?  Takes in what has come and sends what
 * may be sent; true also if the scan is at its end.
 */
extern bool dyn_async_is_ready(DynScan *scan);

/* Requests of all children of the scan's Append; NULL: it has none. */
extern int *dyn_async_in_flight(const DynScan *scan);

extern bool dynIsForeignPathAsyncCapable(ForeignPath *path);
extern void dynForeignAsyncRequest(AsyncRequest *areq);
extern void dynForeignAsyncConfigureWait(AsyncRequest *areq);
extern void dynForeignAsyncNotify(AsyncRequest *areq);

#endif

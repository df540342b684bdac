/*
 * async.h
 *		Asynchronous execution below an Append: the branches of a UNION ALL and
 *		partitions do not wait for one another.
 *
 * The callbacks are core's.
 */
#ifndef DYN_EXEC_ASYNC_H
#define DYN_EXEC_ASYNC_H

#include "nodes/execnodes.h"

extern void dynForeignAsyncRequest(AsyncRequest *areq);
extern void dynForeignAsyncConfigureWait(AsyncRequest *areq);
extern void dynForeignAsyncNotify(AsyncRequest *areq);

#endif

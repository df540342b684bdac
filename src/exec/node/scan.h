/*
 * scan.h
 *		A foreign scan, its executions, and the callbacks of the executor:
 *		foreign scans, their asynchronous execution below an Append, and the
 *		node of a lookup join.
 *
 * DynScan is the state of a ForeignScanState.  Creating or rescanning a node
 * does not begin an execution, because outer parameters may have no values
 * yet; the request for the first row does.
 */
#ifndef DYN_EXEC_SCAN_H
#define DYN_EXEC_SCAN_H

#include "foreign/fdwapi.h"
#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "../source/input.h"

/* scan.c, explain.c */
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

struct DynAsyncGroup;
struct DynLookups;

typedef struct DynScan
{
	DynInput	input;
	const DynAccess *planned;	/* access plan of the plan node; the scan
								 * descriptor has a different one if a guard
								 * (plan/paths/choice.c) is true */

	/* one execution */
	bool		counted;		/* count_only: true if the row of the count was
								 * returned */
	ExprState  *checks;			/* fdw_recheck_quals of the node, hidden from
								 * core (dynRecheckForeignScan) */

	struct DynLookups *lookups; /* lookups of a lookup join (readahead.c); NULL:
								 * no batch of executions was begun */
	struct DynAsyncGroup *group;	/* group of an asynchronous Append; NULL:
									 * the scan waits for its rows itself */
	const struct AsyncRequest *request; /* last request from this Append */
} DynScan;

static inline DynScan *
dyn_scan_of(const DynInput *input)
{
	return input->node->fdw_state;
}

/* Ends the execution, if one runs; requests in flight are abandoned. */
extern void dyn_scan_end_run(DynScan *scan);

#endif

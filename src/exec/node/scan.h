/*
 * scan.h
 *		State of a foreign scan, and the callbacks of the executor for foreign
 *		scans, asynchronous scans and lookup join nodes.
 *
 * When the node is created or rescanned, outer parameters may have no values
 * yet.  So an execution begins when its first row is fetched, unless it is
 * started ahead (scan.c).
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
	const DynAccess *planned;	/* access plan of the plan node; input.scandesc
								 * has another one if a condition such as
								 * $1 IS NULL is true (plan/paths/choice.c) */

	bool		counted;		/* for a scan that counts rows: true if the one
								 * row with the count was returned */
	ExprState  *checks;			/* fdw_recheck_quals of a count, which core
								 * must not check (dynRecheckForeignScan) */

	struct DynLookups *lookups; /* lookups of a lookup join node (readahead.c);
								 * NULL before its first batch */
	struct DynAsyncGroup *group;	/* group of an asynchronous Append; NULL if
									 * the scan itself waits for rows */
	const struct AsyncRequest *request; /* last request from the Append */
} DynScan;

static inline DynScan *
dyn_scan_of(const DynInput *input)
{
	return input->node->fdw_state;
}

/* Ends the execution, if one runs; requests in flight are abandoned. */
extern void dyn_scan_end_run(DynScan *scan);

#endif

/*
 * scan.h
 *		The executor callbacks of a foreign scan.
 */
#ifndef DYN_EXEC_SCAN_H
#define DYN_EXEC_SCAN_H

#include "foreign/fdwapi.h"

#include "bind.h"
#include "fetch.h"
#include "request.h"
#include "rows.h"

struct DynKeySet;

typedef struct DynScan
{
	DynRelation *relation;
	DynAccess  *access;
	DynRows    *rows;			/* what the scan returns */
	DynRows    *keys;			/* then_base: the base keys, from the index */
	DynCounters counters;
	bool		announced;		/* policy checked, warning given */

	/* run-time values */
	List	   *exprs;			/* of ExprState */
	DynValues	values;

	/* one execution, from the first Iterate after Begin or ReScan */
	MemoryContext run_context;
	bool		running;
	bool		finished;
	DynFetch   *fetch;
	DynRequests *requests;		/* of the fetch whose items are returned */
	DynFetch   *base_fetch;		/* then_base: items of a batch of keys */
	MemoryContext batch_context;
	struct DynKeySet *seen;		/* then_base: keys that were read */
} DynScan;

extern void dynBeginForeignScan(ForeignScanState *node, int eflags);
extern TupleTableSlot *dynIterateForeignScan(ForeignScanState *node);
extern void dynReScanForeignScan(ForeignScanState *node);
extern void dynEndForeignScan(ForeignScanState *node);

/*
 * itemkey.c: the key of the item that was fetched last, asked for again since
 * it was not among the attributes; NULL if it cannot be told.
 */
extern char *dyn_scan_item_key(void *scan);

/* explain.c */
extern void dynExplainForeignScan(ForeignScanState *node, struct ExplainState *es);

#endif

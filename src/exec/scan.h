/*
 * scan.h
 *		The executor callbacks of a foreign scan.
 */
#ifndef DYN_EXEC_SCAN_H
#define DYN_EXEC_SCAN_H

#include "foreign/fdwapi.h"

#include "fetch/bind.h"
#include "fetch/fetch.h"
#include "fetch/request.h"
#include "fetch/rows.h"

struct DynKeySet;

typedef struct DynLookups DynLookups;
typedef struct DynAsync DynAsync;

typedef struct DynScan
{
	ForeignScanState *node;
	DynRelation *relation;
	DynAccess  *access;
	DynRows    *rows;			/* what the scan returns */
	DynRows    *keys;			/* then_base: the base keys, from the index */
	DynCounters counters;
	bool		announced;		/* policy checked, warning given */
	bool		keeps;			/* executions may be repeated as they are */

	/* run-time values */
	List	   *exprs;			/* of ExprState */
	DynValues	values;

	/* one execution, from the first Iterate after Begin or ReScan */
	MemoryContext run_context;
	bool		running;
	bool		ahead;			/* it runs, and no row was asked for yet */
	bool		begun;			/* some execution was asked for rows */
	bool		finished;
	bool		counted;		/* count_only: the row was returned */
	DynFetch   *fetch;
	DynRequests *requests;		/* of the fetch whose items are returned */
	DynFetch   *base_fetch;		/* then_base: items of a batch of keys */
	MemoryContext batch_context;
	struct DynKeySet *seen;		/* then_base: keys that were read */

	/* answers to executions that were announced, over all of them */
	bool		looked_up;		/* somebody announces them */
	DynLookups *lookups;		/* NULL: none was announced yet */
	bool		served;			/* this execution is answered by them */

	DynAsync   *async;			/* NULL: whoever asks for rows waits for them */
} DynScan;

/* Evaluates the run-time values into CurrentMemoryContext. */
extern void dyn_scan_evaluate(DynScan *scan);

/*
 * Starts the fetch of requests whose items go to `rows`; lives in
 * CurrentMemoryContext.
 */
extern DynFetch *dyn_scan_start_fetch(DynScan *scan, DynRequests *requests,
									  const DynRows *rows, bool in_turn);

/*
 * Begins an execution that nobody has asked for yet, and sends its first request
 * if the statement's bounds leave room.
 */
extern void dyn_scan_start_ahead(DynScan *scan);

/* Index, then base: the batch is done; what is waited for is the index again. */
extern void dyn_scan_end_batch(DynScan *scan);

/*
 * Index, then base: collects keys, waiting for them, and starts to read their
 * items; false at the end of the index.
 */
extern bool dyn_scan_start_batch(DynScan *scan);

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

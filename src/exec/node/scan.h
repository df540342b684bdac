/*
 * scan.h
 *		A foreign scan and its executions.
 *
 * DynScan is the state of a ForeignScanState.  The functions are called by the
 * scan's own callbacks (foreign_scan.c) and those for an asynchronous Append
 * (async.c).  The early start (early_start.c) and the node that reads outer
 * rows ahead (readahead.c) also call them.
 *
 * Creating or rescanning a node does not begin an execution, because outer
 * parameters may have no values yet; dyn_scan_begin_run does.
 */
#ifndef DYN_EXEC_SCAN_H
#define DYN_EXEC_SCAN_H

#include "nodes/execnodes.h"

#include "../source/input.h"

struct DynAsyncGroup;

typedef struct DynScan
{
	DynInput	input;
	const DynAccess *planned;	/* access plan of the plan node; the scan
								 * descriptor has a different one if a guard
								 * (plan/paths/choice.c) is true; NULL: not
								 * prepared to run */

	/* one execution */
	DynItems   *items;			/* source of the execution; NULL: no execution
								 * runs, or the execution cannot start ahead */
	bool		finished;
	bool		counted;		/* count_only: true if the row of the count was
								 * returned */
	ExprState  *checks;			/* fdw_recheck_quals of the node, hidden from
								 * core (dynRecheckForeignScan) */

	struct DynAsyncGroup *group;	/* group of an asynchronous Append; NULL:
									 * the scan waits for its rows itself */
	const struct AsyncRequest *request; /* last request from this Append */
	bool		left_out;		/* true if the group does not wait for this
								 * scan's requests */
} DynScan;

/*
 * Returns the state of a node, with the data for EXPLAIN; dyn_scan_prepare
 * then prepares it to run.  Uses CurrentMemoryContext, which must live as long
 * as the node.
 */
extern DynScan *dyn_scan_create(ForeignScanState *node, DynRelation *relation);
extern void dyn_scan_prepare(DynScan *scan, int eflags);

/*
 * Begins an execution.  The arms of an OR send their first requests now
 * (united.c), all other sources when rows are requested.
 */
extern void dyn_scan_begin_run(DynScan *scan);

/*
 * Begins an execution whose rows were not requested yet, and sends its first
 * request if the limits of the statement allow it.
 */
extern void dyn_scan_start_ahead(DynScan *scan);

/* Returns the fetch that the running execution waits for, or NULL. */
extern DynFetch *dyn_scan_awaited_fetch(const DynScan *scan);

static inline DynScan *
dyn_scan_of(const DynInput *input)
{
	return input->node->fdw_state;
}

/*
 * Stores the next row.  The slot is empty at the end of the execution or, in
 * an asynchronous group, if the scan would have to wait.  Raises errors of
 * requests and items.
 */
extern void dyn_scan_next(DynScan *scan, TupleTableSlot *slot);

/*
 * Restarts the running execution at its first row, without a request.  Returns
 * false if that is not possible.
 */
extern bool dyn_scan_repeat_run(DynScan *scan);

/* Ends the execution, if one runs; requests in flight are abandoned. */
extern void dyn_scan_end_run(DynScan *scan);

/*
 * Sends the first requests of independent scans together (early_start.c).
 * PostgreSQL requests rows from the nodes of a plan one after the other: a
 * join of two item collections, each with a constant key, would wait for the
 * first response before the second request is sent.  When the first scan of a
 * plan or subplan has begun to run, this function starts the other scans that
 * will very likely be read as well, within the statement's limits.  Responses,
 * including errors, wait until the first row of their scan is requested.
 */
extern void dyn_start_early(const DynScan *scan);

extern void dyn_scan_free(DynScan *scan);

#endif

/*
 * scan.h
 *		A foreign scan and its executions.
 *
 * The state of a ForeignScanState, and what the nodes of a statement do with
 * it: the scan's own callbacks (foreign_scan.c), an Append that does not wait
 * (async.c), scans that start ahead of their turn (early_start.c), and what reads
 * the outer rows of a loop ahead (readahead.c).
 *
 * An execution begins at the first call of dyn_scan_begin_run after the node was
 * made or rescanned, since outer parameters have no values before.
 */
#ifndef DYN_EXEC_SCAN_H
#define DYN_EXEC_SCAN_H

#include "nodes/execnodes.h"

#include "../source/fallback.h"
#include "../source/looked_up.h"
#include "../source/united.h"

struct DynAsyncGroup;

typedef struct DynScan
{
	DynInput	input;
	const DynAccess *planned;	/* with gates, of which one may be open: then the
								 * reader's is another one; NULL: not known */
	bool		runs_once;		/* there is one execution; set if it may be
								 * bounded */
	DynLookedUp *looked_up;		/* NULL: no batch of executions was begun */
	DynFallback *fallback;		/* NULL: the table never answers */
	DynUnited  *united;			/* NULL: the access plan is not a union */

	/* one execution */
	DynItems   *items;			/* NULL: ahead of its turn, it would have to fall
								 * back */
	bool		ahead;			/* it runs, and no row was asked for yet */
	bool		finished;
	bool		counted;		/* count_only: the row was returned */
	ExprState  *checks;			/* fdw_recheck_quals, while core has none */

	struct DynAsyncGroup *group;	/* of an asynchronous Append; NULL: the
									 * scan waits for its rows itself */
	const struct AsyncRequest *request; /* of that Append: the last */
	bool		left_out;		/* the group does not wait for what this
								 * execution has in flight */
} DynScan;

/*
 * The state of a node, with what EXPLAIN shows; dyn_scan_prepare makes it ready
 * to run.  CurrentMemoryContext, which must live as long as the node.
 */
extern DynScan *dyn_scan_create(ForeignScanState *node, DynRelation *relation);
extern void dyn_scan_prepare(DynScan *scan, int eflags);

/*
 * Evaluates the run-time values into CurrentMemoryContext, and returns them in
 * input.next_values: those of the running execution stay as they are.
 */
extern const DynValues *dyn_scan_evaluate_next(DynScan *scan);

/* Begins an execution: sends nothing before rows are asked for. */
extern void dyn_scan_begin_run(DynScan *scan);

/*
 * Begins an execution that nobody has asked for yet, and sends its first request
 * if the statement's bounds leave room.
 */
extern void dyn_scan_start_ahead(DynScan *scan);

/* What the execution waits for, if one runs; or NULL. */
extern DynFetch *dyn_scan_awaited_fetch(const DynScan *scan);

/* The state of the scan that this is part of. */
static inline DynScan *
dyn_scan_of(const DynInput *input)
{
	return input->node->fdw_state;
}

/*
 * Stores the next row; none at the end, when the execution is finished, nor in a
 * group where it would have to wait.  Raises errors.
 */
extern void dyn_scan_next(DynScan *scan, TupleTableSlot *slot);

/*
 * Makes the execution that runs begin again at its first row, without a request;
 * false if that cannot be done.
 */
extern bool dyn_scan_repeat_run(DynScan *scan);

/* Ends the execution, if one runs; requests in flight are abandoned. */
extern void dyn_scan_end_run(DynScan *scan);

/* The end of the scan. */
extern void dyn_scan_free(DynScan *scan);

#endif

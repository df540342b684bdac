/*
 * input.h
 *		Input of a scan: its scan descriptor, its values, and everything else
 *		that sources know about it.
 *
 * It is part of the scan's state (DynScan).  A statement's inputs are listed
 * in DynStatement, so that those with the same read find each other.
 */
#ifndef DYN_EXEC_INPUT_H
#define DYN_EXEC_INPUT_H

#include "nodes/execnodes.h"

#include "../fetch/scandesc.h"
#include "../statement/values.h"

typedef struct DynCaching DynCaching;
typedef struct DynSharing DynSharing;

typedef struct DynInput
{
	ForeignScanState *node;
	DynScanDesc *scandesc;

	/*
	 * Called before one of the scan's descriptors starts requests, by scan.c,
	 * fallback.c and united.c; may raise an error.  Not called for shared and
	 * cached reads.
	 */
	void		(*permit) (struct DynInput *input, DynScanDesc *scandesc);

	/* run-time values */
	List	   *exprs;			/* list of ExprState */
	List	   *conversions;	/* list of DynConversion * */
	DynValues	values;			/* values of the current execution */
	DynValues	next_values;	/* values of a prefetched execution */

	/* executions */
	MemoryContext run_context;	/* context of one execution */
	bool		running;
	bool		begun;			/* true if an execution was started */
	bool		has_prefetcher; /* true if a node prefetches for this scan */
	bool		requested;		/* true if an execution has sent requests of
								 * its own */

	/* counts over all executions, for EXPLAIN */
	uint64		fallbacks;		/* number of executions or arms served from the
								 * table */
	uint64		duplicates;		/* number of items that an arm of an OR read
								 * after another arm had returned them */

	DynCaching *caching;		/* state of cached reads, or NULL */
	DynSharing *sharing;		/* state of a shared read, or NULL */
	bool		reads_alone;	/* true if it cannot share a read */
} DynInput;

/* Evaluates one of its lists of values, into CurrentMemoryContext. */
static inline void
dyn_input_evaluate(DynInput *input, DynValues *values)
{
	dyn_values_evaluate(values, input->exprs, input->conversions,
						input->node->ss.ps.ps_ExprContext);
}

#endif

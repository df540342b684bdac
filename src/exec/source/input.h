/*
 * input.h
 *		What a scan reads, and with which values: all that sources know of it.
 *
 * It is part of the scan's state (DynScan).  A statement's inputs are listed in
 * DynStatement, so that those that would read the same find each other.
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

	/* Called before one of the scan's readers starts requests: may raise an error. */
	void		(*permit) (struct DynInput *input, DynScanDesc *scandesc);

	/* run-time values */
	List	   *exprs;			/* of ExprState */
	List	   *conversions;	/* of DynConversion * */
	DynValues	values;			/* of the execution */
	DynValues	next_values;	/* of one that is prefetched for */

	/* executions */
	MemoryContext run_context;	/* of one */
	bool		running;
	bool		begun;			/* some execution was asked for rows */
	bool		has_prefetcher; /* a node prefetches for this scan */
	bool		requested;		/* some execution has sent requests itself */

	/* of all executions, for EXPLAIN */
	uint64		fallbacks;		/* that the table answered, or arms of an OR that
								 * it answered */
	uint64		duplicates;		/* items that an arm of an OR read after another
								 * had returned them */

	DynCaching *caching;		/* what is kept for executions; or NULL */
	DynSharing *sharing;		/* the part in a shared read; or NULL */
	bool		reads_alone;	/* nor can there be one */
} DynInput;

/* Evaluates one of its lists of values, into CurrentMemoryContext. */
static inline void
dyn_input_evaluate(DynInput *input, DynValues *values)
{
	dyn_values_evaluate(values, input->exprs, input->conversions,
						input->node->ss.ps.ps_ExprContext);
}

#endif

/*
 * checked.h
 *		Rows that are checked by conditions before the executor sees them.
 *
 * What an access plan's own requests would enforce has to be checked where other
 * requests are made instead of them.  Decoded values and those of conditions
 * live until the next row.
 */
#ifndef DYN_EXEC_CHECKED_H
#define DYN_EXEC_CHECKED_H

#include "nodes/execnodes.h"

#include "items.h"

typedef struct DynChecker
{
	ForeignScanState *node;
	ExprState  *qual;			/* NULL: every row passes */
	bool		counts;			/* rows that do not pass count as removed by the
								 * node's filter */
	ExprContext *econtext;		/* of a row */
} DynChecker;

extern void dyn_checker_init(DynChecker *checker, ForeignScanState *node,
							 ExprState *qual, bool counts);

/* Stores the next row of the items that passes, as next_row (items.h). */
extern DynFetchState dyn_checker_next_row(const DynChecker *checker,
										  DynItems *items, TupleTableSlot *slot,
										  bool wait);

#endif

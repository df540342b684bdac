/*
 * checked.h
 *		Checks rows by conditions before the executor sees them.
 *
 * Conditions that an access plan's own requests would enforce must be checked
 * where other requests replace them.  Decoded values and those of conditions
 * live until the next row.
 */
#ifndef DYN_EXEC_CHECKED_H
#define DYN_EXEC_CHECKED_H

#include "nodes/execnodes.h"

#include "items.h"

typedef struct DynChecker
{
	ForeignScanState *node;
	ExprState  *qual;			/* conditions; NULL: every row passes */
	bool		counts;			/* true if rejected rows count as removed by
								 * the node's filter */
	ExprContext *econtext;		/* expression context of a row */
} DynChecker;

extern void dyn_checker_init(DynChecker *checker, ForeignScanState *node,
							 ExprState *qual, bool counts);

/* Stores the next row of the items that passes, as next_row (items.h). */
extern DynFetchState dyn_checker_next_row(const DynChecker *checker,
										  DynItems *items, TupleTableSlot *slot,
										  bool wait);

#endif

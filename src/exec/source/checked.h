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

/* Stores the next row of the items that passes; false at the end. */
extern bool dyn_checker_next_row(const DynChecker *checker, DynItems *items,
								 TupleTableSlot *slot);

/* By columns of the scan's tuples. */
typedef struct DynSortOrder
{
	int			n;				/* 0: as the rows come */
	AttrNumber *columns;
	Oid		   *operators;
	Oid		   *collations;
	bool	   *nulls_first;
} DynSortOrder;

typedef struct DynCheckedSpec
{
	const DynChecker *checker;
	const DynSortOrder *order;

	/* Called at the end if no row has passed; NULL: nothing is. */
	void		(*found_nothing) (void *arg);
	void	   *arg;
} DynCheckedSpec;

/*
 * A source of those rows, with the items, which it closes.  In
 * CurrentMemoryContext; so is what is sorted.
 */
extern DynItems *dyn_checked_create(const DynCheckedSpec *spec, DynItems *items);

#endif

/*
 * fallback.h
 *		Executions that the table answers, since the planned index may not hold
 *		all that they select (plan/keys/index_complete.h).
 *
 * Whether it does depends on an execution's values.  The table is then read by
 * its key or by a Scan; since the plan leaves out the checks that the index's
 * requests would make, all of them are made here, and rows that the index would
 * give in order are sorted.
 *
 * Legal order: dyn_fallback_create once; for an execution of this kind
 * dyn_fallback_start, then dyn_fallback_next until it returns false or
 * dyn_fallback_count once, and dyn_fallback_rewind in between; at its end
 * dyn_fallback_stop.
 */
#ifndef DYN_EXEC_FALLBACK_H
#define DYN_EXEC_FALLBACK_H

#include "scan.h"

/* NULL if the access plan has none. */
extern DynFallback *dyn_fallback_create(DynScan *scan);

/* Of the table's items. */
extern DynRows *dyn_fallback_rows(const DynFallback *fallback);

/*
 * What reads the table for the execution that begins; NULL if one with the same
 * values is known to have found nothing.
 */
extern DynReader *dyn_fallback_start(DynScan *scan);

/* Stores the next row of scan->items that satisfies all conditions. */
extern bool dyn_fallback_next(DynScan *scan, TupleTableSlot *slot);
extern uint64 dyn_fallback_count(DynScan *scan, TupleTableSlot *slot);

/* As dyn_items_rewind. */
extern bool dyn_fallback_rewind(DynScan *scan);
extern void dyn_fallback_stop(DynScan *scan);

/* Executions so far. */
extern uint64 dyn_fallback_executions(const DynFallback *fallback);

#endif

/*
 * union.h
 *		Executes a union: reads the arms of an OR, and returns each row once.
 *
 * The arms are read one after the other; if all rows will be wanted, their first
 * requests are sent together.  Items are told apart by their key of the
 * table.  A row is first checked by all conditions of the scan, and only then
 * its item counts as returned: an arm may read an outdated entry of an index,
 * and must not hide the item that another arm reads.
 *
 * The keys of returned items are kept in a hash table.  When that takes the
 * memory it may, further rows go to a sort, which may use a temporary file, and
 * are returned at the end.  All rows of an item are from the same read of it.
 *
 * Legal order: dyn_union_create once.  For an execution: dyn_union_begin; for
 * each arm dyn_union_resolve; dyn_union_start; then dyn_union_next until it
 * returns false; dyn_union_stop at any time.  An execution is not repeated from
 * what it read, but begun again.
 */
#ifndef DYN_EXEC_UNION_H
#define DYN_EXEC_UNION_H

#include "scan.h"

/*
 * NULL if the scan's access plan is not a union.  From now on the union checks
 * the node's conditions.
 */
extern DynUnion *dyn_union_create(DynScan *scan);

/* Begins an execution, in the scan's run_context, which is current. */
extern void dyn_union_begin(DynScan *scan);

/*
 * The reader that will answer the arm with the scan's values: its own, or that
 * of the table; NULL if no item can qualify.
 */
extern DynReader *dyn_union_resolve(DynScan *scan, int arm);

extern void dyn_union_start(DynScan *scan);

/* The fetch that is waited for; NULL: none. */
extern DynFetch *dyn_union_awaited(const DynUnion *uni);

/* Stores the next row that satisfies all conditions; false at the end. */
extern bool dyn_union_next(DynScan *scan, TupleTableSlot *slot);

extern void dyn_union_stop(DynScan *scan);

/* Of all executions: items that an arm read after another had returned them. */
extern uint64 dyn_union_duplicates(const DynUnion *uni);

/* Arms that the table answered instead of their index. */
extern uint64 dyn_union_fallbacks(const DynUnion *uni);

#endif

/*
 * unused_columns.h
 *		Finds columns and template attributes that no row of a foreign table
 *		has.
 *
 * Such names are usually misspelled.  An empty foreign table shows nothing of
 * this kind.
 */
#ifndef DYN_COMMAND_UNUSED_COLUMNS_H
#define DYN_COMMAND_UNUSED_COLUMNS_H

#include "executor/tuptable.h"

#include "item_scan.h"

typedef struct DynUnusedColumns DynUnusedColumns;

/*
 * Returns a new state, and adds slots to the Scan for the values it checks.
 * Allocated in CurrentMemoryContext.
 */
extern DynUnusedColumns *dyn_unused_create(const DynRelation *relation,
										   DynItemScan *scan);

/*
 * Records an item, whether or not it is a row, from the values of all slots.
 */
extern void dyn_unused_see_item(DynUnusedColumns *unused, const DynValue *values,
								bool is_row);

/* Records a row of that item. */
extern void dyn_unused_see_row(DynUnusedColumns *unused, const TupleTableSlot *slot);

/* Records that the column has a value, though none that matches its type. */
extern void dyn_unused_see_value(DynUnusedColumns *unused, AttrNumber attnum);

/*
 * Calls `each` for everything that was not seen; `attnum` is 0 if it is not a
 * column.
 */
extern void dyn_unused_report(const DynUnusedColumns *unused,
							  void (*each) (void *arg, AttrNumber attnum,
											const char *what),
							  void *arg);

#endif

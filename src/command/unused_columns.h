/*
 * unused_columns.h
 *		What the rows of a foreign table never have: columns without a value, and
 *		attributes that only a template names.
 *
 * Mostly they are misspelt.  An empty foreign table shows nothing of the kind.
 */
#ifndef DYN_COMMAND_NEVER_SEEN_H
#define DYN_COMMAND_NEVER_SEEN_H

#include "executor/tuptable.h"

#include "item_scan.h"

typedef struct DynUnusedColumns DynUnusedColumns;

/* Adds slots to the Scan for what it looks at.  In CurrentMemoryContext. */
extern DynUnusedColumns *dyn_unused_create(const DynRelation *relation,
										   DynItemScan *scan);

/* An item, whether or not it is a row; the values of all slots. */
extern void dyn_unused_see_item(DynUnusedColumns *unused, const DynValue *values,
								bool is_row);

/* A row of that item. */
extern void dyn_unused_see_row(DynUnusedColumns *unused, const TupleTableSlot *slot);

/* The column has a value, though none that fits. */
extern void dyn_unused_see_value(DynUnusedColumns *unused, AttrNumber attnum);

/* Calls `each` for what was not seen; `attnum` is 0 if it is no column. */
extern void dyn_unused_report(const DynUnusedColumns *unused,
							  void (*each) (void *arg, AttrNumber attnum,
											const char *what),
							  void *arg);

#endif

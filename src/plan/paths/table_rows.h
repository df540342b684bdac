/*
 * table_rows.h
 *		Estimates the number of items in a table, and of the rows they contain.
 */
#ifndef DYN_PLAN_TABLE_ROWS_H
#define DYN_PLAN_TABLE_ROWS_H

#include "storage/block.h"

#include "../keys/match_keys.h"

/* Returns the table's size in PostgreSQL pages (at least 1). */
extern BlockNumber dyn_table_pages(const DynTableMeta *meta);

/*
 * dyn_table_rows returns the rows of the table: from its statistics, scaled by
 * the growth of the table since.  If the table was never analyzed, they are
 * from the description, and an item filter passes one item in five.
 * dyn_table_items returns the same including items that are not rows.  An item
 * of an unnested table is assumed to have three rows.
 */
extern double dyn_table_rows(const RelOptInfo *baserel, const DynRelPlan *plan);
extern double dyn_table_items(const RelOptInfo *baserel, const DynRelPlan *plan);

/*
 * Returns the rows per item that passes the item filter, from the numbers
 * above.
 */
extern double dyn_item_rows(const RelOptInfo *baserel, const DynRelPlan *plan);

#endif

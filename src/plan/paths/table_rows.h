/*
 * table_rows.h
 *		How many items a table has, and how many rows they give.
 */
#ifndef DYN_PLAN_TABLE_ROWS_H
#define DYN_PLAN_TABLE_ROWS_H

#include "storage/block.h"

#include "../keys/match_keys.h"

/* The table's size in PostgreSQL pages; at least 1. */
extern BlockNumber dyn_table_pages(const DynTableMeta *meta);

/*
 * Rows of the table: from its statistics, scaled by the growth of the table
 * since; if it was never analysed, from the description, of which a row test
 * keeps one in five.  Items: the same, with those that are no rows.  An item of
 * an unnested table is taken to have three rows.
 */
extern double dyn_table_rows(const RelOptInfo *baserel, const DynRelPlan *plan);
extern double dyn_table_items(const RelOptInfo *baserel, const DynRelPlan *plan);

/* Rows of an item that passes the row test, from the numbers above. */
extern double dyn_item_rows(const RelOptInfo *baserel, const DynRelPlan *plan);

#endif

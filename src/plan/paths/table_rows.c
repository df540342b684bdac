/*
 * table_rows.c
 *		Estimates the items and rows of a table.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/optimizer.h"

#include "table_rows.h"

#define UNKNOWN_ITEMS		1000.0
#define ROW_SHARE			0.2 /* fraction of items if there is an item
								 * filter */
#define ITEM_ROWS			3.0 /* rows per item if the table is unnested */

BlockNumber
dyn_table_pages(const DynTableMeta *meta)
{
	double		pages = ceil((double) meta->size_bytes / BLCKSZ);

	return (BlockNumber) Max(1, Min(pages, MaxBlockNumber));
}

static double
described_items(const DynTableMeta *meta)
{
	return meta->item_count > 0 ? (double) meta->item_count : UNKNOWN_ITEMS;
}

static double
assumed_rows(const DynRelPlan *plan)
{
	double		rows = described_items(plan->meta);

	if (dyn_relation_may_reject_items(plan->relation))
		rows = clamp_row_est(rows * ROW_SHARE);
	return plan->relation->unnest != NULL ? rows * ITEM_ROWS : rows;
}

/*
 * Scales the rows by the current pages, as core does for local tables.  A
 * single page is not scaled: the table was tiny, or so new that DynamoDB had
 * not counted it yet.  An empty table is expected to grow.
 */
double
dyn_table_rows(const RelOptInfo *baserel, const DynRelPlan *plan)
{
	const DynTableMeta *meta = plan->meta;
	double		pages = dyn_table_pages(meta);

	if (baserel->tuples <= 0 || (baserel->pages <= 1 && pages > 1))
		return assumed_rows(plan);
	if (meta->size_bytes == 0 || baserel->pages <= 1)
		return baserel->tuples;
	return clamp_row_est(baserel->tuples * pages / baserel->pages);
}

double
dyn_table_items(const RelOptInfo *baserel, const DynRelPlan *plan)
{
	double		rows = dyn_table_rows(baserel, plan);

	if (plan->relation->unnest != NULL)
		return plan->meta->item_count > 0 ? (double) plan->meta->item_count
			: clamp_row_est(rows / ITEM_ROWS);
	return !dyn_relation_may_reject_items(plan->relation) ? rows
		: Max(rows, described_items(plan->meta));
}

double
dyn_item_rows(const RelOptInfo *baserel, const DynRelPlan *plan)
{
	if (plan->relation->unnest == NULL)
		return 1;
	return dyn_relation_may_reject_items(plan->relation) ? ITEM_ROWS
		: baserel->tuples / plan->items;
}

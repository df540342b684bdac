/*
 * first_page.h
 *		Computes the number of items that the first page of a scan needs.
 *
 * DynamoDB charges for the items of a page, so a scan limits its first page if
 * the statement needs only a few rows.  Later pages are larger
 * (exec/fetch/stream.c), so a limit that is too small costs requests, but
 * never rows.
 */
#ifndef DYN_PLAN_FIRST_PAGE_H
#define DYN_PLAN_FIRST_PAGE_H

#include "../keys/match_keys.h"

/*
 * Returns the number of items that are expected to contain `rows` rows; 0 if a
 * hint would not be worth it.  If some items are not rows, or `rows` is only
 * `roughly` known, returns the number of items that cost no more than one.
 */
extern int	dyn_items_of_rows(PlannerInfo *root, RelOptInfo *baserel,
							  const DynAccess *access, List *clauses,
							  double rows, bool roughly);

/*
 * Returns the items of the first page of a path with these pathkeys, if the
 * LIMIT of the query level applies to its rows; 0: a full page.  Rows in the
 * order of the first sort keys are sorted in groups (Incremental Sort), the
 * last of which is read to its end.
 */
extern int	dyn_limit_hint(PlannerInfo *root, RelOptInfo *baserel,
						   List *pathkeys, const DynAccess *access,
						   List *clauses);

/*
 * Returns the number of query levels that core creates for min and max, a
 * LIMIT 1 for each, if this is one of them; else 1.  Their first requests are
 * sent together (exec/node/early_start.c).
 */
extern int	dyn_ends_together(const PlannerInfo *root);

#endif

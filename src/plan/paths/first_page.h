/*
 * first_page.h
 *		How many items the first page of a scan needs.
 *
 * DynamoDB charges for the items of a page, so a scan of which the statement
 * needs few rows asks for few.  Later pages are larger (exec/fetch/stream.c),
 * so what is too small costs requests, but never rows.
 */
#ifndef DYN_PLAN_FIRST_PAGE_H
#define DYN_PLAN_FIRST_PAGE_H

#include "../keys/match_keys.h"

/*
 * The items among which so many rows are expected; 0: more than are worth a
 * hint.  Where some items are no rows, or these are that many
 * `roughly`, as many as cost no more than one.
 */
extern int	dyn_items_of_rows(PlannerInfo *root, RelOptInfo *baserel,
							  const DynAccess *access, List *clauses,
							  double rows, bool roughly);

/*
 * The items of the first page of a path with these pathkeys, if the LIMIT of
 * the query level applies to its rows; 0: as many as fit.  Rows in the order of
 * the first sort keys are sorted in groups (Incremental Sort), the last of
 * which is read to its end.
 */
extern int	dyn_limit_hint(PlannerInfo *root, RelOptInfo *baserel,
						   List *pathkeys, const DynAccess *access,
						   List *clauses);

/*
 * The number of query levels that core makes of min and max, a LIMIT 1 for each,
 * if this is one of them; else 1.  Their first requests are sent together
 * (exec/node/early_start.c).
 */
extern int	dyn_ends_together(const PlannerInfo *root);

#endif

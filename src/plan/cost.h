/*
 * cost.h
 *		Costs of access plans: round trips first, read units next, rows last.
 *
 * Sizes are from the description (zero means unknown) or, after ANALYZE, from
 * statistics.  The order of costs matters more than accuracy: for the same
 * rows GetItem is always cheaper than Query, and Query than Scan.
 */
#ifndef DYN_PLAN_COST_H
#define DYN_PLAN_COST_H

#include "utils/selfuncs.h"

#include "match_keys.h"

/* The table's size in PostgreSQL pages; at least 1. */
extern BlockNumber dyn_table_pages(const DynTableMeta *meta);

/*
 * Rows of the table: from its statistics, scaled by the growth of the table
 * since; if it was never analysed, from the description.
 */
extern double dyn_table_rows(const RelOptInfo *baserel, const DynTableMeta *meta);

/* Estimated maximum number of keys that the access plan reads. */
extern double dyn_access_keys(PlannerInfo *root, const DynAccess *access);

/*
 * Estimated maximum number of items under the keys that the access plan reads.
 * If values of other tables give the partition key, item collections are taken
 * to be as long as those that ANALYZE saw, or short if the table was never
 * analysed: by default the planner would assume 200 partition keys, and scan a
 * large table rather than look up a few keys.
 */
extern double dyn_access_most_items(PlannerInfo *root, RelOptInfo *baserel,
									const DynAccess *access);

/* Is the access plan keyed, and expected to send a single request? */
extern bool dyn_access_is_one_request(PlannerInfo *root, RelOptInfo *baserel,
									  const DynAccess *access);

/*
 * Costs of a path that returns `rows` rows.  The selectivity of
 * `access->key_rinfos` gives the number of items that the requests examine.
 */
extern void dyn_cost_access(PlannerInfo *root, RelOptInfo *baserel,
							const DynAccess *access, double rows,
							Cost *startup, Cost *total);

/* Requests in flight, if a path or plan does not give the connection. */
#define DYN_USUAL_CONCURRENCY		16

/* Executions of one keyed path that are batched. */
typedef struct DynLookupEstimate
{
	DynAccessKind kind;
	double		executions;
	double		keys;			/* distinct ones */
	double		concurrency;	/* requests in flight */
	Cost		round_trip;		/* part of each execution's costs */
	Cost		execution;		/* of one of them, not batched */
} DynLookupEstimate;

extern void dyn_cost_lookups(const DynLookupEstimate *estimate,
							 Cost *startup, Cost *total);

#endif

/*
 * cost.h
 *		What an access plan costs: round trips first, read units next, rows last.
 *
 * Sizes come from the description (zero means unknown) or, once a table was
 * analysed, from its statistics.  Accuracy matters less than order: for the
 * same rows GetItem is cheaper than Query, and Query than Scan, always.
 */
#ifndef DYN_PLAN_COST_H
#define DYN_PLAN_COST_H

#include "utils/selfuncs.h"

#include "match_keys.h"

/* The table's size in pages of PostgreSQL's; at least 1. */
extern BlockNumber dyn_table_pages(const DynTableMeta *meta);

/*
 * Rows of the table: from its statistics, in proportion to how the table has
 * grown since; if it was never analysed, from the description.
 */
extern double dyn_table_rows(const RelOptInfo *baserel, const DynTableMeta *meta);

/* At most how many keys the access plan reads, guessed. */
extern double dyn_access_keys(PlannerInfo *root, const DynAccess *access);

/*
 * At most how many items the keys have that the access plan reads.  Where other
 * tables bind the partition key, an item collection counts as long as those
 * that ANALYZE saw, and as short if it saw none: the planner would take a
 * two-hundredth of the table for one, and scan a large table rather than look up
 * a few keys.
 */
extern double dyn_access_most_items(PlannerInfo *root, RelOptInfo *baserel,
									const DynAccess *access);

/* Is the access plan, by key, expected to send a single request? */
extern bool dyn_access_is_one_request(PlannerInfo *root, RelOptInfo *baserel,
									  const DynAccess *access);

/*
 * Costs of a path that emits `rows` rows.  `access->key_rinfos` tells how many
 * items the requests examine.
 */
extern void dyn_cost_access(PlannerInfo *root, RelOptInfo *baserel,
							const DynAccess *access, double rows,
							Cost *startup, Cost *total);

/* Requests in flight, where a path or plan does not tell the connection. */
#define DYN_USUAL_CONCURRENCY		16

/* Executions of one path by key that are answered together. */
typedef struct DynLookupEstimate
{
	DynAccessKind kind;
	double		executions;
	double		keys;			/* distinct ones */
	double		concurrency;			/* requests in flight */
	Cost		round_trip;		/* part of each execution's costs */
	Cost		execution;		/* of one of them alone */
} DynLookupEstimate;

extern void dyn_cost_lookups(const DynLookupEstimate *estimate,
							 Cost *startup, Cost *total);

#endif

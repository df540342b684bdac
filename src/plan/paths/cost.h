/*
 * cost.h
 *		Computes costs of access plans: round trips, read units, and the time
 *		that the table's capacity needs for them.
 *
 * Sizes are from the description (zero may mean unknown) or, after ANALYZE,
 * from statistics.  For the same rows GetItem is always cheaper than Query,
 * and Query than Scan.
 */
#ifndef DYN_PLAN_COST_H
#define DYN_PLAN_COST_H

#include "utils/selfuncs.h"

#include "../keys/match_keys.h"

/*
 * Returns the expected number of rows per item that the access plan examines:
 * those of the items with its key that also satisfy the clauses.
 */
extern double dyn_rows_per_item(const DynRelPlan *plan,
								const DynAccess *access, List *clauses);

/*
 * Returns the fraction of an item's bytes that a response contains, estimated
 * from the widths of the plan's columns.
 */
extern double dyn_fetched_part(const DynRelPlan *plan);

/* Returns the estimated maximum number of rows in the items that are read. */
extern double dyn_access_most_rows(const DynRelPlan *plan,
								   const DynAccess *access);

/*
 * Returns true if the access plan is keyed and expected to send one request;
 * called after dyn_estimate_access.
 */
extern bool dyn_access_is_one_request(const DynAccess *access);

/*
 * Returns true if the access plan reads several keys, by requests that are
 * expected to be in flight together, and to cost no more than a page.
 */
extern bool dyn_access_is_one_round(const DynAccess *access);

/*
 * Estimates the reads of one execution, and their prices.  The selectivity of
 * `access->key_rinfos` gives the number of items that the requests examine.
 */
extern void dyn_estimate_access(const DynRelPlan *plan,
								const DynAccess *access,
								DynEstimate *estimate);

/*
 * Computes costs of a path that returns `rows` rows; `repeated` is true if it
 * is executed for each row of another relation.
 */
extern void dyn_cost_estimate(const DynEstimate *estimate, DynAccessKind kind,
							  bool repeated, double rows, Cost *startup,
							  Cost *total);

/*
 * Return the rows and the read units of Queries, if each partition is as large
 * as a page.  Before ANALYZE that is the assumption for partitions that a
 * statement names, if it must not read them several times.
 */
extern double dyn_estimate_page_rows(const DynRelPlan *plan,
									 const DynEstimate *estimate);
extern double dyn_estimate_page_units(const DynEstimate *estimate);

/* Returns the part of the cost that is local CPU time. */
extern double dyn_estimate_local_cost(const DynEstimate *estimate, double rows);

/* Returns the least cost of a less direct access to the same rows. */
static inline Cost
dyn_less_direct_cost(Cost cost)
{
	return cost * 1.02 + 1;
}

/* Items per partition key, without statistics. */
#define DYN_COLLECTION_ITEMS	50.0

/*
 * Returns true if the column is a partition key, of the table or of a global
 * index, whose number of items per value is our guess, not core's default.
 */
extern bool dyn_collections_are_unknown(const RelOptInfo *rel,
										AttrNumber attnum);

/* Batched executions of one keyed path */
typedef struct DynLookupCost
{
	const DynEstimate *estimate;	/* estimate of one execution's requests */
	DynAccessKind kind;
	double		executions;
	double		keys;			/* number of distinct keys */
	double		page_keys;		/* the same, if a named partition is as large
								 * as a page, and reading that costs less; 0:
								 * not assumed */
	bool		first_only;		/* true if one row of each key is enough */
	Cost		startup;		/* startup cost of one execution, not
								 * batched */
	Cost		execution;		/* total cost of one execution, maybe including
								 * other nodes */
} DynLookupCost;

extern void dyn_cost_lookups(const DynLookupCost *lookups, Cost *startup,
							 Cost *total);

#endif

/*
 * cost.h
 *		Computes the costs of access plans from round trips, read units, and
 *		waiting for the table's capacity.
 *
 * Sizes are from the table's description (zero may mean unknown) or, after
 * ANALYZE, from statistics.  For the same rows GetItem is always cheaper than
 * Query, and Query is always cheaper than Scan.
 */
#ifndef DYN_PLAN_COST_H
#define DYN_PLAN_COST_H

#include "utils/selfuncs.h"

#include "../keys/match_keys.h"

/*
 * Returns the selectivity of clauses (RestrictInfo *).  Core gets the id of the
 * relation, so that it does not cache the result as the selectivity of a join.
 */
extern double dyn_selectivity(const DynRelPlan *plan, List *clauses);

/*
 * Returns the expected number of rows that satisfy all of `clauses`
 * (RestrictInfo *), for each item that the access plan examines.  Examined
 * items satisfy the clauses that are matched to keys.
 */
extern double dyn_rows_per_item(const DynRelPlan *plan,
								const DynAccess *access, List *clauses);

/* Returns the estimated maximum number of rows that the access plan reads. */
extern double dyn_access_most_rows(const DynRelPlan *plan,
								   const DynAccess *access);

/*
 * Returns true if the access plan reads by key, and is expected to send one
 * request.  Needs access->estimate.
 */
extern bool dyn_access_is_one_request(const DynAccess *access);

/*
 * Returns true if the access plan reads several keys, by requests that are
 * expected to be in flight together and to use no more read units than one
 * full page.  Needs access->estimate.
 */
extern bool dyn_access_is_one_round(const DynAccess *access);

/*
 * Estimates the reads of one execution, and their prices.  The number of items
 * that the requests examine follows from the selectivity of
 * access->key_rinfos.
 */
extern void dyn_estimate_access(const DynRelPlan *plan,
								const DynAccess *access,
								DynEstimate *estimate);

/*
 * Computes the costs of a path with this number of rows; `repeated` is true if
 * the path is executed for each row of another relation.
 */
extern void dyn_cost_estimate(const DynEstimate *estimate, DynAccessKind kind,
							  bool repeated, double rows, Cost *startup,
							  Cost *total);

/*
 * Return the number of rows and of read units of Queries if each partition is
 * as large as a page.  Before ANALYZE, lookup joins assume this size for
 * partitions that the statement names, because an underestimate would lead to
 * many lookups.
 */
extern double dyn_estimate_page_rows(const DynRelPlan *plan,
									 const DynEstimate *estimate);
extern double dyn_estimate_page_units(const DynEstimate *estimate);

/* Returns the part of a path's cost that is local CPU time, not waiting. */
extern double dyn_estimate_local_cost(const DynEstimate *estimate, double rows);

/*
 * Adds a margin to the cost of an access.  A less direct kind of access to the
 * same rows costs at least the result.
 */
static inline Cost
dyn_less_direct_cost(Cost cost)
{
	return cost * 1.02 + 1;
}

/* Batched executions of one keyed path */
typedef struct DynLookupCost
{
	const DynEstimate *estimate;	/* estimate of one execution's requests */
	DynAccessKind kind;
	double		executions;
	double		keys;			/* number of distinct keys */
	double		page_keys;		/* number of distinct keys if each outer
								 * partition has a page of rows; 0 if this is
								 * not assumed */
	bool		first_only;		/* true if one row for each key is enough */
	Cost		startup;		/* startup cost of one unbatched execution of
								 * the inner side or subplan */
	Cost		execution;		/* total cost of one unbatched execution */
} DynLookupCost;

/* Sets the costs of the lookups, without the outer side of the join. */
extern void dyn_cost_lookups(const DynLookupCost *lookups, Cost *startup,
							 Cost *total);

/* ---- items per partition key ---- */

/* Assumed number of items per partition key, without statistics */
#define DYN_COLLECTION_ITEMS	50.0

/*
 * Returns true if the table is large, and the column has no statistics and is
 * the partition key of the table (if it has a sort key) or of a global index.
 * Then DYN_COLLECTION_ITEMS, not core's default, determines the number of
 * items per value.
 */
extern bool dyn_collections_are_unknown(const RelOptInfo *rel,
										AttrNumber attnum);

#endif

/*
 * cost.c
 *		Estimates costs of access plans in PostgreSQL's cost unit.
 *
 * One round trip costs as much as reading a hundred pages from disk; a read
 * unit as much as one page.  Concurrent requests cost one round trip, and a
 * little each.
 */
#include "postgres.h"

#include <math.h>

#include "commands/vacuum.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/selfuncs.h"

#include "../model/pg_compat.h"
#include "cost.h"
#include "stats.h"

#define ROUND_TRIP_COST		100.0
#define READ_UNIT_COST		1.0
#define ITEM_COST			0.02	/* decoding one item */
#define REQUEST_COST		5.0 /* of one of several in flight */

#define UNKNOWN_ITEMS		1000.0
#define UNKNOWN_ITEM_BYTES	300.0
#define PAGE_BYTES			(1024.0 * 1024.0)

/*
 * A less direct access to the same rows must never be as cheap.  A Scan costs
 * as much as three keyed requests: tables grow, and it uses capacity that
 * others need.
 */
static const double kind_factors[] = {
	[DYN_ACCESS_GET] = 1.0,
	[DYN_ACCESS_QUERY] = 1.02,
	[DYN_ACCESS_SCAN] = 3.0
};

/* Totals of the requests. */
typedef struct Estimate
{
	double		requests;
	double		trips;			/* sequential round trips */
	double		units;
	double		items;			/* examined */
} Estimate;

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

/*
 * Scales the rows by the current pages, as core does for local tables.  A
 * single page is not scaled: the table was tiny, or so new that DynamoDB had
 * not counted it yet.  An empty table is expected to be filled.
 */
double
dyn_table_rows(const RelOptInfo *baserel, const DynTableMeta *meta)
{
	double		pages = dyn_table_pages(meta);

	if (baserel->tuples <= 0 || (baserel->pages <= 1 && pages > 1))
		return described_items(meta);
	if (meta->size_bytes == 0 || baserel->pages <= 1)
		return baserel->tuples;
	return clamp_row_est(baserel->tuples * pages / baserel->pages);
}

static double
item_bytes(const DynTableMeta *meta, const DynIndexMeta *index)
{
	double		bytes = dyn_metadata_item_bytes(meta, index);

	return bytes > 0 ? bytes : UNKNOWN_ITEM_BYTES;
}

static double
pred_keys(PlannerInfo *root, const DynPred *pred)
{
	double		keys = 0;
	ListCell   *lc;

	check_stack_depth();
	switch (pred->kind)
	{
		case DYN_PRED_EQ:
			return 1;
		case DYN_PRED_IN:
			return Max(1.0, dyn_array_length(root, (Node *) pred->value));
		case DYN_PRED_OR:
			foreach(lc, pred->args)
				keys += pred_keys(root, lfirst(lc));
			return keys;
		default:
			return -1;			/* a range: not a number of values */
	}
}

/* The smallest number of values that a predicate on the attribute allows. */
static double
match_size(PlannerInfo *root, const DynKeyMatch *match)
{
	double		fewest = -1;
	ListCell   *lc;

	foreach(lc, match->preds)
	{
		double		keys = pred_keys(root, lfirst(lc));

		if (keys >= 0 && (fewest < 0 || keys < fewest))
			fewest = keys;
	}
	return Max(fewest, 1.0);
}

/* Each arm has the combinations of its attributes' values. */
static double
row_keys(PlannerInfo *root, const DynPred *arms)
{
	double		total = 0;
	ListCell   *arm,
			   *lc;

	foreach(arm, arms->args)
	{
		double		keys = 1;

		foreach(lc, ((DynPred *) lfirst(arm))->args)
			keys *= pred_keys(root, lfirst(lc));
		total += keys;
	}
	return total;
}

double
dyn_access_keys(PlannerInfo *root, const DynAccess *access)
{
	double		keys = 1;

	if (access->row_keys != NULL)
		return row_keys(root, access->row_keys);
	for (int i = 0; i < access->nhash; i++)
		keys *= match_size(root, &access->hash[i]);
	if (access->kind == DYN_ACCESS_GET && access->nrange > 0)
		keys *= match_size(root, &access->range[0]);
	return keys;
}

/*
 * Estimates the items of one partition key.  If the table is too large to read
 * whole, ANALYZE samples whole item collections of a few keys
 * (command/analyze.c).  So n_distinct is the number of keys in the sample,
 * which gives the size of item collections, but not the number of keys in the
 * table.
 */
static double
collection_items(PlannerInfo *root, RelOptInfo *baserel, const DynKeyAttr *attr)
{
	const DynRelation *relation = ((DynRelPlan *) baserel->fdw_private)->relation;
	AttrNumber	attnum = dyn_relation_column_of(relation, attr);
	const DynColumn *column;
	VariableStatData variable;
	double		sampled = Min(baserel->tuples, 300.0 * default_statistics_target);
	double		keys;
	bool		is_default;

	if (attnum == 0)
		return baserel->tuples;
	if (!dyn_has_statistics(relation->relid, attnum))
		return DYN_COLLECTION_ITEMS;
	column = dyn_relation_column(relation, attnum);
	examine_variable(root, (Node *) makeVar(baserel->relid, attnum,
											column->codec.basetype, -1,
											column->collation, 0),
					 0, &variable);
	keys = get_variable_numdistinct(&variable, &is_default);
	ReleaseVariableStats(variable);
	return Max(1.0, sampled / Max(keys, 1.0));
}

/* Are values of the key given by other relations? */
static bool
is_bound_by_others(const RelOptInfo *baserel, const DynAccess *access)
{
	ListCell   *lc;

	foreach(lc, access->key_rinfos)
	{
		if (!bms_is_subset(lfirst_node(RestrictInfo, lc)->clause_relids,
						   baserel->relids))
			return true;
	}
	return false;
}

double
dyn_access_most_items(PlannerInfo *root, RelOptInfo *baserel,
					  const DynAccess *access)
{
	const DynRelPlan *plan = baserel->fdw_private;
	double		keys = dyn_access_keys(root, access);

	if (access->kind == DYN_ACCESS_GET)
		return keys;
	if (access->kind == DYN_ACCESS_SCAN || access->global ||
		!is_bound_by_others(baserel, access))
		return baserel->tuples;
	return Min(baserel->tuples,
			   keys * collection_items(root, baserel, &plan->meta->key.hash[0]));
}

static void
estimate_get(Estimate *estimate, double keys, double bytes)
{
	estimate->items += keys;
	estimate->requests += ceil(keys / 100.0);
	estimate->units += keys * 0.5 * ceil(bytes / 4096.0);
}

/*
 * A partition given by the statement may be large.  If the length of item
 * collections is a guess (stats.c), the cost assumes the planner's default of
 * 200 values, so that reading one end of the partition (min, max, LIMIT) is
 * cheaper.
 */
static double
caution(const RelOptInfo *baserel, const DynAccess *access)
{
	if (access->global || is_bound_by_others(baserel, access) ||
		!dyn_collections_are_guessed(baserel))
		return 1;
	return baserel->tuples / DYN_COLLECTION_ITEMS / DEFAULT_NUM_DISTINCT;
}

static void
estimate_query(Estimate *estimate, PlannerInfo *root, RelOptInfo *baserel,
			   const DynAccess *access, double keys, double bytes)
{
	/* pass the relation, else it is cached as the join's selectivity */
	Selectivity fraction = clauselist_selectivity(root, access->key_rinfos,
												  baserel->relid, JOIN_INNER,
												  NULL);

	fraction *= caution(baserel, access);
	estimate->items = Min(Max(baserel->tuples * fraction, keys),
						  dyn_access_most_items(root, baserel, access));
	estimate->requests = Max(keys, ceil(estimate->items * bytes / PAGE_BYTES));
	estimate->units = Max(keys * 0.5, estimate->items * bytes / DYN_READ_UNIT_BYTES);
}

static void
estimate_scan(Estimate *estimate, RelOptInfo *baserel, double bytes)
{
	estimate->items = baserel->tuples;
	estimate->requests = Max(1.0, ceil(baserel->tuples * bytes / PAGE_BYTES));
	estimate->units = Max(0.5, baserel->tuples * bytes / DYN_READ_UNIT_BYTES);
}

static void
estimate_access(Estimate *estimate, PlannerInfo *root, RelOptInfo *baserel,
				const DynAccess *access)
{
	const DynRelPlan *plan = baserel->fdw_private;
	const DynIndexMeta *index = access->index
		? dyn_metadata_index(plan->meta, access->index) : NULL;
	double		bytes = item_bytes(plan->meta, index);
	double		keys = dyn_access_keys(root, access);
	double		concurrency = plan->relation->connection->max_concurrency;

	if (access->kind == DYN_ACCESS_GET)
		estimate_get(estimate, keys, bytes);
	else if (access->kind == DYN_ACCESS_QUERY)
		estimate_query(estimate, root, baserel, access, keys, bytes);
	else
	{
		estimate_scan(estimate, baserel, bytes);
		concurrency = Min(concurrency, Max(1.0, estimate->requests / 4.0));
	}
	if (access->kind == DYN_ACCESS_QUERY)
		concurrency = Min(concurrency, keys);
	estimate->trips = Max(1.0, ceil(estimate->requests / concurrency));
	if (access->fetch_base_items)
	{
		Estimate	base = {0};

		estimate_get(&base, estimate->items, item_bytes(plan->meta, NULL));
		estimate->trips += ceil(base.requests / concurrency);
		estimate->units += base.units;
	}
	else if (access->index != NULL && !access->global &&
			 !dyn_index_covers(plan, index))
		/* a local index fetches the rest of each item from the table */
		estimate->units += estimate->items * 0.5;
}

bool
dyn_access_is_one_request(PlannerInfo *root, RelOptInfo *baserel,
						  const DynAccess *access)
{
	Estimate	estimate = {0};

	if (access->kind == DYN_ACCESS_SCAN || access->multi_partition)
		return false;
	estimate_access(&estimate, root, baserel, access);
	return estimate.requests <= 1;
}

void
dyn_cost_access(PlannerInfo *root, RelOptInfo *baserel,
				const DynAccess *access, double rows,
				Cost *startup, Cost *total)
{
	Estimate	estimate = {0};
	double		trip = ROUND_TRIP_COST * kind_factors[access->kind];

	estimate_access(&estimate, root, baserel, access);
	*startup = trip * (access->fetch_base_items ? 2 : 1);
	*total = Max(*startup, trip * estimate.trips) +
		estimate.units * READ_UNIT_COST +
		estimate.items * ITEM_COST +
		rows * cpu_tuple_cost;
	Assert(estimate.trips >= 1 && *startup > 0 && *total >= *startup);
}

/*
 * Lookups are preferred to the same requests one by one even if few are
 * expected: at worst they cost the same, and small row estimates are often
 * wrong.
 */
void
dyn_cost_lookups(const DynLookupEstimate *estimate, Cost *startup, Cost *total)
{
	double		requests = estimate->keys;
	double		trips;

	if (estimate->kind == DYN_ACCESS_GET)
		requests = ceil(requests / 100.0);
	trips = Max(1.0, ceil(requests / estimate->concurrency));
	*startup = estimate->round_trip;
	*total = estimate->round_trip * (trips - 0.1) +
		(requests - 1) * REQUEST_COST +
		estimate->keys * (estimate->execution - estimate->round_trip) +
		estimate->executions * 4 * cpu_operator_cost;
	*total = Max(*total, *startup);
}

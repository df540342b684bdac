/*
 * cost.c
 *		Estimates costs of access plans in PostgreSQL's cost unit.
 *
 * This file estimates the reads of one execution of an access plan.
 * dynamodb/units.c computes their price in milliseconds, which cost
 * COST_PER_MS each.
 *
 * The cost of requests follows from the items that they read, not from the
 * planner's estimate of the path's rows.  If a size is unknown, the cost
 * assumes a value that minimizes the worst mistake:
 *
 *		unknown							assumed value
 *		size of the table				1 GB, if DynamoDB may not have counted
 *										the new table yet
 *		items per key, if keys come		3, so that Queries are preferred:
 *		from other tables or a list		Queries chosen by mistake use little
 *										more than a Scan, but a Scan chosen by
 *										mistake may use much more than Queries
 *		items of a partition that		a 200th of the items of the table
 *		the statement names
 *
 * If an index lacks attributes, each of its items is also read from the table
 * by key.  Reading all items by key may cost n times as much as a Scan, where
 * n is the number of items in 4 kB.  To choose such an index less often,
 * max(3, n) items per key are assumed for it.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/attoptcache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "../../model/session/guc.h"
#include "planner.h"

#define COST_PER_MS			20.0

/*
 * The price of a repeated execution is limited to the price of a Scan divided
 * by this factor, or to the price of the first execution, whichever is higher.
 * The factor exceeds 1.01, because core ignores differences of less than 1 %.
 */
#define DIRECT_ADVANTAGE	1.05

/*
 * Factor for the total cost of a Query with an unknown number of rows (not for
 * its startup cost), if the query level has only this table.  It makes a plan
 * that stops after the first rows cheaper than one that reads all rows.
 */
#define LATER_PAGE			1.05

#define UNKNOWN_BYTES		(1024.0 * 1024 * 1024)
#define UNKNOWN_LENGTH		3.0 /* items per partition key */
#define DAY					86400.0 /* seconds */

#define ITEM_UNIT_BYTES		4096.0	/* maximum size (bytes) of an item that
									 * costs half a unit if read by key */

#define FEW_COLUMNS			8	/* rows with more columns are wide */
#define MS_PER_ITEM			0.0003	/* ms of CPU time per row */
#define MS_PER_WIDE_ITEM	0.0012	/* ms of CPU time per row with more than
									 * FEW_COLUMNS columns, or with jsonb */

/* ---- numbers of items and rows ---- */

/*
 * Returns true if the item filter or a template fixes the form of a partition
 * key attribute in all rows.  If so, all items whose partition key has this
 * form are assumed to be rows.
 */
static bool
is_keyed_by_item_filter(const DynAccess *access)
{
	for (int i = 0; i < access->nhash; i++)
	{
		ListCell   *lc;

		foreach(lc, access->hash[i].preds)
		{
			if (dyn_pred_selects_rows(lfirst(lc)))
				return true;
		}
	}
	return false;
}

/* Returns the fraction of the examined items that pass the item filter. */
static double
row_share(const DynRelPlan *plan, const DynAccess *access)
{
	return is_keyed_by_item_filter(access) ? 1
		: Min(1, plan->rel->tuples / plan->item_rows / plan->items);
}

double
dyn_selectivity(const DynRelPlan *plan, List *clauses)
{
	return clauselist_selectivity(plan->root, clauses, plan->rel->relid, JOIN_INNER, NULL);
}

double
dyn_rows_per_item(const DynRelPlan *plan, const DynAccess *access,
				  List *clauses)
{
	return dyn_selectivity(plan, list_difference_ptr(clauses, access->key_rinfos)) *
		row_share(plan, access) * plan->item_rows;
}

/*
 * Returns the factor of the read units of the index (NULL: the table): 2 with
 * strong consistency, else 1.  The rows that an UPDATE or DELETE writes are
 * read with strong consistency, except in global indexes.
 */
static double
consistency_factor(const DynRelPlan *plan, const DynIndexMeta *index)
{
	return plan->relation->consistent ||
		(plan->relation->target && (index == NULL || !index->global)) ? 2 : 1;
}

static Var *
column_var(const DynRelPlan *plan, AttrNumber attnum)
{
	const DynColumn *column = dyn_relation_column(plan->relation, attnum);

	return makeVar(plan->rel->relid, attnum, column->codec.basetype, -1,
				   column->collation, 0);
}

static bool
has_statistics(Oid relid, AttrNumber attnum)
{
	return SearchSysCacheExists3(STATRELATTINH, ObjectIdGetDatum(relid),
								 Int16GetDatum(attnum), BoolGetDatum(false));
}

/*
 * Returns the only column that maps to the partition key; 0 if there is not
 * exactly one, or if the partition key has several attributes.
 */
static AttrNumber
partition_column(const DynRelPlan *plan, const DynKeySchema *key)
{
	return key->nhash != 1 ? 0
		: dyn_relation_only_column_of(plan->relation, &key->hash[0]);
}

bool
dyn_collections_are_unknown(const RelOptInfo *rel, AttrNumber attnum)
{
	const DynRelPlan *plan = rel->fdw_private;
	bool		groups = false;

	/* for a small table, core's default of 200 distinct keys is suitable */
	if (plan == NULL || attnum <= 0 ||
		rel->tuples <= DEFAULT_NUM_DISTINCT * DYN_COLLECTION_ITEMS)
		return false;
	if (attnum == partition_column(plan, &plan->meta->key))
		groups = plan->meta->key.nrange > 0;
	else
		for (int i = 0; i < plan->meta->nindexes; i++)
			groups |= plan->meta->indexes[i].global &&
				attnum == partition_column(plan, &plan->meta->indexes[i].key);
	return groups && !has_statistics(plan->relation->relid, attnum);
}

/*
 * Returns the estimated number of items with one value of the partition key.
 * If the table is too large to be read in full, ANALYZE samples all items of a
 * few keys (command/analyze.c).  Then n_distinct is the number of keys in the
 * sample, unless a user has set n_distinct.
 */
static double
collection_items(const DynRelPlan *plan, const DynKeyAttr *attr)
{
	const DynRelation *relation = plan->relation;
	AttrNumber	attnum = dyn_relation_only_column_of(relation, attr);
	VariableStatData variable;
	double		rows = plan->rel->tuples;
	double		share = dyn_guc_analyze_read_units /
		dyn_sequence_units(plan->meta->size_bytes);
	const AttributeOpts *options;
	double		keys;
	bool		is_default;

	if (attnum == 0 && dyn_relation_templated(relation, attr->name) == NULL)
		return plan->items;
	if (attnum == 0 || !has_statistics(relation->relid, attnum))
		return DYN_COLLECTION_ITEMS;
	examine_variable(plan->root, (Node *) column_var(plan, attnum), 0, &variable);
	keys = get_variable_numdistinct(&variable, &is_default);
	ReleaseVariableStats(variable);
	options = get_attribute_options(relation->relid, attnum);
	if (share < 1 && (options == NULL || options->n_distinct == 0))
		rows = Min(rows * share, 300.0 * default_statistics_target);
	return Max(1.0, rows / plan->item_rows / Max(keys, 1.0));
}

/*
 * Returns the estimated number of items for each value of the partition key
 * that the template composes, including items that are not rows; 0 if the
 * number is unknown.
 */
static double
composed_key_items(const DynRelPlan *plan, const DynTemplatedAttr *templated)
{
	RelOptInfo *rel = plan->rel;
	double		selected = rel->rows;
	List	   *columns = NIL;
	double		keys;

	for (int p = 0; templated != NULL && p < templated->tmpl->nparts; p++)
	{
		AttrNumber	attnum = templated->parts[p].attnum;

		if (dyn_part_is_one_way(&templated->tmpl->parts[p]) ||
			!has_statistics(plan->relation->relid, attnum))
			return 0;
		columns = lappend(columns, column_var(plan, attnum));
	}
	if (columns == NIL)
		return 0;
	/* count the keys of all rows, not only of selected ones */
	rel->rows = rel->tuples;
	keys = estimate_num_groups(plan->root, columns, rel->tuples, NULL, NULL);
	rel->rows = selected;
	return plan->items / keys;
}

/*
 * Returns the read units of a partition's items, including items that are not
 * rows; 0 if the table has no sort key, or if the number is unknown.
 */
static double
partition_units(const DynRelPlan *plan)
{
	const DynKeySchema *key = &plan->meta->key;
	AttrNumber	attnum = partition_column(plan, key);
	double		items = 0;

	if (key->nrange == 0)
		return 0;
	if (attnum == 0)
		items = composed_key_items(plan, dyn_relation_templated(plan->relation,
																key->hash[0].name));
	else if (has_statistics(plan->relation->relid, attnum))
		items = collection_items(plan, &key->hash[0]) * plan->item_rows *
			plan->items / Max(plan->rel->tuples, 1);
	return items == 0 ? 0
		: dyn_page_units(items * dyn_default_item_bytes(plan->meta, NULL)) *
		consistency_factor(plan, NULL);
}

/* Returns true if a clause matched to keys uses columns of other relations. */
static bool
is_bound_by_others(const DynRelPlan *plan, const DynAccess *access)
{
	ListCell   *lc;

	foreach(lc, access->key_rinfos)
	{
		if (!bms_is_subset(lfirst_node(RestrictInfo, lc)->clause_relids,
						   plan->rel->relids))
			return true;
	}
	return false;
}

/*
 * Returns the estimated maximum number of items with the keys that the access
 * plan reads.  If columns of other relations supply the keys (of the table or
 * of a local index), this is collection_items for each key.  With core's
 * default of 200 keys, each lookup would seem to read 1/200 of the table.
 */
static double
most_items(const DynRelPlan *plan, const DynAccess *access)
{
	double		keys = access->keys.expected;

	if (access->kind == DYN_ACCESS_GET)
		return keys;
	if (access->kind == DYN_ACCESS_SCAN || access->global ||
		!is_bound_by_others(plan, access))
		return plan->items;
	return Min(plan->items,
			   keys * collection_items(plan, &plan->meta->key.hash[0]));
}

double
dyn_access_most_rows(const DynRelPlan *plan, const DynAccess *access)
{
	return clamp_row_est(most_items(plan, access) * plan->item_rows);
}

/* ---- sizes that are assumed if they are unknown ---- */

/*
 * Returns true if DynamoDB, which counts tables every six hours, may not have
 * counted the table yet.
 */
static bool
size_is_unknown(const DynRelPlan *plan)
{
	const DynTableMeta *meta = plan->meta;

	return meta->size_bytes == 0 && !plan->analyzed &&
		(meta->created <= 0 ||
		 (double) timestamptz_to_time_t(GetCurrentTimestamp()) - meta->created < DAY);
}

static double
assumed_bytes(const DynRelPlan *plan, const DynIndexMeta *index)
{
	const DynTableMeta *meta = plan->meta;

	if (index != NULL && index->size_bytes > 0)
		return (double) index->size_bytes;
	if (size_is_unknown(plan))
		return UNKNOWN_BYTES;
	return Max((double) meta->size_bytes,
			   plan->analyzed ? plan->items * dyn_default_item_bytes(meta, NULL) : 0);
}

/* Returns true if there are no statistics on the items per partition key. */
static bool
lengths_are_unknown(const DynRelPlan *plan, const DynIndexMeta *index)
{
	const DynKeySchema *key = index ? &index->key : &plan->meta->key;

	for (int i = 0; i < key->nhash; i++)
	{
		AttrNumber	attnum = dyn_relation_only_column_of(plan->relation,
														 &key->hash[i]);

		if (attnum == 0 || !has_statistics(plan->relation->relid, attnum))
			return true;
	}
	return false;
}

/* Returns true if each item of the index also costs a read of the table. */
static bool
reads_base_items(const DynRelPlan *plan, const DynAccess *access,
				 const DynIndexMeta *index)
{
	return access->fetch_base_items ||
		(index != NULL && !index->global && !dyn_index_covers(plan, index));
}

/*
 * Returns the estimated number of items that Queries for `keys` keys examine.
 * If the statement names one partition, and its number of items is a guess
 * (dyn_collections_are_unknown), assumes a 200th of the table's items, as core
 * would.  The partition may be large, so reading only one end of it (min, max,
 * LIMIT) must cost less than reading the full partition.
 */
static double
query_items(const DynRelPlan *plan, const DynAccess *access,
			const DynIndexMeta *index, double keys)
{
	bool		base = reads_base_items(plan, access, index);
	double		items;

	items = (is_keyed_by_item_filter(access) ? plan->rel->tuples / plan->item_rows
			 : plan->items) * dyn_selectivity(plan, access->key_rinfos);
	if (!access->multi_partition && !is_bound_by_others(plan, access))
	{
		if (dyn_collections_are_unknown(plan->rel,
										partition_column(plan, index ? &index->key
														 : &plan->meta->key)))
			items *= plan->items / DYN_COLLECTION_ITEMS / DEFAULT_NUM_DISTINCT;
	}
	else if (lengths_are_unknown(plan, index))
	{
		double		assumed = keys * UNKNOWN_LENGTH;

		if (base)
			assumed = keys * Max(UNKNOWN_LENGTH,
								 ITEM_UNIT_BYTES / dyn_default_item_bytes(plan->meta, NULL));
		items = base || access->nrange > 0 ? Min(items, assumed) : assumed;
	}
	return Min(Max(items, keys), most_items(plan, access));
}

/* ---- the reads of one execution ---- */

static void
read_items(DynReads *reads, double keys, double bytes)
{
	reads->keys = keys;
	reads->requests = ceil(keys / DYN_BATCH_GET_MAX_KEYS);
	reads->units = keys * dyn_item_units(bytes);
	reads->bytes = keys * bytes;
	reads->cpu_ms = keys * DYN_MS_PER_KEY;
}

/*
 * Sets the reads of a Scan of this size (bytes).  If `segments` is 0, the
 * executor chooses segments of about four pages (exec/fetch/requests.c).
 */
static void
read_table(DynReads *reads, double bytes, double segments)
{
	reads->requests = Max(Max(1.0, segments), ceil(bytes / DYN_PAGE_BYTES));
	reads->width = segments > 0 ? segments : Max(1.0, reads->requests / 4);
	reads->units = Max(dyn_page_units(bytes), segments * DYN_LEAST_UNITS);
	reads->bytes = bytes;
}

static double
segments_read(const DynRelPlan *plan, const DynAccess *access)
{
	if (access->nhash == 0)
		return access->segments;
	return Max(1.0, rint(access->segments *
						 dyn_selectivity(plan, access->key_rinfos)));
}

/* Sets the reads of an access plan; returns the number of items examined. */
static double
read_access(DynReads *reads, const DynRelPlan *plan,
			const DynAccess *access, const DynIndexMeta *index)
{
	double		bytes = dyn_default_item_bytes(plan->meta, index);
	double		keys = access->keys.expected;
	double		items;

	if (access->kind == DYN_ACCESS_GET)
	{
		read_items(reads, keys, bytes);
		reads->width = reads->requests;
		return keys;
	}
	if (access->kind == DYN_ACCESS_SCAN)
	{
		double		segments = segments_read(plan, access);
		double		share = segments > 0 ? segments / access->segments : 1;

		read_table(reads, assumed_bytes(plan, index) * share, segments);
		return reads->bytes / bytes;
	}
	/* each partition is read page by page, several partitions concurrently */
	items = query_items(plan, access, index, keys);
	reads->keys = keys;
	reads->requests = Max(keys, ceil(items * bytes / DYN_PAGE_BYTES));
	reads->width = keys;
	reads->units = keys * dyn_page_units(items * bytes / keys);
	reads->bytes = items * bytes;
	reads->cpu_ms = reads->requests * DYN_MS_PER_QUERY;
	return items;
}

/* Returns true if arguments of a subquery depend on the relation's row. */
static bool
subplan_varies(Node *node, const RelOptInfo *rel)
{
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, SubPlan))
		return expression_tree_walker(node, subplan_varies, (void *) rel);
	foreach(lc, ((SubPlan *) node)->args)
	{
		Bitmapset  *attnums = NULL;

		pull_varattnos(lfirst(lc), rel->relid, &attnums);
		if (!bms_is_empty(attnums))
			return true;
	}
	return false;
}

/*
 * Returns the cost of checking the clauses for these items.  A subquery whose
 * arguments do not come from this relation is executed once, because its rows
 * are cached while its arguments remain the same.
 */
static Cost
cost_of_clauses(const DynRelPlan *plan, List *rinfos, double items)
{
	Cost		total = 0;
	ListCell   *lc;

	foreach(lc, rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		bool		once = contain_subplans((Node *) rinfo->clause) &&
			!subplan_varies((Node *) rinfo->clause, plan->rel);
		QualCost	cost;

		cost_qual_eval_node(&cost, (Node *) rinfo, plan->root);
		total += cost.per_tuple * (once ? Min(items, 1) : items);
	}
	return total;
}

static void
estimate_reads(DynEstimate *estimate, const DynRelPlan *plan,
			   const DynAccess *access, const DynIndexMeta *index)
{
	DynReads   *reads = &estimate->reads;
	double		items = read_access(reads, plan, access, index);
	double		returned;
	double		ms_per_item;
	List	   *local;
	ListCell   *lc;

	/*
	 * assume at least one returned item per key, as query_items does for key
	 * conditions; otherwise, a filter could cost less than a key condition
	 */
	returned = items * dyn_selectivity(plan, access->filter_rinfos);
	if (!access->rechecks_item_filter)
		returned *= row_share(plan, access);
	returned = Max(returned, Min(items, Max(reads->keys, 1)));
	estimate->items = returned;
	estimate->examined = items;
	local = list_union_ptr(access->local_rinfos, access->filter_rinfos);
	estimate->local_selectivity =
		dyn_selectivity(plan, list_difference_ptr(local, access->key_rinfos));
	estimate->item_rows = estimate->local_selectivity * row_share(plan, access) * plan->item_rows;
	estimate->first_share = !dyn_access_can(access, DYN_CAN_ORDER) ? 1
		: 1 / Max(1, items * estimate->item_rows);
	/*
	 * Clauses cost as much as for a local table, even if DynamoDB evaluates
	 * them, and each examined item costs one operator call.  So of two
	 * requests with the same price, the one with the narrower key costs less.
	 */
	estimate->check_cost = items * cpu_operator_cost +
		cost_of_clauses(plan, access->filter_rinfos, items) +
		cost_of_clauses(plan, access->local_rinfos,
						returned * plan->item_rows);
	reads->width = Min(reads->width, plan->relation->connection->max_concurrency);
	if (reads_base_items(plan, access, index))
	{
		DynReads	base = {0};

		read_items(&base, items, dyn_default_item_bytes(plan->meta, NULL));
		reads->bytes += base.bytes;
		if (!access->fetch_base_items)
			reads->units += base.units; /* DynamoDB reads these items itself */
		else
		{
			reads->base_requests = base.requests;
			reads->base_units = base.units;
		}
	}
	if (access->count_only)
		reads->bytes = 0;
	else
	{
		ms_per_item = list_length(plan->fields) > FEW_COLUMNS
			? MS_PER_WIDE_ITEM : MS_PER_ITEM;
		foreach(lc, plan->fields)
		{
			const DynField *field = lfirst(lc);

			if (dyn_relation_column(plan->relation,
									field->attnum)->codec.basetype == JSONBOID)
				ms_per_item = MS_PER_WIDE_ITEM;
		}
		reads->bytes *= plan->fetched * (items > 0 ? returned / items : 1);
		reads->cpu_ms += returned * plan->item_rows * ms_per_item;
	}
	reads->units *= consistency_factor(plan, index);
	reads->base_units *= consistency_factor(plan, NULL);
}

/*
 * Limits the read units of many Queries with different keys: together they use
 * at most as many as one read of the full table or index.  If each item found
 * in an index is also read from the table, these reads are limited to the
 * items that satisfy the key clauses on this relation alone.
 */
static void
limit_units(DynPrices *prices, const DynRelPlan *plan,
			const DynAccess *access, const DynIndexMeta *index, double bytes)
{
	double		factor = consistency_factor(plan, index);
	double		least = lengths_are_unknown(plan, index)
		? plan->items / DEFAULT_NUM_DISTINCT : 0;
	double		base = 0;
	List	   *own = NIL;
	ListCell   *lc;

	prices->most_units = factor * dyn_page_units(bytes);
	if (!reads_base_items(plan, access, index))
		return;
	foreach(lc, access->key_rinfos)
	{
		if (bms_is_subset(lfirst_node(RestrictInfo, lc)->clause_relids,
						  plan->rel->relids))
			own = lappend(own, lfirst(lc));
	}
	base = factor * dyn_item_units(dyn_default_item_bytes(plan->meta, NULL)) *
		Max(Max(1, least), plan->items * dyn_selectivity(plan, own));
	if (access->fetch_base_items)
		prices->most_base_units = base;
	else
		prices->most_units += base;
}

static void
find_prices(DynPrices *prices, const DynRelPlan *plan,
			const DynAccess *access, const DynIndexMeta *index)
{
	const DynReadOptions *options = &plan->relation->options;
	const DynThroughput *throughput = index ? &index->throughput
		: &plan->meta->throughput;
	double		bytes = assumed_bytes(plan, index);

	dyn_capacity_init(&prices->capacity, throughput, bytes,
					  options->read_capacity, options->read_percent);
	dyn_capacity_init(&prices->base, &plan->meta->throughput,
					  assumed_bytes(plan, NULL),
					  options->read_capacity, options->read_percent);
	prices->round_trip_ms = options->round_trip_ms;
	prices->unit_cost_ms = options->unit_cost_ms;
	prices->in_flight = plan->relation->connection->max_concurrency;
	if (access->kind == DYN_ACCESS_QUERY)
		limit_units(prices, plan, access, index, bytes);
	prices->known = dyn_known_capacity(throughput, options->read_capacity) > 0;
}

/* Adds up the arms' estimates: their first requests are usually concurrent. */
static void
estimate_union(const DynRelPlan *plan, const DynAccess *access,
			   DynEstimate *estimate)
{
	DynPrices  *prices = &estimate->prices;
	DynReads   *reads = &estimate->reads;
	ListCell   *lc;

	find_prices(prices, plan, access, NULL);
	foreach(lc, dyn_access_arms(access))
	{
		DynEstimate arm = dyn_estimate_access(plan, lfirst(lc));

		reads->keys += arm.reads.keys;
		reads->requests += arm.reads.requests;
		reads->width += arm.reads.width;
		reads->units += arm.reads.units;
		reads->base_requests += arm.reads.base_requests;
		reads->base_units += arm.reads.base_units;
		reads->bytes += arm.reads.bytes;
		reads->cpu_ms += arm.reads.cpu_ms;
		estimate->items += arm.items;
		estimate->check_cost += arm.check_cost;
		estimate->rows_unknown |= arm.rows_unknown;
		if (arm.prices.capacity.rate < prices->capacity.rate)
			prices->capacity = arm.prices.capacity;
		prices->known |= arm.prices.known;
	}
	reads->width = Min(reads->width, prices->in_flight);
}

DynEstimate
dyn_estimate_access(const DynRelPlan *plan, const DynAccess *access)
{
	const DynIndexMeta *index = dyn_metadata_index(plan->meta, access->index);
	DynEstimate estimate = {.kind = access->kind};
	DynReads	of_table = {0};
	DynPrices	prices;

	if (access->kind == DYN_ACCESS_UNION)
		estimate_union(plan, access, &estimate);
	else
	{
		estimate_reads(&estimate, plan, access, index);
		if (access->segments > 0)
			estimate.segments = (int) segments_read(plan, access);
		estimate.total_segments = access->segments;
		if (index == NULL && access->kind != DYN_ACCESS_SCAN && !access->multi_partition)
			estimate.partition_units = partition_units(plan);
		find_prices(&estimate.prices, plan, access, index);
		estimate.rows_unknown = access->kind == DYN_ACCESS_QUERY &&
			lengths_are_unknown(plan, index);
	}
	/* price of a Scan of the table, without the transfer of data */
	prices = estimate.prices;
	prices.capacity = prices.base;
	read_table(&of_table, assumed_bytes(plan, NULL), 0);
	of_table.bytes = 0;
	estimate.full_ms = dyn_reads_price(&of_table, &prices);
	estimate.assumed = size_is_unknown(plan);
	return estimate;
}

bool
dyn_access_is_one_request(const DynAccess *access)
{
	return access->kind != DYN_ACCESS_SCAN && !access->multi_partition &&
		(access->estimate.reads.requests <= 1 || access->limit_hint > 0);
}

bool
dyn_access_is_one_round(const DynAccess *access)
{
	const DynReads *reads = &access->estimate.reads;

	return (access->kind == DYN_ACCESS_GET || access->kind == DYN_ACCESS_QUERY) &&
		access->multi_partition && !access->ordered && access->limit_hint == 0 &&
		reads->base_requests == 0 && reads->requests <= Max(1, reads->width) &&
		reads->units <= DYN_FULL_PAGE_UNITS;
}

/* ---- costs ---- */

/*
 * Converts time (ms) to a cost.  If accesses take the same time, GetItem costs
 * least, then a Query, then a union or a Scan.
 */
static Cost
cost_of_kind(DynAccessKind kind, double ms)
{
	Cost		cost = ms * COST_PER_MS;

	for (int i = DYN_ACCESS_GET; i < (int) kind; i++)
	{
		if (i != DYN_ACCESS_UNION)
			cost = dyn_less_direct_cost(cost);
	}
	return cost;
}

/*
 * Sets the costs of the requests alone, without those of clauses and rows.
 * Repeated executions are priced without burst capacity, which would serve
 * only a few of them.  But their price is limited (DIRECT_ADVANTAGE), since
 * core might otherwise drop a path that is executed only a few times.
 */
static void
cost_requests(const DynEstimate *estimate, bool repeated, Cost *startup, Cost *total)
{
	const DynPrices *prices = &estimate->prices;
	double		ms = dyn_reads_price(&estimate->reads, prices);
	double		share = estimate->first_page > 0
		? Min(1, estimate->first_page / Max(1, estimate->examined)) : 1;

	if (repeated)
	{
		DynPrices	later = *prices;

		later.capacity.saved = later.base.saved = 0;
		ms = Min(dyn_reads_price(&estimate->reads, &later),
				 Max(ms, estimate->full_ms / DIRECT_ADVANTAGE));
	}
	*startup = cost_of_kind(estimate->kind,
							dyn_reads_first_price(&estimate->reads, share, prices));
	*total = Max(*startup, cost_of_kind(estimate->kind, ms)) *
		(estimate->rows_unknown && estimate->alone ? LATER_PAGE : 1);
	Assert(*startup >= 0 && *total >= *startup);
}

void
dyn_cost_estimate(const DynEstimate *estimate, bool repeated, double rows,
				  Cost *startup, Cost *total)
{
	cost_requests(estimate, repeated, startup, total);
	*total += estimate->check_cost + rows * cpu_tuple_cost;
}

Cost
dyn_direct_margin(const DynEstimate *estimate, Cost startup)
{
	DynReads	first = estimate->reads;

	first.base_requests = first.base_units = 0;
	return estimate->rows_unknown ? startup
		: Min(startup, cost_of_kind(estimate->kind,
									dyn_reads_first_price(&first, 1, &estimate->prices)));
}

double
dyn_estimate_local_cost(const DynEstimate *estimate, double rows)
{
	return estimate->reads.cpu_ms * COST_PER_MS + estimate->check_cost +
		rows * cpu_tuple_cost;
}

/*
 * Subtracts a tenth of a round trip: more executions than expected are common,
 * so a batch should be preferred even for one.  The costs of other nodes and
 * of row checks are charged once for each key.  If executions end before their
 * last row (LIMIT, EXISTS), only a fraction of their reads is charged, but at
 * least half a unit for each request.
 */
void
dyn_cost_lookups(const DynLookupCost *lookups, Cost *startup, Cost *total)
{
	const DynEstimate *once = lookups->estimate;
	double		share = lookups->first_only ? once->first_share : 1;
	DynPrices	prices = once->prices;
	DynReads	part = once->reads;
	DynReads	all;
	Cost		scan_startup,
				scan_total,
				full;

	cost_requests(once, true, &scan_startup, &scan_total);
	full = scan_total + once->check_cost;
	if (lookups->execution < full)
		share = Min(share, lookups->execution / full);
	part.requests = Max(1, ceil(part.requests * share));
	part.units = Max(part.units * share,
					 Min(part.units, DYN_LEAST_UNITS * part.requests));
	part.base_requests = ceil(part.base_requests * share);
	part.base_units *= share;
	part.bytes *= share;
	part.cpu_ms *= share;
	prices.most_units *= share;
	all = dyn_reads_repeat(&part, &prices, lookups->keys,
						   once->kind == DYN_ACCESS_GET);
	*startup = Max(lookups->startup, scan_startup);
	*total = cost_of_kind(once->kind, dyn_reads_price(&all, &prices) -
						  0.1 * prices.round_trip_ms) +
		lookups->keys * Max(0, lookups->execution - scan_total) +
		lookups->executions * 4 * cpu_operator_cost;
	*startup = Min(*startup, *total);
}

/*
 * Assumes that one Query for all values, which reads from the least to the
 * greatest value, reads the full partition.  Under a LIMIT, keeps one Query if
 * the rows must be sorted and the separate Queries would be too many to merge.
 */
DynAccess *
dyn_divide_values(const DynRelPlan *plan, DynAccess *access)
{
	DynAccess	full,
				divided;
	DynEstimate one,
				many;

	if (access == NULL || access->kind != DYN_ACCESS_QUERY || access->per_value ||
		access->nrange != 1 || access->nrow_attrs > access->nhash ||
		!access->range[0].values.points || access->range[0].values.most <= 1 ||
		access->range[0].values.expected > DYN_MAX_SORT_RANGES)
		return access;
	full = divided = *access;
	full.key_rinfos = access->hash_rinfos;
	divided.per_value = divided.multi_partition = true;
	divided.keys = dyn_count_keys(plan, &divided);
	if (plan->root->parse->limitCount != NULL && plan->root->query_pathkeys != NIL &&
		divided.keys.most > plan->relation->connection->max_concurrency)
		return access;
	one = dyn_estimate_access(plan, &full);
	many = dyn_estimate_access(plan, &divided);
	if (dyn_reads_price(&many.reads, &many.prices) < dyn_reads_price(&one.reads, &one.prices))
		*access = divided;
	return access;
}

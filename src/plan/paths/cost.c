/*
 * cost.c
 *		Estimates costs of access plans in PostgreSQL's cost unit.
 *
 * Each access plan is described by the reads of one execution, which
 * dynamodb/units.c prices as waiting: a cost of 20 per millisecond.
 *
 * The choice of a path and its rows are two estimates.  If sizes that a choice
 * depends on are unknown, the choice assumes values that minimize the worst
 * mistake, while estimates of rows stay those of the planner:
 *
 *		unknown							choice assumes
 *		size of the table				1 GB, if it may be too new to be counted
 *		items per partition key, keys	3: then Queries never use much more than
 *		from elsewhere or in a list		a Scan, but a Scan could use much more
 *		items of a named partition		a 200th of the table
 *
 * Items that an index lacks are read by key.  Their cost is at most the cost
 * of a Scan times the number of such items in 4 kB.  So the choice assumes
 * that number per key, if it is more than 3.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/timestamp.h"

#include "../../model/server/pg_compat.h"
#include "cost.h"
#include "statistics.h"

#define COST_PER_MS			20.0

/* Core considers costs equal that differ by less than a hundredth. */
#define DIRECT_ADVANTAGE	1.05

/*
 * The last row may come later than the first if partitions are of unknown
 * size, so reading their first rows costs less than reading all.
 */
#define LATER_PAGE			1.05

#define UNKNOWN_BYTES		(1024.0 * 1024 * 1024)
#define UNKNOWN_LENGTH		3.0 /* items per partition key */
#define DAY					86400.0 /* seconds */

#define ITEM_UNIT_BYTES		4096.0	/* bytes of an item read by key for half a
									 * unit */

#define TYPE_BYTES			8	/* bytes for an attribute's JSON: "":{"S":}, */

/* CPU for an item with few columns, and for one with many or with documents */
#define FEW_COLUMNS			8
#define MS_PER_ITEM			0.0003
#define MS_PER_WIDE_ITEM	0.0012

/*
 * Returns true if the item filter gives an attribute of the partition key.
 * Then all items found by the key are assumed to be rows.
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

/*
 * Returns the fraction of the items examined by an access plan that pass the
 * item filter.
 */
static double
row_share(const RelOptInfo *baserel, const DynAccess *access)
{
	const DynRelPlan *plan = baserel->fdw_private;

	return is_keyed_by_item_filter(access) ? 1
		: Min(1, baserel->tuples / plan->item_rows / plan->items);
}

double
dyn_rows_per_item(PlannerInfo *root, RelOptInfo *baserel, const DynAccess *access,
				  List *clauses)
{
	const DynRelPlan *plan = baserel->fdw_private;
	List	   *others = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		if (!list_member_ptr(access->key_rinfos, lfirst(lc)))
			others = lappend(others, lfirst(lc));
	}
	return clauselist_selectivity(root, others, baserel->relid, JOIN_INNER, NULL) *
		row_share(baserel, access) * plan->item_rows;
}

/* In a response an attribute also has its name and type. */
static double
column_bytes(const DynRelPlan *plan, AttrNumber attnum)
{
	const DynColumn *column = dyn_relation_column(plan->relation, attnum);
	int32		width = plan->analysed
		? get_attavgwidth(plan->relation->relid, attnum) : 0;

	if (width <= 0)
		width = get_typavgwidth(column->codec.basetype, -1);
	return width + strlen(column->name) + TYPE_BYTES;
}

/* Returns the bytes of the columns in the set, or of those not in it. */
static double
columns_bytes(const DynRelPlan *plan, const Bitmapset *attnums, bool in_set)
{
	double		bytes = 0;

	for (AttrNumber attnum = 1; attnum <= plan->relation->ncolumns; attnum++)
	{
		if (!dyn_relation_column(plan->relation, attnum)->dropped &&
			bms_is_member(attnum, attnums) == in_set)
			bytes += column_bytes(plan, attnum);
	}
	return bytes;
}

double
dyn_fetched_part(const DynRelPlan *plan)
{
	Bitmapset  *wanted = NULL;
	double		rest,
				fetched;
	ListCell   *lc;

	foreach(lc, plan->fields)
	{
		const DynField *field = lfirst(lc);

		if (dyn_field_path(plan->relation, field)->nsteps == 0)
			return 1;
		wanted = bms_add_member(wanted, field->attnum);
	}
	rest = columns_bytes(plan, wanted, false);
	fetched = rest > 0 ? columns_bytes(plan, wanted, true) : 1;
	bms_free(wanted);
	return fetched / (fetched + rest);
}

/*
 * Estimates the items of one partition key.  If the table is too large to read
 * in full, ANALYZE samples complete item collections of a few keys
 * (command/analyze.c).  Then n_distinct is the number of keys in the sample:
 * it gives the size of item collections, but not the number of keys in the
 * table.
 */
static double
collection_items(PlannerInfo *root, RelOptInfo *baserel, const DynKeyAttr *attr)
{
	const DynRelPlan *plan = baserel->fdw_private;
	const DynRelation *relation = plan->relation;
	AttrNumber	attnum = dyn_relation_only_column_of(relation, attr);
	const DynColumn *column;
	VariableStatData variable;
	double		sampled = Min(baserel->tuples, 300.0 * default_statistics_target);
	double		keys;
	bool		is_default;

	if (attnum == 0)
		return dyn_relation_templated(relation, attr->name) != NULL
			? DYN_COLLECTION_ITEMS : plan->items;
	if (!dyn_has_statistics(relation->relid, attnum))
		return DYN_COLLECTION_ITEMS;
	column = dyn_relation_column(relation, attnum);
	examine_variable(root, (Node *) makeVar(baserel->relid, attnum,
											column->codec.basetype, -1,
											column->collation, 0),
					 0, &variable);
	keys = get_variable_numdistinct(&variable, &is_default);
	ReleaseVariableStats(variable);
	return Max(1.0, sampled / plan->item_rows / Max(keys, 1.0));
}

/* Returns true if other relations give values of the key. */
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

/*
 * Returns the estimated maximum number of items under the keys that the access
 * plan reads.  If values of other tables give the partition key, item
 * collections are assumed to be as long as those that ANALYZE sampled.  If the
 * table was never analyzed, they are assumed to be short.  By default the
 * planner would assume 200 partition keys, and scan a large table rather than
 * look up a few keys.
 */
static double
most_items(PlannerInfo *root, RelOptInfo *baserel,
		   const DynAccess *access)
{
	const DynRelPlan *plan = baserel->fdw_private;
	double		keys = access->keys.expected;

	if (access->kind == DYN_ACCESS_GET)
		return keys;
	if (access->kind == DYN_ACCESS_SCAN || access->global ||
		!is_bound_by_others(baserel, access))
		return plan->items;
	return Min(plan->items,
			   keys * collection_items(root, baserel, &plan->meta->key.hash[0]));
}

double
dyn_access_most_rows(PlannerInfo *root, RelOptInfo *baserel,
					 const DynAccess *access)
{
	const DynRelPlan *plan = baserel->fdw_private;

	return clamp_row_est(most_items(root, baserel, access) *
						 plan->item_rows);
}

/* ---- sizes that a choice assumes ---- */

/* DynamoDB counts items and bytes every six hours. */
static bool
size_is_unknown(const DynRelPlan *plan)
{
	const DynTableMeta *meta = plan->meta;

	return meta->size_bytes == 0 && !plan->analysed &&
		(meta->created <= 0 ||
		 (double) timestamptz_to_time_t(GetCurrentTimestamp()) - meta->created < DAY);
}

static double
assumed_bytes(const RelOptInfo *baserel, const DynIndexMeta *index)
{
	const DynRelPlan *plan = baserel->fdw_private;
	const DynTableMeta *meta = plan->meta;

	if (index != NULL && index->size_bytes > 0)
		return (double) index->size_bytes;
	if (size_is_unknown(plan))
		return UNKNOWN_BYTES;
	return Max((double) meta->size_bytes,
			   plan->analysed ? plan->items * dyn_default_item_bytes(meta, NULL) : 0);
}

/*
 * Returns a factor for large partitions.  A partition given by the statement
 * may be large.  If the length of item collections is a guess (statistics.h),
 * the cost assumes the planner's default of 200 values.  Then reading one end
 * of the partition (min, max, LIMIT) costs less.
 */
static double
caution(const RelOptInfo *baserel, const DynIndexMeta *index)
{
	const DynRelPlan *plan = baserel->fdw_private;

	if (!dyn_partitions_are_unknown(baserel,
									index ? &index->key : &plan->meta->key))
		return 1;
	return plan->items / DYN_COLLECTION_ITEMS / DEFAULT_NUM_DISTINCT;
}

/* Returns true if the number of items per partition key is a guess. */
static bool
lengths_are_unknown(const DynRelPlan *plan, const DynIndexMeta *index)
{
	const DynKeySchema *key = index ? &index->key : &plan->meta->key;

	for (int i = 0; i < key->nhash; i++)
	{
		AttrNumber	attnum = dyn_relation_only_column_of(plan->relation,
														 &key->hash[i]);

		if (attnum == 0 ||
			!dyn_has_statistics(plan->relation->relid, attnum))
			return true;
	}
	return false;
}

/* Returns true if each item costs another read, from the table. */
static bool
reads_base_items(const DynRelPlan *plan, const DynAccess *access,
				 const DynIndexMeta *index)
{
	return access->fetch_base_items ||
		(index != NULL && !index->global && !dyn_index_covers(plan, index));
}

/*
 * Returns the items that lookups of these keys examine, if the number of items
 * per key is a guess.
 */
static double
assumed_items(const DynRelPlan *plan, const DynAccess *access,
			  const DynIndexMeta *index, double items, double keys)
{
	double		length = UNKNOWN_LENGTH;

	if (reads_base_items(plan, access, index))
		length = Max(length, ITEM_UNIT_BYTES / dyn_default_item_bytes(plan->meta, NULL));
	else if (access->nrange == 0)
		return keys * length;
	return Min(items, keys * length);
}

/* Returns the items that Queries of these keys examine. */
static double
query_items(PlannerInfo *root, RelOptInfo *baserel, const DynAccess *access,
			const DynIndexMeta *index, double keys)
{
	const DynRelPlan *plan = baserel->fdw_private;
	bool		named = !access->multi_partition &&
		!is_bound_by_others(baserel, access);
	double		items;

	/* pass the relation, else it is cached as the join's selectivity */
	items = (is_keyed_by_item_filter(access) ? baserel->tuples / plan->item_rows
			 : plan->items) *
		clauselist_selectivity(root, access->key_rinfos, baserel->relid,
							   JOIN_INNER, NULL);
	if (named)
		items *= caution(baserel, index);
	else if (lengths_are_unknown(plan, index))
		items = assumed_items(plan, access, index, items, keys);
	return Min(Max(items, keys), most_items(root, baserel, access));
}

/* ---- the reads of one execution ---- */

static double
ms_per_item(const DynRelPlan *plan)
{
	ListCell   *lc;

	if (list_length(plan->fields) > FEW_COLUMNS)
		return MS_PER_WIDE_ITEM;
	foreach(lc, plan->fields)
	{
		const DynField *field = lfirst(lc);

		if (dyn_relation_column(plan->relation,
								field->attnum)->codec.basetype == JSONBOID)
			return MS_PER_WIDE_ITEM;
	}
	return MS_PER_ITEM;
}

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
 * Sets the reads of partitions: each is read page by page, several of them
 * concurrently.
 */
static void
read_partitions(DynReads *reads, double keys, double items, double bytes)
{
	reads->keys = keys;
	reads->requests = Max(keys, ceil(items * bytes / DYN_PAGE_BYTES));
	reads->width = keys;
	reads->units = keys * dyn_page_units(items * bytes / keys);
	reads->bytes = items * bytes;
	reads->cpu_ms = reads->requests * DYN_MS_PER_QUERY;
}

/*
 * Sets the reads of a Scan, whose segments have at least four pages
 * (exec/fetch/requests.c).
 */
static void
read_table(DynReads *reads, double bytes)
{
	reads->requests = Max(1.0, ceil(bytes / DYN_PAGE_BYTES));
	reads->width = Max(1.0, reads->requests / 4);
	reads->units = dyn_page_units(bytes);
	reads->bytes = bytes;
}

static double
read_access(DynReads *reads, PlannerInfo *root, RelOptInfo *baserel,
			const DynAccess *access, const DynIndexMeta *index)
{
	const DynRelPlan *plan = baserel->fdw_private;
	double		bytes = dyn_default_item_bytes(plan->meta, index);
	double		keys = access->keys.expected;
	double		items;

	if (access->kind == DYN_ACCESS_GET)
	{
		read_items(reads, keys, bytes);
		return keys;
	}
	if (access->kind == DYN_ACCESS_SCAN)
	{
		read_table(reads, assumed_bytes(baserel, index));
		return reads->bytes / bytes;
	}
	items = query_items(root, baserel, access, index, keys);
	read_partitions(reads, keys, items, bytes);
	return items;
}

/*
 * Returns the items that the matched clauses on this table alone select.  That
 * is at least the 200th that a named partition is assumed to have, if lengths
 * are guesses.
 */
static double
own_items(PlannerInfo *root, const RelOptInfo *baserel, const DynAccess *access,
		  const DynIndexMeta *index)
{
	const DynRelPlan *plan = baserel->fdw_private;
	double		least = lengths_are_unknown(plan, index)
		? plan->items / DEFAULT_NUM_DISTINCT : 0;
	List	   *own = NIL;
	ListCell   *lc;

	foreach(lc, access->key_rinfos)
	{
		if (bms_is_subset(lfirst_node(RestrictInfo, lc)->clause_relids,
						  baserel->relids))
			own = lappend(own, lfirst(lc));
	}
	return Max(Max(1, least), plan->items *
			   clauselist_selectivity(root, own, baserel->relid, JOIN_INNER, NULL));
}

/* Adds reads of the table's items that an index lacks. */
static void
read_base_items(DynReads *reads, const DynRelPlan *plan,
				const DynAccess *access, const DynIndexMeta *index,
				double items)
{
	DynReads	base = {0};

	read_items(&base, items, dyn_default_item_bytes(plan->meta, NULL));
	if (!access->fetch_base_items)
		reads->units += base.units; /* DynamoDB fetches them itself */
	else
	{
		reads->base_requests = base.requests;
		reads->base_units = base.units;
	}
	reads->bytes += base.bytes;
}

/*
 * Returns the examined items that the filters select: at least one per key, as
 * if a narrower key had selected them.
 */
static double
returned_items(PlannerInfo *root, const RelOptInfo *baserel,
			   const DynAccess *access, double items, double keys)
{
	double		selected =
		items * clauselist_selectivity(root, access->filter_rinfos,
									   baserel->relid, JOIN_INNER, NULL);

	if (!access->rechecks_item_filter)
		selected *= row_share(baserel, access);
	return Max(selected, Min(items, Max(keys, 1)));
}

/*
 * Returns true if a subquery in the clause has arguments that differ between
 * rows.
 */
static bool
subplan_varies(Node *node, const RelOptInfo *baserel)
{
	ListCell   *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, SubPlan))
		return expression_tree_walker(node, subplan_varies, (void *) baserel);
	foreach(lc, ((SubPlan *) node)->args)
	{
		Bitmapset  *attnums = NULL;

		pull_varattnos(lfirst(lc), baserel->relid, &attnums);
		if (!bms_is_empty(attnums))
			return true;
	}
	return false;
}

/*
 * Returns the cost of the clauses.  Rows of a subquery are cached as long as
 * its arguments remain the same, so arguments from other relations alone cause
 * one read.
 */
static Cost
cost_of_clauses(PlannerInfo *root, const RelOptInfo *baserel, List *rinfos,
				double items)
{
	Cost		total = 0;
	ListCell   *lc;

	foreach(lc, rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		bool		once = contain_subplans((Node *) rinfo->clause) &&
			!subplan_varies((Node *) rinfo->clause, baserel);
		QualCost	cost;

		cost_qual_eval_node(&cost, (Node *) rinfo, root);
		total += cost.per_tuple * (once ? Min(items, 1) : items);
	}
	return total;
}

/*
 * Returns the cost of checking rows.  Clauses cost the same as for a local
 * table, wherever they are evaluated, and an examined item costs as much as an
 * index tuple.  So if two requests cost the same, the one with the narrower
 * key is cheaper.
 */
static Cost
check_cost(PlannerInfo *root, const RelOptInfo *baserel,
		   const DynAccess *access, double items, double returned)
{
	const DynRelPlan *plan = baserel->fdw_private;

	return items * cpu_operator_cost +
		cost_of_clauses(root, baserel, access->filter_rinfos, items) +
		cost_of_clauses(root, baserel, access->local_rinfos,
						returned * plan->item_rows);
}

/*
 * Returns the fraction of the reads that a semijoin needs, which stops at the
 * first row: the first page is made small accordingly (plan.c).
 */
static double
first_share(PlannerInfo *root, RelOptInfo *baserel, const DynAccess *access,
			double items)
{
	List	   *clauses;

	if (!dyn_access_can(access, DYN_CAN_ORDER))
		return 1;
	clauses = list_union_ptr(access->local_rinfos, access->filter_rinfos);
	return 1 / Max(1, items * dyn_rows_per_item(root, baserel, access, clauses));
}

static void
estimate_reads(DynEstimate *estimate, PlannerInfo *root, RelOptInfo *baserel,
			   const DynAccess *access, const DynIndexMeta *index)
{
	const DynRelPlan *plan = baserel->fdw_private;
	DynReads   *reads = &estimate->reads;
	double		items = read_access(reads, root, baserel, access, index);
	double		returned = returned_items(root, baserel, access, items,
										  reads->keys);

	estimate->items = returned;
	estimate->examined = items;
	estimate->first_share = first_share(root, baserel, access, items);
	estimate->check_cost = check_cost(root, baserel, access, items, returned);
	if (access->kind == DYN_ACCESS_GET)
		reads->width = reads->requests;
	reads->width = Min(reads->width,
					   plan->relation->connection->max_concurrency);
	if (reads_base_items(plan, access, index))
		read_base_items(reads, plan, access, index, items);
	if (access->count_only)
		reads->bytes = 0;
	else
	{
		reads->bytes *= plan->fetched * (items > 0 ? returned / items : 1);
		reads->cpu_ms += returned * plan->item_rows * ms_per_item(plan);
	}
	if (plan->relation->consistent)
	{
		reads->units *= 2;
		reads->base_units *= 2;
	}
}

/*
 * Limits the units.  Queries with different keys never use much more than a
 * read of the entire table or index.  Reads of its items in the table never
 * use more than for the items that its own clauses select.
 */
static void
limit_units(DynPrices *prices, PlannerInfo *root, const RelOptInfo *baserel,
			const DynAccess *access, const DynIndexMeta *index, double bytes)
{
	const DynRelPlan *plan = baserel->fdw_private;
	double		factor = plan->relation->consistent ? 2 : 1;
	double		base = 0;

	if (reads_base_items(plan, access, index))
		base = factor * own_items(root, baserel, access, index) *
			dyn_item_units(dyn_default_item_bytes(plan->meta, NULL));
	prices->most_units = factor * dyn_page_units(bytes);
	if (access->fetch_base_items)
		prices->most_base_units = base;
	else
		prices->most_units += base;
}

static void
find_prices(DynPrices *prices, PlannerInfo *root, const RelOptInfo *baserel,
			const DynAccess *access, const DynIndexMeta *index)
{
	const DynRelPlan *plan = baserel->fdw_private;
	const DynReadOptions *options = &plan->relation->options;
	const DynThroughput *throughput = index ? &index->throughput
		: &plan->meta->throughput;
	double		bytes = assumed_bytes(baserel, index);

	dyn_capacity_init(&prices->capacity, throughput, bytes,
					  options->read_capacity, options->read_percent);
	dyn_capacity_init(&prices->base, &plan->meta->throughput,
					  assumed_bytes(baserel, NULL),
					  options->read_capacity, options->read_percent);
	prices->round_trip_ms = options->round_trip_ms;
	prices->unit_cost_ms = options->unit_cost_ms;
	prices->in_flight = plan->relation->connection->max_concurrency;
	if (access->kind == DYN_ACCESS_QUERY)
		limit_units(prices, root, baserel, access, index, bytes);
	prices->known = dyn_known_capacity(throughput, options->read_capacity) > 0;
}

/* Returns the time for the requests alone, without any transfer. */
static double
full_table_ms(const RelOptInfo *baserel, const DynPrices *prices)
{
	DynPrices	of_table = *prices;
	DynReads	reads = {0};

	of_table.capacity = prices->base;
	read_table(&reads, assumed_bytes(baserel, NULL));
	reads.bytes = 0;
	return dyn_reads_price(&reads, &of_table);
}

static void
add_reads(DynReads *sum, const DynReads *reads)
{
	sum->keys += reads->keys;
	sum->requests += reads->requests;
	sum->width += reads->width;
	sum->units += reads->units;
	sum->base_requests += reads->base_requests;
	sum->base_units += reads->base_units;
	sum->bytes += reads->bytes;
	sum->cpu_ms += reads->cpu_ms;
}

/*
 * Adds up the arms, whose first requests are sent at the same time.  Assumes
 * for all of them the capacity of the table or index that has the least.
 */
static void
estimate_union(PlannerInfo *root, RelOptInfo *baserel, const DynAccess *access,
			   DynEstimate *estimate)
{
	DynPrices  *prices = &estimate->prices;
	ListCell   *lc;

	find_prices(prices, root, baserel, access, NULL);
	foreach(lc, access->inner)
	{
		DynEstimate arm;

		dyn_estimate_access(root, baserel, lfirst(lc), &arm);
		add_reads(&estimate->reads, &arm.reads);
		estimate->items += arm.items;
		estimate->check_cost += arm.check_cost;
		estimate->rows_unknown |= arm.rows_unknown;
		if (arm.prices.capacity.rate < prices->capacity.rate)
			prices->capacity = arm.prices.capacity;
		prices->known |= arm.prices.known;
	}
	estimate->reads.width = Min(estimate->reads.width, prices->in_flight);
}

void
dyn_estimate_access(PlannerInfo *root, RelOptInfo *baserel,
					const DynAccess *access, DynEstimate *estimate)
{
	const DynRelPlan *plan = baserel->fdw_private;
	const DynIndexMeta *index = access->index
		? dyn_metadata_index(plan->meta, access->index) : NULL;

	memset(estimate, 0, sizeof(DynEstimate));
	if (access->kind == DYN_ACCESS_UNION)
		estimate_union(root, baserel, access, estimate);
	else
	{
		estimate_reads(estimate, root, baserel, access, index);
		find_prices(&estimate->prices, root, baserel, access, index);
		estimate->rows_unknown = access->kind == DYN_ACCESS_QUERY &&
			lengths_are_unknown(plan, index);
	}
	estimate->full_ms = full_table_ms(baserel, &estimate->prices);
	estimate->assumed = size_is_unknown(plan);
}

bool
dyn_access_is_one_request(const DynAccess *access)
{
	return access->kind != DYN_ACCESS_SCAN && !access->multi_partition &&
		(access->estimate.reads.requests <= 1 || access->limit_hint > 0);
}

/* ---- costs ---- */

/*
 * Converts time to a cost, so that a less direct access to the same rows is
 * never as cheap.  The kind of unions is skipped: it would only raise the cost
 * of Scans.
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
 * Returns the time of an execution that is repeated.  The read capacity that
 * DynamoDB has saved up serves only a few executions, including the first.
 * Without it, the first one may seem more expensive than a Scan.  Then core
 * would drop the path before it knows the price of many executions.
 */
static double
repeated_ms(const DynEstimate *estimate)
{
	double		once = dyn_reads_price(&estimate->reads, &estimate->prices);
	DynPrices	prices = estimate->prices;

	prices.capacity.saved = prices.base.saved = 0;
	return Min(dyn_reads_price(&estimate->reads, &prices),
			   Max(once, estimate->full_ms / DIRECT_ADVANTAGE));
}

/* Returns the costs of the requests alone. */
static void
cost_requests(const DynEstimate *estimate, DynAccessKind kind, bool repeated,
			  Cost *startup, Cost *total)
{
	const DynPrices *prices = &estimate->prices;
	double		ms = repeated ? repeated_ms(estimate)
		: dyn_reads_price(&estimate->reads, prices);
	double		share = estimate->first_page > 0
		? Min(1, estimate->first_page / Max(1, estimate->examined)) : 1;

	*startup = cost_of_kind(kind, dyn_reads_first_price(&estimate->reads, share,
														prices));
	*total = Max(*startup, cost_of_kind(kind, ms)) *
		(estimate->rows_unknown && estimate->alone ? LATER_PAGE : 1);
	Assert(*startup >= 0 && *total >= *startup);
}

void
dyn_cost_estimate(const DynEstimate *estimate, DynAccessKind kind,
				  bool repeated, double rows, Cost *startup, Cost *total)
{
	cost_requests(estimate, kind, repeated, startup, total);
	*total += estimate->check_cost + rows * cpu_tuple_cost;
}

double
dyn_estimate_local_cost(const DynEstimate *estimate, double rows)
{
	return estimate->reads.cpu_ms * COST_PER_MS + estimate->check_cost +
		rows * cpu_tuple_cost;
}

/*
 * Returns the reads of an execution that ends before its last row (LIMIT,
 * EXISTS), and so costs less than all of them.  No request costs less than
 * half a unit.
 */
static DynReads
reads_of_part(const DynReads *reads, double share)
{
	DynReads	read = *reads;

	read.requests = Max(1, ceil(reads->requests * share));
	read.units = Max(reads->units * share,
					 Min(reads->units, DYN_LEAST_UNITS * read.requests));
	read.base_requests = ceil(reads->base_requests * share);
	read.base_units *= share;
	read.bytes *= share;
	read.cpu_ms *= share;
	return read;
}

/*
 * Batched lookups are preferred to the same requests one by one even if few
 * are expected.  At worst they cost the same, and small row estimates are
 * often wrong.  Other work of an execution, in other nodes or to check rows,
 * is done for each key.  If a part of each partition is read, all of them use
 * at most the same part of the table's units.
 */
void
dyn_cost_lookups(const DynLookupCost *lookups, Cost *startup, Cost *total)
{
	const DynEstimate *once = lookups->estimate;
	double		share = lookups->first_only ? once->first_share : 1;
	DynPrices	prices = once->prices;
	DynReads	part,
				all;
	Cost		scan_startup,
				scan_total,
				full;

	cost_requests(once, lookups->kind, true, &scan_startup, &scan_total);
	full = scan_total + once->check_cost;
	if (lookups->execution < full)
		share = Min(share, lookups->execution / full);
	part = reads_of_part(&once->reads, share);
	prices.most_units *= share;
	all = dyn_reads_repeat(&part, &prices, lookups->keys,
						   lookups->kind == DYN_ACCESS_GET);
	*startup = Max(lookups->startup, scan_startup);
	*total = cost_of_kind(lookups->kind,
						  dyn_reads_price(&all, &prices) -
						  0.1 * prices.round_trip_ms) +
		lookups->keys * Max(0, lookups->execution - scan_total) +
		lookups->executions * 4 * cpu_operator_cost;
	*startup = Min(*startup, *total);
}

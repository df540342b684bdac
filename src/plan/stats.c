/*
 * stats.c
 *		What the planner is told of a table that was never analysed.
 *
 * Without statistics it takes every column to have 200 values, and a partition
 * key of a large table thus to have thousands of items.  Joins would seem to
 * yield many more rows than the lookups that they consist of (cost.c).  What is
 * told instead is the same guess as there.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "../model/pg_compat.h"
#include "cost.h"
#include "planner.h"

static get_relation_stats_hook_type previous_hook = NULL;

bool
dyn_has_statistics(Oid relid, AttrNumber attnum)
{
	return SearchSysCacheExists3(STATRELATTINH, ObjectIdGetDatum(relid),
								 Int16GetDatum(attnum), BoolGetDatum(false));
}

/* A row of pg_statistic that says nothing but the number of values. */
static HeapTuple
make_statistics(Oid relid, AttrNumber attnum, float4 distinct)
{
	Relation	catalog = table_open(StatisticRelationId, AccessShareLock);
	Datum		values[Natts_pg_statistic] = {0};
	bool		nulls[Natts_pg_statistic] = {false};
	HeapTuple	tuple;

	values[Anum_pg_statistic_starelid - 1] = ObjectIdGetDatum(relid);
	values[Anum_pg_statistic_staattnum - 1] = Int16GetDatum(attnum);
	values[Anum_pg_statistic_stadistinct - 1] = Float4GetDatum(distinct);
	for (int i = 0; i < STATISTIC_NUM_SLOTS; i++)
	{
		nulls[Anum_pg_statistic_stanumbers1 - 1 + i] = true;
		nulls[Anum_pg_statistic_stavalues1 - 1 + i] = true;
	}
	tuple = heap_form_tuple(RelationGetDescr(catalog), values, nulls);
	table_close(catalog, AccessShareLock);
	return tuple;
}

/* Real statistics are freed otherwise. */
bool
dyn_is_guess(const VariableStatData *variable)
{
	return HeapTupleIsValid(variable->statsTuple) &&
		variable->freefunc == heap_freetuple;
}

static const RelOptInfo *
relation_of_entry(const PlannerInfo *root, const RangeTblEntry *rte)
{
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		const RelOptInfo *rel = root->simple_rel_array[i];

		if (root->simple_rte_array[i] == rte && rel != NULL)
			return dyn_is_our_relation(rel) ? rel : NULL;
	}
	return NULL;
}

/* The partition key's column, or 0. */
static AttrNumber
partition_column(const RelOptInfo *rel)
{
	const DynRelPlan *plan = rel->fdw_private;

	return plan == NULL ? 0
		: dyn_column_of_attribute(plan->relation, &plan->meta->key.hash[0]);
}

/* Of a small table the 200 values of the planner are as good a guess. */
bool
dyn_collections_are_guessed(const RelOptInfo *rel)
{
	const DynRelPlan *plan = rel->fdw_private;

	return plan != NULL && plan->meta->key.nrange > 0 &&
		rel->tuples > DEFAULT_NUM_DISTINCT * DYN_COLLECTION_ITEMS &&
		!dyn_has_statistics(plan->relation->relid, partition_column(rel));
}

static bool
tell_statistics(PlannerInfo *root, RangeTblEntry *rte, AttrNumber attnum,
				VariableStatData *variable)
{
	const RelOptInfo *rel;

	if (previous_hook && previous_hook(root, rte, attnum, variable))
		return true;
	if (rte->relkind != RELKIND_FOREIGN_TABLE)
		return false;
	rel = relation_of_entry(root, rte);
	if (rel == NULL || attnum != partition_column(rel) ||
		!dyn_collections_are_guessed(rel))
		return false;
	variable->statsTuple = make_statistics(rte->relid, attnum,
										   -1.0f / DYN_COLLECTION_ITEMS);
	variable->freefunc = heap_freetuple;
	return true;
}

void
dyn_stats_init(void)
{
	previous_hook = get_relation_stats_hook;
	get_relation_stats_hook = tell_statistics;
}

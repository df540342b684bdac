/*
 * stats_hook.c
 *		Provides the planner with statistics for a table that was never
 *		analyzed.
 *
 * Without statistics the planner assumes 200 values per column.  For a large
 * table or index that means thousands of items per partition key.  Estimates
 * of joins would then be much larger than those of their lookups (cost.c).
 * Lookups of items by an index without all attributes would cost more than a
 * Scan of the largest table.  So this hook returns the same guess as cost.c.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "utils/rel.h"

#include "../../model/server/pg_compat.h"
#include "planner.h"
#include "statistics.h"

static get_relation_stats_hook_type previous_hook = NULL;

/*
 * Returns a row of pg_statistic with the numbers of NULLs and of distinct
 * values.
 */
static HeapTuple
make_statistics(Oid relid, AttrNumber attnum, float4 nulls_share)
{
	Relation	catalog = table_open(StatisticRelationId, AccessShareLock);
	Datum		values[Natts_pg_statistic] = {0};
	bool		nulls[Natts_pg_statistic] = {false};
	HeapTuple	tuple;

	values[Anum_pg_statistic_starelid - 1] = ObjectIdGetDatum(relid);
	values[Anum_pg_statistic_staattnum - 1] = Int16GetDatum(attnum);
	values[Anum_pg_statistic_stanullfrac - 1] = Float4GetDatum(nulls_share);
	values[Anum_pg_statistic_stadistinct - 1] = Float4GetDatum(-1.0f / DYN_COLLECTION_ITEMS);
	for (int i = 0; i < STATISTIC_NUM_SLOTS; i++)
	{
		nulls[Anum_pg_statistic_stanumbers1 - 1 + i] = true;
		nulls[Anum_pg_statistic_stavalues1 - 1 + i] = true;
	}
	tuple = heap_form_tuple(RelationGetDescr(catalog), values, nulls);
	table_close(catalog, AccessShareLock);
	return tuple;
}

/* Real statistics have a different free function. */
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

/*
 * All items have the keys of the table; for other columns this is core's
 * default.
 */
static float4
share_of_nulls(const RelOptInfo *rel, AttrNumber attnum)
{
	const DynRelPlan *plan = rel->fdw_private;

	return attnum == dyn_relation_only_column_of(plan->relation,
												 &plan->meta->key.hash[0])
		? 0 : DEFAULT_UNK_SEL;
}

static bool
report_statistics(PlannerInfo *root, RangeTblEntry *rte, AttrNumber attnum,
				  VariableStatData *variable)
{
	const RelOptInfo *rel;

	if (previous_hook && previous_hook(root, rte, attnum, variable))
		return true;
	if (rte->relkind != RELKIND_FOREIGN_TABLE)
		return false;
	rel = relation_of_entry(root, rte);
	if (rel == NULL || !dyn_collections_are_unknown(rel, attnum))
		return false;
	variable->statsTuple = make_statistics(rte->relid, attnum,
										   share_of_nulls(rel, attnum));
	variable->freefunc = heap_freetuple;
	return true;
}

void
dyn_stats_init(void)
{
	previous_hook = get_relation_stats_hook;
	get_relation_stats_hook = report_statistics;
}

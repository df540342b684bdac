/*
 * statistics.c
 *		Provides statistics and guesses for the number of a column's distinct
 *		values.
 */
#include "postgres.h"

#include "catalog/pg_statistic.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "../keys/match_keys.h"
#include "statistics.h"

bool
dyn_has_statistics(Oid relid, AttrNumber attnum)
{
	return SearchSysCacheExists3(STATRELATTINH, ObjectIdGetDatum(relid),
								 Int16GetDatum(attnum), BoolGetDatum(false));
}

/* Returns the column that alone is the partition key, or 0. */
static AttrNumber
partition_column(const DynRelPlan *plan, const DynKeySchema *key)
{
	return key->nhash != 1 ? 0
		: dyn_relation_only_column_of(plan->relation, &key->hash[0]);
}

/*
 * Returns true if a partition key of the table or of an index groups items by
 * it.
 */
static bool
divides_items(const DynRelPlan *plan, AttrNumber attnum)
{
	const DynTableMeta *meta = plan->meta;

	if (attnum == partition_column(plan, &meta->key))
		return meta->key.nrange > 0;
	for (int i = 0; i < meta->nindexes; i++)
	{
		if (meta->indexes[i].global &&
			attnum == partition_column(plan, &meta->indexes[i].key))
			return true;
	}
	return false;
}

/*
 * For a small table the planner's default of 200 values is as good as a guess.
 */
bool
dyn_collections_are_unknown(const RelOptInfo *rel, AttrNumber attnum)
{
	const DynRelPlan *plan = rel->fdw_private;

	return plan != NULL && attnum > 0 &&
		rel->tuples > DEFAULT_NUM_DISTINCT * DYN_COLLECTION_ITEMS &&
		divides_items(plan, attnum) &&
		!dyn_has_statistics(plan->relation->relid, attnum);
}

bool
dyn_partitions_are_unknown(const RelOptInfo *rel, const DynKeySchema *key)
{
	return dyn_collections_are_unknown(rel,
									   partition_column(rel->fdw_private, key));
}

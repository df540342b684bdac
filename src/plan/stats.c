/*
 * stats.c
 *		Statistics and guesses of the number of a column's distinct values.
 */
#include "postgres.h"

#include "catalog/pg_statistic.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "match_keys.h"
#include "stats.h"

bool
dyn_has_statistics(Oid relid, AttrNumber attnum)
{
	return SearchSysCacheExists3(STATRELATTINH, ObjectIdGetDatum(relid),
								 Int16GetDatum(attnum), BoolGetDatum(false));
}

AttrNumber
dyn_partition_column(const RelOptInfo *rel)
{
	const DynRelPlan *plan = rel->fdw_private;

	return plan == NULL ? 0
		: dyn_relation_column_of(plan->relation, &plan->meta->key.hash[0]);
}

/* For a small table the planner's default of 200 values is as good. */
bool
dyn_collections_are_guessed(const RelOptInfo *rel)
{
	const DynRelPlan *plan = rel->fdw_private;

	return plan != NULL && plan->meta->key.nrange > 0 &&
		rel->tuples > DEFAULT_NUM_DISTINCT * DYN_COLLECTION_ITEMS &&
		!dyn_has_statistics(plan->relation->relid, dyn_partition_column(rel));
}

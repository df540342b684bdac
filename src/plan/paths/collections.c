/*
 * collections.c
 *		Estimates the number of items per partition key from statistics.
 */
#include "postgres.h"

#include "catalog/pg_statistic.h"
#include "commands/vacuum.h"
#include "nodes/makefuncs.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "collections.h"

bool
dyn_has_statistics(Oid relid, AttrNumber attnum)
{
	return SearchSysCacheExists3(STATRELATTINH, ObjectIdGetDatum(relid),
								 Int16GetDatum(attnum), BoolGetDatum(false));
}

AttrNumber
dyn_partition_column(const DynRelPlan *plan, const DynKeySchema *key)
{
	return key->nhash != 1 ? 0
		: dyn_relation_only_column_of(plan->relation, &key->hash[0]);
}

/*
 * Returns false for small tables, where core's default of 200 distinct values
 * is as good as our guess.
 */
bool
dyn_collections_are_unknown(const RelOptInfo *rel, AttrNumber attnum)
{
	const DynRelPlan *plan = rel->fdw_private;
	bool		groups;

	if (plan == NULL || attnum <= 0 ||
		rel->tuples <= DEFAULT_NUM_DISTINCT * DYN_COLLECTION_ITEMS)
		return false;
	if (attnum == dyn_partition_column(plan, &plan->meta->key))
		groups = plan->meta->key.nrange > 0;
	else
	{
		groups = false;
		for (int i = 0; i < plan->meta->nindexes; i++)
			groups |= plan->meta->indexes[i].global &&
				attnum == dyn_partition_column(plan, &plan->meta->indexes[i].key);
	}
	return groups && !dyn_has_statistics(plan->relation->relid, attnum);
}

static Var *
column_var(const DynRelPlan *plan, AttrNumber attnum)
{
	const DynColumn *column = dyn_relation_column(plan->relation, attnum);

	return makeVar(plan->rel->relid, attnum, column->codec.basetype, -1,
				   column->collation, 0);
}

double
dyn_collection_items(const DynRelPlan *plan, const DynKeyAttr *attr)
{
	const DynRelation *relation = plan->relation;
	AttrNumber	attnum = dyn_relation_only_column_of(relation, attr);
	VariableStatData variable;
	double		sampled = Min(plan->rel->tuples, 300.0 * default_statistics_target);
	double		keys;
	bool		is_default;

	if (attnum == 0)
		return dyn_relation_templated(relation, attr->name) != NULL
			? DYN_COLLECTION_ITEMS : plan->items;
	if (!dyn_has_statistics(relation->relid, attnum))
		return DYN_COLLECTION_ITEMS;
	examine_variable(plan->root, (Node *) column_var(plan, attnum), 0, &variable);
	keys = get_variable_numdistinct(&variable, &is_default);
	ReleaseVariableStats(variable);
	return Max(1.0, sampled / plan->item_rows / Max(keys, 1.0));
}

double
dyn_composed_key_items(const DynRelPlan *plan, const DynTemplatedAttr *templated)
{
	RelOptInfo *rel = plan->rel;
	double		selected = rel->rows;
	List	   *columns = NIL;
	double		keys;

	for (int p = 0; templated != NULL && p < templated->tmpl->nparts; p++)
	{
		AttrNumber	attnum = templated->parts[p].attnum;

		if (dyn_part_is_one_way(&templated->tmpl->parts[p]) ||
			!dyn_has_statistics(plan->relation->relid, attnum))
			return 0;
		columns = lappend(columns, column_var(plan, attnum));
	}
	if (columns == NIL)
		return 0;
	/* count the keys of all rows, not only of those that the clauses select */
	rel->rows = rel->tuples;
	keys = estimate_num_groups(plan->root, columns, rel->tuples, NULL, NULL);
	rel->rows = selected;
	return plan->items / keys;
}

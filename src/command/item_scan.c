/*
 * item_scan.c
 *		Sets up a Scan of whole items as a fetch like others, so that throttling,
 *		budgets and limits of memory apply.
 */
#include "postgres.h"

#include "../dynamodb/units.h"
#include "../plan/keys/match_keys.h"
#include "item_scan.h"

static DynAccess *
scan_of(DynRelation *relation, const DynTableMeta *meta, List *fields)
{
	DynRelPlan	plan = {
		.relation = relation,
		.meta = meta
	};
	List	   *pushed_exactly;
	DynAccess  *access = dyn_match_scan(&plan, NULL, NIL, &pushed_exactly);

	dyn_set_fields(&plan, access, fields);
	return access;
}

DynAccess *
dyn_scan_all_columns(DynRelation *relation, const DynTableMeta *meta)
{
	List	   *fields = NIL;

	for (int i = 0; i < relation->ncolumns; i++)
	{
		DynField   *field = palloc0(sizeof(DynField));

		field->attnum = i + 1;
		if (!relation->columns[i].dropped)
			fields = lappend(fields, field);
	}
	return scan_of(relation, meta, fields);
}

DynItemScan *
dyn_item_scan_create(DynConnection *connection, const char *table,
					 const DynTableMeta *meta)
{
	DynItemScan *scan = palloc0(sizeof(DynItemScan));

	scan->relation.name = scan->relation.table = table;
	scan->relation.connection = connection;
	scan->relation.options = connection->reads;
	scan->meta = meta;
	scan->access = scan_of(&scan->relation, meta, NIL);
	return scan;
}

DynFetch *
dyn_item_scan_start(DynItemScan *scan, DynStatement *statement,
					const DynPath *paths, int npaths, int limit)
{
	DynResolvedAccess nothing_resolved = {0};
	DynFetchSpec spec = {0};

	spec.nstreams = limit > 0 ? 1
		: dyn_requests_segments(&scan->relation, scan->meta->size_bytes);
	scan->requests = dyn_requests_of_access(&scan->relation, scan->access,
											&nothing_resolved, NULL, 0,
											spec.nstreams);
	spec.connection = scan->relation.connection;
	spec.op = DYN_OP_SCAN;
	spec.table = scan->relation.table;
	spec.access = scan->access;
	spec.paths = paths;
	spec.npaths = npaths;
	spec.prepare = dyn_requests_prepare;
	spec.describe = dyn_requests_describe;
	spec.arg = scan->requests;
	spec.may_stop_early = limit > 0;
	spec.first_limit = limit;
	if (limit == 0)
		spec.fetch_size = scan->relation.options.fetch_size;
	spec.max_read_units = scan->relation.max_read_units;
	spec.capacity_share =
		dyn_capacity_share(&scan->meta->throughput,
						   scan->relation.options.read_capacity,
						   scan->relation.options.read_percent);
	spec.capacity = scan->meta->throughput.read_units;
	spec.counters = &scan->counters;
	spec.item_units =
		dyn_sequence_units(dyn_metadata_item_bytes(scan->meta, NULL));
	return dyn_fetch_start(statement, &spec);
}

/*
 * item_scan.c
 *		Sets up a Scan for a command as an ordinary fetch, so that throttling,
 *		unit limits and memory limits apply.
 *
 * Each view has its own slots, even if another view reads the same paths,
 * because its rows expect their values in adjacent slots.
 */
#include "postgres.h"

#include "../dynamodb/units.h"
#include "../plan/keys/match_keys.h"
#include "item_scan.h"

DynItemScan *
dyn_item_scan_create(DynRelation *relation, const DynTableMeta *meta)
{
	DynItemScan *scan = palloc0(sizeof(DynItemScan));

	scan->relation = relation;
	scan->meta = meta;
	scan->access = dyn_match_all_columns(relation, meta);
	scan->paths = palloc(sizeof(DynPath));
	return scan;
}

DynItemScan *
dyn_item_scan_of_table(DynConnection *connection, const char *table,
					   const DynTableMeta *meta)
{
	DynRelation *relation = palloc0(sizeof(DynRelation));

	relation->name = relation->table = table;
	relation->connection = connection;
	relation->options = connection->reads;
	return dyn_item_scan_create(relation, meta);
}

/* ---- what is read of an item ---- */

int
dyn_item_scan_read(DynItemScan *scan, const DynPath *paths, int n)
{
	int			first = scan->npaths;

	scan->npaths += n;
	scan->paths = repalloc(scan->paths, (scan->npaths + 1) * sizeof(DynPath));
	memcpy(scan->paths + first, paths, n * sizeof(DynPath));
	return first;
}

DynView *
dyn_item_scan_view(DynItemScan *scan, DynRelation *relation)
{
	DynAccess  *access = dyn_match_all_columns(relation, scan->meta);
	DynView    *view = palloc(sizeof(DynView));

	/* also read the key, for error messages */
	view->rows = dyn_rows_create(relation, access, DYN_ROWS_KEY | DYN_ROWS_CONVERT,
								 NIL);
	view->first = dyn_item_scan_read(scan, view->rows->paths, view->rows->npaths);
	return view;
}

/* ---- the fetch ---- */

DynFetchSpec
dyn_item_scan_spec(DynItemScan *scan)
{
	const DynRelation *relation = scan->relation;
	const DynThroughput *throughput = &scan->meta->throughput;
	DynFetchSpec spec = {0};

	spec.connection = relation->connection;
	spec.op = DYN_OP_SCAN;
	spec.table = relation->table;
	spec.access = scan->access;
	spec.paths = scan->paths;
	spec.npaths = scan->npaths;
	spec.max_read_units_per_second = relation->max_read_units_per_second;
	spec.capacity_share = dyn_capacity_share(throughput,
											 relation->options.read_capacity,
											 relation->options.read_percent);
	spec.capacity = throughput->read_units;
	spec.counters = &scan->counters;
	spec.item_units =
		dyn_sequence_units(dyn_metadata_item_bytes(scan->meta, NULL));
	return spec;
}

DynFetch *
dyn_item_scan_start(DynItemScan *scan, DynStatement *statement, int limit)
{
	DynResolvedAccess nothing_resolved = {0};
	DynFetchSpec spec = dyn_item_scan_spec(scan);

	spec.nstreams = limit > 0 ? 1
		: dyn_requests_segments(scan->relation, scan->meta->size_bytes);
	scan->requests = dyn_requests_of_access(scan->relation, scan->access,
											&nothing_resolved, NULL, 0,
											spec.nstreams);
	spec.prepare = dyn_requests_prepare;
	spec.describe = dyn_requests_describe;
	spec.arg = scan->requests;
	spec.may_stop_early = limit > 0;
	spec.first_limit = limit;
	if (limit == 0)
		spec.fetch_size = scan->relation->options.fetch_size;
	return dyn_fetch_start(statement, &spec);
}

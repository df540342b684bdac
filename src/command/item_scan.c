/*
 * item_scan.c
 *		Sets up a Scan for a command as an ordinary fetch, so that throttling,
 *		unit limits and memory limits apply.
 *
 * Each view has its own slots, even if another view reads the same paths: a
 * view's values must be in adjacent slots.
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

DynFetchParams
dyn_item_scan_params(DynItemScan *scan)
{
	const DynRelation *relation = scan->relation;
	const DynThroughput *throughput = &scan->meta->throughput;
	DynFetchParams params = {0};

	params.connection = relation->connection;
	params.op = DYN_OP_SCAN;
	params.table = relation->table;
	params.access = scan->access;
	params.paths = scan->paths;
	params.npaths = scan->npaths;
	params.max_read_units_per_second = relation->max_read_units_per_second;
	params.capacity_share = dyn_capacity_share(throughput,
											   relation->options.read_capacity,
											   relation->options.read_percent);
	params.capacity = throughput->read_units;
	params.counters = &scan->counters;
	params.item_units =
		dyn_sequence_units(dyn_metadata_item_bytes(scan->meta, NULL));
	return params;
}

DynFetch *
dyn_item_scan_start(DynItemScan *scan, DynStatement *statement, int limit)
{
	DynResolvedAccess nothing_resolved = {0};
	DynFetchParams params = dyn_item_scan_params(scan);

	params.nstreams = limit > 0 ? 1
		: dyn_requests_segments(scan->relation, scan->meta->size_bytes);
	scan->requests = dyn_requests_of_access(scan->relation, scan->access,
											&nothing_resolved, NULL, 0,
											params.nstreams);
	params.prepare = dyn_requests_prepare;
	params.describe = dyn_requests_describe;
	params.arg = scan->requests;
	params.may_stop_early = limit > 0;
	params.first_limit = limit;
	if (limit == 0)
		params.fetch_size = scan->relation->options.fetch_size;
	return dyn_fetch_start(statement, &params);
}

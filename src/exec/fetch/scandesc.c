/*
 * scandesc.c
 *		Sets up the row conversions of an access plan, and starts its fetches.
 */
#include "postgres.h"

#include "../../dynamodb/units.h"
#include "../../model/session/written.h"
#include "../../model/values/path.h"
#include "../rows/template_parts.h"
#include "scandesc.h"

/* A BatchGetItem has at most BATCH_BYTES / (average bytes of an item) keys. */
#define BATCH_BYTES		(4.0 * 1024 * 1024)

/* ---- key of an item, for error messages ---- */

/*
 * Returns the key of an item in the response to the request of find_key, as
 * text.  Counts the response, too, because no fetch counts it.
 */
static const char *
key_at(const DynScanDesc *scandesc, const DynRequestContext *about,
	   const DynCall *call, const DynPath *paths, uint64 item)
{
	const DynAccess *access = scandesc->access;
	static const int slots[2] = {0, 1};
	DynPathTree *tree = dyn_path_tree_create(paths, access->nbase);
	DynUsage   *usage = dyn_usage_of(about->connection, about->table, about->index);
	DynValue	values[2];
	DynPageCursor cursor;
	DynPage		page = {0};
	DynPageError error;
	const char *key = NULL;

	if (tree != NULL && !dyn_page_parse(&page, DYN_PARSE_RESPONSE, tree, call->response.data,
										call->response.len, &error))
		dyn_usage_reject(usage);
	else if (tree != NULL)
	{
		dyn_usage_add(usage, &(DynCounters) {.pages = 1,.items_read = page.scanned_count,
			.items_returned = page.nitems,.read_units = page.units});
		dyn_fetch_charge(scandesc->origin, page.units);
		dyn_page_cursor_init(&cursor, &page);
		for (; key == NULL && dyn_page_next(&cursor, values); item--)
			key = item > 0 ? NULL : dyn_item_key_text(access->base, access->nbase, slots, values);
	}
	dyn_page_free(&page);
	dyn_path_tree_free(tree);
	return key;
}

/*
 * Returns the key of the item that is being decoded, as text (DynRows).  If
 * the key was not read, requests the item's page again, with only the key
 * attributes.  The item has the same position on this page, unless the table
 * has changed.  Raises an error only for an interrupt, or if memory runs out.
 */
static const char *
find_key(void *arg, const char **why)
{
	DynScanDesc *scandesc = arg;
	DynPath    *paths = palloc(2 * sizeof(DynPath));
	uint64		item;
	DynRequests *requests;
	DynReadRequest request = {0};
	DynRequestContext about;
	DynCall    *call;
	const char *key = NULL;

	if (scandesc->origin == NULL)
		return NULL;
	requests = dyn_fetch_requests(scandesc->origin);
	if (requests->op == DYN_OP_GET_ITEM)
		return dyn_key_text(requests->keys, requests->nparts, ", ");
	if (requests->op == DYN_OP_BATCH_GET_ITEM)
		return NULL;
	for (int i = 0; i < scandesc->access->nbase; i++)
		paths[i] = *dyn_path_of_attribute(scandesc->access->base[i].name);
	/* an error will end the fetch, so its projection can be replaced */
	requests->projection = paths;
	requests->nprojection = scandesc->access->nbase;
	if (!dyn_fetch_position(scandesc->origin, &request, &item) ||
		(call = dyn_call_create(dyn_session_client())) == NULL)
		return NULL;
	request.report_units = true;
	dyn_write_read(dyn_call_body(call), &request);
	about = dyn_requests_about(requests);
	if (dyn_session_try(call, &about.connection->service, &about))
	{
		key = key_at(scandesc, &about, call, paths, item);
		*why = "the response does not have it";
	}
	else
		*why = pstrdup(dyn_describe_failure(call));
	dyn_call_destroy(call);
	return key;
}

/* ---- row conversions ---- */

/* Omits DYN_ROWS_CONVERT for a count, which does not return rows. */
DynRows *
dyn_scandesc_rows(DynScanDesc *scandesc, int keys)
{
	const DynAccess *access = scandesc->access;
	DynRows    *rows = dyn_rows_create(scandesc->relation, access,
									   access->count_only ? keys
									   : keys | DYN_ROWS_CONVERT, NIL);

	rows->find_key = find_key;
	rows->find_key_arg = scandesc;
	return rows;
}

/*
 * Returns the conversion of a Scan's items to rows.  Except for a count, the
 * key is requested, too, so that responses can be checked.  But if the query
 * reads only a part of a jsonb column, and the key is in another part, the key
 * is not requested if its conversion could raise an error.
 */
static DynRows *
scanned_rows(DynScanDesc *scandesc)
{
	DynRows    *rows = NULL;
	bool		in_part = false;

	if (!scandesc->access->count_only)
		rows = dyn_scandesc_rows(scandesc, DYN_ROWS_KEY);
	for (int i = 0; rows != NULL && i < rows->ncolumns; i++)
		in_part |= rows->columns[i].partial;
	if (rows != NULL && !in_part)
		return rows;
	scandesc->own_rows = dyn_scandesc_rows(scandesc, DYN_ROWS_SORT);
	return rows != NULL && dyn_rows_limit_parts(rows, scandesc->own_rows, rows) ? rows
		: scandesc->own_rows;
}

/*
 * Returns the conversion of the scan's items to rows.  The conversion includes
 * the table's key for an arm of an OR, which removes duplicates by key
 * (united.c), and for batches, which return items in any order.  For other
 * Queries, it includes the sort attributes, by which results may be merged.
 *
 * If items may come from Queries for several partitions, the conversion also
 * includes the partition key, so that a response to the wrong Query is
 * detected.
 */
static DynRows *
returned_rows(DynScanDesc *scandesc)
{
	const DynAccess *access = scandesc->access;
	int			partition = access->multi_partition && !access->count_only
		? DYN_ROWS_PARTITION : 0;

	if (access->fetch_base_items ||
		(access->kind == DYN_ACCESS_GET && access->multi_partition))
		return dyn_scandesc_rows(scandesc, DYN_ROWS_KEY);
	if (access->is_arm)
		return dyn_scandesc_rows(scandesc, DYN_ROWS_KEY | partition);
	if (access->kind == DYN_ACCESS_SCAN)
		return scanned_rows(scandesc);
	return dyn_scandesc_rows(scandesc, DYN_ROWS_SORT |
							 (access->kind == DYN_ACCESS_QUERY ? partition : 0));
}

DynRows *
dyn_scandesc_index_rows(const DynScanDesc *scandesc, bool with_partition)
{
	DynAccess  *keys = palloc(sizeof(DynAccess));

	*keys = *scandesc->access;
	keys->fields = NIL;
	return dyn_rows_create(scandesc->relation, keys, with_partition
						   ? DYN_ROWS_KEY | DYN_ROWS_PARTITION : DYN_ROWS_KEY, NIL);
}

DynScanDesc *
dyn_scandesc_create(DynStatement *statement, DynRelation *relation,
					const DynAccess *access)
{
	DynScanDesc *scandesc = palloc0(sizeof(DynScanDesc));

	Assert(access->nbase > 0 && access->nbase <= 2);
	scandesc->statement = statement;
	scandesc->relation = relation;
	scandesc->access = access;
	scandesc->count_into = &scandesc->counters;
	scandesc->rows = returned_rows(scandesc);
	if (scandesc->own_rows == NULL)
		scandesc->own_rows = scandesc->rows;
	if (access->fetch_base_items)
		scandesc->index_rows = dyn_scandesc_index_rows(scandesc, access->multi_partition);
	return scandesc;
}

void
dyn_scandesc_check_schema(DynScanDesc *scandesc)
{
	DynConnection *connection = scandesc->relation->connection;
	DynRequestContext about = {
		.table = scandesc->relation->table,
		.index = scandesc->access->index,
		.connection = connection
	};
	const DynTableMeta *meta = scandesc->checked ? NULL
		: dyn_session_table(connection, about.table);

	scandesc->relation->own_writes =
		dyn_statement_writes(scandesc->statement, scandesc->relation) ||
		dyn_written_recently(connection, about.table);
	if (scandesc->checked)
		return;
	scandesc->checked = true;
	if (scandesc->access->global && scandesc->relation->consistent)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot use consistent reads with global secondary index \"%s\"",
						scandesc->access->index),
				 errhint("Retry the statement, because consistent_read was enabled after it was planned.")));
	if (dyn_access_is_valid(scandesc->access, meta))
		return;
	dyn_session_forget_table(connection, about.table);
	dyn_report_changed_schema(&about, "The keys or the projection have changed.");
}

/* ---- fetches ---- */

int
dyn_scandesc_segments(const DynScanDesc *scandesc)
{
	const DynRelation *relation = scandesc->relation;
	const DynAccess *access = scandesc->access;
	const DynTableMeta *meta;
	const DynIndexMeta *index;

	if (access->kind != DYN_ACCESS_SCAN || access->segments > 0 ||
		access->limit_hint > 0 || scandesc->bound.units > 0)
		return 1;
	meta = dyn_session_cached_table(relation->connection, relation->table);
	index = meta ? dyn_metadata_index(meta, access->index) : NULL;
	if (meta == NULL || (access->index != NULL && index == NULL))
		return 1;
	return dyn_requests_segments(relation,
								 index ? index->size_bytes : meta->size_bytes);
}

/*
 * Decodes the sort attributes, by which items are merged.  A string that does
 * not match its key template counts as absent, because its item is not a row.
 */
static void
decode_sort(void *arg, const DynValue *slots, DynScalar *values)
{
	const DynScanDesc *scandesc = arg;
	const DynRelation *relation = scandesc->relation;
	const DynAccess *access = scandesc->access;

	for (int i = 0; i < access->nsort; i++)
	{
		const DynSortAttr *sort = &access->sort[i];
		const char *name = sort->attr.name;
		DynText		text;

		if (sort->by_text)
			dyn_key_scalar(relation, name, &slots[scandesc->rows->sort_slots[i]],
						   &values[i]);
		else if (dyn_parts_text(scandesc->rows->parts, slots,
								dyn_relation_templated(relation, name) - relation->templated,
								sort->part, &text))
			values[i] = (DynScalar) {DYN_TYPE_S, pnstrdup(text.data, text.len), text.len};
		else
			values[i] = (DynScalar) {DYN_TYPE_S, NULL, 0};
	}
}

/* Returns true if a local index must read attributes from the table. */
static bool
fetches_items(const DynTableMeta *meta, const DynIndexMeta *index,
			  const DynRequests *requests)
{
	if (index == NULL || index->global || requests->count_only)
		return false;
	if (requests->nprojection == 0)
		return index->projection != DYN_PROJECT_ALL;
	for (int i = 0; i < requests->nprojection; i++)
	{
		if (!dyn_index_projects(meta, index, requests->projection[i].steps[0].name))
			return true;
	}
	return false;
}

static double
units_of_key(double item_bytes)
{
	return item_bytes > 0 ? dyn_item_units(item_bytes) : 0;
}

/* Sets the expected cost and the limits of requests; `meta` may be NULL. */
static void
set_sizes(DynFetchParams *params, const DynTableMeta *meta, const DynIndexMeta *index)
{
	const DynRequests *requests = params->requests;
	const DynReadOptions *options = &requests->relation->options;
	const DynThroughput *throughput;
	double		bytes;
	double		units;

	params->consistent = dyn_requests_are_consistent(requests);
	if (meta == NULL)
		return;
	bytes = dyn_metadata_item_bytes(meta, index);
	throughput = index ? &index->throughput : &meta->throughput;
	params->capacity = throughput->read_units;
	params->capacity_share = dyn_capacity_share(throughput, options->read_capacity,
												options->read_percent);
	if (requests->op == DYN_OP_BATCH_GET_ITEM && bytes > 0)
		params->batch_keys = (int) Max(1, Min(BATCH_BYTES / bytes, DYN_BATCH_GET_MAX_KEYS));
	params->fetches_items = fetches_items(meta, index, requests);
	units = requests->op == DYN_OP_GET_ITEM || requests->op == DYN_OP_BATCH_GET_ITEM
		? units_of_key(bytes) : dyn_sequence_units(bytes);
	if (units > 0 && params->fetches_items)
		units += units_of_key(dyn_metadata_item_bytes(meta, NULL));
	params->item_units = params->consistent ? 2 * units : units;
}

DynFetch *
dyn_scandesc_start(DynScanDesc *scandesc, DynRequests *requests, const DynRows *rows,
				   bool keyed)
{
	const DynRelation *relation = scandesc->relation;
	const DynAccess *access = scandesc->access;
	const DynTableMeta *meta = dyn_session_cached_table(relation->connection,
														relation->table);
	const DynIndexMeta *index = meta ? dyn_metadata_index(meta, requests->index) : NULL;
	DynFetchParams params = {.requests = requests,.access = access,.paths = rows->paths,
		.npaths = rows->npaths,.keep = scandesc->keeps,.bound = scandesc->bound,
		.fetch_size = relation->options.fetch_size,.counters = scandesc->count_into,
	.group = keyed ? NULL : scandesc->group,.keyed = keyed};
	DynExpected first;
	const char *sort = NULL;

	Assert(requests->nstreams > 0 && scandesc->checked);
	requests->projection = rows->projection;
	requests->nprojection = rows->nprojection;
	dyn_requests_expected(requests, 0, &first);
	for (int i = 0; i < first.nparts; i++)
		params.key_slots[i] = dyn_rows_slot(rows, first.keys[i].name);
	params.segment_slot = dyn_rows_slot(rows, DYN_SEGMENT_NAME);
	Assert(params.segment_slot < 0 || access->segments > 0);
	if (requests->index == NULL && access->nbase == 2)
		sort = access->base[1].name;
	else if (index != NULL && index->key.nrange > 0)
		sort = index->key.range[0].name;
	params.sort_slot = sort != NULL ? dyn_rows_slot(rows, sort) : -1;
	set_sizes(&params, meta, index);
	if (access->ordered && access->in_turn && !keyed)
		params.in_turn = requests->nstreams > 1;
	else if (access->ordered && requests->nstreams > 1 && !keyed)
	{
		Assert(access->nsort > 0);
		params.decode_sort = decode_sort;
		params.sort_arg = scandesc;
		params.nsort = access->nsort;
	}
	scandesc->origin = dyn_fetch_start(scandesc->statement, &params);
	return scandesc->origin;
}

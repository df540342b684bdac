/*
 * remote_table.c
 *		Lists, scans and samples DynamoDB tables.
 *
 * A Scan is an ordinary fetch, so throttling, unit limits and memory limits
 * apply.  Each view (DynView) has its own slots, even if another view reads the
 * same paths, because a view's values must be in adjacent slots.
 *
 * A sample may contain 200,000 attributes, so equal names are found by sorting.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "../base/number.h"
#include "../dynamodb/elements.h"
#include "../dynamodb/page_check.h"
#include "../dynamodb/units.h"
#include "../model/server/memory.h"
#include "../model/session/guc.h"
#include "../model/session/usage.h"
#include "../model/session/written.h"
#include "../plan/keys/match_keys.h"
#include "remote_table.h"

/* ---- the list of tables ---- */

/*
 * Requests the page after the last name in *progress, and reads its names into
 * `names`.  Returns true if another page follows.
 */
static bool
list_page(DynConnection *connection, DynBuffer *names, DynProgress *progress)
{
	DynRequestContext context = {DYN_OP_LIST_TABLES, NULL, NULL, connection};
	const char *from = dyn_buffer_terminate(&progress->last);
	DynCall    *call = from ? dyn_call_create(dyn_session_client()) : NULL;
	char	   *last = NULL;
	const char *err;
	bool		more;

	dyn_check_oom(call == NULL);
	dyn_write_list_tables(dyn_call_body(call), from);
	if (!dyn_session_try(call, &connection->service, &context))
		dyn_session_fail(call, &context);
	err = dyn_read_list_tables(call->response.data, call->response.len, names, &last);
	if (err == NULL && last != NULL)
		err = dyn_progress_note(progress, last, strlen(last),
								"repeats the LastEvaluatedTableName of an earlier page");
	more = last != NULL;
	free(last);
	if (err != NULL)
	{
		dyn_call_distrust(call);
		dyn_usage_reject(dyn_usage_of(connection, NULL, NULL));
	}
	dyn_call_destroy(call);
	dyn_check_oom(err == dyn_check_memory);
	if (err != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_UNABLE_TO_CREATE_REPLY),
				 errmsg("could not read the list of tables of server \"%s\"",
						connection->server_name),
				 errdetail("The response %s.", err),
				 errhint("Check the server option endpoint_url.")));
	return more;
}

List *
dyn_list_tables(DynConnection *connection)
{
	const char *prefix = connection->table_prefix;
	size_t		prefix_len = strlen(prefix);
	DynBuffer  *names = dyn_buffer_create();
	DynProgress *progress = palloc(sizeof(DynProgress));
	List	   *tables = NIL;
	bool		more;

	dyn_buffer_init_in(&progress->last, CurrentMemoryContext);
	dyn_buffer_init_in(&progress->older, CurrentMemoryContext);
	dyn_progress_begin(progress);
	do
	{
		const char *name;

		more = list_page(connection, names, progress);
		for (size_t at = 0; at < names->len; at += strlen(name) + 1)
		{
			name = names->data + at;
			if (strncmp(name, prefix, prefix_len) == 0)
				tables = lappend(tables, pstrdup(name + prefix_len));
		}
	} while (more);
	return tables;
}

/* ---- scans ---- */

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
					   const DynTableMeta *meta, List *options)
{
	DynRelation *relation = palloc0(sizeof(DynRelation));

	relation->name = relation->table = table;
	relation->connection = connection;
	relation->options = dyn_option_reads(options, &connection->reads);
	relation->consistent = dyn_guc_consistent_read || relation->options.consistent;
	relation->own_writes = dyn_written_recently(connection, table);
	relation->max_read_units_per_second = dyn_option_real(options, "max_read_units_per_second", 0);
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
	const DynReadOptions *options = &scan->relation->options;
	const DynThroughput *throughput = &scan->meta->throughput;
	DynFetchParams params = {0};

	params.requests = scan->requests;
	params.access = scan->access;
	params.paths = scan->paths;
	params.npaths = scan->npaths;
	for (int i = 0; i < lengthof(params.key_slots); i++)
		params.key_slots[i] = -1;
	params.segment_slot = -1;
	params.capacity_share = dyn_capacity_share(throughput, options->read_capacity,
											   options->read_percent);
	params.capacity = throughput->read_units;
	params.counters = &scan->counters;
	params.consistent = dyn_requests_are_consistent(scan->requests);
	params.item_units = (params.consistent ? 2 : 1) *
		dyn_sequence_units(dyn_metadata_item_bytes(scan->meta, NULL));
	return params;
}

DynFetch *
dyn_item_scan_start(DynItemScan *scan, DynStatement *statement, int limit)
{
	DynFetchParams params;

	scan->requests = dyn_requests_of_access(scan->relation, scan->access,
											&(DynResolvedAccess) {0}, limit > 0 ? 1
											: dyn_requests_segments(scan->relation,
																	scan->meta->size_bytes));
	params = dyn_item_scan_params(scan);
	scan->access->may_stop_early = limit > 0;
	scan->access->limit_hint = limit;
	params.fetch_size = limit > 0 ? 0 : scan->relation->options.fetch_size;
	return dyn_fetch_start(statement, &params);
}

/* ---- samples ---- */

char *
dyn_sample_text(const DynValue *value)
{
	char	   *text;

	if (value->flags & DYN_VALUE_HAS_NUL)
		return NULL;
	text = palloc(value->len + 1);
	text[dyn_value_text(value, text)] = '\0';
	return text;
}

static DynSampleItem *
read_item(const DynValue *map, const char *tag)
{
	DynSampleItem *item = palloc0(sizeof(DynSampleItem));
	DynElements members;
	const DynValue *v = &members.value;

	item->map = *map;
	item->map.data = memcpy(palloc(map->len), map->data, map->len);
	dyn_elements_begin(&members, map);
	while (tag != NULL && dyn_elements_next(&members))
	{
		const char *name = dyn_sample_text(&members.name);

		if (name == NULL || strcmp(name, tag) != 0)
			continue;
		item->tag_type = v->type;
		if (v->type == DYN_TYPE_S)
			item->tag = dyn_sample_text(v);
		else if (v->type == DYN_TYPE_BOOL)
			item->tag = v->flags & DYN_VALUE_TRUE ? "true" : "false";
		else if (v->type == DYN_TYPE_N)
		{
			char	   *number = palloc(DYN_NUMBER_BUFSIZE);
			size_t		len;

			if (dyn_number_canonical(v->data, v->len, number, &len) == DYN_NUMBER_OK)
				item->tag = number;
		}
	}
	return item;
}

void
dyn_sample_describe(void *arg)
{
	DynSample  *sample = arg;

	if (dyn_session_cached_table(sample->connection, sample->table) != NULL)
		dyn_session_forget_table(sample->connection, sample->table);
	sample->meta = dyn_session_table(sample->connection, sample->table);
}

bool
dyn_sample_is_readable(const DynSample *sample)
{
	const char *status = sample->meta->status;

	return strcmp(status, "CREATING") != 0 && strcmp(status, "DELETING") != 0 &&
		strncmp(status, "ARCHIV", 6) != 0 && strncmp(status, "INACCESSIBLE", 12) != 0;
}

void
dyn_sample_take(void *arg)
{
	DynSample  *sample = arg;
	DynItemScan *scan = dyn_item_scan_of_table(sample->connection, sample->table,
											   sample->meta, NIL);
	DynFetch   *fetch;
	const DynValue *item;
	List	   *items = NIL;

	if (!dyn_sample_is_readable(sample))
		return;
	(void) dyn_item_scan_read(scan, dyn_path_of_item(), 1);
	fetch = dyn_item_scan_start(scan, dyn_statement_get(sample->estate),
								sample->limit);
	while ((item = dyn_fetch_next(fetch)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (items == NIL)
			dyn_fetch_drain(fetch);
		items = lappend(items, read_item(item, sample->tag));
	}
	dyn_fetch_stop(fetch);
	sample->items = items;
	sample->taken = true;
}

/* ---- attributes ---- */

static int
compare_names(const DynAttribute *a, const DynAttribute *b)
{
	int			order = strcmp(a->name, b->name);

	return order != 0 ? order : a->has_nul - b->has_nul;
}

static int
compare_attributes(const void *a, const void *b)
{
	const DynAttribute *x = a;
	const DynAttribute *y = b;
	int			order = compare_names(x, y);

	return order != 0 ? order : x->last_item - y->last_item;
}

static DynAttribute *
find_key_attribute(DynAttribute *attributes, int nkeys, const char *name)
{
	for (int i = 0; i < nkeys; i++)
	{
		if (strcmp(attributes[i].name, name) == 0)
			return &attributes[i];
	}
	return NULL;
}

DynAttribute *
dyn_sample_attributes(const DynTableMeta *meta, const List *items, int *n)
{
	int			space = (meta->nindexes + 1) * 2 * DYN_MAX_KEY_ATTRS;
	DynAttribute *all;
	DynAttribute *attribute = NULL;
	int			nkeys = 0;
	int			nall;
	DynElements members;
	ListCell   *lc;

	foreach(lc, items)
	{
		dyn_elements_begin(&members, &((const DynSampleItem *) lfirst(lc))->map);
		while (dyn_elements_next(&members))
			space++;
	}
	all = MemoryContextAllocHuge(CurrentMemoryContext, space * sizeof(DynAttribute));
	for (int i = 0; i <= meta->nindexes; i++)
	{
		const DynKeySchema *key = dyn_key_number(meta, i);

		for (int k = 0; k < key->nhash + key->nrange; k++)
		{
			const DynKeyAttr *attr = dyn_key_attr(key, k);

			if (find_key_attribute(all, nkeys, attr->name) == NULL)
				all[nkeys++] = (DynAttribute) {
					.name = attr->name,
					.in_key = i == 0,
					.in_any_key = true,
					.types = 1u << attr->type,
					.last_item = -1
				};
		}
	}
	nall = nkeys;
	foreach(lc, items)
	{
		dyn_elements_begin(&members, &((const DynSampleItem *) lfirst(lc))->map);
		while (dyn_elements_next(&members))
		{
			const char *name = dyn_sample_text(&members.name);

			all[nall++] = (DynAttribute) {
				.name = name ? name : "(a name with U+0000)",
				.has_nul = name == NULL,
				.types = 1u << members.value.type,
				.items = 1,
				.last_item = foreach_current_index(lc)
			};
		}
	}
	qsort(all + nkeys, nall - nkeys, sizeof(DynAttribute), compare_attributes);
	/* merge entries with the same name, in place */
	*n = nkeys;
	for (int i = nkeys; i < nall; i++)
	{
		DynAttribute value = all[i];

		if (attribute == NULL || compare_names(attribute, &value) != 0)
			attribute = find_key_attribute(all, nkeys, value.name);
		if (attribute == NULL)
		{
			attribute = &all[(*n)++];
			*attribute = value;
			continue;
		}
		attribute->name = value.name;
		attribute->has_nul = value.has_nul;
		attribute->types |= value.types;
		attribute->items += attribute->last_item != value.last_item;
		attribute->last_item = value.last_item;
	}
	return all;
}

/*
 * reader.c
 *		Sets up what an access plan reads, and starts its fetches.
 */
#include "postgres.h"

#include "../../dynamodb/units.h"
#include "../rows/template_parts.h"
#include "reader.h"

/*
 * Keys of one BatchGetItem, so that items of the size that the table has on
 * average take about this much.
 */
#define BATCH_BYTES		(4.0 * 1024 * 1024)

/* Of items that become rows, and not only numbers or keys to look up. */
static DynRows *
finish_rows(DynReader *reader, DynRows *rows)
{
	rows->find_key = dyn_reader_item_key;
	rows->find_key_arg = reader;
	if (!reader->access->count_only)
	{
		dyn_rows_add_test(rows);
		dyn_rows_add_unnest(rows);
	}
	return rows;
}

DynRows *
dyn_reader_rows_with_keys(DynReader *reader)
{
	const DynAccess *access = reader->access;

	return finish_rows(reader, dyn_rows_create(reader->relation, access,
											   access->base, access->nbase));
}

/* With the extra attributes first, then maybe those of the partition key. */
static DynRows *
rows_with(const DynReader *reader, const DynAccess *access,
		  const DynKeyAttr *extra, int nextra, bool with_partition)
{
	DynKeyAttr	all[DYN_MAX_KEY_ATTRS + DYN_MAX_KEY_ATTRS + 2];

	for (int i = 0; i < nextra; i++)
		all[i] = extra[i];
	for (int i = 0; with_partition && i < access->nhash; i++)
	{
		all[nextra].name = access->hash[i].name;
		all[nextra++].type = access->hash[i].type;
	}
	return dyn_rows_create(reader->relation, access, all, nextra);
}

DynRows *
dyn_reader_rows_with_partition(DynReader *reader)
{
	const DynAccess *access = reader->access;
	bool		with_key = (reader->relation->unnest != NULL);

	return finish_rows(reader, rows_with(reader, access, access->base,
										 with_key ? access->nbase : 0, true));
}

/* Is a part of some document read, and not all of it? */
static bool
reads_in_part(const DynRows *rows)
{
	for (int i = 0; i < rows->ncolumns; i++)
	{
		if (rows->partial[i])
			return true;
	}
	return false;
}

/*
 * The items of a Scan show their keys: nothing else tells that they are items.
 * A document of which parts are read must not have the keys for that reason;
 * if this cannot be, they are not asked for.
 */
static DynRows *
scanned_rows(DynReader *reader)
{
	const DynAccess *access = reader->access;
	DynRows    *rows = NULL;

	if (!access->count_only)
		rows = dyn_reader_rows_with_keys(reader);
	if (rows != NULL && !reads_in_part(rows))
		return rows;
	reader->own_rows = finish_rows(reader, rows_with(reader, access, access->sort,
													 access->nsort, false));
	return rows != NULL && dyn_rows_limit_parts(rows, reader->own_rows, rows) ? rows
		: reader->own_rows;
}

/*
 * The items of a batch come in no order, so that each must show its key; when
 * merging, the sort attributes are needed.  Items of an arm show their key.
 * Where Queries of several partitions are in flight, each item must show its
 * partition key, by which an answer to another one of them is found out.
 */
static DynRows *
returned_rows(DynReader *reader)
{
	const DynAccess *access = reader->access;

	if (access->fetch_base_items ||
		(access->kind == DYN_ACCESS_GET && access->multi_partition))
		return dyn_reader_rows_with_keys(reader);
	if (access->is_arm)
		return finish_rows(reader, rows_with(reader, access, access->base,
											 access->nbase,
											 access->multi_partition));
	if (access->kind == DYN_ACCESS_SCAN)
		return scanned_rows(reader);
	return finish_rows(reader,
					   rows_with(reader, access, access->sort, access->nsort,
								 access->kind == DYN_ACCESS_QUERY &&
								 access->multi_partition && !access->count_only));
}

/*
 * A field that is fetched as a column has the column's slot already only where
 * the paths are equal.
 */
void
dyn_reader_set_kept_rows(DynReader *reader, const List *filters)
{
	const DynAccess *access = reader->access;
	DynKeyAttr	extra[DYN_MAX_KEY_ATTRS + lengthof(access->base)];
	int			nextra = 0;
	int		   *positions = reader->rows->positions;

	/* the sort attributes first: see compare_items */
	for (int i = 0; i < access->nsort; i++)
		extra[nextra++] = access->sort[i];
	for (int i = 0; i < access->nbase; i++)
		extra[nextra++] = access->base[i];
	reader->rows = rows_with(reader, access, extra, nextra,
							 access->kind == DYN_ACCESS_QUERY &&
							 !access->fetch_base_items);
	reader->rows->positions = positions;
	dyn_rows_add_filters(reader->rows, filters);
	dyn_rows_add_test(reader->rows);
	dyn_rows_add_unnest(reader->rows);
}

DynRows *
dyn_reader_index_rows(const DynReader *reader, bool with_partition)
{
	DynAccess  *keys = palloc(sizeof(DynAccess));

	*keys = *reader->access;
	keys->fields = NIL;
	return rows_with(reader, keys, keys->base, keys->nbase, with_partition);
}

DynReader *
dyn_reader_create(DynStatement *statement, DynRelation *relation,
				  const DynAccess *access)
{
	DynReader  *reader = palloc0(sizeof(DynReader));

	Assert(access->nbase > 0 && access->nbase <= 2);
	reader->statement = statement;
	reader->relation = relation;
	reader->access = access;
	reader->count_into = &reader->counters;
	reader->rows = returned_rows(reader);
	if (reader->own_rows == NULL)
		reader->own_rows = reader->rows;
	if (access->fetch_base_items)
		reader->index_rows = dyn_reader_index_rows(reader, access->multi_partition);
	return reader;
}

void
dyn_reader_set_origin(DynReader *reader, DynFetch *fetch, DynRequests *requests)
{
	Assert((fetch == NULL) == (requests == NULL));
	reader->origin = fetch;
	reader->origin_requests = requests;
}

void
dyn_reader_check_schema(DynReader *reader)
{
	DynConnection *connection = reader->relation->connection;
	DynRequestContext about = {NULL, reader->relation->table,
	reader->access->index, connection->server_name, &connection->provider};

	if (reader->checked)
		return;
	reader->checked = true;
	if (dyn_access_fits(reader->access,
						dyn_session_table(connection, about.table)))
		return;
	dyn_session_forget_table(connection, about.table);
	dyn_report_changed_schema(&about, "Its keys or its projection are others.");
}

/* ---- fetches ---- */

/* The description of the table, and of its index of that name; NULL: not known. */
static const DynTableMeta *
describe(const DynRelation *relation, const char *name, const DynIndexMeta **index)
{
	const DynTableMeta *meta = dyn_session_cached_table(relation->connection,
														relation->table);

	*index = meta != NULL && name != NULL ? dyn_metadata_index(meta, name) : NULL;
	return meta;
}

int
dyn_reader_segments(const DynReader *reader)
{
	const DynRelation *relation = reader->relation;
	const char *name = reader->access->index;
	const DynTableMeta *meta;
	const DynIndexMeta *index;

	if (reader->access->kind != DYN_ACCESS_SCAN || reader->access->limit_hint > 0)
		return 1;
	meta = describe(relation, name, &index);
	if (meta == NULL || (name != NULL && index == NULL))
		return 1;
	return dyn_requests_segments(relation,
								 index ? index->size_bytes : meta->size_bytes);
}

/* False if the item's text does not fit. */
static bool
read_part(const DynReader *reader, const DynValue *values, const DynSpelled *spelled,
		  int part, DynScalar *scalar)
{
	DynText		text;

	if (!dyn_parts_text(reader->rows->parts, values,
						spelled - reader->relation->spelled, part, &text))
		return false;
	scalar->type = DYN_TYPE_S;
	scalar->data = pnstrdup(text.data, text.len);
	scalar->len = text.len;
	return true;
}

/* Compares one part of two texts; what does not fit, and is no row, goes first. */
static int
compare_parts(const DynReader *reader, const DynSpelled *spelled, int part,
			  const DynValue *a, const DynValue *b)
{
	DynScalar	x,
				y;
	bool		a_fits = read_part(reader, a, spelled, part, &x);
	bool		b_fits = read_part(reader, b, spelled, part, &y);
	int			order = 0;

	if (a_fits && b_fits)
		order = dyn_scalar_compare(&x, &y);
	else if (a_fits || b_fits)
		order = a_fits == reader->access->backward ? -1 : 1;
	if (a_fits)
		pfree(unconstify(char *, x.data));
	if (b_fits)
		pfree(unconstify(char *, y.data));
	return order;
}

/* Merging: compares the sort attributes, which follow the columns. */
static int
compare_items(void *arg, const DynValue *a, const DynValue *b)
{
	const DynReader *reader = arg;
	int			order = 0;

	Assert(reader->access->nsort > 0);
	for (int i = 0; i < reader->access->nsort && order == 0; i++)
	{
		const char *name = reader->access->sort[i].name;
		int			part = reader->access->sort_parts[i];
		int			slot = reader->rows->extra_slots[i];
		DynScalar	x,
					y;

		if (part != DYN_WHOLE)
		{
			order = compare_parts(reader, dyn_relation_spelled(reader->relation, name),
								  part, a, b);
			continue;
		}
		dyn_key_scalar(reader->relation, name, &a[slot], &x);
		dyn_key_scalar(reader->relation, name, &b[slot], &y);
		order = dyn_scalar_compare(&x, &y);
		pfree(unconstify(char *, x.data));
		pfree(unconstify(char *, y.data));
	}
	return reader->access->backward ? -order : order;
}

/*
 * By what pages of a Query are seen to follow each other: the sort attribute, if
 * there is one, and it is known.
 */
static void
set_sort_slot(DynFetchSpec *spec, const DynAccess *access,
			  const DynIndexMeta *index, const DynRequests *requests,
			  const DynRows *rows)
{
	const char *name = NULL;

	if (requests->index == NULL && access->nbase == 2)
		name = access->base[1].name;
	else if (index != NULL && index->key.nrange > 0)
		name = index->key.range[0].name;
	spec->sort_slot = name != NULL ? dyn_rows_slot(rows, name) : -1;
	spec->sort_is_unique = requests->index == NULL;
	spec->backward = requests->backward;
}

/* Has a local index to fetch attributes that it does not project? */
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

/* Read units of an item that is read by its key; 0: its size is not known. */
static double
units_of_key(double item_bytes)
{
	return item_bytes > 0 ? dyn_item_units(item_bytes) : 0;
}

/* Where it is not known how long items are, that is 0. */
static double
units_of_item(const DynFetchSpec *spec, const DynTableMeta *meta,
			  double item_bytes)
{
	double		units;

	if (spec->op == DYN_OP_GET_ITEM || spec->op == DYN_OP_BATCH_GET_ITEM)
		units = units_of_key(item_bytes);
	else
		units = dyn_sequence_units(item_bytes);
	if (units > 0 && spec->fetches_items)
		units += units_of_key(dyn_metadata_item_bytes(meta, NULL));
	return spec->consistent ? 2 * units : units;
}

/* What the description tells about the cost of the requests, and their limit. */
static void
set_sizes(DynFetchSpec *spec, const DynTableMeta *meta, const DynIndexMeta *index,
		  const DynRequests *requests, const DynRelation *relation)
{
	const DynReadOptions *options = &relation->options;
	const DynThroughput *throughput;
	double		bytes;

	spec->consistent = relation->consistent;
	if (meta == NULL)
		return;
	bytes = dyn_metadata_item_bytes(meta, index);
	throughput = index ? &index->throughput : &meta->throughput;
	spec->capacity = throughput->read_units;
	spec->capacity_share = dyn_capacity_share(throughput, options->read_capacity,
											  options->read_percent);
	spec->global_index = index && index->global ? index->name : NULL;
	if (spec->op == DYN_OP_BATCH_GET_ITEM && bytes > 0)
		spec->batch_keys = (int) Max(1, Min(BATCH_BYTES / bytes, DYN_BATCH_GET_MAX_KEYS));
	spec->fetches_items = fetches_items(meta, index, requests);
	spec->item_units = units_of_item(spec, meta, bytes);
}

DynFetch *
dyn_reader_start(DynReader *reader, DynRequests *requests, const DynRows *rows,
				 bool keyed)
{
	const DynIndexMeta *index;
	const DynTableMeta *meta = describe(reader->relation, requests->index, &index);
	DynFetchSpec spec = {0};
	DynExpected first;
	DynFetch   *fetch;

	Assert(requests->nstreams > 0 && reader->checked);
	spec.connection = reader->relation->connection;
	spec.op = requests->op;
	spec.table = reader->relation->table;
	spec.index = requests->index;
	spec.access = reader->access;
	spec.paths = rows->paths;
	spec.npaths = rows->npaths;
	spec.nstreams = requests->nstreams;
	spec.prepare = dyn_requests_prepare;
	spec.describe = dyn_requests_describe;
	spec.arg = requests;
	spec.expected = dyn_requests_expected;
	dyn_requests_expected(requests, 0, &first);
	for (int i = 0; i < first.nparts; i++)
		spec.key_slots[i] = dyn_rows_slot(rows, first.keys[i].name);
	set_sort_slot(&spec, reader->access, index, requests, rows);
	set_sizes(&spec, meta, index, requests, reader->relation);
	spec.max_read_units_per_second = reader->relation->max_read_units_per_second;
	spec.may_stop_early = reader->access->may_stop_early;
	spec.keep = reader->keeps;
	spec.first_limit = reader->access->limit_hint;
	spec.fetch_size = reader->relation->options.fetch_size;
	spec.bound = reader->bound;
	spec.beyond = reader->beyond;
	spec.beyond_arg = reader->beyond_arg;
	spec.counters = reader->count_into;
	/* answers to lookups wait until they are served, each for itself */
	spec.group_in_flight = keyed ? NULL : reader->group_in_flight;
	spec.counting = requests->count_only;
	spec.keyed = keyed;
	if (reader->access->ordered && requests->nstreams > 1 && !keyed)
	{
		spec.compare = compare_items;
		spec.compare_arg = reader;
		spec.all_at_once = true;
	}
	fetch = dyn_fetch_start(reader->statement, &spec);
	dyn_reader_set_origin(reader, fetch, requests);
	return fetch;
}

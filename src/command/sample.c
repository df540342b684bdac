/*
 * sample.c
 *		Reads the first items of a table for IMPORT FOREIGN SCHEMA.
 *
 * The Scan is a fetch like others, so that throttling, budgets and limits of
 * memory apply; it ends with its first page.  Eventually consistent, as for
 * ANALYZE.
 */
#include "postgres.h"

#include "../base/number.h"
#include "../dynamodb/units.h"
#include "../exec/fetch/request.h"
#include "../plan/match_keys.h"
#include "sample.h"

typedef struct Source
{
	DynRelation relation;		/* of no foreign table: it has no columns */
	DynRequests *requests;
	DynCounters counters;
	DynPath		item;			/* without steps: all of the item */
} Source;

static void
prepare_scan(void *arg, int stream, DynReadRequest *request)
{
	dyn_requests_prepare(arg, stream, request);
	request->consistent = false;
}

static DynAccess *
scan_of(DynRelation *relation, const DynTableMeta *meta)
{
	DynRelPlan	plan = {
		.relation = relation,
		.meta = meta
	};
	List	   *pushed_exactly;

	return dyn_match_scan(&plan, NIL, &pushed_exactly);
}

static Source *
open_source(DynConnection *connection, const char *table)
{
	Source	   *source = palloc0(sizeof(Source));

	source->relation.name = source->relation.table = table;
	source->relation.connection = connection;
	source->relation.options = connection->reads;
	return source;
}

static DynFetch *
start_scan(DynStatement *statement, Source *source, const DynTableMeta *meta,
		   int items)
{
	DynResolvedAccess nothing_resolved = {0};
	DynAccess  *access = scan_of(&source->relation, meta);
	DynFetchSpec spec = {0};

	source->requests = dyn_requests_of_access(&source->relation, access,
											  &nothing_resolved, NULL, 0, 1);
	spec.connection = source->relation.connection;
	spec.op = DYN_OP_SCAN;
	spec.table = source->relation.table;
	spec.access = access;
	spec.paths = &source->item;
	spec.npaths = 1;
	spec.nstreams = 1;
	spec.prepare = prepare_scan;
	spec.describe = dyn_requests_describe;
	spec.arg = source->requests;
	spec.may_stop_early = true;
	spec.first_limit = items;
	spec.capacity = meta->throughput.read_units;
	spec.counters = &source->counters;
	spec.item_units = dyn_sequence_units(dyn_metadata_item_bytes(meta, NULL));
	return dyn_fetch_start(statement, &spec);
}

/* ---- items ---- */

/* NULL if it contains U+0000. */
static char *
text_of(const DynValue *value)
{
	char	   *text;

	if (value->flags & DYN_VALUE_HAS_NUL)
		return NULL;
	text = palloc(value->len + 1);
	text[dyn_value_text(value, text)] = '\0';
	return text;
}

static char *
number_of(const DynValue *value)
{
	char	   *number = palloc(DYN_NUMBER_BUFSIZE);
	size_t		len;

	if (dyn_number_canonical(value->data, value->len, number, &len) != DYN_NUMBER_OK)
		return NULL;
	return number;
}

static void
keep_tag(DynSampleItem *item, const DynValue *value)
{
	item->tag_type = value->type;
	if (value->type == DYN_TYPE_S)
		item->tag = text_of(value);
	else if (value->type == DYN_TYPE_N)
		item->tag = number_of(value);
	else if (value->type == DYN_TYPE_BOOL)
		item->tag = value->flags & DYN_VALUE_TRUE ? "true" : "false";
}

static DynSampleItem *
read_item(const DynValue *map, const char *tag)
{
	DynSampleItem *item = palloc0(sizeof(DynSampleItem));
	DynWalk		walk;
	DynValue	v;

	dyn_walk_begin(&walk, map);
	(void) dyn_walk_next(&walk, &v);
	while (dyn_walk_next(&walk, &v) == DYN_WALK_NAME)
	{
		DynSampleValue *value = palloc(sizeof(DynSampleValue));

		value->name = text_of(&v);
		(void) dyn_walk_element(&walk, map, &v);
		value->type = v.type;
		item->values = lappend(item->values, value);
		if (tag != NULL && value->name != NULL && strcmp(value->name, tag) == 0)
			keep_tag(item, &v);
	}
	return item;
}

List *
dyn_sample_take(DynStatement *statement, DynConnection *connection,
				const char *table, const DynTableMeta *meta, const char *tag,
				int items)
{
	Source	   *source = open_source(connection, table);
	DynFetch   *fetch = start_scan(statement, source, meta, items);
	const DynValue *item;
	List	   *sample = NIL;

	while ((item = dyn_fetch_next(fetch)) != NULL)
	{
		if (sample == NIL)
			dyn_fetch_drain(fetch);
		sample = lappend(sample, read_item(item, tag));
	}
	dyn_fetch_stop(fetch);
	return sample;
}

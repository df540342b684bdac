/*
 * describe.c
 *		dynamo_fdw_describe(server, table): what a DynamoDB table has, as rows: the
 *		table, its indexes, and its attributes.
 *
 * Runs as the current user, with his own user mapping: a DescribeTable, and a
 * Scan of one page of at most 100 items for the attributes that are in no key.
 * scan_policy applies to it as to a statement with LIMIT 100.  If items may not
 * be read, by it or by the policy of the access key, the attributes are those of
 * the keys.
 *
 * The page also tells which columns of the foreign tables over the table have
 * names that PostgreSQL folded (other_case_tables.h).
 */
#include "postgres.h"

#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "../exec/node/scan_policy.h"
#include "../model/definition/closest.h"
#include "../model/server/encoding.h"
#include "../model/tables/relation.h"
#include "listing.h"
#include "other_case_tables.h"
#include "sample.h"
#include "subtransaction.h"
#include "target.h"

PG_FUNCTION_INFO_V1(dynamo_fdw_describe);

#define SAMPLE_ITEMS		100

typedef struct Describe
{
	ReturnSetInfo *rsinfo;
	DynConnection *connection;
	Oid			serverid;
	const char *table;			/* in DynamoDB */
	const DynTableMeta *meta;
	EState	   *estate;
	List	   *items;			/* of DynSampleItem * */
	bool		sampled;
	const char *unread;			/* why not; NULL */
	MemoryContext row_context;	/* a page may have 200,000 attributes */
} Describe;

/* The columns, in their order. */
typedef struct Row
{
	const char *kind;
	const char *name;
	const char *types;
	const char *partition_key;
	const char *sort_key;
	int64		items;			/* -1: NULL, also below */
	int64		bytes;
	double		read_units;
	const char *detail;
} Row;

static const Row empty_row = {.items = -1,.bytes = -1,.read_units = -1};

#define COLUMNS		9

static void
set_text(Datum *value, bool *isnull, const char *text)
{
	*isnull = text == NULL;
	if (text != NULL)
		*value = CStringGetTextDatum(text);
}

static void
emit(const Describe *describe, const Row *row)
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {false};

	set_text(&values[0], &nulls[0], row->kind);
	set_text(&values[1], &nulls[1], row->name);
	set_text(&values[2], &nulls[2], row->types);
	set_text(&values[3], &nulls[3], row->partition_key);
	set_text(&values[4], &nulls[4], row->sort_key);
	values[5] = Int64GetDatum(row->items);
	nulls[5] = row->items < 0;
	values[6] = Int64GetDatum(row->bytes);
	nulls[6] = row->bytes < 0;
	values[7] = Float8GetDatum(row->read_units);
	nulls[7] = row->read_units < 0;
	set_text(&values[8], &nulls[8], row->detail);
	tuplestore_putvalues(describe->rsinfo->setResult,
						 describe->rsinfo->setDesc, values, nulls);
}

/* ---- the table and its indexes ---- */

static void
add_word(StringInfo list, const char *separator, const char *word)
{
	if (list->len > 0)
		appendStringInfoString(list, separator);
	appendStringInfoString(list, word);
}

/* The names of one side of a key; NULL if it has none. */
static const char *
side_words(const DynKeyAttr *attrs, int n)
{
	StringInfoData list;

	if (n == 0)
		return NULL;
	initStringInfo(&list);
	for (int i = 0; i < n; i++)
		add_word(&list, ", ", dyn_from_utf8_lossy(attrs[i].name));
	return list.data;
}

static void
set_key(Row *row, const DynKeySchema *key)
{
	row->partition_key = side_words(key->hash, key->nhash);
	row->sort_key = side_words(key->range, key->nrange);
}

static void
emit_table(const Describe *describe)
{
	const DynTableMeta *meta = describe->meta;
	Row			row = empty_row;
	StringInfoData detail;

	initStringInfo(&detail);
	appendStringInfo(&detail, "%s, %s", dyn_from_utf8_lossy(meta->status),
					 meta->throughput.provisioned ? "provisioned" : "on demand");
	if (describe->sampled)
		appendStringInfo(&detail, "; attributes of %d item%s",
						 list_length(describe->items),
						 list_length(describe->items) == 1 ? "" : "s");
	else
		appendStringInfo(&detail, "; attributes of keys only: %s", describe->unread);
	row.kind = "table";
	row.name = dyn_from_utf8_lossy(meta->name);
	set_key(&row, &meta->key);
	row.items = (int64) meta->item_count;
	row.bytes = (int64) meta->size_bytes;
	row.read_units = meta->throughput.read_units;
	row.detail = detail.data;
	emit(describe, &row);
}

static const char *
projection_words(const DynIndexMeta *index)
{
	StringInfoData list;

	if (index->projection == DYN_PROJECT_ALL)
		return "projects all attributes";
	if (index->projection == DYN_PROJECT_KEYS_ONLY)
		return "projects keys only";
	initStringInfo(&list);
	for (int i = 0; i < index->nincluded; i++)
		add_word(&list, ", ", dyn_from_utf8_lossy(index->included[i]));
	return psprintf("projects keys, %s", list.data);
}

static void
emit_index(const Describe *describe, const DynIndexMeta *index)
{
	Row			row = empty_row;

	row.kind = index->global ? "global index" : "local index";
	row.name = dyn_from_utf8_lossy(index->name);
	set_key(&row, &index->key);
	row.items = (int64) index->item_count;
	row.bytes = (int64) index->size_bytes;
	if (index->global)
		row.read_units = index->throughput.read_units;
	row.detail = psprintf("%s%s", projection_words(index),
						  index->active ? "" : "; not active");
	emit(describe, &row);
}

/* ---- attributes ---- */

/* An attribute as one item has it. */
typedef struct Sighting
{
	const char *name;			/* UTF-8 */
	DynType		type;
	int			item;
} Sighting;

typedef struct Sightings
{
	int			n;
	int			space;
	Sighting   *all;			/* sorted */
} Sightings;

static int
compare_sightings(const void *a, const void *b)
{
	const Sighting *x = a;
	const Sighting *y = b;
	int			order = strcmp(x->name, y->name);

	return order != 0 ? order : x->item - y->item;
}

static void
add_sighting(Sightings *seen, const DynSampleValue *value, int item)
{
	if (seen->n == seen->space)
	{
		seen->space *= 2;
		seen->all = repalloc_huge(seen->all, (Size) seen->space * sizeof(Sighting));
	}
	seen->all[seen->n].name = value->name != NULL ? value->name
		: "(a name with U+0000)";
	seen->all[seen->n].type = value->type;
	seen->all[seen->n++].item = item;
}

static void
gather(Sightings *seen, List *items)
{
	ListCell   *lc;

	seen->n = 0;
	seen->space = 256;
	seen->all = palloc(seen->space * sizeof(Sighting));
	foreach(lc, items)
	{
		ListCell   *value;

		foreach(value, ((const DynSampleItem *) lfirst(lc))->values)
			add_sighting(seen, lfirst(value), foreach_current_index(lc));
	}
	qsort(seen->all, seen->n, sizeof(Sighting), compare_sightings);
}

/* Where those of a name begin, or would. */
static int
find_sightings(const Sightings *seen, const char *name)
{
	int			low = 0;
	int			high = seen->n;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (strcmp(seen->all[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Counts the items that have the attribute, whose sightings begin at `first`, and
 * adds the types; returns where they end.
 */
static int
count_sightings(const Sightings *seen, const char *name, int first,
				unsigned *types, int64 *items)
{
	int			next = first;

	*items = 0;
	for (; next < seen->n && strcmp(seen->all[next].name, name) == 0; next++)
	{
		*types |= 1u << seen->all[next].type;
		if (next == first || seen->all[next].item != seen->all[next - 1].item)
			++*items;
	}
	return next;
}

static const char *
type_words(unsigned types)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int type = 0; type < 32; type++)
	{
		if (types & (1u << type))
			add_word(&list, ", ", dyn_type_name(type));
	}
	return list.data;
}

static void
add_uses(StringInfo uses, const char *attr, const DynKeySchema *key,
		 const char *index)
{
	const char *of = index ? psprintf(" of %s", dyn_from_utf8_lossy(index)) : "";

	if (dyn_key_hash_position(key, attr) >= 0)
		add_word(uses, "; ", psprintf("partition key%s", of));
	if (dyn_key_range_position(key, attr) >= 0)
		add_word(uses, "; ", psprintf("sort key%s", of));
}

/* The keys that it is part of; NULL if there are none. */
static const char *
use_words(const DynTableMeta *meta, const char *attr)
{
	StringInfoData uses;

	initStringInfo(&uses);
	add_uses(&uses, attr, &meta->key, NULL);
	for (int i = 0; i < meta->nindexes; i++)
		add_uses(&uses, attr, &meta->indexes[i].key, meta->indexes[i].name);
	return uses.len > 0 ? uses.data : NULL;
}

/* Returns where its sightings end. */
static int
emit_attribute(const Describe *describe, const Sightings *seen,
			   const char *name, unsigned types, int first)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(describe->row_context);
	Row			row = empty_row;
	int64		items;
	int			next = count_sightings(seen, name, first, &types, &items);

	CHECK_FOR_INTERRUPTS();

	row.kind = "attribute";
	row.name = dyn_from_utf8_lossy(name);
	row.types = type_words(types);
	if (describe->sampled)
		row.items = items;
	row.detail = use_words(describe->meta, name);
	emit(describe, &row);
	MemoryContextSwitchTo(oldcontext);
	MemoryContextReset(describe->row_context);
	return next;
}

static void
emit_key_attribute(const Describe *describe, const Sightings *seen,
				   List **emitted, const DynKeyAttr *attr)
{
	ListCell   *lc;

	foreach(lc, *emitted)
	{
		if (strcmp(lfirst(lc), attr->name) == 0)
			return;
	}
	*emitted = lappend(*emitted, unconstify(char *, attr->name));
	(void) emit_attribute(describe, seen, attr->name, 1u << attr->type,
						  find_sightings(seen, attr->name));
}

static void
emit_key_attributes(const Describe *describe, const Sightings *seen,
					List **emitted, const DynKeySchema *key)
{
	for (int i = 0; i < key->nhash; i++)
		emit_key_attribute(describe, seen, emitted, &key->hash[i]);
	for (int i = 0; i < key->nrange; i++)
		emit_key_attribute(describe, seen, emitted, &key->range[i]);
}

/* Those of keys in their order, the others by name. */
static void
emit_attributes(const Describe *describe)
{
	const DynTableMeta *meta = describe->meta;
	List	   *emitted = NIL;
	Sightings	seen;

	gather(&seen, describe->items);
	emit_key_attributes(describe, &seen, &emitted, &meta->key);
	for (int i = 0; i < meta->nindexes; i++)
		emit_key_attributes(describe, &seen, &emitted, &meta->indexes[i].key);
	for (int i = 0; i < seen.n;)
	{
		const char *name = seen.all[i].name;
		unsigned	types = 0;
		int64		items;

		if (dyn_is_key_attribute(meta, name))
			i = count_sightings(&seen, name, i, &types, &items);
		else
			i = emit_attribute(describe, &seen, name, 0, i);
	}
}

/* ---- reading ---- */

/* What it was when a statement was planned does not count. */
static void
read_description(void *arg)
{
	Describe   *describe = arg;

	if (dyn_session_cached_table(describe->connection, describe->table) != NULL)
		dyn_session_forget_table(describe->connection, describe->table);
	describe->meta = dyn_session_table(describe->connection, describe->table);
}

static void
read_items(void *arg)
{
	Describe   *describe = arg;

	describe->items = dyn_sample_take(dyn_statement_get(describe->estate),
									  describe->connection, describe->table,
									  describe->meta, NULL, SAMPLE_ITEMS);
	describe->sampled = true;
}

static bool
policy_allows(const Describe *describe)
{
	DynRelation relation = {.options = describe->connection->reads,
	.table = describe->table};

	return dyn_scan_policy_page(&relation, describe->meta, SAMPLE_ITEMS);
}

/* A table that is being created, or deleted, cannot be read. */
static bool
is_readable(const DynTableMeta *meta)
{
	return strcmp(meta->status, "CREATING") != 0 &&
		strcmp(meta->status, "DELETING") != 0;
}

static void
sample(Describe *describe)
{
	ErrorData  *failure;

	if (!is_readable(describe->meta))
	{
		describe->unread = "the table is not active";
		return;
	}
	if (!policy_allows(describe))
	{
		describe->unread = "scan_policy";
		ereport(NOTICE,
				(errmsg("items of DynamoDB table \"%s\" are not read", describe->table),
				 errdetail("The scan_policy is \"error\", and %d items are more than 1 MB.",
						   SAMPLE_ITEMS)));
		return;
	}
	failure = dyn_attempt(read_items, describe);
	if (failure == NULL)
	{
		dyn_report_other_cases(describe->connection, describe->serverid,
							   describe->table, describe->items);
		return;
	}
	if (failure->sqlerrcode != ERRCODE_INSUFFICIENT_PRIVILEGE)
		ReThrowError(failure);
	describe->unread = "the access key may not Scan the table";
	ereport(NOTICE,
			(errmsg("items of DynamoDB table \"%s\" are not read", describe->table),
			 errdetail("%s", dyn_failure_text(failure))));
}

/* ---- names that are misspelled ---- */

static void
try_name(void *arg, const char *name)
{
	dyn_closest_try(arg, pstrdup(dyn_from_utf8_lossy(name)));
}

typedef struct Search
{
	const Describe *describe;
	DynClosest	closest;
} Search;

static void
search_names(void *arg)
{
	Search	   *search = arg;

	dyn_list_tables(search->describe->connection, try_name, &search->closest);
}

/* The hint of a table that does not exist, if tables may be listed. */
static void
suggest_name(ErrorData *failure, const Describe *describe, const char *name)
{
	Search		search = {.describe = describe};
	ErrorData  *denied;

	dyn_closest_init(&search.closest, dyn_from_utf8_lossy(name));
	denied = dyn_attempt(search_names, &search);
	if (denied != NULL && denied->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(denied);
	if (denied == NULL && search.closest.best != NULL)
		failure->hint = psprintf("Perhaps the table \"%s\" is meant; dynamo_fdw_tables(%s) lists all tables.",
								 search.closest.best,
								 quote_literal_cstr(describe->connection->server_name));
}

/* ---- the function ---- */

static void
check_arguments(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be NULL", PG_ARGISNULL(0) ? "server" : "table_name")));
}

static void
describe_table(Describe *describe, const char *name)
{
	ErrorData  *failure = dyn_attempt(read_description, describe);

	if (failure == NULL)
		return;
	if (failure->sqlerrcode == ERRCODE_FDW_TABLE_NOT_FOUND)
		suggest_name(failure, describe, name);
	ReThrowError(failure);
}

static void
emit_all(const Describe *describe)
{
	emit_table(describe);
	for (int i = 0; i < describe->meta->nindexes; i++)
		emit_index(describe, &describe->meta->indexes[i]);
	emit_attributes(describe);
}

Datum
dynamo_fdw_describe(PG_FUNCTION_ARGS)
{
	Describe	describe = {0};
	const ForeignServer *server;
	const char *name;
	MemoryContext oldcontext;

	check_arguments(fcinfo);
	server = dyn_target_server(NameStr(*PG_GETARG_NAME(0)));
	describe.serverid = server->serverid;
	name = dyn_to_utf8(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	describe.connection = dyn_session_connection(server->serverid, GetUserId());
	describe.table = dyn_relation_remote_name(describe.connection, name, NIL);
	InitMaterializedSRF(fcinfo, 0);
	describe.rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	describe_table(&describe, name);
	/* a fetch that fails goes before the statement that it belongs to */
	describe.estate = CreateExecutorState();
	oldcontext = MemoryContextSwitchTo(describe.estate->es_query_cxt);
	describe.row_context = AllocSetContextCreate(CurrentMemoryContext,
												 "dynamo_fdw row",
												 ALLOCSET_DEFAULT_SIZES);
	sample(&describe);
	emit_all(&describe);
	MemoryContextSwitchTo(oldcontext);
	FreeExecutorState(describe.estate);
	return (Datum) 0;
}

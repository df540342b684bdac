/*
 * describe.c
 *		Lists and describes DynamoDB tables: dynamo_fdw_tables(server) and
 *		dynamo_fdw_describe(server, table).
 *
 * dynamo_fdw_describe() sends a DescribeTable and, to find the attributes that
 * are not in a key, a Scan of one page of at most 100 items.  scan_policy
 * applies as to a statement with LIMIT 100.  If scan_policy or the IAM policy
 * forbids reading items, only key attributes are shown.
 */
#include "postgres.h"

#include "access/relation.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "../exec/source/scan_policy.h"
#include "../model/definition/closest.h"
#include "../model/server/encoding.h"
#include "../model/session/guc.h"
#include "../model/tables/relation.h"
#include "../model/server/soft_errors.h"
#include "remote_table.h"
#include "target.h"

PG_FUNCTION_INFO_V1(dynamo_fdw_tables);
PG_FUNCTION_INFO_V1(dynamo_fdw_describe);

#define SAMPLE_ITEMS		100

typedef struct Describe
{
	ReturnSetInfo *rsinfo;
	DynSample	sample;
	const char *unread;			/* reason to report if the items are not read */
	MemoryContext row_context;	/* memory of one result row; the attributes of
								 * a page may result in 200,000 rows */
} Describe;

static void
add_word(StringInfo list, const char *separator, const char *word)
{
	if (list->len > 0)
		appendStringInfoString(list, separator);
	appendStringInfoString(list, word);
}

static const char *
describe_side(const DynKeyAttr *attrs, int n)
{
	StringInfo	list = makeStringInfo();

	for (int i = 0; i < n; i++)
		add_word(list, ", ", dyn_from_utf8_lossy(attrs[i].name));
	return n > 0 ? list->data : NULL;
}

/* Emits a row.  `key` may be NULL; numbers below 0 become NULL. */
static void
emit(const Describe *describe, const char *kind, const char *name, const char *types,
	 const DynKeySchema *key, int64 items, int64 bytes, double read_units,
	 const char *detail)
{
	const char *partition_key = key ? describe_side(key->hash, key->nhash) : NULL;
	const char *sort_key = key ? describe_side(key->range, key->nrange) : NULL;
	const char *texts[] = {kind, dyn_from_utf8_lossy(name), types, partition_key,
		sort_key, NULL, NULL, NULL, detail};
	Datum		values[lengthof(texts)];
	bool		nulls[lengthof(texts)];

	for (int i = 0; i < lengthof(texts); i++)
	{
		nulls[i] = texts[i] == NULL;
		if (texts[i] != NULL)
			values[i] = CStringGetTextDatum(texts[i]);
	}
	values[5] = Int64GetDatum(items);
	nulls[5] = items < 0;
	values[6] = Int64GetDatum(bytes);
	nulls[6] = bytes < 0;
	values[7] = Float8GetDatum(read_units);
	nulls[7] = read_units < 0;
	tuplestore_putvalues(describe->rsinfo->setResult,
						 describe->rsinfo->setDesc, values, nulls);
}

static void
emit_table(const Describe *describe)
{
	const DynSample *sample = &describe->sample;
	const DynTableMeta *meta = sample->meta;
	StringInfo	detail = makeStringInfo();

	appendStringInfo(detail, "%s, %s", dyn_from_utf8_lossy(meta->status),
					 meta->throughput.provisioned ? "provisioned" : "on demand");
	if (sample->taken)
		appendStringInfo(detail, "; attributes of %d item%s",
						 list_length(sample->items),
						 list_length(sample->items) == 1 ? "" : "s");
	else
		appendStringInfo(detail, "; attributes of keys only: %s", describe->unread);
	emit(describe, "table", meta->name, NULL, &meta->key, meta->item_count,
		 meta->size_bytes, meta->throughput.read_units, detail->data);
}

static void
emit_index(const Describe *describe, const DynIndexMeta *index)
{
	StringInfo	detail = makeStringInfo();

	appendStringInfoString(detail, index->projection == DYN_PROJECT_ALL
						   ? "projects all attributes"
						   : index->projection == DYN_PROJECT_KEYS_ONLY
						   ? "projects keys only" : "projects keys");
	for (int i = 0; i < index->nincluded; i++)
		appendStringInfo(detail, ", %s", dyn_from_utf8_lossy(index->included[i]));
	if (!index->active)
		appendStringInfoString(detail, "; not active");
	emit(describe, index->global ? "global index" : "local index", index->name,
		 NULL, &index->key, index->item_count, index->size_bytes,
		 index->global ? index->throughput.read_units : -1, detail->data);
}

/* Describes the keys that contain the attribute; returns NULL if none does. */
static const char *
describe_use(const DynTableMeta *meta, const char *attr)
{
	StringInfo	uses = makeStringInfo();

	for (int i = 0; i <= meta->nindexes; i++)
	{
		const DynKeySchema *key = dyn_key_number(meta, i);
		const char *of = i == 0 ? ""
			: psprintf(" of %s", dyn_from_utf8_lossy(meta->indexes[i - 1].name));

		if (dyn_is_in_hash_key(key, attr))
			add_word(uses, "; ", psprintf("partition key%s", of));
		else if (dyn_is_in_key(key, attr))
			add_word(uses, "; ", psprintf("sort key%s", of));
	}
	return uses->len > 0 ? uses->data : NULL;
}

static void
emit_attributes(const Describe *describe)
{
	const DynSample *sample = &describe->sample;
	int			n;
	const DynAttribute *attributes = dyn_sample_attributes(sample->meta,
														   sample->items, &n);

	for (int i = 0; i < n; i++)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(describe->row_context);
		StringInfoData types;

		CHECK_FOR_INTERRUPTS();
		initStringInfo(&types);
		for (int type = 0; type < 32; type++)
		{
			if (attributes[i].types & (1u << type))
				add_word(&types, ", ", dyn_type_name(type));
		}
		emit(describe, "attribute", attributes[i].name, types.data, NULL,
			 sample->taken ? attributes[i].items : -1, -1, -1,
			 describe_use(sample->meta, attributes[i].name));
		MemoryContextSwitchTo(oldcontext);
		MemoryContextReset(describe->row_context);
	}
}

typedef struct Candidate
{
	const DynSample *sample;
	Oid			relid;
} Candidate;

/*
 * Compares the columns of a foreign table with the items of the sample.  Skips
 * a table that shows only some of the items, since the sample may contain none
 * of them.  Raises an error if the table's definition is not valid.  Holds the
 * lock on the table until the transaction ends.
 */
static void
compare_table(void *arg)
{
	const Candidate *candidate = arg;
	const DynSample *sample = candidate->sample;
	const DynRelation *relation = NULL;
	DynFolded  *folded;
	Relation	rel;
	ListCell   *lc;

	if (!ConditionalLockRelationOid(candidate->relid, AccessShareLock))
		return;
	rel = try_relation_open(candidate->relid, NoLock);
	if (rel == NULL)
		return;					/* dropped in the meantime */
	if (dyn_is_table_over(rel, sample->connection, sample->table))
		relation = dyn_relation_open(candidate->relid, GetUserId());
	relation_close(rel, NoLock);
	if (relation == NULL || relation->item_filter.nterms > 0 ||
		relation->ntemplated > 0 || relation->unnest != NULL)
		return;
	folded = dyn_folded_create(relation, GetUserId());
	foreach(lc, sample->items)
		dyn_folded_see_item(folded, &((const DynSampleItem *) lfirst(lc))->map);
	dyn_folded_report(folded);
}

/*
 * Reports columns with lower-cased names (other_case.c) that the current user
 * may read, in all foreign tables over the DynamoDB table.  The foreign tables
 * may belong to other users, so this function must not run code of the owners,
 * wait for locks, or report errors in definitions.
 */
static void
report_other_cases(const DynSample *sample)
{
	ListCell   *lc;

	foreach(lc, dyn_tables_of_server(sample->connection->serverid))
	{
		Candidate	candidate = {sample, lfirst_oid(lc)};
		bool		is_missing = false;
		ErrorData  *failure;

		CHECK_FOR_INTERRUPTS();
		if (pg_class_aclcheck_ext(candidate.relid, GetUserId(), ACL_SELECT,
								  &is_missing) != ACLCHECK_OK &&
			pg_attribute_aclcheck_all(candidate.relid, GetUserId(), ACL_SELECT,
									  ACLMASK_ANY) != ACLCHECK_OK)
			continue;
		failure = dyn_attempt(compare_table, &candidate);
		if (failure != NULL && !dyn_failure_is_of_definition(failure))
			ReThrowError(failure);
	}
}

static void
read_items(Describe *describe)
{
	DynSample  *sample = &describe->sample;
	DynRelation relation = {.options = sample->connection->reads,.table = sample->table,
	.consistent = dyn_guc_consistent_read || sample->connection->reads.consistent};
	const char *detail;

	if (!dyn_sample_is_readable(sample))
		return;
	if (!dyn_scan_policy_page(&relation, sample->meta, sample->limit))
	{
		describe->unread = "scan_policy";
		detail = psprintf("The scan_policy is \"error\", and %d items exceed 1 MB.",
						  sample->limit);
	}
	else
	{
		ErrorData  *failure = dyn_attempt(dyn_sample_take, sample);

		if (failure == NULL)
		{
			report_other_cases(sample);
			return;
		}
		if (failure->sqlerrcode != ERRCODE_INSUFFICIENT_PRIVILEGE)
			ReThrowError(failure);
		describe->unread = "the credentials do not permit Scan of the table";
		detail = dyn_failure_text(failure);
	}
	ereport(NOTICE,
			(errmsg("skipping the items of DynamoDB table \"%s\"", sample->table),
			 errdetail("%s", detail)));
}

typedef struct Search
{
	DynConnection *connection;
	DynClosest	closest;
} Search;

static void
search_names(void *arg)
{
	Search	   *search = arg;
	ListCell   *lc;

	foreach(lc, dyn_list_tables(search->connection))
		dyn_closest_try(&search->closest, dyn_from_utf8_lossy(lfirst(lc)));
}

/* Sets the error's hint to a similar table name, if ListTables succeeds. */
static void
suggest_name(ErrorData *failure, DynConnection *connection, const char *name)
{
	Search		search = {.connection = connection};
	ErrorData  *denied;

	dyn_closest_init(&search.closest, dyn_from_utf8_lossy(name));
	denied = dyn_attempt(search_names, &search);
	if (denied != NULL && denied->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(denied);
	if (denied == NULL && search.closest.best != NULL)
		failure->hint = psprintf("Perhaps you meant the table \"%s\". dynamo_fdw_tables(%s) lists all tables.",
								 search.closest.best,
								 quote_literal_cstr(connection->server_name));
}

Datum
dynamo_fdw_tables(PG_FUNCTION_ARGS)
{
	DynConnection *connection = dyn_target_server(NameStr(*PG_GETARG_NAME(0)));
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	foreach(lc, dyn_list_tables(connection))
	{
		Datum		value = CStringGetTextDatum(lfirst(lc));

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &(bool) {false});
	}
	return (Datum) 0;
}

Datum
dynamo_fdw_describe(PG_FUNCTION_ARGS)
{
	Describe	describe = {.unread = "the table is not active"};
	DynSample  *sample = &describe.sample;
	const char *name;
	ErrorData  *failure;
	MemoryContext oldcontext;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be NULL", PG_ARGISNULL(0) ? "server" : "table_name")));
	sample->connection = dyn_target_server(NameStr(*PG_GETARG_NAME(0)));
	name = dyn_to_utf8(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	sample->table = dyn_relation_remote_name(sample->connection, name, NIL);
	sample->limit = SAMPLE_ITEMS;
	InitMaterializedSRF(fcinfo, 0);
	describe.rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	failure = dyn_attempt(dyn_sample_describe, sample);
	if (failure != NULL)
	{
		if (failure->sqlerrcode == ERRCODE_FDW_TABLE_NOT_FOUND)
			suggest_name(failure, sample->connection, name);
		ReThrowError(failure);
	}
	/*
	 * Read the items in the context that owns the DynStatement, so that the
	 * fetch's context becomes its child; after an error, the fetch is then
	 * released before the DynStatement.
	 */
	sample->estate = CreateExecutorState();
	oldcontext = MemoryContextSwitchTo(sample->estate->es_query_cxt);
	describe.row_context = AllocSetContextCreate(CurrentMemoryContext,
												 "dynamo_fdw row",
												 ALLOCSET_DEFAULT_SIZES);
	read_items(&describe);
	emit_table(&describe);
	for (int i = 0; i < sample->meta->nindexes; i++)
		emit_index(&describe, &sample->meta->indexes[i]);
	emit_attributes(&describe);
	MemoryContextSwitchTo(oldcontext);
	FreeExecutorState(sample->estate);
	return (Datum) 0;
}

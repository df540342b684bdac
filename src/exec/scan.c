/*
 * scan.c
 *		Executes a foreign scan: binds values, runs the fetch, returns rows.
 *
 * An execution begins at the first Iterate: outer parameters have no values
 * before.  Everything of one execution lives in run_context, which a rescan
 * resets, unless what was read can be handed out again: requests in flight are
 * then abandoned by their reset callbacks, as they are on an error.
 *
 * There is no shutdown callback: core calls it at the end of every FETCH of a
 * cursor, after which more rows may be wanted.
 *
 * Index, then base: the index yields base keys; batches of them are read from
 * the table.  A key seen twice (an entry can move within a global index while
 * it is read) gives one row; an item that is gone gives none.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "executor/executor.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "parser/parsetree.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "../base/text.h"
#include "../model/path.h"
#include "../model/pg_compat.h"
#include "../plan/plantree.h"
#include "async.h"
#include "lookup/lookup.h"
#include "siblings.h"

/* Keys of one batch that is read from the table behind an index. */
#define BATCH_KEYS			(4 * DYN_BATCH_GET_MAX_KEYS)

/* ---- begin ---- */

static Oid
scan_user(ForeignScanState *node, Index rti)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	RangeTblEntry *rte = exec_rt_fetch(rti, node->ss.ps.state);
	Oid			userid = dyn_plan_check_as_user(plan, rte);

	return OidIsValid(userid) ? userid : GetUserId();
}

static DynRelation *
open_scan_relation(ForeignScanState *node)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	Index		rti = plan->scan.scanrelid > 0 ? plan->scan.scanrelid
		: bms_next_member(dyn_plan_base_relids(plan), -1);

	return dyn_relation_open(exec_rt_fetch(rti, node->ss.ps.state)->relid,
							 scan_user(node, rti));
}

static void
check_consistency(const DynScan *scan)
{
	if (scan->access->global && scan->relation->consistent)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the plan uses global index \"%s\", which has no consistent reads",
						scan->access->index),
				 errhint("consistent_read was switched on after the statement was planned: repeat the statement.")));
}

static void
init_values(DynScan *scan, ForeignScanState *node)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;

	scan->exprs = ExecInitExprList(plan->fdw_exprs, (PlanState *) node);
	scan->values.n = list_length(scan->exprs);
	scan->values.values = palloc0(Max(scan->values.n, 1) * sizeof(Datum));
	scan->values.nulls = palloc0(Max(scan->values.n, 1) * sizeof(bool));
}

/*
 * The items of a batch come in no order, so that each must show its key if it
 * has to be named; when merging, the sort attributes are needed.
 */
static void
create_rows(DynScan *scan)
{
	const DynAccess *access = scan->access;

	if (access->then_base ||
		(access->kind == DYN_ACCESS_GET && access->multiple))
		scan->rows = dyn_rows_create(scan->relation, access, access->base,
									 access->nbase);
	else
		scan->rows = dyn_rows_create(scan->relation, access, access->sort,
									 access->nsort);
}

void
dynBeginForeignScan(ForeignScanState *node, int eflags)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	DynScan    *scan = palloc0(sizeof(DynScan));

	node->fdw_state = scan;
	scan->node = node;
	scan->relation = open_scan_relation(node);
	scan->access = dyn_access_decode(linitial(plan->fdw_private));
	create_rows(scan);
	scan->rows->find_key = dyn_scan_item_key;
	scan->rows->find_key_arg = scan;
	if (scan->access->then_base)
	{
		DynAccess  *keys = palloc(sizeof(DynAccess));

		*keys = *scan->access;
		keys->fields = NIL;
		scan->keys = dyn_rows_create(scan->relation, keys, keys->base,
									 keys->nbase);
	}
	dyn_statement_add_scan(node->ss.ps.state, scan);
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	/* the planner only knows that there is a LIMIT somewhere */
	if (scan->access->lazy)
		scan->access->lazy =
			!dyn_plan_is_read_whole(node->ss.ps.state->es_plannedstmt, &plan->scan.plan);
	scan->keeps = (eflags & EXEC_FLAG_REWIND) != 0;
	check_consistency(scan);
	init_values(scan, node);
	scan->run_context = AllocSetContextCreate(CurrentMemoryContext,
											  "dynamo_fdw scan",
											  ALLOCSET_SMALL_SIZES);
}

/* ---- policy of reading whole tables ---- */

static char *
table_size_words(const DynTableMeta *meta)
{
	double		bytes = meta->size_bytes;
	const char *unit = "bytes";

	if (bytes >= 1024.0 * 1024 * 1024)
	{
		bytes /= 1024.0 * 1024 * 1024;
		unit = "GB";
	}
	else if (bytes >= 1024.0 * 1024)
	{
		bytes /= 1024.0 * 1024;
		unit = "MB";
	}
	else if (bytes >= 1024)
	{
		bytes /= 1024;
		unit = "kB";
	}
	return psprintf(unit[0] == 'b' ? "%.0f %s" : "%.1f %s", bytes, unit);
}

/* ": 4609 items, 2.4 MB, about 295 read units" if that is known. */
static char *
size_clause(const DynScan *scan, const DynTableMeta *meta)
{
	double		units;

	if (meta == NULL || meta->item_count == 0)
		return pstrdup("");
	units = Max(0.5, meta->size_bytes / DYN_READ_UNIT_BYTES) *
		(scan->relation->consistent ? 2 : 1);
	return psprintf(": " UINT64_FORMAT " items, %s, about %.0f read units",
					(uint64) meta->item_count, table_size_words(meta),
					Max(units, 1));
}

static bool
shows_attribute(const DynRelation *relation, const DynKeyAttr *attr)
{
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (!column->dropped && dyn_path_is_attribute(column->path, attr->name))
			return true;
	}
	return false;
}

/* What would spare the Scan: binding the key, or first of all showing it. */
static char *
bind_hint(const DynScan *scan, const DynTableMeta *meta)
{
	if (meta == NULL)
		return pstrdup("Bind the partition key");
	if (!shows_attribute(scan->relation, &meta->key.hash[0]))
		return psprintf("No column shows the partition key \"%s\": add one and bind it",
						meta->key.hash[0].name);
	return psprintf("Bind the partition key \"%s\"", meta->key.hash[0].name);
}

static void
announce_scan(DynScan *scan)
{
	DynScanPolicy policy = dyn_relation_scan_policy(scan->relation);
	const DynTableMeta *meta;

	if (scan->announced || scan->access->kind != DYN_ACCESS_SCAN)
		return;
	scan->announced = true;
	if (policy == DYN_SCAN_ALLOW)
		return;
	meta = dyn_session_cached_table(scan->relation->connection,
									scan->relation->table);
	if (policy == DYN_SCAN_ERROR)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("reading the whole DynamoDB table \"%s\" is not allowed%s",
						scan->relation->table, size_clause(scan, meta)),
				 errhint("%s, or set scan_policy to \"warn\" or \"allow\".",
						 bind_hint(scan, meta))));
	ereport(WARNING,
			(errmsg("reading the whole DynamoDB table \"%s\"%s",
					scan->relation->table, size_clause(scan, meta)),
			 errhint("%s, or set scan_policy to \"allow\".", bind_hint(scan, meta))));
}

static int
scan_segments(const DynScan *scan)
{
	const DynRelation *relation = scan->relation;
	const DynTableMeta *meta;

	if (scan->access->kind != DYN_ACCESS_SCAN || scan->access->limit_hint > 0)
		return 1;
	meta = dyn_session_cached_table(relation->connection, relation->table);
	return meta == NULL ? 1 : dyn_requests_segments(relation, meta);
}

/* ---- running ---- */

void
dyn_scan_evaluate(DynScan *scan)
{
	ExprContext *econtext = scan->node->ss.ps.ps_ExprContext;
	int			i = 0;
	ListCell   *lc;

	foreach(lc, scan->exprs)
	{
		scan->values.values[i] = ExecEvalExpr((ExprState *) lfirst(lc), econtext,
											  &scan->values.nulls[i]);
		i++;
	}
}

/* Merging: compares the sort attributes, which follow the columns. */
static int
compare_items(void *arg, const DynValue *a, const DynValue *b)
{
	DynScan    *scan = arg;
	int			order = 0;

	for (int i = 0; i < scan->access->nsort && order == 0; i++)
	{
		DynScalar	x,
					y;

		dyn_key_scalar(&a[scan->rows->extra_slots[i]], &x);
		dyn_key_scalar(&b[scan->rows->extra_slots[i]], &y);
		order = dyn_scalar_compare(&x, &y);
		pfree(unconstify(char *, x.data));
		pfree(unconstify(char *, y.data));
	}
	return scan->access->backward ? -order : order;
}

DynFetch *
dyn_scan_start_fetch(DynScan *scan, DynRequests *requests, const DynRows *rows,
					 bool in_turn)
{
	DynFetchSpec spec = {0};

	spec.connection = scan->relation->connection;
	spec.op = requests->op;
	spec.table = scan->relation->table;
	spec.index = requests->index;
	spec.paths = rows->paths;
	spec.npaths = rows->npaths;
	spec.nstreams = requests->nstreams;
	spec.prepare = dyn_requests_prepare;
	spec.describe = dyn_requests_describe;
	spec.arg = requests;
	spec.lazy = scan->access->lazy;
	spec.keep = scan->keeps;
	spec.first_limit = scan->access->limit_hint;
	spec.fetch_size = scan->relation->fetch_size;
	spec.counters = &scan->counters;
	/* lookups' answers wait until they are served, and then for themselves */
	spec.peers_in_flight = in_turn ? NULL : dyn_async_in_flight(scan);
	spec.counting = requests->count_only;
	spec.in_turn = in_turn;
	scan->requests = requests;
	if (scan->access->ordered && requests->nstreams > 1 && !in_turn)
	{
		spec.compare = compare_items;
		spec.compare_arg = scan;
		spec.all_at_once = true;
	}
	return dyn_fetch_start(dyn_statement_get(scan->node->ss.ps.state), &spec);
}

/* Binds the values and starts the fetch, unless no item can qualify. */
static void
start_requests(DynScan *scan)
{
	const DynRows *rows = scan->access->then_base ? scan->keys : scan->rows;
	DynBound   *bound = palloc(sizeof(DynBound));
	DynRequests *requests;

	dyn_bind_values(scan->access, scan->relation, &scan->values, bound);
	if (bound->nothing)
		return;
	announce_scan(scan);
	requests = dyn_requests_of_access(scan->relation, scan->access, bound,
									  rows->projection, rows->nprojection,
									  scan_segments(scan));
	scan->fetch = dyn_scan_start_fetch(scan, requests, rows, false);
}

static void
start_run(DynScan *scan)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(scan->run_context);

	scan->running = true;
	dyn_scan_evaluate(scan);
	scan->served = scan->lookups != NULL && dyn_lookups_open(scan->lookups);
	if (!scan->served)
		start_requests(scan);
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_scan_start_ahead(DynScan *scan)
{
	start_run(scan);
	scan->ahead = true;
	if (scan->fetch != NULL)
		dyn_fetch_send_ahead(scan->fetch);
}

/* ---- index, then base ---- */

/* Keys are remembered by a hash of 128 bits. */
typedef struct SeenKey
{
	uint64		hash[2];
} SeenKey;

static bool
seen_before(DynScan *scan, const DynKeyPart *parts, int nparts)
{
	DynBuffer	text;
	SeenKey		key;
	bool		found;

	if (scan->seen == NULL)
	{
		HASHCTL		ctl;

		memset(&ctl, 0, sizeof(ctl));
		ctl.keysize = ctl.entrysize = sizeof(SeenKey);
		ctl.hcxt = scan->run_context;
		scan->seen = (struct DynKeySet *)
			hash_create("dynamo_fdw keys", 256, &ctl,
						HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	dyn_buffer_init(&text, 0);
	dyn_wire_key(&text, parts, nparts);
	key.hash[0] = dyn_hash_bytes(text.data, text.len);
	key.hash[1] = hash_bytes_extended((unsigned char *) text.data, text.len, 1);
	dyn_buffer_free(&text);
	hash_search((HTAB *) scan->seen, &key, HASH_ENTER, &found);
	return found;
}

static void
copy_key(const DynScan *scan, const DynValue *item, DynKeyPart *parts)
{
	for (int i = 0; i < scan->access->nbase; i++)
	{
		parts[i].name = scan->access->base[i].name;
		dyn_key_scalar(&item[scan->keys->extra_slots[i]], &parts[i].value);
	}
}

/* The next distinct base keys; 0 at the end of the index. */
static int
collect_keys(DynScan *scan, DynKeyPart *parts, int max)
{
	int			nparts = scan->access->nbase;
	int			n = 0;
	const DynValue *item;

	while (n < max && (item = dyn_fetch_next(scan->fetch)) != NULL)
	{
		copy_key(scan, item, &parts[n * nparts]);
		if (!seen_before(scan, &parts[n * nparts], nparts))
			n++;
	}
	return n;
}

static int
batch_size(const DynScan *scan)
{
	if (scan->access->limit_hint > 0)
		return Min(scan->access->limit_hint, BATCH_KEYS);
	return scan->access->lazy ? DYN_BATCH_GET_MAX_KEYS : BATCH_KEYS;
}

void
dyn_scan_end_batch(DynScan *scan)
{
	scan->base_fetch = NULL;
	dyn_fetch_set_peers(scan->fetch, dyn_async_in_flight(scan));
}

/*
 * What the index has in flight meanwhile is nothing that peers can wait for: it
 * is taken in after the batch.
 */
bool
dyn_scan_start_batch(DynScan *scan)
{
	MemoryContext oldcontext;
	DynKeyPart *parts;
	int			n;

	if (scan->batch_context == NULL)
		scan->batch_context = AllocSetContextCreate(scan->run_context,
													"dynamo_fdw batch",
													ALLOCSET_DEFAULT_SIZES);
	dyn_scan_end_batch(scan);
	MemoryContextReset(scan->batch_context);
	oldcontext = MemoryContextSwitchTo(scan->batch_context);
	parts = palloc(batch_size(scan) * scan->access->nbase * sizeof(DynKeyPart));
	n = collect_keys(scan, parts, batch_size(scan));
	if (n > 0)
	{
		dyn_fetch_set_peers(scan->fetch, NULL);
		scan->base_fetch =
			dyn_scan_start_fetch(scan,
								 dyn_requests_of_keys(scan->relation, parts, n,
													  scan->access->nbase,
													  scan->rows->projection,
													  scan->rows->nprojection),
								 scan->rows, false);
	}
	MemoryContextSwitchTo(oldcontext);
	return n > 0;
}

static const DynValue *
next_base_item(DynScan *scan)
{
	for (;;)
	{
		const DynValue *item = NULL;

		if (scan->base_fetch != NULL)
			item = dyn_fetch_next(scan->base_fetch);
		if (item != NULL)
			return item;
		if (!dyn_scan_start_batch(scan))
			return NULL;
	}
}

/* ---- iterate ---- */

static uint64
run_count(DynScan *scan)
{
	if (scan->served)
		return dyn_lookups_count(scan->lookups);
	return scan->fetch ? dyn_fetch_count(scan->fetch) : 0;
}

/* Stores the one row of a count; false if that was done before. */
static bool
next_count(DynScan *scan, TupleTableSlot *slot)
{
	if (scan->counted)
		return false;
	slot->tts_values[0] = Int64GetDatum((int64) run_count(scan));
	slot->tts_isnull[0] = false;
	ExecStoreVirtualTuple(slot);
	scan->counted = true;
	return true;
}

/* Stores the next row; false at the end. */
static bool
next_row(DynScan *scan, TupleTableSlot *slot)
{
	const DynValue *item;

	if (scan->access->count_only)
		return next_count(scan, slot);
	if (scan->served)
		return dyn_lookups_next(scan->lookups, slot);
	if (scan->fetch == NULL)
		return false;
	item = scan->access->then_base ? next_base_item(scan)
		: dyn_fetch_next(scan->fetch);
	if (item != NULL)
		dyn_rows_store(scan->rows, item, slot);
	return item != NULL;
}

TupleTableSlot *
dynIterateForeignScan(ForeignScanState *node)
{
	DynScan    *scan = node->fdw_state;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;

	ExecClearTuple(slot);
	if (!scan->running)
	{
		start_run(scan);
		if (!scan->begun)
			dyn_siblings_start(scan);
		scan->begun = true;
	}
	scan->ahead = false;
	if (scan->finished || (scan->async != NULL && !dyn_async_is_ready(scan)))
		return slot;
	scan->finished = !next_row(scan, slot);
	return slot;
}

/* ---- rescan and end ---- */

static void
abandon_run(DynScan *scan)
{
	if (scan->served)
		dyn_lookups_close(scan->lookups);
	scan->served = false;
	if (scan->run_context != NULL)
		MemoryContextReset(scan->run_context);
	scan->running = false;
	scan->ahead = false;
	scan->finished = false;
	scan->counted = false;
	scan->fetch = NULL;
	scan->base_fetch = NULL;
	scan->batch_context = NULL;
	scan->seen = NULL;
}

/*
 * Can the same rows be returned again?  The planner leaves out a Materialize
 * where it expects few executions, or one, and may be wrong.
 */
static bool
repeat_run(DynScan *scan)
{
	if (scan->node->ss.ps.chgParam != NULL || !scan->running || scan->served ||
		scan->access->then_base)
		return false;
	if (scan->fetch != NULL && !dyn_fetch_rewind(scan->fetch))
		return false;
	scan->finished = false;
	scan->counted = false;
	return true;
}

/* What was started ahead depends on nothing that could have changed. */
void
dynReScanForeignScan(ForeignScanState *node)
{
	DynScan    *scan = node->fdw_state;

	if (!scan->ahead && !repeat_run(scan))
		abandon_run(scan);
}

void
dynEndForeignScan(ForeignScanState *node)
{
	DynScan    *scan = node->fdw_state;

	if (scan == NULL)
		return;
	abandon_run(scan);
	if (scan->lookups != NULL)
		dyn_lookups_free(scan->lookups);
	scan->lookups = NULL;
}

/*
 * union.c
 *		Reads the arms of an OR, and returns each row once.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "listed.h"
#include "union.h"

typedef struct Arm
{
	DynReader  *planned;		/* what the plan reads */
	DynReader  *table;			/* what answers instead of an index that may lack
								 * items (plan/keys/index_complete.h); NULL: not needed */

	/* one execution */
	DynReader  *reader;			/* one of them; NULL: no item can qualify */
	DynResolvedAccess *resolved;
	DynItems   *items;			/* likewise */
} Arm;

struct DynUnion
{
	int			narms;
	Arm		   *arms;
	ExprState  *qual;			/* all conditions; NULL: none */
	ExprContext *econtext;		/* of rows */
	uint64		duplicates;
	uint64		fallbacks;

	/* one execution */
	int			current;		/* arm */
	DynBaseKeys *returned;		/* keys of items */

	/* the item in hand */
	DynBuffer	key;			/* as bytes (base_keys.h); malloc'd */
	int64		number;			/* of all items of the execution */
	bool		counted;		/* as returned */

	/* rows that are returned at the end; they have the key and number behind */
	TupleTableSlot *aside_slot; /* NULL: there are none */
	Tuplesortstate *aside;
	TupleTableSlot *sorted_slot;	/* NULL: they are not sorted yet */
	bytea	   *last_key;		/* of the last row that was returned of them */
	int64		last_number;
};

/* ---- making ---- */

/* Runs when the context goes. */
static void
release_key(void *arg)
{
	dyn_buffer_free(&((DynUnion *) arg)->key);
}

static DynReader *
make_reader(const DynScan *scan, DynAccess *access)
{
	DynReader  *reader = dyn_reader_create(scan->reader->statement,
										   scan->reader->relation, access);

	Assert(access->is_arm);
	reader->count_into = scan->reader->count_into;
	access->may_stop_early &= scan->reader->access->may_stop_early;
	return reader;
}

/*
 * The executor would check the rows after this; a plan that checks rows again
 * (EvalPlanQual) has them from elsewhere.
 */
static void
take_conditions(DynUnion *uni, ForeignScanState *node)
{
	uni->qual = node->ss.ps.qual;
	uni->econtext = CreateExprContext(node->ss.ps.state);
	if (node->ss.ps.state->es_epq_active == NULL)
		node->ss.ps.qual = NULL;
}

DynUnion *
dyn_union_create(DynScan *scan)
{
	const DynAccess *access = scan->reader->access;
	MemoryContextCallback *callback;
	DynUnion   *uni;

	if (access->kind != DYN_ACCESS_UNION)
		return NULL;
	callback = palloc(sizeof(MemoryContextCallback));
	uni = palloc0(sizeof(DynUnion));
	uni->narms = list_length(access->arms);
	uni->arms = palloc0(uni->narms * sizeof(Arm));
	for (int i = 0; i < uni->narms; i++)
	{
		DynAccess  *arm = list_nth(access->arms, i);

		uni->arms[i].planned = make_reader(scan, arm);
		if (arm->fallback != NULL)
			uni->arms[i].table = make_reader(scan, arm->fallback);
	}
	dyn_buffer_init(&uni->key, 0);
	callback->func = release_key;
	callback->arg = uni;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	take_conditions(uni, scan->node);
	return uni;
}

uint64
dyn_union_duplicates(const DynUnion *uni)
{
	return uni->duplicates;
}

uint64
dyn_union_fallbacks(const DynUnion *uni)
{
	return uni->fallbacks;
}

/* ---- beginning ---- */

void
dyn_union_begin(DynScan *scan)
{
	DynUnion   *uni = scan->uni;
	const DynAccess *access = scan->reader->access;

	Assert(uni->returned == NULL && uni->aside == NULL);
	uni->current = 0;
	uni->number = 0;
	uni->returned = dyn_base_keys_create(access->base, access->nbase,
										 get_hash_memory_limit());
}

static bool
is_same_filter(const DynCond *a, const DynCond *b)
{
	return a == NULL || b == NULL ? a == b : dyn_cond_same(a, b);
}

/* Does an arm before send the same requests, with the values of now? */
static bool
is_repeated(const DynUnion *uni, int n)
{
	const Arm  *arm = &uni->arms[n];

	for (int i = 0; i < n; i++)
	{
		const Arm  *other = &uni->arms[i];

		if (other->reader != NULL && arm->reader != NULL &&
			other->reader->access->kind == arm->reader->access->kind &&
			dyn_access_same_index(other->reader->access, arm->reader->access) &&
			dyn_resolved_same_keys(other->resolved, arm->resolved) &&
			is_same_filter(other->resolved->filter, arm->resolved->filter))
			return true;
	}
	return false;
}

DynReader *
dyn_union_resolve(DynScan *scan, int n)
{
	Arm		   *arm = &scan->uni->arms[n];
	DynResolvedAccess *resolved = palloc(sizeof(DynResolvedAccess));

	arm->reader = arm->planned;
	dyn_reader_check_schema(arm->reader);
	dyn_resolve_access(arm->reader->access, arm->reader->relation, &scan->values,
					   resolved);
	if (resolved->incomplete)
	{
		Assert(arm->table != NULL);
		scan->uni->fallbacks++;
		arm->reader = arm->table;
		dyn_reader_check_schema(arm->reader);
		dyn_resolve_access(arm->reader->access, arm->reader->relation,
						   &scan->values, resolved);
		/* the table holds all items */
		Assert(!resolved->incomplete);
	}
	if (resolved->contradiction)
		arm->reader = NULL;
	arm->resolved = resolved;
	if (is_repeated(scan->uni, n))
		arm->reader = NULL;
	return arm->reader;
}

static void
start_arm(DynUnion *uni, Arm *arm)
{
	arm->items = dyn_items_start(arm->reader, arm->resolved);
	dyn_listed_skip(arm->items, uni->returned, &uni->duplicates);
}

/*
 * Sends the first request of each arm: of those that must wait for their turn
 * only one, as their answers are not taken in before.
 */
static void
send_ahead(DynUnion *uni)
{
	bool		first = true;

	for (int i = 0; i < uni->narms; i++)
	{
		const Arm  *arm = &uni->arms[i];

		if (arm->items == NULL)
			continue;
		if (first)
			dyn_fetch_send(dyn_items_awaited(arm->items));
		else if (arm->reader->origin_requests->nstreams == 1)
			dyn_fetch_send_ahead(dyn_items_awaited(arm->items));
		first = false;
	}
}

/* Nothing is sent for later arms if the first may have rows enough. */
void
dyn_union_start(DynScan *scan)
{
	DynUnion   *uni = scan->uni;

	for (int i = 0; i < uni->narms; i++)
	{
		if (uni->arms[i].reader != NULL)
			start_arm(uni, &uni->arms[i]);
	}
	if (!scan->reader->access->may_stop_early)
		send_ahead(uni);
}

DynFetch *
dyn_union_awaited(const DynUnion *uni)
{
	const Arm  *arm = &uni->arms[Min(uni->current, uni->narms - 1)];

	return uni->current < uni->narms && arm->items != NULL
		? dyn_items_awaited(arm->items) : NULL;
}

/* ---- rows of arms ---- */

/* Takes an item in hand, unless it was returned before. */
static void
begin_item(DynUnion *uni, const Arm *arm, const DynValue *item)
{
	DynKeyPart	parts[2];
	DynRows    *rows = arm->reader->rows;

	dyn_rows_item_key(rows, item, parts);
	if (dyn_base_keys_has(uni->returned, parts))
	{
		uni->duplicates++;
		return;
	}
	dyn_buffer_reset(&uni->key);
	dyn_key_append(&uni->key, parts, rows->nbase);
	if (uni->key.failed)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	uni->number++;
	uni->counted = false;
	dyn_rows_begin(rows, item);
}

static bool
next_arm_row(DynUnion *uni, Arm *arm, TupleTableSlot *slot)
{
	while (!dyn_rows_next(arm->reader->rows, slot))
	{
		const DynValue *item;

		/* there may be many items without a row */
		ResetExprContext(uni->econtext);
		item = arm->items->methods->next(arm->items);
		if (item == NULL)
			return false;
		begin_item(uni, arm, item);
	}
	return true;
}

/* The next row of an item that was not returned before, unchecked. */
static bool
next_row(DynUnion *uni, TupleTableSlot *slot)
{
	MemoryContext oldcontext;
	bool		found = false;

	ExecClearTuple(slot);
	ResetExprContext(uni->econtext);
	oldcontext = MemoryContextSwitchTo(uni->econtext->ecxt_per_tuple_memory);
	for (; uni->current < uni->narms; uni->current++)
	{
		Arm		   *arm = &uni->arms[uni->current];

		found = arm->reader != NULL && next_arm_row(uni, arm, slot);
		if (found)
			break;
	}
	MemoryContextSwitchTo(oldcontext);
	return found;
}

/* ---- rows that are returned at the end ---- */

/* The columns, the key and the number. */
static TupleDesc
describe_aside(TupleDesc row)
{
	TupleDesc	desc = CreateTemplateTupleDesc(row->natts + 2);

	for (int i = 1; i <= row->natts; i++)
		TupleDescCopyEntry(desc, i, row, i);
	TupleDescInitEntry(desc, row->natts + 1, "key", BYTEAOID, -1, 0);
	TupleDescInitEntry(desc, row->natts + 2, "number", INT8OID, -1, 0);
	return desc;
}

static Oid
less_than(Oid type)
{
	return lookup_type_cache(type, TYPECACHE_LT_OPR)->lt_opr;
}

static void
begin_aside(DynScan *scan, TupleDesc row)
{
	DynUnion   *uni = scan->uni;
	MemoryContext oldcontext = MemoryContextSwitchTo(scan->run_context);
	TupleDesc	desc = describe_aside(row);
	AttrNumber	columns[] = {row->natts + 1, row->natts + 2};
	Oid			operators[] = {less_than(BYTEAOID), less_than(INT8OID)};
	Oid			collations[] = {InvalidOid, InvalidOid};
	bool		nulls_first[] = {false, false};

	uni->aside = tuplesort_begin_heap(desc, lengthof(columns), columns, operators,
									  collations, nulls_first, work_mem, NULL,
									  TUPLESORT_NONE);
	uni->aside_slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	MemoryContextSwitchTo(oldcontext);
}

static void
set_aside(DynScan *scan, TupleTableSlot *slot)
{
	DynUnion   *uni = scan->uni;
	int			n = slot->tts_tupleDescriptor->natts;
	TupleTableSlot *aside;
	bytea	   *key = palloc(VARHDRSZ + uni->key.len);

	if (uni->aside == NULL)
		begin_aside(scan, slot->tts_tupleDescriptor);
	aside = uni->aside_slot;
	SET_VARSIZE(key, VARHDRSZ + uni->key.len);
	memcpy(VARDATA(key), uni->key.data, uni->key.len);
	slot_getallattrs(slot);
	ExecClearTuple(aside);
	memcpy(aside->tts_values, slot->tts_values, n * sizeof(Datum));
	memcpy(aside->tts_isnull, slot->tts_isnull, n * sizeof(bool));
	aside->tts_values[n] = PointerGetDatum(key);
	aside->tts_values[n + 1] = Int64GetDatum(uni->number);
	aside->tts_isnull[n] = aside->tts_isnull[n + 1] = false;
	ExecStoreVirtualTuple(aside);
	tuplesort_puttupleslot(uni->aside, aside);
	ExecClearTuple(aside);
	pfree(key);
}

/* Is the row one of the item returned last, as another read has it? */
static bool
is_duplicate(DynScan *scan, const bytea *key, int64 number)
{
	DynUnion   *uni = scan->uni;

	if (uni->last_key != NULL &&
		VARSIZE_ANY_EXHDR(uni->last_key) == VARSIZE_ANY_EXHDR(key) &&
		memcmp(VARDATA_ANY(uni->last_key), VARDATA_ANY(key),
			   VARSIZE_ANY_EXHDR(key)) == 0)
		return number != uni->last_number;
	if (uni->last_key != NULL)
		pfree(uni->last_key);
	uni->last_key = MemoryContextAlloc(scan->run_context, VARSIZE_ANY(key));
	memcpy(uni->last_key, key, VARSIZE_ANY(key));
	uni->last_number = number;
	return false;
}

static void
sort_aside(DynScan *scan)
{
	DynUnion   *uni = scan->uni;
	MemoryContext oldcontext = MemoryContextSwitchTo(scan->run_context);

	tuplesort_performsort(uni->aside);
	uni->sorted_slot =
		MakeSingleTupleTableSlot(uni->aside_slot->tts_tupleDescriptor,
								 &TTSOpsMinimalTuple);
	MemoryContextSwitchTo(oldcontext);
}

static bool
next_aside(DynScan *scan, TupleTableSlot *slot)
{
	DynUnion   *uni = scan->uni;
	TupleTableSlot *sorted;
	int			n = slot->tts_tupleDescriptor->natts;

	if (uni->aside == NULL)
		return false;
	if (uni->sorted_slot == NULL)
		sort_aside(scan);
	sorted = uni->sorted_slot;
	ExecClearTuple(slot);
	while (tuplesort_gettupleslot(uni->aside, true, false, sorted, NULL))
	{
		slot_getallattrs(sorted);
		if (is_duplicate(scan, DatumGetByteaPP(sorted->tts_values[n]),
						 DatumGetInt64(sorted->tts_values[n + 1])))
		{
			uni->duplicates++;
			continue;
		}
		memcpy(slot->tts_values, sorted->tts_values, n * sizeof(Datum));
		memcpy(slot->tts_isnull, sorted->tts_isnull, n * sizeof(bool));
		ExecStoreVirtualTuple(slot);
		return true;
	}
	return false;
}

/* ---- rows of the scan ---- */

static bool
satisfies(DynScan *scan, TupleTableSlot *slot)
{
	ExprContext *econtext = scan->uni->econtext;

	/* core sets it behind this */
	slot->tts_tableOid = RelationGetRelid(scan->node->ss.ss_currentRelation);
	econtext->ecxt_scantuple = slot;
	if (ExecQual(scan->uni->qual, econtext))
		return true;
	InstrCountFiltered1(scan->node, 1);
	return false;
}

/* Counts the item as returned, if there is memory for its key. */
static bool
count_item(DynUnion *uni)
{
	if (!uni->counted && !dyn_base_keys_is_full(uni->returned))
	{
		dyn_base_keys_remember(uni->returned, uni->key.data, uni->key.len);
		uni->counted = true;
	}
	return uni->counted;
}

bool
dyn_union_next(DynScan *scan, TupleTableSlot *slot)
{
	Assert(scan->running && !scan->finished);
	while (next_row(scan->uni, slot))
	{
		/* an item counts only with a row that satisfies all conditions */
		if (!satisfies(scan, slot))
			continue;
		if (count_item(scan->uni))
			return true;
		set_aside(scan, slot);
	}
	return next_aside(scan, slot);
}

/* ---- ending ---- */

static void
stop_arm(Arm *arm)
{
	if (arm->items != NULL)
		dyn_items_close(arm->items);
	arm->reader = NULL;
	arm->resolved = NULL;
	arm->items = NULL;
}

void
dyn_union_stop(DynScan *scan)
{
	DynUnion   *uni = scan->uni;

	for (int i = 0; i < uni->narms; i++)
		stop_arm(&uni->arms[i]);
	if (uni->sorted_slot != NULL)
		ExecDropSingleTupleTableSlot(uni->sorted_slot);
	if (uni->aside != NULL)
	{
		ExecDropSingleTupleTableSlot(uni->aside_slot);
		tuplesort_end(uni->aside);
	}
	if (uni->returned != NULL)
		dyn_base_keys_free(uni->returned);
	uni->sorted_slot = uni->aside_slot = NULL;
	uni->aside = NULL;
	uni->returned = NULL;
	uni->last_key = NULL;
}

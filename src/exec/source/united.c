/*
 * united.c
 *		Executes a union: reads the arms of an OR, and returns each row once.
 *
 * The arms are read one after the other.  But if all rows will be needed, each
 * arm with only one stream (requests.h) sends its first request when the first
 * arm begins.  Items are identified by the table's key.  A key counts as
 * returned only after a row of its item has passed all conditions of the scan,
 * so an outdated index entry does not hide the item that another arm reads.
 *
 * The keys of returned items are stored in a hash table.  When the hash table
 * reaches its memory limit, further rows go to a sort, which may use a
 * temporary file, and are returned at the end.  An unnested item has several
 * rows; all of them are taken from one read of the item.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "../../model/server/memory.h"
#include "../../model/server/pg_compat.h"
#include "scan_policy.h"

typedef struct Arm
{
	DynScanDesc *planned;
	DynScanDesc *table;			/* reads the table if the index may lack items
								 * (index_complete.c); or NULL */
	struct Caching *caching;	/* caches the items of `table`, or NULL */
	struct Arm *next;			/* arm that is read after this one, or NULL */

	/* one execution */
	DynScanDesc *scandesc;		/* `planned` or `table` */
	DynResolvedAccess *resolved;
	DynItems   *items;			/* source; NULL if the arm selects no items, or
								 * an earlier arm sends the same requests */
} Arm;

typedef struct United
{
	DynItems	items;			/* source of all rows (must be first) */
	DynInput   *input;
	uint64		duplicates;		/* number of items found again by later arms */
	Arm		   *first;			/* all arms, in the order of reading */
	DynChecker	checker;		/* checks all conditions of the scan */

	/* one execution */
	MemoryContext context;
	Arm		   *current;		/* NULL if all arms have been read */
	DynBaseKeys *returned;		/* keys of returned items */

	const DynValue *item;		/* item found but not taken yet, or NULL */

	/* the current item */
	DynBuffer	key;			/* key as bytes (base_keys.h); malloc'd */
	int64		number;			/* sequence number of this item */
	bool		counted;		/* true if the item's key is in `returned` */

	/* rows set aside until the end, with the key and `number` of their item */
	TupleTableSlot *aside_slot; /* row that is added to the sort, or NULL */
	Tuplesortstate *aside;		/* sorts the rows by key and number; or NULL */
	TupleTableSlot *sorted_slot;	/* row from the sort; NULL until sorted */
	bytea	   *last_key;		/* key of the previous sorted row, or NULL */
	int64		last_number;	/* number of the previous sorted row */
} United;

/* ---- start of an execution ---- */

/* Returns true if an earlier arm sends the same requests. */
static bool
is_repeated(const United *united, const Arm *arm)
{
	for (const Arm *other = united->first; other != arm; other = other->next)
	{
		if (other->items != NULL &&
			other->scandesc->access->kind == arm->scandesc->access->kind &&
			dyn_access_same_index(other->scandesc->access, arm->scandesc->access) &&
			dyn_resolved_same_keys(other->resolved, arm->resolved) &&
			dyn_cond_same(other->resolved->filter, arm->resolved->filter))
			return true;
	}
	return false;
}

static void
resolve(const United *united, Arm *arm, DynScanDesc *scandesc)
{
	arm->scandesc = scandesc;
	dyn_scandesc_check_schema(scandesc);
	dyn_resolve_access(scandesc->access, scandesc->relation, &united->input->values,
					   arm->resolved);
}

static void
open_arm(United *united, Arm *arm)
{
	arm->resolved = palloc(sizeof(DynResolvedAccess));
	resolve(united, arm, arm->planned);
	if (arm->resolved->incomplete)
		resolve(united, arm, arm->table);
	Assert(!arm->resolved->incomplete);
	if (arm->resolved->contradiction || is_repeated(united, arm))
		return;
	arm->scandesc->group = NULL;	/* until its turn (join_group) */
	if (arm->scandesc == arm->table)
		arm->items = dyn_start_fallback(united->input, arm->table, arm->caching,
										arm->resolved);
	else
	{
		dyn_permit_requests(united->input, arm->scandesc);
		arm->items = dyn_items_start(arm->scandesc, arm->resolved);
	}
	dyn_items_skip_keys(arm->items, united->returned, &united->duplicates);
}

/* Adds the arm's current and later requests to the scan's group (async.c). */
static void
join_group(const United *united, const Arm *arm)
{
	arm->scandesc->group = united->input->scandesc->group;
	dyn_items_set_group(arm->items, arm->scandesc->group);
}

/* Opens the arms, and sends first requests unless the scan may stop early. */
static DynItems *
open_united(void *state)
{
	United	   *united = state;
	const DynScanDesc *scandesc = united->input->scandesc;
	Arm		   *arm;
	bool		first = true;

	Assert(united->returned == NULL && united->aside == NULL);
	united->items.rows = scandesc->rows;
	united->context = CurrentMemoryContext;
	united->current = united->first;
	united->item = NULL;
	united->number = 0;
	united->returned = dyn_base_keys_create(scandesc->access);
	for (arm = united->first; arm != NULL; arm = arm->next)
		open_arm(united, arm);
	for (arm = united->first; arm != NULL && !scandesc->access->may_stop_early; arm = arm->next)
	{
		DynFetch   *fetch = arm->items ? dyn_items_awaited(arm->items) : NULL;

		if (fetch != NULL && first)
		{
			join_group(united, arm);
			dyn_fetch_pump(fetch);
		}
		/* send one request; its response is stored until the arm is read */
		else if (fetch != NULL && dyn_fetch_requests(fetch)->nstreams == 1)
			dyn_fetch_send_ahead(fetch);
		first &= fetch == NULL;
	}
	return dyn_items_repeatable(&united->items, scandesc->keeps);
}

/* ---- items of arms ---- */

/*
 * Stores in united->item the next item that was not returned before.  Only the
 * current arm is in the scan's group, so that an asynchronous Append (async.c)
 * does not wait for responses to other arms.
 */
static DynFetchState
find_item(United *united, bool wait)
{
	while (united->item == NULL && united->current != NULL)
	{
		const Arm  *arm = united->current;
		const DynValue *item = NULL;
		DynKeyPart	parts[2];

		/*
		 * Free the memory of previous items.  dyn_checker_next_row() frees it
		 * only once per row, but this loop may pass many items without a row.
		 */
		ResetExprContext(united->checker.econtext);
		if (arm->items != NULL)
		{
			join_group(united, arm);
			if (!wait && dyn_items_would_wait(arm->items))
				return DYN_FETCH_WAITS;
			united->items.rows = arm->items->rows;
			item = arm->items->methods->next(arm->items);
		}
		if (item == NULL)
		{
			united->current = arm->next;
			continue;
		}
		dyn_rows_item_key(united->items.rows, item, parts);
		if (dyn_base_keys_has(united->returned, parts))
		{
			united->duplicates++;
			continue;
		}
		dyn_buffer_reset(&united->key);
		dyn_key_append(&united->key, parts, united->items.rows->nbase);
		dyn_check_oom(united->key.failed);
		united->number++;
		united->counted = false;
		united->item = item;
	}
	return united->item ? DYN_FETCH_ITEM : DYN_FETCH_END;
}

static bool
united_would_wait(DynItems *items)
{
	return find_item((United *) items, false) == DYN_FETCH_WAITS;
}

static const DynValue *
united_next(DynItems *items)
{
	United	   *united = (United *) items;
	const DynValue *item;

	(void) find_item(united, true);
	item = united->item;
	united->item = NULL;
	return item;
}

/* ---- rows that are returned at the end ---- */

static void
begin_aside(United *united, TupleDesc row)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(united->context);
	TupleDesc	desc = CreateTemplateTupleDesc(row->natts + 2);
	AttrNumber	columns[] = {row->natts + 1, row->natts + 2};
	Oid			operators[] = {
		lookup_type_cache(BYTEAOID, TYPECACHE_LT_OPR)->lt_opr,
	lookup_type_cache(INT8OID, TYPECACHE_LT_OPR)->lt_opr};
	Oid			collations[] = {InvalidOid, InvalidOid};
	bool		nulls_first[] = {false, false};

	for (int i = 1; i <= row->natts; i++)
		TupleDescCopyEntry(desc, i, row, i);
	TupleDescInitEntry(desc, row->natts + 1, "key", BYTEAOID, -1, 0);
	TupleDescInitEntry(desc, row->natts + 2, "number", INT8OID, -1, 0);
	dyn_finish_descriptor(desc);
	united->aside = tuplesort_begin_heap(desc, lengthof(columns), columns, operators,
										 collations, nulls_first, work_mem, NULL,
										 TUPLESORT_NONE);
	united->aside_slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	MemoryContextSwitchTo(oldcontext);
}

static void
set_aside(United *united, TupleTableSlot *slot)
{
	int			n = slot->tts_tupleDescriptor->natts;
	TupleTableSlot *aside;
	bytea	   *key = cstring_to_text_with_len(united->key.data, united->key.len);

	if (united->aside == NULL)
		begin_aside(united, slot->tts_tupleDescriptor);
	aside = united->aside_slot;
	slot_getallattrs(slot);
	ExecClearTuple(aside);
	memcpy(aside->tts_values, slot->tts_values, n * sizeof(Datum));
	memcpy(aside->tts_isnull, slot->tts_isnull, n * sizeof(bool));
	aside->tts_values[n] = PointerGetDatum(key);
	aside->tts_values[n + 1] = Int64GetDatum(united->number);
	aside->tts_isnull[n] = aside->tts_isnull[n + 1] = false;
	ExecStoreVirtualTuple(aside);
	tuplesort_puttupleslot(united->aside, aside);
	ExecClearTuple(aside);
	pfree(key);
}

/*
 * Returns true if the row's item has the key of the previous row, but another
 * sequence number: an arm has read the same item again.
 */
static bool
is_duplicate(United *united, const bytea *key, int64 number)
{
	if (united->last_key != NULL &&
		datum_image_eq(PointerGetDatum(united->last_key), PointerGetDatum(key), false, -1))
		return number != united->last_number;
	if (united->last_key != NULL)
		pfree(united->last_key);
	united->last_key = MemoryContextAlloc(united->context, VARSIZE_ANY(key));
	memcpy(united->last_key, key, VARSIZE_ANY(key));
	united->last_number = number;
	return false;
}

static bool
next_aside(United *united, TupleTableSlot *slot)
{
	TupleTableSlot *sorted;
	int			n = slot->tts_tupleDescriptor->natts;

	if (united->aside == NULL)
		return false;
	if (united->sorted_slot == NULL)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(united->context);

		tuplesort_performsort(united->aside);
		united->sorted_slot =
			MakeSingleTupleTableSlot(united->aside_slot->tts_tupleDescriptor,
									 &TTSOpsMinimalTuple);
		MemoryContextSwitchTo(oldcontext);
	}
	sorted = united->sorted_slot;
	ExecClearTuple(slot);
	while (tuplesort_gettupleslot(united->aside, true, false, sorted, NULL))
	{
		slot_getallattrs(sorted);
		if (is_duplicate(united, DatumGetByteaPP(sorted->tts_values[n]),
						 DatumGetInt64(sorted->tts_values[n + 1])))
		{
			united->duplicates++;
			continue;
		}
		memcpy(slot->tts_values, sorted->tts_values, n * sizeof(Datum));
		memcpy(slot->tts_isnull, sorted->tts_isnull, n * sizeof(bool));
		ExecStoreVirtualTuple(slot);
		return true;
	}
	return false;
}

/*
 * Stores the next row that satisfies all conditions, and adds the key of its
 * item to `returned`.  If there is no memory for the key, sets the row aside.
 */
static DynFetchState
united_next_row(DynItems *items, TupleTableSlot *slot, bool wait)
{
	United	   *united = (United *) items;
	DynFetchState state;

	while ((state = dyn_checker_next_row(&united->checker, items, slot,
										 wait)) == DYN_FETCH_ITEM)
	{
		if (!united->counted && !dyn_base_keys_is_full(united->returned))
		{
			dyn_base_keys_remember(united->returned, united->key.data,
								   united->key.len);
			united->counted = true;
		}
		if (united->counted)
			return DYN_FETCH_ITEM;
		set_aside(united, slot);
	}
	return state == DYN_FETCH_END && next_aside(united, slot) ? DYN_FETCH_ITEM : state;
}

static DynFetch *
united_awaited(const DynItems *items)
{
	const United *united = (const United *) items;
	const Arm  *arm = united->current;

	return arm != NULL && arm->items != NULL ? dyn_items_awaited(arm->items) : NULL;
}

static void
united_close(DynItems *items)
{
	United	   *united = (United *) items;

	for (Arm *arm = united->first; arm != NULL; arm = arm->next)
	{
		if (arm->items != NULL)
			dyn_items_close(arm->items);
		arm->items = NULL;
	}
	if (united->sorted_slot != NULL)
		ExecDropSingleTupleTableSlot(united->sorted_slot);
	if (united->aside != NULL)
	{
		ExecDropSingleTupleTableSlot(united->aside_slot);
		tuplesort_end(united->aside);
	}
	dyn_base_keys_free(united->returned);
	united->sorted_slot = united->aside_slot = NULL;
	united->aside = NULL;
	united->returned = NULL;
	united->last_key = NULL;
}

static const DynItemsMethods united_methods = {
	.next = united_next,
	.next_row = united_next_row,
	.would_wait = united_would_wait,
	.awaited = united_awaited,
	.close = united_close,
};

/* ---- creation ---- */

static DynScanDesc *
make_scandesc(const DynScanDesc *full, const DynAccess *access)
{
	DynScanDesc *scandesc = dyn_scandesc_create(full->statement, full->relation,
												access);

	Assert(access->is_arm);
	scandesc->count_into = full->count_into;
	return scandesc;
}

static void
explain_united(const void *state, ExplainState *es)
{
	const United *united = state;

	ExplainPropertyUInteger("Duplicates", NULL, united->duplicates, es);
}

void
dyn_add_united(DynInput *input)
{
	const DynAccess *access = input->scandesc->access;
	ForeignScanState *node = input->node;
	United	   *united;
	Arm		  **next;
	ListCell   *lc;

	if (access->kind != DYN_ACCESS_UNION)
		return;
	united = palloc0(sizeof(United));
	united->items.methods = &united_methods;
	united->input = input;
	next = &united->first;
	foreach(lc, dyn_access_arms(access))
	{
		const DynAccess *arm = lfirst(lc);
		const DynAccess *table = dyn_access_fallback(arm);

		*next = palloc0(sizeof(Arm));
		(*next)->planned = make_scandesc(input->scandesc, arm);
		if (table != NULL)
		{
			(*next)->table = make_scandesc(input->scandesc, table);
			(*next)->caching = dyn_add_caching(input, (*next)->table);
		}
		next = &(*next)->next;
	}
	dyn_buffer_init_in(&united->key, CurrentMemoryContext);
	united->checker = (DynChecker) {.node = node,.qual = node->ss.ps.qual,.counts = true,
		.econtext = CreateExprContext(node->ss.ps.state)};

	/*
	 * The checker checks the rows, so the executor need not.  In EvalPlanQual
	 * it must, because the rows do not come from this source.
	 */
	if (node->ss.ps.state->es_epq_active == NULL)
		node->ss.ps.qual = NULL;
	dyn_input_add_opener(input, &(DynOpener) {.open = open_united,
		.explain = explain_united,.state = united});
}

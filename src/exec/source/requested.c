/*
 * requested.c
 *		Serves each execution with requests of its own.
 *
 * Usually these are the requests of the access plan.  But the planned index
 * may lack items that an execution with certain values selects
 * (plan/keys/index_complete.c).  Then the table is read instead, by its key or
 * by a Scan (fallback).  All conditions are then checked here, because the
 * plan omits checks of conditions that the index's requests would enforce.  If
 * the index would return rows in order, the rows of the table are sorted.
 *
 * A join may need many fallbacks, so their items are cached (caching.c).  A
 * value that an index cannot contain usually selects zero rows.  So if a
 * fallback finds no row, its run-time values are stored for the statement,
 * within a memory limit, and later executions with these values read nothing.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "../../dynamodb/update.h"
#include "../../model/server/memory.h"
#include "../../model/server/soft_errors.h"
#include "scan_policy.h"

typedef struct EmptyValues
{
	DynValues	values;
	uint32		hash;
} EmptyValues;

typedef struct Fallback
{
	DynItems	items;			/* common part of sources (must be first) */
	DynInput   *input;
	DynScanDesc *scandesc;		/* reads the table; NULL: never needed */
	struct Caching *caching;	/* caches the items of the table, or NULL */
	DynChecker	checker;		/* checks fdw_recheck_quals on the rows; set at
								 * the first fallback */

	/* one execution */
	DynItems   *unchecked;
	bool		found;			/* true if a row was found */
	MemoryContext context;
	Tuplesortstate *sort;		/* sort; NULL before the first row */
	TupleTableSlot *sort_slot;	/* slot for sorted rows, or NULL */
	bool		sorted;			/* true if all rows are sorted */

	MemoryContext empty_context;
	List	   *empty;			/* list of EmptyValues * */
} Fallback;

/* ---- values that select zero rows ---- */

static bool
is_known_empty(const Fallback *fallback, const DynValues *values)
{
	uint32		hash = fallback->empty != NIL ? dyn_values_hash(values) : 0;
	ListCell   *lc;

	foreach(lc, fallback->empty)
	{
		const EmptyValues *empty = lfirst(lc);

		if (empty->hash == hash &&
			dyn_values_equal(values, &empty->values, NULL))
			return true;
	}
	return false;
}

static void
remember_empty(Fallback *fallback)
{
	const DynValues *values = &fallback->input->values;
	MemoryContext oldcontext;
	EmptyValues *empty;

	if (MemoryContextMemAllocated(fallback->empty_context, true) >
		get_hash_memory_limit())
	{
		MemoryContextReset(fallback->empty_context);
		fallback->empty = NIL;
	}
	oldcontext = MemoryContextSwitchTo(fallback->empty_context);
	empty = palloc(sizeof(EmptyValues));
	*empty = (EmptyValues) {dyn_values_copy(values), dyn_values_hash(values)};
	fallback->empty = lappend(fallback->empty, empty);
	MemoryContextSwitchTo(oldcontext);
}

/* ---- the fallback source ---- */

static DynFetchState
next_checked(Fallback *fallback, TupleTableSlot *slot, bool wait)
{
	DynFetchState state = dyn_checker_next_row(&fallback->checker,
											   fallback->unchecked, slot, wait);

	fallback->found |= (state == DYN_FETCH_ITEM);
	if (state == DYN_FETCH_END && !fallback->found)
		remember_empty(fallback);
	return state;
}

/*
 * Begins the sort by the columns of the sort key, in the direction of the
 * planned Query.  Text is compared bytewise, like in DynamoDB, even if the
 * column has another collation: the planner uses the order of a Query only for
 * an ORDER BY that compares bytewise.
 */
static void
begin_sort(Fallback *fallback, TupleDesc desc)
{
	const DynRelation *relation = fallback->scandesc->relation;
	const DynAccess *access = fallback->scandesc->access;
	AttrNumber	columns[DYN_MAX_KEY_ATTRS];
	Oid			operators[DYN_MAX_KEY_ATTRS];
	Oid			collations[DYN_MAX_KEY_ATTRS];
	bool		nulls_first[DYN_MAX_KEY_ATTRS];

	for (int i = 0; i < access->nsort; i++)
	{
		AttrNumber	attnum = dyn_sort_column(relation, &access->sort[i]);
		const DynColumn *column = dyn_relation_column(relation, attnum);
		TypeCacheEntry *type = lookup_type_cache(column->codec.basetype,
												 TYPECACHE_LT_OPR |
												 TYPECACHE_GT_OPR);

		columns[i] = attnum;
		operators[i] = access->backward ? type->gt_opr : type->lt_opr;
		collations[i] = OidIsValid(column->collation) ? C_COLLATION_OID : InvalidOid;
		nulls_first[i] = access->backward;
	}
	fallback->sort = tuplesort_begin_heap(desc, access->nsort, columns, operators,
										  collations, nulls_first, work_mem,
										  NULL, TUPLESORT_RANDOMACCESS);
	fallback->sort_slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(desc),
												   &TTSOpsMinimalTuple);
}

/* Sorts all rows.  If `wait` is false, returns false instead of waiting. */
static bool
sort_rows(Fallback *fallback, TupleTableSlot *slot, bool wait)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(fallback->context);
	DynFetchState state;

	if (fallback->sort == NULL)
		begin_sort(fallback, slot->tts_tupleDescriptor);
	while ((state = next_checked(fallback, slot, wait)) == DYN_FETCH_ITEM)
		tuplesort_puttupleslot(fallback->sort, slot);
	if (state == DYN_FETCH_END)
		tuplesort_performsort(fallback->sort);
	fallback->sorted = (state == DYN_FETCH_END);
	MemoryContextSwitchTo(oldcontext);
	return fallback->sorted;
}

static DynFetchState
fallback_next_row(DynItems *items, TupleTableSlot *slot, bool wait)
{
	Fallback   *fallback = (Fallback *) items;

	if (fallback->scandesc->access->nsort == 0)
		return next_checked(fallback, slot, wait);
	if (!fallback->sorted && !sort_rows(fallback, slot, wait))
		return DYN_FETCH_WAITS;
	if (!tuplesort_gettupleslot(fallback->sort, true, false,
								fallback->sort_slot, NULL))
		return DYN_FETCH_END;
	ExecCopySlot(slot, fallback->sort_slot);
	return DYN_FETCH_ITEM;
}

static bool
fallback_would_wait(DynItems *items)
{
	return dyn_items_would_wait(((Fallback *) items)->unchecked);
}

static DynFetch *
fallback_awaited(const DynItems *items)
{
	return dyn_items_awaited(((const Fallback *) items)->unchecked);
}

static bool
fallback_rewind(DynItems *items)
{
	Fallback   *fallback = (Fallback *) items;

	if (fallback->sort == NULL)
		return dyn_items_rewind(fallback->unchecked);
	if (fallback->sorted)
		tuplesort_rescan(fallback->sort);
	return true;
}

static uint64
fallback_count(DynItems *items)
{
	Fallback   *fallback = (Fallback *) items;
	uint64		count = 0;

	Assert(fallback->scandesc->access->nsort == 0);
	while (next_checked(fallback, fallback->input->node->ss.ss_ScanTupleSlot,
						true) == DYN_FETCH_ITEM)
		count++;
	return count;
}

static void
fallback_close(DynItems *items)
{
	Fallback   *fallback = (Fallback *) items;

	dyn_items_close(fallback->unchecked);
	if (fallback->sort != NULL)
	{
		ExecDropSingleTupleTableSlot(fallback->sort_slot);
		tuplesort_end(fallback->sort);
	}
	fallback->sort = NULL;
	fallback->sorted = false;
}

static const DynItemsMethods fallback_methods = {
	.next_row = fallback_next_row,
	.would_wait = fallback_would_wait,
	.awaited = fallback_awaited,
	.rewind = fallback_rewind,
	.count = fallback_count,
	.close = fallback_close,
};

/*
 * Sets the position of each column in the scan tuple of a count.  The count
 * comes first; the columns that a fallback needs to check conditions follow.
 */
static void
set_count_positions(const DynInput *input, DynRows *rows)
{
	ForeignScan *plan = (ForeignScan *) input->node->ss.ps.plan;
	ListCell   *lc;

	for (int i = 0; i < rows->ncolumns; i++)
	{
		DynRowColumn *fetched = &rows->columns[i];

		fetched->position = 0;
		foreach(lc, plan->fdw_scan_tlist)
		{
			const TargetEntry *entry = lfirst(lc);

			if (IsA(entry->expr, Var) &&
				((Var *) entry->expr)->varattno == fetched->attnum)
				fetched->position = entry->resno - 1;
		}
	}
}

static DynItems *
open_fallback(Fallback *fallback)
{
	DynInput   *input = fallback->input;
	DynScanDesc *scandesc = fallback->scandesc;
	DynResolvedAccess *resolved = palloc(sizeof(DynResolvedAccess));

	if (is_known_empty(fallback, &input->values))
		return dyn_items_empty(scandesc->rows);
	dyn_scandesc_check_schema(scandesc);
	scandesc->group = input->scandesc->group;
	dyn_resolve_access(scandesc->access, scandesc->relation, &input->values, resolved);
	Assert(!resolved->incomplete);
	if (resolved->contradiction)
		return dyn_items_empty(scandesc->rows);
	if (fallback->checker.node == NULL)
		fallback->checker = (DynChecker) {input->node,.qual = input->node->fdw_recheck_quals,
			.econtext = CreateExprContext(input->node->ss.ps.state)};
	fallback->found = false;
	fallback->context = CurrentMemoryContext;
	fallback->unchecked = dyn_start_fallback(input, scandesc, fallback->caching, resolved);
	if (input->scandesc->access->count_only)
		set_count_positions(input, fallback->unchecked->rows);
	return &fallback->items;
}

/* ---- the presumed source ---- */

/*
 * Source for an UPDATE or DELETE that sends no read request, because the
 * statement has the full key of its rows and needs no other column.  Whether a
 * row exists is then decided by the condition of the write.  The source
 * returns a row for each key, from an item that has only the key and the
 * values that the item filter requires.  All other columns are NULL.
 */
typedef struct Presumed
{
	DynItems	items;			/* must be first */
	TupleTableSlot *slot;		/* slot of the scan */
	const DynResolvedAccess *resolved;
	int			next;			/* position in resolved->keys */
	DynItemReader *reader;
	DynBuffer  *text;
} Presumed;

static const DynValue *
presumed_next(DynItems *items)
{
	Presumed   *presumed = (Presumed *) items;
	const DynItemFilter *filter = &items->rows->relation->item_filter;
	int			nparts = presumed->resolved->nparts;
	const DynKeyPart *key = &presumed->resolved->keys[presumed->next * nparts];
	DynPathValue *values = palloc((nparts + filter->nterms) * sizeof(DynPathValue));
	int			n = 0;

	if (presumed->next == presumed->resolved->nkeys)
		return NULL;
	for (; n < nparts; n++)
		values[n] = (DynPathValue) {dyn_path_of_attribute(key[n].name), key[n].value};
	for (int i = 0; i < filter->nterms; i++)
	{
		const DynFilterTerm *term = &filter->terms[i];
		bool		is_key = false;

		for (int j = 0; j < nparts; j++)
			is_key |= dyn_path_equal(term->path, values[j].path);
		if (!is_key && !term->or_null)
			values[n++] = (DynPathValue) {term->path, term->values[0]};
	}
	dyn_buffer_reset(presumed->text);
	dyn_check_oom(!dyn_path_values_item(values, n, presumed->text));
	pfree(values);
	presumed->next++;
	return dyn_item_reader_read(presumed->reader, presumed->text->data, presumed->text->len);
}

static const DynItemsMethods presumed_methods = {.next = presumed_next};

/* Converts all items (callback of dyn_attempt). */
static void
convert_presumed(void *arg)
{
	Presumed   *presumed = arg;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "presumed row",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext oldcontext = MemoryContextSwitchTo(context);

	while (dyn_items_take_row(&presumed->items, presumed->slot, true) == DYN_FETCH_ITEM)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(oldcontext);
	MemoryContextDelete(context);
}

/*
 * Returns the source, or NULL if a key cannot be converted to a row.  The
 * caller then reads the items: such a key is an error only if an item has it.
 */
static DynItems *
open_presumed(const DynInput *input, const DynResolvedAccess *resolved)
{
	DynRows    *rows = input->scandesc->rows;
	Presumed   *presumed = palloc(sizeof(Presumed));
	ErrorData  *error;

	*presumed = (Presumed) {{&presumed_methods, rows}, input->node->ss.ss_ScanTupleSlot,
		resolved,.reader = dyn_item_reader_create(rows),.text = dyn_buffer_create()};
	rows->composed = true;
	error = dyn_attempt(convert_presumed, presumed);
	if (error != NULL && !dyn_failure_is_of_definition(error))
		ReThrowError(error);
	ExecClearTuple(presumed->slot);
	presumed->next = 0;
	rows->composed = (error == NULL);
	dyn_rows_end(rows);
	return error == NULL ? &presumed->items : NULL;
}

/* ---- creation ---- */

/*
 * Returns NULL if a fallback is needed, but the execution is begun before the
 * executor needs its first row (input->ahead): a fallback is opened only when
 * the executor fetches that row.
 */
static DynItems *
open_requested(void *state)
{
	Fallback   *fallback = state;
	DynInput   *input = fallback->input;
	DynScanDesc *scandesc = input->scandesc;
	DynResolvedAccess *resolved = palloc(sizeof(DynResolvedAccess));
	DynItems   *presumed;

	dyn_resolve_access(scandesc->access, scandesc->relation, &input->values, resolved);
	if (resolved->incomplete)
		return input->ahead ? NULL : open_fallback(fallback);
	if (resolved->contradiction)
		return dyn_items_empty(scandesc->rows);
	presumed = scandesc->access->is_presumed ? open_presumed(input, resolved) : NULL;
	if (presumed != NULL)
		return presumed;
	scandesc->nsegments = resolved->nsegments;
	dyn_permit_requests(input, scandesc);
	return dyn_items_repeatable(dyn_items_start(scandesc, resolved), scandesc->keeps);
}

void
dyn_add_requested(DynInput *input)
{
	DynScanDesc *planned = input->scandesc;
	const DynAccess *access = dyn_access_fallback(planned->access);
	Fallback   *fallback = palloc0(sizeof(Fallback));
	DynScanDesc *scandesc;

	fallback->input = input;
	dyn_input_add_opener(input, &(DynOpener) {.open = open_requested,.state = fallback});
	if (access == NULL)
		return;
	scandesc = dyn_scandesc_create(planned->statement, planned->relation, access);
	scandesc->count_into = &planned->counters;
	scandesc->keeps = planned->keeps;
	fallback->caching = dyn_add_caching(input, scandesc);
	fallback->empty_context = AllocSetContextCreate(CurrentMemoryContext, "dynamo_fdw fallback",
													ALLOCSET_SMALL_SIZES);
	fallback->scandesc = scandesc;
	fallback->items = (DynItems) {&fallback_methods, scandesc->rows};
}

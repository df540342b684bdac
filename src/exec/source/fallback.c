/*
 * fallback.c
 *		Answers executions from the table instead of an index.
 *
 * A value that no index can hold mostly selects nothing, and a join may come
 * with it again and again.  So the values of executions that found nothing are
 * remembered for the statement, within the limit of memory: each different list
 * of such values costs one Scan.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "../../plan/keys/match_keys.h"
#include "fallback.h"
#include "../statement/memory.h"

struct DynFallback
{
	DynReader  *reader;			/* of the table */
	ExprContext *econtext;		/* of one row */
	int			nsort;			/* order to be made; 0: none */
	AttrNumber *sort_columns;
	Oid		   *sort_operators;
	Oid		   *sort_collations;
	bool	   *nulls_first;

	/* of an execution */
	Tuplesortstate *sorted;		/* NULL: not read yet */
	TupleTableSlot *sort_slot;	/* likewise */
	bool		found;			/* some row */
	uint64		executions;

	/* values that are known to select nothing, with their hashes */
	MemoryContext empty_context;
	int			nempty;
	int			empty_space;
	DynValues  *empty_values;
	uint32	   *empty_hashes;
};

/* ---- making ---- */

/*
 * By the columns that show the sort attributes, in the index's direction.  An
 * order of texts that an index gives goes by bytes, whatever the column's own
 * collation: the statement has named another.
 */
static void
init_sort(DynFallback *fallback)
{
	const DynRelation *relation = fallback->reader->relation;
	const DynAccess *access = fallback->reader->access;

	fallback->nsort = access->nsort;
	fallback->sort_columns = palloc(Max(access->nsort, 1) * sizeof(AttrNumber));
	fallback->sort_operators = palloc(Max(access->nsort, 1) * sizeof(Oid));
	fallback->sort_collations = palloc(Max(access->nsort, 1) * sizeof(Oid));
	fallback->nulls_first = palloc(Max(access->nsort, 1) * sizeof(bool));
	for (int i = 0; i < access->nsort; i++)
	{
		AttrNumber	attnum = dyn_sort_column(relation, &access->sort[i],
											 access->sort_parts[i]);
		const DynColumn *column = dyn_relation_column(relation, attnum);
		TypeCacheEntry *type = lookup_type_cache(column->codec.basetype,
												 TYPECACHE_LT_OPR |
												 TYPECACHE_GT_OPR);

		fallback->sort_columns[i] = attnum;
		fallback->sort_operators[i] = access->backward ? type->gt_opr
			: type->lt_opr;
		fallback->sort_collations[i] = OidIsValid(column->collation)
			? C_COLLATION_OID : InvalidOid;
		fallback->nulls_first[i] = access->backward;
	}
}

/* A count's scan tuple has the columns behind the number. */
static int *
count_positions(const DynScan *scan, const DynRows *rows)
{
	ForeignScan *plan = (ForeignScan *) scan->node->ss.ps.plan;
	int		   *positions = palloc0(Max(rows->ncolumns, 1) * sizeof(int));
	ListCell   *lc;

	foreach(lc, plan->fdw_scan_tlist)
	{
		const TargetEntry *entry = lfirst(lc);

		for (int i = 0; i < rows->ncolumns && IsA(entry->expr, Var); i++)
		{
			if (rows->attnums[i] == ((Var *) entry->expr)->varattno)
				positions[i] = entry->resno - 1;
		}
	}
	return positions;
}

DynFallback *
dyn_fallback_create(DynScan *scan)
{
	DynReader  *reader = scan->reader;
	DynFallback *fallback;

	if (reader->access->fallback == NULL)
		return NULL;
	fallback = palloc0(sizeof(DynFallback));
	fallback->reader = dyn_reader_create(reader->statement, reader->relation,
										 reader->access->fallback);
	fallback->reader->count_into = &reader->counters;
	fallback->reader->keeps = reader->keeps;
	fallback->reader->access->may_stop_early &= reader->access->may_stop_early;
	if (reader->access->count_only)
		fallback->reader->rows->positions =
			count_positions(scan, fallback->reader->rows);
	init_sort(fallback);
	return fallback;
}

/* ---- values that select nothing ---- */

static bool
is_known_empty(const DynFallback *fallback, const DynValues *values)
{
	uint32		hash = fallback->nempty > 0 ? dyn_values_hash(values) : 0;

	for (int i = 0; i < fallback->nempty; i++)
	{
		if (fallback->empty_hashes[i] == hash &&
			dyn_values_equal(values, &fallback->empty_values[i]))
			return true;
	}
	return false;
}

/* All are forgotten when there is no memory for more. */
static void
make_empty_space(DynFallback *fallback)
{
	if (MemoryContextMemAllocated(fallback->empty_context, true) >
		get_hash_memory_limit())
	{
		MemoryContextReset(fallback->empty_context);
		fallback->nempty = fallback->empty_space = 0;
		fallback->empty_values = NULL;
		fallback->empty_hashes = NULL;
	}
	if (fallback->nempty < fallback->empty_space)
		return;
	fallback->empty_space = Max(8, fallback->empty_space * 2);
	fallback->empty_values = dyn_grown(fallback->empty_values,
									   fallback->empty_space * sizeof(DynValues));
	fallback->empty_hashes = dyn_grown(fallback->empty_hashes,
									   fallback->empty_space * sizeof(uint32));
}

static void
remember_empty(DynFallback *fallback, const DynScan *scan)
{
	EState	   *estate = scan->node->ss.ps.state;
	MemoryContext oldcontext;

	Assert(!fallback->found);
	if (fallback->empty_context == NULL)
		fallback->empty_context = AllocSetContextCreate(estate->es_query_cxt,
														"dynamo_fdw fallback",
														ALLOCSET_SMALL_SIZES);
	oldcontext = MemoryContextSwitchTo(fallback->empty_context);
	make_empty_space(fallback);
	fallback->empty_values[fallback->nempty] = dyn_values_copy(&scan->values);
	fallback->empty_hashes[fallback->nempty] = dyn_values_hash(&scan->values);
	fallback->nempty++;
	MemoryContextSwitchTo(oldcontext);
}

/* ---- an execution ---- */

DynReader *
dyn_fallback_start(DynScan *scan)
{
	DynFallback *fallback = scan->fallback;

	Assert(fallback != NULL && scan->fell_back && scan->items == NULL);
	Assert(fallback->sorted == NULL);
	if (fallback->econtext == NULL)
		fallback->econtext = CreateExprContext(scan->node->ss.ps.state);
	fallback->found = false;
	fallback->executions++;
	if (is_known_empty(fallback, &scan->values))
		return NULL;
	dyn_reader_check_schema(fallback->reader);
	fallback->reader->group_in_flight = scan->reader->group_in_flight;
	return fallback->reader;
}

/* The next row of the table. */
static bool
next_row(DynScan *scan, TupleTableSlot *slot)
{
	ExprContext *econtext = scan->fallback->econtext;
	MemoryContext oldcontext;
	bool		found;

	ExecClearTuple(slot);
	ResetExprContext(econtext);
	oldcontext = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	found = dyn_items_next_row(scan->items, slot);
	MemoryContextSwitchTo(oldcontext);
	return found;
}

/* The next row that satisfies what the index's requests would have. */
static bool
next_checked(DynScan *scan, TupleTableSlot *slot)
{
	DynFallback *fallback = scan->fallback;
	ExprContext *econtext = fallback->econtext;

	while (next_row(scan, slot))
	{
		econtext->ecxt_scantuple = slot;
		if (ExecQual(scan->node->fdw_recheck_quals, econtext))
		{
			fallback->found = true;
			return true;
		}
	}
	if (!fallback->found && dyn_items_awaited(scan->items) != NULL)
		remember_empty(fallback, scan);
	return false;
}

static void
sort_rows(DynScan *scan, TupleTableSlot *slot)
{
	DynFallback *fallback = scan->fallback;
	MemoryContext oldcontext = MemoryContextSwitchTo(scan->run_context);

	Assert(fallback->nsort > 0 && fallback->sorted == NULL);
	fallback->sorted = tuplesort_begin_heap(slot->tts_tupleDescriptor,
											fallback->nsort,
											fallback->sort_columns,
											fallback->sort_operators,
											fallback->sort_collations,
											fallback->nulls_first,
											work_mem, NULL,
											TUPLESORT_RANDOMACCESS);
	fallback->sort_slot =
		MakeSingleTupleTableSlot(CreateTupleDescCopy(slot->tts_tupleDescriptor),
								 &TTSOpsMinimalTuple);
	while (next_checked(scan, slot))
		tuplesort_puttupleslot(fallback->sorted, slot);
	tuplesort_performsort(fallback->sorted);
	MemoryContextSwitchTo(oldcontext);
}

bool
dyn_fallback_next(DynScan *scan, TupleTableSlot *slot)
{
	DynFallback *fallback = scan->fallback;

	Assert(scan->fell_back);
	if (fallback->nsort == 0)
		return next_checked(scan, slot);
	if (fallback->sorted == NULL)
		sort_rows(scan, slot);
	if (!tuplesort_gettupleslot(fallback->sorted, true, false,
								fallback->sort_slot, NULL))
		return false;
	ExecCopySlot(slot, fallback->sort_slot);
	return true;
}

uint64
dyn_fallback_count(DynScan *scan, TupleTableSlot *slot)
{
	uint64		count = 0;

	Assert(scan->fell_back && scan->fallback->nsort == 0);
	while (next_checked(scan, slot))
		count++;
	return count;
}

bool
dyn_fallback_rewind(DynScan *scan)
{
	DynFallback *fallback = scan->fallback;

	if (fallback->sorted != NULL)
		tuplesort_rescan(fallback->sorted);
	else if (!dyn_items_rewind(scan->items))
		return false;
	return true;
}

void
dyn_fallback_stop(DynScan *scan)
{
	DynFallback *fallback = scan->fallback;

	Assert(scan->fell_back && !scan->served);
	if (fallback->sorted != NULL)
	{
		ExecDropSingleTupleTableSlot(fallback->sort_slot);
		tuplesort_end(fallback->sorted);
	}
	fallback->sorted = NULL;
}

DynRows *
dyn_fallback_rows(const DynFallback *fallback)
{
	return fallback->reader->rows;
}

uint64
dyn_fallback_executions(const DynFallback *fallback)
{
	return fallback->executions;
}

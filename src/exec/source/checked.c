/*
 * checked.c
 *		Checks rows in an expression context of their own, and maybe sorts them.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"

#include "checked.h"

/* ---- checking ---- */

void
dyn_checker_init(DynChecker *checker, ForeignScanState *node, ExprState *qual,
				 bool counts)
{
	checker->node = node;
	checker->qual = qual;
	checker->counts = counts;
	checker->econtext = CreateExprContext(node->ss.ps.state);
}

static bool
next_unchecked(const DynChecker *checker, DynItems *items, TupleTableSlot *slot)
{
	MemoryContext oldcontext;
	bool		found;

	ExecClearTuple(slot);
	ResetExprContext(checker->econtext);
	oldcontext = MemoryContextSwitchTo(checker->econtext->ecxt_per_tuple_memory);
	found = dyn_items_take_row(items, slot);
	MemoryContextSwitchTo(oldcontext);
	return found;
}

static bool
passes(const DynChecker *checker, TupleTableSlot *slot)
{
	Relation	relation = checker->node->ss.ss_currentRelation;

	/* core sets it behind this; a count has no relation */
	if (relation != NULL)
		slot->tts_tableOid = RelationGetRelid(relation);
	checker->econtext->ecxt_scantuple = slot;
	if (ExecQual(checker->qual, checker->econtext))
		return true;
	if (checker->counts)
		InstrCountFiltered1(checker->node, 1);
	return false;
}

bool
dyn_checker_next_row(const DynChecker *checker, DynItems *items,
					 TupleTableSlot *slot)
{
	while (next_unchecked(checker, items, slot))
	{
		if (passes(checker, slot))
			return true;
	}
	return false;
}

/* ---- a source of checked rows ---- */

typedef struct Checked
{
	DynItems	items;			/* first */
	DynCheckedSpec spec;
	DynItems   *unchecked;
	MemoryContext context;
	bool		found;			/* some row */
	Tuplesortstate *sorted;		/* NULL: not read yet */
	TupleTableSlot *sort_slot;	/* likewise */
} Checked;

static bool
next_checked(Checked *checked, TupleTableSlot *slot)
{
	bool		found = dyn_checker_next_row(checked->spec.checker,
											 checked->unchecked, slot);

	checked->found |= found;
	if (!checked->found && checked->spec.found_nothing != NULL)
		checked->spec.found_nothing(checked->spec.arg);
	return found;
}

static void
sort_rows(Checked *checked, TupleTableSlot *slot)
{
	const DynSortOrder *order = checked->spec.order;
	MemoryContext oldcontext = MemoryContextSwitchTo(checked->context);

	Assert(checked->sorted == NULL);
	checked->sorted = tuplesort_begin_heap(slot->tts_tupleDescriptor, order->n,
										   order->columns, order->operators,
										   order->collations, order->nulls_first,
										   work_mem, NULL, TUPLESORT_RANDOMACCESS);
	checked->sort_slot =
		MakeSingleTupleTableSlot(CreateTupleDescCopy(slot->tts_tupleDescriptor),
								 &TTSOpsMinimalTuple);
	while (next_checked(checked, slot))
		tuplesort_puttupleslot(checked->sorted, slot);
	tuplesort_performsort(checked->sorted);
	MemoryContextSwitchTo(oldcontext);
}

static bool
checked_next_row(DynItems *items, TupleTableSlot *slot)
{
	Checked    *checked = (Checked *) items;

	if (checked->spec.order->n == 0)
		return next_checked(checked, slot);
	if (checked->sorted == NULL)
		sort_rows(checked, slot);
	if (!tuplesort_gettupleslot(checked->sorted, true, false, checked->sort_slot,
								NULL))
		return false;
	ExecCopySlot(slot, checked->sort_slot);
	return true;
}

static DynFetchState
checked_poll(DynItems *items)
{
	DynItems   *unchecked = ((Checked *) items)->unchecked;

	return unchecked->methods->poll(unchecked);
}

static DynFetch *
checked_awaited(const DynItems *items)
{
	return dyn_items_awaited(((const Checked *) items)->unchecked);
}

static bool
checked_rewind(DynItems *items)
{
	Checked    *checked = (Checked *) items;

	if (checked->sorted == NULL)
		return dyn_items_rewind(checked->unchecked);
	tuplesort_rescan(checked->sorted);
	return true;
}

static uint64
checked_count(DynItems *items)
{
	Checked    *checked = (Checked *) items;
	TupleTableSlot *slot = checked->spec.checker->node->ss.ss_ScanTupleSlot;
	uint64		count = 0;

	Assert(checked->spec.order->n == 0);
	while (next_checked(checked, slot))
		count++;
	return count;
}

static void
checked_close(DynItems *items)
{
	Checked    *checked = (Checked *) items;

	dyn_items_close(checked->unchecked);
	if (checked->sorted == NULL)
		return;
	ExecDropSingleTupleTableSlot(checked->sort_slot);
	tuplesort_end(checked->sorted);
}

static const DynItemsMethods checked_methods = {
	.next_row = checked_next_row,
	.poll = checked_poll,
	.awaited = checked_awaited,
	.rewind = checked_rewind,
	.count = checked_count,
	.close = checked_close,
};

DynItems *
dyn_checked_create(const DynCheckedSpec *spec, DynItems *items)
{
	Checked    *checked = palloc0(sizeof(Checked));

	checked->items.methods = &checked_methods;
	checked->items.rows = items->rows;
	checked->spec = *spec;
	checked->unchecked = items;
	checked->context = CurrentMemoryContext;
	return &checked->items;
}

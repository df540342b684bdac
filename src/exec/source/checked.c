/*
 * checked.c
 *		Checks rows in an expression context of their own.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/rel.h"

#include "checked.h"

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
passes(const DynChecker *checker, TupleTableSlot *slot)
{
	Relation	relation = checker->node->ss.ss_currentRelation;

	/* core sets it after this; a count has no relation */
	if (relation != NULL)
		slot->tts_tableOid = RelationGetRelid(relation);
	checker->econtext->ecxt_scantuple = slot;
	if (ExecQual(checker->qual, checker->econtext))
		return true;
	if (checker->counts)
		InstrCountFiltered1(checker->node, 1);
	return false;
}

DynFetchState
dyn_checker_next_row(const DynChecker *checker, DynItems *items,
					 TupleTableSlot *slot, bool wait)
{
	MemoryContext oldcontext;
	DynFetchState state;

	do
	{
		ExecClearTuple(slot);
		ResetExprContext(checker->econtext);
		oldcontext = MemoryContextSwitchTo(checker->econtext->ecxt_per_tuple_memory);
		state = dyn_items_take_row(items, slot, wait);
		MemoryContextSwitchTo(oldcontext);
	} while (state == DYN_FETCH_ITEM && !passes(checker, slot));
	return state;
}

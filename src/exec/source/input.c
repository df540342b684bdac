/*
 * input.c
 *		Reads the rest of open queries before a statement writes their table.
 *
 * PostgreSQL reads a local table with the snapshot of the query, so a cursor
 * does not see what the session writes after the cursor was opened.  DynamoDB
 * has no snapshots.  So before a statement writes a table, the rows that open
 * executions have not returned yet are read and stored.  Executions that begin
 * later see the writes.  So do the remaining executions of a lookup join, most
 * of whose requests have been sent before.
 */
#include "postgres.h"

#include "../../model/tables/relation.h"
#include "input.h"

static bool
has_rest(const DynInput *input, const DynRelation *relation)
{
	return input->running && input->items != NULL && !input->finished &&
		!input->reading && !input->has_prefetcher &&
		!input->scandesc->access->count_only &&
		dyn_relation_same_table(input->scandesc->relation, relation);
}

static void
read_rest(const DynStatement *statement, DynInput *input)
{
	const TupleTableSlot *row = input->node->ss.ss_ScanTupleSlot;
	MemoryContext oldcontext = MemoryContextSwitchTo(input->run_context);
	ResourceOwner owner = CurrentResourceOwner;

	/* the rows must outlive a subtransaction of the writing statement */
	CurrentResourceOwner = statement->owner;
	input->reading = true;
	input->items = dyn_items_read_rest(input->items, row->tts_tupleDescriptor);
	input->reading = false;
	CurrentResourceOwner = owner;
	MemoryContextSwitchTo(oldcontext);
}

void
dyn_inputs_read_rest(const DynStatement *writing, const DynRelation *relation)
{
	ListCell   *lc;

	for (const DynStatement *statement = dyn_statement_newest(); statement != NULL;
		 statement = statement->next)
	{
		if (statement == writing)
			continue;
		foreach(lc, statement->scans)
		{
			DynInput   *input = lfirst(lc);

			if (has_rest(input, relation))
				read_rest(statement, input);
		}
	}
}

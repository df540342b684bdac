/*
 * input.c
 *		Reads the rest of open queries before a statement writes their table.
 *
 * A cursor over a local table does not see later writes, but DynamoDB has no
 * snapshots.  So before a statement writes a table, the remaining rows of open
 * scans of the table are read and stored.
 *
 * These scans are left alone, and see the write:
 * - scans that would call functions of users: these must not run with the
 *   privileges and settings of the writing statement
 * - scans below a LIMIT, which would read more than their query needs
 * - scans that depend on rows of other nodes, such as those of a lookup join:
 *   most of their executions begin after the write anyway
 */
#include "postgres.h"

#include "../../model/tables/relation.h"
#include "input.h"

static bool
has_rest(const DynInput *input, const DynRelation *relation)
{
	const DynRelation *own = input->scandesc->relation;
	const Plan *plan = input->node->ss.ps.plan;
	const EState *estate = input->node->ss.ps.state;
	const SubPlan *initplan;

	if (!input->running || input->items == NULL || input->finished || input->reading ||
		input->scandesc->access->count_only || !bms_is_empty(plan->allParam) ||
		!dyn_items_has_rest(input->items) || !dyn_relation_same_table(own, relation) ||
		dyn_plan_is_limited(estate->es_plannedstmt, plan))
		return false;
	/* once an EXISTS has found a row, its plan is not executed further */
	initplan = dyn_plan_initplan_of(estate->es_plannedstmt, plan);
	if (initplan != NULL && initplan->subLinkType == EXISTS_SUBLINK &&
		estate->es_param_exec_vals[linitial_int(initplan->setParam)].execPlan == NULL)
		return false;
	for (int i = 0; i < own->ncolumns; i++)
	{
		if (!own->columns[i].dropped && dyn_codec_runs_user_code(&own->columns[i].codec))
			return false;
	}
	return true;
}

void
dyn_inputs_read_rest(const DynStatement *writing, const DynRelation *relation)
{
	ResourceOwner owner = CurrentResourceOwner;
	MemoryContext oldcontext = CurrentMemoryContext;
	ListCell   *lc;

	for (const DynStatement *statement = dyn_statement_newest(); statement != NULL;
		 statement = statement->next)
	{
		if (statement == writing || statement->ended)
			continue;
		foreach(lc, statement->scans)
		{
			DynInput   *input = lfirst(lc);

			if (!has_rest(input, relation))
				continue;
			/* rows must outlive a subtransaction of the writing statement */
			CurrentResourceOwner = statement->owner;
			MemoryContextSwitchTo(input->run_context);
			input->reading = true;
			dyn_items_read_rest(&input->items,
								input->node->ss.ss_ScanTupleSlot->tts_tupleDescriptor);
			input->reading = false;
		}
	}
	CurrentResourceOwner = owner;
	MemoryContextSwitchTo(oldcontext);
}

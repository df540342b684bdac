/*
 * upsert.c
 *		Evaluates SET and WHERE of ON CONFLICT DO UPDATE.
 *
 * Core has planned SET and WHERE, but does not execute them, because the
 * planner hook has changed the action to DO NOTHING
 * (plan/paths/plan_upsert.c).  They are set up here as in core: the existing
 * row is the scan tuple, and the row to be inserted is the inner tuple.
 */
#include "postgres.h"

#include "commands/trigger.h"
#include "executor/executor.h"
#include "utils/rel.h"

#include "../../model/server/pg_compat.h"
#include "row_write.h"
#include "upsert.h"

/*
 * Raises an error if there are triggers for UPDATE or AFTER INSERT.  Core
 * would fire only those of the INSERT, because it does not know which rows
 * were updated.
 */
static void
refuse_triggers(const ResultRelInfo *rinfo)
{
	const TriggerDesc *triggers = rinfo->ri_TrigDesc;

	if (triggers == NULL || !(triggers->trig_update_before_row ||
							  triggers->trig_update_after_row ||
							  triggers->trig_update_before_statement ||
							  triggers->trig_update_after_statement ||
							  triggers->trig_insert_after_row))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("ON CONFLICT DO UPDATE is not supported on foreign table \"%s\", because it has triggers for UPDATE or AFTER INSERT",
					RelationGetRelationName(rinfo->ri_RelationDesc))));
}

DynUpsert *
dyn_upsert_create(ModifyTableState *mtstate, ResultRelInfo *rinfo, TupleDesc desc)
{
	const ModifyTable *plan = (const ModifyTable *) mtstate->ps.plan;
	DynUpsert  *upsert;

	if (plan == NULL || plan->onConflictSet == NIL)
		return NULL;
	refuse_triggers(rinfo);
	upsert = palloc0(sizeof(DynUpsert));
	/* do not use the node's own context, because core resets it */
	upsert->econtext = CreateExprContext(mtstate->ps.state);
	upsert->projection = ExecBuildUpdateProjection(plan->onConflictSet, true,
												   plan->onConflictCols, desc,
												   upsert->econtext,
												   MakeSingleTupleTableSlot(desc, &TTSOpsVirtual),
												   &mtstate->ps);
	if (plan->onConflictWhere != NULL)
		upsert->where = ExecInitQual((List *) plan->onConflictWhere, &mtstate->ps);
	return upsert;
}

void
dyn_upsert_evaluate(DynWrite *write)
{
	DynModify  *modify = write->modify;
	DynUpsert  *upsert = modify->upsert;
	ExprContext *econtext = upsert->econtext;
	TupleTableSlot *row;

	ResetExprContext(econtext);
	ExecCopySlot(modify->old, modify->scratch);
	modify->old->tts_tableOid = modify->relation->relid;
	ExecStoreMinimalTuple(write->plan_row, modify->plan_slot, false);
	econtext->ecxt_scantuple = modify->old;
	econtext->ecxt_innertuple = modify->plan_slot;
	econtext->ecxt_outertuple = NULL;
	write->state = DYN_WRITE_NO_ROW;
	dyn_check_view_conflict(modify->rinfo, modify->old, modify->estate);
	if (!ExecQual(upsert->where, econtext))
	{
		dyn_met_forget(write);
		return;
	}
	row = dyn_modify_complete_row(modify, ExecProject(upsert->projection));
	write->op = DYN_OP_UPDATE_ITEM;
	write->state = dyn_modify_update(write, modify->old, row)
		? DYN_WRITE_NEW : DYN_WRITE_WRITTEN;
}

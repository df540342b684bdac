/*
 * modify.c
 *		Implements the callbacks for statements that write.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "utils/rel.h"

#include "../../model/server/memory.h"
#include "../../model/server/pg_compat.h"
#include "../../model/session/guc.h"
#include "../../model/session/usage.h"
#include "row_write.h"

/* Maximum number of rows that keep_repeated() stores for one item. */
#define MOST_REPEATED	100

/* ---- begin ---- */

/* Returns true if COPY fires AFTER triggers, which precede its last flush. */
static bool
copy_has_after_trigger(const ResultRelInfo *rinfo)
{
	while (rinfo != NULL &&
		   !dyn_has_trigger(rinfo->ri_TrigDesc, TRIGGER_TYPE_INSERT | TRIGGER_TYPE_BEFORE,
							TRIGGER_TYPE_INSERT, NULL))
		rinfo = rinfo->ri_RootResultRelInfo;
	return rinfo != NULL;
}

/*
 * Prepares DO UPDATE as core would; returns NULL without DO UPDATE.  Core has
 * planned SET and WHERE, but does not execute them, because the planner hook
 * has changed the action to DO NOTHING (plan/paths/plan_modify.c).
 *
 * Raises an error for UPDATE and AFTER INSERT triggers, because core does not
 * know which rows were updated, and would fire INSERT triggers for these rows.
 */
static DynUpsert *
create_upsert(ModifyTableState *mtstate, ResultRelInfo *rinfo, TupleDesc desc,
			  const Bitmapset *updated)
{
	const ModifyTable *plan = (const ModifyTable *) mtstate->ps.plan;
	DynUpsert  *upsert;

	if (plan == NULL || plan->onConflictSet == NIL)
		return NULL;
	if (dyn_has_trigger(rinfo->ri_TrigDesc, TRIGGER_TYPE_UPDATE, TRIGGER_TYPE_UPDATE, updated) ||
		dyn_has_row_trigger(rinfo->ri_TrigDesc, CMD_INSERT, TRIGGER_TYPE_AFTER, NULL))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("ON CONFLICT DO UPDATE is not supported on foreign table \"%s\", because it has triggers for UPDATE or AFTER INSERT",
						RelationGetRelationName(rinfo->ri_RelationDesc))));
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

static const char *
await_reason(const DynModify *modify)
{
	const TriggerDesc *triggers = modify->rinfo->ri_TrigDesc;
	CmdType		operation = modify->operation;
	bool		may_vanish = operation != CMD_INSERT || modify->do_nothing;

	if (dyn_has_row_trigger(triggers, operation, TRIGGER_TYPE_BEFORE, modify->updated))
		return "BEFORE trigger";
	if ((may_vanish && dyn_has_row_trigger(triggers, operation, TRIGGER_TYPE_AFTER,
										   modify->updated)) ||
		(modify->copying && copy_has_after_trigger(modify->rinfo)))
		return "AFTER trigger";
	return may_vanish && modify->returning ? "RETURNING" : NULL;
}

/*
 * Creates the state in the statement's memory context.  Its slots are freed
 * but not dropped, so they must not pin a tuple descriptor: they use a copy.
 */
static DynModify *
create_modify(ModifyTableState *mtstate, ResultRelInfo *rinfo, CmdType operation,
			  DynModifyPlan columns)
{
	static uint64 insert_seed = 0;
	EState	   *estate = mtstate->ps.state;
	DynModify  *modify = palloc0(sizeof(DynModify));
	const ModifyTable *plan = (const ModifyTable *) mtstate->ps.plan;
	TupleDesc	desc = CreateTupleDescCopyConstr(RelationGetDescr(rinfo->ri_RelationDesc));
	/* on PostgreSQL 15, it is too early here to call ExecGetAllUpdatedCols */
	Bitmapset  *updated = dyn_with_generated(bms_copy(ExecGetUpdatedCols(rinfo, estate)), desc);
	DynRelation *relation;
	ListCell   *lc;

	modify->estate = estate;
	modify->mtstate = mtstate;
	modify->rinfo = rinfo;
	modify->operation = operation;
	modify->plan = columns;
	modify->copying = (plan == NULL);
	modify->do_nothing = plan != NULL && plan->onConflictAction != ONCONFLICT_NONE;
	modify->upsert = create_upsert(mtstate, rinfo, desc, updated);
	modify->returning = rinfo->ri_projectReturning != NULL ||
		(plan != NULL && plan->returningLists != NIL);
	modify->updated = operation == CMD_UPDATE ? updated : NULL;
	modify->has_row_triggers = dyn_has_row_trigger(rinfo->ri_TrigDesc, operation,
												   DYN_ANY_TIMING, modify->updated);
	modify->atomic = (dyn_guc_write_mode == DYN_WRITE_ATOMIC);
	if (modify->atomic && modify->copying && copy_has_after_trigger(rinfo))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("atomic COPY is not supported on foreign table \"%s\", because it has AFTER triggers",
						RelationGetRelationName(rinfo->ri_RelationDesc)),
				 errhint("Use INSERT, or set dynamo_fdw.write_mode to \"immediate\".")));
	modify->awaits = modify->atomic ? NULL : await_reason(modify);
	/* open the table as the user whose privileges core has checked */
	modify->map = dyn_write_map_open(RelationGetRelid(rinfo->ri_RelationDesc),
									 dyn_result_rel_user(rinfo, estate));
	relation = modify->relation = modify->map->relation;
	dyn_write_map_require(modify->map, operation);
	/*
	 * For routed rows, core has already set ri_returningList and
	 * ri_WithCheckOptions; for other rows it has not, so take the plan's
	 * lists.
	 */
	dyn_modify_check_read(modify->map, operation, rinfo->ri_RelationDesc,
						  modify->returning && rinfo->ri_returningList == NIL
						  ? linitial(plan->returningLists) : rinfo->ri_returningList,
						  plan != NULL && rinfo->ri_WithCheckOptions == NIL
						  ? plan->withCheckOptionLists : rinfo->ri_WithCheckOptions,
						  0, bms_union(columns.read, columns.returned));
	dyn_writers_await(estate, relation);
	modify->reread = dyn_reread_create(relation, modify->map->meta);
	modify->reread->shown = modify->returning || modify->has_row_triggers;
	modify->scratch = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	modify->old = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	modify->again = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	if (modify->upsert != NULL)
		modify->plan_slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	modify->writer = dyn_writer_get(estate);
	/* remember inserted keys, unless items can expire and be inserted again */
	if (operation == CMD_INSERT && dyn_item_filter_ttl(&relation->item_filter) == NULL)
		modify->insert_seed = ++insert_seed;
	foreach(lc, modify->writer->modifies)
	{
		const DynModify *other = lfirst(lc);

		if (other->operation == operation && other->relation->relid == relation->relid)
			modify->insert_seed = other->insert_seed;
	}
	modify->usage = dyn_usage_of(relation->connection, relation->table, NULL);
	modify->pace = dyn_table_pace(modify->usage, true, modify->writer->statement->number,
								  dyn_statement_is_running);
	dyn_statement_count(modify->writer->statement, modify->usage);
	dyn_budgets_add(&modify->budgets, relation->connection, DYN_BUDGET_WRITES, NULL,
					NULL, relation->connection->max_write_units_per_second);
	dyn_budgets_add(&modify->budgets, relation->connection, DYN_BUDGET_WRITES,
					relation->table, NULL, relation->max_write_units_per_second);
	dyn_statement_append(modify->writer->statement, &modify->writer->statement->targets, relation);
	dyn_statement_append(modify->writer->statement, &modify->writer->modifies, modify);
	rinfo->ri_FdwState = modify;
	return modify;
}

/*
 * Returns the plan of the target.  Does not use the list that core passes to
 * BeginForeignModify: before 18.6, run-time pruning of earlier targets makes
 * core pass the list of another target.
 */
static DynModifyPlan
plan_of_target(const ModifyTableState *mtstate, const ResultRelInfo *rinfo)
{
	const ModifyTable *plan = (const ModifyTable *) mtstate->ps.plan;
	ListCell   *lc,
			   *lc2;

	forboth(lc, plan->resultRelations, lc2, plan->fdwPrivLists)
	{
		if ((Index) lfirst_int(lc) == rinfo->ri_RangeTableIndex && lfirst(lc2) != NIL)
			return dyn_modify_plan_of_list(lfirst(lc2));
	}
	elog(ERROR, "foreign table was not an updatable target of its statement");
}

void
dynBeginForeignModify(ModifyTableState *mtstate, ResultRelInfo *rinfo,
					  List *private, int subplan_index, int eflags)
{
	DynModifyPlan plan = plan_of_target(mtstate, rinfo);
	const PlanState *subplan = outerPlanState(&mtstate->ps);
	const DynAccess *access = NULL; /* access plan of a scan of the target */
	const TupleDesc desc = RelationGetDescr(rinfo->ri_RelationDesc);
	DynModify  *modify;
	bool		repeats;
	ListCell   *lc;

	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	modify = create_modify(mtstate, rinfo, mtstate->operation, plan);
	if (strcmp(plan.schema, dyn_metadata_schema(modify->map->meta, NULL)) != 0)
	{
		DynRequestContext about = dyn_modify_context(modify, dyn_operation_of(modify->operation));

		dyn_report_changed_schema(&about, "The keys or indexes of the table differ.");
	}
	if (modify->upsert != NULL && modify->writer->affected == NULL)
		modify->writer->affected = dyn_met_create(modify->writer);
	if (mtstate->operation == CMD_INSERT)
		return;
	if (modify->writer->nested == NULL)
		modify->writer->nested = dyn_met_create(modify->writer);
	if (mtstate->operation == CMD_DELETE)
		modify->junk = palloc0(Max(desc->natts, 1) * sizeof(AttrNumber));
	for (int i = 0; modify->junk != NULL && i < desc->natts; i++)
	{
		if (!TupleDescAttr(desc, i)->attisdropped)
			modify->junk[i] =
				ExecFindJunkAttributeInTlist(subplan->plan->targetlist,
											 dyn_row_identity_name(rinfo->ri_RelationDesc, i + 1));
	}
	modify->plan_slot = MakeSingleTupleTableSlot(subplan->ps_ResultTupleDesc,
												 &TTSOpsMinimalTuple);
	if (IsA(subplan->plan, ForeignScan) &&
		((const Scan *) subplan->plan)->scanrelid == rinfo->ri_RangeTableIndex)
		access = dyn_access_of_scan((const ForeignScan *) subplan->plan);
	modify->presumes = access != NULL && access->is_presumed;
	/*
	 * A row may come twice if several CTEs write it, if the subplan is a join,
	 * or if full rows are read from an index, which may change during a scan.
	 */
	repeats = access == NULL ||
		((const DynModify *) linitial(modify->writer->modifies))->mtstate != mtstate;
	foreach(lc, access ? dyn_access_alternatives(access) : NIL)
	{
		const DynAccess *one = lfirst(lc);

		repeats |= one->index != NULL && !one->fetch_base_items;
	}
	if (modify->writer->met == NULL && repeats)
		modify->writer->met = dyn_met_create(modify->writer);
}

/* Begins to write the rows of a COPY, or rows routed to a partition. */
void
dynBeginForeignInsert(ModifyTableState *mtstate, ResultRelInfo *rinfo)
{
	DynModify  *update = rinfo->ri_FdwState;
	DynModify  *insert;

	/* core raises this error only for partitions in the plan */
	if (mtstate->operation == CMD_MERGE)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot execute MERGE on relation \"%s\"",
						RelationGetRelationName(rinfo->ri_RelationDesc)),
				 errdetail_relkind_not_supported(RELKIND_FOREIGN_TABLE)));
	insert = create_modify(mtstate, rinfo, CMD_INSERT, (DynModifyPlan) {0});
	/* without our ExecutorRun hook, flush.c corrects es_processed too late */
	if (insert->do_nothing && mtstate->canSetTag && !dyn_is_running(mtstate->ps.state))
	{
		if (insert->atomic)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("cannot use ON CONFLICT in an atomic statement that loads dynamo_fdw"),
					 errhint("Repeat the statement, or add dynamo_fdw to session_preload_libraries.")));
		insert->awaits = "loading of the library";
	}
	if (update == NULL)
		return;
	update->routed = insert;
	rinfo->ri_FdwState = update;
}

/* ---- rows ---- */

/*
 * Stores another join row for the item of modify->old while the item's write
 * is in flight.  If the write's condition fails, this row may be selected.
 */
static void
keep_repeated(DynModify *modify, const DynWrite *row, TupleTableSlot *planSlot)
{
	DynWrite   *write = dyn_write_find(modify->writer->writes, row);
	MemoryContext oldcontext;

	modify->writer->skipped |= modify->deferred;
	if (write == NULL || write->modify != modify)
		return;
	oldcontext = MemoryContextSwitchTo(write->context);
	write->repeated = lappend(write->repeated, ExecCopySlotMinimalTuple(planSlot));
	MemoryContextSwitchTo(oldcontext);
	/* limit memory, as if each write in flight used as much as this one */
	if (list_length(write->repeated) == MOST_REPEATED ||
		MemoryContextMemAllocated(write->context, true) * list_length(modify->writer->writes) >
		modify->writer->statement->max_bytes)
		dyn_writer_finish(modify->writer);
}

/*
 * Writes a row.  Like PostgreSQL, an UPDATE or DELETE writes a row only once,
 * even if it is joined with several rows.  If the table has a BEFORE trigger,
 * a repeated row is an error: core has fired the trigger again, which it would
 * not do on a local table.
 */
static TupleTableSlot *
write_row(DynModify *modify, TupleTableSlot *slot, TupleTableSlot *planSlot)
{
	bool		deferred = dyn_modify_is_deferred(modify);
	bool		repeated = false;
	DynWrite	same = {0};	/* key of the old row */
	MemoryContext oldcontext = MemoryContextSwitchTo(GetPerTupleMemoryContext(modify->estate));

	/* core would reject transition tables only after the write, or never */
	if (modify->mtstate->mt_transition_capture != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot write rows of foreign table \"%s\", because a trigger of its parent has transition tables",
						modify->relation->name),
				 errhint("Use row triggers, or write the other partitions and children only.")));
	if (modify->operation != CMD_INSERT)
	{
		dyn_modify_old_row(modify, planSlot);
		if (modify->writer->met != NULL)
		{
			same = dyn_write_of_row(modify, modify->old);
			repeated = dyn_met_change(modify->writer->met, &same, HASH_ENTER);
		}
	}
	if (repeated && dyn_has_row_trigger(modify->rinfo->ri_TrigDesc, modify->operation,
										TRIGGER_TYPE_BEFORE, modify->updated))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot join a row of foreign table \"%s\" with several rows, because the table has a BEFORE trigger",
						modify->relation->name),
				 errdetail("The trigger was fired again for the same row."),
				 errhint("Use EXISTS or DISTINCT, so that each row is selected once.")));
	if (repeated)
		keep_repeated(modify, &same, planSlot);
	else if (modify->operation != CMD_DELETE)
		dyn_modify_check_row(modify, slot);
	/* a DELETE returns the row as read, unless the response contains it */
	else if (modify->returning)
		ExecCopySlot(slot, modify->old);
	if (deferred && !repeated)
		dyn_modify_defer(modify, slot, planSlot);
	else if (repeated || !dyn_modify_row(modify, slot, planSlot))
		slot = NULL;
	MemoryContextSwitchTo(oldcontext);
	return slot;
}

TupleTableSlot *
dynExecForeignInsert(EState *estate, ResultRelInfo *rinfo, TupleTableSlot *slot,
					 TupleTableSlot *planSlot)
{
	DynModify  *modify = rinfo->ri_FdwState;

	return write_row(modify->routed ? modify->routed : modify, slot, planSlot);
}

TupleTableSlot *
dynExecForeignUpdate(EState *estate, ResultRelInfo *rinfo, TupleTableSlot *slot,
					 TupleTableSlot *planSlot)
{
	return write_row(rinfo->ri_FdwState, slot, planSlot);
}

/*
 * Sends the last rows of a COPY, and waits for the responses.  For other
 * statements, the executor hooks have already done so (flush.c).
 */
void
dynEndForeignInsert(EState *estate, ResultRelInfo *rinfo)
{
	DynModify  *modify = rinfo->ri_FdwState;

	if (modify->copying)
		dyn_writer_flush(modify->writer);
}

/* Without ANALYZE, ri_FdwState is NULL (dynBeginForeignModify). */
void
dynExplainForeignModify(ModifyTableState *mtstate, ResultRelInfo *rinfo,
						List *private, int subplan_index, ExplainState *es)
{
	DynModify  *modify = rinfo->ri_FdwState;
	DynRelation *relation =
		dyn_relation_open(RelationGetRelid(rinfo->ri_RelationDesc),
						  dyn_result_rel_user(rinfo, mtstate->ps.state));
	const DynCounters *counters;
	StringInfoData budgets;

	ExplainPropertyText(es->format == EXPLAIN_FORMAT_TEXT ? "Operation"
						: "Remote Operation", dyn_operation_name(dyn_operation_of(mtstate->operation)), es);
	ExplainPropertyText("Remote Table", relation->table, es);
	/* core may show DO NOTHING instead of DO UPDATE (plan_modify.c) */
	if (((const ModifyTable *) mtstate->ps.plan)->onConflictSet != NIL)
		ExplainPropertyText("On Conflict", "update", es);
	initStringInfo(&budgets);
	dyn_budget_append_text(&budgets, relation->connection->max_write_units_per_second, "the server");
	dyn_budget_append_text(&budgets, relation->max_write_units_per_second, "the table");
	dyn_budget_show("Write Unit Budget", &budgets, es);
	if (modify == NULL || !es->analyze)
		return;
	if (modify->awaits != NULL && !modify->deferred)
		ExplainPropertyText("Waits For Each Row", modify->awaits, es);
	if (modify->atomic)
		ExplainPropertyText("Write Mode", "atomic", es);
	if (modify->deferred)
		ExplainPropertyBool("Deferred", true, es);
	counters = &modify->counters;
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str, "Requests: " UINT64_FORMAT "  Items Written: " UINT64_FORMAT
						 "  Conflicts: " UINT64_FORMAT "  Unanswered: " UINT64_FORMAT
						 "  Write Units: %g  Retries: " UINT64_FORMAT "\n",
						 counters->requests, counters->items_written, counters->conflicts,
						 counters->unanswered, counters->write_units, counters->retries);
		return;
	}
	ExplainPropertyUInteger("Requests", NULL, counters->requests, es);
	ExplainPropertyUInteger("Items Written", NULL, counters->items_written, es);
	ExplainPropertyUInteger("Conflicts", NULL, counters->conflicts, es);
	ExplainPropertyUInteger("Unanswered", NULL, counters->unanswered, es);
	ExplainPropertyFloat("Write Units", NULL, counters->write_units, 1, es);
	ExplainPropertyUInteger("Retries", NULL, counters->retries, es);
}

/*
 * explain_modify.c
 *		Shows the writes of a statement in EXPLAIN.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "../../model/server/pg_compat.h"
#include "modify.h"

static const char *
operation_name(CmdType operation)
{
	return operation == CMD_INSERT ? dyn_operation_name(DYN_OP_PUT_ITEM)
		: operation == CMD_UPDATE ? dyn_operation_name(DYN_OP_UPDATE_ITEM)
		: dyn_operation_name(DYN_OP_DELETE_ITEM);
}

static void
show_counters(const DynCounters *counters, ExplainState *es)
{
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

static void
show_budgets(const DynRelation *relation, ExplainState *es)
{
	StringInfoData buf;

	initStringInfo(&buf);
	dyn_budget_append_text(&buf, relation->connection->max_write_units_per_second, "the server");
	dyn_budget_append_text(&buf, relation->max_write_units_per_second, "the table");
	if (buf.len == 0)
		return;
	appendStringInfoString(&buf, dyn_budget_scope());
	ExplainPropertyText("Write Unit Budget", buf.data, es);
}

/*
 * Without ANALYZE the table has not been opened for writing, so there is no
 * state.
 */
void
dynExplainForeignModify(ModifyTableState *mtstate, ResultRelInfo *rinfo,
						List *private, int subplan_index, ExplainState *es)
{
	DynModify  *modify = rinfo->ri_FdwState;
	DynRelation *relation =
		dyn_relation_open(RelationGetRelid(rinfo->ri_RelationDesc),
						  dyn_result_rel_user(rinfo, mtstate->ps.state));

	ExplainPropertyText(es->format == EXPLAIN_FORMAT_TEXT ? "Operation"
						: "Remote Operation", operation_name(mtstate->operation), es);
	ExplainPropertyText("Remote Table", relation->table, es);
	/* core shows "Conflict Resolution: NOTHING", see plan/paths/plan_upsert.c */
	if (((const ModifyTable *) mtstate->ps.plan)->onConflictSet != NIL)
		ExplainPropertyText("On Conflict", "update", es);
	show_budgets(relation, es);
	if (modify == NULL || !es->analyze)
		return;
	if (modify->awaits != NULL)
		ExplainPropertyText("Waits For Each Row", modify->awaits, es);
	if (modify->atomic)
		ExplainPropertyText("Write Mode", "atomic", es);
	if (modify->deferred)
		ExplainPropertyBool("Deferred", true, es);
	show_counters(&modify->counters, es);
}

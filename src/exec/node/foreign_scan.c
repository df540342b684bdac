/*
 * foreign_scan.c
 *		Callbacks of a foreign scan: begin, iterate, rescan, end.
 *
 * At the end, sends a NOTICE if items were read but none of them is a row.
 *
 * There is no shutdown callback, because core would call it at the end of
 * every FETCH of a cursor, after which more rows may be needed.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "../../model/server/encoding.h"
#include "../../model/server/pg_compat.h"
#include "../../model/values/path.h"
#include "../write/writer.h"
#include "executor_callbacks.h"
#include "scan.h"

/*
 * Warns, once for a statement, that SELECT FOR UPDATE or FOR SHARE does not
 * lock rows of a table that can be written.  A value that is computed from
 * such a row and then written may overwrite the change of another session.
 */
static void
warn_if_locking(ForeignScanState *node, const DynRelation *relation)
{
	EState	   *estate = node->ss.ps.state;
	DynStatement *statement = dyn_statement_get(estate);
	Index		rti = ((Scan *) node->ss.ps.plan)->scanrelid;
	ListCell   *lc;

	foreach(lc, estate->es_plannedstmt->rowMarks)
	{
		const PlanRowMark *mark = lfirst_node(PlanRowMark, lc);

		if (mark->rti != rti || mark->strength == LCS_NONE ||
			statement->warned_of_locks || !dyn_relation_is_updatable(relation->relid))
			continue;
		statement->warned_of_locks = true;
		ereport(WARNING,
				(errmsg("rows of foreign table \"%s\" are not locked",
						relation->name),
				 errhint("Put the condition into the UPDATE or DELETE, which checks it again if the row has changed.")));
	}
}

/*
 * Returns true if some column uses its type's input function, and shows NULL
 * for values that this function rejects (on_mismatch).
 */
static bool
needs_soft_input(const DynRelation *relation)
{
	for (int i = 0; i < relation->ncolumns; i++)
	{
		const DynColumn *column = &relation->columns[i];

		if (!column->dropped && column->null_on_mismatch &&
			dyn_codec_uses_input(&column->codec))
			return true;
	}
	return false;
}

void
dynBeginForeignScan(ForeignScanState *node, int eflags)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	Index		rti = plan->scan.scanrelid > 0 ? plan->scan.scanrelid
		: bms_next_member(dyn_plan_base_relids(plan), -1);
	RangeTblEntry *rte = exec_rt_fetch(rti, node->ss.ps.state);
	DynRelation *relation = dyn_relation_open(rte->relid, dyn_plan_check_as_user(plan, rte));
	DynScan    *scan = dyn_scan_create(node, relation);

	node->fdw_state = scan;
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	if (needs_soft_input(scan->input.scandesc->relation))
		dyn_prepare_soft_input(node->ss.ps.state->es_plannedstmt);
	warn_if_locking(node, scan->input.scandesc->relation);
	dyn_writers_await(node->ss.ps.state, scan->input.scandesc->relation);
	dyn_scan_prepare(scan, eflags);
}

/*
 * Returns the next row.  The slot is empty at the end of the execution or, in
 * an asynchronous Append, if the row has not arrived yet.
 */
TupleTableSlot *
dynIterateForeignScan(ForeignScanState *node)
{
	DynScan    *scan = node->fdw_state;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;

	ExecClearTuple(slot);
	if (!scan->input.running)
	{
		dyn_scan_begin_run(scan);
		if (!scan->input.begun)
			dyn_start_early(scan);
		scan->input.begun = true;
	}
	scan->input.ahead = false;
	if (!scan->finished)
		dyn_scan_next(scan, slot);
	return slot;
}

/*
 * Returns true for a scan of a relation: core itself checks fdw_recheck_quals.
 * Before 15.15, 16.11, 17.7 and 18.1, EvalPlanQual calls this function instead
 * of executing a scan without its own relation, such as a count in a subquery.
 * The count has to be executed here, as in any other statement.  Core would
 * then evaluate fdw_recheck_quals, which are for the rows of a fallback and
 * not for a count, so they are hidden from core.
 */
bool
dynRecheckForeignScan(ForeignScanState *node, TupleTableSlot *slot)
{
	DynScan    *scan = node->fdw_state;

	if (((ForeignScan *) node->ss.ps.plan)->scan.scanrelid > 0)
		return true;
	if (scan->checks == NULL)
		scan->checks = node->fdw_recheck_quals;
	node->fdw_recheck_quals = scan->checks;
	slot = dynIterateForeignScan(node);
	node->fdw_recheck_quals = NULL;
	return !TupIsNull(slot);
}

/*
 * Restarts the execution at its first row if no parameter has changed and no
 * request is necessary; otherwise ends it.  An execution that was started
 * ahead continues, since it uses no parameters.
 */
void
dynReScanForeignScan(ForeignScanState *node)
{
	DynScan    *scan = node->fdw_state;
	ListCell   *lc;

	Assert(!scan->input.ahead || (scan->input.running && !scan->input.begun));
	foreach(lc, scan->input.openers)
	{
		const DynOpener *opener = lfirst(lc);

		if (opener->rescan != NULL)
			opener->rescan(opener->state);
	}
	if (scan->input.ahead)
		return;
	if (node->ss.ps.chgParam != NULL || !dyn_scan_repeat_run(scan))
		dyn_scan_end_run(scan);
}

/* ---- items without rows ---- */

/*
 * Returns the number of items that were read but are not rows: items that the
 * conversion rejected or, if there are none, items that DynamoDB removed by
 * the item filter.  Returns 0 if there was a row, if filters other than the
 * item filter were sent, or if items were requested by their full key, which
 * often belongs to another entity.
 */
static uint64
items_without_rows(const DynScanDesc *scandesc)
{
	const DynAccess *access = scandesc->access;
	const DynRowTally *tally = scandesc->relation->tally;
	ListCell   *lc;

	if (tally->any_row ||
		(access->kind != DYN_ACCESS_SCAN && access->kind != DYN_ACCESS_QUERY))
		return 0;
	foreach(lc, access->filters)
	{
		const DynPred *pred = lfirst(lc);

		if (!dyn_pred_selects_rows(pred) || pred->args != NIL)
			return 0;
	}
	if (tally->rejected > 0)
		return tally->rejected;
	return access->filters != NIL && scandesc->counters.items_returned == 0
		? scandesc->counters.items_read : 0;
}

/*
 * Returns the condition for rows, such as "pk = company#${company} AND sk =
 * user#${email}".
 */
static char *
describe_rows(const DynRelation *relation)
{
	StringInfoData words;

	initStringInfo(&words);
	for (int i = 0; i < relation->ntemplated; i++)
	{
		const DynTemplatedAttr *templated = &relation->templated[i];

		if (templated->base)
			appendStringInfo(&words, "%s%s = %s", words.len > 0 ? " AND " : "",
							 dyn_from_utf8_lossy(dyn_templated_name(templated)),
							 dyn_templated_text(templated));
	}
	if (relation->item_filter.nterms > 0)
		appendStringInfo(&words, "%sthe values required by item_filter and ttl_attribute",
						 words.len > 0 ? ", and " : "");
	return words.data;
}

/*
 * Sends a NOTICE if a Scan or Query was read to its end, and the conditions
 * for rows (describe_rows) alone removed every item.  If a literal in a
 * template is misspelled, no item matches it, but there is no error, since
 * each item may belong to another entity.
 */
static void
notice_no_rows(const DynScan *scan)
{
	static TimestampTz reported = 0;
	const DynScanDesc *scandesc = scan->input.scandesc;
	const DynRowTally *tally = scandesc->relation->tally;
	uint64		items = scan->finished ? items_without_rows(scandesc) : 0;

	/*
	 * send one NOTICE for each statement of the client, even if its functions
	 * execute many statements
	 */
	if (items == 0 || reported == GetCurrentStatementStartTimestamp())
		return;
	reported = GetCurrentStatementStartTimestamp();
	ereport(NOTICE,
			(errmsg("none of the items read is a row of foreign table \"%s\"",
					scandesc->relation->name),
			 errdetail_plural("DynamoDB table \"%s\": " UINT64_FORMAT " item%s%s. Rows are items with %s.",
							  "DynamoDB table \"%s\": " UINT64_FORMAT " items%s%s. Rows are items with %s.",
							  items, scandesc->relation->table, items,
							  tally->rejected_key ? ", the first " : "",
							  tally->rejected_key ? tally->rejected_key : "",
							  describe_rows(scandesc->relation)),
			 errhint("To compare the options with the items, use dynamo_fdw_check_table(%s).",
					 quote_literal_cstr(dyn_relation_quoted_name(scandesc->relation)))));
}

void
dynEndForeignScan(ForeignScanState *node)
{
	DynScan    *scan = node->fdw_state;

	if (scan == NULL)
		return;
	notice_no_rows(scan);
	dyn_scan_free(scan);
}

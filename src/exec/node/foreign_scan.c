/*
 * foreign_scan.c
 *		Callbacks of a foreign scan: begin, iterate, rescan, end.
 *
 * There is no shutdown callback: core calls it at the end of every FETCH of a
 * cursor, after which more rows may be needed.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "../../model/server/pg_compat.h"
#include "../source/caching.h"
#include "foreign_scan.h"
#include "no_rows.h"
#include "early_start.h"

static DynRelation *
open_scan_relation(ForeignScanState *node)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	Index		rti = plan->scan.scanrelid > 0 ? plan->scan.scanrelid
		: bms_next_member(dyn_plan_base_relids(plan), -1);
	RangeTblEntry *rte = exec_rt_fetch(rti, node->ss.ps.state);
	Oid			userid = dyn_plan_check_as_user(plan, rte);

	return dyn_relation_open(rte->relid, OidIsValid(userid) ? userid : GetUserId());
}

static void
check_consistency(const DynRelation *relation, const DynAccess *access)
{
	ListCell   *lc;

	foreach(lc, access->arms)
		check_consistency(relation, lfirst(lc));
	if (access->global && relation->consistent)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot use consistent reads with global secondary index \"%s\"",
						access->index),
				 errhint("Retry the statement, because consistent_read was enabled after it was planned.")));
}

void
dynBeginForeignScan(ForeignScanState *node, int eflags)
{
	DynScan    *scan = dyn_scan_create(node, open_scan_relation(node));

	node->fdw_state = scan;
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	if (dyn_relation_needs_soft_input(scan->input.scandesc->relation))
		dyn_prepare_soft_input(node->ss.ps.state->es_plannedstmt);
	dyn_scan_prepare(scan, eflags);
	check_consistency(scan->input.scandesc->relation, scan->input.scandesc->access);
}

/* In an Append that does not wait, an empty slot may mean "not yet". */
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
	scan->ahead = false;
	if (!scan->finished)
		dyn_scan_next(scan, slot);
	return slot;
}

/*
 * Before 15.15, 16.11, 17.7 and 18.1, EvalPlanQual calls this in place of
 * every scan without a relation of its own.  That can be a count in a
 * subquery, which has to be executed there as in any other statement.  Core
 * would then evaluate fdw_recheck_quals, which are for the rows of a fallback,
 * and not for a count.  So they are hidden from core.
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

/* Requests started ahead do not depend on anything that could have changed. */
void
dynReScanForeignScan(ForeignScanState *node)
{
	DynScan    *scan = node->fdw_state;

	Assert(!scan->ahead || (scan->input.running && !scan->input.begun));
	dyn_caching_rescan(&scan->input);
	if (scan->ahead)
		return;
	if (node->ss.ps.chgParam != NULL || !dyn_scan_repeat_run(scan))
		dyn_scan_end_run(scan);
}

void
dynEndForeignScan(ForeignScanState *node)
{
	DynScan    *scan = node->fdw_state;

	if (scan == NULL)
		return;
	dyn_notice_no_rows(scan);
	dyn_scan_free(scan);
}

/*
 * dynamo_fdw.c
 *		Initializes the library, and returns the table of FDW callbacks.
 *
 * docs/architecture.md describes the other files.
 */
#include "postgres.h"

#include "fmgr.h"

#include "command/remote_table.h"
#include "exec/node/scan.h"
#include "exec/statement/statement.h"
#include "exec/write/modify.h"
#include "model/server/pg_compat.h"
#include "model/session/budget.h"
#include "model/session/guc.h"
#include "model/session/session.h"
#include "model/session/usage.h"
#include "model/session/written.h"
#include "plan/keys/access.h"
#include "plan/paths/planner.h"
#include "plan/tree/readahead_path.h"

DYN_MODULE_MAGIC("dynamo_fdw", "1.0");

PG_FUNCTION_INFO_V1(dynamo_fdw_handler);

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	dyn_guc_init();
	dyn_session_init();
	dyn_budget_init();
	dyn_usage_init();
	dyn_access_init();
	dyn_read_ahead_init(&dyn_read_ahead_methods);
	dyn_lookup_join_init();
	dyn_subplan_init();
	dyn_stats_init();
	dyn_jit_init();
	dyn_run_init();
	dyn_flush_init();
	dyn_written_init(dyn_writers_abandon);
}

Datum
dynamo_fdw_handler(PG_FUNCTION_ARGS)
{
	FdwRoutine *routine = makeNode(FdwRoutine);

	routine->GetForeignRelSize = dynGetForeignRelSize;
	routine->GetForeignPaths = dynGetForeignPaths;
	routine->GetForeignPlan = dynGetForeignPlan;
	routine->GetForeignUpperPaths = dynGetForeignUpperPaths;

	routine->BeginForeignScan = dynBeginForeignScan;
	routine->IterateForeignScan = dynIterateForeignScan;
	routine->ReScanForeignScan = dynReScanForeignScan;
	routine->RecheckForeignScan = dynRecheckForeignScan;
	routine->EndForeignScan = dynEndForeignScan;
	/* no parallel scans: each worker would repeat the inner scan of a join */

	routine->ExplainForeignScan = dynExplainForeignScan;

	routine->AddForeignUpdateTargets = dynAddForeignUpdateTargets;
	routine->PlanForeignModify = dynPlanForeignModify;
	routine->BeginForeignModify = dynBeginForeignModify;
	routine->ExecForeignInsert = dynExecForeignInsert;
	routine->ExecForeignUpdate = dynExecForeignUpdate;
	routine->ExecForeignDelete = dynExecForeignUpdate;
	routine->BeginForeignInsert = dynBeginForeignInsert;
	routine->EndForeignInsert = dynEndForeignInsert;
	routine->IsForeignRelUpdatable = dynIsForeignRelUpdatable;
	routine->ExplainForeignModify = dynExplainForeignModify;

	routine->IsForeignPathAsyncCapable = dynIsForeignPathAsyncCapable;
	routine->ForeignAsyncRequest = dynForeignAsyncRequest;
	routine->ForeignAsyncConfigureWait = dynForeignAsyncConfigureWait;
	routine->ForeignAsyncNotify = dynForeignAsyncNotify;

	routine->AnalyzeForeignTable = dynAnalyzeForeignTable;
	routine->ImportForeignSchema = dynImportForeignSchema;

	PG_RETURN_POINTER(routine);
}

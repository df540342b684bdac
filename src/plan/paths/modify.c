/*
 * modify.c
 *		Refuses statements that write.
 *
 * PostgreSQL would refuse them with the same message, but no hint.  PostgreSQL
 * itself refuses those for which it plans no change of this table: COPY FROM,
 * and rows that a partitioned table routes here.
 */
#include "postgres.h"

#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "planner.h"

List *
dynPlanForeignModify(PlannerInfo *root, ModifyTable *plan, Index resultRelation,
					 int subplan_index)
{
	Oid			relid = planner_rt_fetch(resultRelation, root)->relid;
	const char *verb = plan->operation == CMD_INSERT ? "insert into"
		: plan->operation == CMD_UPDATE ? "update" : "delete from";

	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot %s foreign table \"%s\"", verb,
					get_rel_name(relid)),
			 errhint("This version of dynamo_fdw only reads.")));
}

/*
 * plan_upsert.c
 *		Removes the columns of ON CONFLICT (key), so that core does not look
 *		for an index.
 *
 * Core permits only ON CONFLICT DO NOTHING without columns for foreign tables,
 * because for columns it looks for a unique index.  A planner hook removes the
 * columns if they are those of the DynamoDB table's primary key; the executor
 * then resolves the conflict itself.  Core still checks the privileges for the
 * UPDATE, and plans its expressions.
 *
 * If a session's first statement loads the library during planning, the hook
 * is not called for that statement.  The manual therefore recommends
 * session_preload_libraries.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "../../model/server/pg_compat.h"
#include "../../model/tables/write_map.h"
#include "plan_modify.h"
#include "planner.h"

static planner_hook_type previous_planner = NULL;

/*
 * Returns the columns of ON CONFLICT; NULL if one of them is an expression or
 * has an operator class.
 */
static Bitmapset *
conflict_columns(const Query *query)
{
	Bitmapset  *attnums = NULL;
	ListCell   *lc;

	foreach(lc, query->onConflict->arbiterElems)
	{
		const InferenceElem *element = lfirst_node(InferenceElem, lc);
		const Var  *var = (const Var *) element->expr;

		if (!IsA(var, Var) || var->varno != query->resultRelation ||
			var->varattno <= 0 || OidIsValid(element->inferopclass))
			return NULL;
		attnums = bms_add_member(attnums, var->varattno);
	}
	return attnums;
}

static void
take_over(Query *query)
{
	OnConflictExpr *conflict = query->onConflict;
	const RangeTblEntry *target;
	Bitmapset  *columns;

	if (conflict == NULL || conflict->arbiterElems == NIL ||
		conflict->arbiterWhere != NULL || OidIsValid(conflict->constraint))
		return;
	target = rt_fetch(query->resultRelation, query->rtable);
	columns = conflict_columns(query);
	if (columns == NULL || get_rel_relkind(target->relid) != RELKIND_FOREIGN_TABLE ||
		GetFdwRoutineByRelId(target->relid)->GetForeignPlan != dynGetForeignPlan ||
		!dyn_relation_is_updatable(target->relid) ||
		!bms_equal(columns, dyn_modify_open_map(query, target->relid)->key_columns))
		return;
	if (dyn_conflict_selects(conflict))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("foreign table \"%s\" does not allow ON CONFLICT DO SELECT",
						get_rel_name(target->relid)),
				 errhint("Use DO NOTHING, and then SELECT the rows by their keys.")));
	conflict->action = ONCONFLICT_NOTHING;
	conflict->arbiterElems = NIL;
}

static bool
visit_queries(Node *node, void *arg)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, visit_queries, arg);
	if (((Query *) node)->commandType == CMD_INSERT)
		take_over((Query *) node);
	return query_tree_walker((Query *) node, visit_queries, arg, 0);
}

static PlannedStmt *
plan_upserts(Query *query, const char *text, int options,
			 ParamListInfo params DYN_PLANNER_PARAMETER)
{
	if (query->onConflict != NULL || query->hasModifyingCTE)
		(void) visit_queries((Node *) query, NULL);
	return previous_planner
		? previous_planner(query, text, options, params DYN_PLANNER_ARGUMENT)
		: standard_planner(query, text, options, params DYN_PLANNER_ARGUMENT);
}

void
dyn_upsert_init(void)
{
	previous_planner = planner_hook;
	planner_hook = plan_upserts;
}

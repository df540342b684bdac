/*
 * subplan_path.c
 *		Batches correlated subqueries in a SELECT list, in arguments of
 *		aggregates and in expressions to sort by.
 *
 * Core executes such a subquery as a subplan, once for each row of the
 * projection, aggregation or sort.  If the subplan reads our table by key, we
 * put the lookup join node (exec/node/readahead.c) below the projection,
 * aggregation or sort.  The node prefetches for many rows together.  Core
 * still evaluates the projection, the aggregates, the sort and the subplan.
 *
 * Subqueries in conditions are not batched, because we cannot put a node below
 * the scan or join that evaluates the condition.  Subqueries that an
 * expression may skip are not batched either, such as those in CASE, COALESCE,
 * AND and OR, except in the part that is evaluated first.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planmain.h"
#include "optimizer/planner.h"
#include "optimizer/tlist.h"
#include "tcop/pquery.h"
#include "utils/selfuncs.h"

#include "../../model/server/pg_compat.h"
#include "../../model/session/guc.h"
#include "../paths/planner.h"
#include "../tree/plantree.h"
#include "../tree/readahead_path.h"

static create_upper_paths_hook_type previous_hook = NULL;
static planner_hook_type previous_planner = NULL;

/* State of the planned statement: is it the query of a cursor? */
static enum
{
	UNKNOWN,					/* plan_statement was not called, because the
								 * library was loaded while planning */
	NO,
	YES
}			is_cursor = UNKNOWN;

typedef struct Search
{
	const List *computed;		/* expressions that the path below computes */
	double		rows;			/* number of rows for cheapest_alternative */
	List	   *found;
} Search;

/*
 * Returns the subplan that core will choose (fix_alternative_subplan in
 * setrefs.c): the cheapest one for this number of executions.
 */
static Node *
cheapest_alternative(const AlternativeSubPlan *alternatives, double executions)
{
	SubPlan    *best = NULL;
	Cost		best_cost = 0;
	ListCell   *lc;

	foreach(lc, alternatives->subplans)
	{
		SubPlan    *subplan = lfirst(lc);
		Cost		cost = subplan->startup_cost +
			executions * subplan->per_call_cost;

		if (best != NULL &&
			(dyn_disabled_nodes(subplan) != dyn_disabled_nodes(best)
			 ? dyn_disabled_nodes(subplan) > dyn_disabled_nodes(best) : cost > best_cost))
			continue;
		best = subplan;
		best_cost = cost;
	}
	return (Node *) best;
}

/*
 * Finds the subplans that are executed whenever the expression is evaluated.
 * Skips the expressions in search->computed: the path below computes them, and
 * the columns that they use may be unavailable above it.
 */
static bool
collect_subplans(Node *node, void *context)
{
	Search	   *search = context;

	if (node == NULL || IsA(node, Aggref) || IsA(node, WindowFunc) ||
		(!IsA(node, List) && list_member(search->computed, node)))
		return false;
	if (IsA(node, SubPlan))
	{
		search->found = list_append_unique(search->found, node);
		return false;
	}
	if (IsA(node, AlternativeSubPlan))
		return collect_subplans(cheapest_alternative((AlternativeSubPlan *) node,
													 search->rows), search);
	return dyn_walk_evaluated(node, collect_subplans, search);
}

/*
 * Finds the subplans that the aggregates of the expression execute for every
 * row.  A FILTER is evaluated first, and may skip the arguments.
 */
static bool
collect_in_aggregates(Node *node, Search *search)
{
	const Aggref *aggregate = (Aggref *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, collect_in_aggregates, search);
	return collect_subplans(aggregate->aggfilter != NULL
							? (Node *) aggregate->aggfilter
							: (Node *) aggregate->args, search);
}

/*
 * Returns a batchable scan of the subplan whose keys or filters (fdw_exprs)
 * depend on the subplan's arguments.  Returns NULL if there is none, or if an
 * argument is not a plain column.
 */
static const ForeignScan *
find_lookup(const PlannerGlobal *glob, const SubPlan *subplan)
{
	Plan	   *plan = dyn_plan_of_subplan(glob->subplans, subplan->plan_id);
	ListCell   *lc,
			   *param;

	if (subplan->args == NIL || subplan->useHashTable)
		return NULL;
	foreach(lc, subplan->args)
	{
		if (!IsA(lfirst(lc), Var))
			return NULL;
	}
	foreach(lc, dyn_plan_scans_once(plan, glob->subplans))
	{
		ForeignScan *scan = lfirst(lc);
		const DynAccess *access = dyn_access_of_scan(scan);
		Bitmapset  *params = dyn_running_params((Node *) scan->fdw_exprs);

		if (access == NULL || !dyn_access_can(access, DYN_CAN_BATCH))
			continue;
		foreach(param, subplan->parParam)
		{
			if (bms_is_member(lfirst_int(param), params))
				return scan;
		}
	}
	return NULL;
}

static Cost visit_path(PlannerInfo *root, Path *path);

static bool
is_sort(const Path *path)
{
	return IsA(path, SortPath) || IsA(path, IncrementalSortPath);
}

/*
 * Returns the expressions by which a path sorts.  Core adds these to the
 * target list of the sort's input; since PostgreSQL 16, they include sorted
 * arguments of aggregates.  Returns NIL for a path of a partition, since the
 * equivalence class may have only the parent table's expression.
 */
static List *
sort_expressions(const Path *path)
{
	List	   *found = NIL;
	ListCell   *lc;

	foreach(lc, IS_OTHER_REL(path->parent) ? NIL : path->pathkeys)
	{
		const List *members = lfirst_node(PathKey, lc)->pk_eclass->ec_members;

		if (list_length(members) == 1)
			found = lappend(found, linitial_node(EquivalenceMember, members)->em_expr);
	}
	return found;
}

/* Finds the subplans that the path executes for every row of `subpath`. */
static List *
subplans_of_rows(Path *path, const Path *subpath)
{
	Search		search = {
		list_concat_copy(subpath->pathtarget->exprs,
						 is_sort(subpath) ? sort_expressions(subpath) : NIL),
		path->rows, NIL
	};

	if (IsA(path, ProjectionPath))
		(void) collect_subplans((Node *) path->pathtarget->exprs, &search);
	else if (is_sort(path))
		(void) collect_subplans((Node *) sort_expressions(path), &search);
	else
	{
		(void) collect_in_aggregates((Node *) path->pathtarget->exprs, &search);
		(void) collect_in_aggregates((Node *) ((AggPath *) path)->qual, &search);
	}
	return search.found;
}

/*
 * Returns true if this query level may belong to a cursor on which WHERE
 * CURRENT OF searches the plan for the scan of the current row (it does not
 * with FOR UPDATE).  If is_cursor is UNKNOWN, returns true if a portal is
 * active (as in DECLARE and OPEN) and the planner may have applied
 * cursor_tuple_fraction.
 */
static bool
may_be_at_cursor(const PlannerInfo *root)
{
	if (is_cursor == NO || root->parse->rowMarks != NIL)
		return false;
	for (;; root = root->parent_root)
	{
		const Query *parse = root->parse;

		if (bms_membership(root->all_baserels) == BMS_MULTIPLE ||
			parse->hasAggs || parse->groupClause != NIL || parse->hasWindowFuncs)
			return false;
		if (root->parent_root == NULL)
			break;
	}
	return is_cursor == YES ||
		(ActivePortal != NULL &&
		 (root->tuple_fraction > 0 || cursor_tuple_fraction >= 1));
}

/*
 * Returns true if the path reads a local table without a join.  Core must find
 * such a scan for WHERE CURRENT OF, but does not search below our node.
 */
static bool
find_table_scan(Path *path, int use, void *context)
{
	switch (path->pathtype)
	{
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
			return true;
		case T_Append:
		case T_Result:
		case T_Limit:
		case T_SubqueryScan:
			return dyn_visit_child_paths(path, find_table_scan, NULL);
		default:
			return false;
	}
}

/*
 * Batches the requests of subplans that the path (a projection, aggregation or
 * sort of *subpath) executes; returns the saved cost.  Does not change costs
 * in SubPlan nodes, because all copies of a SubPlan must stay the same: core
 * uses equal() to find it in the target list of a lower node.
 */
static Cost
read_ahead_of_rows(PlannerInfo *root, Path *path, Path **subpath)
{
	double		rows = (*subpath)->rows;
	List	   *subplans = NIL;
	Path	   *ahead;
	Cost		saved = 0;
	ListCell   *lc;

	/*
	 * If paths share a projection, an earlier call may have put a lookup join
	 * node below it.  For a subpath with one row, there is nothing to batch.
	 */
	if (dyn_is_read_ahead_path(*subpath) || dyn_is_one_row(*subpath))
		return 0;
	if (IsA(path, ProjectionPath) && may_be_at_cursor(root) &&
		find_table_scan(*subpath, 0, NULL))
		return 0;
	foreach(lc, subplans_of_rows(path, *subpath))
	{
		SubPlan    *subplan = lfirst(lc);
		const ForeignScan *scan = find_lookup(root->glob, subplan);
		DynLookupCost lookups = {0};
		Cost		startup,
					total;

		if (scan == NULL)
			continue;
		subplans = lappend(subplans, subplan);
		lookups.estimate = &dyn_access_of_scan(scan)->estimate;
		lookups.executions = Max(1.0, rows);
		lookups.keys = rows <= 1 ? 1
			: estimate_num_groups(root, subplan->args, rows, NULL, NULL);
		lookups.startup = scan->scan.plan.startup_cost;
		lookups.execution = subplan->per_call_cost;
		dyn_cost_lookups(&lookups, &startup, &total);
		saved += Max(0, subplan->per_call_cost * lookups.executions - total);
	}
	ahead = subplans != NIL ? dyn_read_ahead_path(*subpath, subplans) : NULL;
	if (ahead == NULL)
		return 0;
	*subpath = ahead;
	return saved;
}

typedef struct Visit
{
	PlannerInfo *root;
	Cost		saved;
} Visit;

static bool
visit_child(Path *path, int use, void *context)
{
	Visit	   *visit = context;

	if (use & DYN_CHILD_UPPER)
		visit->saved += visit_path(visit->root, path);
	return false;
}

/*
 * Batches the subplans of the path, and of paths below it down to the scans
 * and joins.  Reduces the costs of these paths; returns the saved cost.  For a
 * LIMIT, the new cost is computed as in core.
 */
static Cost
visit_path(PlannerInfo *root, Path *path)
{
	Visit		visit = {root, 0};
	Path	  **subpath = NULL; /* input of a path that may run subplans */

	if (IsA(path, ProjectionPath))
		subpath = &((ProjectionPath *) path)->subpath;
	else if (IsA(path, AggPath) && ((AggPath *) path)->aggsplit == AGGSPLIT_SIMPLE)
		subpath = &((AggPath *) path)->subpath;
	else if (is_sort(path))
		/* IncrementalSortPath begins with a SortPath */
		subpath = &((SortPath *) path)->subpath;

	if (IsA(path, LimitPath))
	{
		Path	   *child = ((LimitPath *) path)->subpath;
		Cost		rest = child->total_cost - child->startup_cost;
		double		share = rest <= 0 ? 0
			: (path->total_cost - child->startup_cost) / rest;

		(void) visit_path(root, child);
		visit.saved = path->total_cost - child->startup_cost -
			share * (child->total_cost - child->startup_cost);
	}
	else
	{
		/*
		 * visit the children before read_ahead_of_rows, which may add a lookup
		 * join node; the visit does not descend below such a node
		 */
		(void) dyn_visit_child_paths(path, visit_child, &visit);
		if (subpath != NULL)
			visit.saved += read_ahead_of_rows(root, path, subpath);
	}
	path->total_cost = Max(0, path->total_cost - visit.saved);
	path->startup_cost = Min(path->startup_cost, path->total_cost);
	return visit.saved;
}

/* Returns true if a subplan of the SELECT list can be batched. */
static bool
has_lookup(const PlannerInfo *root, const Path *path)
{
	Search		search = {NIL, path->rows, NIL};
	ListCell   *lc;

	(void) collect_subplans((Node *) path->pathtarget->exprs, &search);
	foreach(lc, search.found)
	{
		if (find_lookup(root->glob, lfirst(lc)) != NULL)
			return true;
	}
	return false;
}

/*
 * If the target list of a path has a subplan that can be batched, moves the
 * list into a projection above the path, so that a lookup join node can be put
 * between them.  Without this node, core makes no plan node of the projection.
 *
 * As in core (make_group_input_target and others), the path still computes the
 * columns that are grouped or sorted by, and the Vars and aggregates in other
 * columns.  Does nothing for grouping sets, whose columns differ above it.
 */
static void
separate_projections(PlannerInfo *root, RelOptInfo *rel)
{
	ListCell   *lc,
			   *column;

	foreach(lc, root->parse->groupingSets == NIL ? rel->pathlist : NIL)
	{
		Path	   *path = lfirst(lc);
		PathTarget *target = path->pathtarget;
		PathTarget *input = create_empty_pathtarget();
		List	   *others = NIL;

		if (IsA(path, ProjectionPath) || IsA(path, ProjectSetPath) ||
			!is_projection_capable_path(path) || !has_lookup(root, path))
			continue;
		foreach(column, target->exprs)
		{
			Index		ref = get_pathtarget_sortgroupref(target, foreach_current_index(column));

			if (ref != 0)
				add_column_to_pathtarget(input, lfirst(column), ref);
			else
				others = lappend(others, lfirst(column));
		}
		add_new_columns_to_pathtarget(input, pull_var_clause((Node *) others,
															 PVC_INCLUDE_AGGREGATES |
															 PVC_INCLUDE_WINDOWFUNCS |
															 PVC_INCLUDE_PLACEHOLDERS));
		/*
		 * A Gather returns the columns of its subpath.  Core's
		 * apply_projection_to_path would also change the columns of the
		 * subpath, but a Sort in the workers needs them.
		 */
		if (IsA(path, GatherPath))
			path->pathtarget = ((GatherPath *) path)->subpath->pathtarget;
		else if (IsA(path, GatherMergePath))
			path->pathtarget = ((GatherMergePath *) path)->subpath->pathtarget;
		else
			path = apply_projection_to_path(root, path->parent, path,
											set_pathtarget_cost_width(root, input));
		lfirst(lc) = create_projection_path(root, rel, path, target);
	}
}

static void
read_ahead_of_subplans(PlannerInfo *root, UpperRelationKind stage,
					   RelOptInfo *input_rel, RelOptInfo *output_rel,
					   void *extra)
{
	ListCell   *lc;

	if (previous_hook)
		previous_hook(root, stage, input_rel, output_rel, extra);
	if (!root->parse->hasSubLinks || !dyn_guc_enable_lookup_join)
		return;
	if (stage == UPPERREL_GROUP_AGG || stage == UPPERREL_WINDOW ||
		stage == UPPERREL_ORDERED)
		separate_projections(root, output_rel);
	foreach(lc, stage == UPPERREL_FINAL ? output_rel->pathlist : NIL)
		(void) visit_path(root, lfirst(lc));
}

/*
 * Replaces the columns that identify rows of the statement's target in lookup
 * join nodes.  Core resolves such a column only in the children of an Append;
 * custom_scan_tlist would keep it, and EXPLAIN VERBOSE could not print it.  To
 * the executor, only the column's type matters.
 */
static bool
hide_row_ids(Plan *plan, int use, void *context)
{
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, dyn_is_read_ahead(plan) ? ((CustomScan *) plan)->custom_scan_tlist : NIL)
	{
		TargetEntry *entry = lfirst(lc);
		Node	   *expr = (Node *) entry->expr;

		if (dyn_identifies_row(entry->expr))
			entry->expr = (Expr *) makeNullConst(exprType(expr), exprTypmod(expr),
												 exprCollation(expr));
	}
	return dyn_visit_child_plans(plan, NIL, hide_row_ids, context);
}

/*
 * Plans a statement.  Permits upserts, and sets is_cursor while planning: only
 * cursors (DECLARE, PL/pgSQL) are planned with CURSOR_OPT_FAST_PLAN.  If a
 * statement loads the library while it is planned, this hook is not called.
 * The manual therefore recommends session_preload_libraries for upserts.
 */
static PlannedStmt *
plan_statement(Query *parse, const char *query_string, int cursor_options,
			   ParamListInfo params DYN_PLANNER_PARAMETER)
{
	int			outer = is_cursor;
	PlannedStmt *plan;
	ListCell   *lc;

	dyn_permit_upserts(parse);
	is_cursor = (cursor_options & CURSOR_OPT_FAST_PLAN) != 0 ? YES : NO;
	PG_TRY();
	{
		plan = previous_planner(parse, query_string, cursor_options, params DYN_PLANNER_ARGUMENT);
	}
	PG_FINALLY();
	{
		is_cursor = outer;
	}
	PG_END_TRY();
	if (plan->resultRelations != NIL)
	{
		foreach(lc, lcons(plan->planTree, list_copy(plan->subplans)))
		{
			if (lfirst(lc) != NULL)
				(void) hide_row_ids(lfirst(lc), 0, NULL);
		}
	}
	return plan;
}

void
dyn_subplan_init(void)
{
	previous_planner = planner_hook ? planner_hook : standard_planner;
	planner_hook = plan_statement;
	previous_hook = create_upper_paths_hook;
	create_upper_paths_hook = read_ahead_of_subplans;
}

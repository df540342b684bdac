/*
 * node_kinds.c
 *		Table of plan node kinds, and the visitors that use it
 */
#include "postgres.h"

#include "../../model/server/pg_compat.h"
#include "node_kinds.h"
#include "readahead_path.h"

#define ONCE		DYN_CHILD_ONCE
#define UNLESS		DYN_CHILD_UNLESS_EMPTY
#define FULL		DYN_CHILD_FULL
#define FIRST		DYN_CHILD_FULL_FIRST
#define LIMITED		DYN_CHILD_LIMITED
#define UPPER		DYN_CHILD_UPPER

/* One input; the node computes its rows from all of its input's rows. */
#define PROCESSES	(ONCE | UNLESS | FULL)

typedef struct NodeKind
{
	NodeTag		tag;			/* tag of the plan node */
	int			outer;
	int			inner;
	int			list;			/* offset of a list of children, or of the
								 * subquery */
} NodeKind;

/*
 * Among joins, only a nested loop always executes its outer side.  A hash join
 * with an empty hash table may skip its outer side.  A merge join ends when
 * one side ends; other joins read their outer side to the end.
 */
static const NodeKind kinds[] = {
	{T_Agg, PROCESSES | UPPER, 0, 0},
	{T_Append, 0, 0, PROCESSES | UPPER},
	{T_CustomScan, 0, 0, PROCESSES},
	{T_Gather, FULL, 0, 0},
	{T_GatherMerge, FULL, 0, 0},
	{T_Group, PROCESSES | UPPER, 0, 0},
	{T_Hash, UNLESS | FIRST, 0, 0},
	{T_HashJoin, UNLESS | FULL, UNLESS, 0},
	{T_IncrementalSort, PROCESSES | UPPER, 0, 0},
	{T_Limit, ONCE | UNLESS | LIMITED | UPPER, 0, 0},
	{T_LockRows, UNLESS | FULL | UPPER, 0, 0},
	{T_Material, PROCESSES, 0, 0},
	{T_MergeAppend, 0, 0, UNLESS | FULL | UPPER},
	{T_MergeJoin, UNLESS, UNLESS, 0},
	{T_ModifyTable, UNLESS | FULL | UPPER, 0, 0},
	{T_NestLoop, PROCESSES, UNLESS, 0},
	{T_ProjectSet, PROCESSES | UPPER, 0, 0},
	{T_RecursiveUnion, FULL, 0, 0},
	{T_Result, PROCESSES | UPPER, 0, 0},
	{T_SetOp, FULL, 0, 0},
	{T_Sort, PROCESSES | FIRST | UPPER, 0, 0},
	{T_SubqueryScan, 0, 0, PROCESSES},
	{T_Unique, PROCESSES | UPPER, 0, 0},
	{T_WindowAgg, PROCESSES | UPPER, 0, 0},
};

static const NodeKind unknown_kind = {T_Invalid, 0, 0, 0};

static const NodeKind *
kind_of(NodeTag tag)
{
	for (int i = 0; i < lengthof(kinds); i++)
	{
		if (kinds[i].tag == tag)
			return &kinds[i];
	}
	return &unknown_kind;
}

/* ---- plans ---- */

Plan *
dyn_plan_of_subplan(List *subplans, int plan_id)
{
	Assert(plan_id > 0 && plan_id <= list_length(subplans));
	return list_nth(subplans, plan_id - 1);
}

/* Returns the properties of its kind that this node lacks. */
static int
exceptions(Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Append:
			/* run-time pruning may skip some of them */
			return dyn_append_is_pruned((Append *) plan) ? ONCE | UNLESS : 0;
		case T_MergeAppend:
			return dyn_append_is_pruned((MergeAppend *) plan)
				? ONCE | UNLESS : 0;
		case T_Result:
			/* a one-time filter */
			return ((Result *) plan)->resconstantqual ? ONCE | UNLESS : 0;
		case T_WindowAgg:
			/*
			 * ends as soon as its condition, for example on row_number(), is
			 * false
			 */
			return ((WindowAgg *) plan)->runCondition != NIL ? FULL | FIRST : 0;
		case T_CustomScan:
			/* nodes of other extensions: unknown */
			return dyn_is_read_ahead(plan) ? 0 : ~0;
		default:
			return 0;
	}
}

static int
outer_use(const Plan *plan, const NodeKind *kind)
{
	if (IsA(plan, Agg) && ((const Agg *) plan)->aggstrategy != AGG_SORTED)
		return kind->outer | FIRST;
	/* without RETURNING it returns no rows after which it could be stopped */
	if (IsA(plan, ModifyTable) && ((const ModifyTable *) plan)->returningLists == NIL)
		return kind->outer | FIRST;
	return kind->outer;
}

static List *
listed_children(Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Append:
			return ((Append *) plan)->appendplans;
		case T_MergeAppend:
			return ((MergeAppend *) plan)->mergeplans;
		case T_CustomScan:
			return ((CustomScan *) plan)->custom_plans;
		case T_SubqueryScan:
			return list_make1(((SubqueryScan *) plan)->subplan);
		default:
			return NIL;
	}
}

static List *
initplans_of_result(Plan *plan, List *subplans)
{
	List	   *found = NIL;
	ListCell   *lc;

	if (subplans == NIL || !IsA(plan, Result) || outerPlan(plan) != NULL)
		return NIL;
	foreach(lc, plan->initPlan)
		found = lappend(found, dyn_plan_of_subplan(subplans,
												   ((SubPlan *) lfirst(lc))->plan_id));
	return found;
}

static bool
visit_plans(List *plans, int use, DynPlanVisitor visit, void *context)
{
	ListCell   *lc;

	foreach(lc, plans)
	{
		if (lfirst(lc) != NULL && visit(lfirst(lc), use, context))
			return true;
	}
	return false;
}

bool
dyn_visit_child_plans(Plan *plan, List *subplans, DynPlanVisitor visit,
					  void *context)
{
	const NodeKind *kind = kind_of(nodeTag(plan));
	int			all = ~exceptions(plan);

	if (visit_plans(listed_children(plan), kind->list & all, visit, context) ||
		visit_plans(initplans_of_result(plan, subplans), kind->outer & all, visit,
					context))
		return true;
	if (outerPlan(plan) != NULL &&
		visit(outerPlan(plan), outer_use(plan, kind) & all, context))
		return true;
	/* a parameterized inner side is executed for each outer row */
	if (IsA(plan, NestLoop) && ((NestLoop *) plan)->nestParams != NIL)
		all = 0;
	return innerPlan(plan) != NULL &&
		visit(innerPlan(plan), kind->inner & all, context);
}

/* ---- paths ---- */

/*
 * Returns the child of a path that processes one input; NULL for other paths.
 */
static Path *
only_child(Path *path)
{
	switch (nodeTag(path))
	{
		case T_AggPath:
			return ((AggPath *) path)->subpath;
		case T_GroupPath:
			return ((GroupPath *) path)->subpath;
		case T_IncrementalSortPath:
			return ((IncrementalSortPath *) path)->spath.subpath;
		case T_LimitPath:
			return ((LimitPath *) path)->subpath;
		case T_LockRowsPath:
			return ((LockRowsPath *) path)->subpath;
		case T_MaterialPath:
			return ((MaterialPath *) path)->subpath;
		case T_ModifyTablePath:
			return ((ModifyTablePath *) path)->subpath;
		case T_ProjectionPath:
			return ((ProjectionPath *) path)->subpath;
		case T_ProjectSetPath:
			return ((ProjectSetPath *) path)->subpath;
		case T_SortPath:
			return ((SortPath *) path)->subpath;
		case T_UpperUniquePath:
			return ((UpperUniquePath *) path)->subpath;
		case T_WindowAggPath:
			return ((WindowAggPath *) path)->subpath;
		default:
			return NULL;
	}
}

/* Returns the children that the plan has in a list or as initplans. */
static List *
listed_child_paths(Path *path)
{
	List	   *found = NIL;
	ListCell   *lc;

	switch (nodeTag(path))
	{
		case T_AppendPath:
			return ((AppendPath *) path)->subpaths;
		case T_MergeAppendPath:
			return ((MergeAppendPath *) path)->subpaths;
		case T_CustomPath:
			return dyn_is_read_ahead_path(path) ? ((CustomPath *) path)->custom_paths
				: NIL;
		case T_SubqueryScanPath:
			return list_make1(((SubqueryScanPath *) path)->subpath);
		case T_MinMaxAggPath:
			foreach(lc, ((MinMaxAggPath *) path)->mmaggregates)
				found = lappend(found, lfirst_node(MinMaxAggInfo, lc)->path);
			return found;
		default:
			return NIL;
	}
}

bool
dyn_visit_child_paths(Path *path, DynPathVisitor visit, void *context)
{
	const NodeKind *kind = kind_of(path->pathtype);
	Path	   *child = only_child(path);
	ListCell   *lc;

	if (child != NULL)
		return visit(child, kind->outer, context);
	if (IsA(path, NestPath) || IsA(path, MergePath) || IsA(path, HashPath))
		return visit(((JoinPath *) path)->outerjoinpath, kind->outer, context) ||
			visit(((JoinPath *) path)->innerjoinpath, kind->inner, context);
	foreach(lc, listed_child_paths(path))
	{
		if (visit(lfirst(lc), kind->list | (IsA(path, MinMaxAggPath)
											? kind->outer : 0), context))
			return true;
	}
	return false;
}

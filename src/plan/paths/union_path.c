/*
 * union_path.c
 *		Finds the access plans for the arms of an OR that match different keys.
 *
 * The arms are read one after the other.  All clauses are checked for each
 * row, and a row that several arms return is returned once
 * (exec/source/united.c).
 *
 * Each arm is matched together with the relation's other clauses, because an
 * index may be complete for one arm, but lack rows of another.  If some arm
 * matches no key, a union is not built, because it would need a Scan anyway.
 *
 * Arms that match the same key become one access plan, which matches the OR of
 * these arms, unless this costs more.  So values of one partition key become a
 * list of values, and each partition is read once.  If all arms become one
 * access plan, a union is not built, because paths.c finds this access plan.
 *
 * If there is a volatile condition, a union is not built: the condition would
 * be evaluated once for each arm that reads a row, and the row would be
 * returned if any one of these results were true.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"

#include "../keys/match_keys.h"
#include "planner.h"

/* Maximum number of arms of an OR; the search takes quadratic time */
#define MAX_ARMS	40

/*
 * No further OR is searched once the number of arms searched so far, times the
 * number of the table's clauses, exceeds this.
 */
#define MAX_MATCHED	4000

/* State of the search for the access plans of an OR's arms */
typedef struct Search
{
	DynRelPlan *plan;
	const RestrictInfo *rinfo;	/* RestrictInfo of the OR */
	List	   *others;			/* DynClause *: all clauses but the OR */
	const char *advice;			/* advice about an index that matches an arm
								 * but may not contain all items that satisfy
								 * the arm; or NULL */
} Search;

/* An access plan that reads one or several arguments of the OR */
typedef struct Arm
{
	int			target;			/* table or index, as in DynPathChoice */
	List	   *members;		/* the arguments: positions (int) in the OR */
	DynAccess  *access;
	Cost		cost;
} Arm;

/*
 * Returns the clauses (DynClause *) that an Arm with these `members` must
 * match: the arguments of the OR at these positions, and all other clauses.
 */
static List *
clauses_of_members(const Search *search, const List *members)
{
	List	   *conditions;
	List	   *args = NIL;
	ListCell   *lc;

	if (list_length(members) == 1)
		conditions = make_ands_implicit(list_nth(((BoolExpr *) search->rinfo->orclause)->args,
												 linitial_int(members)));
	else
	{
		foreach(lc, members)
			args = lappend(args, list_nth(((BoolExpr *) search->rinfo->clause)->args,
										  lfirst_int(lc)));
		conditions = list_make1(make_simple_restrictinfo(search->plan->root,
														 make_orclause(args)));
	}
	return list_concat_copy(search->others,
							dyn_quals_classify(search->plan, conditions));
}

static Search
begin_search(DynRelPlan *plan, const RestrictInfo *rinfo, List *clauses)
{
	Search		search = {plan, rinfo, NIL, NULL};
	ListCell   *lc;

	foreach(lc, clauses)
	{
		if (((DynClause *) lfirst(lc))->rinfo != rinfo)
			search.others = lappend(search.others, lfirst(lc));
	}
	return search;
}

static DynAccess *
match_members(Search *search, List *clauses, int target)
{
	const DynRelPlan *plan = search->plan;
	const DynIndexMeta *index = dyn_index_number(plan->meta, target);
	DynAccess  *access = dyn_divide_values(plan, dyn_match_keys(plan, index, clauses));
	DynIndexLack lack;

	if (access == NULL)
		return NULL;
	if (index != NULL && !dyn_index_is_usable(plan, index, false, clauses, &lack))
	{
		dyn_advise_on_index(&search->advice, index, &lack, "used");
		return NULL;
	}
	access->is_arm = true;
	dyn_add_fallback(plan, clauses, access);
	return access;
}

/* Returns an Arm for these members of the OR, or NULL if none is possible. */
static Arm *
make_arm(Search *search, List *members, List *clauses, int target)
{
	Arm		   *arm = palloc(sizeof(Arm));
	DynEstimate estimate;
	Cost		startup;

	arm->access = match_members(search, clauses, target);
	if (arm->access == NULL)
		return NULL;
	arm->target = target;
	arm->members = members;
	estimate = dyn_estimate_access(search->plan, arm->access);
	dyn_cost_estimate(&estimate, false, estimate.items, &startup, &arm->cost);
	return arm;
}

/*
 * Combines the Arm with an Arm of the list that matches the same key, if the
 * combined Arm costs no more than the two together; else appends the Arm.
 */
static List *
add_arm(Search *search, List *arms, Arm *arm)
{
	ListCell   *lc;

	foreach(lc, arms)
	{
		Arm		   *other = lfirst(lc);
		List	   *members;
		Arm		   *both;

		if (other->target != arm->target)
			continue;
		members = list_concat_copy(other->members, arm->members);
		both = make_arm(search, members, clauses_of_members(search, members),
						arm->target);
		if (both != NULL && both->cost <= other->cost + arm->cost)
		{
			lfirst(lc) = both;
			return arms;
		}
	}
	return lappend(arms, arm);
}

/*
 * Returns two or more Arms that together yield all rows for which the OR is
 * true, or NIL.  Arms that read keys from an index, and then items from the
 * table, come last, because they need not read items that earlier Arms have
 * returned.  Sets plan->advice if an argument matches only indexes that are
 * not complete.
 */
static List *
find_arms(Search *search)
{
	int			n = list_length(((BoolExpr *) search->rinfo->orclause)->args);
	List	   *arms = NIL;
	List	   *first = NIL;
	List	   *last = NIL;
	const char *lacking = NULL;
	ListCell   *lc;

	for (int member = 0; member < n; member++)
	{
		List	   *members = list_make1_int(member);
		List	   *clauses = clauses_of_members(search, members);
		Arm		   *best = NULL;

		search->advice = NULL;
		for (int target = 0; target <= search->plan->meta->nindexes; target++)
		{
			Arm		   *arm = make_arm(search, members, clauses, target);

			if (arm != NULL && (best == NULL || arm->cost < best->cost))
				best = arm;
		}
		if (best != NULL)
			arms = add_arm(search, arms, best);
		else if (search->advice != NULL)
			lacking = search->advice;
		else
			return NIL;
	}
	if (lacking != NULL && search->plan->advice == NULL)
		search->plan->advice = lacking;
	if (lacking != NULL || list_length(arms) == 1)
		return NIL;
	foreach(lc, arms)
	{
		if (((const Arm *) lfirst(lc))->access->fetch_base_items)
			last = lappend(last, lfirst(lc));
		else
			first = lappend(first, lfirst(lc));
	}
	return list_concat(first, last);
}

/* Returns an access plan of kind UNION, without arms. */
static DynAccess *
make_union(const DynRelPlan *plan, List *clauses)
{
	DynAccess  *access = dyn_match_scan(plan, NULL, clauses);

	access->kind = DYN_ACCESS_UNION;
	access->filters = access->exact_rinfos = NIL;
	access->rechecks_item_filter = false;
	Assert(access->multi_partition);
	return access;
}

/* Returns true if a subquery in the expression calls a volatile function. */
static bool
has_volatile_subplan(Node *node, void *context)
{
	const PlannerGlobal *glob = context;

	if (node == NULL)
		return false;
	if (IsA(node, SubPlan))
	{
		PlannerInfo *root = list_nth_node(PlannerInfo, glob->subroots,
										  ((SubPlan *) node)->plan_id - 1);

		if (contain_volatile_functions((Node *) root->parse) ||
			has_volatile_subplan((Node *) root->parse, context) ||
			has_volatile_subplan((Node *) root->init_plans, context))
			return true;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_volatile_subplan, context, 0);
	return expression_tree_walker(node, has_volatile_subplan, context);
}

DynAccess *
dyn_union_find(DynRelPlan *plan, DynPathChoice *choice)
{
	DynAccess  *access;
	int			matched = 0;
	Cost		best = 0;
	ListCell   *lc,
			   *arm;

	/* LATERAL references require parameterized paths, and a union has none */
	if (!bms_is_empty(plan->rel->lateral_relids))
		return NULL;
	foreach(lc, plan->rel->baserestrictinfo)
	{
		Node	   *clause = (Node *) lfirst_node(RestrictInfo, lc)->clause;

		if (contain_volatile_functions(clause) || has_volatile_subplan(clause, plan->root->glob))
			return NULL;
	}
	foreach(lc, plan->rel->baserestrictinfo)
	{
		const RestrictInfo *rinfo = lfirst_node(RestrictInfo, lc);
		Search		search;
		List	   *arms;
		Cost		cost = 0;
		int			n = rinfo->orclause == NULL || rinfo->pseudoconstant ? 0
			: list_length(((BoolExpr *) rinfo->orclause)->args);

		if (n == 0 || n > MAX_ARMS || matched > MAX_MATCHED)
			continue;
		matched += n * list_length(plan->clauses);
		search = begin_search(plan, rinfo, plan->clauses);
		arms = find_arms(&search);
		foreach(arm, arms)
			cost += ((const Arm *) lfirst(arm))->cost;
		if (arms == NIL || (choice->arms != NIL && best <= cost))
			continue;
		best = cost;
		choice->or_clause = rinfo;
		choice->arms = arms;
	}
	if (choice->arms == NIL)
		return NULL;
	access = make_union(plan, plan->clauses);
	foreach(lc, choice->arms)
		access->arms = lappend(access->arms, ((const Arm *) lfirst(lc))->access);
	return access;
}

DynAccess *
dyn_union_match(DynRelPlan *plan, const DynPathChoice *choice, List *clauses)
{
	DynAccess  *access = make_union(plan, clauses);
	Search		search = begin_search(plan, choice->or_clause, clauses);
	ListCell   *lc;

	access->estimate = *choice->estimate;
	foreach(lc, choice->arms)
	{
		const Arm  *planned = lfirst(lc);
		DynAccess  *arm = match_members(&search,
										clauses_of_members(&search, planned->members),
										planned->target);

		if (arm == NULL)
			elog(ERROR, "a branch no longer matches a key of \"%s\"",
				 search.plan->relation->name);
		access->arms = lappend(access->arms, arm);
	}
	return access;
}

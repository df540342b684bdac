/*
 * choice.c
 *		Stores how a path's access plan was chosen, and builds the access plan
 *		again from this choice, with its fallback and its alternatives.
 *
 * An optional condition is an OR such as $1 IS NULL OR k = $1.  Its guard ($1
 * IS NULL) is an arm without columns that has the same value in all executions
 * of a scan.  If the guard is false or NULL (closed), the OR is equivalent to
 * its other arms, and may match a key.  If the guard is true (open), the OR
 * restricts nothing.  So a path may have several access plans.  All but the
 * last use optional conditions for their keys, and are valid only if the
 * guards of these conditions are closed.  The last uses none.  When the
 * statement starts, the first plan whose guards are all closed is chosen.
 *
 * A path with guards has only properties that all its access plans have in
 * common.  So its rows have no order, and its index must contain all selected
 * items, whether guards are open or closed.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "../clauses/classify.h"
#include "../keys/match_keys.h"
#include "planner.h"

/* ---- guards ---- */

static bool
is_guard(const DynPred *pred)
{
	return dyn_pred_is_given(pred) && dyn_is_fixed((Node *) pred->value);
}

/*
 * Returns the guards (such as $1 IS NULL) of an optional condition (such as
 * $1 IS NULL OR c = $1).  Returns NIL for any other clause.
 */
static List *
find_guards(const DynClause *clause)
{
	List	   *guards = NIL;
	ListCell   *lc;

	if (clause->rinfo == NULL || (clause->implied && !clause->keys_only) ||
		clause->pred == NULL || !dyn_pred_is_junction(clause->pred))
		return NIL;
	foreach(lc, clause->pred->args)
	{
		DynPred    *arm = lfirst(lc);

		if (is_guard(arm))
			guards = lappend(guards, arm);
		else if (dyn_pred_is_given(arm))
			return NIL;
	}
	return list_length(guards) < list_length(clause->pred->args) ? guards : NIL;
}

/* Returns the clauses, but without the guards of those at `positions`. */
static List *
close_guards(List *clauses, const Bitmapset *positions)
{
	List	   *list = NIL;
	ListCell   *lc,
			   *arg;

	foreach(lc, clauses)
	{
		DynClause  *clause = lfirst(lc);

		if (bms_is_member(foreach_current_index(lc), positions))
		{
			List	   *arms = NIL;

			foreach(arg, clause->pred->args)
			{
				if (!is_guard(lfirst(arg)))
					arms = lappend(arms, lfirst(arg));
			}
			clause = memcpy(palloc(sizeof(DynClause)), clause, sizeof(DynClause));
			clause->exact = false;
			clause->pred = list_length(arms) == 1 ? linitial(arms)
				: dyn_make_or(arms);
		}
		list = lappend(list, clause);
	}
	return list;
}

/*
 * Returns the access plan by key for executions in which the guards of the
 * clauses at `positions` are false or NULL.  Returns NULL if the key does not
 * match even then, or if the index may lack a row.
 */
static DynAccess *
match_closed(const DynRelPlan *plan, const DynIndexMeta *index, List *clauses,
			 const Bitmapset *positions)
{
	List	   *while_closed = close_guards(clauses, positions);
	DynAccess  *access =
		dyn_divide_values(plan, dyn_match_keys(plan, index, while_closed));

	return index == NULL || access == NULL ||
		dyn_index_is_usable(plan, index, false, while_closed, NULL)
		? access : NULL;
}

/*
 * Assumes that a guard is closed (false or NULL) only where the key would not
 * match otherwise.  Which guards these are may depend on the order of the
 * clauses, which core may change before it makes the plan node.  Then other
 * guards may be required, but the key still matches.
 */
DynAccess *
dyn_match_closed(const DynRelPlan *plan, const DynIndexMeta *index, List *clauses)
{
	Bitmapset  *positions = NULL;
	DynAccess  *access;
	int			n = -1;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		if (find_guards(lfirst(lc)) != NIL)
			positions = bms_add_member(positions, foreach_current_index(lc));
	}
	if (positions == NULL || dyn_match_keys(plan, index, clauses) != NULL ||
		match_closed(plan, index, clauses, positions) == NULL)
		return NULL;
	while ((n = bms_next_member(positions, n)) >= 0)
	{
		positions = bms_del_member(positions, n);
		if (match_closed(plan, index, clauses, positions) == NULL)
			positions = bms_add_member(positions, n);
	}
	access = match_closed(plan, index, clauses, positions);
	for (n = -1; (n = bms_next_member(positions, n)) >= 0;)
		access->guards = list_concat(access->guards, find_guards(list_nth(clauses, n)));
	Assert(access->guards != NIL);
	return access;
}

void
dyn_guarded_set_alternatives(List *guarded, const Path *unconditional)
{
	const DynPathChoice *while_open = dyn_choice_of(unconditional);
	ListCell   *lc,
			   *next;

	foreach(lc, guarded)
	{
		DynGuarded *one = lfirst(lc);
		/* see yield_to_direct (paths.c) */
		bool		helps = one->total < unconditional->total_cost +
			(one->choice.kind < dyn_choice_of(unconditional)->kind
			 ? dyn_direct_margin(one->choice.estimate, one->startup) : 0);

		/*
		 * This plan is used only if every cheaper plan has an open guard.  If
		 * this plan has all guards of a cheaper plan, one of its own guards is
		 * then open, too, so this plan is never used.
		 */
		for_each_cell(next, guarded, lnext(guarded, lc))
			helps &= list_difference_ptr(((const DynGuarded *) lfirst(next))->access->guards,
										 one->access->guards) != NIL;
		one->choice.while_open = while_open;
		if (helps)
			while_open = &one->choice;
	}
}

/* ---- choices ---- */

/* Copies into the memory context of `plan`: GEQO deletes the current one. */
List *
dyn_choice_add(DynRelPlan *plan, const DynPathChoice *choice)
{
	MemoryContext oldcontext = MemoryContextSwitchTo(GetMemoryChunkContext(plan));
	DynPathChoice *copy = palloc(sizeof(DynPathChoice));

	*copy = *choice;
	plan->choices = lappend(plan->choices, copy);
	MemoryContextSwitchTo(oldcontext);
	return list_make1_int(list_length(plan->choices) - 1);
}

const DynPathChoice *
dyn_choice_of(const Path *path)
{
	const DynRelPlan *plan = path->parent->fdw_private;

	return IsA(path, ForeignPath) && IS_SIMPLE_REL(path->parent) &&
		dyn_is_our_relation(path->parent)
		? list_nth(plan->choices,
				   linitial_int(((const ForeignPath *) path)->fdw_private)) : NULL;
}

void
dyn_add_fallback(const DynRelPlan *plan, List *clauses, DynAccess *access)
{
	DynRelPlan	sure = *plan;
	DynAccess  *fallback;

	access->unsure = access->keys.unsure;
	for (int i = 0; i < access->nhash + access->nrange; i++)
		access->unsure |= dyn_access_match(access, i)->values.unsure &&
			(i < access->nhash || access->ordered || access->row_keys != NULL);
	if (access->conditions == NIL && !access->unsure)
		return;
	sure.sure_only = true;
	fallback = dyn_match_keys(&sure, NULL, clauses);
	if (fallback == NULL)
		fallback = dyn_match_scan(&sure, NULL, clauses);
	fallback->is_arm = access->is_arm;
	fallback->backward = access->backward;
	if (access->ordered)
		dyn_sort_attributes(plan, access, fallback);
	access->fallback = fallback;
}

DynAccess *
dyn_match_choice(const DynRelPlan *plan, const DynPathChoice *choice, List *clauses)
{
	const DynIndexMeta *index = dyn_index_number(plan->meta, choice->target);
	DynAccess  *access;

	Assert(choice->kind != DYN_ACCESS_UNION);
	if (choice->while_open != NULL)
		access = dyn_match_closed(plan, index, clauses);
	else if (choice->kind == DYN_ACCESS_SCAN)
		access = dyn_match_scan(plan, index, clauses);
	else
		access = dyn_divide_values(plan, dyn_match_keys(plan, index, clauses));
	if (access == NULL)
		elog(ERROR, "clauses no longer match the key of \"%s\"", plan->relation->name);
	access->ordered = choice->ordered;
	access->backward = choice->backward;
	if (access->ordered && access->multi_partition)
		dyn_sort_attributes(plan, access, access);
	access->estimate = *choice->estimate;
	dyn_add_fallback(plan, clauses, access);
	if (choice->while_open != NULL)
	{
		DynPathChoice unordered = *choice->while_open;

		unordered.ordered = unordered.backward = false;
		access->alternative = dyn_match_choice(plan, &unordered, clauses);
		/* a clause is exact only if both access plans evaluate it exactly */
		access->exact_rinfos =
			list_difference_ptr(access->exact_rinfos,
								list_difference_ptr(access->exact_rinfos,
													access->alternative->exact_rinfos));
	}
	return access;
}

bool
dyn_is_one_row(Path *path)
{
	const DynPathChoice *choice = dyn_choice_of(path);

	return choice != NULL && choice->target == 0 &&
		choice->kind == DYN_ACCESS_GET && path->rows <= 1;
}

/*
 * Returns true if an Append may start the scan before it needs the scan's
 * rows.  Under a LIMIT, the Append may never need the rows of later children.
 * So only children that read by key, which is cheap, may start early.
 */
bool
dynIsForeignPathAsyncCapable(ForeignPath *path)
{
	const DynRelPlan *plan = path->path.parent->fdw_private;
	const DynPathChoice *choice = dyn_choice_of(&path->path);

	for (; choice != NULL && plan->limited; choice = choice->while_open)
	{
		if (choice->kind == DYN_ACCESS_SCAN)
			return false;
	}
	return true;
}

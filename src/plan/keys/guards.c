/*
 * guards.c
 *		Matches clauses to keys while optional conditions are in force.
 */
#include "postgres.h"

#include "../clauses/classify.h"
#include "guards.h"
#include "index_complete.h"

/* ---- optional conditions ---- */

static bool
is_optional_qual(const DynPred *pred)
{
	return dyn_pred_is_given(pred) && dyn_is_fixed((Node *) pred->value);
}

/*
 * Returns the guards of a clause; NIL unless all its arms without columns are
 * guards.
 */
static List *
find_optional_quals(const DynClause *clause)
{
	List	   *optional_quals = NIL;
	ListCell   *lc;

	if (clause->rinfo == NULL || (clause->implied && !clause->keys_only) ||
		clause->pred == NULL || clause->pred->kind != DYN_PRED_OR)
		return NIL;
	foreach(lc, clause->pred->args)
	{
		DynPred    *arm = lfirst(lc);

		if (is_optional_qual(arm))
			optional_quals = lappend(optional_quals, arm);
		else if (dyn_pred_is_given(arm))
			return NIL;
	}
	return list_length(optional_quals) < list_length(clause->pred->args) ? optional_quals : NIL;
}

/*
 * Returns the clause as it applies while its guards are closed; it is
 * rechecked.
 */
static DynClause *
closed(const DynClause *clause)
{
	DynClause  *copy = palloc(sizeof(DynClause));
	List	   *arms = NIL;
	ListCell   *lc;

	*copy = *clause;
	copy->exact = false;
	foreach(lc, clause->pred->args)
	{
		if (!is_optional_qual(lfirst(lc)))
			arms = lappend(arms, lfirst(lc));
	}
	copy->pred = list_length(arms) == 1 ? linitial(arms)
		: dyn_make_junction(DYN_PRED_OR, arms);
	return copy;
}

bool
dyn_has_optional_quals(List *clauses)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		if (find_optional_quals(lfirst(lc)) != NIL)
			return true;
	}
	return false;
}

/* ---- clauses ---- */

List *
dyn_copy_clauses(List *clauses)
{
	List	   *copies = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		DynClause  *copy = palloc(sizeof(DynClause));

		*copy = *(DynClause *) lfirst(lc);
		if (copy->pred != NULL)
			copy->pred = dyn_pred_copy(copy->pred);
		copies = lappend(copies, copy);
	}
	return copies;
}

/* ---- matching ---- */

/* Returns the clauses, with those at these positions closed. */
static List *
close_clauses(List *clauses, const Bitmapset *positions)
{
	List	   *list = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		DynClause  *clause = lfirst(lc);

		list = lappend(list, bms_is_member(foreach_current_index(lc), positions)
					   ? closed(clause) : clause);
	}
	return list;
}

/*
 * Matches the key while the guards of these clauses are closed.  Also returns
 * NULL if the index may then lack a row, because it cannot hold some values.
 */
static DynAccess *
match_closed(const DynRelPlan *plan, const DynIndexMeta *index, List *clauses,
			 const Bitmapset *positions)
{
	List	   *while_closed = close_clauses(clauses, positions);
	const char *missing;
	DynAccess  *access;

	dyn_clauses_rely_on_nothing(clauses);
	access = dyn_match_keys(plan, index, while_closed);
	return index == NULL || access == NULL ||
		dyn_index_is_usable(plan, index, false, while_closed, &missing)
		? access : NULL;
}

/*
 * Closes only the optional conditions that the key needs.  Which ones these
 * are may depend on the order of the clauses, which differs between paths and
 * plan.  It does not affect whether there is an access plan.
 */
DynAccess *
dyn_match_optional(const DynRelPlan *plan, const DynIndexMeta *index, List *clauses)
{
	Bitmapset  *positions = NULL;
	Bitmapset  *fewer;
	DynAccess  *access;
	int			n = -1;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		if (find_optional_quals(lfirst(lc)) != NIL)
			positions = bms_add_member(positions, foreach_current_index(lc));
	}
	if (positions == NULL)
		return NULL;
	dyn_clauses_rely_on_nothing(clauses);
	if (dyn_match_keys(plan, index, clauses) != NULL ||
		match_closed(plan, index, clauses, positions) == NULL)
		return NULL;
	fewer = bms_copy(positions);
	while ((n = bms_next_member(positions, n)) >= 0)
	{
		fewer = bms_del_member(fewer, n);
		if (match_closed(plan, index, clauses, fewer) == NULL)
			fewer = bms_add_member(fewer, n);
	}
	access = match_closed(plan, index, clauses, fewer);
	for (n = -1; (n = bms_next_member(fewer, n)) >= 0;)
		access->optional_quals = list_concat(access->optional_quals, find_optional_quals(list_nth(clauses, n)));
	Assert(access->optional_quals != NIL);
	return access;
}

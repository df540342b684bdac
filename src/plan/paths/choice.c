/*
 * choice.c
 *		Stores the choice of a path's access plan, and matches the plan again.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "../keys/guards.h"
#include "planner.h"

/*
 * The list of choices lives as long as the relation; paths may be freed
 * earlier.
 */
List *
dyn_choice_add(DynRelPlan *plan, const DynPathChoice *choice)
{
	MemoryContext oldcontext =
		MemoryContextSwitchTo(GetMemoryChunkContext(plan));
	DynPathChoice *copy = palloc(sizeof(DynPathChoice));

	*copy = *choice;
	plan->choices = lappend(plan->choices, copy);
	MemoryContextSwitchTo(oldcontext);
	return list_make1_int(list_length(plan->choices) - 1);
}

const DynPathChoice *
dyn_choice_of(const ForeignPath *path)
{
	const DynRelPlan *plan = path->path.parent->fdw_private;

	Assert(!IS_UPPER_REL(path->path.parent));
	return list_nth(plan->choices, linitial_int(path->fdw_private));
}

const DynIndexMeta *
dyn_choice_index(const DynRelPlan *plan, int target)
{
	Assert(target >= DYN_TARGET_TABLE && target < plan->meta->nindexes);
	return target >= 0 ? &plan->meta->indexes[target] : NULL;
}

/* Only conditions that both access plans push exactly stay pushed exactly. */
static void
add_alternative(const DynRelPlan *plan, const DynPathChoice *choice, List *clauses,
				DynAccess *access)
{
	DynPathChoice unordered = {.target = choice->target, .kind = choice->kind};
	List	   *both = NIL;
	ListCell   *lc;

	access->alternative = dyn_match_choice(plan, &unordered, dyn_copy_clauses(clauses));
	foreach(lc, access->alternative->exact_rinfos)
	{
		if (list_member_ptr(access->exact_rinfos, lfirst(lc)))
			both = lappend(both, lfirst(lc));
	}
	access->exact_rinfos = both;
}

DynAccess *
dyn_match_choice(const DynRelPlan *plan, const DynPathChoice *choice, List *clauses)
{
	const DynIndexMeta *index = dyn_choice_index(plan, choice->target);
	DynAccess  *access;

	Assert(choice->kind != DYN_ACCESS_UNION);
	dyn_clauses_rely_on_nothing(clauses);
	if (choice->while_open != NULL)
		access = dyn_match_optional(plan, index, clauses);
	else if (choice->kind == DYN_ACCESS_SCAN)
		access = dyn_match_scan(plan, index, clauses);
	else
		access = dyn_match_keys(plan, index, clauses);
	if (access == NULL)
		elog(ERROR, "clauses no longer match the key of \"%s\"", plan->relation->name);
	access->ordered = choice->ordered;
	access->backward = choice->backward;
	if (access->ordered && access->multi_partition)
		dyn_sort_attributes(plan, index, access, access);
	dyn_add_fallback(plan, index, clauses, access);
	if (choice->while_open != NULL)
		add_alternative(plan, choice->while_open, clauses, access);
	return access;
}

bool
dyn_is_one_row(Path *path)
{
	const DynPathChoice *choice;

	if (!IsA(path, ForeignPath) || !dyn_is_our_relation(path->parent) ||
		IS_UPPER_REL(path->parent) || path->rows > 1)
		return false;
	choice = dyn_choice_of((ForeignPath *) path);
	return choice->target == DYN_TARGET_TABLE && choice->kind == DYN_ACCESS_GET;
}

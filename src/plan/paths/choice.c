/*
 * choice.c
 *		What a path keeps of its access plan, and how that is matched again.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "../keys/guards.h"
#include "planner.h"

/* The list of choices lives as long as the relation, paths maybe for less time. */
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

/*
 * The fallback of a choice; it sorts the rows if the index provides an order.
 */
static DynAccess *
make_fallback(const DynRelPlan *plan, const DynIndexMeta *index,
			  const DynAccess *access, List *clauses)
{
	DynAccess  *fallback = dyn_match_fallback(plan, clauses);

	fallback->backward = access->backward;
	if (access->ordered)
		dyn_sort_attributes(plan, index, access, fallback);
	return fallback;
}

/* What is pushed exactly must be so by both access plans. */
static DynAccess *
match_otherwise(const DynRelPlan *plan, RelOptInfo *baserel,
				const DynPathChoice *choice, List *clauses, List **pushed_exactly)
{
	DynPathChoice other = {.target = choice->other_target,
	.kind = choice->other_kind};
	List	   *exactly;
	List	   *both = NIL;
	DynAccess  *access = dyn_match_choice(plan, baserel, &other,
										  dyn_copy_clauses(clauses), &exactly);
	ListCell   *lc;

	foreach(lc, exactly)
	{
		if (list_member_ptr(*pushed_exactly, lfirst(lc)))
			both = lappend(both, lfirst(lc));
	}
	*pushed_exactly = both;
	return access;
}

DynAccess *
dyn_match_choice(const DynRelPlan *plan, RelOptInfo *baserel,
				 const DynPathChoice *choice, List *clauses, List **pushed_exactly)
{
	const DynIndexMeta *index = dyn_choice_index(plan, choice->target);
	DynAccess  *access;

	Assert(choice->kind != DYN_ACCESS_UNION);
	dyn_clauses_rely_on_nothing(clauses);
	if (choice->gated)
		access = dyn_match_gated(plan, index, clauses, pushed_exactly);
	else if (choice->kind == DYN_ACCESS_SCAN)
		access = dyn_match_scan(plan, index, clauses, pushed_exactly);
	else
		access = dyn_match_keys(plan, index, clauses, pushed_exactly);
	if (access == NULL)
		elog(ERROR, "clauses no longer match the key of \"%s\"", plan->relation->name);
	access->ordered = choice->ordered;
	access->backward = choice->backward;
	if (access->ordered && access->multi_partition)
		dyn_sort_attributes(plan, index, access, access);
	if (access->nproofs > 0)
		access->fallback = make_fallback(plan, index, access, clauses);
	if (choice->gated)
		access->otherwise = match_otherwise(plan, baserel, choice, clauses,
											pushed_exactly);
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

/*
 * preds.c
 *		What can be asked of a predicate.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "preds.h"

const char *
dyn_pred_attribute(const DynRelation *relation, const DynPred *pred)
{
	const DynPath *path;

	if (((pred->kind < DYN_PRED_EQ || pred->kind > DYN_PRED_LIKE) &&
		 !dyn_pred_is_boolean(pred)) || pred->field.steps != NIL)
		return NULL;
	if (!dyn_pred_is_of_attribute(relation, pred))
		return NULL;
	path = dyn_relation_column(relation, pred->field.attnum)->path;
	return path->nsteps == 1 ? path->steps[0].name : NULL;
}

bool
dyn_pred_is_of_attribute(const DynRelation *relation, const DynPred *pred)
{
	if (pred->kind == DYN_PRED_ROW || pred->kind == DYN_PRED_SPELLED ||
		pred->kind == DYN_PRED_GIVEN)
		return true;
	if (pred->part_only ||
		dyn_column_is_part(dyn_relation_column(relation, pred->field.attnum)))
		return false;
	return pred->kind != DYN_PRED_FIELDS ||
		!dyn_column_is_part(dyn_relation_column(relation, pred->other));
}

bool
dyn_pred_walk(DynPred *pred, bool (*visit) (DynPred *, void *), void *arg)
{
	ListCell   *lc;

	check_stack_depth();
	if (pred->kind != DYN_PRED_AND && pred->kind != DYN_PRED_OR)
		return visit(pred, arg);
	foreach(lc, pred->args)
	{
		if (dyn_pred_walk(lfirst(lc), visit, arg))
			return true;
	}
	return false;
}

typedef struct PartsWalk
{
	bool		(*visit) (DynPred *, void *);
	void	   *arg;
} PartsWalk;

static bool
visit_with_parts(DynPred *pred, void *arg)
{
	PartsWalk  *walk = arg;
	ListCell   *lc;

	if (walk->visit(pred, walk->arg))
		return true;
	if (pred->kind != DYN_PRED_SPELLED)
		return false;
	foreach(lc, pred->args)
	{
		if (dyn_pred_walk(lfirst(lc), visit_with_parts, walk))
			return true;
	}
	return false;
}

bool
dyn_pred_walk_parts(DynPred *pred, bool (*visit) (DynPred *, void *), void *arg)
{
	PartsWalk	walk = {visit, arg};

	return dyn_pred_walk(pred, visit_with_parts, &walk);
}

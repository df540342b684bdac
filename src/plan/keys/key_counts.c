/*
 * key_counts.c
 *		How many keys, and ranges of keys, predicates are expected to give.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "../../model/server/pg_compat.h"
#include "key_counts.h"
#include "terms.h"

static double pred_keys(PlannerInfo *root, const DynPred *pred);

/* The smallest number of values that one of the predicates allows. */
static double
fewest_keys(PlannerInfo *root, List *preds)
{
	double		fewest = -1;
	ListCell   *lc;

	foreach(lc, preds)
	{
		double		keys = pred_keys(root, lfirst(lc));

		if (keys >= 0 && (fewest < 0 || keys < fewest))
			fewest = keys;
	}
	return fewest;
}

/* The combinations of its parts' values; ranges follow points. */
static double
spelled_keys(PlannerInfo *root, const DynPred *pred)
{
	double		keys = 1;
	ListCell   *lc;

	foreach(lc, pred->args)
	{
		const DynPred *arg = lfirst(lc);
		double		values = arg->kind == DYN_PRED_AND
			? fewest_keys(root, arg->args) : pred_keys(root, arg);

		if (values < 0)
			return -1;
		keys *= values;
	}
	return keys;
}

static double
pred_keys(PlannerInfo *root, const DynPred *pred)
{
	double		keys = 0;
	ListCell   *lc;

	check_stack_depth();
	switch (pred->kind)
	{
		case DYN_PRED_SPELLED:
			return spelled_keys(root, pred);
		case DYN_PRED_EQ:
		case DYN_PRED_TRUE:
		case DYN_PRED_FALSE:
			return 1;
		case DYN_PRED_ROW:
		case DYN_PRED_MEMBERS:
			return pred->nvalues;
		case DYN_PRED_IN:
			return Max(1.0, dyn_array_length(root, (Node *) pred->value));
		case DYN_PRED_OR:
			if (dyn_pred_has_given(pred))
				return -1;
			foreach(lc, pred->args)
				keys += pred_keys(root, lfirst(lc));
			return keys;
		default:
			return -1;			/* a range: not a number of values */
	}
}

static double
match_size(PlannerInfo *root, const DynKeyMatch *match)
{
	return Max(fewest_keys(root, match->preds), 1.0);
}

/* Each arm has the combinations of its attributes' values. */
static double
row_keys(PlannerInfo *root, const DynPred *arms)
{
	double		total = 0;
	ListCell   *arm,
			   *lc;

	foreach(arm, arms->args)
	{
		double		keys = 1;

		foreach(lc, ((DynPred *) lfirst(arm))->args)
			keys *= pred_keys(root, lfirst(lc));
		total += keys;
	}
	return total;
}

/*
 * The ranges that predicates on a sort key are divided into (points.h); more
 * than DYN_MAX_SORT_RANGES are asked for as one.
 */
static double
ranges(PlannerInfo *root, List *preds)
{
	const DynPred *pred = preds == NIL ? NULL : linitial(preds);
	double		total = 1;
	ListCell   *lc;

	if (list_length(preds) != 1 || pred->kind != DYN_PRED_SPELLED)
		return 1;
	foreach(lc, pred->args)
	{
		const DynPred *arg = lfirst(lc);
		double		keys = arg->kind == DYN_PRED_AND
			? fewest_keys(root, arg->args) : pred_keys(root, arg);

		if (keys < 0)
			break;
		total *= keys;
	}
	return total > DYN_MAX_SORT_RANGES ? 1 : total;
}

double
dyn_access_keys(PlannerInfo *root, const DynAccess *access)
{
	double		keys = 1;

	if (access->row_keys != NULL)
		return row_keys(root, access->row_keys);
	for (int i = 0; i < access->nhash; i++)
		keys *= match_size(root, &access->hash[i]);
	if (access->kind == DYN_ACCESS_GET && access->nrange > 0)
		keys *= match_size(root, &access->range[0]);
	else if (access->nrange > 0)
		keys *= ranges(root, access->range[0].preds);
	return keys;
}

/*
 * key_counts.c
 *		Counts the values that predicates leave for a key attribute.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "../../dynamodb/template_text.h"
#include "../../model/server/pg_compat.h"
#include "../clauses/classify.h"
#include "key_counts.h"
#include "terms.h"

typedef struct Counting
{
	PlannerInfo *root;			/* planner state; NULL to count the maximum */
	const DynRelation *relation;
	bool		part;			/* true if predicates are on a part of a
								 * text */
} Counting;

static const DynCount one_range = {1, false, false, false};

static DynCount count(const Counting *counting, const DynPred *pred);

/*
 * Combines the counts of two ANDed predicates: prefers values to ranges, and
 * then the smaller number.
 */
static DynCount
count_both(DynCount a, DynCount b)
{
	DynCount	both = a.points == b.points ? (a.n < b.n ? a : b)
		: a.points ? a : b;

	both.single = a.single || b.single;
	both.integers = a.integers || b.integers;
	return both;
}

static DynCount
count_all(const Counting *counting, const List *preds)
{
	DynCount	all = one_range;
	ListCell   *lc;

	foreach(lc, preds)
		all = count_both(all, count(counting, lfirst(lc)));
	return all;
}

static DynCount
count_arms(const Counting *counting, const List *arms)
{
	DynCount	all = {0, true, false, false};
	ListCell   *lc;

	foreach(lc, arms)
	{
		DynCount	arm = count(counting, lfirst(lc));

		if (!arm.points)
			return one_range;
		all.n += arm.n;
		all.integers |= arm.integers;
	}
	return all;
}

/*
 * Returns the combinations of the leading parts' values, with ranges of the
 * next part.
 */
static DynCount
count_texts(const Counting *counting, const DynPred *pred)
{
	Counting	parts = {counting->root, counting->relation, true};
	int			nparts = counting->relation->templated[pred->templated].tmpl->nparts;
	DynCount	texts = {1, true, true, false};
	ListCell   *lc;

	foreach(lc, pred->args)
	{
		DynCount	arg = count(&parts, lfirst(lc));

		texts.points &= arg.points;
		texts.single &= arg.single;
		texts.integers |= arg.integers;
		if (texts.points)
			texts.n *= arg.n;
	}
	texts.points &= list_length(pred->args) == nparts;
	texts.single &= texts.points;
	return texts;
}

static double
count_elements(const Counting *counting, Node *array)
{
	int			size;

	if (counting->root != NULL)
		return Max(1.0, dyn_array_length(counting->root, array));
	size = dyn_fixed_array_size(array);
	return size < 0 ? INFINITY : size;
}

static DynCount
count(const Counting *counting, const DynPred *pred)
{
	DynCount	leaf = {1, true, false, false};

	check_stack_depth();
	switch (pred->kind)
	{
		case DYN_PRED_AND:
			return count_all(counting, pred->args);
		case DYN_PRED_OR:
			return count_arms(counting, pred->args);
		case DYN_PRED_TEMPLATED:
			return count_texts(counting, pred);
		case DYN_PRED_EQ:
		case DYN_PRED_TRUE:
		case DYN_PRED_FALSE:
			leaf.single = counting->part ||
				dyn_relation_column(counting->relation, pred->field.attnum)->traits.point;
			break;
		case DYN_PRED_FILTER_TERM:
			leaf.n = counting->relation->item_filter.terms[pred->term].nvalues;
			leaf.single = leaf.n == 1;
			break;
		case DYN_PRED_MEMBERS:
			leaf.n = dyn_part_members(&counting->relation->templated[pred->templated].tmpl->parts[pred->part]);
			break;
		case DYN_PRED_IN:
			leaf.n = count_elements(counting, (Node *) pred->value);
			leaf.integers = pred->integers;
			break;
		default:
			return one_range;
	}
	return leaf;
}

DynCount
dyn_count(PlannerInfo *root, const DynRelation *relation, const DynPred *pred)
{
	Counting	counting = {root, relation, false};

	return count(&counting, pred);
}

DynCount
dyn_count_all(PlannerInfo *root, const DynRelation *relation, const List *preds)
{
	Counting	counting = {root, relation, false};

	return count_all(&counting, preds);
}

double
dyn_count_ranges(PlannerInfo *root, const DynRelation *relation, const List *preds)
{
	const DynPred *templated = dyn_only_templated(preds);

	return templated == NULL ? 1 : dyn_count(root, relation, templated).n;
}

/* ---- access plans ---- */

static double
expected_values(PlannerInfo *root, const DynRelation *relation, const List *preds)
{
	DynCount	values = dyn_count_all(root, relation, preds);

	return values.points ? Max(values.n, 1.0) : 1;
}

double
dyn_access_keys(PlannerInfo *root, const DynRelation *relation,
				const DynAccess *access)
{
	double		keys = access->row_keys != NULL ? 0 : 1;
	double		ranges;
	ListCell   *lc;

	/* each arm has the combinations of its attributes' values */
	if (access->row_keys != NULL)
	{
		foreach(lc, access->row_keys->args)
		{
			double		of_arm = 1;
			ListCell   *arg;

			foreach(arg, ((DynPred *) lfirst(lc))->args)
				of_arm *= dyn_count(root, relation, lfirst(arg)).n;
			keys += of_arm;
		}
		return keys;
	}
	for (int i = 0; i < access->nhash; i++)
		keys *= expected_values(root, relation, access->hash[i].preds);
	if (access->nrange == 0)
		return keys;
	if (access->kind == DYN_ACCESS_GET)
		return keys * expected_values(root, relation, access->range[0].preds);
	ranges = dyn_count_ranges(root, relation, access->range[0].preds);
	return ranges > DYN_MAX_SORT_RANGES ? keys : keys * ranges;
}

/*
 * terms.c
 *		Finds the points and ranges that predicates imply for a key attribute,
 *		and counts them.
 *
 * A part of a template may encode a column differently than the column's own
 * attribute does.  So whether comparisons are exact is decided for each part:
 * even if a column's own encoding cannot be compared, predicates on the column
 * may imply values of a part of the key.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "common/string.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "../../dynamodb/template_text.h"
#include "../../model/server/pg_compat.h"
#include "../../model/values/path.h"
#include "../clauses/classify.h"
#include "terms.h"

/* ---- counts ---- */

static const DynCount one_range = {.most = 1, .expected = 1};

/* Visits a leaf; returns true if its value is unknown at planning. */
static bool
is_unknown(DynPred *pred, void *arg)
{
	return pred->value != NULL && !IsA(pred->value, Const);
}

/*
 * Counts the strings of a DYN_PRED_TEMPLATED.  An enumerated part that follows
 * from another one is not counted: if the months of ${at:month} are listed,
 * the years of ${at:year} follow from them.
 */
static DynCount
count_texts(const DynRelPlan *plan, const DynPred *pred)
{
	const DynTemplatedAttr *templated = &plan->relation->templated[pred->templated];
	DynCount	texts = {.most = 1,.expected = 1,.points = true,.single = true};
	ListCell   *lc;

	foreach(lc, pred->args)
	{
		DynCount	arg = dyn_count(plan, lfirst(lc), true);
		int			p = foreach_current_index(lc);

		texts.each |= arg.each && !dyn_part_is_enumerated(&templated->tmpl->parts[p]);
		texts.unsure |= arg.unsure ||
			(templated->tmpl->parts[p].folding != DYN_FOLD_NONE &&
			 templated->parts[p].column.codec.kind == DYN_CODEC_TEXT &&
			 dyn_pred_visit(lfirst(lc), false, is_unknown, NULL));
		texts.single &= arg.points && arg.single;
		if (!arg.points)
		{
			texts.points = false;
			break;
		}
		if (!arg.each || dyn_templated_determiner(templated, p, list_length(pred->args)) == NULL)
		{
			texts.most *= arg.most;
			texts.expected *= arg.expected;
		}
		if (texts.one_value_parts == texts.point_parts && arg.most == 1)
			texts.one_value_parts++;
		texts.point_parts++;
	}
	texts.points &= list_length(pred->args) == templated->tmpl->nparts;
	texts.single &= texts.points;
	return texts;
}

/* Counts the values that an AND of predicates allows. */
static DynCount
count_all(const DynRelPlan *plan, const List *preds, bool part)
{
	DynCount	all = one_range;
	ListCell   *lc;

	foreach(lc, preds)
	{
		DynCount	one = dyn_count(plan, lfirst(lc), part);

		if (one.points && !all.points)
		{
			all.points = true;
			all.most = one.most;
			all.expected = one.expected;
		}
		else if (one.points == all.points)
		{
			all.most = Min(all.most, one.most);
			all.expected = Min(all.expected, one.expected);
		}
		all.single |= one.single;
		all.each |= one.each;
		all.unsure |= one.unsure;
	}
	return all;
}

DynCount
dyn_count(const DynRelPlan *plan, const DynPred *pred, bool part)
{
	DynCount	leaf = {.most = 1,.expected = 1,.points = true};
	DynCount	arms = {.points = true};
	int			size;
	ListCell   *lc;

	check_stack_depth();
	if (pred->kind == DYN_PRED_AND)
		return list_length(pred->args) == 1 ? dyn_count(plan, linitial(pred->args), part)
			: count_all(plan, pred->args, part);
	if (pred->kind == DYN_PRED_TEMPLATED)
		return count_texts(plan, pred);
	if (pred->kind == DYN_PRED_OR)
	{
		foreach(lc, pred->args)
		{
			DynCount	arm;

			if (!part && dyn_pred_is_given(lfirst(lc)))
				continue;
			arm = dyn_count(plan, lfirst(lc), part);
			if (!arm.points)
				return one_range;
			arms.most += arm.most;
			arms.expected += arm.expected;
			arms.each |= arm.each;
			arms.unsure |= arm.unsure;
		}
		return arms;
	}
	if (pred->kind == DYN_PRED_FILTER_TERM)
	{
		leaf.most = leaf.expected =
			plan->relation->item_filter.terms[pred->term].nvalues;
		leaf.single = leaf.most == 1;
	}
	else if (pred->kind == DYN_PRED_EACH)
	{
		leaf.most = pred->most;
		leaf.expected = pred->expected;
		leaf.each = pred->args != NIL;
	}
	else if (!dyn_pred_is_point(pred))
		return one_range;
	else if (pred->array)
	{
		size = dyn_fixed_array_size((Node *) pred->value);
		leaf.most = size < 0 ? INFINITY : size;
		leaf.expected = Max(1.0, dyn_array_length(plan->root, (Node *) pred->value));
	}
	else
		leaf.single = part ||
			dyn_relation_column(plan->relation, pred->field.attnum)->traits.point;
	leaf.unsure = pred->unsure;
	return leaf;
}

bool
dyn_same_list(const DynPred *a, const DynPred *b)
{
	return a == b ||
		(a->array && b->array && a->param == b->param && equal(a->value, b->value) &&
		 a->conversion == b->conversion && a->field.attnum == b->field.attnum &&
		 a->operator.column_type == b->operator.column_type &&
		 a->operator.value_type == b->operator.value_type &&
		 a->operator.collation == b->operator.collation);
}

static bool
has_list(const List *lists, const DynPred *pred)
{
	ListCell   *lc;

	foreach(lc, lists)
	{
		if (dyn_same_list(lfirst(lc), pred))
			return true;
	}
	return false;
}

/* Returns true if the predicate `at` of `preds` is a list that precedes it. */
static bool
repeats_list(const List *preds, const ListCell *at)
{
	return has_list(list_copy_head(preds, list_cell_number(preds, at)), lfirst(at));
}

/* Adds those of the ANDed `preds` that are column = ANY (array), each once. */
static List *
add_lists(List *lists, const List *preds)
{
	ListCell   *lc;

	foreach(lc, preds)
	{
		DynPred    *pred = lfirst(lc);

		if (pred->kind == DYN_PRED_AND || pred->kind == DYN_PRED_TEMPLATED)
			lists = add_lists(lists, pred->args);
		else if (pred->array && dyn_pred_is_point(pred) && !repeats_list(preds, lc))
			lists = lappend(lists, pred);
	}
	return lists;
}

List *
dyn_shared_lists(const DynAccess *access, const DynPred *arm)
{
	List	   *all = arm != NULL ? add_lists(NIL, arm->args) : NIL;
	List	   *shared = NIL;
	ListCell   *lc;

	/* if there are several range attributes, none of them has a list */
	for (int i = arm != NULL ? access->nrow_attrs : 0;
		 i < access->nhash + (access->nrange == 1); i++)
		all = add_lists(all, dyn_access_match(access, i)->preds);
	foreach(lc, all)
	{
		DynPred    *pred = lfirst(lc);
		List	   *before = list_copy_head(all, foreach_current_index(lc));
		bool		is_shared = has_list(before, pred);
		ListCell   *other;

		/* take at most one list for each column */
		foreach(other, shared)
			is_shared &= pred->field.attnum !=
				((DynPred *) lfirst(other))->field.attnum;
		if (is_shared)
			shared = lappend(shared, pred);
	}
	return shared;
}

bool
dyn_access_shares_lists(const DynAccess *access)
{
	bool		shares = false;
	ListCell   *lc;

	if (access->row_keys == NULL)
		return dyn_shared_lists(access, NULL) != NIL;
	foreach(lc, access->row_keys->args)
		shares |= dyn_shared_lists(access, lfirst(lc)) != NIL;
	return shares;
}

/*
 * Corrects *values, the number of values of one attribute, for shared lists
 * (dyn_shared_lists).  If several parts of a key take their value from the
 * same list, a key has the same element in all of them, so the elements are
 * counted only once.  *counted has the lists that are already counted.
 */
static void
count_one_element(const DynRelPlan *plan, const List *preds, const List *shared,
				  List **counted, DynCount *values)
{
	ListCell   *lc;

	foreach(lc, preds)
	{
		const DynPred *pred = lfirst(lc);
		DynCount	elements;
		ListCell   *list;

		if (pred->kind == DYN_PRED_TEMPLATED)
			count_one_element(plan, pred->args, shared, counted, values);
		if (pred->kind == DYN_PRED_TEMPLATED || repeats_list(preds, lc))
			continue;
		foreach(list, add_lists(NIL, list_make1((void *) pred)))
		{
			if (!has_list(shared, lfirst(list)))
				continue;
			if (!has_list(*counted, lfirst(list)))
			{
				*counted = lappend(*counted, lfirst(list));
				continue;
			}
			elements = dyn_count(plan, pred, true);
			if (elements.most > 0 && !isinf(elements.most))
				values->most /= elements.most;
			values->expected /= elements.expected;
		}
	}
}

/* Counts the keys in `arm` of access->row_keys; if `arm` is NULL, all keys. */
static DynCount
count_arm(const DynRelPlan *plan, const DynAccess *access, const DynPred *arm)
{
	DynCount	keys = {.most = 1,.expected = 1,.points = true,.single = true};
	List	   *shared = access->shares_lists ? dyn_shared_lists(access, arm) : NIL;
	List	   *counted = NIL;
	int			nattrs = access->nhash + Min(access->nrange, 1);

	/* for GET, an arm's keys include the sort key even if nrange is 0 */
	if (arm != NULL)
		nattrs = Max(nattrs, access->nrow_attrs);
	for (int i = 0; i < nattrs; i++)
	{
		bool		in_arm = arm != NULL && i < access->nrow_attrs;
		List	   *preds = in_arm ? list_make1(list_nth(arm->args, i))
			: dyn_access_match(access, i)->preds;
		DynCount	values = in_arm ? dyn_count(plan, linitial(preds), false)
			: dyn_access_match(access, i)->values;

		if (shared != NIL)
			count_one_element(plan, preds, shared, &counted, &values);
		if (!in_arm && (i < access->nhash || access->kind == DYN_ACCESS_GET))
			values.expected = values.points ? Max(values.expected, 1.0) : 1;
		else if (!in_arm)
		{
			/* more values than DYN_MAX_SORT_RANGES are read as one range */
			if (!access->per_value)
				break;
			values.single = (values.most == 1);
			if (values.most > DYN_MAX_SORT_RANGES)
				values.most = INFINITY;
			if (values.expected > DYN_MAX_SORT_RANGES)
				values.expected = 1;
		}
		keys.most *= values.most;
		keys.expected *= values.expected;
		keys.single &= values.single;
		keys.unsure |= values.unsure &&
			(in_arm || i < access->nhash || access->kind == DYN_ACCESS_GET);
	}
	return keys;
}

DynCount
dyn_count_keys(const DynRelPlan *plan, const DynAccess *access)
{
	DynCount	keys = {.points = true};
	ListCell   *lc;

	if (access->row_keys == NULL)
		return count_arm(plan, access, NULL);
	foreach(lc, access->row_keys->args)
	{
		DynCount	arm = count_arm(plan, access, lfirst(lc));

		keys.most += arm.most;
		keys.expected += arm.expected;
		keys.unsure |= arm.unsure;
	}
	return keys;
}

/* ---- points and ranges ---- */

bool
dyn_is_on_target(const DynTarget *target, const DynPred *pred)
{
	const DynRelation *relation = target->plan->relation;

	if (target->part != NULL)
		return pred->field.attnum == target->part->attnum &&
			pred->field.steps == NIL;
	return dyn_pred_is_on(relation, pred, target->attr) &&
		dyn_relation_column(relation, pred->field.attnum)->traits.key;
}

/*
 * Returns true if the part can be compared with the predicate's value.  If the
 * part folds the letters of a text column, the value must be ASCII, because
 * other programs may fold other letters differently.  Columns of other types
 * are encoded with ASCII letters only.  A value that is unknown at planning is
 * accepted unless plan->sure_only is true; then the executor checks the value.
 */
static bool
can_be_folded(const DynTarget *target, const DynPred *pred)
{
	const Const *value = (const Const *) pred->value;
	bool		isnull = false;
	Datum		datum;
	DynArrayElements elements = {.n = 1,.values = &datum,.nulls = &isnull};

	if (target->modifier->folding == DYN_FOLD_NONE ||
		target->part->column.codec.kind != DYN_CODEC_TEXT)
		return true;
	if (!IsA(value, Const))
		return !target->plan->sure_only;
	if (value->constisnull ||
		(pred->valuetype != TEXTOID && pred->valuetype != VARCHAROID))
		return false;
	datum = value->constvalue;
	if (pred->array)
		elements = dyn_array_elements(datum);
	for (int i = 0; i < elements.n; i++)
	{
		if (!elements.nulls[i] &&
			!pg_is_ascii(TextDatumGetCString(elements.values[i])))
			return false;
	}
	return true;
}

static bool
is_point_leaf(const DynTarget *target, const DynPred *pred)
{
	const DynRelation *relation = target->plan->relation;
	const DynColumn *column;

	if (pred->kind == DYN_PRED_FILTER_TERM)
	{
		/* a term may allow NULL or other types, but keys have neither */
		const DynFilterTerm *term = &relation->item_filter.terms[pred->term];

		for (int i = 0; i < term->nvalues && target->part == NULL; i++)
		{
			if (term->values[i].type == target->attr->type &&
				dyn_path_is_attribute(term->path, target->attr->name))
				return true;
		}
		return false;
	}
	if (!dyn_pred_is_point(pred) || !dyn_is_on_target(target, pred))
		return false;
	if (target->part == NULL)
		return dyn_relation_column(relation, pred->field.attnum)->traits.point;
	column = &target->part->column;
	if (pred->kind == DYN_PRED_BOOLEAN)
		return column->traits.truth != DYN_LOCAL;
	return dyn_operator_exactness(column, &pred->operator) != DYN_LOCAL &&
		can_be_folded(target, pred);
}

/* Maximum number of elements of a constant array that or_of_points merges */
#define MAX_MERGED		1000

/*
 * Returns the values, as expressions, that the predicate compares with its
 * column.  Returns NIL if they are not known one by one, or if a constant array
 * has too many.
 */
static List *
compared_values(const DynPred *pred)
{
	const Const *array = (const Const *) pred->value;
	DynArrayElements elements;
	List	   *values = NIL;
	int16		len;
	bool		byval;

	if (!pred->array)
		return list_make1(pred->value);
	if (IsA(pred->value, ArrayExpr) && !((ArrayExpr *) pred->value)->multidims)
		return ((ArrayExpr *) pred->value)->elements;
	if (!IsA(array, Const) || array->constisnull)
		return NIL;
	elements = dyn_array_elements(array->constvalue);
	if (elements.n > MAX_MERGED)
		return NIL;
	get_typlenbyval(pred->valuetype, &len, &byval);
	for (int i = 0; i < elements.n; i++)
		values = lappend(values, makeConst(pred->valuetype, -1, array->constcollid, len,
										   elements.values[i], elements.nulls[i], byval));
	return values;
}

/*
 * Returns the OR of point predicates, which the arms of an OR imply.  If all of
 * them compare the same column with values by =, this is a list, which several
 * parts of a key can share.  A list in an AND is not merged, because another
 * condition of this AND may leave fewer keys.
 */
static DynPred *
or_of_points(const DynRelPlan *plan, const List *arms, List *args)
{
	const DynPred *first = linitial(args);
	DynPred    *list = memcpy(palloc(sizeof(DynPred)), first, sizeof(DynPred));
	ArrayExpr  *array = makeNode(ArrayExpr);
	const ListCell *lc,
			   *lc2;

	array->element_typeid = first->valuetype;
	array->array_typeid = get_array_type(first->valuetype);
	forboth(lc, args, lc2, arms)
	{
		const DynPred *arg = lfirst(lc);
		List	   *values = NIL;

		if (arg->kind == DYN_PRED_COMPARE && dyn_pred_is_point(arg) &&
			arg->conversion == NULL && arg->valuetype == first->valuetype &&
			(!arg->array || arg == lfirst(lc2)) &&
			arg->field.attnum == first->field.attnum &&
			memcmp(&arg->operator, &first->operator, sizeof(DynOperator)) == 0)
			values = compared_values(arg);
		if (values == NIL || !OidIsValid(array->array_typeid))
			return dyn_make_or(args);
		array->elements = list_concat(array->elements, values);
	}
	list->array = true;
	list->value = (Expr *) eval_const_expressions(plan->root, (Node *) array);
	return list;
}

DynPred *
dyn_implied_points(const DynTarget *target, DynPred *pred, bool *fully_consumed)
{
	List	   *args = NIL;
	ListCell   *lc;

	check_stack_depth();
	if (is_point_leaf(target, pred))
		return pred;
	*fully_consumed &= (pred->kind == DYN_PRED_OR);
	foreach(lc, dyn_pred_is_junction(pred) ? pred->args : NIL)
	{
		DynPred    *points = dyn_implied_points(target, lfirst(lc), fully_consumed);

		/* one arg of an AND is enough, but an OR needs points in each */
		if ((points != NULL) == (pred->kind == DYN_PRED_AND))
			return points;
		args = lappend(args, points);
	}
	return pred->kind == DYN_PRED_OR ? or_of_points(target->plan, pred->args, args) : NULL;
}

bool
dyn_excludes_points(const DynTarget *target, const DynPred *pred)
{
	return pred->kind == DYN_PRED_COMPARE &&
		pred->operator.comparison == DYN_COMPARE_NE &&
		pred->bound == DYN_BOUND_NONE && dyn_is_on_target(target, pred) &&
		dyn_operator_exactness(&target->part->column, &pred->operator) != DYN_LOCAL &&
		dyn_is_fixed((Node *) pred->value);
}

bool
dyn_is_range_pred(const DynTarget *target, const DynPred *pred)
{
	const DynColumn *column;

	if (!dyn_is_on_target(target, pred))
		return false;
	/* = is a range, too: all encodings of a value are between two bounds */
	if (target->part == NULL)
		return dyn_pred_compares(pred, DYN_COMPARE_EQ) || dyn_pred_is_bound(pred) ||
			(pred->kind == DYN_PRED_LIKE && target->attr->type == DYN_TYPE_S);
	if (target->modifier->folding != DYN_FOLD_NONE)
		return false;
	column = &target->part->column;
	if (dyn_pred_is_bound(pred))
		return dyn_operator_exactness(column, &pred->operator) != DYN_LOCAL;
	return pred->kind == DYN_PRED_LIKE &&
		dyn_prefix_exactness(column, pred->operator.collation) != DYN_LOCAL;
}

/* Visits a leaf; returns true if it has a column. */
static bool
has_column(DynPred *pred, void *arg)
{
	return !dyn_pred_is_given(pred);
}

/*
 * Returns the range that an AND or OR implies for the target, or NULL.  The
 * range is again an AND or OR, which also contains the args without columns.
 */
static DynPred *
junction_range(const DynTarget *target, DynPred *pred, bool *fully_consumed)
{
	DynPred    *range = dyn_make_pred(pred->kind, NULL);
	int			leafy = 0;
	ListCell   *lc;

	check_stack_depth();
	foreach(lc, pred->args)
	{
		DynPred    *arm = lfirst(lc);
		bool		given = !dyn_pred_visit(arm, false, has_column, NULL);

		if (!given && dyn_pred_is_junction(arm))
			arm = junction_range(target, arm, fully_consumed);
		else if (!given && !dyn_is_range_pred(target, arm))
		{
			if (!is_point_leaf(target, arm))
				arm = NULL;
			else
				*fully_consumed &= dyn_count(target->plan, arm, false).single;
		}
		if (arm != NULL)
			range->args = lappend(range->args, arm);
		else if (pred->kind == DYN_PRED_OR)
			return NULL;
		else
			*fully_consumed = false;
		leafy += arm != NULL && !given;
	}
	*fully_consumed &= leafy == 1;
	return leafy == 0 || (pred->kind == DYN_PRED_OR && leafy > 1) ? NULL : range;
}

DynPred *
dyn_implied_range(const DynTarget *target, DynPred *pred, bool *fully_consumed)
{
	Assert(target->part == NULL);
	if (pred->kind == DYN_PRED_OR)
		return junction_range(target, pred, fully_consumed);
	return dyn_is_range_pred(target, pred) && !is_point_leaf(target, pred)
		? pred : NULL;
}

DynPred *
dyn_implied_segments(const DynTarget *target, DynPred *pred, bool *fully_consumed)
{
	DynPred    *segments;
	ListCell   *lc;

	check_stack_depth();
	/* segments are never NULL: a NULL test has one result for all of them */
	if (is_point_leaf(target, pred) || dyn_is_range_pred(target, pred) ||
		(pred->kind == DYN_PRED_NULL &&
		 pred->field.attnum == target->plan->relation->segment_column))
		return pred;
	if (!dyn_pred_is_junction(pred))
	{
		*fully_consumed = false;
		return NULL;
	}
	segments = dyn_make_pred(pred->kind, NULL);
	foreach(lc, pred->args)
	{
		DynPred    *arm = lfirst(lc);

		if (dyn_pred_visit(arm, false, has_column, NULL))
			arm = dyn_implied_segments(target, arm, fully_consumed);
		if (arm != NULL)
			segments->args = lappend(segments->args, arm);
		else if (pred->kind == DYN_PRED_OR)
			return NULL;
	}
	return dyn_pred_visit(segments, false, has_column, NULL) ? segments : NULL;
}

/*
 * enumerate.c
 *		Replaces bounds of a partition key's column with all values between
 *		them.
 *
 * A partition key needs values.  Between two bounds there are finitely many
 * integers, dates, or times in hours or longer units.  One of the bounds may
 * be from a CHECK constraint.  If there are too many values, the key is not
 * used.  This is decided at planning if all bounds are constants, else at
 * execution, where the table is then read without the key (dyn_add_fallback).
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/optimizer.h"

#include "../../dynamodb/template_text.h"
#include "../../model/values/datetime.h"
#include "../../model/values/steps.h"
#include "../clauses/classify.h"
#include "terms.h"

/* Assumed number of values between bounds that are unknown at planning */
#define UNKNOWN_VALUES	10

/*
 * The maximum number of values is multiplied by this factor if a bound changes
 * between executions (such as a column of another table), since without
 * enumeration the full table would be read for each outer row.
 */
#define JOIN_FACTOR		100

static const Const *
estimated_constant(const DynRelPlan *plan, const Expr *expr)
{
	Node	   *node = plan->root == NULL ? (Node *) expr
		: estimate_expression_value(plan->root, copyObject((Node *) expr));

	return IsA(node, Const) && !((Const *) node)->constisnull ? (Const *) node : NULL;
}

static bool
estimate_bound(const DynRelPlan *plan, const DynPred *pred, Datum *value)
{
	const Const *constant = estimated_constant(plan, pred->value);
	const DynConversion *conversion = pred->conversion;
	DynTimeStep *steps;
	ListCell   *lc;

	if (constant == NULL || (conversion != NULL && conversion->array))
		return false;
	*value = constant->constvalue;
	if (conversion == NULL)
		return true;
	steps = palloc0(Max(list_length(conversion->steps), 1) * sizeof(DynTimeStep));
	foreach(lc, conversion->steps)
	{
		const DynConversionStep *step = lfirst(lc);
		const Const *operand = step->operand == NULL ? NULL
			: estimated_constant(plan, step->operand);

		if (step->operand != NULL && operand == NULL)
			return false;
		steps[foreach_current_index(lc)] =
			(DynTimeStep) {step->kind, step->type, operand ? operand->constvalue : 0};
	}
	*value = conversion->bound == DYN_BOUND_EQUAL
		? dyn_convert_time(*value, conversion->from, conversion->to)
		: dyn_invert_bound(*value, conversion->from, conversion->compared,
						   conversion->upper, conversion->strict, steps,
						   list_length(conversion->steps), conversion->to);
	return true;
}

static const DynColumn *
target_column(const DynTarget *target, const DynPred *pred)
{
	return target->part != NULL ? &target->part->column
		: dyn_relation_column(target->plan->relation, pred->field.attnum);
}

/*
 * Returns true if the predicate is a bound of the target's column, and the
 * values within bounds can be enumerated as keys.  The keys need not sort like
 * the values, because each key is requested by itself.
 */
static bool
is_bound(const DynTarget *target, const DynPred *pred)
{
	const DynColumn *column;
	DynOperator equal;

	if (pred == NULL || pred->field.steps != NIL || !dyn_pred_is_bound(pred) ||
		!dyn_is_on_target(target, pred))
		return false;
	column = target_column(target, pred);
	equal = pred->operator;
	equal.comparison = DYN_COMPARE_EQ;
	return column->traits.point && dyn_codec_has_steps(&column->codec) &&
		dyn_steps_accept(&column->codec, pred->valuetype) &&
		(target->part == NULL ||
		 dyn_operator_exactness(column, &equal) != DYN_LOCAL);
}

static bool
is_lower(const DynPred *pred)
{
	return pred->operator.comparison == DYN_COMPARE_GT ||
		pred->operator.comparison == DYN_COMPARE_GE;
}

static void
apply_bound(DynSteps *steps, const DynPred *pred, Datum value)
{
	dyn_steps_bound(steps, is_lower(pred),
					pred->operator.comparison == DYN_COMPARE_GE ||
					pred->operator.comparison == DYN_COMPARE_LE,
					pred->valuetype, value);
}

/* Bounds of one column, from several clauses */
typedef struct Range
{
	DynPred    *each;
	List	   *clauses;		/* DynClause *: bounds other than CHECKs */
	DynSteps	known;			/* values between the constant bounds */
	DynSteps	expected;		/* values between the estimated bounds */
	bool		fixed;			/* true if all executions share the bounds */
	bool		lower,
				upper;
	bool		listed;			/* true if the template lists the values, and
								 * there are at most DYN_MAX_EACH */
} Range;

/* Restricts the range to numbers that a template such as ${n:0..9} lists. */
static void
add_members(Range *range, const DynTarget *target)
{
	const DynTemplatePart *part = target->part != NULL ? target->modifier : NULL;
	uint64		members;

	if (part == NULL || part->modifier != DYN_MODIFIER_RANGE ||
		!target->part->column.traits.members)
		return;
	members = dyn_part_members(part);
	range->listed = members > 0 && members <= DYN_MAX_EACH;
	if (!range->listed)
		return;
	dyn_steps_within(&range->known, part->lo, part->hi);
	dyn_steps_within(&range->expected, part->lo, part->hi);
	range->lower = range->upper = true;
}

static void
add_bound(Range *range, const DynTarget *target, AttrNumber attnum, DynClause *clause)
{
	DynPred    *pred = clause->pred;
	const Const *constant;
	Datum		value;

	if (pred == NULL || pred->field.attnum != attnum || !is_bound(target, pred))
		return;
	constant = IsA(pred->value, Const) && pred->conversion == NULL
		? (const Const *) pred->value : NULL;
	if (constant != NULL && constant->constisnull)
		return;
	if (range->clauses == NIL)
	{
		dyn_steps_init(&range->known, &target_column(target, pred)->codec);
		range->expected = range->known;
		add_members(range, target);
		range->each = dyn_make_each(&pred->field);
		range->fixed = true;
	}
	if (constant != NULL)
		apply_bound(&range->known, pred, constant->constvalue);
	if (estimate_bound(target->plan, pred, &value))
		apply_bound(&range->expected, pred, value);
	range->each->unsure |= constant == NULL;
	range->fixed &= dyn_is_fixed((Node *) pred->value);
	range->lower |= is_lower(pred);
	range->upper |= !is_lower(pred);
	range->each->args = lappend(range->each->args, pred);
	if (!list_member_ptr(target->plan->checks, clause))
		range->clauses = lappend(range->clauses, clause);
}

/*
 * Returns the bounds of the first column that has a lower and an upper bound.
 * If no column has both, returns the bound of the first column that has one.
 * The order of clauses must not matter: core may change this order between the
 * choice of a path and the creation of the plan node.
 */
static Range
find_bounds(const DynTarget *target, List *clauses)
{
	Range		range = {.each = NULL};
	Bitmapset  *bounded = NULL;
	int			attnum = -1;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		const DynPred *pred = ((const DynClause *) lfirst(lc))->pred;

		if (is_bound(target, pred))
			bounded = bms_add_member(bounded, pred->field.attnum);
	}
	while ((attnum = bms_next_member(bounded, attnum)) > 0)
	{
		Range		found = {.each = NULL};

		foreach(lc, clauses)
			add_bound(&found, target, attnum, lfirst(lc));
		/*
		 * A CHECK constraint also accepts NULL.  So it is used only if a
		 * clause bounds the same column, and thereby excludes NULL.
		 */
		foreach(lc, found.each == NULL || (found.lower && found.upper) ? NIL
				: target->plan->checks)
			add_bound(&found, target, attnum, lfirst(lc));
		if (found.lower && found.upper)
			return found;
		if (range.each == NULL)
			range = found;
	}
	return range;
}

DynPred *
dyn_match_each(const DynTarget *target, List *clauses, int most, List **used)
{
	Range		range = find_bounds(target, clauses);
	DynPred    *each = range.each;
	double		n;

	if (!range.lower || !range.upper || most == 0)
		return NULL;
	n = dyn_steps_count(each->unsure ? &range.expected : &range.known);
	/* the values that a template lists are few enough to request them all */
	if (range.listed)
		each->unsure = false;
	if (each->unsure && target->plan->sure_only)
		return NULL;
	if (!each->unsure && ((n == 0 && !range.listed) ||
						  dyn_steps_count(&range.known) > most))
		return NULL;
	each->most = !each->unsure ? (int) Max(dyn_steps_count(&range.known), 1)
		: range.fixed ? most : most * JOIN_FACTOR;
	each->expected = isinf(n) ? Min(UNKNOWN_VALUES, each->most) : Max(n, 1);
	if (each->expected > each->most)
		return NULL;
	*used = list_concat_unique_ptr(*used, range.clauses);
	return each;
}

const char *
dyn_why_not_each(const DynTarget *target, List *clauses, const char *key)
{
	Range		range = find_bounds(target, clauses);
	const char *name;

	if (range.each == NULL)
		return NULL;
	name = dyn_relation_column(target->plan->relation, range.each->field.attnum)->name;
	if (!range.lower || !range.upper)
		return target->part == NULL ? NULL
			: psprintf("column \"%s\" has no %s bound, so %s cannot be used", name,
					   range.lower ? "upper" : "lower", key);
	if (dyn_steps_count(range.each->unsure ? &range.expected : &range.known) <= DYN_MAX_EACH)
		return NULL;
	return psprintf("column \"%s\" has more than %d values between its bounds, so %s cannot be used",
					name, DYN_MAX_EACH, key);
}

AttrNumber
dyn_column_of_units(const DynRelPlan *plan, const DynAccess *access)
{
	const DynPred *texts = access->nhash == 1
		? dyn_only_templated(access->hash[0].preds) : NULL;
	const DynPart *units = NULL;
	ListCell   *lc;

	if (access->row_keys != NULL || texts == NULL ||
		(access->nrange > 0 && access->range[0].values.most > 1))
		return 0;
	foreach(lc, texts->args)
	{
		const DynPart *part =
			&plan->relation->templated[texts->templated].parts[foreach_current_index(lc)];

		if (dyn_count(plan, lfirst(lc), false).most == 1)
			continue;
		if ((units != NULL && units->attnum != part->attnum) ||
			!dyn_codec_truncates(&part->column.codec) ||
			part->column.traits.range == DYN_LOCAL ||
			!dyn_trunc_ascends(&part->column.codec.format))
			return 0;
		units = part;
	}
	return units != NULL ? units->attnum : 0;
}

/*
 * terms.c
 *		Finds the points and ranges that predicates imply for a key attribute.
 *
 * A part of a template may have another encoding of the column than the
 * column's own attribute.  So exactness is decided again for the encoding in
 * the part.  A value whose own encoding cannot be compared may still be a
 * point of the key.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "common/string.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "../../model/values/arrays.h"
#include "../../model/values/path.h"
#include "../clauses/classify.h"
#include "key_counts.h"
#include "terms.h"

static bool
pred_is_on(const DynTarget *target, const DynPred *pred)
{
	return dyn_pred_is_on(target->relation, pred, target->attr) &&
		dyn_relation_column(target->relation, pred->field.attnum)->traits.key;
}

/*
 * Returns true if a term of the item filter gives values for the key
 * attribute.  Items found by the key contain neither NULL nor values of other
 * types there.
 */
static bool
is_row_point(const DynTarget *target, const DynPred *pred)
{
	const DynFilterTerm *term = &target->relation->item_filter.terms[pred->term];

	if (target->part != NULL ||
		!dyn_path_is_attribute(term->path, target->attr->name))
		return false;
	for (int i = 0; i < term->nvalues; i++)
	{
		if (term->values[i].type == target->attr->type)
			return true;
	}
	return false;
}

/* ---- parts ---- */

/*
 * Returns true if the predicate compares the part's column with a value of
 * matching type.
 */
static bool
is_on_part(const DynTarget *target, const DynPred *pred)
{
	return pred->field.attnum == target->part->attnum &&
		pred->field.steps == NIL;
}

static bool
is_ascii_text(Datum value)
{
	return pg_is_ascii(TextDatumGetCString(value));
}

/*
 * Only ASCII letters are case-folded the same way everywhere, so the texts
 * must be known; a uuid has no other letters.
 */
static bool
can_be_folded(const DynTarget *target, const DynPred *pred)
{
	const Const *value = (const Const *) pred->value;
	DynArrayElements elements;

	if (target->spec->folding == DYN_FOLD_NONE ||
		target->part->column.codec.kind != DYN_CODEC_TEXT)
		return true;
	if (!IsA(value, Const) || value->constisnull ||
		(pred->valuetype != TEXTOID && pred->valuetype != VARCHAROID))
		return false;
	if (pred->kind != DYN_PRED_IN)
		return is_ascii_text(value->constvalue);
	elements = dyn_array_elements(value->constvalue);
	for (int i = 0; i < elements.n; i++)
	{
		if (!elements.nulls[i] && !is_ascii_text(elements.values[i]))
			return false;
	}
	return true;
}

static bool
is_part_point(const DynTarget *target, const DynPred *pred)
{
	const DynColumn *column = &target->part->column;

	if (!is_on_part(target, pred))
		return false;
	if (dyn_pred_is_boolean(pred))
		return column->traits.truth != DYN_LOCAL;
	return dyn_pred_is_point(pred) &&
		dyn_operator_exactness(column, &pred->operator) != DYN_LOCAL &&
		can_be_folded(target, pred);
}

static bool
is_part_range(const DynTarget *target, const DynPred *pred)
{
	const DynColumn *column = &target->part->column;

	if (!is_on_part(target, pred) || target->spec->folding != DYN_FOLD_NONE)
		return false;
	if (dyn_pred_is_bound(pred))
		return dyn_operator_exactness(column, &pred->operator) != DYN_LOCAL;
	return dyn_pred_is_pattern(pred) &&
		dyn_prefix_exactness(column, pred->operator.collation) != DYN_LOCAL;
}

/* ---- points and ranges ---- */

static bool
is_point_leaf(const DynTarget *target, const DynPred *pred)
{
	if (pred->kind == DYN_PRED_FILTER_TERM)
		return is_row_point(target, pred);
	if (target->part != NULL)
		return is_part_point(target, pred);
	return dyn_pred_is_point(pred) && pred_is_on(target, pred) &&
		dyn_relation_column(target->relation,
							pred->field.attnum)->traits.point;
}

DynPred *
dyn_implied_points(const DynTarget *target, DynPred *pred, bool *fully_consumed)
{
	DynPred    *points;
	ListCell   *lc;

	check_stack_depth();
	if (is_point_leaf(target, pred))
		return pred;
	*fully_consumed &= (pred->kind == DYN_PRED_OR);
	if (pred->kind == DYN_PRED_AND)
	{
		foreach(lc, pred->args)
		{
			points = dyn_implied_points(target, lfirst(lc), fully_consumed);
			if (points != NULL)
				return points;
		}
		return NULL;
	}
	if (pred->kind != DYN_PRED_OR)
		return NULL;
	points = dyn_make_junction(DYN_PRED_OR, NIL);
	foreach(lc, pred->args)
	{
		DynPred    *arm = dyn_implied_points(target, lfirst(lc), fully_consumed);

		if (arm == NULL)
			return NULL;
		points->args = lappend(points->args, arm);
	}
	return points;
}

bool
dyn_is_range_pred(const DynTarget *target, const DynPred *pred)
{
	if (target->part != NULL)
		return is_part_range(target, pred);
	if (!pred_is_on(target, pred))
		return false;
	/* values that are not canonical lie between two bounds */
	return pred->kind == DYN_PRED_EQ || dyn_pred_is_bound(pred) ||
		(dyn_pred_is_pattern(pred) && target->attr->type == DYN_TYPE_S);
}

/* Returns true if the predicate, or each of its leaves, has no column. */
static bool
is_given(const DynPred *pred)
{
	ListCell   *lc;

	foreach(lc, pred->args)
	{
		if (!is_given(lfirst(lc)))
			return false;
	}
	return dyn_pred_is_given(pred) || dyn_pred_is_junction(pred);
}

static DynPred *junction_range(const DynTarget *target, DynPred *pred, bool *fully_consumed);

/*
 * Returns the range that an arm, or a condition with columns, implies for the
 * target; or NULL.
 */
static DynPred *
member_range(const DynTarget *target, DynPred *pred, bool *fully_consumed)
{
	if (dyn_pred_is_junction(pred))
		return junction_range(target, pred, fully_consumed);
	if (dyn_is_range_pred(target, pred))
		return pred;
	if (!is_point_leaf(target, pred))
		return NULL;
	*fully_consumed &= dyn_count(NULL, target->relation, pred).single;
	return pred;
}

static DynPred *
junction_range(const DynTarget *target, DynPred *pred, bool *fully_consumed)
{
	DynPred    *range = dyn_make_junction(pred->kind, NIL);
	int			leafy = 0;
	ListCell   *lc;

	foreach(lc, pred->args)
	{
		bool		given = is_given(lfirst(lc));
		DynPred    *arm = given ? lfirst(lc)
			: member_range(target, lfirst(lc), fully_consumed);

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
	check_stack_depth();
	if (pred->kind == DYN_PRED_OR)
		return target->part != NULL ? NULL : junction_range(target, pred, fully_consumed);
	return dyn_is_range_pred(target, pred) && !is_point_leaf(target, pred)
		? pred : NULL;
}

/* ---- ranges of integers ---- */

/* Integers from lo to hi */
typedef struct IntRange
{
	int64		lo,
				hi;
	bool		has_lo,
				has_hi;
} IntRange;

/*
 * Returns true if the column's values are integers, each of which is a point
 * of the target.  Then sets the range to that of the column's type.
 */
static bool
has_integers(const DynTarget *target, AttrNumber attnum, IntRange *range)
{
	const DynColumn *column = target->part != NULL ? &target->part->column
		: dyn_relation_column(target->relation, attnum);

	range->lo = dyn_codec_facts[column->codec.kind].least;
	range->hi = dyn_codec_facts[column->codec.kind].most;
	return column->traits.point && dyn_codec_is_integer(&column->codec);
}

/*
 * Returns true if it is a bound on the target's values, however their encoding
 * sorts.
 */
static bool
is_bound(const DynTarget *target, const DynPred *pred)
{
	DynOperator equal = pred->operator;

	if (!dyn_pred_is_bound(pred))
		return false;
	equal.comparison = DYN_COMPARE_EQ;
	return target->part == NULL ? pred_is_on(target, pred)
		: is_on_part(target, pred) &&
		dyn_operator_exactness(&target->part->column, &equal) != DYN_LOCAL;
}

static bool
int_constant(const DynPred *pred, int64 *result)
{
	const Const *value = (const Const *) pred->value;

	if (value == NULL || !IsA(value, Const) || value->constisnull)
		return false;
	switch (pred->valuetype)
	{
		case INT2OID:
			*result = DatumGetInt16(value->constvalue);
			return true;
		case INT4OID:
			*result = DatumGetInt32(value->constvalue);
			return true;
		case INT8OID:
			*result = DatumGetInt64(value->constvalue);
			return true;
		default:
			return false;
	}
}

/*
 * Applies a bound; returns false if its value is unknown, or no integer is
 * beyond it.
 */
static bool
narrow(IntRange *range, const DynPred *pred)
{
	bool		lower = pred->kind == DYN_PRED_GT || pred->kind == DYN_PRED_GE;
	bool		open = pred->kind == DYN_PRED_GT || pred->kind == DYN_PRED_LT;
	int64		value;

	if (!int_constant(pred, &value) ||
		(open && pg_add_s64_overflow(value, lower ? 1 : -1, &value)))
		return false;
	if (lower)
		range->lo = Max(range->lo, value);
	else
		range->hi = Min(range->hi, value);
	range->has_lo |= lower;
	range->has_hi |= !lower;
	return true;
}

static DynPred *
make_int_points(AttrNumber attnum, int64 lo, int n)
{
	DynPred    *pred = dyn_make_pred(DYN_PRED_IN, NULL);
	Datum	   *values = palloc(n * sizeof(Datum));

	for (int i = 0; i < n; i++)
		values[i] = Int64GetDatum(lo + i);
	pred->integers = true;
	pred->field.attnum = attnum;
	pred->valuetype = INT8OID;
	pred->value = (Expr *)
		makeConst(INT8ARRAYOID, -1, InvalidOid, -1,
				  PointerGetDatum(construct_array(values, n, INT8OID, sizeof(int64),
												  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)),
				  false, false);
	return pred;
}

DynPred *
dyn_range_points(const DynTarget *target, List *clauses, uint64 most, uint64 *n,
				 List **used)
{
	IntRange	range = {0};
	AttrNumber	attnum = 0;
	List	   *bounds = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		DynClause  *clause = lfirst(lc);
		const DynPred *pred = clause->pred;

		if (pred == NULL || pred->field.steps != NIL ||
			!is_bound(target, pred) ||
			(attnum != 0 && pred->field.attnum != attnum) ||
			(attnum == 0 && !has_integers(target, pred->field.attnum, &range)))
			continue;
		attnum = pred->field.attnum;
		if (narrow(&range, pred))
			bounds = lappend(bounds, clause);
	}
	if (!range.has_lo || !range.has_hi || range.lo > range.hi ||
		(uint64) range.hi - (uint64) range.lo >= most)
		return NULL;
	*n = (uint64) range.hi - (uint64) range.lo + 1;
	*used = list_concat_unique_ptr(*used, bounds);
	return make_int_points(attnum, range.lo, (int) *n);
}

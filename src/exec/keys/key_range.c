/*
 * key_range.c
 *		From predicates on a key attribute to the values that it may have.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "../../dynamodb/template_text.h"
#include "../../model/values/like.h"
#include "../../model/values/path.h"
#include "../../plan/keys/terms.h"
#include "interval.h"
#include "key_range.h"

/* A text longer than the largest item is in no item. */
#define MAX_TEXT_BYTES	(400 * 1024)

/* Where texts are not asked for one by one, so many are looked at. */
#define MAX_LOOSE_TEXTS	10000

static void
apply_points(const DynResolveContext *context, DynKeyRange *range,
			 const DynPred *pred, DynType type)
{
	DynPointSet set = {0, 0, NULL};

	dyn_collect_points(context, pred, type, &set, &range->room);
	dyn_sort_points(&set);
	dyn_range_add_points(range, &set);
}

/* ---- intervals ---- */

static void
apply_comparison(DynKeyRange *range, const DynCodec *codec, DynPredKind kind,
				 Oid valuetype, Datum value)
{
	bool		lower = (kind == DYN_PRED_GT || kind == DYN_PRED_GE);
	DynKeyLimit bound = {true, kind == DYN_PRED_GE || kind == DYN_PRED_LE, {DYN_TYPE_ABSENT, NULL, 0}};

	switch (dyn_codec_encode_bound(codec, valuetype, value, lower,
								   &bound.inclusive, &bound.value))
	{
		case DYN_ENCODED_NOTHING:
			range->contradiction = true;
			break;
		case DYN_ENCODED_ANYTHING:
		case DYN_ENCODED_UNKNOWN:
			break;
		default:
			dyn_range_add_bound(range, bound, lower);
			break;
	}
}

static void
apply_text(DynKeyRange *range, const DynPred *pred, Datum value)
{
	DynScalar	scalar;
	char	   *literal;
	size_t		len;
	DynLike		like;

	if (!dyn_encode_text(value, &scalar))
		return;
	if (pred->kind == DYN_PRED_PREFIX)
	{
		dyn_range_add_prefix(range, scalar);
		return;
	}
	like = dyn_like_pattern(scalar.data, scalar.len, &literal, &len);
	scalar.data = literal;
	scalar.len = len;
	if (like == DYN_LIKE_PREFIX)
		dyn_range_add_prefix(range, scalar);
	else if (like == DYN_LIKE_EQUAL)
	{
		DynKeyLimit bound = {true, true, scalar};

		dyn_range_add_bound(range, bound, true);
		dyn_range_add_bound(range, bound, false);
	}
}

static void
apply_range(const DynResolveContext *context, DynKeyRange *range,
			const DynPred *pred)
{
	const DynCodec *codec =
		&dyn_compared_column(context, pred)->codec;
	Datum		value = context->values->values[pred->param];

	if (context->values->nulls[pred->param])
		range->contradiction = true;
	else if (pred->kind == DYN_PRED_PREFIX || pred->kind == DYN_PRED_LIKE)
		apply_text(range, pred, value);
	else if (pred->kind == DYN_PRED_EQ)
	{
		apply_comparison(range, codec, DYN_PRED_GE, pred->valuetype, value);
		apply_comparison(range, codec, DYN_PRED_LE, pred->valuetype, value);
	}
	else
		apply_comparison(range, codec, pred->kind, pred->valuetype, value);
}

/* ---- points and intervals ---- */

static bool
is_point_pred(const DynResolveContext *context, const DynPred *pred)
{
	return pred->kind == DYN_PRED_IN || pred->kind == DYN_PRED_OR ||
		pred->kind == DYN_PRED_ROW || pred->kind == DYN_PRED_MEMBERS ||
		dyn_pred_is_boolean(pred) ||
		(pred->kind == DYN_PRED_EQ &&
		 dyn_compared_column(context, pred)->traits.point);
}

/* ---- ranges that depend on conditions without columns ---- */

typedef enum Truth
{
	NEVER,
	ALWAYS,
	DEPENDS						/* on the column */
} Truth;

static Truth
truth_of(const DynResolveContext *context, const DynPred *pred)
{
	bool		any = (pred->kind == DYN_PRED_OR);
	Truth		truth = any ? NEVER : ALWAYS;
	ListCell   *lc;

	if (pred->kind == DYN_PRED_GIVEN)
		return dyn_given_holds(context->values, pred) ? ALWAYS : NEVER;
	if (pred->args == NIL)
		return DEPENDS;
	foreach(lc, pred->args)
	{
		Truth		arg = truth_of(context, lfirst(lc));

		if (arg == (any ? ALWAYS : NEVER))
			return arg;
		if (arg == DEPENDS)
			truth = DEPENDS;
	}
	return truth;
}

/* Is it its arms, of which all count? */
static bool
is_junction(const DynPred *pred)
{
	return pred->kind == DYN_PRED_AND ||
		(pred->kind == DYN_PRED_OR &&
		 (list_length(pred->args) == 1 || dyn_pred_has_given(pred)));
}

/*
 * A predicate, or what dyn_implied_range() made of one: of an OR's arms with
 * leaves, the only one counts in this execution, or none does.
 */
static void
apply_pred(const DynResolveContext *context, DynKeyRange *range,
		   const DynPred *pred, DynType type)
{
	Truth		truth = truth_of(context, pred);
	ListCell   *lc;

	range->contradiction |= (truth == NEVER);
	if (truth != DEPENDS)
		return;
	if (!is_junction(pred))
	{
		if (is_point_pred(context, pred))
			apply_points(context, range, pred, type);
		else
			apply_range(context, range, pred);
		return;
	}
	foreach(lc, pred->args)
	{
		if (truth_of(context, lfirst(lc)) == DEPENDS)
			apply_pred(context, range, lfirst(lc), type);
	}
}

/* ---- texts that a template spells ---- */

/* A text that is in the database, as one of the template's values. */
static DynText
text_of(const DynScalar *scalar)
{
	DynText		text = {scalar->data, scalar->len};

	return text;
}

/*
 * Removes the values that no text can have there.  What holds the character
 * that ends an undecided part is asked for: it would be ambiguous.
 */
static void
keep_spelled_points(const DynTemplatePart *part, DynKeyRange *range)
{
	int			kept = 0;

	for (int i = 0; i < range->npoints; i++)
	{
		DynHolds	holds = dyn_part_holds(part, text_of(&range->points[i]));

		Assert(holds != DYN_HOLDS_UNKNOWN);
		if (holds != DYN_HOLDS_NEVER)
			range->points[kept++] = range->points[i];
	}
	range->npoints = kept;
	range->contradiction |= kept == 0;
}

/* The texts of one part; `arg` is an AND, or all its members. */
static void
resolve_part(const DynResolveContext *context, const DynSpelled *spelled, int p,
			 const DynPred *arg, DynKeyRange *range)
{
	DynResolveContext part = {context->relation, context->values,
	&spelled->parts[p]};
	ListCell   *lc;

	memset(range, 0, sizeof(*range));
	range->room.max_bytes = SIZE_MAX;
	range->room.may_be_empty = !spelled->parts[p].source;
	if (arg->kind == DYN_PRED_MEMBERS)
		apply_points(&part, range, arg, DYN_TYPE_S);
	foreach(lc, arg->args)
	{
		if (is_point_pred(&part, lfirst(lc)))
			apply_points(&part, range, lfirst(lc), DYN_TYPE_S);
		else
			apply_range(&part, range, lfirst(lc));
	}
	if (range->has_prefix)
		range->lower.set = range->upper.set = false;
	dyn_range_finish(range);
	if (range->has_points && !range->contradiction)
		keep_spelled_points(&spelled->tmpl->parts[p], range);
}

typedef struct SpelledParts
{
	const DynSpelled *spelled;
	int			n;				/* leading parts of which something is known */
	int			npoints;		/* of these, with points */
	double		combinations;
	DynKeyRange ranges[DYN_TEMPLATE_MAX_PARTS];
} SpelledParts;

/* False for a contradiction. */
static bool
resolve_parts(const DynResolveContext *context, const DynPred *pred,
			  SpelledParts *parts)
{
	ListCell   *lc;

	parts->spelled = &context->relation->spelled[pred->term];
	parts->n = parts->npoints = 0;
	parts->combinations = 1;
	foreach(lc, pred->args)
	{
		DynKeyRange *range = &parts->ranges[parts->n];

		resolve_part(context, parts->spelled, parts->n, lfirst(lc), range);
		if (range->contradiction)
			return false;
		parts->n++;
		if (!range->has_points)
			break;
		parts->npoints++;
		parts->combinations *= range->npoints;
	}
	return true;
}

/* Of more texts than there shall be only the leading parts are looked at. */
static void
leave_parts_out(SpelledParts *parts, int most)
{
	int			n = 0;
	double		total = 1;

	if (parts->combinations <= most)
		return;
	while (total * parts->ranges[n].npoints <= most)
		total *= parts->ranges[n++].npoints;
	parts->n = parts->npoints = n;
	parts->combinations = total;
}

static void
take_combination(const SpelledParts *parts, int number, DynText *texts)
{
	for (int p = parts->npoints - 1; p >= 0; p--)
	{
		const DynKeyRange *range = &parts->ranges[p];

		texts[p] = text_of(&range->points[number % range->npoints]);
		number /= range->npoints;
	}
}

/* Copies the buffer, and frees it. */
static DynScalar
take_scalar(DynBuffer *buffer, DynType type)
{
	DynScalar	scalar = {type, NULL, buffer->len};
	bool		failed = buffer->failed;
	char	   *data = NULL;

	if (!failed)
		data = MemoryContextAllocExtended(CurrentMemoryContext, Max(buffer->len, 1),
										  MCXT_ALLOC_NO_OOM | MCXT_ALLOC_HUGE);
	if (data != NULL && buffer->len > 0)
		memcpy(data, buffer->data, buffer->len);
	dyn_buffer_free(buffer);
	if (data == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	scalar.data = data;
	return scalar;
}

/* All parts are known: the text of one combination. */
static DynScalar
join_combination(const SpelledParts *parts, int number, DynType type)
{
	DynText		texts[DYN_TEMPLATE_MAX_PARTS];
	DynBuffer	buffer;

	take_combination(parts, number, texts);
	dyn_buffer_init(&buffer, 0);
	(void) dyn_template_join(parts->spelled->tmpl, texts, &buffer);
	return take_scalar(&buffer, type);
}

static void
apply_joined(DynKeyRange *range, const SpelledParts *parts, DynType type)
{
	DynPointSet set = {0, 0, NULL};

	for (int n = 0; n < parts->combinations; n++)
	{
		DynScalar	point = join_combination(parts, n, type);

		CHECK_FOR_INTERRUPTS();
		dyn_add_point(&set, &point, &range->room);
	}
	dyn_sort_points(&set);
	dyn_range_add_points(range, &set);
}

static DynPartRange
next_part(const SpelledParts *parts)
{
	const DynKeyRange *range = &parts->ranges[parts->npoints];
	DynPartRange next;

	memset(&next, 0, sizeof(next));
	if (parts->n == parts->npoints)
		return next;
	if (range->has_prefix)
	{
		next.kind = DYN_PART_PREFIX;
		next.lower = text_of(&range->prefix);
	}
	else if (range->lower.set || range->upper.set)
	{
		next.kind = DYN_PART_RANGE;
		if (range->lower.set)
			next.lower = text_of(&range->lower.value);
		if (range->upper.set)
			next.upper = text_of(&range->upper.value);
		next.lower_inclusive = range->lower.inclusive;
		next.upper_inclusive = range->upper.inclusive;
	}
	return next;
}

/* What one combination allows. */
typedef struct TextSpan
{
	DynBoundsKind kind;
	DynKeyLimit lower;			/* for a prefix, the prefix */
	DynKeyLimit upper;
} TextSpan;

static TextSpan
combination_span(const SpelledParts *parts, int number)
{
	TextSpan	span;
	DynText		texts[DYN_TEMPLATE_MAX_PARTS];
	DynPartRange next = next_part(parts);
	DynTextBounds bounds;
	bool		done;

	memset(&span, 0, sizeof(span));
	take_combination(parts, number, texts);
	dyn_text_bounds_init(&bounds);
	done = dyn_template_bounds(parts->spelled->tmpl, texts, parts->npoints, &next,
							   &bounds);
	bounds.lower.failed |= !done;
	span.kind = bounds.kind;
	span.lower.value = take_scalar(&bounds.lower, DYN_TYPE_S);
	span.upper.value = take_scalar(&bounds.upper, DYN_TYPE_S);
	span.lower.set = span.kind > DYN_BOUNDS_ALL && span.lower.value.len > 0;
	span.upper.set = span.kind == DYN_BOUNDS_RANGE && bounds.has_upper;
	span.lower.inclusive = span.kind != DYN_BOUNDS_RANGE || bounds.lower_inclusive;
	span.upper.inclusive = bounds.upper_inclusive;
	return span;
}

static void
apply_span(DynKeyRange *range, const TextSpan *span)
{
	switch (span->kind)
	{
		case DYN_BOUNDS_NOTHING:
			range->contradiction = true;
			break;
		case DYN_BOUNDS_ALL:
			break;
		case DYN_BOUNDS_POINT:
			dyn_range_add_bound(range, span->lower, true);
			dyn_range_add_bound(range, span->lower, false);
			break;
		case DYN_BOUNDS_PREFIX:
			dyn_range_add_prefix(range, span->lower.value);
			break;
		case DYN_BOUNDS_RANGE:
			if (span->lower.set)
				dyn_range_add_bound(range, span->lower, true);
			if (span->upper.set)
				dyn_range_add_bound(range, span->upper, false);
			break;
	}
}

/* The end of what a combination allows, where a union of them ends. */
static DynKeyLimit
end_of_span(const TextSpan *span)
{
	DynKeyLimit end = span->upper;
	DynBuffer	buffer;

	if (span->kind == DYN_BOUNDS_POINT)
		return span->lower;
	if (span->kind != DYN_BOUNDS_PREFIX)
		return end;
	dyn_buffer_init(&buffer, 0);
	dyn_buffer_append(&buffer, span->lower.value.data, span->lower.value.len);
	end.set = dyn_text_successor(&buffer);
	end.inclusive = false;
	end.value = take_scalar(&buffer, DYN_TYPE_S);
	return end;
}

/* Of several combinations: from the first of all to the last. */
static void
apply_spans(DynKeyRange *range, const SpelledParts *parts)
{
	DynKeyLimit lower,
				upper;
	bool		any = false;

	memset(&lower, 0, sizeof(lower));
	memset(&upper, 0, sizeof(upper));

	for (int n = 0; n < parts->combinations; n++)
	{
		TextSpan	span = combination_span(parts, n);
		DynKeyLimit end = end_of_span(&span);

		CHECK_FOR_INTERRUPTS();
		if (span.kind == DYN_BOUNDS_NOTHING)
			continue;
		if (!any || !span.lower.set ||
			(lower.set && dyn_limit_is_wider(&span.lower, &lower, true)))
			lower = span.lower;
		if (!any || !end.set ||
			(upper.set && dyn_limit_is_wider(&end, &upper, false)))
			upper = end;
		any = true;
	}
	range->contradiction |= !any;
	if (lower.set)
		dyn_range_add_bound(range, lower, true);
	if (upper.set)
		dyn_range_add_bound(range, upper, false);
}

static bool
is_whole(const SpelledParts *parts)
{
	return parts->npoints == parts->spelled->tmpl->nparts;
}

/* `loosely`: it may allow more texts than the predicate does. */
static void
apply_spelled(const DynResolveContext *context, DynKeyRange *range,
			  const DynPred *pred, DynType type, bool loosely)
{
	SpelledParts parts;

	if (!resolve_parts(context, pred, &parts))
	{
		range->contradiction = true;
		return;
	}
	if (loosely)
		leave_parts_out(&parts, MAX_LOOSE_TEXTS);
	dyn_refuse_too_many(parts.combinations);
	if (is_whole(&parts))
		apply_joined(range, &parts, type);
	else if (parts.combinations == 1)
	{
		TextSpan	span = combination_span(&parts, 0);

		apply_span(range, &span);
	}
	else
		apply_spans(range, &parts);
}

/* ---- several ranges ---- */

/* Of one combination: where it starts and ends. */
typedef struct Span
{
	DynKeyRange range;
	DynScalar	start;
	DynKeyLimit end;
} Span;

static void
set_span(Span *span, const TextSpan *text, const DynKeyRoom *room)
{
	memset(span, 0, sizeof(*span));
	span->range.room = *room;
	apply_span(&span->range, text);
	dyn_range_finish(&span->range);
	span->end = end_of_span(text);
	/* what was too long for a key was cut, or is open now */
	if (span->range.has_prefix)
		span->start = span->range.prefix;
	else
	{
		span->end = span->range.upper;
		span->start = text->lower.value;
		span->start.len = 0;
		if (span->range.lower.set)
			span->start = span->range.lower.value;
	}
}

static int
compare_spans(const void *a, const void *b)
{
	return dyn_scalar_compare(&((const Span *) a)->start, &((const Span *) b)->start);
}

/* Does the later one begin before the earlier one ends? */
static bool
spans_overlap(const Span *earlier, const Span *later)
{
	return !earlier->end.set ||
		dyn_scalar_compare(&later->start, &earlier->end.value) <= 0;
}

/* The earlier one, made to end where the later one does if that is later. */
static void
join_spans(Span *earlier, const Span *later)
{
	DynKeyLimit first = {true, true, earlier->start};

	if (later->end.set && earlier->end.set &&
		!dyn_limit_is_wider(&later->end, &earlier->end, false))
		return;
	if (!earlier->end.set)
		return;
	earlier->end = later->end;
	memset(&earlier->range.lower, 0, sizeof(DynKeyLimit));
	memset(&earlier->range.upper, 0, sizeof(DynKeyLimit));
	earlier->range.has_prefix = earlier->range.has_points = false;
	dyn_range_add_bound(&earlier->range, first, true);
	if (earlier->end.set)
		dyn_range_add_bound(&earlier->range, earlier->end, false);
}

/* Of those that are not empty, each text in one; returns their number. */
static int
separate_spans(Span *spans, int n)
{
	int			kept = 0;

	qsort(spans, n, sizeof(Span), compare_spans);
	for (int i = 0; i < n; i++)
	{
		if (kept > 0 && spans_overlap(&spans[kept - 1], &spans[i]))
			join_spans(&spans[kept - 1], &spans[i]);
		else
			spans[kept++] = spans[i];
	}
	return kept;
}

/* A text that all parts are known of. */
static TextSpan
joined_span(const SpelledParts *parts, int number, DynType type)
{
	TextSpan	span;

	memset(&span, 0, sizeof(span));
	span.kind = DYN_BOUNDS_POINT;
	span.lower.value = join_combination(parts, number, type);
	span.lower.set = span.lower.inclusive = true;
	return span;
}

static int
combination_spans(const SpelledParts *parts, DynType type, const DynKeyRoom *room,
				  Span *spans)
{
	bool		whole = is_whole(parts);
	int			n = 0;

	for (int i = 0; i < parts->combinations; i++)
	{
		TextSpan	text = whole ? joined_span(parts, i, type)
			: combination_span(parts, i);

		CHECK_FOR_INTERRUPTS();
		if (text.kind == DYN_BOUNDS_NOTHING)
			continue;
		set_span(&spans[n], &text, room);
		n += !spans[n].range.contradiction;
	}
	return separate_spans(spans, n);
}

/* ---- one attribute ---- */

static void
resolve_attribute(const DynResolveContext *context, const DynKeyMatch *match,
				  size_t max_bytes, bool loosely, DynKeyRange *range)
{
	ListCell   *lc;

	memset(range, 0, sizeof(*range));
	range->room.max_bytes = max_bytes;
	foreach(lc, match->preds)
	{
		const DynPred *pred = lfirst(lc);

		if (pred->kind == DYN_PRED_SPELLED)
			apply_spelled(context, range, pred, match->type, loosely);
		else
			apply_pred(context, range, pred, match->type);
	}
	dyn_range_finish(range);
	Assert(range->contradiction || !range->has_points || range->npoints > 0);
}

void
dyn_resolve_attribute(const DynResolveContext *context, const DynKeyMatch *match,
					  size_t max_bytes, DynKeyRange *range)
{
	resolve_attribute(context, match, max_bytes, false, range);
}

/* ---- conditions ---- */

void
dyn_resolve_points(const DynResolveContext *context, const DynPred *pred,
				   const DynKeyAttr *attr, size_t max_bytes, DynPointSet *set)
{
	DynKeyMatch match = {attr->name, attr->type,
	list_make1(unconstify(DynPred *, pred))};
	DynKeyRange range;

	dyn_resolve_attribute(context, &match, max_bytes, &range);
	Assert(range.has_points || range.contradiction);
	set->n = range.contradiction ? 0 : range.npoints;
	set->points = range.points;
}

/* The number of ranges that combinations are divided into; 0: not divided. */
static int
divide_combinations(const DynResolveContext *context, const DynPred *pred,
					DynType type, const DynKeyRoom *room, DynKeyRange **ranges)
{
	SpelledParts parts;
	Span	   *spans;
	int			n;

	if (!resolve_parts(context, pred, &parts) || parts.combinations == 1 ||
		parts.combinations > DYN_MAX_SORT_RANGES)
		return 0;
	spans = palloc((int) parts.combinations * sizeof(Span));
	n = combination_spans(&parts, type, room, spans);
	*ranges = palloc0(Max(n, 1) * sizeof(DynKeyRange));
	for (int i = 0; i < n; i++)
		(*ranges)[i] = spans[i].range;
	(*ranges)[0].contradiction |= n == 0;
	return Max(n, 1);
}

int
dyn_resolve_sort_attribute(const DynResolveContext *context,
						   const DynKeyMatch *match, size_t max_bytes,
						   DynKeyRange **ranges)
{
	const DynPred *pred = linitial(match->preds);
	DynKeyRoom	room = {max_bytes, false};
	int			n = 0;

	if (list_length(match->preds) == 1 && pred->kind == DYN_PRED_SPELLED)
		n = divide_combinations(context, pred, match->type, &room, ranges);
	if (n > 0)
		return n;
	*ranges = palloc(sizeof(DynKeyRange));
	resolve_attribute(context, match, max_bytes, true, *ranges);
	return 1;
}

static DynCond *
constant_cond(bool value)
{
	DynCond    *cond = palloc0(sizeof(DynCond));

	cond->kind = value ? DYN_COND_TRUE : DYN_COND_FALSE;
	return cond;
}

DynCond *
dyn_spelled_cond(const DynRelation *relation, const DynPred *pred,
				 const DynValues *values)
{
	const DynSpelled *spelled = &relation->spelled[pred->term];
	DynResolveContext context = {relation, values, NULL};
	DynKeyMatch match = {dyn_spelled_name(spelled), DYN_TYPE_S,
	list_make1(unconstify(DynPred *, pred))};
	DynKeyRange range;
	DynCond    *cond;

	resolve_attribute(&context, &match, MAX_TEXT_BYTES, true, &range);
	if (range.contradiction)
		return constant_cond(false);
	cond = dyn_range_cond(&range, spelled->path);
	if (cond == NULL)
		return constant_cond(true);
	if (range.has_points && range.npoints > 1 &&
		range.npoints <= DYN_EXPR_MAX_IN)
	{
		cond->kind = DYN_COND_IN;
		cond->nvalues = range.npoints;
		cond->values = range.points;
	}
	return cond;
}

/*
 * key_values.c
 *		Computes which values of a key attribute the predicates allow.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "../../base/text.h"
#include "../../dynamodb/template_text.h"
#include "../../model/server/memory.h"
#include "../../model/values/datetime.h"
#include "../../model/values/like.h"
#include "../../model/values/steps.h"
#include "../../plan/keys/terms.h"
#include "key_values.h"
#include "filter.h"

/* Maximum number of bytes of a string: the maximum size of an item. */
#define MAX_TEXT_BYTES	(400 * 1024)

/* Maximum number of strings that dyn_templated_cond composes. */
#define MAX_LOOSE_TEXTS	10000

bool
dyn_too_many_keys(const DynResolveContext *context, double nkeys)
{
	if (nkeys <= DYN_MAX_KEYS)
		return false;
	if (!context->has_fallback)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("too many keys to read: %.0f", nkeys),
				 errhint("Use fewer values in the IN lists or arrays.")));
	*context->unusable = true;
	return true;
}

bool
dyn_given_holds(const DynValues *values, const DynPred *pred)
{
	return !values->nulls[pred->param] && DatumGetBool(values->values[pred->param]);
}

/* ---- sets of values ---- */

typedef struct KeyLimits
{
	DynType		type;
	size_t		max_bytes;
	bool		may_be_empty;
	bool		loosely;		/* true if trailing parts of a template may be
								 * omitted, which widens the set */
} KeyLimits;

/* A set under construction: its spans may be in any order, and overlap. */
typedef struct Collection
{
	const KeyLimits *limits;
	int			n;
	int			space;
	DynSpan    *spans;
} Collection;

static void
add_span(Collection *to, const DynSpan *span)
{
	if (to->n == to->space)
	{
		to->space = to->space == 0 ? 1 : Max(8, to->space * 2);
		to->spans = dyn_grown(to->spans, to->space * sizeof(DynSpan));
	}
	to->spans[to->n++] = *span;
}

static int
sort_compare(const void *a, const void *b, void *arg)
{
	return dyn_span_compare(a, b);
}

static DynSpans
make_set(const Collection *from, bool touching)
{
	DynSpans	set = {from->n, from->spans};

	if (set.n > 1)
	{
		qsort_interruptible(set.at, set.n, sizeof(DynSpan), sort_compare, NULL);
		set.n = dyn_spans_unite(set.at, set.n, touching);
	}
	return set;
}

static DynSpans
everything(void)
{
	return (DynSpans) {1, palloc0(sizeof(DynSpan))};
}

/* Returns the upper limit of the strings that begin with `prefix`. */
static DynLimit
end_of_prefix(const DynScalar *prefix)
{
	DynLimit	end = {false};
	DynBuffer	buffer;

	dyn_buffer_init(&buffer, 0);
	dyn_buffer_append(&buffer, prefix->data, prefix->len);
	end.set = dyn_text_successor(&buffer);
	end.value.type = prefix->type;
	end.value.data = dyn_take_bytes(&buffer, &end.value.len);
	return end;
}

/* ---- key size limits ---- */

static bool
is_storable(const KeyLimits *limits, const DynScalar *value)
{
	return value->type == DYN_TYPE_N ||
		((value->len > 0 || limits->may_be_empty) && value->len <= limits->max_bytes);
}

/*
 * Shortens a limit that is longer than any key to its first max_bytes bytes.
 * A key is below the original limit if and only if it is not above the short
 * one.
 *
 * If the short limit would end inside a character, the new limit is the upper
 * end of the texts that begin with P, the text before this character.  Keys
 * among these texts are below the original limit: after P, they have space for
 * shorter characters only, which sort before this character in UTF-8.
 */
static void
clip_limit(const KeyLimits *limits, DynLimit *limit, bool lower)
{
	DynScalar  *value = &limit->value;
	size_t		len = limits->max_bytes;

	if (!limit->set || value->type == DYN_TYPE_N || value->len <= len)
		return;
	while (value->type == DYN_TYPE_S && dyn_utf8_continues(value->data[len]))
		len--;
	value->len = len;
	limit->inclusive = !lower;
	if (len == limits->max_bytes)
		return;
	*limit = end_of_prefix(value);
	limit->inclusive = lower;
}

/*
 * Shortens or removes those bounds of the span that are not possible keys
 * (`limits`).  Returns false if the span then contains no key.
 */
static bool
clip_span(const KeyLimits *limits, DynSpan *span)
{
	if (dyn_span_is_point(span))
		return is_storable(limits, &span->lower.value);
	if (limits->type == DYN_TYPE_N)
		return !dyn_span_is_empty(span);
	if (span->upper.set && span->upper.value.len == 0)
	{
		if (!limits->may_be_empty)
			return false;
		span->upper.set = false;
	}
	if (span->lower.set && span->lower.value.len == 0)
		span->lower.set = false;
	clip_limit(limits, &span->lower, true);
	clip_limit(limits, &span->upper, false);
	return !dyn_span_is_empty(span);
}

static void
add_clipped(Collection *to, DynSpan span)
{
	if (clip_span(to->limits, &span))
		add_span(to, &span);
}

/* ---- single values ---- */

static void
add_point(Collection *to, const DynScalar *value)
{
	DynSpan		span = dyn_span_of(value);

	if (is_storable(to->limits, value))
		add_span(to, &span);
}

static void
add_value(Collection *to, const DynCodec *codec, Oid valuetype, Datum value)
{
	DynScalar	scalar;

	if (dyn_codec_encode(codec, valuetype, value, &scalar) == DYN_ENCODED)
		add_point(to, &scalar);
}

/* Adds all elements of the array; of a shared list, only the current one. */
static void
add_array(Collection *to, const DynResolveContext *context, const DynCodec *codec,
		  const DynPred *pred, Datum array)
{
	DynArrayElements elements = {.n = -1};

	for (int i = 0; i < context->nshared; i++)
	{
		const DynElement *shared = &context->shared[i];

		if (dyn_same_list(shared->list, pred))
			elements = (DynArrayElements)
		{
			1, &shared->elements.values[shared->current],
			&shared->elements.nulls[shared->current]
		};
	}
	if (elements.n < 0)
		elements = dyn_array_elements(array);
	for (int i = 0; i < elements.n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!elements.nulls[i])
			add_value(to, codec, pred->valuetype, elements.values[i]);
	}
}

/* Adds the spans of all values except those that <> or NOT IN excludes. */
static void
add_others(Collection *to, const DynResolveContext *context, const DynCodec *codec,
		   const DynPred *pred, Datum value)
{
	Collection	excluded = {.limits = to->limits};
	DynSpan		span = {{false}, {false}};
	DynSpans	points;

	if (pred->array)
		add_array(&excluded, context, codec, pred, value);
	else
		add_value(&excluded, codec, pred->valuetype, value);
	points = make_set(&excluded, false);
	for (int i = 0; i < points.n; i++)
	{
		span.upper = (DynLimit) {true, false, points.at[i].lower.value};
		add_span(to, &span);
		span.lower = span.upper;
	}
	span.upper.set = false;
	add_span(to, &span);
}

static void
add_members(Collection *to, const DynResolveContext *context, int members)
{
	const DynTemplatePart *part = context->shape;
	const DynCodec *codec = &context->part->column.codec;
	DynScalar	member = {DYN_TYPE_S, NULL, 0};

	for (int i = 0; i < members; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (part->modifier == DYN_MODIFIER_WORDS)
			member.data = part->words[i].data;
		else if (part->modifier == DYN_MODIFIER_RANGE)
			member.data = psprintf(INT64_FORMAT, part->lo + i);
		else
		{
			add_value(to, codec, BOOLOID, BoolGetDatum(i == 1));
			continue;
		}
		member.len = strlen(member.data);
		add_point(to, &member);
	}
}

/* ---- intervals ---- */

/*
 * Sets the span's lower or upper limit, if the comparison implies a limit.
 * Returns false if no stored value can satisfy the comparison.
 */
static bool
bound(DynSpan *span, const DynCodec *codec, bool lower, bool inclusive,
	  Oid valuetype, Datum value)
{
	DynLimit	limit = {true, inclusive, {DYN_TYPE_ABSENT, NULL, 0}};

	switch (dyn_codec_encode_bound(codec, valuetype, value, lower,
								   &limit.inclusive, &limit.value))
	{
		case DYN_ENCODED_NOTHING:
			return false;
		case DYN_ENCODED_ANYTHING:
		case DYN_ENCODED_UNKNOWN:
			return true;
		default:
			break;
	}
	if (lower)
		span->lower = limit;
	else
		span->upper = limit;
	return true;
}

static void
add_comparison(Collection *to, const DynCodec *codec, const DynPred *pred,
			   Datum value)
{
	DynSpan		span = {{false}, {false}};
	DynComparison comparison = pred->operator.comparison;
	bool		inclusive = comparison != DYN_COMPARE_GT && comparison != DYN_COMPARE_LT;
	bool		any = true;

	if (comparison != DYN_COMPARE_LT && comparison != DYN_COMPARE_LE)
		any = bound(&span, codec, true, inclusive, pred->valuetype, value);
	if (any && comparison != DYN_COMPARE_GT && comparison != DYN_COMPARE_GE)
		any = bound(&span, codec, false, inclusive, pred->valuetype, value);
	if (any)
		add_clipped(to, span);
}

/* Adds a span with all strings that match the pattern, or have the prefix. */
static void
add_texts(Collection *to, const DynPred *pred, Datum value)
{
	DynSpan		span = {{true, true, {DYN_TYPE_ABSENT, NULL, 0}}, {false}};
	DynScalar  *text = &span.lower.value;
	DynLike		like = DYN_LIKE_PREFIX;

	if (!dyn_encode_text(value, text))
		like = DYN_LIKE_ANYTHING;
	else if (!pred->literal)
	{
		char	   *literal;

		like = dyn_like_pattern(text->data, text->len, &literal, &text->len);
		text->data = literal;
	}
	if (like == DYN_LIKE_EQUAL)
		span.upper = span.lower;
	else if (like == DYN_LIKE_PREFIX)
		span.upper = end_of_prefix(text);
	else
		span.lower.set = false;
	add_clipped(to, span);
}

/* ---- predicates ---- */

static DynSpans templated_values(const DynResolveContext *context,
								 const DynPred *pred, const KeyLimits *limits);
static DynSpans pred_values(const DynResolveContext *context, const DynPred *pred,
							const KeyLimits *limits);

/* Returns the column of the predicate, or of the placeholder in `context`. */
static const DynColumn *
column_of(const DynResolveContext *context, const DynPred *pred)
{
	return context->part != NULL ? &context->part->column
		: dyn_relation_column(context->relation, pred->field.attnum);
}

static void
add_leaf(Collection *to, const DynResolveContext *context, const DynPred *pred)
{
	const DynColumn *column = column_of(context, pred);
	Datum		value;

	if (pred->kind == DYN_PRED_BOOLEAN)
	{
		add_value(to, &column->codec, BOOLOID, BoolGetDatum(!pred->negated));
		return;
	}
	if (pred->kind == DYN_PRED_NULL)
	{
		/* this is a segment column, which is never NULL */
		if (pred->negated)
			add_span(to, everything().at);
		return;
	}
	if (context->values->nulls[pred->param])
		return;
	value = context->values->values[pred->param];
	if (pred->kind == DYN_PRED_COMPARE && pred->operator.comparison == DYN_COMPARE_NE)
		add_others(to, context, &column->codec, pred, value);
	else if (pred->array)
		add_array(to, context, &column->codec, pred, value);
	else if (dyn_pred_compares(pred, DYN_COMPARE_EQ) && column->traits.point)
		add_value(to, &column->codec, pred->valuetype, value);
	else if (pred->kind == DYN_PRED_LIKE)
		add_texts(to, pred, value);
	else
		add_comparison(to, &column->codec, pred, value);
}

static void
add_each(Collection *to, const DynResolveContext *context, const DynPred *pred)
{
	DynSteps	steps;
	DynScalar	value;
	ListCell   *lc;

	if (pred->args == NIL)
	{
		add_members(to, context, pred->most);
		return;
	}
	Assert(context->unusable != NULL);
	dyn_steps_init(&steps, &column_of(context, pred)->codec);
	if (context->shape != NULL && context->shape->modifier == DYN_MODIFIER_RANGE &&
		context->part->column.traits.members)
		dyn_steps_within(&steps, context->shape->lo, context->shape->hi);
	foreach(lc, pred->args)
	{
		const DynPred *bound = lfirst(lc);
		DynComparison comparison = bound->operator.comparison;

		if (context->values->nulls[bound->param])
			return;
		dyn_steps_bound(&steps, comparison == DYN_COMPARE_GT || comparison == DYN_COMPARE_GE,
						comparison == DYN_COMPARE_GE || comparison == DYN_COMPARE_LE,
						bound->valuetype, context->values->values[bound->param]);
	}
	if (dyn_steps_count(&steps) > pred->most)
		*context->unusable = true;
	else
	{
		while (dyn_steps_next(&steps, &value))
			add_point(to, &value);
	}
}

static DynSpans
all_values(const DynResolveContext *context, const List *preds, const KeyLimits *limits)
{
	DynSpans	set;
	ListCell   *lc;

	if (preds == NIL)
		return everything();
	set = pred_values(context, linitial(preds), limits);
	for_each_from(lc, preds, 1)
	{
		DynSpans	other = {0, NULL};
		DynSpans	both = {0, NULL};

		if (set.n > 0)
			other = pred_values(context, lfirst(lc), limits);
		if (other.n > 0)
		{
			both.at = MemoryContextAllocHuge(CurrentMemoryContext,
											 ((Size) set.n + other.n) * sizeof(DynSpan));
			both.n = dyn_spans_intersect(&set, &other, both.at);
		}
		set = both;
	}
	return set;
}

static DynSpans
pred_values(const DynResolveContext *context, const DynPred *pred,
			const KeyLimits *limits)
{
	const DynFilterTerm *term;
	Collection	set = {.limits = limits};
	ListCell   *lc;

	check_stack_depth();
	switch (pred->kind)
	{
		case DYN_PRED_AND:
			return all_values(context, pred->args, limits);
		case DYN_PRED_OR:
			foreach(lc, pred->args)
			{
				DynSpans	arm = pred_values(context, lfirst(lc), limits);

				for (int i = 0; i < arm.n; i++)
					add_span(&set, &arm.at[i]);
			}
			break;
		case DYN_PRED_GIVEN:
			return dyn_given_holds(context->values, pred) ? everything()
				: (DynSpans) {0, NULL};
		case DYN_PRED_FILTER_TERM:
			term = &context->relation->item_filter.terms[pred->term];
			for (int i = 0; i < term->nvalues; i++)
			{
				if (term->values[i].type == limits->type)
					add_point(&set, &term->values[i]);
			}
			break;
		case DYN_PRED_EACH:
			add_each(&set, context, pred);
			break;
		case DYN_PRED_TEMPLATED:
			return templated_values(context, pred, limits);
		default:
			add_leaf(&set, context, pred);
			break;
	}
	return make_set(&set, true);
}

/* ---- templated attributes ---- */

typedef struct TemplatedParts
{
	const DynTemplatedAttr *templated;
	int			n;				/* number of leading parts in `values`; only
								 * the last may have intervals */
	int			npoints;		/* number of leading parts without intervals */
	const DynPart *determiner[DYN_TEMPLATE_MAX_PARTS];	/* part from which the
														 * text of part i is
														 * computed; or NULL */
	DynSpans	values[DYN_TEMPLATE_MAX_PARTS];
} TemplatedParts;

static bool
are_points(const DynSpans *set)
{
	bool		all = true;

	for (int i = 0; i < set->n && all; i++)
		all = dyn_span_is_point(&set->at[i]);
	return all;
}

/* True if a value's folded text is unknown, because the value is not ASCII. */
static bool
has_unknown(const DynTemplatePart *part, const DynSpans *values)
{
	bool		any = false;

	for (int i = 0; i < values->n && !any; i++)
	{
		const DynScalar *value = &values->at[i].lower.value;

		any = dyn_span_is_point(&values->at[i]) &&
			dyn_part_holds(part, (DynText) {value->data, value->len}) == DYN_HOLDS_UNKNOWN;
	}
	return any;
}

/* Returns the argument of `pred` whose list is in context->shared, or NULL. */
static const DynPred *
shared_list(const DynResolveContext *context, const DynPred *pred)
{
	ListCell   *lc;

	foreach(lc, pred->kind == DYN_PRED_AND ? pred->args : NIL)
	{
		for (int i = 0; i < context->nshared; i++)
		{
			if (dyn_same_list(context->shared[i].list, lfirst(lc)))
				return lfirst(lc);
		}
	}
	return NULL;
}

/*
 * Computes the values of the parts, up to the first part that allows a range.
 * Returns false if a part has no value.  Sets *unusable if the result must be
 * exact, but the stored text of a value is unknown.
 */
static bool
resolve_parts(const DynResolveContext *context, const DynPred *pred,
			  TemplatedParts *parts)
{
	DynResolveContext part = *context;
	const DynTemplatePart *shapes;
	ListCell   *lc;

	parts->templated = &context->relation->templated[pred->templated];
	shapes = parts->templated->tmpl->parts;
	parts->n = parts->npoints = 0;
	foreach(lc, pred->args)
	{
		const DynPred *list = shared_list(context, lfirst(lc));
		DynSpans   *values = &parts->values[parts->n];
		KeyLimits	limits = {DYN_TYPE_S, SIZE_MAX, false, false};

		part.shape = &shapes[parts->n];
		part.part = &parts->templated->parts[parts->n++];
		limits.may_be_empty = !part.part->source;
		*values = pred_values(&part, list != NULL ? list : lfirst(lc), &limits);
		if (!context->may_widen && has_unknown(part.shape, values))
			*context->unusable = true;
		if (values->n == 0)
			return false;
		if (!are_points(values))
			return true;
		parts->npoints++;
	}
	return true;
}

/* Omits trailing parts until there are at most `most` combinations. */
static void
leave_parts_out(TemplatedParts *parts, int most)
{
	int			n = 0;

	for (double total = 1; n < parts->n && total * parts->values[n].n <= most; n++)
		total *= parts->values[n].n;
	parts->n = n;
	parts->npoints = Min(parts->npoints, n);
}

/*
 * Sets points[p] from a finer part that determines it; for example, the year
 * 2024 from the month 2024-05.  Returns false if there is no result, or
 * predicates exclude it.
 */
static bool
set_unit(const TemplatedParts *parts, int p, DynText *points)
{
	const DynPart *all = parts->templated->parts;
	const struct DynPattern *pattern = all[p].column.codec.format.pattern;
	const DynPart *determiner = parts->determiner[p];
	DynText		known = points[determiner - all];
	char	   *text = palloc(DYN_INSTANT_BUFSIZE);
	Timestamp	begin;

	if (!dyn_pattern_scan(determiner->column.codec.format.pattern, known.data, known.len,
						  &begin) ||
		!dyn_pattern_print(pattern, dyn_pattern_round(pattern, begin, false), false, text))
		return false;
	points[p] = (DynText) {text, strlen(text)};
	return dyn_spans_has(&parts->values[p], &(DynScalar) {DYN_TYPE_S, text, points[p].len});
}

/*
 * Takes one span of each part, as chosen by combination `number`, and sets
 * *span to the range of the strings that the template can compose from them.
 * Returns false if it can compose no string.
 */
static bool
combine(const TemplatedParts *parts, int number, DynType type, DynSpan *span)
{
	const DynSpan *next = NULL;
	DynText		points[DYN_TEMPLATE_MAX_PARTS];
	DynTextSpan texts = {0};
	bool		point;

	for (int p = parts->n - 1; p >= 0; p--)
	{
		const DynSpans *values = &parts->values[p];
		const DynSpan *value = &values->at[number % values->n];

		if (parts->determiner[p] != NULL)
			continue;
		number /= values->n;
		if (p == parts->npoints)
			next = value;
		else
			points[p] = (DynText) {value->lower.value.data, value->lower.value.len};
	}
	for (int p = 0; p < parts->npoints; p++)
	{
		if (parts->determiner[p] != NULL && !set_unit(parts, p, points))
			return false;
	}
	/* if this fails for lack of memory, dyn_copy_bytes returns NULL below */
	(void) dyn_template_span(parts->templated->tmpl, points, parts->npoints, next, &texts);
	*span = texts.span;
	point = dyn_span_is_point(span);
	span->lower.value = (DynScalar) {type, dyn_copy_bytes(&texts.lower), texts.lower.len};
	span->upper.value = (DynScalar) {type, dyn_copy_bytes(&texts.upper), texts.upper.len};
	dyn_text_span_free(&texts);
	dyn_check_oom(span->lower.value.data == NULL || span->upper.value.data == NULL);
	if (point)
		span->upper.value = span->lower.value;
	return !texts.empty;
}

static DynSpans
templated_values(const DynResolveContext *context, const DynPred *pred,
				 const KeyLimits *limits)
{
	TemplatedParts parts;
	Collection	set = {.limits = limits};
	DynSpan		span;
	double		combinations = 1;

	if (!resolve_parts(context, pred, &parts))
		return (DynSpans) {0, NULL};
	if (limits->loosely)
		leave_parts_out(&parts, MAX_LOOSE_TEXTS);
	for (int p = 0; p < parts.n; p++)
	{
		parts.determiner[p] = p < parts.npoints
			? dyn_templated_determiner(parts.templated, p, parts.npoints) : NULL;
		if (parts.determiner[p] == NULL)
			combinations *= parts.values[p].n;
	}
	if (dyn_too_many_keys(context, combinations))
		return (DynSpans) {0, NULL};
	for (int i = 0; i < (int) combinations; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (combine(&parts, i, limits->type, &span))
			add_clipped(&set, span);
	}
	/*
	 * Do not merge adjacent spans: within the span of one combination of
	 * values, but not beyond, items are sorted by the template's next part.
	 */
	return make_set(&set, false);
}

/* ---- values of a key attribute ---- */

DynSpans
dyn_key_values(const DynResolveContext *context, const DynKeyMatch *match,
			   size_t max_bytes)
{
	KeyLimits	limits = {match->attr.type, max_bytes, false, false};

	return all_values(context, match->preds, &limits);
}

/* ---- elements of shared lists ---- */

/*
 * Removes the elements whose text in part `p` does not satisfy `pred`, which
 * is the AND of all predicates on this part.
 */
static void
keep_in_part(const DynResolveContext *context, const DynPred *pred,
			 const DynTemplatedAttr *templated, int p, DynElement *element)
{
	DynResolveContext part = *context;
	KeyLimits	limits = {DYN_TYPE_S, SIZE_MAX, !templated->parts[p].source, false};
	DynArrayElements *elements = &element->elements;
	DynSpans	allowed;
	int			count = 0;

	part.part = &templated->parts[p];
	part.shape = &templated->tmpl->parts[p];
	allowed = pred_values(&part, pred, &limits);
	part.shared = element;
	part.nshared = 1;
	for (int i = 0; i < elements->n; i++)
	{
		DynSpans	value;

		CHECK_FOR_INTERRUPTS();
		element->current = i;
		value = pred_values(&part, element->list, &limits);
		if (value.n == 0 || !dyn_spans_has(&allowed, &value.at->lower.value))
			continue;
		elements->values[count] = elements->values[i];
		elements->nulls[count++] = false;
	}
	elements->n = count;
	element->current = 0;
}

void
dyn_keep_elements(const DynResolveContext *context, const List *preds,
				  DynElement *element)
{
	DynResolveContext chosen = {.shared = element,.nshared = 1};
	ListCell   *lc;
	ListCell   *part;

	foreach(lc, preds)
	{
		const DynPred *pred = lfirst(lc);

		if (pred->kind == DYN_PRED_AND)
			dyn_keep_elements(context, pred->args, element);
		foreach(part, pred->kind == DYN_PRED_TEMPLATED ? pred->args : NIL)
		{
			const DynPred *arg = lfirst(part);

			if (list_length(arg->args) > 1 && shared_list(&chosen, arg) != NULL)
				keep_in_part(context, arg, &context->relation->templated[pred->templated],
							 foreach_current_index(part), element);
		}
	}
}

/* ---- key conditions and filter conditions ---- */

DynCond *
dyn_key_cond(const DynSpans *spans, const DynPath *path)
{
	DynSpan		all = {spans->at[0].lower, spans->at[spans->n - 1].upper};
	DynScalar  *values = palloc(2 * sizeof(DynScalar));
	DynCondKind kind;

	if (dyn_span_is_point(&all))
		kind = DYN_COND_EQ;
	else if (dyn_span_is_prefix(&all))
		kind = DYN_COND_BEGINS_WITH;
	else if (all.lower.set && all.upper.set)
		kind = DYN_COND_BETWEEN;
	else if (all.lower.set)
		kind = all.lower.inclusive ? DYN_COND_GE : DYN_COND_GT;
	else if (all.upper.set)
		kind = all.upper.inclusive ? DYN_COND_LE : DYN_COND_LT;
	else
		return NULL;
	values[0] = all.lower.set ? all.lower.value : all.upper.value;
	values[1] = all.upper.value;
	return dyn_make_cond(kind, path, values, kind == DYN_COND_BETWEEN ? 2 : 1);
}

DynCond *
dyn_templated_cond(const DynRelation *relation, const DynPred *pred,
				   const DynValues *values)
{
	DynResolveContext context = {.relation = relation,.values = values,
	.may_widen = true};
	const DynPath *path = relation->templated[pred->templated].path;
	KeyLimits	limits = {DYN_TYPE_S, MAX_TEXT_BYTES, false, true};
	DynSpans	set = templated_values(&context, pred, &limits);
	DynScalar  *points;
	DynCond    *cond;

	if (set.n == 0)
		return dyn_make_constant(false);
	cond = dyn_key_cond(&set, path);
	if (cond == NULL)
		return dyn_make_constant(true);
	if (set.n == 1 || set.n > DYN_EXPR_MAX_IN || !are_points(&set))
		return cond;
	points = palloc(set.n * sizeof(DynScalar));
	for (int i = 0; i < set.n; i++)
		points[i] = set.at[i].lower.value;
	cond->kind = DYN_COND_IN;
	cond->nvalues = set.n;
	cond->values = points;
	return cond;
}

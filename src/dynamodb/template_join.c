/*
 * template_join.c
 *		Joins texts by a key template, and bounds them (template_text.h).
 */
#include <assert.h>
#include <string.h>

#include "template_text.h"

static bool
is_continuation(char c)
{
	return ((unsigned char) c & 0xC0) == 0x80;
}

/* ---- join ---- */

static size_t
count_chars(DynText text)
{
	size_t		n = 0;
	size_t		i;

	for (i = 0; i < text.len; i++)
		n += !is_continuation(text.data[i]);
	return n;
}

DynHolds
dyn_part_holds(const DynTemplatePart *part, DynText value)
{
	if (part->facts.elsewhere)
		return part->folding == DYN_FOLD_NONE || dyn_text_is_ascii(value) ? DYN_HOLDS_YES : DYN_HOLDS_UNKNOWN;
	if (value.len == 0 ||
		(part->by_width && count_chars(value) != part->facts.width))
		return DYN_HOLDS_NEVER;
	if (!part->guarded || dyn_text_find(value, part->edge) == NULL)
		return DYN_HOLDS_YES;
	return part->undecided ? DYN_HOLDS_UNDECIDED : DYN_HOLDS_NEVER;
}

static void
append_text(DynBuffer *out, DynText text)
{
	dyn_buffer_append(out, text.data, text.len);
}

static void
append_value(DynBuffer *out, const DynTemplatePart *part, DynText value)
{
	if (dyn_buffer_append(out, value.data, value.len) && value.len > 0)
		dyn_text_fold(out->data + out->len - value.len, value.len,
					  part->folding);
}

/* The first `n` parts and the literals around them. */
static void
append_leading(DynBuffer *out, const DynTemplate *tmpl, const DynText *values,
			   int n)
{
	int			i;

	append_text(out, tmpl->literals[0]);
	for (i = 0; i < n; i++)
	{
		append_value(out, &tmpl->parts[i], values[i]);
		append_text(out, tmpl->literals[i + 1]);
	}
}

bool
dyn_template_join(const DynTemplate *tmpl, const DynText *values,
				  DynBuffer *out)
{
	append_leading(out, tmpl, values, tmpl->nparts);
	return !out->failed;
}

/* ---- bounds ---- */

void
dyn_text_bounds_init(DynTextBounds *bounds)
{
	memset(bounds, 0, sizeof(*bounds));
	dyn_buffer_init(&bounds->lower, 0);
	dyn_buffer_init(&bounds->upper, 0);
}

void
dyn_text_bounds_free(DynTextBounds *bounds)
{
	dyn_buffer_free(&bounds->lower);
	dyn_buffer_free(&bounds->upper);
}

/*
 * The points that can be used.  Sets the kind NOTHING if a value cannot exist,
 * and clears `exact` where other values may have the same text, or begin it.
 */
static void
check_points(const DynTemplate *tmpl, const DynText *points, int npoints,
			 DynTextBounds *bounds)
{
	bool		complete = npoints == tmpl->nparts;
	int			i;

	for (i = 0; i < npoints; i++)
	{
		const DynTemplatePart *part = &tmpl->parts[i];
		DynHolds	holds = dyn_part_holds(part, points[i]);

		if (holds == DYN_HOLDS_NEVER)
			bounds->kind = DYN_BOUNDS_NOTHING;
		if (holds == DYN_HOLDS_UNKNOWN)
			break;
		if (holds != DYN_HOLDS_YES || part->facts.elsewhere ||
			(part->any && !complete))
			bounds->exact = false;
		bounds->npoints++;
	}
	if (i < npoints)
		bounds->exact = false;
}

/* From the text in `lower` to the least that does not begin with it. */
static void
bound_by_prefix(DynTextBounds *bounds)
{
	bounds->lower_inclusive = true;
	bounds->upper_inclusive = false;
	append_text(&bounds->upper,
				(DynText) {bounds->lower.data, bounds->lower.len});
	bounds->has_upper = dyn_text_successor(&bounds->upper);
}

/* Replaces the end of a text behind `keep` bytes. */
static void
replace_end(DynBuffer *text, size_t keep, DynText end)
{
	text->len = keep;
	append_text(text, end);
}

/*
 * The lower bound is the prefix and the value.  With a fixed width, all texts
 * of the value itself begin with that and the next literal: an exclusive bound
 * is behind them.
 */
static void
raise_lower(DynTextBounds *bounds, const DynTemplatePart *part,
			const DynPartRange *range)
{
	append_text(&bounds->lower, range->lower);
	/* of a shorter text, many values with it at their beginning are greater */
	if (part->facts.width > 0 && !range->lower_inclusive &&
		count_chars(range->lower) == part->facts.width)
		bounds->kind = dyn_text_successor(&bounds->lower) ?
			DYN_BOUNDS_RANGE : DYN_BOUNDS_NOTHING;
	else if (part->ordered)
		bounds->lower_inclusive = range->lower_inclusive;
}

/* Only for parts that keep the order; see raise_lower. */
static void
lower_upper(DynTextBounds *bounds, const DynTemplatePart *part,
			const DynPartRange *range, size_t prefix_len)
{
	replace_end(&bounds->upper, 0,
				(DynText) {bounds->lower.data, prefix_len});
	append_text(&bounds->upper, range->upper);
	bounds->has_upper = true;
	if (part->facts.width > 0 && range->upper_inclusive)
		bounds->has_upper = dyn_text_successor(&bounds->upper);
	else
		bounds->upper_inclusive = range->upper_inclusive;
}

static bool
is_empty_range(const DynTextBounds *bounds)
{
	const DynBuffer *lower = &bounds->lower;
	const DynBuffer *upper = &bounds->upper;
	size_t		common = lower->len < upper->len ? lower->len : upper->len;
	int			order = common > 0 ?
		memcmp(lower->data, upper->data, common) : 0;

	if (!bounds->has_upper)
		return false;
	if (order == 0 && lower->len != upper->len)
		order = lower->len < upper->len ? -1 : 1;
	return order > 0 || (order == 0 && !(bounds->lower_inclusive &&
										 bounds->upper_inclusive));
}

static void
apply_range(DynTextBounds *bounds, const DynTemplatePart *part,
			const DynPartRange *range)
{
	size_t		prefix_len = bounds->lower.len;

	bounds->exact = false;
	if (!part->ordered && (range->lower.data == NULL || !part->facts.text))
		return;
	bounds->kind = DYN_BOUNDS_RANGE;
	bound_by_prefix(bounds);
	if (part->ordered && range->upper.data != NULL)
		lower_upper(bounds, part, range, prefix_len);
	if (range->lower.data != NULL)
		raise_lower(bounds, part, range);
	if (!bounds->lower.failed && !bounds->upper.failed &&
		is_empty_range(bounds))
		bounds->kind = DYN_BOUNDS_NOTHING;
}

static void
apply_prefix(DynTextBounds *bounds, const DynTemplatePart *part,
			 DynText prefix)
{
	bounds->exact = false;
	append_text(&bounds->lower, prefix);
	if (bounds->lower.len > 0)
		bounds->kind = DYN_BOUNDS_PREFIX;
	if (part->guarded && !part->undecided &&
		dyn_text_find(prefix, part->edge) != NULL)
		bounds->kind = DYN_BOUNDS_NOTHING;
}

/* What is known of the part behind the points, which are in `lower`. */
static void
apply_next(DynTextBounds *bounds, const DynTemplatePart *part,
		   const DynPartRange *next)
{
	bounds->kind = bounds->lower.len > 0 ? DYN_BOUNDS_PREFIX : DYN_BOUNDS_ALL;
	if (next == NULL || next->kind == DYN_PART_FREE)
		return;
	bounds->exact = false;
	if (part->folding != DYN_FOLD_NONE)
		return;
	if (next->kind == DYN_PART_PREFIX)
		apply_prefix(bounds, part, next->lower);
	else
		apply_range(bounds, part, next);
}

bool
dyn_template_bounds(const DynTemplate *tmpl, const DynText *points,
					int npoints, const DynPartRange *next,
					DynTextBounds *bounds)
{
	assert(tmpl->resolved && npoints <= tmpl->nparts);
	dyn_buffer_reset(&bounds->lower);
	dyn_buffer_reset(&bounds->upper);
	bounds->kind = DYN_BOUNDS_POINT;
	bounds->has_upper = bounds->lower_inclusive = bounds->upper_inclusive = false;
	bounds->exact = true;
	bounds->npoints = 0;
	check_points(tmpl, points, npoints, bounds);
	if (bounds->kind == DYN_BOUNDS_NOTHING)
		return true;
	append_leading(&bounds->lower, tmpl, points, bounds->npoints);
	if (bounds->npoints < tmpl->nparts)
		apply_next(bounds, &tmpl->parts[bounds->npoints],
				   bounds->npoints == npoints ? next : NULL);
	return !bounds->lower.failed && !bounds->upper.failed;
}

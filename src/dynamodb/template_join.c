/*
 * template_join.c
 *		Composes strings from a key template and values, and finds the span of
 *		strings for a condition (template_text.h).
 */
#include <assert.h>
#include <string.h>

#include "template_text.h"

DynHolds
dyn_part_holds(const DynTemplatePart *part, DynText value)
{
	if (part->facts.elsewhere)
		return dyn_part_compares(part, value) ? DYN_HOLDS_YES : DYN_HOLDS_UNKNOWN;
	if (value.len == 0 ||
		(part->by_width && dyn_text_chars(value) != part->facts.width))
		return DYN_HOLDS_NEVER;
	if (!part->guarded || dyn_text_find(value, part->separator) == NULL)
		return DYN_HOLDS_YES;
	return part->undecided ? DYN_HOLDS_UNDECIDED : DYN_HOLDS_NEVER;
}

static void
append_text(DynBuffer *out, DynText text)
{
	dyn_buffer_append(out, text.data, text.len);
}

/*
 * Appends the first `n` parts and the literals before and after each of them.
 */
static void
append_leading(DynBuffer *out, const DynTemplate *tmpl, const DynText *values,
			   int n)
{
	append_text(out, tmpl->literals[0]);
	for (int i = 0; i < n; i++)
	{
		append_text(out, values[i]);
		if (!out->failed && values[i].len > 0)
			dyn_text_fold(out->data + out->len - values[i].len, values[i].len,
						  tmpl->parts[i].folding);
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

void
dyn_text_span_free(DynTextSpan *span)
{
	dyn_buffer_free(&span->lower);
	dyn_buffer_free(&span->upper);
}

static DynScalar
text_scalar(const DynBuffer *text)
{
	return (DynScalar) {DYN_TYPE_S, text->data, text->len};
}

static DynText
scalar_text(const DynScalar *scalar)
{
	return (DynText) {scalar->data, scalar->len};
}

/* Sets the span to all strings that begin with the contents of `lower`. */
static void
span_prefix(DynTextSpan *span)
{
	span->span.lower.set = span->lower.len > 0;
	span->span.lower.inclusive = true;
	dyn_buffer_reset(&span->upper);
	dyn_buffer_append(&span->upper, span->lower.data, span->lower.len);
	span->span.upper.set = dyn_text_successor(&span->upper);
	span->span.upper.inclusive = false;
}

/*
 * Narrows *span, which contains all strings that begin with span->lower, by
 * the limits of `next` for the next part.  If the part's width is fixed, the
 * strings whose part has the value v are those that continue with v.  So an
 * exclusive lower limit, or an inclusive upper limit, is replaced with the
 * least string after all strings that begin with the limit.  A lower limit
 * that is shorter than the width is not replaced, because longer values that
 * begin with it are greater.
 */
static void
narrow(DynTextSpan *span, const DynTemplatePart *part, const DynSpan *next)
{
	DynText		lower = scalar_text(&next->lower.value);
	DynText		begins = {lower.data, dyn_span_beginning(next)};
	size_t		head = span->lower.len;

	if (part->facts.text)
	{
		append_text(&span->lower, begins);
		span_prefix(span);
		span->lower.len = head;
		span->empty |= part->guarded && !part->undecided &&
			begins.len > 0 && dyn_text_find(begins, part->separator) != NULL;
	}
	if (part->ordered && next->upper.set)
	{
		dyn_buffer_reset(&span->upper);
		dyn_buffer_append(&span->upper, span->lower.data, head);
		append_text(&span->upper, scalar_text(&next->upper.value));
		span->span.upper.set = true;
		span->span.upper.inclusive = next->upper.inclusive && part->facts.width == 0;
		if (next->upper.inclusive && part->facts.width > 0)
			span->span.upper.set = dyn_text_successor(&span->upper);
	}
	if (next->lower.set && (part->ordered || part->facts.text))
	{
		append_text(&span->lower, lower);
		if (part->facts.width > 0 && !next->lower.inclusive &&
			dyn_text_chars(lower) == part->facts.width)
			span->empty |= !dyn_text_successor(&span->lower);
		else if (part->ordered)
			span->span.lower.inclusive = next->lower.inclusive;
	}
	span->span.lower.set = span->lower.len > 0;
}

bool
dyn_template_span(const DynTemplate *tmpl, const DynText *points, int npoints,
				  const DynSpan *next, DynTextSpan *span)
{
	const DynTemplatePart *part;
	DynHolds	holds;
	DynScalar	point;
	int			usable;

	assert(tmpl->resolved && npoints <= tmpl->nparts);
	dyn_buffer_reset(&span->lower);
	dyn_buffer_reset(&span->upper);
	span->empty = false;
	for (usable = 0; usable < npoints; usable++)
	{
		holds = dyn_part_holds(&tmpl->parts[usable], points[usable]);
		span->empty |= holds == DYN_HOLDS_NEVER;
		if (holds == DYN_HOLDS_UNKNOWN)
			break;
	}
	append_leading(&span->lower, tmpl, points, usable);
	if (usable == tmpl->nparts)
	{
		point = text_scalar(&span->lower);
		span->span = dyn_span_of(&point);
		return !span->lower.failed;
	}
	part = &tmpl->parts[usable];
	span_prefix(span);
	if (next != NULL && usable == npoints && part->folding == DYN_FOLD_NONE)
		narrow(span, part, next);
	span->span.lower.value = text_scalar(&span->lower);
	span->span.upper.value = text_scalar(&span->upper);
	if (span->lower.failed || span->upper.failed)
		return false;
	span->empty |= dyn_span_is_empty(&span->span);
	return true;
}

/*
 * template_text.c
 *		Splits and composes strings according to a key template.
 *
 * The text (m->text) is split by steps in one direction: a literal, a part, a
 * literal, and so on.  Each step moves a position, and the end of a step
 * depends only on its start.  The parts before the `any` part are split off
 * from left to right; the parts after it are split off from right to left,
 * beginning at the end.  The `any` part is what remains.
 *
 * If the text does not match, it is matched again, with a wildcard in place of
 * each undecided part (template_text.h).  If it then matches, it is ambiguous.
 * The wildcards divide the steps into segments.  Each segment is placed at the
 * first position where it matches.  A later position would not help, because
 * it would leave no more text for the segments after it.  In a template
 * without `any`, the last segment must also end at the end of the text.
 *
 * The search for a part's separator, or for the end of a time, is cached.  A
 * part is tried at positions that move in only one direction, so its searches
 * read each byte only once.  step_unknown, which is rare, uses no cache.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* memmem */
#endif

#include <assert.h>
#include <string.h>

#include "../base/text.h"
#include "template_text.h"

#define NOWHERE		SIZE_MAX

/* A search that begins anywhere from `from` to `found` ends at `found` */
typedef struct SearchCache
{
	bool		valid;
	size_t		from;
	size_t		found;			/* position found, or NOWHERE */
} SearchCache;

typedef struct Matcher
{
	const DynTemplate *tmpl;
	const char *text;
	size_t		len;
	const DynText *given;
	DynText    *values;			/* resulting values of the parts, or NULL */
	bool		wildcards;		/* true if undecided parts match any text,
								 * including their separators */
	bool		mismatch;		/* true if a time has the wrong width */
	SearchCache searches[DYN_TEMPLATE_MAX_PARTS];
} Matcher;

/* ---- strings ---- */

size_t
dyn_text_chars(DynText text)
{
	size_t		n = 0;

	for (size_t i = 0; i < text.len; i++)
		n += !dyn_utf8_continues(text.data[i]);
	return n;
}

const char *
dyn_text_find(DynText text, DynText what)
{
	return text.len < what.len ? NULL :
		memmem(text.data, text.len, what.data, what.len);
}

static char
fold_char(char c, DynFolding folding)
{
	if (folding == DYN_FOLD_LOWER)
		return dyn_ascii_lower(c);
	if (folding == DYN_FOLD_UPPER && c >= 'a' && c <= 'z')
		return (char) (c - 'a' + 'A');
	return c;
}

void
dyn_part_fold(const DynTemplatePart *part, char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		text[i] = fold_char(text[i], part->folding);
}

/* ---- positions in the text ---- */

/* Returns the text on the right of `pos` (dir 1), or on its left (dir -1). */
static DynText
ahead(const Matcher *m, int dir, size_t pos)
{
	DynText		rest = {m->text, pos};

	if (dir > 0)
	{
		rest.data += pos;
		rest.len = m->len - pos;
	}
	return rest;
}

/* Moves *pos over `text`; all step_* functions return false on a mismatch. */
static bool
step_text(const Matcher *m, DynText text, int dir, size_t *pos)
{
	DynText		rest = ahead(m, dir, *pos);

	if (rest.len < text.len ||
		memcmp(dir > 0 ? rest.data : rest.data + rest.len - text.len, text.data,
			   text.len) != 0)
		return false;
	*pos = dir > 0 ? *pos + text.len : *pos - text.len;
	return true;
}

static bool
step_width(const Matcher *m, uint32_t width, int dir, size_t *pos)
{
	size_t		p = *pos;

	for (; width > 0; width--)
	{
		if (p == (dir > 0 ? m->len : 0))
			return false;
		p += (size_t) dir;
		while (p > 0 && p < m->len && dyn_utf8_continues(m->text[p]))
			p += (size_t) dir;
	}
	*pos = p;
	return true;
}

/* Returns the next separator's start (dir 1) or end (dir -1), or NOWHERE. */
static size_t
search_separator(const Matcher *m, DynText separator, int dir, size_t pos)
{
	DynText		rest = ahead(m, dir, pos);
	const char *found;

	if (dir > 0)
	{
		found = dyn_text_find(rest, separator);
		return found != NULL ? (size_t) (found - m->text) : NOWHERE;
	}
	for (; rest.len >= separator.len; rest.len--)
	{
		if (memcmp(rest.data + rest.len - separator.len, separator.data, separator.len) == 0)
			return rest.len;
	}
	return NOWHERE;
}

static bool
is_known(const SearchCache *cache, int dir, size_t pos)
{
	return cache->valid && (dir > 0 ? cache->from <= pos && pos <= cache->found :
							cache->from >= pos &&
							(cache->found == NOWHERE || pos >= cache->found));
}

static size_t
find_separator(Matcher *m, int i, int dir, size_t pos)
{
	SearchCache *cache = &m->searches[i];

	if (!is_known(cache, dir, pos))
	{
		cache->valid = true;
		cache->from = pos;
		cache->found = search_separator(m, m->tmpl->parts[i].separator, dir, pos);
	}
	return cache->found;
}

/* ---- parts ---- */

/*
 * Moves to the separator of part i.  If the part takes the rest of m->text,
 * moves to the end of the text instead; returns false if the rest contains the
 * separator.
 */
static bool
step_to_separator(Matcher *m, int i, int dir, size_t *pos)
{
	const DynTemplatePart *part = &m->tmpl->parts[i];
	size_t		found = part->separator.data != NULL ?
		find_separator(m, i, dir, *pos) : NOWHERE;

	if (part->last)
	{
		if (found != NOWHERE || *pos == m->len)
			return false;
		found = m->len;
	}
	if (found == NOWHERE || found == *pos)
		return false;
	*pos = found;
	return true;
}

static size_t
count_separators(DynText text, DynText c)
{
	size_t		n = 0;

	for (size_t i = 0; i + c.len <= text.len; i++)
		n += memcmp(text.data + i, c.data, c.len) == 0;
	return n;
}

/*
 * Moves over a folded part whose given value is not ASCII.  The folded form of
 * such a value is not known, but contains as many separators as the value,
 * because folding changes only letters.
 */
static bool
step_unknown(const Matcher *m, int i, int dir, size_t *pos)
{
	const DynTemplatePart *part = &m->tmpl->parts[i];
	size_t		skip;
	size_t		p = *pos;

	if (part->last)
		p = m->len;
	else if (part->any)
		return false;
	else
	{
		skip = count_separators(m->given[i], part->separator);
		for (;;)
		{
			p = search_separator(m, part->separator, dir, p);
			if (p == NOWHERE || skip-- == 0)
				break;
			p = dir > 0 ? p + part->separator.len : p - part->separator.len;
		}
	}
	if (p == NOWHERE || p == *pos)
		return false;
	*pos = p;
	return true;
}

static bool
is_given(const Matcher *m, int i)
{
	return m->given != NULL && m->tmpl->parts[i].facts.elsewhere &&
		m->given[i].data != NULL;
}

bool
dyn_part_compares(const DynTemplatePart *part, DynText value)
{
	for (size_t i = 0; part->folding != DYN_FOLD_NONE && i < value.len; i++)
	{
		if ((unsigned char) value.data[i] >= 0x80)
			return false;
	}
	return true;
}

bool
dyn_text_integer(DynText text, int64_t *value)
{
	bool		negative = text.len > 0 && text.data[0] == '-';
	size_t		i = negative;
	int64_t		n = 0;

	if (i == text.len || (text.data[i] == '0' && text.len > 1))
		return false;
	for (; i < text.len; i++)
	{
		if (text.data[i] < '0' || text.data[i] > '9' ||
			__builtin_mul_overflow(n, 10, &n) ||
			__builtin_sub_overflow(n, text.data[i] - '0', &n))
			return false;
	}
	*value = n;
	return negative || !__builtin_sub_overflow((int64_t) 0, n, value);
}

bool
dyn_part_is_enumerated(const DynTemplatePart *part)
{
	return part->modifier == DYN_MODIFIER_WORDS || part->modifier == DYN_MODIFIER_RANGE;
}

uint64_t
dyn_part_members(const DynTemplatePart *part)
{
	return part->modifier == DYN_MODIFIER_WORDS ? (uint64_t) part->nwords
		: (uint64_t) part->hi - (uint64_t) part->lo + 1;
}

bool
dyn_part_lists(const DynTemplatePart *part, DynText text)
{
	int64_t		number;

	if (part->modifier == DYN_MODIFIER_RANGE)
		return dyn_text_integer(text, &number) && number >= part->lo &&
			number <= part->hi;
	for (int i = 0; i < part->nwords; i++)
	{
		if (part->words[i].len == text.len &&
			memcmp(part->words[i].data, text.data, text.len) == 0)
			return true;
	}
	return part->modifier != DYN_MODIFIER_WORDS;
}

bool
dyn_part_agrees(const DynTemplatePart *part, DynText text, DynText given)
{
	size_t		i = 0;

	if (!dyn_part_compares(part, given))
		return true;
	while (text.len == given.len && i < given.len &&
		   text.data[i] == fold_char(given.data[i], part->folding))
		i++;
	return text.len == given.len && i == given.len;
}

/* Moves *pos over one character, which must be in the charset. */
static bool
step_listed(const Matcher *m, const char *charset, int dir, size_t *pos)
{
	size_t		p = *pos;
	DynText		c;

	if (!step_width(m, 1, dir, &p))
		return false;
	c.data = m->text + (dir > 0 ? *pos : p);
	c.len = dir > 0 ? p - *pos : *pos - p;
	if (dyn_text_find((DynText) {charset, strlen(charset)}, c) == NULL)
		return false;
	*pos = p;
	return true;
}

/*
 * Moves over a time.  Sets m->mismatch if the time does not have the width of
 * its format and its end is uncertain.  The end is certain if the part has a
 * separator, and the time is followed by the separator or by the end of
 * m->text.  In that case, the caller's codec checks the time.
 */
static bool
step_instant(Matcher *m, int i, int dir, size_t *pos)
{
	const DynTemplatePart *part = &m->tmpl->parts[i];
	SearchCache *cache = &m->searches[i];
	size_t		most = part->by_width ? part->facts.width : SIZE_MAX;
	size_t		from = *pos;
	size_t		n = 0;
	size_t		after;

	if (!part->by_width && is_known(cache, dir, from))
	{
		*pos = cache->found;
		n = dir > 0 ? *pos - from : from - *pos;
	}
	while (n < most && step_listed(m, part->facts.charset, dir, pos))
		n++;
	*cache = (SearchCache) {.valid = true,.from = from,.found = *pos};
	after = *pos;
	m->mismatch |= n > 0 && n != part->facts.width &&
		(part->separator.data == NULL ||
		 (ahead(m, dir, after).len > 0 &&
		  !step_text(m, part->separator, dir, &after)));
	return part->last ? n > 0 && *pos == m->len
		: part->by_width ? n == most : n > 0;
}

static bool
step_part(Matcher *m, int i, int dir, size_t *pos)
{
	const DynTemplatePart *part = &m->tmpl->parts[i];

	if (is_given(m, i) && dyn_part_compares(part, m->given[i]))
		return step_text(m, m->given[i], dir, pos);
	if (part->facts.instant)
		return step_instant(m, i, dir, pos);
	if (part->by_width)
		return step_width(m, part->facts.width, dir, pos);
	if (is_given(m, i))
		return step_unknown(m, i, dir, pos);
	return step_to_separator(m, i, dir, pos);
}

static void
keep_value(Matcher *m, int i, size_t from, size_t to)
{
	if (m->values == NULL)
		return;
	m->values[i].data = m->text + (from < to ? from : to);
	m->values[i].len = from < to ? to - from : from - to;
}

/* Moves over the literals `first` to `last` and the parts between them. */
static bool
step_segment(Matcher *m, int first, int last, int dir, size_t *pos)
{
	const DynText *literals = m->tmpl->literals;

	if (!step_text(m, literals[first], dir, pos))
		return false;
	for (int i = first; i != last; i += dir)
	{
		int			part = dir > 0 ? i : i - 1;
		size_t		from = *pos;

		if (!step_part(m, part, dir, pos))
			return false;
		keep_value(m, part, from, *pos);
		if (!step_text(m, literals[i + dir], dir, pos))
			return false;
	}
	return true;
}

/* ---- split ---- */

/*
 * Returns true if the `any` part can be m->text from lo to hi.
 * - If the part's value is given and can be compared, the text must be equal
 *   to it.  But if m->wildcards is true, it is enough that the value occurs in
 *   the text, which may then also contain text of undecided parts.
 * - Otherwise the text must not be empty.
 */
static bool
any_is(Matcher *m, size_t lo, size_t hi)
{
	int			any = m->tmpl->any;
	DynText		range = {m->text + lo, hi - lo};

	keep_value(m, any, lo, hi);
	if (!is_given(m, any) || !dyn_part_compares(&m->tmpl->parts[any], m->given[any]))
		return lo < hi;
	return (m->wildcards || range.len == m->given[any].len) &&
		dyn_text_find(range, m->given[any]) != NULL;
}

/*
 * Moves *pos in direction `dir` over a wildcard of at least one byte, and over
 * the segment of literals `first` to `last` that follows it.  Takes the
 * nearest position where the segment matches; returns false if there is none.
 * With `at_end`, which requires dir 1, the segment must end with the text.
 */
static bool
place_segment(Matcher *m, int first, int last, int dir, bool at_end,
			  size_t *pos)
{
	size_t		start = *pos;

	while (start != (dir > 0 ? m->len : 0))
	{
		size_t		end;

		start += (size_t) dir;
		end = start;
		if (step_segment(m, first, last, dir, &end) &&
			(!at_end || end == m->len))
		{
			*pos = end;
			return true;
		}
	}
	return false;
}

/* Returns the literal before the segment's next wildcard, or `last`. */
static int
segment_end(const Matcher *m, int first, int last, int dir)
{
	int			i = first;

	while (i != last &&
		   !(m->wildcards && m->tmpl->parts[dir > 0 ? i : i - 1].undecided))
		i += dir;
	return i;
}

/* Moves *pos over all segments of the literals `first` to `last`. */
static bool
step_segments(Matcher *m, int first, int last, int dir, bool at_end,
			  size_t *pos)
{
	int			end = segment_end(m, first, last, dir);

	if (!step_segment(m, first, end, dir, pos) ||
		(at_end && end == last && *pos != m->len))
		return false;
	while (end != last)
	{
		first = end + dir;
		end = segment_end(m, first, last, dir);
		if (!place_segment(m, first, end, dir, at_end && end == last, pos))
			return false;
	}
	return true;
}

static bool
matches(Matcher *m)
{
	const DynTemplate *tmpl = m->tmpl;
	size_t		lo = 0;
	size_t		hi = m->len;

	if (tmpl->any < 0)
		return step_segments(m, 0, tmpl->nparts, 1, true, &lo);
	return step_segments(m, 0, tmpl->any, 1, false, &lo) &&
		step_segments(m, tmpl->nparts, tmpl->any + 1, -1, false, &hi) &&
		lo <= hi && any_is(m, lo, hi);
}

DynSplit
dyn_template_split(const DynTemplate *tmpl, const char *text, size_t len,
				   const DynText *given, DynText *values)
{
	Matcher		m = {.tmpl = tmpl,.text = text,.len = len,.given = given,
	.values = values};
	DynSplit	unmatched;

	assert(tmpl->resolved);
	if (matches(&m))
		return DYN_SPLIT_MATCHES;
	unmatched = m.mismatch ? DYN_SPLIT_TYPE_MISMATCH : DYN_SPLIT_NO_MATCH;
	m.values = NULL;
	for (int i = 0; i < tmpl->nparts; i++)
		m.wildcards |= tmpl->parts[i].undecided;
	return m.wildcards && matches(&m) ? DYN_SPLIT_AMBIGUOUS : unmatched;
}

/* ---- join ---- */

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

/* Appends the first `n` parts, and the literals before and after each. */
static void
append_leading(DynBuffer *out, const DynTemplate *tmpl, const DynText *values,
			   int n)
{
	append_text(out, tmpl->literals[0]);
	for (int i = 0; i < n; i++)
	{
		append_text(out, values[i]);
		if (!out->failed && values[i].len > 0)
			dyn_part_fold(&tmpl->parts[i], out->data + out->len - values[i].len,
						  values[i].len);
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

/* ---- spans ---- */

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
 * Narrows *span.  On entry, *span is the range of all strings with the prefix
 * p = span->lower.  `next` limits the value of the part that follows p.
 *
 * For a part of fixed width, v is a limit of the value:
 * - For "<= v", the upper limit is the least string that is greater than all
 *   strings with the prefix p || v.
 * - For "> v", if v has the width of the part, the lower limit is this same
 *   string.
 * - For "> v", if v is shorter than the part, the lower limit is p || v,
 *   because longer values that begin with v satisfy "> v".
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
		DynText		upper = scalar_text(&next->upper.value);
		bool		inclusive = next->upper.inclusive;

		/* the truncated limit is less than the limit, so it is inclusive */
		for (size_t n = dyn_text_chars(upper); part->facts.width > 0 && n > part->facts.width;
			 inclusive = true)
			n -= !dyn_utf8_continues(upper.data[--upper.len]);
		dyn_buffer_reset(&span->upper);
		dyn_buffer_append(&span->upper, span->lower.data, head);
		append_text(&span->upper, upper);
		span->span.upper.set = true;
		span->span.upper.inclusive = inclusive && part->facts.width == 0;
		if (inclusive && part->facts.width > 0)
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

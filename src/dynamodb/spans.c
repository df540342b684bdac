/*
 * spans.c
 *		Intersects and unites sets of values.
 */
#include "../base/text.h"
#include "spans.h"

/* ---- successors of strings ---- */

#define LAST_CHAR	0x10FFFF

size_t
dyn_last_char_len(const char *text, size_t len)
{
	size_t		n = 1;

	while (n < len && dyn_utf8_continues(text[len - n]))
		n++;
	return n;
}

static uint32_t
decode_char(const char *p, size_t len)
{
	static const unsigned char masks[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
	uint32_t	c = (unsigned char) p[0] & masks[len];

	for (size_t i = 1; i < len; i++)
		c = c << 6 | ((unsigned char) p[i] & 0x3F);
	return c;
}

/*
 * Finds the least string that is greater than all strings that begin with
 * `text`.  It has the first *prefix bytes of `text`, and then the character in
 * `next`.  Returns the character's length, or 0 if no string is greater.
 */
static size_t
find_successor(const char *text, size_t len, size_t *prefix, char *next)
{
	while (len > 0)
	{
		size_t		n = dyn_last_char_len(text, len);
		uint32_t	c = decode_char(text + len - n, n);

		len -= n;
		if (c == LAST_CHAR)
			continue;
		*prefix = len;
		/* surrogates are not characters */
		return dyn_utf8_put(next, c == 0xD7FF ? 0xE000 : c + 1);
	}
	return 0;
}

bool
dyn_text_successor(DynBuffer *text)
{
	char		next[4];
	size_t		n = find_successor(text->data, text->len, &text->len, next);

	return n > 0 && dyn_buffer_append(text, next, n);
}

static bool
is_successor(const DynScalar *next, const DynScalar *text)
{
	char		last[4];
	size_t		prefix = 0;
	size_t		n = find_successor(text->data, text->len, &prefix, last);

	return n > 0 && next->len == prefix + n &&
		memcmp(next->data, text->data, prefix) == 0 &&
		memcmp(next->data + prefix, last, n) == 0;
}

/* ---- spans ---- */

DynSpan
dyn_span_of(const DynScalar *value)
{
	DynLimit	limit = {true, true, *value};

	return (DynSpan) {limit, limit};
}

bool
dyn_span_is_prefix(const DynSpan *span)
{
	return span->lower.set && span->lower.inclusive && span->upper.set &&
		!span->upper.inclusive && span->lower.value.type == DYN_TYPE_S &&
		is_successor(&span->upper.value, &span->lower.value);
}

size_t
dyn_span_beginning(const DynSpan *span)
{
	DynScalar	text = span->lower.value;
	const DynScalar *end = &span->upper.value;
	size_t		n = 0;

	if (!span->lower.set || !span->upper.set || text.type != DYN_TYPE_S)
		return 0;
	while (n < text.len && n < end->len && text.data[n] == end->data[n])
		n++;
	while (n > 0 && n < text.len && dyn_utf8_continues(text.data[n]))
		n--;
	if (n == text.len || span->upper.inclusive)
		return n;
	/* if the span is ["ab", "ac"), its strings share "ab", not only "a" */
	for (text.len = n + 1; text.len < span->lower.value.len &&
		 dyn_utf8_continues(text.data[text.len]);)
		text.len++;
	return is_successor(end, &text) ? text.len : n;
}

bool
dyn_span_is_empty(const DynSpan *span)
{
	int			order;

	if (!span->lower.set || !span->upper.set)
		return false;
	order = dyn_scalar_compare(&span->lower.value, &span->upper.value);
	return order > 0 ||
		(order == 0 && !(span->lower.inclusive && span->upper.inclusive));
}

/*
 * Compares two lower limits, or two upper limits if `upper`, like strcmp().  A
 * missing lower limit sorts first, a missing upper limit last.
 */
static int
compare_limits(const DynLimit *a, const DynLimit *b, bool upper)
{
	int			sign = upper ? -1 : 1;
	int			order;

	if (!a->set || !b->set)
		return sign * (a->set - b->set);
	order = dyn_scalar_compare(&a->value, &b->value);
	return order != 0 ? order : sign * (b->inclusive - a->inclusive);
}

int
dyn_span_compare(const DynSpan *a, const DynSpan *b)
{
	return compare_limits(&a->lower, &b->lower, false);
}

/* ---- sets ---- */

/*
 * Returns true if two spans overlap or, with `touching`, have no value between
 * them.  `end` is the upper limit of the span that sorts first
 * (dyn_span_compare), and `begin` is the lower limit of the other span.
 */
static bool
reaches(const DynLimit *end, const DynLimit *begin, bool touching)
{
	int			order;

	if (!end->set || !begin->set)
		return true;
	order = dyn_scalar_compare(&begin->value, &end->value);
	if (order != 0)
		return order < 0;
	return touching ? end->inclusive || begin->inclusive
		: end->inclusive && begin->inclusive;
}

int
dyn_spans_unite(DynSpan *spans, int n, bool touching)
{
	int			left = 0;

	for (int i = 0; i < n; i++)
	{
		bool		apart = left == 0 ||
			!reaches(&spans[left - 1].upper, &spans[i].lower, touching);

		if (apart)
			spans[left++] = spans[i];
		else if (compare_limits(&spans[left - 1].upper, &spans[i].upper, true) < 0)
			spans[left - 1].upper = spans[i].upper;
	}
	return left;
}

int
dyn_spans_intersect(const DynSpans *a, const DynSpans *b, DynSpan *out)
{
	int			n = 0;
	int			i = 0;
	int			j = 0;

	while (i < a->n && j < b->n)
	{
		const DynSpan *x = &a->at[i];
		const DynSpan *y = &b->at[j];
		int			order = compare_limits(&x->upper, &y->upper, true);

		out[n].lower = compare_limits(&x->lower, &y->lower, false) < 0 ? y->lower : x->lower;
		out[n].upper = order > 0 ? y->upper : x->upper;
		n += !dyn_span_is_empty(&out[n]);
		i += order <= 0;
		j += order >= 0;
	}
	return n;
}

bool
dyn_spans_has(const DynSpans *spans, const DynScalar *value)
{
	DynSpan		point = dyn_span_of(value);
	int			lo = 0;
	int			hi = spans->n;

	while (lo < hi)
	{
		int			mid = lo + (hi - lo) / 2;

		if (compare_limits(&spans->at[mid].upper, &point.upper, true) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < spans->n && compare_limits(&spans->at[lo].lower, &point.lower, false) <= 0;
}

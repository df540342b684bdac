/*
 * spans.h
 *		Sets of values of a key attribute, or of a template's placeholder.
 *
 * A set is a sorted array of spans that do not overlap; an empty array is the
 * empty set.  A single value is the span from the value to itself.  The
 * strings that begin with a prefix are the span from the prefix up to, but not
 * including, the least string that is greater than all of them.  The values of
 * a set have one type, and the order of DynamoDB's keys (dyn_scalar_compare).
 *
 * Spans own no memory: their values point to the caller's memory.
 */
#ifndef DYN_DYNAMODB_SPANS_H
#define DYN_DYNAMODB_SPANS_H

#include "wire.h"

/* The lower or upper limit of a span */
typedef struct DynLimit
{
	bool		set;			/* false: no limit */
	bool		inclusive;
	DynScalar	value;
} DynLimit;

typedef struct DynSpan
{
	DynLimit	lower;
	DynLimit	upper;
} DynSpan;

typedef struct DynSpans
{
	int			n;
	DynSpan    *at;
} DynSpans;

/* Returns the span that contains only this value. */
extern DynSpan dyn_span_of(const DynScalar *value);

/*
 * Returns true if the span, which must not be empty, contains a single value.
 * It is enough to compare bytes, because equal values have equal bytes.
 */
static inline bool
dyn_span_is_point(const DynSpan *span)
{
	const DynScalar *lo = &span->lower.value;
	const DynScalar *hi = &span->upper.value;

	/* analyzer: lo->data and hi->data are not NULL, as the limits are set */
	return span->lower.set && span->upper.set && lo->len == hi->len &&
		(lo->data == hi->data || memcmp(lo->data, hi->data, lo->len) == 0);
}

/* Returns true if the limits of the span exclude all values. */
extern bool dyn_span_is_empty(const DynSpan *span);

/* Returns true if the span is all strings that begin with its lower limit. */
extern bool dyn_span_is_prefix(const DynSpan *span);

/*
 * Returns the length (bytes) of the prefix that all strings of the span share
 * with its lower limit; 0 if a limit is missing, or the values are not strings.
 */
extern size_t dyn_span_beginning(const DynSpan *span);

/* Compares two spans by their lower limits, like strcmp(). */
extern int	dyn_span_compare(const DynSpan *a, const DynSpan *b);

/*
 * Makes a set, in place, from `n` spans that are sorted by dyn_span_compare().
 * Returns the number of spans in the set.  Two spans with no value between
 * them, such as [1, 2) and [2, 3], are merged only if `touching` is true.
 */
extern int	dyn_spans_unite(DynSpan *spans, int n, bool touching);

/*
 * Stores the intersection of two sets in `out`, which must have space for a->n
 * + b->n spans.  Returns the number of spans stored.
 */
extern int	dyn_spans_intersect(const DynSpans *a, const DynSpans *b,
								DynSpan *out);

extern bool dyn_spans_has(const DynSpans *spans, const DynScalar *value);

/* Returns the length (bytes) of the last character of a string. */
extern size_t dyn_last_char_len(const char *text, size_t len);

/*
 * Replaces the string s in `text` with the least string that is greater than
 * all strings that begin with s.  Returns false if no string is greater, or if
 * memory runs out (text->failed).
 */
extern bool dyn_text_successor(DynBuffer *text);

#endif

/*
 * spans.h
 *		Sets of values of a key attribute, or of a part of its text.
 *
 * A set is a sorted array of spans that do not overlap; an empty array is the
 * empty set.  A single value is the span from the value to itself.  The texts
 * with a common prefix are the span from the prefix up to, but not including,
 * the least text that is greater than all of these texts.  The values of a set
 * have one type, and the order of DynamoDB's keys (dyn_scalar_compare).
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
 * Compares bytes, which are the same for equal values.
 */
static inline bool
dyn_span_is_point(const DynSpan *span)
{
	const DynScalar *lo = &span->lower.value;
	const DynScalar *hi = &span->upper.value;

	/* analyzer: a limit that is set has data */
	return span->lower.set && span->upper.set && lo->len == hi->len &&
		(lo->data == hi->data || memcmp(lo->data, hi->data, lo->len) == 0);
}

/* Returns true if the limits of the span exclude all values. */
extern bool dyn_span_is_empty(const DynSpan *span);

/*
 * Returns true if the span consists of all texts that begin with its lower
 * value.
 */
extern bool dyn_span_is_prefix(const DynSpan *span);

/*
 * Returns the length (in bytes) of the prefix that the lower value has in
 * common with all texts of the span.
 */
extern size_t dyn_span_beginning(const DynSpan *span);

/* Compares two spans by their lower limits, like strcmp(). */
extern int	dyn_span_compare(const DynSpan *a, const DynSpan *b);

/*
 * Makes a set from `n` spans sorted by dyn_span_compare(), in place.  Returns
 * the number of spans in the set.  Two spans that do not overlap, but have no
 * value between them, are merged only if `touching` is true.
 */
extern int	dyn_spans_unite(DynSpan *spans, int n, bool touching);

/*
 * Stores the intersection of two sets in `out`, which must have space for a->n
 * + b->n spans.  Returns the number of spans stored.
 */
extern int	dyn_spans_intersect(const DynSpans *a, const DynSpans *b,
								DynSpan *out);

extern bool dyn_spans_has(const DynSpans *spans, const DynScalar *value);

/*
 * Replaces the text with the least text that is greater than all texts that
 * begin with the old text.  Returns false if there is none, or if memory runs
 * out (text->failed).
 */
extern bool dyn_text_successor(DynBuffer *text);

#endif

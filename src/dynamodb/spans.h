/*
 * spans.h
 *		Sets of values of a key attribute, or of a part of its text.
 *
 * A set is an array of spans in their order, of which no two overlap; an empty
 * array is the empty set.  A value alone is the span from it to itself; the
 * texts with one beginning are the span from that to the least text that is
 * greater than all of them, where the texts with the next beginning start.  The values of a set have one type, and the order
 * of DynamoDB's keys (dyn_scalar_compare).
 *
 * Nothing is allocated or copied here: values point to the caller's memory.
 */
#ifndef DYN_DYNAMODB_SPANS_H
#define DYN_DYNAMODB_SPANS_H

#include "wire.h"

/* Where a span begins, or ends. */
typedef struct DynLimit
{
	bool		set;			/* false: nowhere */
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

/* The value alone. */
extern DynSpan dyn_span_of(const DynScalar *value);

/* Is it a value alone?  Equal values have the same bytes. */
static inline bool
dyn_span_is_point(const DynSpan *span)
{
	const DynScalar *lo = &span->lower.value;
	const DynScalar *hi = &span->upper.value;

	return span->lower.set && span->upper.set && lo->len == hi->len &&
		(lo->data == hi->data || memcmp(lo->data, hi->data, lo->len) == 0);
}

/* Has it any value?  Only its limits are compared. */
extern bool dyn_span_is_empty(const DynSpan *span);

/* Is it all texts that begin with its lower value? */
extern bool dyn_span_is_prefix(const DynSpan *span);

/* So many bytes of its lower value all its texts begin with. */
extern size_t dyn_span_beginning(const DynSpan *span);

/* By where they begin: for sorting what dyn_spans_unite() takes. */
extern int	dyn_span_compare(const DynSpan *a, const DynSpan *b);

/*
 * Makes a set of `n` spans in that order, in place; returns their number.
 * Neighbors with no value between them become one span only if `touching`.
 */
extern int	dyn_spans_unite(DynSpan *spans, int n, bool touching);

/* The values in both, in `out`, which has room for a->n + b->n. */
extern int	dyn_spans_intersect(const DynSpans *a, const DynSpans *b,
								DynSpan *out);

extern bool dyn_spans_has(const DynSpans *spans, const DynScalar *value);

/*
 * Makes the least text that is greater than all that begin with this one.
 * Returns false if there is none, or if memory runs out (text->failed).
 */
extern bool dyn_text_successor(DynBuffer *text);

#endif

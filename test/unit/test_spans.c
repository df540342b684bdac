/*
 * test_spans.c
 *		Sets of values: every operation is compared with what it means for each
 *		text of a small world, where texts begin each other, up to the last
 *		character.
 */
#include "harness.h"

#include "dynamodb/spans.h"

#include <stdlib.h>

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

#define LAST		"\364\217\277\277"
#define NSETS		3000
#define MAX_SPANS	6

/* In their order. */
static const char *const world[] = {
	"", "a", "a!", "aa", "aa\177", "ab", "a\303\277", "a" LAST, "a" LAST LAST, "b",
	"b!", "ba", "\177", "\302\200", "\355\237\277", "\356\200\200", LAST, LAST "a",
};
#define NWORLD		((int) LENGTHOF(world))

static unsigned int seed = 11;

static int
pick(int n)
{
	seed = seed * 1103515245u + 12345u;
	return (int) ((seed >> 16) % (unsigned int) n);
}

static DynScalar
text(int i)
{
	return (DynScalar) {DYN_TYPE_S, world[i], strlen(world[i])};
}

static DynLimit
random_limit(void)
{
	return (DynLimit) {pick(8) > 0, pick(2), text(pick(NWORLD))};
}

static bool
is_within(const DynSpan *span, int i)
{
	DynScalar	value = text(i);
	int			lower = dyn_scalar_compare(&value, &span->lower.value);
	int			upper = dyn_scalar_compare(&value, &span->upper.value);

	return (!span->lower.set || lower > 0 || (lower == 0 && span->lower.inclusive)) &&
		(!span->upper.set || upper < 0 || (upper == 0 && span->upper.inclusive));
}

static int
compare(const void *a, const void *b)
{
	return dyn_span_compare(a, b);
}

/* Some spans, of which `in` has every text that is in one; they become a set. */
static DynSpans
random_set(DynSpan *space, bool *in, bool touching)
{
	DynSpans	set = {pick(MAX_SPANS), space};
	int			n = 0;
	int			i;
	int			k;

	memset(in, 0, NWORLD);
	for (i = 0; i < set.n; i++)
	{
		DynScalar	value = text(pick(NWORLD));

		space[n] = pick(3) > 0 ? dyn_span_of(&value)
			: (DynSpan) {random_limit(), random_limit()};
		for (k = 0; k < NWORLD; k++)
			in[k] |= is_within(&space[n], k);
		n += !dyn_span_is_empty(&space[n]);
	}
	qsort(space, (size_t) n, sizeof(DynSpan), compare);
	set.n = dyn_spans_unite(space, n, touching);
	return set;
}

/* No two spans overlap; nor do they touch, if those that do are one. */
static bool
is_set(const DynSpans *set, bool touching)
{
	int			i;

	for (i = 1; i < set->n; i++)
	{
		const DynLimit *end = &set->at[i - 1].upper;
		const DynLimit *begin = &set->at[i].lower;
		int			order = dyn_scalar_compare(&end->value, &begin->value);

		if (!end->set || !begin->set || order > 0 ||
			(order == 0 && end->inclusive && begin->inclusive) ||
			(order == 0 && touching && (end->inclusive || begin->inclusive)))
			return false;
	}
	return true;
}

static void
sets_are_what_they_hold(void)
{
	DynSpan		capacities[3][2 * MAX_SPANS];
	bool		in[2][LENGTHOF(world)];
	int			n;
	int			i;

	for (n = 0; n < NSETS; n++)
	{
		DynSpans	a = random_set(capacities[0], in[0], n % 2 == 0);
		DynSpans	b = random_set(capacities[1], in[1], n % 3 == 0);
		DynSpans	both = {0, capacities[2]};

		both.n = dyn_spans_intersect(&a, &b, both.at);
		CHECK(is_set(&a, n % 2 == 0) && is_set(&b, n % 3 == 0) && is_set(&both, false));
		for (i = 0; i < NWORLD; i++)
		{
			DynScalar	value = text(i);

			CHECK(dyn_spans_has(&a, &value) == in[0][i]);
			CHECK(dyn_spans_has(&both, &value) == (in[0][i] && in[1][i]));
		}
	}
}

static void
points_and_prefixes_are_known(void)
{
	DynBuffer	end;
	int			i;
	int			k;

	dyn_buffer_init(&end, 0);
	for (i = 1; i < NWORLD; i++)
	{
		DynScalar	value = text(i);
		DynSpan		span = dyn_span_of(&value);
		bool		ends;

		CHECK(dyn_span_is_point(&span) && !dyn_span_is_prefix(&span));
		dyn_buffer_reset(&end);
		dyn_buffer_append(&end, value.data, value.len);
		ends = dyn_text_successor(&end);
		CHECK(ends == (strncmp(value.data, LAST LAST, value.len) != 0));
		span.upper = (DynLimit) {ends, false, {DYN_TYPE_S, end.data, end.len}};
		CHECK(dyn_span_is_prefix(&span) == ends);
		for (k = 0; k < NWORLD && ends; k++)
		{
			CHECK(is_within(&span, k) ==
				  (strncmp(world[k], world[i], value.len) == 0));
			span.upper.value = text(k);
			CHECK(dyn_span_is_prefix(&span) ==
				  (strlen(world[k]) == end.len &&
				   memcmp(world[k], end.data, end.len) == 0));
			span.upper.value = (DynScalar) {DYN_TYPE_S, end.data, end.len};
		}
	}
	dyn_buffer_free(&end);
}

int
main(void)
{
	RUN(sets_are_what_they_hold);
	RUN(points_and_prefixes_are_known);
	return DONE("spans");
}

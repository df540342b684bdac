/*
 * test_template_all.c
 *		Key templates against all short texts of a small alphabet.
 *
 * A slow matcher tries every way to divide a text among the parts of a
 * template, by rules that each template's line below states for itself: a text
 * matches if there is a way, and there is never more than one; it is ambiguous if
 * there is one only when undecided parts may be anything.  Joins and spans
 * are compared with what that gives for all texts.
 */
#include <ctype.h>

#include "harness.h"

#include "dynamodb/template_text.h"
#include "template_facts.h"

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

#define MAX_PARTS	4

/*
 * The rule of a part: "u#" undecided, without "#"; "d#" the same, but decided;
 * "d" anything; "w2" two characters; "=a#" exactly that.
 */
typedef struct Subject
{
	const char *tmpl;
	const char *rules[MAX_PARTS];
} Subject;

static const Subject subjects[] = {
	{"a#", {NULL}},
	{"#${b}", {"u#"}},
	{"#${b:plain}", {"d#"}},
	{"#${b:any}", {"d"}},
	{"a${b}", {"d"}},
	{"a-${b}", {"d"}},
	{"a-${n}", {"d-"}},
	{"#a-${b}", {"u#"}},
	{"a-${t:fixed(2)}", {"d"}},
	{"a-${n:padded(2)}", {"d-"}},
	{"\303\244${b}", {"u\303\244"}},
	{"\303\244a${b:1|a}", {"d\303\244"}},
	{"${a}#", {"u#"}},
	{"${a}##", {"u#"}},
	{"${a}#-#", {"u#"}},
	{"${a}#${b}", {"u#", "u#"}},
	{"${a}a${b}", {"ua", "d"}},
	{"${a}-${n}", {"u-", "d-"}},
	{"${n}-${a}", {"d-", "d"}},
	{"${a:plain}#${b}", {"d#", "u#"}},
	{"${a}#${b:plain}", {"u#", "d#"}},
	{"${a}#-${b}", {"u#", "u#"}},
	{"${a}-#${b}", {"u-", "u#"}},
	{"${a}##${b}", {"u#", "u#"}},
	{"${a}\303\244#${b}", {"u\303\244", "u#"}},
	{"${a}#\303\244${b}", {"u#", "u\303\244"}},
	{"${a:any}#${b}", {"d", "u#"}},
	{"${a}#${b:any}", {"u#", "d"}},
	{"${a:any}#-${b}", {"d", "u-"}},
	{"${a:any}#-${n}", {"d", "d-"}},
	{"${a:any}a${b}", {"d", "ua"}},
	{"${a:any}#${b}-", {"d", "u#"}},
	{"${a:any}\303\244${b}", {"d", "u\303\244"}},
	{"${a}-${b:any}#${c}", {"u-", "d", "u#"}},
	{"${a}-${b:any}#${c}a", {"u-", "d", "u#"}},
	{"${a}#${b}-${c}", {"u#", "u-", "u#"}},
	{"${a}#${n}-${c}", {"u#", "d-", "u#"}},
	{"${a}##${n}#${c}", {"u#", "d#", "u#"}},
	{"${a}#${b:plain}#-${c}", {"u#", "d#", "u#"}},
	{"${a:any}#-${b:plain}-${c}", {"d", "d-", "u-"}},
	{"${a:any}-#${n}#${c}", {"d", "d#", "u#"}},
	{"${a:any}#${b}#${c:plain}", {"d", "u#", "d#"}},
	{"${t:fixed(2)}${b}", {"w2", "d"}},
	{"${t:fixed(2)}#${b}", {"w2", "u#"}},
	{"${n:padded(2)}#${b}", {"d#", "u#"}},
	{"${n:padded(1)}${n2:padded(1)}#${b}", {"w1", "w1", "u#"}},
	{"${n:padded(1)}${n2:padded(1)}", {"w1", "d"}},
	{"${a}#${t:fixed(1)}${b}", {"u#", "w1", "u#"}},
	{"${a:any}${t:fixed(2)}", {"d", "w2"}},
	{"${t:fixed(2)}${a:any}", {"w2", "d"}},
	{"${a:any}#${t:fixed(1)}${t2:fixed(1)}", {"d", "w1", "w1"}},
	{"${a}#${b:any}-${t:fixed(1)}#", {"u#", "d", "w1"}},
	{"${x}#${b}", {"=a#", "u#"}},
	{"${a}#${x}", {"u#", "=-#"}},
	{"${a}#${x}#${b}", {"u#", "=a#", "u#"}},
	{"${a}#${x:lower}#${b}", {"u#", "=a#", "u#"}},
	{"${a}#${x:upper,any}#${b:plain}", {"u#", "=-", "d#"}},
	{"${x:lower,any}#${b}", {"=a#", "u#"}},
};

/* ---- all short texts --------------------------------------------------- */

static const char *const alphabet[] = {"a", "#", "-", "1", "\303\244"};

#define MAX_BYTES	16

typedef struct Short
{
	char		data[MAX_BYTES];
	size_t		len;
} Short;

/* 1 + 5 + ... + 5^6, by length. */
static Short texts[19531];

/* How many there are of at most that length. */
static const int ntexts[] = {1, 6, 31, 156, 781, 3906, 19531};

static void
make_texts(void)
{
	int			n = 1;
	int			i;

	for (i = 0; n < (int) LENGTHOF(texts); i++)
	{
		size_t		k;

		for (k = 0; k < LENGTHOF(alphabet); k++, n++)
		{
			size_t		len = strlen(alphabet[k]);

			texts[n] = texts[i];
			memcpy(texts[n].data + texts[n].len, alphabet[k], len);
			texts[n].len += len;
		}
	}
}

static DynText
text_at(int i)
{
	return (DynText) {texts[i].data, texts[i].len};
}

static int
compare(DynText a, DynText b)
{
	int			order = memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static bool
begins_with(DynText text, DynText start)
{
	return text.len >= start.len && memcmp(text.data, start.data, start.len) == 0;
}

static size_t
count_chars(DynText text)
{
	size_t		n = 0;
	size_t		i;

	for (i = 0; i < text.len; i++)
		n += (text.data[i] & 0xC0) != 0x80;
	return n;
}

static bool
contains(DynText text, const char *what)
{
	size_t		len = strlen(what);
	size_t		i;

	for (i = 0; len > 0 && i + len <= text.len; i++)
	{
		if (memcmp(text.data + i, what, len) == 0)
			return true;
	}
	return false;
}

/* ---- the slow matcher -------------------------------------------------- */

static bool
rule_accepts(const char *rule, DynText value, bool wild)
{
	if (rule[0] == '=')
		return compare(value, (DynText) {rule + 1, strlen(rule + 1)}) == 0;
	if (value.len == 0)
		return false;
	if (rule[0] == 'w')
		return count_chars(value) == (size_t) (rule[1] - '0');
	return (wild && rule[0] == 'u') || !contains(value, rule + 1);
}

typedef struct Search
{
	const DynTemplate *tmpl;
	const Subject *subject;
	bool		wild;
	int			found;
	DynText		values[MAX_PARTS];
	DynText		first[MAX_PARTS];	/* of the first way that was found */
} Search;

/* Counts the ways in which the rest is literal i, part i, literal i + 1 ... */
static void
search(Search *s, int i, DynText rest)
{
	DynText		literal = s->tmpl->literals[i];
	size_t		n;

	if (!begins_with(rest, literal))
		return;
	rest.data += literal.len;
	rest.len -= literal.len;
	if (i == s->tmpl->nparts)
	{
		if (rest.len == 0 && s->found++ == 0)
			memcpy(s->first, s->values, sizeof(s->first));
		return;
	}
	for (n = 0; n <= rest.len; n++)
	{
		if (n < rest.len && (rest.data[n] & 0xC0) == 0x80)
			continue;
		s->values[i] = (DynText) {rest.data, n};
		if (rule_accepts(s->subject->rules[i], s->values[i], s->wild))
			search(s, i + 1, (DynText) {rest.data + n, rest.len - n});
	}
}

static Search
search_all(const DynTemplate *tmpl, const Subject *subject, DynText text,
		   bool wild)
{
	Search		s = {.tmpl = tmpl,.subject = subject,.wild = wild};

	search(&s, 0, text);
	return s;
}

/* ---- for each template ------------------------------------------------- */

typedef struct Case
{
	const Subject *subject;
	DynTemplate *tmpl;
	char		memory[MAX_PARTS][MAX_BYTES];
	DynText		given[MAX_PARTS];
	DynText		folded[MAX_PARTS];
} Case;

/* The given texts are those of the rules, folded the other way. */
static bool
open_case(Case *c, const Subject *subject)
{
	DynTemplateError error;
	int			i;

	memset(c, 0, sizeof(*c));
	c->subject = subject;
	c->tmpl = make_template(subject->tmpl, &error);
	if (!CHECK(c->tmpl != NULL))
	{
		printf("#     %s: %s\n", subject->tmpl, error.message);
		return false;
	}
	for (i = 0; i < c->tmpl->nparts; i++)
	{
		DynFolding	folding = c->tmpl->parts[i].folding;

		if (subject->rules[i][0] != '=')
			continue;
		strcpy(c->memory[i], subject->rules[i] + 1);
		c->given[i] = (DynText) {c->memory[i], strlen(c->memory[i])};
		c->folded[i] = (DynText) {subject->rules[i] + 1, c->given[i].len};
		for (char *p = c->memory[i]; folding != DYN_FOLD_NONE && *p != '\0'; p++)
			*p = (char) (folding == DYN_FOLD_LOWER ? toupper((unsigned char) *p)
						 : tolower((unsigned char) *p));
	}
	return true;
}

static void
for_each_case(void (*test) (Case *c))
{
	size_t		i;

	for (i = 0; i < LENGTHOF(subjects); i++)
	{
		Case		c;

		if (!open_case(&c, &subjects[i]))
			continue;
		test(&c);
		dyn_template_free(c.tmpl);
	}
}

static void
complain(const Case *c, DynText text)
{
	printf("#     %s: %.*s\n", c->subject->tmpl, (int) text.len, text.data);
}

/* ---- edges ---- */

static void
separators_of_case(Case *c)
{
	int			i;

	for (i = 0; i < c->tmpl->nparts; i++)
	{
		const DynTemplatePart *part = &c->tmpl->parts[i];
		const char *rule = c->subject->rules[i];
		bool		ok = part->undecided == (rule[0] == 'u') &&
			part->by_width == (rule[0] == 'w');

		if (ok && (rule[0] == 'u' || rule[0] == 'd'))
			ok = compare(part->guarded ? part->separator : (DynText) {"", 0},
						 (DynText) {rule + 1, strlen(rule + 1)}) == 0;
		if (!CHECK(ok))
			complain(c, part->column);
	}
}

static void
parts_have_the_separators_of_their_rules(void)
{
	for_each_case(separators_of_case);
}

/* ---- split ---- */

static bool
equal_values(const DynText *a, const DynText *b, int n)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		if (compare(a[i], b[i]) != 0)
			return false;
	}
	return true;
}

static DynSplit
expected_split(const Case *c, DynText text, Search *strict)
{
	*strict = search_all(c->tmpl, c->subject, text, false);
	CHECK(strict->found <= 1);
	if (strict->found > 0)
		return DYN_SPLIT_MATCHES;
	return search_all(c->tmpl, c->subject, text, true).found > 0 ?
		DYN_SPLIT_AMBIGUOUS : DYN_SPLIT_NO_MATCH;
}

/* With a given `any` part, a text that does not match may count as ambiguous. */
static bool
is_in_doubt(const Case *c, DynSplit split, DynSplit expected)
{
	return c->tmpl->any >= 0 && c->given[c->tmpl->any].data != NULL &&
		split == DYN_SPLIT_AMBIGUOUS && expected == DYN_SPLIT_NO_MATCH;
}

static void
split_all(Case *c)
{
	int			matching = 0;
	int			i;

	for (i = 0; i < (int) LENGTHOF(texts); i++)
	{
		Search		strict;
		DynText		values[DYN_TEMPLATE_MAX_PARTS];
		DynSplit		expected = expected_split(c, text_at(i), &strict);
		DynSplit		split = dyn_template_split(c->tmpl, texts[i].data, texts[i].len,
										   c->folded, values);

		matching += split == DYN_SPLIT_MATCHES;
		if (is_in_doubt(c, split, expected))
			continue;
		if (!CHECK_EQ_INT(split, expected) ||
			(split == DYN_SPLIT_MATCHES &&
			 !CHECK(equal_values(values, strict.first, c->tmpl->nparts))))
		{
			complain(c, text_at(i));
			return;
		}
	}
	CHECK(matching > 0);
}

static void
all_texts_are_split_as_the_slow_matcher_does(void)
{
	for_each_case(split_all);
}

/* ---- ways ---- */

typedef struct Ways
{
	int			n;
	DynText		first[DYN_TEMPLATE_MAX_PARTS];
	int			nparts;
} Ways;

static bool
count_way(void *arg, const DynText *values)
{
	Ways	   *ways = arg;

	if (ways->n++ == 0)
		memcpy(ways->first, values, (size_t) ways->nparts * sizeof(DynText));
	return false;
}

static void
find_ways(Case *c, bool guess)
{
	int			i;

	for (i = 0; i < ntexts[5]; i++)
	{
		Search		all = search_all(c->tmpl, c->subject, text_at(i), guess);
		Ways		found = {.nparts = c->tmpl->nparts};
		int			steps = 1000000;
		DynWays		ways = {c->tmpl, text_at(i), c->given, guess, count_way,
		&found, &steps, {{0}}};

		CHECK(!dyn_template_ways(&ways));
		if (!CHECK_EQ_INT(found.n, all.found) ||
			(found.n > 0 &&
			 !CHECK(equal_values(found.first, all.first, c->tmpl->nparts))))
		{
			complain(c, text_at(i));
			return;
		}
	}
}

static void
find_all_ways(Case *c)
{
	find_ways(c, false);
	find_ways(c, true);
}

static void
all_ways_are_found(void)
{
	for_each_case(find_all_ways);
}

static bool
stop(void *arg, const DynText *values)
{
	(void) values;
	++*(int *) arg;
	return true;
}

static void
the_search_ends(void)
{
	DynTemplateError error;
	DynTemplate *tmpl = make_template("${a}#${b}#${c}#${d}", &error);
	DynText		known[DYN_TEMPLATE_MAX_PARTS] = {{NULL, 0}};
	char		text[200];
	int			found = 0;
	int			steps = 5000;
	DynWays		ways = {tmpl, {text, sizeof(text)}, known, true, stop, &found, &steps, {{0}}};

	memset(text, '#', sizeof(text));
	CHECK(dyn_template_ways(&ways));
	CHECK_EQ_INT(found, 1);
	known[3] = (DynText) {"x", 1};
	CHECK(dyn_template_ways(&ways));
	CHECK(found == 1 && steps < 0);
	dyn_template_free(tmpl);
}

/* ---- join ---- */

static void
rejoin_all(Case *c)
{
	DynBuffer	out;
	int			i;

	dyn_buffer_init(&out, 0);
	for (i = 0; i < ntexts[5]; i++)
	{
		DynText		values[DYN_TEMPLATE_MAX_PARTS];
		int			k;

		if (dyn_template_split(c->tmpl, texts[i].data, texts[i].len, c->folded,
							 values) != DYN_SPLIT_MATCHES)
			continue;
		for (k = 0; k < c->tmpl->nparts; k++)
		{
			if (!CHECK_EQ_INT(dyn_part_holds(&c->tmpl->parts[k], values[k]),
							  DYN_HOLDS_YES))
				complain(c, text_at(i));
		}
		dyn_buffer_reset(&out);
		CHECK(dyn_template_join(c->tmpl, values, &out));
		if (!CHECK(compare((DynText) {out.data, out.len}, text_at(i)) == 0))
			complain(c, text_at(i));
	}
	dyn_buffer_free(&out);
}

static void
what_is_split_joins_to_the_same_text(void)
{
	for_each_case(rejoin_all);
}

/* The worst result of the placeholders for these values. */
static DynHolds
judge_values(const Case *c, const DynText *values)
{
	DynHolds	worst = DYN_HOLDS_YES;
	int			i;

	for (i = 0; i < c->tmpl->nparts; i++)
	{
		DynHolds	holds = dyn_part_holds(&c->tmpl->parts[i], values[i]);

		if (holds == DYN_HOLDS_NEVER || worst == DYN_HOLDS_YES)
			worst = holds;
	}
	return worst;
}

/*
 * Representable values come back, so that no two have the same text; undecided
 * ones are found as ambiguous, or as other values; impossible ones never.
 */
static void
join_values(Case *c, const DynText *values, DynBuffer *out)
{
	DynText		back[DYN_TEMPLATE_MAX_PARTS];
	DynHolds	holds = judge_values(c, values);
	DynSplit		split;
	bool		same;

	dyn_buffer_reset(out);
	dyn_buffer_append(out, "", 0);
	CHECK(dyn_template_join(c->tmpl, values, out));
	split = dyn_template_split(c->tmpl, out->data ? out->data : "", out->len,
						   c->folded, back);
	same = split == DYN_SPLIT_MATCHES;
	if (same)
	{
		int			i;

		for (i = 0; i < c->tmpl->nparts; i++)
			same = same && (c->given[i].data != NULL ||
							compare(values[i], back[i]) == 0);
	}
	if (!CHECK(holds == DYN_HOLDS_YES ? same : !same) ||
		!CHECK(holds != DYN_HOLDS_UNDECIDED || split != DYN_SPLIT_NO_MATCH))
		complain(c, (DynText) {out->data, out->len});
}

static void
join_all(Case *c)
{
	int			most = ntexts[c->tmpl->nparts > 2 ? 2 : 3];
	int			n = 1;
	DynBuffer	out;
	int			i;

	dyn_buffer_init(&out, 0);
	for (i = 0; i < c->tmpl->nparts; i++)
		n *= c->given[i].data ? 1 : most;
	while (n-- > 0)
	{
		DynText		values[MAX_PARTS];
		int			rest = n;

		for (i = 0; i < c->tmpl->nparts; i++)
		{
			values[i] = c->given[i].data ? c->given[i] : text_at(rest % most);
			rest /= c->given[i].data ? 1 : most;
		}
		join_values(c, values, &out);
	}
	dyn_buffer_free(&out);
}

static void
joined_values_come_back(void)
{
	for_each_case(join_all);
}

/* ---- spans ---- */

/* Texts that match, and their values: at least 20, if there are as many. */
typedef struct Rows
{
	int			n;
	int			text[LENGTHOF(texts)];
	DynText		values[LENGTHOF(texts)][DYN_TEMPLATE_MAX_PARTS];
} Rows;

static Rows rows;

static void
collect_rows(const Case *c)
{
	int			i;

	rows.n = 0;
	for (i = 0; i < ntexts[5] || (rows.n < 20 && i < ntexts[6]); i++)
	{
		if (dyn_template_split(c->tmpl, texts[i].data, texts[i].len, c->folded,
							 rows.values[rows.n]) == DYN_SPLIT_MATCHES)
			rows.text[rows.n++] = i;
	}
}

static DynScalar
scalar_of(DynText text)
{
	return (DynScalar) {DYN_TYPE_S, text.data ? text.data : "", text.len};
}

static bool
is_within(const DynSpan *span, DynText value)
{
	DynScalar	scalar = scalar_of(value);
	DynSpans	spans = {1, (DynSpan *) span};

	return dyn_spans_has(&spans, &scalar);
}

static bool
in_span(const DynTextSpan *s, DynText text)
{
	return !s->empty && is_within(&s->span, text);
}

typedef struct Query
{
	Case	   *c;
	DynText		points[MAX_PARTS];
	int			npoints;
	DynSpan		next;
	DynTextSpan span;
} Query;

/* Encodings of a fixed width have it; others are no values. */
static bool
is_value(const DynTemplatePart *part, DynText value)
{
	return part->facts.width == 0 || count_chars(value) == part->facts.width;
}

static void
check_row(Query *q, int row)
{
	const DynTemplate *tmpl = q->c->tmpl;
	DynText		text = text_at(rows.text[row]);
	const DynText *values = rows.values[row];
	bool		inside = in_span(&q->span, text);
	bool		points = true;
	bool		range = true;
	int			i;

	for (i = 0; i < q->npoints; i++)
		points = points && (q->c->given[i].data != NULL ||
							compare(values[i], q->points[i]) == 0);
	if (q->npoints < tmpl->nparts && (q->next.lower.set || q->next.upper.set))
	{
		const DynTemplatePart *part = &tmpl->parts[q->npoints];

		if (!is_value(part, values[q->npoints]))
			return;
		range = is_within(&q->next, values[q->npoints]);
		if (inside && points && part->ordered && !CHECK(range))
			complain(q->c, text);
	}
	if (!CHECK(inside || !points || !range))
		complain(q->c, text);
}

/* All within the span begin with the literals and points before. */
static void
check_prefix(Query *q)
{
	DynText		prefix;
	DynTextSpan plain = {0};
	int			i;

	CHECK(dyn_template_span(q->c->tmpl, q->points, q->npoints, NULL, &plain));
	prefix = (DynText) {plain.lower.data ? plain.lower.data : "",
		plain.lower.len};
	for (i = 0; !plain.empty && i < ntexts[4]; i++)
	{
		if (in_span(&q->span, text_at(i)) &&
			!CHECK(begins_with(text_at(i), prefix)))
			complain(q->c, text_at(i));
	}
	dyn_text_span_free(&plain);
}

static void
run_query(Query *q)
{
	int			i;

	if (!CHECK(dyn_template_span(q->c->tmpl, q->points, q->npoints,
								   &q->next, &q->span)))
		return;
	for (i = 0; i < rows.n; i++)
		check_row(q, i);
	if (q->npoints < 2)
		check_prefix(q);
}

/* Some texts of up to two characters for limits: about one of each kind. */
static const char *const limits[] = {"", "a", "#", "a#", "-1", "1\303\244"};

/* All texts that begin with one; `end` holds where they end. */
static DynSpan
beginning_with(DynText text, DynBuffer *end)
{
	DynSpan		span = {{text.len > 0, true, scalar_of(text)}, {false}};

	dyn_buffer_reset(end);
	dyn_buffer_append(end, text.data, text.len);
	span.upper.set = dyn_text_successor(end);
	span.upper.value = scalar_of((DynText) {end->data, end->len});
	return span;
}

static void
run_ranges(Query *q)
{
	const DynTemplatePart *part = &q->c->tmpl->parts[q->npoints];
	DynBuffer	end;
	size_t		i;
	size_t		k;
	int			flags;

	dyn_buffer_init(&end, 0);
	for (i = 0; i < LENGTHOF(limits); i++)
	{
		DynText		limit = {limits[i], strlen(limits[i])};

		q->next = beginning_with(limit, &end);
		if (part->facts.text)
			run_query(q);
		if (!is_value(part, limit))
			continue;
		for (k = 0; k <= LENGTHOF(limits); k++)
		{
			DynText		upper = {NULL, 0};

			if (k < LENGTHOF(limits))
				upper = (DynText) {limits[k], strlen(limits[k])};
			if (upper.data != NULL && !is_value(part, upper))
				continue;
			for (flags = 0; flags < 8; flags++)
			{
				q->next = (DynSpan) {
					{!(flags & 4), flags & 1, scalar_of(limit)},
					{upper.data != NULL, flags & 2, scalar_of(upper)},
				};
				run_query(q);
			}
		}
	}
	dyn_buffer_free(&end);
}

/* All points of some values, and ranges after them. */
static void
run_points(Query *q)
{
	const Case *c = q->c;
	size_t		i;

	memset(&q->next, 0, sizeof(q->next));
	run_query(q);
	if (q->npoints == c->tmpl->nparts)
		return;
	run_ranges(q);
	for (i = 0; i < LENGTHOF(limits); i++)
	{
		q->points[q->npoints] = (DynText) {limits[i], strlen(limits[i])};
		if (c->given[q->npoints].data != NULL)
			q->points[q->npoints] = c->given[q->npoints];
		q->npoints++;
		run_points(q);
		q->npoints--;
		if (c->given[q->npoints].data != NULL)
			break;
	}
}

static void
span_all(Case *c)
{
	Query		q = {.c = c};

	collect_rows(c);
	CHECK(rows.n > 0);
	run_points(&q);
	dyn_text_span_free(&q.span);
}

static void
spans_lose_nothing(void)
{
	for_each_case(span_all);
}

/* ---- successors ---- */

static void
successors_are_the_least(void)
{
	int			i;

	for (i = 1; i < ntexts[3]; i++)
	{
		DynBuffer	next;
		int			k;

		dyn_buffer_init(&next, 0);
		dyn_buffer_append(&next, texts[i].data, texts[i].len);
		CHECK(dyn_text_successor(&next));
		for (k = 0; k < ntexts[4]; k++)
		{
			bool		below = compare(text_at(k), (DynText) {next.data, next.len}) < 0;

			CHECK(below == (compare(text_at(k), text_at(i)) < 0 ||
							begins_with(text_at(k), text_at(i))));
		}
		dyn_buffer_free(&next);
	}
}

int
main(void)
{
	make_texts();
	RUN(parts_have_the_separators_of_their_rules);
	RUN(all_texts_are_split_as_the_slow_matcher_does);
	RUN(all_ways_are_found);
	RUN(the_search_ends);
	RUN(what_is_split_joins_to_the_same_text);
	RUN(joined_values_come_back);
	RUN(spans_lose_nothing);
	RUN(successors_are_the_least);
	return DONE("template_all");
}

/*
 * test_expression.c
 *		Conditions and projections: their text, their tokens, their limits.
 */
#include "harness.h"

#include "dynamodb/expression.h"

#include <stdarg.h>
#include <stdlib.h>

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- building trees; everything built is given back by release() ---- */

static void *blocks[100000];
static int	nblocks;

static void *
make(size_t size)
{
	void	   *block = calloc(1, size);

	if (nblocks == (int) LENGTHOF(blocks))
		abort();
	blocks[nblocks++] = block;
	return block;
}

static void
release(void)
{
	while (nblocks > 0)
		free(blocks[--nblocks]);
}

/* Steps: strings are names, "[3]" is a list index; ends with NULL. */
static DynPath *
path(const char *first,...)
{
	DynPath    *p = make(sizeof(DynPath));
	DynStep    *steps = make(8 * sizeof(DynStep));
	const char *word;
	va_list		args;

	p->steps = steps;
	va_start(args, first);
	for (word = first; word != NULL; word = va_arg(args, const char *))
	{
		DynStep    *step = &steps[p->nsteps++];

		if (word[0] == '[')
			step->index = (uint32_t) strtoul(word + 1, NULL, 10);
		else
		{
			step->name = word;
			step->name_len = (uint32_t) strlen(word);
		}
	}
	va_end(args);
	return p;
}

#define NAME(text) path(text, (char *) NULL)

static DynScalar *
scalars(DynType type, int n, const char *first,...)
{
	DynScalar  *values = make((size_t) (n > 0 ? n : 1) * sizeof(DynScalar));
	const char *word = first;
	va_list		args;
	int			i;

	va_start(args, first);
	for (i = 0; i < n; i++)
	{
		values[i].type = type;
		values[i].data = word;
		values[i].len = strlen(word);
		if (i + 1 < n)
			word = va_arg(args, const char *);
	}
	va_end(args);
	return values;
}

static DynCond *
atom(DynCondKind kind, const DynPath *p, const DynScalar *values, int nvalues)
{
	DynCond    *cond = make(sizeof(DynCond));

	cond->kind = kind;
	cond->path = p;
	cond->values = values;
	cond->nvalues = nvalues;
	return cond;
}

static DynCond *
eq(const char *name, const char *number)
{
	return atom(DYN_COND_EQ, NAME(name), scalars(DYN_TYPE_N, 1, number), 1);
}

static DynCond *
node(DynCondKind kind, int nargs,...)
{
	DynCond    *cond = make(sizeof(DynCond));
	va_list		args;
	int			i;

	cond->kind = kind;
	cond->nargs = nargs;
	cond->args = make((size_t) (nargs > 0 ? nargs : 1) * sizeof(DynCond *));
	va_start(args, nargs);
	for (i = 0; i < nargs; i++)
		cond->args[i] = va_arg(args, DynCond *);
	va_end(args);
	return cond;
}

#define AND2(a, b) node(DYN_COND_AND, 2, a, b)
#define OR2(a, b) node(DYN_COND_OR, 2, a, b)
#define NOT1(a) node(DYN_COND_NOT, 1, a)
#define TRUE0 node(DYN_COND_TRUE, 0)
#define FALSE0 node(DYN_COND_FALSE, 0)

static const char *
number_text(int n)
{
	char	   *text = make(16);

	snprintf(text, 16, "%d", n);
	return text;
}

/* c IN (0, 1, ..., n - 1) */
static DynCond *
in(int n)
{
	DynScalar  *values = make((size_t) (n > 0 ? n : 1) * sizeof(DynScalar));
	int			i;

	for (i = 0; i < n; i++)
	{
		values[i].type = DYN_TYPE_N;
		values[i].data = number_text(i);
		values[i].len = strlen(values[i].data);
	}
	return atom(DYN_COND_IN, NAME("c"), values, n);
}

/* n equalities joined by OR, each with a name and value given by i % kinds */
static DynCond *
or_of(int n, int kinds)
{
	DynCond    *cond = node(DYN_COND_OR, 0);
	int			i;

	cond->args = make((size_t) n * sizeof(DynCond *));
	cond->nargs = n;
	for (i = 0; i < n; i++)
		cond->args[i] = eq("c", number_text(i % kinds));
	return cond;
}

/* ---- rendering ---- */

static DynTokens *tokens;
static DynBuffer text;
static DynBuffer members;

static void
start(void)
{
	tokens = dyn_tokens_create();
	dyn_buffer_init(&text, 0);
	dyn_buffer_init(&members, 0);
}

static void
finish(void)
{
	dyn_tokens_free(tokens);
	dyn_buffer_free(&text);
	dyn_buffer_free(&members);
	release();
}

static const char *
rendered(const DynCond *cond)
{
	dyn_tokens_reset(tokens);
	dyn_buffer_reset(&text);
	if (!dyn_expr_condition(tokens, cond, &text))
		return "refused";
	return dyn_buffer_terminate(&text);
}

static const char *
printed(const DynCond *cond)
{
	dyn_buffer_reset(&text);
	if (!dyn_expr_condition(NULL, cond, &text))
		return "refused";
	return dyn_buffer_terminate(&text);
}

static const char *
written(void)
{
	dyn_buffer_reset(&members);
	CHECK(dyn_tokens_write(tokens, &members));
	return dyn_buffer_terminate(&members);
}

static void
atoms_have_their_forms(void)
{
	start();
	{
		DynScalar  *n1 = scalars(DYN_TYPE_N, 1, "5");
		DynScalar  *s1 = scalars(DYN_TYPE_S, 1, "x");
		DynScalar  *s2 = scalars(DYN_TYPE_S, 2, "A", "M");
		DynScalar  *s3 = scalars(DYN_TYPE_S, 3, "a", "b", "c");
		DynCond    *two_paths = atom(DYN_COND_LT, NAME("a"), NULL, 0);
		DynCond    *is_type = atom(DYN_COND_IS_TYPE, NAME("x"), NULL, 0);
		struct
		{
			DynCond    *cond;
			const char *sent;
			const char *shown;
		}			rows[] = {
			{atom(DYN_COND_EQ, NAME("a"), n1, 1), "#n0 = :v0", "a = 5"},
			{atom(DYN_COND_NE, NAME("a"), n1, 1), "#n0 <> :v0", "a <> 5"},
			{atom(DYN_COND_LT, NAME("a"), n1, 1), "#n0 < :v0", "a < 5"},
			{atom(DYN_COND_LE, NAME("a"), n1, 1), "#n0 <= :v0", "a <= 5"},
			{atom(DYN_COND_GT, NAME("a"), n1, 1), "#n0 > :v0", "a > 5"},
			{atom(DYN_COND_GE, NAME("a"), n1, 1), "#n0 >= :v0", "a >= 5"},
			{two_paths, "#n0 < #n1", "a < b"},
			{atom(DYN_COND_BETWEEN, NAME("title"), s2, 2),
				"#n0 BETWEEN :v0 AND :v1",
			"title BETWEEN \"A\" AND \"M\""},
			{atom(DYN_COND_IN, NAME("a"), s3, 3), "#n0 IN (:v0,:v1,:v2)",
			"a IN (\"a\", \"b\", \"c\")"},
			{atom(DYN_COND_IN, NAME("a"), s3, 1), "#n0 IN (:v0)",
			"a IN (\"a\")"},
			{atom(DYN_COND_BEGINS_WITH, NAME("title"), s1, 1),
			"begins_with(#n0,:v0)", "begins_with(title, \"x\")"},
			{atom(DYN_COND_CONTAINS, NAME("tags"), s1, 1),
			"contains(#n0,:v0)", "contains(tags, \"x\")"},
			{atom(DYN_COND_EXISTS, NAME("x"), NULL, 0),
			"attribute_exists(#n0)", "attribute_exists(x)"},
			{atom(DYN_COND_NOT_EXISTS, NAME("x"), NULL, 0),
			"attribute_not_exists(#n0)", "attribute_not_exists(x)"},
			{is_type, "attribute_type(#n0,:v0)",
			"attribute_type(x, \"SS\")"},
			{atom(DYN_COND_EQ, path("info", "rating", NULL), n1, 1),
			"#n0.#n1 = :v0", "info.rating = 5"},
			{atom(DYN_COND_EQ, path("l", "[0]", "[4294967295]", "z", NULL),
				  n1, 1),
			"#n0[0][4294967295].#n1 = :v0", "l[0][4294967295].z = 5"},
		};
		size_t		i;

		two_paths->path2 = NAME("b");
		is_type->type = DYN_TYPE_SS;
		for (i = 0; i < LENGTHOF(rows); i++)
		{
			CHECK_EQ_STR(rendered(rows[i].cond), rows[i].sent);
			CHECK_EQ_STR(printed(rows[i].cond), rows[i].shown);
		}
		CHECK_EQ_STR(rendered(is_type), "attribute_type(#n0,:v0)");
		CHECK_EQ_STR(written(),
					 ",\"ExpressionAttributeNames\":{\"#n0\":\"x\"},"
					 "\"ExpressionAttributeValues\":{\":v0\":{\"S\":\"SS\"}}");
	}
	finish();
}

static void
parentheses_are_where_they_must_be(void)
{
	start();
	{
		DynCond    *a = eq("a", "1");
		DynCond    *b = eq("b", "2");
		DynCond    *c = eq("c", "3");
		struct
		{
			DynCond    *cond;
			const char *shown;
		}			rows[] = {
			{AND2(a, b), "a = 1 AND b = 2"},
			{OR2(a, b), "a = 1 OR b = 2"},
			{AND2(a, OR2(b, c)), "a = 1 AND (b = 2 OR c = 3)"},
			{AND2(OR2(a, b), OR2(b, c)),
			"(a = 1 OR b = 2) AND (b = 2 OR c = 3)"},
			{OR2(a, AND2(b, c)), "a = 1 OR b = 2 AND c = 3"},
			{AND2(a, AND2(b, c)), "a = 1 AND b = 2 AND c = 3"},
			{OR2(OR2(a, b), c), "a = 1 OR b = 2 OR c = 3"},
			{NOT1(a), "NOT a = 1"},
			{NOT1(AND2(a, b)), "NOT (a = 1 AND b = 2)"},
			{NOT1(OR2(a, b)), "NOT (a = 1 OR b = 2)"},
			{NOT1(NOT1(a)), "NOT (NOT a = 1)"},
			{AND2(NOT1(a), NOT1(OR2(b, c))),
			"NOT a = 1 AND NOT (b = 2 OR c = 3)"},
			{node(DYN_COND_AND, 1, node(DYN_COND_OR, 1, a)), "a = 1"},
			{NOT1(node(DYN_COND_AND, 1, node(DYN_COND_OR, 1, a))),
			"NOT a = 1"},
			{NOT1(node(DYN_COND_AND, 1, OR2(a, b))), "NOT (a = 1 OR b = 2)"},
			{AND2(node(DYN_COND_OR, 1, a), node(DYN_COND_OR, 1, OR2(b, c))),
			"a = 1 AND (b = 2 OR c = 3)"},
			{AND2(AND2(a, OR2(b, c)), c),
			"a = 1 AND (b = 2 OR c = 3) AND c = 3"},
		};
		size_t		i;

		for (i = 0; i < LENGTHOF(rows); i++)
		{
			CHECK_EQ_STR(printed(rows[i].cond), rows[i].shown);
			CHECK(strstr(rendered(rows[i].cond), "((") == NULL);
			CHECK(strstr(rendered(rows[i].cond), "))") == NULL);
			CHECK(strchr(rows[i].shown, '(') == NULL ||
				  strchr(rendered(rows[i].cond), '(') != NULL);
		}
		CHECK_EQ_STR(rendered(AND2(OR2(a, b), NOT1(OR2(b, c)))),
					 "(#n0 = :v0 OR #n1 = :v1) AND NOT (#n1 = :v1 OR "
					 "#n2 = :v2)");
		CHECK_EQ_STR(rendered(NOT1(NOT1(a))), "NOT (NOT #n0 = :v0)");
	}
	finish();
}

static void
names_and_values_are_entered_once(void)
{
	start();
	CHECK_EQ_STR(rendered(AND2(AND2(eq("a", "1"), eq("a", "2")),
							   AND2(eq("b", "1"), eq("a", "1")))),
				 "#n0 = :v0 AND #n0 = :v1 AND #n1 = :v0 AND #n0 = :v0");
	CHECK_EQ_STR(written(),
				 ",\"ExpressionAttributeNames\":{\"#n0\":\"a\",\"#n1\":\"b\"},"
				 "\"ExpressionAttributeValues\":{\":v0\":{\"N\":\"1\"},"
				 "\":v1\":{\"N\":\"2\"}}");

	/* the same bytes as another type are another value */
	CHECK_EQ_STR(rendered(AND2(eq("a", "1"),
							   atom(DYN_COND_EQ, NAME("a"),
									scalars(DYN_TYPE_S, 1, "1"), 1))),
				 "#n0 = :v0 AND #n0 = :v1");
	dyn_tokens_reset(tokens);
	CHECK_EQ_STR(written(), "");
	finish();
}

static void
names_may_be_anything(void)
{
	static const struct
	{
		const char *name;
		const char *sent;
		const char *shown;
	}			rows[] = {
		{"year", "\"year\"", "year"},
		{"_a1", "\"_a1\"", "_a1"},
		{"AND", "\"AND\"", "AND"},
		{"1a", "\"1a\"", "\"1a\""},
		{"a.b", "\"a.b\"", "\"a.b\""},
		{"a b", "\"a b\"", "\"a b\""},
		{"x[0]", "\"x[0]\"", "\"x[0]\""},
		{"#n0", "\"#n0\"", "\"#n0\""},
		{":v0", "\":v0\"", "\":v0\""},
		{"q\"uote\\", "\"q\\\"uote\\\\\"", "\"q\\\"uote\\\\\""},
		{"tab\t\x01", "\"tab\\t\\u0001\"", "\"tab\\t\\u0001\""},
		{"caf\xc3\xa9", "\"caf\xc3\xa9\"", "\"caf\xc3\xa9\""},
		{"a = 1 OR b", "\"a = 1 OR b\"", "\"a = 1 OR b\""},
	};
	char		wanted[200];
	size_t		i;

	start();
	for (i = 0; i < LENGTHOF(rows); i++)
	{
		CHECK_EQ_STR(rendered(eq(rows[i].name, "1")), "#n0 = :v0");
		snprintf(wanted, sizeof(wanted),
				 ",\"ExpressionAttributeNames\":{\"#n0\":%s},"
				 "\"ExpressionAttributeValues\":{\":v0\":{\"N\":\"1\"}}",
				 rows[i].sent);
		CHECK_EQ_STR(written(), wanted);
		snprintf(wanted, sizeof(wanted), "%s = 1", rows[i].shown);
		CHECK_EQ_STR(printed(eq(rows[i].name, "1")), wanted);
	}
	dyn_buffer_reset(&text);
	CHECK(dyn_path_print(path("a b", "[2]", "c", NULL), &text));
	CHECK_EQ_STR(dyn_buffer_terminate(&text), "\"a b\"[2].c");
	finish();
}

static void
name_lengths_are_limited(void)
{
	char	   *name;

	start();
	name = make(65537);
	memset(name, 'x', 65536);
	CHECK_EQ_STR(rendered(eq(name, "1")), "refused");
	CHECK_EQ_STR(written(), "");
	name[65535] = '\0';
	CHECK_EQ_STR(rendered(eq(name, "1")), "#n0 = :v0");
	CHECK_EQ_STR(rendered(eq("", "1")), "refused");
	CHECK_EQ_STR(printed(eq("", "1")), "\"\" = 1");
	finish();
}

static int
count_of(const char *haystack, const char *needle)
{
	int			n = 0;

	for (; (haystack = strstr(haystack, needle)) != NULL; haystack++)
		n++;
	return n;
}

static void
long_in_lists_are_split_into_chunks(void)
{
	static const struct
	{
		int			nvalues;
		int			chunks;
	}			rows[] = {{1, 1}, {98, 1}, {99, 1}, {100, 2}, {198, 2},
	{199, 3}, {250, 3}};
	size_t		i;

	start();
	for (i = 0; i < LENGTHOF(rows); i++)
	{
		DynCond    *cond = in(rows[i].nvalues);
		const char *sent = rendered(cond);

		CHECK_EQ_INT(count_of(sent, "#n0 IN ("), rows[i].chunks);
		CHECK_EQ_INT(count_of(sent, " OR "), rows[i].chunks - 1);
		CHECK_EQ_INT(count_of(sent, ":v"), rows[i].nvalues);
		sent = rendered(AND2(eq("a", "1"), cond));
		CHECK_EQ_INT(count_of(sent, " AND (#n0") + count_of(sent, "AND (#n1"),
					 rows[i].chunks > 1 ? 1 : 0);
		sent = rendered(NOT1(cond));
		CHECK_EQ_INT(count_of(sent, "NOT (#n0 IN"), rows[i].chunks > 1);
		CHECK_EQ_INT(count_of(sent, "))"), rows[i].chunks > 1);
		sent = rendered(OR2(cond, eq("a", "1")));
		CHECK(sent[0] == '#');
		CHECK_EQ_INT(count_of(sent, "))"), 0);
	}
	CHECK(strstr(rendered(in(100)), ",:v98) OR #n0 IN (:v99)") != NULL);
	CHECK_EQ_STR(rendered(in(1000)), "refused");
	CHECK_EQ_STR(rendered(in(20000)), "refused");
	finish();
}

static void
people_see_few_values(void)
{
	start();
	CHECK_EQ_STR(printed(in(5)), "c IN (0, 1, 2, 3, 4)");
	CHECK_EQ_STR(printed(in(6)), "c IN (0, 1, 2, 3, 4, ... (6 values))");
	CHECK_EQ_STR(printed(AND2(eq("a", "1"), in(250))),
				 "a = 1 AND c IN (0, 1, 2, 3, 4, ... (250 values))");
	CHECK_EQ_STR(printed(NOT1(in(250))),
				 "NOT c IN (0, 1, 2, 3, 4, ... (250 values))");
	CHECK_EQ_STR(printed(TRUE0), "TRUE");
	finish();
}

/* Compares identities; both conditions are of the same test. */
static bool
same_identity(const DynCond *a, const DynCond *b)
{
	DynBuffer	x;
	DynBuffer	y;
	bool		same;

	dyn_buffer_init(&x, 0);
	dyn_buffer_init(&y, 0);
	CHECK(dyn_cond_fingerprint(a, &x));
	CHECK(dyn_cond_fingerprint(b, &y));
	same = x.len == y.len && memcmp(x.data, y.data, x.len) == 0;
	dyn_buffer_free(&x);
	dyn_buffer_free(&y);
	return same;
}

static DynCond *
text_eq(const char *name, const char *text)
{
	return atom(DYN_COND_EQ, NAME(name), scalars(DYN_TYPE_S, 1, text), 1);
}

/* Expressions that look alike are distinguished: long lists, types, names, trees. */
static void
fingerprints_differ(void)
{
	start();
	CHECK(same_identity(eq("a", "1"), eq("a", "1")));
	CHECK(same_identity(AND2(eq("a", "1"), in(250)), AND2(eq("a", "1"), in(250))));
	CHECK(!same_identity(eq("a", "1"), eq("a", "2")));
	CHECK(!same_identity(eq("a", "1"), eq("b", "1")));
	CHECK(!same_identity(eq("a", "1"), text_eq("a", "1")));
	CHECK(!same_identity(in(250), in(251)));
	CHECK(!same_identity(eq("a", "1"), NOT1(eq("a", "1"))));
	CHECK(!same_identity(AND2(eq("a", "1"), eq("b", "1")),
						 OR2(eq("a", "1"), eq("b", "1"))));
	CHECK(!same_identity(AND2(AND2(eq("a", "1"), eq("b", "1")), eq("c", "1")),
						 AND2(eq("a", "1"), AND2(eq("b", "1"), eq("c", "1")))));
	CHECK(!same_identity(atom(DYN_COND_BETWEEN, NAME("a"),
							  scalars(DYN_TYPE_S, 2, "x", "yz"), 2),
						 atom(DYN_COND_BETWEEN, NAME("a"),
							  scalars(DYN_TYPE_S, 2, "xy", "z"), 2)));
	CHECK(!same_identity(text_eq("a", "x)"), text_eq("a", "x")));
	finish();
}

/* A chain of k equalities is 2k - 1 operators, of which 300 are taken. */
static void
operators_are_counted(void)
{
	DynCond    *cond;
	int			i;

	start();
	CHECK(strcmp(rendered(or_of(150, 10)), "refused") != 0);
	CHECK_EQ_STR(rendered(or_of(151, 10)), "refused");
	CHECK_EQ_STR(written(), "");

	/* 299 of the chain and one NOT around it are 300; two are too many */
	CHECK(strcmp(rendered(NOT1(or_of(150, 10))), "refused") != 0);
	CHECK_EQ_STR(rendered(NOT1(NOT1(or_of(150, 10)))), "refused");

	/* each chunk of an IN, and what joins them */
	cond = or_of(149, 10);		/* 297, with OR and IN 299 */
	CHECK(strcmp(rendered(OR2(cond, in(5))), "refused") != 0);
	CHECK_EQ_STR(rendered(OR2(cond, in(100))), "refused");	/* 301 */

	/* one argument more is no operator more */
	cond = or_of(150, 10);
	for (i = 0; i < 1000; i++)
		cond = node(i % 2 ? DYN_COND_AND : DYN_COND_OR, 1, cond);
	CHECK(strcmp(rendered(cond), "refused") != 0);
	finish();
}

static void
bytes_are_counted(void)
{
	const char *longest = "#n0 = :v0";
	DynPath		p = {NULL, 0};
	DynStep    *steps;
	int			i;

	start();

	/* "#n0", 1362 times "[0]" and " = :v0" are 4095 bytes */
	steps = make(1400 * sizeof(DynStep));
	steps[0].name = "a";
	steps[0].name_len = 1;
	p.steps = steps;
	p.nsteps = 1 + 1362;
	CHECK_EQ_INT(strlen(rendered(atom(DYN_COND_EQ, &p,
									  scalars(DYN_TYPE_N, 1, "1"), 1))),
				 4089 + strlen(longest) - 3);
	steps[1].index = 10;		/* 4096 */
	CHECK_EQ_INT(strlen(rendered(atom(DYN_COND_EQ, &p,
									  scalars(DYN_TYPE_N, 1, "1"), 1))), 4096);
	steps[1].index = 100;		/* 4097 */
	CHECK_EQ_STR(rendered(atom(DYN_COND_EQ, &p,
							   scalars(DYN_TYPE_N, 1, "1"), 1)), "refused");

	/* what stands in the buffer already does not count */
	dyn_tokens_reset(tokens);
	dyn_buffer_reset(&text);
	for (i = 0; i < 5000; i++)
		dyn_buffer_append_char(&text, '-');
	CHECK(dyn_expr_condition(tokens, eq("a", "1"), &text));
	CHECK_EQ_INT(text.len, 5009);
	finish();
}

static void
values_are_limited_in_all(void)
{
	DynScalar	big = {DYN_TYPE_S, NULL, 1024 * 1024};
	char	   *bytes;

	start();
	bytes = make(big.len);
	memset(bytes, 'x', big.len);
	big.data = bytes;
	dyn_buffer_reset(&text);
	CHECK(dyn_expr_condition(tokens, atom(DYN_COND_EQ, NAME("a"), &big, 1),
							 &text));
	bytes[0] = 'y';
	CHECK(!dyn_expr_condition(tokens, atom(DYN_COND_EQ, NAME("b"), &big, 1),
							  &text));
	CHECK_EQ_STR(dyn_buffer_terminate(&text), "#n0 = :v0");
	CHECK(strstr(written(), "\"#n1\"") == NULL);
	CHECK(dyn_expr_condition(tokens, eq("b", "1"), &text));
	CHECK_EQ_STR(dyn_buffer_terminate(&text), "#n0 = :v0#n1 = :v1");
	finish();
}

static void
a_refusal_leaves_no_trace(void)
{
	char	   *before;

	start();
	dyn_buffer_reset(&text);
	CHECK(dyn_expr_condition(tokens, AND2(eq("a", "1"), eq("b", "2")), &text));
	before = strdup(written());
	CHECK(!dyn_expr_condition(tokens, AND2(eq("z", "77"), in(1000)), &text));
	CHECK_EQ_STR(dyn_buffer_terminate(&text), "#n0 = :v0 AND #n1 = :v1");
	CHECK_EQ_STR(written(), before);
	free(before);

	dyn_buffer_reset(&text);
	CHECK(dyn_expr_condition(tokens, eq("y", "2"), &text));
	CHECK_EQ_STR(dyn_buffer_terminate(&text), "#n2 = :v1");
	finish();
}

static void
a_full_buffer_refuses(void)
{
	DynBuffer	small;

	start();
	dyn_buffer_init(&small, 12);
	CHECK(dyn_expr_condition(tokens, eq("a", "1"), &small));
	CHECK(!dyn_expr_condition(tokens, eq("b", "1"), &small));
	CHECK(!small.failed);
	CHECK_EQ_INT(small.len, 9);
	CHECK(strstr(written(), "#n1") == NULL);
	CHECK(!dyn_buffer_append_str(&small, "too long"));
	CHECK(!dyn_expr_condition(tokens, eq("b", "1"), &small));
	CHECK(small.failed);
	dyn_buffer_free(&small);
	finish();
}

static void
constants_are_never_sent(void)
{
	start();
	CHECK_EQ_STR(rendered(TRUE0), "refused");
	CHECK_EQ_STR(rendered(FALSE0), "refused");
	CHECK_EQ_STR(rendered(node(DYN_COND_AND, 0)), "refused");
	CHECK_EQ_STR(rendered(in(0)), "refused");
	finish();
}

static void
trees_are_simplified(void)
{
	start();
	{
		struct
		{
			DynCond    *cond;
			const char *shown;
		}			rows[] = {
			{TRUE0, "TRUE"},
			{FALSE0, "FALSE"},
			{eq("a", "1"), "a = 1"},
			{node(DYN_COND_AND, 0), "TRUE"},
			{node(DYN_COND_OR, 0), "FALSE"},
			{in(0), "FALSE"},
			{in(1), "c IN (0)"},
			{NOT1(TRUE0), "FALSE"},
			{NOT1(FALSE0), "TRUE"},
			{NOT1(in(0)), "TRUE"},
			{NOT1(NOT1(eq("a", "1"))), "a = 1"},
			{NOT1(NOT1(NOT1(eq("a", "1")))), "NOT a = 1"},
			{AND2(TRUE0, eq("a", "1")), "a = 1"},
			{AND2(eq("a", "1"), FALSE0), "FALSE"},
			{OR2(eq("a", "1"), FALSE0), "a = 1"},
			{OR2(eq("a", "1"), TRUE0), "TRUE"},
			{AND2(TRUE0, TRUE0), "TRUE"},
			{OR2(FALSE0, FALSE0), "FALSE"},
			{node(DYN_COND_AND, 4, eq("a", "1"), TRUE0, eq("b", "2"), TRUE0),
			"a = 1 AND b = 2"},
			{AND2(eq("a", "1"), OR2(eq("b", "2"), in(0))), "a = 1 AND b = 2"},
			{AND2(eq("a", "1"), OR2(in(0), FALSE0)), "FALSE"},
			{AND2(eq("a", "1"), AND2(eq("b", "2"), eq("c", "3"))),
			"a = 1 AND b = 2 AND c = 3"},
			{AND2(OR2(AND2(TRUE0, eq("a", "1")), FALSE0),
				  NOT1(AND2(eq("b", "2"), TRUE0))),
			"a = 1 AND NOT b = 2"},
			{NOT1(OR2(eq("a", "1"), NOT1(FALSE0))), "FALSE"},
		};
		size_t		i;

		for (i = 0; i < LENGTHOF(rows); i++)
			CHECK_EQ_STR(printed(dyn_cond_simplify(rows[i].cond)),
						 rows[i].shown);
	}
	finish();
}

static void
deep_trees_are_survived(void)
{
	DynCond    *cond = eq("a", "1");
	DynCond    *mixed = eq("a", "1");
	int			i;

	start();
	for (i = 0; i < 5001; i++)
		cond = NOT1(cond);
	CHECK_EQ_STR(rendered(cond), "refused");
	CHECK_EQ_STR(printed(dyn_cond_simplify(cond)), "NOT a = 1");

	for (i = 0; i < 140; i++)
		mixed = i % 2 ? AND2(mixed, eq("b", "2")) : OR2(mixed, eq("b", "2"));
	CHECK_EQ_INT(count_of(rendered(mixed), "("), 70);
	for (i = 0; i < 20; i++)
		mixed = i % 2 ? AND2(mixed, eq("b", "2")) : OR2(mixed, eq("b", "2"));
	CHECK_EQ_STR(rendered(mixed), "refused");
	CHECK(dyn_cond_simplify(mixed) == mixed);
	finish();
}

/* ---- projections ---- */

static const char *
projected(int npaths,...)
{
	DynPath    *paths = make((size_t) (npaths + 1) * sizeof(DynPath));
	va_list		args;
	int			i;

	va_start(args, npaths);
	for (i = 0; i < npaths; i++)
		paths[i] = *va_arg(args, DynPath *);
	va_end(args);
	dyn_tokens_reset(tokens);
	dyn_buffer_reset(&text);
	if (!dyn_expr_projection(tokens, paths, npaths, &text))
		return "refused";
	return dyn_buffer_terminate(&text);
}

static void
projections_are_printed_as_they_are_sent(void)
{
	start();
	{
		DynPath		paths[4] = {*NAME("a"), *path("b", "c", NULL), *NAME("a"),
		*path("b", "[3]", NULL)};

		dyn_buffer_reset(&text);
		CHECK(dyn_expr_projection(NULL, paths, 2, &text));
		CHECK_EQ_STR(dyn_buffer_terminate(&text), "a, b.c");
		dyn_buffer_reset(&text);
		CHECK(dyn_expr_projection(NULL, paths, 4, &text));
		CHECK_EQ_STR(dyn_buffer_terminate(&text), "a, b");
	}
	finish();
}

static void
projections_do_not_overlap(void)
{
	start();
	{
		DynPath    *a = NAME("a");
		DynPath    *b = NAME("b");
		DynPath    *ab = path("a", "b", NULL);
		DynPath    *abc = path("a", "b", "c", NULL);
		DynPath    *ac = path("a", "c", NULL);
		DynPath    *a3 = path("a", "[3]", NULL);
		DynPath    *ab3 = path("a", "b", "[3]", "x", NULL);

		CHECK_EQ_STR(projected(0), "");
		CHECK_EQ_STR(projected(1, a), "#n0");
		CHECK_EQ_STR(projected(2, a, b), "#n0,#n1");
		CHECK_EQ_STR(projected(2, a, a), "#n0");
		CHECK_EQ_STR(projected(2, a, ab), "#n0");
		CHECK_EQ_STR(projected(2, ab, a), "#n0");
		CHECK_EQ_STR(projected(3, abc, ab, b), "#n0.#n1,#n1");
		CHECK_EQ_STR(projected(2, abc, ac), "#n0.#n1.#n2,#n0.#n2");
		CHECK_EQ_STR(projected(1, a3), "#n0");
		CHECK_EQ_STR(projected(2, ab, a3), "#n0");
		CHECK_EQ_STR(projected(2, a3, ab), "#n0");
		CHECK_EQ_STR(projected(3, ab3, abc, ab3), "#n0.#n1");
		CHECK_EQ_STR(written(), ",\"ExpressionAttributeNames\":"
					 "{\"#n0\":\"a\",\"#n1\":\"b\"}");
		CHECK_EQ_STR(projected(2, NAME("a.b"), ab), "#n0,#n1.#n2");
		CHECK_EQ_STR(projected(2, NAME("ab"), a), "#n0,#n1");
		CHECK_EQ_STR(projected(2, a, NAME("")), "refused");
		CHECK_EQ_STR(written(), "");
	}
	finish();
}

static void
wide_projections_are_refused_full(void)
{
	DynPath    *paths;
	int			i;

	start();
	paths = make(1600 * sizeof(DynPath));
	for (i = 0; i < 1600; i++)
		paths[i] = *NAME(number_text(i));
	dyn_buffer_reset(&text);
	CHECK(dyn_expr_projection(tokens, paths, 700, &text));
	CHECK_EQ_INT(count_of(dyn_buffer_terminate(&text), "#n"), 700);
	dyn_tokens_reset(tokens);
	dyn_buffer_reset(&text);
	CHECK(!dyn_expr_projection(tokens, paths, 1600, &text));
	CHECK_EQ_INT(text.len, 0);
	CHECK_EQ_STR(written(), "");
	finish();
}

int
main(void)
{
	RUN(atoms_have_their_forms);
	RUN(parentheses_are_where_they_must_be);
	RUN(names_and_values_are_entered_once);
	RUN(names_may_be_anything);
	RUN(name_lengths_are_limited);
	RUN(long_in_lists_are_split_into_chunks);
	RUN(people_see_few_values);
	RUN(fingerprints_differ);
	RUN(operators_are_counted);
	RUN(bytes_are_counted);
	RUN(values_are_limited_in_all);
	RUN(a_refusal_leaves_no_trace);
	RUN(a_full_buffer_refuses);
	RUN(constants_are_never_sent);
	RUN(trees_are_simplified);
	RUN(deep_trees_are_survived);
	RUN(projections_are_printed_as_they_are_sent);
	RUN(projections_do_not_overlap);
	RUN(wide_projections_are_refused_full);
	return DONE("expression");
}

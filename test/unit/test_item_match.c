/*
 * test_item_match.c
 *		Conditions evaluated on items: types, order, parts, negation; and as
 *		DynamoDB evaluated them (match_facts.h).
 */
#include "harness.h"

#include "dynamodb/expression.h"
#include "dynamodb/page.h"
#include "match_facts.h"

static const DynStep steps[] = {{"a", 1, 0}, {"b", 1, 0}, {"m", 1, 0}, {"x", 1, 0}};
static const DynPath paths[] = {{&steps[0], 1}, {&steps[1], 1}, {&steps[2], 2}};
static DynValue slots[3];
static char page_text[4096];

/* Reads one item with attributes a, b and m.x. */
static void
full_item(const char *json)
{
	static DynPage page;
	DynPathTree *tree = dyn_path_tree_create(paths, 3);
	DynPageCursor cursor;
	DynPageError error;

	snprintf(page_text, sizeof(page_text), "{\"Item\":%s}", json);
	dyn_page_free(&page);
	memset(slots, 0, sizeof(slots));
	if (CHECK(dyn_page_parse(&page, DYN_PARSE_RESPONSE, tree, page_text, strlen(page_text), &error)))
	{
		dyn_page_cursor_init(&cursor, &page);
		CHECK(dyn_page_next(&cursor, slots));
	}
	dyn_path_tree_free(tree);
}

/* The same, given without its braces. */
static void
item(const char *attributes)
{
	char		json[1024];

	snprintf(json, sizeof(json), "{%s}", attributes);
	full_item(json);
}

static bool
evaluate(DynCond *cond)
{
	DynBuffer	scratch;
	bool		result;

	dyn_buffer_init(&scratch, 0);
	CHECK(dyn_cond_bind(cond, paths, 3));
	result = dyn_item_matches(cond, slots, &scratch);
	CHECK(!scratch.failed);
	dyn_buffer_free(&scratch);
	return result;
}

/* A comparison of path number `path` with up to two values of one type. */
static bool
holds(DynCondKind kind, int path, DynType type, const char *x, const char *y)
{
	DynScalar	values[2] = {{type, x, x ? strlen(x) : 0}, {type, y, y ? strlen(y) : 0}};
	DynCond		cond = {.kind = kind, .path = &paths[path], .values = values,
	.nvalues = y ? 2 : 1, .type = type};

	return evaluate(&cond);
}

static void
compares_numbers_by_value(void)
{
	item("\"a\":{\"N\":\"10\"},\"b\":{\"N\":\"1e1\"}");
	CHECK(holds(DYN_COND_EQ, 0, DYN_TYPE_N, "10", NULL));
	CHECK(holds(DYN_COND_EQ, 1, DYN_TYPE_N, "10", NULL));
	CHECK(holds(DYN_COND_GT, 0, DYN_TYPE_N, "9", NULL));
	CHECK(!holds(DYN_COND_LT, 0, DYN_TYPE_N, "9", NULL));
	CHECK(holds(DYN_COND_BETWEEN, 0, DYN_TYPE_N, "-3", "10"));
	CHECK(!holds(DYN_COND_BETWEEN, 0, DYN_TYPE_N, "10.5", "11"));
	CHECK(holds(DYN_COND_IN, 0, DYN_TYPE_N, "2", "10"));
	CHECK(holds(DYN_COND_GE, 0, DYN_TYPE_N, "10", NULL) && holds(DYN_COND_LE, 0, DYN_TYPE_N, "10", NULL));
}

static void
searches_sorted_lists(void)
{
	DynScalar	numbers[] = {{DYN_TYPE_N, "-7", 2}, {DYN_TYPE_N, "2", 1}, {DYN_TYPE_N, "10", 2}, {DYN_TYPE_N, "11.5", 4}};
	DynCond		cond = {.kind = DYN_COND_IN, .values = numbers, .nvalues = 4, .sorted = true};
	const char *found[] = {"-7", "2.0", "1e1", "11.50"};
	const char *others[] = {"-8", "0", "3", "12", "11.6"};
	char		text[64];

	cond.path = &paths[0];
	for (size_t i = 0; i < LENGTHOF(found); i++)
	{
		snprintf(text, sizeof(text), "\"a\":{\"N\":\"%s\"}", found[i]);
		item(text);
		CHECK(evaluate(&cond));
	}
	for (size_t i = 0; i < LENGTHOF(others); i++)
	{
		snprintf(text, sizeof(text), "\"a\":{\"N\":\"%s\"}", others[i]);
		item(text);
		CHECK(!evaluate(&cond));
	}
	item("\"a\":{\"S\":\"2\"}");
	CHECK(!evaluate(&cond));
	item("\"b\":{\"N\":\"2\"}");
	CHECK(!evaluate(&cond));
}

static void
compares_text_by_bytes(void)
{
	item("\"a\":{\"S\":\"x\\\"y\\u00e9\"},\"b\":{\"S\":\"abc\"}");
	CHECK(holds(DYN_COND_EQ, 0, DYN_TYPE_S, "x\"y\xc3\xa9", NULL));
	CHECK(holds(DYN_COND_BEGINS_WITH, 0, DYN_TYPE_S, "x\"", NULL));
	CHECK(holds(DYN_COND_CONTAINS, 0, DYN_TYPE_S, "y\xc3", NULL));
	CHECK(!holds(DYN_COND_CONTAINS, 0, DYN_TYPE_S, "yy", NULL));
	CHECK(holds(DYN_COND_CONTAINS, 1, DYN_TYPE_S, "bc", NULL));
	CHECK(!holds(DYN_COND_CONTAINS, 1, DYN_TYPE_S, "abcd", NULL));
	CHECK(holds(DYN_COND_LT, 1, DYN_TYPE_S, "abd", NULL));
	CHECK(!holds(DYN_COND_LT, 1, DYN_TYPE_S, "ab", NULL));
	CHECK(!holds(DYN_COND_BEGINS_WITH, 1, DYN_TYPE_S, "abcd", NULL));
}

static void
compares_bytes_decoded(void)
{
	item("\"a\":{\"B\":\"YWJj\"},\"b\":{\"BS\":[\"YQ==\",\"Yg==\"]}");
	CHECK(holds(DYN_COND_EQ, 0, DYN_TYPE_B, "abc", NULL));
	CHECK(holds(DYN_COND_GT, 0, DYN_TYPE_B, "ab", NULL));
	CHECK(holds(DYN_COND_CONTAINS, 1, DYN_TYPE_B, "b", NULL));
	CHECK(!holds(DYN_COND_CONTAINS, 1, DYN_TYPE_B, "c", NULL));
}

static void
finds_members(void)
{
	item("\"a\":{\"SS\":[\"p\",\"q\"]},\"b\":{\"L\":[{\"N\":\"1\"},{\"M\":{\"z\":{\"S\":\"r\"}}},{\"S\":\"s\"}]}");
	CHECK(holds(DYN_COND_CONTAINS, 0, DYN_TYPE_S, "q", NULL));
	CHECK(!holds(DYN_COND_CONTAINS, 0, DYN_TYPE_N, "1", NULL));
	CHECK(holds(DYN_COND_CONTAINS, 1, DYN_TYPE_N, "1", NULL));
	CHECK(holds(DYN_COND_CONTAINS, 1, DYN_TYPE_S, "s", NULL));
	CHECK(!holds(DYN_COND_CONTAINS, 1, DYN_TYPE_S, "r", NULL));
	item("\"a\":{\"NS\":[\"1\",\"2.50\"]},\"b\":{\"L\":[]}");
	CHECK(holds(DYN_COND_CONTAINS, 0, DYN_TYPE_N, "2.5", NULL));
	CHECK(!holds(DYN_COND_CONTAINS, 1, DYN_TYPE_N, "1", NULL));
}

static void
distinguishes_types(void)
{
	item("\"a\":{\"S\":\"10\"},\"b\":{\"NULL\":true},\"m\":{\"M\":{\"x\":{\"BOOL\":true}}}");
	CHECK(!holds(DYN_COND_EQ, 0, DYN_TYPE_N, "10", NULL));
	CHECK(holds(DYN_COND_NE, 0, DYN_TYPE_N, "10", NULL));
	CHECK(!holds(DYN_COND_GE, 0, DYN_TYPE_N, "1", NULL));
	CHECK(holds(DYN_COND_EXISTS, 1, DYN_TYPE_S, NULL, NULL));
	CHECK(holds(DYN_COND_IS_TYPE, 1, DYN_TYPE_NULL, NULL, NULL));
	CHECK(!holds(DYN_COND_IS_TYPE, 0, DYN_TYPE_N, NULL, NULL));
	CHECK(holds(DYN_COND_EQ, 2, DYN_TYPE_BOOL, NULL, NULL) == false);
	{
		DynScalar	yes = {DYN_TYPE_BOOL, NULL, 1};
		DynCond		cond = {.kind = DYN_COND_EQ, .path = &paths[2], .values = &yes, .nvalues = 1};

		CHECK(evaluate(&cond));
	}
}

static void
missing_is_unequal_to_everything(void)
{
	DynScalar	one = {DYN_TYPE_N, "1", 1};
	DynCond		less = {.kind = DYN_COND_LT, .path = &paths[0], .values = &one, .nvalues = 1};
	DynCond    *args[] = {&less, NULL};
	DynCond		not = {.kind = DYN_COND_NOT, .args = args, .nargs = 1};

	item("\"b\":{\"N\":\"1\"}");
	CHECK(!holds(DYN_COND_EQ, 0, DYN_TYPE_N, "1", NULL));
	CHECK(holds(DYN_COND_NE, 0, DYN_TYPE_N, "1", NULL));
	CHECK(!holds(DYN_COND_EXISTS, 0, DYN_TYPE_N, NULL, NULL));
	CHECK(holds(DYN_COND_NOT_EXISTS, 0, DYN_TYPE_N, NULL, NULL));
	CHECK(evaluate(&not));
}

static void
joins_conditions(void)
{
	DynScalar	one = {DYN_TYPE_N, "1", 1};
	DynCond		a = {.kind = DYN_COND_EQ, .path = &paths[0], .values = &one, .nvalues = 1};
	DynCond		b = {.kind = DYN_COND_EQ, .path = &paths[1], .values = &one, .nvalues = 1};
	DynCond    *args[] = {&a, &b};
	DynCond		both = {.kind = DYN_COND_AND, .args = args, .nargs = 2};
	DynCond		either = {.kind = DYN_COND_OR, .args = args, .nargs = 2};

	item("\"a\":{\"N\":\"2\"},\"b\":{\"N\":\"1\"}");
	CHECK(!evaluate(&both));
	CHECK(evaluate(&either));
	item("\"a\":{\"N\":\"1\"},\"b\":{\"N\":\"1\"}");
	CHECK(evaluate(&both));
	item("\"a\":{\"N\":\"3\"}");
	CHECK(!evaluate(&either));
}

static void
refuses_what_it_cannot_evaluate(void)
{
	DynPath		other = {&steps[3], 1};
	DynCond		unknown = {.kind = DYN_COND_EXISTS, .path = &other};
	DynCond		two = {.kind = DYN_COND_EQ, .path = &paths[0], .path2 = &paths[1]};

	CHECK(!dyn_cond_bind(&unknown, paths, 3));
	CHECK(!dyn_cond_bind(&two, paths, 3));
}

/* ---- as DynamoDB ---- */

static bool
is_selected(const MatchFact *fact, int number)
{
	char		digit = fact->selected[number / 4];
	int			bits = digit <= '9' ? digit - '0' : digit - 'a' + 10;

	return (bits >> (3 - number % 4)) & 1;
}

/* The condition of a fact, or its negation. */
static bool
fact_holds(const MatchFact *fact, bool negated)
{
	DynCond		cond = {.kind = fact->kind, .path = &paths[fact->path == 0 ? 0 : 2],
		.values = fact->operands, .type = fact->operands[0].type};
	DynCond    *args[] = {&cond};
	DynCond		not = {.kind = DYN_COND_NOT, .args = args, .nargs = 1};

	for (int i = 0; i < 2; i++)
		cond.nvalues += fact->operands[i].type != DYN_TYPE_ABSENT;
	return evaluate(negated ? &not : &cond);
}

static void
check_fact(int number, int at)
{
	const MatchFact *fact = &match_facts[number];
	bool		wanted = is_selected(fact, at);

	if (!CHECK(fact_holds(fact, false) == wanted) ||
		!CHECK(fact_holds(fact, true) == !wanted))
		printf("#     fact %d (kind %d), item %s\n", number, fact->kind,
			   match_items[at]);
}

static void
selects_what_dynamodb_selects(void)
{
	int			nitems = sizeof(match_items) / sizeof(match_items[0]);
	int			nfacts = sizeof(match_facts) / sizeof(match_facts[0]);

	for (int at = 0; at < nitems; at++)
	{
		full_item(match_items[at]);
		for (int number = 0; number < nfacts; number++)
			check_fact(number, at);
	}
}

/* A later value that needs less memory does not hide the failure. */
static void
reports_that_memory_has_run_out(void)
{
	DynScalar	values[] = {{DYN_TYPE_S, "x", 1}, {DYN_TYPE_N, "3", 1}};
	DynCond		conds[] = {{.kind = DYN_COND_EQ, .path = &paths[0], .values = &values[0], .nvalues = 1},
	{.kind = DYN_COND_EQ, .path = &paths[1], .values = &values[1], .nvalues = 1}};
	DynCond    *args[] = {&conds[0], &conds[1]};
	DynCond		any = {.kind = DYN_COND_OR, .args = args, .nargs = 2};
	char		text[512];
	DynBuffer	scratch;

	snprintf(text, sizeof(text), "\"a\":{\"S\":\"%0300d\\n\"},\"b\":{\"N\":\"2.0\"}", 0);
	item(text);
	CHECK(dyn_cond_bind(&any, paths, 3));
	dyn_buffer_init(&scratch, 200);
	(void) dyn_item_matches(&any, slots, &scratch);
	CHECK(scratch.failed);
	dyn_buffer_free(&scratch);
}

int
main(void)
{
	RUN(selects_what_dynamodb_selects);
	RUN(compares_numbers_by_value);
	RUN(searches_sorted_lists);
	RUN(compares_text_by_bytes);
	RUN(compares_bytes_decoded);
	RUN(finds_members);
	RUN(distinguishes_types);
	RUN(missing_is_unequal_to_everything);
	RUN(joins_conditions);
	RUN(refuses_what_it_cannot_evaluate);
	RUN(reports_that_memory_has_run_out);
	return DONE("item_match");
}

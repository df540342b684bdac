/*
 * test_page.c
 *		The page reader by example: what is taken from a response, what is
 *		refused and where, and the ends of its bounds.
 *
 * Random responses are in test_page_random.
 */
#include "harness.h"

#include <stdlib.h>

#include "any_json.h"

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_SLOTS	16

static DynPage page;
static DynPageCursor cursor;
static DynPageError error;

/* The copy is exactly as long as the text, so that reading on is noticed. */
static char *bytes;
static size_t bytes_len;

static bool
parse_bytes(const DynPathTree *shape, const char *text, size_t len)
{
	bool		parsed;

	free(bytes);
	bytes = malloc(len ? len : 1);
	memcpy(bytes, text, len);
	bytes_len = len;
	error.reason = NULL;
	error.offset = 0;
	parsed = dyn_page_parse(&page, DYN_PARSE_RESPONSE, shape, bytes, len, &error);
	dyn_page_cursor_init(&cursor, &page);
	return parsed;
}

static bool
parse(const DynPathTree *shape, const char *text)
{
	return parse_bytes(shape, text, strlen(text));
}

/* A shape from paths like "a", "info.rating" and "tags[0]". */
static DynPathTree *
shape_of(const char *const *texts, int n)
{
	DynStep		steps[MAX_SLOTS][8];
	DynPath		paths[MAX_SLOTS];
	int			i;

	memset(steps, 0, sizeof(steps));
	for (i = 0; i < n; i++)
	{
		const char *p = texts[i];
		int			k = 0;

		for (; *p; k++)
		{
			size_t		len = strcspn(p, ".[");

			if (*p == '[')
			{
				steps[i][k].index = (uint32_t) atoi(p + 1);
				p = strchr(p, ']') + 1;
				continue;
			}
			if (*p == '.')
				len = strcspn(++p, ".[");
			steps[i][k].name = p;
			steps[i][k].name_len = (uint32_t) len;
			p += len;
		}
		paths[i].steps = steps[i];
		paths[i].nsteps = k;
	}
	return dyn_path_tree_create(paths, n);
}

#define SHAPE(...) \
	shape_of((const char *const[]) {__VA_ARGS__}, \
			 LENGTHOF(((const char *const[]) {__VA_ARGS__})))

/* The items left of the page, slot by slot, as text. */
static const char *
items_text(int nslots)
{
	static char text[8192];
	char	   *p = text;
	DynValue	slots[MAX_SLOTS];
	int			i;

	while (dyn_page_next(&cursor, slots))
	{
		p += sprintf(p, "(");
		for (i = 0; i < nslots; i++)
		{
			const DynValue *v = &slots[i];

			if (v->type == DYN_TYPE_ABSENT)
				p += sprintf(p, "-");
			else
				p += sprintf(p, "%s:%.*s%s%s%s", dyn_type_name(v->type),
							 (int) v->len, v->data,
							 v->flags & DYN_VALUE_TRUE ? "t" : "",
							 v->flags & DYN_VALUE_ESCAPED ? "e" : "",
							 v->flags & DYN_VALUE_HAS_NUL ? "0" : "");
			if (i + 1 < nslots)
				p += sprintf(p, "|");
		}
		p += sprintf(p, ")");
	}
	*p = '\0';
	return text;
}

static void
check_items(const char *const *paths, int npaths, const char *response,
			const char *wanted)
{
	DynPathTree   *shape = shape_of(paths, npaths);

	if (CHECK(parse(shape, response)))
		CHECK_EQ_STR(items_text(npaths), wanted);
	else
		printf("#     %s at %zu in %s\n", error.reason, error.offset,
			   response);
	dyn_path_tree_free(shape);
}

#define CHECK_ITEMS(response, wanted, ...) \
	check_items((const char *const[]) {__VA_ARGS__}, \
				LENGTHOF(((const char *const[]) {__VA_ARGS__})), \
				response, wanted)

static void
every_type_is_read(void)
{
	CHECK_ITEMS("{\"Items\":[{\"a\":{\"S\":\"x\\n\"},\"b\":{\"N\":\"-1.5\"},"
				"\"c\":{\"B\":\"AA==\"},\"d\":{\"BOOL\":true},"
				"\"e\":{\"BOOL\":false},\"f\":{\"NULL\":true},"
				"\"g\":{\"SS\":[\"p\",\"q\"]},\"h\":{\"NS\":[\"1\"]},"
				"\"i\":{\"BS\":[\"AA==\"]},\"j\":{\"L\":[{\"S\":\"\"}]},"
				"\"k\":{\"M\":{\"z\":{\"N\":\"0\"}}}}]}",
				"(S:x\\ne|N:-1.5|B:AA==|BOOL:t|BOOL:|NULL:|SS:[\"p\",\"q\"]|"
				"NS:[\"1\"]|BS:[\"AA==\"]|L:[{\"S\":\"\"}]|"
				"M:{\"z\":{\"N\":\"0\"}}|-)",
				"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l");
}

static void
absent_item_and_empty_item_differ(void)
{
	CHECK_ITEMS("{}", "", "a");
	CHECK_ITEMS("{\"Item\":null}", "", "a");
	CHECK_ITEMS("{\"Item\":{}}", "(-)", "a");
	CHECK_ITEMS("{\"Item\":{\"a\":{\"N\":\"1\"}}}", "(N:1)", "a");
	CHECK_ITEMS("{\"Items\":[]}", "", "a");
	CHECK_ITEMS("{\"Items\":null}", "", "a");
	CHECK_ITEMS("{\"Items\":[{},{},{\"a\":{\"N\":\"1\"}},{},{\"b\":"
				"{\"N\":\"2\"}},{\"a\":{\"N\":\"3\"}}]}",
				"(-)(-)(N:1)(-)(-)(N:3)", "a");
	CHECK_EQ_INT(page.nitems, 6);
}

static void
batches_are_read_in_order(void)
{
	CHECK_ITEMS("{\"UnprocessedKeys\":{\"t\":{\"Keys\":[{\"a\":{\"N\":\"9\"}}"
				"]}},\"Responses\":{\"t\":[{\"a\":{\"N\":\"1\"}}],\"u\":[],"
				"\"v\":[{\"a\":{\"N\":\"2\"}},{\"a\":{\"N\":\"3\"}}]}}",
				"(N:1)(N:2)(N:3)", "a");
	CHECK(page.unprocessed != NULL && page.unprocessed_len == 32 &&
		  memcmp(page.unprocessed, "{\"t\":", 5) == 0 &&
		  page.unprocessed[31] == '}');
	CHECK_ITEMS("{\"Responses\":{},\"UnprocessedKeys\":{ }}", "", "a");
	CHECK(page.unprocessed == NULL && page.ntables == 0);
	CHECK_ITEMS("{\"Responses\":{\"t\":[],\"u\\u0041\":[]}}", "", "a");
	CHECK(page.ntables == 2 && page.table.len == 1 && page.table.data[0] == 't');
}

static void
unprocessed_keys_are_read_like_items(void)
{
	static const char keys[] =
		"{\"t\":{\"ConsistentRead\":true,\"Keys\":[{\"a\":{\"N\":\"1\"}},"
		"{\"a\":{\"N\":\"2\"}}],\"Other\":{}}}";
	DynPathTree   *shape = SHAPE("a");
	DynValue	value;

	CHECK(dyn_page_parse(&page, DYN_PARSE_KEYS, shape, keys, strlen(keys), &error));
	dyn_page_cursor_init(&cursor, &page);
	CHECK(page.nitems == 2 && page.ntables == 1);
	CHECK(dyn_page_next(&cursor, &value) && value.data[0] == '1');
	CHECK(dyn_page_next(&cursor, &value) && value.data[0] == '2');
	CHECK(!dyn_page_parse(&page, DYN_PARSE_KEYS, shape, "{\"t\":[]}", 8, &error));
	CHECK(!dyn_page_parse(&page, DYN_PARSE_KEYS, shape, "[]", 2, &error));
	CHECK(!dyn_page_parse(&page, DYN_PARSE_KEYS, shape, "{} x", 4, &error));
	dyn_path_tree_free(shape);
}

/* The item of a write is not the member of a response. */
static void
single_items_are_read(void)
{
	static const char item[] = " {\"a\":{\"N\":\"1\"},\"Items\":{\"S\":\"x\"}} ";
	DynStep		step = {"a", 1, 0};
	DynPath		path = {&step, 1};
	DynPathTree *tree = dyn_path_tree_create(&path, 1);
	DynPageCursor cursor;
	DynPageError error;
	DynValue	value;

	CHECK(dyn_page_parse(&page, DYN_PARSE_ITEM, tree, item, sizeof(item) - 1, &error));
	CHECK_EQ_INT(page.nitems, 1);
	CHECK_EQ_INT(page.members, 0);
	dyn_page_cursor_init(&cursor, &page);
	CHECK(dyn_page_next(&cursor, &value) && value.type == DYN_TYPE_N && value.data[0] == '1');
	CHECK(!dyn_page_next(&cursor, &value));
	CHECK(dyn_page_parse(&page, DYN_PARSE_ITEM, tree, "{}", 2, &error));
	CHECK_EQ_INT(page.nitems, 1);
	CHECK(!dyn_page_parse(&page, DYN_PARSE_ITEM, tree, "", 0, &error));
	CHECK(!dyn_page_parse(&page, DYN_PARSE_ITEM, tree, "[]", 2, &error));
	CHECK(!dyn_page_parse(&page, DYN_PARSE_ITEM, tree, "{} {}", 5, &error));
	CHECK(!dyn_page_parse(&page, DYN_PARSE_ITEM, tree, "{\"a\":1}", 7, &error));
	dyn_path_tree_free(tree);
}

static void
members_next_to_the_items_are_read(void)
{
	DynPathTree   *shape = SHAPE("a");

	CHECK(parse(shape, "{\"Count\":3,\"ScannedCount\":70, \"Other\":[1e5,{}],"
				"\"LastEvaluatedKey\": {\"a\":{\"S\":\"x\"}} ,"
				"\"ConsumedCapacity\":{\"TableName\":\"t\",\"CapacityUnits\":"
				"12.5,\"Table\":{\"CapacityUnits\":7}}}"));
	CHECK(page.count == 3 && page.scanned_count == 70);
	CHECK_EQ_INT(page.members, DYN_PAGE_COUNT | DYN_PAGE_SCANNED_COUNT |
				 DYN_PAGE_LAST_KEY | DYN_PAGE_UNITS | DYN_PAGE_OTHER);
	CHECK(page.units == 12.5 && page.nitems == 0);
	CHECK(page.last_key_len == 15 &&
		  memcmp(page.last_key, "{\"a\":{\"S\":\"x\"}}", 15) == 0);

	CHECK(parse(shape, "{\"LastEvaluatedKey\":{}}"));
	CHECK(page.last_key == NULL && page.units == 0);
	CHECK(page.members & DYN_PAGE_EMPTY_LAST_KEY);
	CHECK(parse(shape, "{\"LastEvaluatedKey\":null,\"Count\":null}"));
	CHECK(page.last_key == NULL);
	CHECK_EQ_INT(page.members, DYN_PAGE_EMPTY_LAST_KEY);
	CHECK(parse(shape, "{\"ConsumedCapacity\":[{\"CapacityUnits\":1},"
				"{\"CapacityUnits\":0.25}]}"));
	CHECK(page.units == 1.25);
	CHECK(parse(shape, "{\"ConsumedCapacity\":[{\"CapacityUnits\":-3},"
				"{\"CapacityUnits\":1e308},{\"CapacityUnits\":1e999},"
				"{\"CapacityUnits\":2}]}"));
	CHECK(page.units == 2);
	dyn_path_tree_free(shape);
}

static void
paths_lead_into_maps_and_lists(void)
{
	const char *response =
		"{\"Items\":[{\"info\":{\"M\":{\"rating\":{\"N\":\"7\"},\"x\":{\"L\":["
		"{\"S\":\"p\"},{\"M\":{\"y\":{\"S\":\"q\"}}}]}}},"
		"\"tags\":{\"L\":[{\"S\":\"t0\"},{\"S\":\"t1\"}]}},"
		"{\"info\":{\"S\":\"no map\"},\"tags\":{\"SS\":[\"no list\"]}},"
		"{\"info\":{\"L\":[{\"M\":{\"rating\":{\"N\":\"8\"}}}]},"
		"\"tags\":{\"M\":{\"0\":{\"S\":\"n\"}}}}]}";

	CHECK_ITEMS(response, "(N:7|S:p|S:q|S:t1)(-|-|-|-)(-|-|-|-)",
				"info.rating", "info.x[0]", "info.x[1].y", "tags[1]");
	CHECK_ITEMS("{\"Item\":{\"a\":{\"L\":[{\"M\":{\"b\":{\"N\":\"1\"}}},"
				"{\"M\":{\"b\":{\"N\":\"2\"}}},{\"M\":{\"b\":{\"N\":\"3\"}}}]}"
				"}}", "(N:2|-|N:3)", "a[1].b", "a.b", "a[2].b");
	CHECK_ITEMS("{\"Item\":{\"a\":{\"M\":{\"b\":{\"M\":{\"c\":{\"N\":\"1\"}}}"
				"}}}}", "(M:{\"b\":{\"M\":{\"c\":{\"N\":\"1\"}}}}|"
				"M:{\"c\":{\"N\":\"1\"}}|N:1|N:1|-)",
				"a", "a.b", "a.b.c", "a.b.c", "a.c");
}

static void
same_names_in_list_elements_are_not_taken_for_the_map(void)
{
	/* the list's maps come first, so their names are met first */
	CHECK_ITEMS("{\"Items\":[{\"a\":{\"L\":[{\"M\":{\"b\":{\"N\":\"1\"}}}]}},"
				"{\"a\":{\"M\":{\"b\":{\"N\":\"2\"}}}},"
				"{\"a\":{\"L\":[{\"M\":{\"b\":{\"N\":\"3\"}}}]}}]}",
				"(-)(N:2)(-)", "a.b");
}

static void
names_are_compared_undone(void)
{
	CHECK_ITEMS("{\"It\\u0065ms\":[{\"\\u0061\":{\"\\u0053\":\"x\"}},"
				"{\"a\":{\"N\":\"1\"}},{\"\\u0061b\":{\"S\":\"y\"}}]}",
				"(S:x|-)(N:1|-)(-|S:y)", "a", "ab");
}

static void
zero_bytes_are_reported(void)
{
	CHECK_ITEMS("{\"Item\":{\"a\":{\"S\":\"\\u0000\"},\"b\":{\"L\":[{\"M\":{"
				"\"\\u0000\":{\"S\":\"\"}}}]},\"c\":{\"SS\":[\"x\","
				"\"\\u0000\"]},\"d\":{\"L\":[{\"S\":\"\\\\u0000\"}]},"
				"\"\\u0000\":{\"S\":\"x\"}}}",
				"(S:\\u0000e0|L:[{\"M\":{\"\\u0000\":{\"S\":\"\"}}}]0|"
				"SS:[\"x\",\"\\u0000\"]0|L:[{\"S\":\"\\\\u0000\"}])",
				"a", "b", "c", "d");
}

/* Legal attributes around a bad one, in the first item and in later ones. */
static void
refuse(const DynPathTree *shape, const char *attribute, size_t at,
	   const char *reason)
{
	static const char *const fronts[] = {
		"{\"Items\":[{",
		"{\"Items\":[{\"a\":{\"N\":\"1\"},\"b\":{\"M\":{}}},{",
		"{\"Items\":[{\"x\":{\"L\":[{\"M\":{",
	};
	char		text[2048];
	size_t		i;

	for (i = 0; i < LENGTHOF(fronts); i++)
	{
		DynValue	slots[MAX_SLOTS];

		snprintf(text, sizeof(text), "%s%s%s", fronts[i], attribute,
				 i < 2 ? "}],\"Other\":\"enough for every wide step\"}" :
				 "}}]}}],\"Other\":\"enough for every wide step\"}");
		if (!CHECK(!parse(shape, text)))
			printf("#     %s\n", text);
		else if (!CHECK_EQ_INT(error.offset, strlen(fronts[i]) + at))
			printf("#     %s\n", text);
		if (error.reason != NULL)
			CHECK_EQ_STR(error.reason, reason);
		CHECK(page.nitems == 0 && !dyn_page_next(&cursor, slots));
	}
}

static void
bad_attribute_values_are_refused_in_place(void)
{
	DynPathTree   *shape = SHAPE("a", "b", "q", "q.r");
	static const char *const number = "malformed number";
	static const char *const member = "an attribute value must have exactly one member";

	refuse(shape, "\"q\":1", 4, "an attribute value was expected");
	refuse(shape, "\"q\":{}", 5, "a type tag was expected");
	refuse(shape, "\"q\":{\"X\":\"\"}", 6, "unrecognized type tag");
	refuse(shape, "\"q\":{\"s\":\"\"}", 6, "unrecognized type tag");
	refuse(shape, "\"q\":{\"S\":\"\",\"N\":\"1\"}", 11, member);
	refuse(shape, "\"q\":{\"S\":\"\",}", 11, member);
	refuse(shape, "\"q\":{\"L\":[],\"S\":\"\"}", 11, member);
	refuse(shape, "\"q\":{\"S\":1}", 9, "a string was expected");
	refuse(shape, "\"q\":{\"S\":null}", 9, "a string was expected");
	refuse(shape, "\"q\":{\"N\":1}", 9, "a string was expected");
	refuse(shape, "\"q\":{\"N\":\"\"}", 10, number);
	refuse(shape, "\"q\":{\"N\":\"-\"}", 10, number);
	refuse(shape, "\"q\":{\"N\":\".\"}", 10, number);
	refuse(shape, "\"q\":{\"N\":\"1e\"}", 10, number);
	refuse(shape, "\"q\":{\"N\":\"e5\"}", 10, number);
	refuse(shape, "\"q\":{\"N\":\"1 \"}", 10, number);
	refuse(shape, "\"q\":{\"N\":\"1.2.3\"}", 10, number);
	refuse(shape, "\"q\":{\"N\":\"NaN\"}", 10, number);
	refuse(shape, "\"q\":{\"N\":\"0x1\"}", 10, number);
	refuse(shape, "\"q\":{\"N\":\"\\u0031\"}", 10, number);
	refuse(shape, "\"q\":{\"BOOL\":1}", 12, "invalid literal");
	refuse(shape, "\"q\":{\"BOOL\":\"true\"}", 12, "invalid literal");
	refuse(shape, "\"q\":{\"NULL\":false}", 12, "invalid literal");
	refuse(shape, "\"q\":{\"NULL\":null}", 12, "invalid literal");
	refuse(shape, "\"q\":{\"SS\":[]}", 11, "a string was expected");
	refuse(shape, "\"q\":{\"SS\":\"\"}", 10, "an array was expected");
	refuse(shape, "\"q\":{\"SS\":[\"a\",]}", 15, "a string was expected");
	refuse(shape, "\"q\":{\"NS\":[\"a\"]}", 12, number);
	refuse(shape, "\"q\":{\"L\":{}}", 9, "an array was expected");
	refuse(shape, "\"q\":{\"M\":[]}", 9, "an object was expected");
	refuse(shape, "\"q\":{\"L\":[{\"S\":\"\"},]}", 19,
		   "an attribute value was expected");
	refuse(shape, "\"q\":{\"M\":{\"r\":{\"S\":\"\"},}}", 23,
		   "an attribute name was expected");
	dyn_path_tree_free(shape);
}

static void
bad_json_is_refused_in_place(void)
{
	DynPathTree   *shape = SHAPE("a", "b", "q");
	static const char *const lone = "lone surrogate";

	refuse(shape, "q:1", 0, "an attribute name was expected");
	refuse(shape, ",\"q\":{\"S\":\"\"}", 0, "an attribute name was expected");
	refuse(shape, "\"q\" {\"S\":\"\"}", 4, "a colon was expected");
	refuse(shape, "\"q\":{\"S\" \"\"}", 9, "a colon was expected");
	refuse(shape, "\"q\":{\"S\":\"\"} \"r\":{\"S\":\"\"}", 13,
		   "a comma or bracket was expected");
	refuse(shape, "\"q\":{\"S\":\"a\x01\"}", 11,
		   "control character in string");
	refuse(shape, "\"q\":{\"S\":\"\\x\"}", 10, "invalid escape");
	refuse(shape, "\"q\":{\"S\":\"\\u12g4\"}", 10, "malformed \\u escape");
	refuse(shape, "\"q\":{\"S\":\"\\ud800\"}", 10, lone);
	refuse(shape, "\"q\":{\"S\":\"\\udc00\"}", 10, lone);
	refuse(shape, "\"q\":{\"S\":\"\\ud800\\ud800\"}", 10, lone);
	refuse(shape, "\"q\":{\"S\":\"\\ud800\\n\"}", 10, lone);
	refuse(shape, "\"q\":{\"S\":\"ab\x80\"}", 12, "malformed UTF-8");
	refuse(shape, "\"q\":{\"S\":\"\xc0\xaf\"}", 10, "malformed UTF-8");
	refuse(shape, "\"q\":{\"S\":\"\xed\xa0\x80\"}", 10, "malformed UTF-8");
	refuse(shape, "\"q\":{\"S\":\"\xf4\x90\x80\x80\"}", 10, "malformed UTF-8");
	refuse(shape, "\"q\":{\"S\":\"\xc3\"}", 10, "malformed UTF-8");
	refuse(shape, "\"\xff\":{\"S\":\"\"}", 1, "malformed UTF-8");
	dyn_path_tree_free(shape);
}

static void
duplicate_names_are_refused(void)
{
	DynPathTree   *shape = SHAPE("a", "b");
	static const char *const twice = "duplicate name";

	refuse(shape, "\"q\":{\"S\":\"\"},\"q\":{\"S\":\"\"}", 14, twice);
	refuse(shape, "\"q\":{\"S\":\"\"},\"\\u0071\":{\"S\":\"\"}", 14, twice);
	refuse(shape, "\"\\u0071\":{\"S\":\"\"},\"q\":{\"S\":\"\"}", 19, twice);
	refuse(shape, "\"\\u0000\":{\"S\":\"\"},\"\\u0000\":{\"S\":\"\"}", 19,
		   twice);
	refuse(shape, "\"a\":{\"S\":\"\"},\"b\":{\"S\":\"\"},\"a\":{\"S\":\"\"}",
		   27, twice);
	refuse(shape, "\"q\":{\"M\":{\"a\":{\"S\":\"\"},\"a\":{\"S\":\"\"}}}", 24,
		   twice);
	refuse(shape, "\"q\":{\"M\":{\"q\":{\"M\":{}}}},\"q\":{\"S\":\"\"}", 26,
		   twice);
	CHECK(!parse(shape, "{\"Items\":[],\"Items\":[]}"));
	CHECK_EQ_INT(error.offset, 13);
	CHECK(!parse(shape, "{\"Items\":[],\"It\\u0065ms\":[]}"));
	CHECK(!parse(shape, "{\"X\":1,\"X\":1}"));
	CHECK(!parse(shape, "{\"X\":{\"y\":[{\"z\":1,\"z\":1}]}}"));
	CHECK(!parse(shape, "{\"Responses\":{\"t\":[],\"t\":[]}}"));
	CHECK(!parse(shape, "{\"LastEvaluatedKey\":{\"a\":{\"S\":\"\"},"
				 "\"a\":{\"S\":\"\"}}}"));
	/* the same name in different objects is none */
	CHECK(parse(shape, "{\"Item\":{\"a\":{\"M\":{\"a\":{\"L\":[{\"M\":{\"a\":"
				"{\"S\":\"\"}}},{\"M\":{\"a\":{\"S\":\"\"}}}]}}}},\"X\":[{"
				"\"a\":1},{\"a\":{\"a\":1}}]}"));
	dyn_path_tree_free(shape);
}

static void
bad_responses_are_refused(void)
{
	static const char *const rows[] = {
		"", " ", "[]", "null", "1", "\"x\"", "{", "{\"Items\"", "{\"Items\":",
		"{\"Items\":[", "{\"Items\":[{", "{\"Items\":[{}", "{\"Items\":[{}]",
		"{\"Items\":[{}],}", "{\"Items\":[{},]}", "{\"Items\":[,]}",
		"{\"Items\":{}}", "{\"Items\":[[]]}", "{\"Items\":[null]}",
		"{\"Item\":[]}", "{\"Responses\":[]}", "{\"Responses\":{\"t\":{}}}",
		"{\"Count\":-1}", "{\"Count\":1.5}", "{\"Count\":\"1\"}",
		"{\"Count\":01}", "{\"Count\":1e2}", "{\"ScannedCount\":{}}",
		"{\"Count\":99999999999999999999}", "{\"LastEvaluatedKey\":[]}",
		"{\"LastEvaluatedKey\":{\"a\":1}}", "{\"UnprocessedKeys\":[]}",
		"{\"ConsumedCapacity\":1}", "{\"ConsumedCapacity\":[1]}",
		"{\"ConsumedCapacity\":{\"CapacityUnits\":\"1\"}}", "{}x", "{} {}",
		"{\"Item\":nul}", "\xef\xbb\xbf{}"
	};
	DynPathTree   *shape = SHAPE("a");
	size_t		i;

	for (i = 0; i < LENGTHOF(rows); i++)
	{
		harness_check(!parse(shape, rows[i]), rows[i], __FILE__, __LINE__);
		CHECK(error.reason != NULL && error.offset <= strlen(rows[i]));
	}
	dyn_path_tree_free(shape);
}

/* A response with `depth` lists around nothing. */
static bool
parse_deep(const DynPathTree *shape, int depth)
{
	char		text[8192] = "{\"Item\":{\"a\":";
	int			i;

	for (i = 0; i < depth; i++)
		strcat(text, i % 2 ? "{\"M\":{\"a\":" : "{\"L\":[");
	if (depth % 2 == 0)
		strcat(text, "{\"SS\":[\"x\"]}");
	for (i = depth - 1; i >= 0; i--)
		strcat(text, i % 2 ? "}}" : "]}");
	strcat(text, "}}");
	return parse(shape, text);
}

static void
depth_has_a_limit(void)
{
	DynPathTree   *shape = SHAPE("a");

	CHECK(parse_deep(shape, 2));
	CHECK(parse_deep(shape, DYN_MAX_DEPTH));
	CHECK(!parse_deep(shape, DYN_MAX_DEPTH + 1));
	CHECK_EQ_STR(error.reason, "nested too deeply");
	dyn_path_tree_free(shape);
}

/* Every prefix of a response is refused, the full response accepted. */
static void
truncation_is_noticed_at_every_byte(void)
{
	const char *text = "{\"Count\":1,\"Items\":[{\"a\":{\"S\":\"caf\xc3\xa9 "
		"\\ud83d\\ude00\"},\"b\":{\"L\":[{\"N\":\"1.5\"},{\"BOOL\":true}]}},"
		"{\"a\":{\"S\":\"second\"},\"b\":{\"M\":{\"x\":{\"NULL\":true}}}}],"
		"\"ConsumedCapacity\":{\"CapacityUnits\":0.5}}";
	DynPathTree   *shape = SHAPE("a", "b", "b.x", "b[1]");
	size_t		len;

	for (len = 0; len < strlen(text); len++)
		CHECK(!parse_bytes(shape, text, len));
	CHECK(parse(shape, text));
	dyn_path_tree_free(shape);
}

/* More names than the lexicon holds, twice, then one of them doubled. */
static void
many_names_are_distinguished(void)
{
	enum
	{
		NAMES = 3000
	};
	char	   *text = malloc(NAMES * 80 + 1000);
	char	   *p = text;
	DynPathTree   *shape = SHAPE("name0000", "name2999", "other1500");
	int			doubled;

	for (doubled = -1; doubled < NAMES; doubled = doubled * 2 + 2)
	{
		int			i;

		p = text + sprintf(text, "{\"Items\":[{");
		for (i = 0; i < NAMES; i++)
			p += sprintf(p, "\"name%04d\":{\"N\":\"%d\"},", i, i);
		p += sprintf(p, "\"z\":{\"S\":\"\"}},{");
		for (i = 0; i < NAMES; i++)
			p += sprintf(p, "\"other%04d\":{\"N\":\"%d\"},", i, i);
		p += sprintf(p, "\"%s%04d\":{\"S\":\"\"}}]}",
					 doubled < 0 ? "new" : "other", doubled < 0 ? 0 : doubled);
		CHECK(parse(shape, text) == (doubled < 0));
		if (doubled < 0)
			CHECK_EQ_STR(items_text(3), "(N:0|N:2999|-)(-|-|N:1500)");
		else
			CHECK_EQ_STR(error.reason, "duplicate name");
	}
	free(text);
	dyn_path_tree_free(shape);
}

static void
memory_is_in_proportion_and_reused(void)
{
	enum
	{
		ITEMS = 20000
	};
	char	   *text = malloc(ITEMS * 40);
	char	   *p = text + sprintf(text, "{\"Items\":[");
	DynPathTree   *shape = SHAPE("a", "b");
	DynPathTree   *none = dyn_path_tree_create(NULL, 0);
	size_t		first;
	int			i;

	for (i = 0; i < ITEMS; i++)
		p += sprintf(p, "%s{\"a\":{\"N\":\"%d\"}}", i ? "," : "", i);
	p += sprintf(p, "]}");
	dyn_page_free(&page);
	CHECK(dyn_page_memory(&page) == 0);
	CHECK(parse(none, text) && page.nitems == ITEMS);
	CHECK(dyn_page_memory(&page) < 20000);
	CHECK(parse(shape, text));
	first = dyn_page_memory(&page);
	CHECK(first < 12 * ITEMS * 2 + 20000);
	CHECK(parse(shape, text) && dyn_page_memory(&page) == first);
	free(text);
	dyn_path_tree_free(shape);
	dyn_path_tree_free(none);
}

static void
counting_needs_no_slots(void)
{
	DynPathTree   *shape = dyn_path_tree_create(NULL, 0);
	DynValue	none;

	CHECK(parse(shape, "{\"Items\":[{\"a\":{\"S\":\"\"}},{}]}"));
	CHECK(page.nitems == 2);
	CHECK(dyn_page_next(&cursor, &none) && dyn_page_next(&cursor, &none));
	CHECK(!dyn_page_next(&cursor, &none));
	dyn_page_cursor_init(&cursor, &page);
	CHECK(dyn_page_next(&cursor, &none));
	dyn_path_tree_free(shape);
}

/* Without steps a path leads to the item, as to a map. */
static void
the_item_itself_is_a_map(void)
{
	CHECK_ITEMS("{\"Items\":[{ \"a\":{\"M\":{\"b\":{\"S\":\"x\"}}} , \"c\":{\"N\":\"1\"}},{}, {\"a\":{\"S\":\"\\u0000\"}},"
				"{\"a\":{\"S\":\"y\"}}],\"LastEvaluatedKey\":{\"a\":{\"S\":\"y\"}}}",
				"(M:{ \"a\":{\"M\":{\"b\":{\"S\":\"x\"}}} , \"c\":{\"N\":\"1\"}}|S:x|M:{\"b\":{\"S\":\"x\"}})"
				"(M:{}|-|-)(M:{\"a\":{\"S\":\"\\u0000\"}}0|-|S:\\u0000e0)(M:{\"a\":{\"S\":\"y\"}}|-|S:y)",
				"", "a.b", "a");
	CHECK_ITEMS("{\"Item\":{\"a\":{\"BOOL\":true}}}", "(M:{\"a\":{\"BOOL\":true}}|M:{\"a\":{\"BOOL\":true}})", "", "");
	CHECK_ITEMS("{}", "", "");
}

/* Each reader has a place of its own. */
static void
cursors_are_apart(void)
{
	DynPathTree   *shape = SHAPE("a");
	DynPageCursor other;
	DynValue	value;

	CHECK(parse(shape, "{\"Items\":[{\"a\":{\"N\":\"1\"}},{},{},{\"a\":{\"N\":\"4\"}}]}"));
	dyn_page_cursor_init(&other, &page);
	CHECK(dyn_page_next(&cursor, &value) && value.data[0] == '1');
	CHECK(dyn_page_next(&cursor, &value) && value.type == DYN_TYPE_ABSENT);
	CHECK(dyn_page_next(&other, &value) && value.data[0] == '1');
	CHECK(dyn_page_next(&cursor, &value) && dyn_page_next(&cursor, &value) &&
		  value.data[0] == '4' && cursor.given == 4);
	CHECK(dyn_page_next(&other, &value) && value.type == DYN_TYPE_ABSENT &&
		  other.given == 2);
	CHECK(!dyn_page_next(&cursor, &value) && dyn_page_next(&other, &value));
	dyn_path_tree_free(shape);
}

static void
documents_are_judged(void)
{
	CHECK(is_json(" [1, {\"a\":null, \"b\":[]}] ", 24, &error));
	CHECK(!is_json("[1,]", 4, &error));
	CHECK_EQ_INT(error.offset, 3);
	CHECK(!is_json("", 0, &error));
	CHECK(!is_json("1 2", 3, &error));
}

int
main(void)
{
	RUN(every_type_is_read);
	RUN(absent_item_and_empty_item_differ);
	RUN(batches_are_read_in_order);
	RUN(unprocessed_keys_are_read_like_items);
	RUN(single_items_are_read);
	RUN(members_next_to_the_items_are_read);
	RUN(paths_lead_into_maps_and_lists);
	RUN(same_names_in_list_elements_are_not_taken_for_the_map);
	RUN(names_are_compared_undone);
	RUN(zero_bytes_are_reported);
	RUN(bad_attribute_values_are_refused_in_place);
	RUN(bad_json_is_refused_in_place);
	RUN(duplicate_names_are_refused);
	RUN(bad_responses_are_refused);
	RUN(depth_has_a_limit);
	RUN(truncation_is_noticed_at_every_byte);
	RUN(many_names_are_distinguished);
	RUN(memory_is_in_proportion_and_reused);
	RUN(counting_needs_no_slots);
	RUN(the_item_itself_is_a_map);
	RUN(cursors_are_apart);
	RUN(documents_are_judged);
	dyn_page_free(&page);
	free(bytes);
	return DONE("page");
}

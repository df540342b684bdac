/*
 * test_elements.c
 *		The elements of lists, sets and maps, and the places below them: as the
 *		page reader finds them in an item.
 */
#include "harness.h"

#include "dynamodb/elements.h"

static char text[65536];

/* The entire value of attribute c, in an item given without its braces. */
static DynValue
collection(const char *json)
{
	static const DynStep step = {"c", 1, 0};
	static const DynPath path = {&step, 1};
	static DynPage page;
	DynPathTree *tree = dyn_path_tree_create(&path, 1);
	DynPageCursor cursor;
	DynPageError error;
	DynValue	value = {0};

	snprintf(text, sizeof(text), "{\"Item\":{\"c\":%s}}", json);
	dyn_page_free(&page);
	if (CHECK(dyn_page_parse(&page, DYN_PARSE_RESPONSE, tree, text, strlen(text), &error)))
	{
		dyn_page_cursor_init(&cursor, &page);
		CHECK(dyn_page_next(&cursor, &value));
	}
	dyn_path_tree_free(tree);
	return value;
}

/* The elements as a line of text: position, name, type, data, U+0000. */
static const char *
elements_of(const char *json)
{
	static char line[4096];
	char	   *p = line;
	DynValue	value = collection(json);
	DynElements elements;

	*p = '\0';
	CHECK(value.type >= DYN_TYPE_SS);
	dyn_elements_begin(&elements, &value);
	while (dyn_elements_next(&elements))
	{
		p += sprintf(p, "%u ", elements.position);
		if (elements.name.type != DYN_TYPE_ABSENT)
			p += sprintf(p, "%.*s: ", (int) elements.name.len, elements.name.data);
		p += sprintf(p, "%s(%.*s)%s ", dyn_type_name(elements.value.type),
					 (int) elements.value.len, elements.value.data,
					 elements.value.flags & DYN_VALUE_HAS_NUL ? "0" : "");
	}
	return line;
}

static void
elements_come_in_order(void)
{
	CHECK_EQ_STR(elements_of("{\"L\":[]}"), "");
	CHECK_EQ_STR(elements_of("{\"M\":{}}"), "");
	CHECK_EQ_STR(elements_of("{\"L\":[{\"S\":\"a\"},{\"NULL\":true},{\"N\":\"5\"}]}"),
				 "0 S(a) 1 NULL() 2 N(5) ");
	CHECK_EQ_STR(elements_of("{\"SS\":[\"x\",\"\"]}"), "0 S(x) 1 S() ");
	CHECK_EQ_STR(elements_of("{\"NS\":[\"1\",\"-2\"]}"), "0 N(1) 1 N(-2) ");
	CHECK_EQ_STR(elements_of("{\"BS\":[\"AA==\"]}"), "0 B(AA==) ");
	CHECK_EQ_STR(elements_of("{\"M\":{\"k\":{\"M\":{\"a\":{\"L\":[]}}},\"l\\u0041\":{\"BOOL\":true}}}"),
				 "0 k: M({\"a\":{\"L\":[]}}) 1 l\\u0041: BOOL() ");
	CHECK_EQ_STR(elements_of("{ \"L\" : [ { \"L\" : [ { \"SS\" : [ \"]\" ] } ] } , {\"S\":\"}\"} ] }"),
				 "0 L([ { \"SS\" : [ \"]\" ] } ]) 1 S(}) ");
}

static void
one_element_has_the_character(void)
{
	CHECK_EQ_STR(elements_of("{\"L\":[{\"L\":[{\"S\":\"a\\u0000\"}]},{\"L\":[{\"S\":\"\\\\u0000\"}]},{\"S\":\"\\u0000\"}]}"),
				 "0 L([{\"S\":\"a\\u0000\"}])0 1 L([{\"S\":\"\\\\u0000\"}]) 2 S(\\u0000)0 ");
}

static const DynStep a[] = {{"a", 1, 0}};
static const DynStep ab[] = {{"a", 1, 0}, {"b", 1, 0}};
static const DynStep a1x[] = {{"a", 1, 0}, {NULL, 0, 1}, {"x", 1, 0}};
static const DynStep quote[] = {{"\"", 1, 0}};
static const DynStep again[] = {{"a", 1, 0}};
static const DynPath paths[] = {{a, 1}, {ab, 2}, {a1x, 3}, {quote, 1}, {again, 1}};

#define NPATHS	((int) LENGTHOF(paths))

static bool
same_value(const DynValue *x, const DynValue *y)
{
	return x->type == y->type && x->len == y->len && x->flags == y->flags &&
		memcmp(x->len ? x->data : "", y->len ? y->data : "", x->len) == 0;
}

/* A map has the same places below it as an item of the same members. */
static void
places_are_found_as_in_an_item(void)
{
	static const char *const maps[] = {
		"{}", "{\"a\":{\"S\":\"t\"}}", "{\"b\":{\"S\":\"t\"},\"a\":{\"M\":{\"b\":{\"N\":\"1\"},\"c\":{\"NULL\":true}}}}",
		"{\"a\":{\"L\":[{\"S\":\"0\"},{\"M\":{\"x\":{\"BOOL\":true}}}]}}", "{\"a\":{\"SS\":[\"q\",\"x\"]}}",
		"{\"\\u0022\":{\"S\":\"\\u0000\"},\"a\":{\"L\":[{\"S\":\"\\u0000\"}]}}", "{\"\\\"\":{\"B\":\"AAA=\"},\"\\u0061\":{\"M\":{\"\\u0062\":{\"SS\":[\"z\"]}}}}",
		"{\"z\":{\"M\":{\"a\":{\"M\":{\"b\":{\"S\":\"deep\"}}}}},\"a\":{\"M\":{\"b\":{\"L\":[{\"L\":[{\"M\":{}}]}]}}}}",
		"{ \"a\" : { \"L\" : [ { \"NULL\" : true } , { \"M\" : { \"x\" : { \"S\" : \"]\" } } } ] } }"};

	for (size_t i = 0; i < LENGTHOF(maps); i++)
	{
		char		json[512];
		char		member[512];
		DynPathTree *tree = dyn_path_tree_create(paths, NPATHS);
		DynValue	expected[NPATHS];
		DynValue	slots[NPATHS];
		DynBuffer	scratch;
		DynPage		page = {0};
		DynPageCursor cursor;
		DynPageError error;
		DynValue	map;

		snprintf(json, sizeof(json), "{\"Item\":%s}", maps[i]);
		CHECK(dyn_page_parse(&page, DYN_PARSE_RESPONSE, tree, json, strlen(json), &error));
		dyn_page_cursor_init(&cursor, &page);
		CHECK(dyn_page_next(&cursor, expected));
		snprintf(member, sizeof(member), "{\"M\":%s}", maps[i]);
		map = collection(member);
		dyn_buffer_init(&scratch, 0);
		dyn_values_below(tree, &map, slots, &scratch);
		CHECK(!scratch.failed);
		for (int j = 0; j < NPATHS; j++)
			harness_check(same_value(&slots[j], &expected[j]), maps[i], __FILE__, __LINE__);
		dyn_buffer_free(&scratch);
		dyn_page_free(&page);
		dyn_path_tree_free(tree);
	}
}

static void
scalars_have_no_places(void)
{
	static const char *const values[] = {"{\"L\":[{\"S\":\"a\"}]}", "{\"SS\":[\"a\"]}"};
	static const DynStep first[] = {{NULL, 0, 0}};
	static const DynPath path[] = {{first, 1}};
	DynPathTree *tree = dyn_path_tree_create(path, 1);
	DynBuffer	scratch;
	DynValue	slot;
	DynValue	value = collection(values[0]);

	dyn_buffer_init(&scratch, 0);
	dyn_values_below(tree, &value, &slot, &scratch);
	CHECK(slot.type == DYN_TYPE_S && slot.len == 1);
	value = collection(values[1]);
	dyn_values_below(tree, &value, &slot, &scratch);
	CHECK(slot.type == DYN_TYPE_ABSENT);
	value = (DynValue) {"5", 1, DYN_TYPE_N, 0};
	dyn_values_below(tree, &value, &slot, &scratch);
	CHECK(slot.type == DYN_TYPE_ABSENT);
	dyn_buffer_free(&scratch);
	dyn_path_tree_free(tree);
}

/* A shorter name that follows does not hide that memory has run out. */
static void
reports_that_memory_has_run_out(void)
{
	static const DynStep first[] = {{"a", 1, 0}};
	static const DynPath path[] = {{first, 1}};
	DynPathTree *tree = dyn_path_tree_create(path, 1);
	DynBuffer	scratch;
	DynValue	slot;
	char		text[512];
	DynValue	value;

	snprintf(text, sizeof(text), "{\"M\":{\"%0300d\\n\":{\"N\":\"1\"},\"b\\n\":{\"N\":\"2\"}}}", 0);
	value = collection(text);
	dyn_buffer_init(&scratch, 200);
	dyn_values_below(tree, &value, &slot, &scratch);
	CHECK(scratch.failed);
	dyn_buffer_free(&scratch);
	dyn_path_tree_free(tree);
}

int
main(void)
{
	RUN(elements_come_in_order);
	RUN(one_element_has_the_character);
	RUN(places_are_found_as_in_an_item);
	RUN(scalars_have_no_places);
	RUN(reports_that_memory_has_run_out);
	return DONE("elements");
}

/*
 * test_wire.c
 *		Scalars and keys: as JSON, in DynamoDB's order, for people.
 */
#include "harness.h"

#include "dynamodb/wire.h"

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

#define TEN		"abcdefghij"
#define SIXTY	TEN TEN TEN TEN TEN TEN
#define E_ACUTE	"\xc3\xa9"

/* A literal as a value, embedded NULs included. */
#define S(text) {DYN_TYPE_S, text, sizeof(text) - 1}
#define N(text) {DYN_TYPE_N, text, sizeof(text) - 1}
#define B(text) {DYN_TYPE_B, text, sizeof(text) - 1}

static const DynScalar yes = {DYN_TYPE_BOOL, NULL, 1};
static const DynScalar no = {DYN_TYPE_BOOL, NULL, 0};
static const DynScalar null = {DYN_TYPE_NULL, NULL, 0};

typedef struct Row
{
	DynScalar	value;
	const char *json;
	const char *print;
} Row;

static const Row rows[] = {
	{S("A"), "{\"S\":\"A\"}", "\"A\""},
	{S(""), "{\"S\":\"\"}", "\"\""},
	{S("a\0b\"\n"), "{\"S\":\"a\\u0000b\\\"\\n\"}", "\"a\\u0000b\\\"\\n\""},
	{S(E_ACUTE), "{\"S\":\"" E_ACUTE "\"}", "\"" E_ACUTE "\""},
	{S(SIXTY "wxyz"), "{\"S\":\"" SIXTY "wxyz\"}", "\"" SIXTY "wxyz\""},
	{S(SIXTY "wxyzZ"), "{\"S\":\"" SIXTY "wxyzZ\"}",
	"\"" SIXTY "wxyz\"..."},
	{S(SIXTY "wxy" E_ACUTE), "{\"S\":\"" SIXTY "wxy" E_ACUTE "\"}",
	"\"" SIXTY "wxy" E_ACUTE "\""},
	{S(SIXTY "wxy" E_ACUTE E_ACUTE),
		"{\"S\":\"" SIXTY "wxy" E_ACUTE E_ACUTE "\"}",
	"\"" SIXTY "wxy" E_ACUTE "\"..."},
	{N("2013"), "{\"N\":\"2013\"}", "2013"},
	{N("-0.5"), "{\"N\":\"-0.5\"}", "-0.5"},
	{B(""), "{\"B\":\"\"}", "x''"},
	{B("\0\xff"), "{\"B\":\"AP8=\"}", "x'00ff'"},
	{B("abcdefghijabcdefghijabcdefghijAB"),
		"{\"B\":\"YWJjZGVmZ2hpamFiY2RlZmdoaWphYmNkZWZnaGlqQUI=\"}",
		"x'6162636465666768696a6162636465666768696a"
	"6162636465666768696a4142'"},
	{B("abcdefghijabcdefghijabcdefghijABC"),
		"{\"B\":\"YWJjZGVmZ2hpamFiY2RlZmdoaWphYmNkZWZnaGlqQUJD\"}",
		"x'6162636465666768696a6162636465666768696a"
	"6162636465666768696a4142'..."},
	{{DYN_TYPE_BOOL, NULL, 1}, "{\"BOOL\":true}", "true"},
	{{DYN_TYPE_BOOL, NULL, 0}, "{\"BOOL\":false}", "false"},
	{{DYN_TYPE_NULL, NULL, 0}, "{\"NULL\":true}", "null"},
	{{DYN_TYPE_S, NULL, 0}, "{\"S\":\"\"}", "\"\""},
	{{DYN_TYPE_NS, "[\"1\"]", 5}, "{\"NS\":[\"1\"]}", "[\"1\"]"},
	{{DYN_TYPE_L, "[]", 2}, "{\"L\":[]}", "[]"},
	{{DYN_TYPE_M, "{\"a\":{\"S\":\"" SIXTY "\"}}", 74},
		"{\"M\":{\"a\":{\"S\":\"" SIXTY "\"}}}",
	"{\"a\":{\"S\":\"" TEN TEN TEN TEN TEN "abc..."},
	{{DYN_TYPE_B, NULL, 0}, "{\"B\":\"\"}", "x''"},
};

static void
scalars_are_written(void)
{
	DynBuffer	buf;
	size_t		i;

	dyn_buffer_init(&buf, 0);
	for (i = 0; i < LENGTHOF(rows); i++)
	{
		dyn_buffer_reset(&buf);
		CHECK(dyn_wire_scalar(&buf, &rows[i].value));
		CHECK_EQ_STR(dyn_buffer_terminate(&buf), rows[i].json);
	}
	dyn_buffer_free(&buf);
}

static void
scalars_are_printed(void)
{
	DynBuffer	buf;
	size_t		i;

	dyn_buffer_init(&buf, 0);
	for (i = 0; i < LENGTHOF(rows); i++)
	{
		dyn_buffer_reset(&buf);
		CHECK(dyn_scalar_print(&buf, &rows[i].value));
		CHECK_EQ_STR(dyn_buffer_terminate(&buf), rows[i].print);
	}
	dyn_buffer_free(&buf);
}

static void
keys_are_written(void)
{
	static const DynKeyPart parts[] = {
		{"pk", S("x")}, {"s k\"", N("7")}, {"b", B("f")}
	};
	DynBuffer	buf;

	dyn_buffer_init(&buf, 0);
	CHECK(dyn_wire_key(&buf, parts, 1));
	CHECK_EQ_STR(dyn_buffer_terminate(&buf), "{\"pk\":{\"S\":\"x\"}}");
	dyn_buffer_reset(&buf);
	CHECK(dyn_wire_key(&buf, parts, 3));
	CHECK_EQ_STR(dyn_buffer_terminate(&buf),
				 "{\"pk\":{\"S\":\"x\"},\"s k\\\"\":{\"N\":\"7\"},"
				 "\"b\":{\"B\":\"Zg==\"}}");
	dyn_buffer_free(&buf);
}

static void
a_full_buffer_is_reported(void)
{
	static const DynScalar value = S("abc");
	DynBuffer	buf;

	dyn_buffer_init(&buf, 10);
	CHECK(!dyn_wire_scalar(&buf, &value));
	CHECK(buf.failed);
	dyn_buffer_reset(&buf);
	CHECK(dyn_scalar_print(&buf, &value));
	CHECK(dyn_scalar_print(&buf, &value));
	CHECK(!dyn_scalar_print(&buf, &value));
	dyn_buffer_free(&buf);
}

/* Each value equals itself and no other, and of each type the order holds. */
static void
order_and_equality_agree(void)
{
	static const DynScalar ascending[] = {
		S(""), S("\0"), S("\0\0"), S("B"), S("a"), S("aa"), S("ab"), S("b"),
		S(E_ACUTE), S("\xef\xbf\xae"), S("\xf0\x9f\x98\x80"),
		N("-10"), N("-9"), N("0"), N("0.05"), N("0.5"), N("9"), N("10"),
		B(""), B("\0"), B("\x7f"), B("\x7f\x01"), B("\x80"), B("\xff"),
	};
	size_t		i;
	size_t		j;

	for (i = 0; i < LENGTHOF(ascending); i++)
	{
		for (j = 0; j < LENGTHOF(ascending); j++)
		{
			const DynScalar *a = &ascending[i];
			const DynScalar *b = &ascending[j];
			int			cmp;

			CHECK(dyn_scalar_equal(a, b) == (i == j));
			if (a->type != b->type)
				continue;
			cmp = dyn_scalar_compare(a, b);
			CHECK_EQ_INT((cmp > 0) - (cmp < 0), (i > j) - (i < j));
		}
	}
}

static void
constants_are_equal_only_to_themselves(void)
{
	static const DynScalar empty = {DYN_TYPE_S, NULL, 0};
	static const DynScalar empty_too = S("");

	CHECK(dyn_scalar_equal(&yes, &yes));
	CHECK(!dyn_scalar_equal(&yes, &no));
	CHECK(!dyn_scalar_equal(&no, &null));
	CHECK(dyn_scalar_equal(&null, &null));
	CHECK(dyn_scalar_equal(&empty, &empty_too));
	CHECK(!dyn_scalar_equal(&empty, &null));
}

static void
names_of_keys_are_compared(void)
{
	static const char key[] = "{\"pk\":{\"S\":\"\\u0000\"},\"s\\u006b\":{\"N\":\"1\"}}";
	const char *names[] = {"sk", "pk", "other"};
	bool		no_memory;

	CHECK(dyn_wire_key_names(key, strlen(key), names, 2, &no_memory));
	CHECK(!dyn_wire_key_names(key, strlen(key), names, 1, &no_memory));
	CHECK(!dyn_wire_key_names(key, strlen(key), names, 3, &no_memory));
	CHECK(!dyn_wire_key_names(key, strlen(key), names + 1, 2, &no_memory));
	CHECK(!dyn_wire_key_names("[]", 2, names, 0, &no_memory));
	CHECK(dyn_wire_key_names("{}", 2, names, 0, &no_memory));
}

int
main(void)
{
	RUN(scalars_are_written);
	RUN(scalars_are_printed);
	RUN(keys_are_written);
	RUN(a_full_buffer_is_reported);
	RUN(order_and_equality_agree);
	RUN(constants_are_equal_only_to_themselves);
	RUN(names_of_keys_are_compared);
	return DONE("wire");
}

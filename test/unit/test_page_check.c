/*
 * test_page_check.c
 *		Which responses are accepted: a table of responses for each operation, as
 *		the service and its emulators send them and as no service should.
 */
#include "harness.h"

#include "dynamodb/page_check.h"

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

#define UNITS	"\"ConsumedCapacity\":{\"TableName\":\"t\",\"CapacityUnits\":0.5}"
#define ONE		"{\"h\":{\"S\":\"a\"},\"r\":{\"N\":\"1\"}}"
#define TWO		"{\"h\":{\"S\":\"a\"},\"r\":{\"N\":\"2\"}}"
#define ALIEN	"{\"h\":{\"S\":\"b\"},\"r\":{\"N\":\"1\"}}"

static DynBuffer scratch;
static DynBatch batch;
static const DynKeyPart keys[] = {
	{"h", {DYN_TYPE_S, "a", 1}}, {"r", {DYN_TYPE_N, "1", 1}},
	{"h", {DYN_TYPE_S, "a", 1}}, {"r", {DYN_TYPE_N, "2", 1}},
	{"h", {DYN_TYPE_S, "a", 1}}, {"r", {DYN_TYPE_N, "3", 1}},
};
static const int both[] = {0, 1};
static const int hash_only[] = {0, -1};
static const int hidden[] = {-1, -1};

/* What is wrong with the response, "" if nothing is, "?" if it is not legal. */
static const char *
judge(const DynExpected *expected, const char *text)
{
	DynStep		steps[] = {{"h", 1, 0}, {"r", 1, 0}};
	DynPath		paths[] = {{&steps[0], 1}, {&steps[1], 1}};
	DynPathTree   *shape = dyn_path_tree_create(paths, 2);
	DynPage		page = {0};
	DynPage		left = {0};
	DynPageError error;
	const char *err = "?";

	if (dyn_page_parse(&page, DYN_PARSE_RESPONSE, shape, text, strlen(text), &error) &&
		(page.unprocessed == NULL ||
		 dyn_page_parse(&left, DYN_PARSE_KEYS, shape, page.unprocessed,
							 page.unprocessed_len, &error)))
		err = dyn_page_check(&page, page.unprocessed ? &left : NULL, expected,
							   &scratch);
	dyn_page_free(&page);
	dyn_page_free(&left);
	dyn_path_tree_free(shape);
	return err ? err : "";
}

typedef struct Case
{
	const char *response;
	const char *err;			/* a part of it; "" if it is believed */
} Case;

static void
check_cases(const DynExpected *expected, const Case *cases, size_t n)
{
	size_t		i;

	for (i = 0; i < n; i++)
	{
		const char *err;
		uint8_t		picked[DYN_BATCH_GET_MAX_KEYS];

		dyn_batch_begin(&batch, expected->nkeys);
		(void) dyn_batch_request(&batch, DYN_BATCH_GET_MAX_KEYS, picked);
		err = judge(expected, cases[i].response);
		if (!CHECK(cases[i].err[0] ? strstr(err, cases[i].err) != NULL
				   : err[0] == '\0'))
			printf("#     %s\n#     fault: %s, wanted: %s\n", cases[i].response,
				   err, cases[i].err);
	}
}

static void
get_item(void)
{
	static const Case cases[] = {
		{"{}", ""},
		{"{" UNITS "}", ""},
		{"{\"Item\":null," UNITS "}", ""},
		{"{\"Item\":" ONE "," UNITS "}", ""},
		{"{\"Item\":" ONE ",\"New\":{}}", ""},
		{"{\"New\":{}," UNITS "}", ""},
		{"{\"Attributes\":" ONE "," UNITS "}", "another operation"},
		{"{\"Item\":{ \"r\" :{\"N\":\"1.0\"},\"h\":{\"S\":\"\\u0061\"}}}", ""},
		{"{\"Item\":" TWO "}", "not requested"},
		{"{\"Item\":" ALIEN "}", "not requested"},
		{"{\"Item\":{}}", "not requested"},
		{"{\"Item\":{\"h\":{\"S\":\"a\"}}}", "not requested"},
		{"{\"Item\":{\"h\":{\"S\":\"a\"},\"r\":{\"S\":\"1\"}}}", "not requested"},
		{"{\"Item\":{\"h\":{\"BOOL\":true},\"r\":{\"N\":\"1\"}}}", "not requested"},
		{"{\"message\":\"Endpoint moved\"}", "lacks the member Item"},
		{"{\"__type\":\"x#ThrottlingException\"}", "error document"},
		{"{\"Items\":[],\"Count\":0,\"ScannedCount\":0}", "another operation"},
		{"{\"Responses\":{\"t\":[]}}", "another operation"},
		{"{\"Count\":0,\"ScannedCount\":0}", "another operation"},
		{"{\"Item\":" ONE ",\"LastEvaluatedKey\":{}}", "LastEvaluatedKey"},
	};
	static const Case unseen[] = {
		{"{\"Item\":{}}", ""},
		{"{\"Item\":" ALIEN "}", ""},
	};
	static const Case partly[] = {
		{"{\"Item\":{\"h\":{\"S\":\"a\"}}}", ""},
		{"{\"Item\":" ALIEN "}", "not requested"},
	};
	DynExpected expected = {DYN_OP_GET_ITEM, "t", false, keys, 1, 2, both,
	NULL, NULL};

	check_cases(&expected, cases, LENGTHOF(cases));
	expected.slots = hidden;
	check_cases(&expected, unseen, LENGTHOF(unseen));
	expected.slots = hash_only;
	check_cases(&expected, partly, LENGTHOF(partly));
}

#define COUNTED(n) "\"Count\":" #n ",\"ScannedCount\":" #n

static const Case read_cases[] = {
	{"{\"Items\":[]," COUNTED(0) "}", ""},
	{"{\"Items\":[],\"Count\":0,\"ScannedCount\":70," UNITS ","
	"\"LastEvaluatedKey\":" ONE "}", ""},
	{"{" COUNTED(2) ",\"Items\":[" ONE "," TWO "],\"New\":1}", ""},
	{"{}", "Items"},
	{"{\"message\":\"Endpoint moved\"}", "Items"},
	{"{\"Items\":null," COUNTED(0) "}", "Items"},
	{"{" COUNTED(50) "}", "Items"},
	{"{\"Items\":[" ONE "]}", "Count"},
	{"{\"Items\":[" ONE "],\"Count\":1}", "ScannedCount"},
	{"{\"Items\":[" ONE "]," COUNTED(2) "}", "number of items"},
	{"{\"Items\":[" ONE "]," COUNTED(0) "}", "number of items"},
	{"{\"Items\":[" ONE "],\"Count\":1,\"ScannedCount\":0}", "ScannedCount"},
	{"{\"Items\":[]," COUNTED(0) ",\"LastEvaluatedKey\":{}}", "LastEvaluatedKey"},
	{"{\"Items\":[]," COUNTED(0) ",\"LastEvaluatedKey\":null}",
	"LastEvaluatedKey"},
	{"{\"Items\":[]," COUNTED(0) ",\"__type\":\"x#y\"}", "error document"},
	{"{\"Items\":[]," COUNTED(0) ",\"Item\":{}}", "another operation"},
	{"{\"Items\":[]," COUNTED(0) ",\"UnprocessedKeys\":{}}",
	"another operation"},
};

static void
scan(void)
{
	static const Case any[] = {
		{"{\"Items\":[" ONE "," ALIEN ",{}]," COUNTED(3) "}", ""},
	};
	static const Case keyed[] = {
		{"{\"Items\":[" ONE "," ALIEN "," TWO "]," COUNTED(3) "}", ""},
		{"{\"Items\":[{}]," COUNTED(1) "}", "without its key"},
		{"{\"Items\":[" ONE ",{},{}]," COUNTED(3) "}", "without its key"},
		{"{\"Items\":[{\"h\":{\"S\":\"a\"}}]," COUNTED(1) "}",
		"without its key"},
		{"{\"Items\":[" ONE ",{\"r\":{\"N\":\"1\"}}]," COUNTED(2) "}",
		"without its key"},
		{"{\"Items\":[{\"h\":{\"S\":\"a\"},\"r\":{\"S\":\"1\"}}]," COUNTED(1) "}",
		"without its key"},
		{"{\"Items\":[{\"h\":{\"NULL\":true},\"r\":{\"N\":\"1\"}}]," COUNTED(1) "}",
		"without its key"},
	};
	DynExpected expected = {DYN_OP_SCAN, "t", false, NULL, 0, 0, NULL, NULL, NULL};

	check_cases(&expected, read_cases, LENGTHOF(read_cases));
	check_cases(&expected, any, LENGTHOF(any));
	expected.keys = keys;
	expected.nkeys = 1;
	expected.nparts = 2;
	expected.slots = both;
	check_cases(&expected, read_cases, LENGTHOF(read_cases));
	check_cases(&expected, keyed, LENGTHOF(keyed));
	expected.slots = hidden;
	check_cases(&expected, any, LENGTHOF(any));
}

static void
query(void)
{
	static const Case partition[] = {
		{"{\"Items\":[" ONE "," TWO "," ONE "]," COUNTED(3) "}", ""},
		{"{\"Items\":[" ONE "," ALIEN "]," COUNTED(2) "}", "not requested"},
		{"{\"Items\":[" ONE ",{}]," COUNTED(2) "}", "not requested"},
		{"{\"Items\":[{},{}]," COUNTED(2) "}", "not requested"},
		{"{\"Items\":[" ONE ",{\"r\":{\"N\":\"1\"}}]," COUNTED(2) "}",
		"not requested"},
		{"{\"Items\":[" ONE ",{\"h\":{\"S\":\"\\u0061\"}}]," COUNTED(2) "}", ""},
	};
	static const Case unseen[] = {
		{"{\"Items\":[" ONE "," ALIEN ",{}]," COUNTED(3) "}", ""},
	};
	DynExpected expected = {DYN_OP_QUERY, "t", false, keys, 1, 1, both, NULL, NULL};

	check_cases(&expected, read_cases, LENGTHOF(read_cases));
	check_cases(&expected, partition, LENGTHOF(partition));
	expected.slots = hidden;
	check_cases(&expected, unseen, LENGTHOF(unseen));
}

/* Consecutive pages; each begins after the items of those before. */
static void
pages_follow_each_other(void)
{
	static const Case forward[] = {
		{"{\"Items\":[" ONE "]," COUNTED(1) "}", ""},
		{"{\"Items\":[]," COUNTED(0) "}", ""},
		{"{\"Items\":[" ONE "]," COUNTED(1) "}", "does not begin after"},
		{"{\"Items\":[" TWO "]," COUNTED(1) "}", ""},
		{"{\"Items\":[" ONE "]," COUNTED(1) "}", "does not begin after"},
	};
	static const Case backward[] = {
		{"{\"Items\":[" TWO "," ONE "]," COUNTED(2) "}", ""},
		{"{\"Items\":[" TWO "]," COUNTED(1) "}", "does not begin after"},
	};
	static const Case equal[] = {
		{"{\"Items\":[" ONE "]," COUNTED(1) "}", ""},
		{"{\"Items\":[" ONE "]," COUNTED(1) "}", ""},
	};
	static const Case unseen[] = {
		{"{\"Items\":[" TWO "]," COUNTED(1) "}", ""},
		{"{\"Items\":[" ONE "]," COUNTED(1) "}", ""},
	};
	DynSeam		seam = {0};
	DynExpected expected = {DYN_OP_QUERY, "t", false, keys, 1, 1, both, NULL,
	&seam};

	dyn_seam_begin(&seam, 1, false, true);
	check_cases(&expected, forward, LENGTHOF(forward));
	dyn_seam_begin(&seam, 1, true, true);
	check_cases(&expected, backward, LENGTHOF(backward));
	dyn_seam_begin(&seam, 1, false, false);
	check_cases(&expected, equal, LENGTHOF(equal));
	dyn_seam_begin(&seam, -1, false, true);
	check_cases(&expected, unseen, LENGTHOF(unseen));
	dyn_seam_free(&seam);
}

static void
count(void)
{
	static const Case cases[] = {
		{"{" COUNTED(50) "}", ""},
		{"{\"Count\":0,\"ScannedCount\":70,\"LastEvaluatedKey\":" ONE "}", ""},
		{"{}", "Count"},
		{"{\"Count\":null,\"ScannedCount\":0}", "Count"},
		{"{\"Count\":50}", "ScannedCount"},
		{"{\"Items\":[]," COUNTED(0) "}", "another operation"},
		{"{\"__type\":\"x#y\"," COUNTED(0) "}", "error document"},
	};
	DynExpected expected = {DYN_OP_SCAN, "t", true, NULL, 0, 0, NULL, NULL, NULL};

	check_cases(&expected, cases, LENGTHOF(cases));
	expected.op = DYN_OP_QUERY;
	check_cases(&expected, cases, LENGTHOF(cases));
}

#define BATCH(items) "{\"Responses\":{\"t\":[" items "]},\"UnprocessedKeys\":"
#define LEFT(keys) "{\"t\":{\"Keys\":[" keys "],\"ConsistentRead\":true}}"

static void
batch_get_item(void)
{
	static const Case cases[] = {
		{BATCH("") "{}}", ""},
		{BATCH("") "null}", ""},
		{BATCH(ONE "," TWO) "{}}", ""},
		{BATCH(TWO "," ONE) "{},\"ConsumedCapacity\":[]}", ""},
		{"{\"UnprocessedKeys\":" LEFT(ONE "," TWO) ",\"Responses\":{}}", ""},
		{BATCH(ONE) LEFT(TWO) "}", ""},
		{"{}", "Responses"},
		{"{\"message\":\"Endpoint moved\"}", "Responses"},
		{"{\"Responses\":{}}", "does not name the table"},
		{"{\"Responses\":{\"u\":[]}}", "contains a table"},
		{"{\"Responses\":{\"t\":[],\"u\":[]}}", "contains a table"},
		{"{\"Responses\":{\"\\u0074\":[]}}", ""},
		{BATCH(ALIEN) "{}}", "not requested"},
		{BATCH("{}") "{}}", "not requested"},
		{BATCH(ONE "," ONE) "{}}", "an item twice"},
		{BATCH(ONE) LEFT(ONE) "}", "but contains its item"},
		{BATCH(ONE) LEFT(TWO "," TWO) "}", "but contains its item"},
		{BATCH(ONE) LEFT(ALIEN) "}", "unprocessed key that was not requested"},
		{BATCH(ONE) "{\"u\":{\"Keys\":[" TWO "]}}}", "contains a table"},
		{"{\"Items\":[]," COUNTED(0) "}", "Responses"},
		{BATCH(ONE) "{},\"Count\":1}", "another operation"},
	};
	DynExpected expected = {DYN_OP_BATCH_GET_ITEM, "t", false, keys, 3, 2, both,
	&batch, NULL};

	check_cases(&expected, cases, LENGTHOF(cases));
}

static void
a_batch_takes_several_requests(void)
{
	DynExpected expected = {DYN_OP_BATCH_GET_ITEM, "t", false, keys, 3, 2, both,
	&batch, NULL};
	uint8_t		picked[DYN_BATCH_GET_MAX_KEYS];

	dyn_batch_begin(&batch, 3);
	CHECK_EQ_INT(dyn_batch_request(&batch, 2, picked), 2);
	CHECK(picked[0] == 0 && picked[1] == 1);
	dyn_batch_reopen(&batch);
	CHECK_EQ_INT(dyn_batch_count(&batch, DYN_KEY_OPEN), 3);
	CHECK_EQ_INT(dyn_batch_request(&batch, 2, picked), 2);
	/* the first is left, the second has no item */
	CHECK_EQ_STR(judge(&expected, BATCH("") LEFT(ONE) "}"), "");
	CHECK_EQ_INT(dyn_batch_count(&batch, DYN_KEY_OPEN), 2);
	CHECK_EQ_INT(dyn_batch_request(&batch, 100, picked), 2);
	CHECK(picked[0] == 0 && picked[1] == 2);
	/* the second was in a response before */
	CHECK_EQ_STR(judge(&expected, BATCH(TWO) "{}}"), "contains an item twice");
	CHECK_EQ_STR(judge(&expected, BATCH(ONE) "{}}"), "");
	CHECK_EQ_INT(dyn_batch_count(&batch, DYN_KEY_COMPLETE), 3);
	CHECK_EQ_INT(dyn_batch_request(&batch, 100, picked), 0);
}

static void
tables_are_named_as_in_the_request(void)
{
	static const char arn[] = "arn:aws:dynamodb:eu-west-1:123456789012:table/t";

	CHECK(dyn_names_table("t", "t", 1));
	CHECK(!dyn_names_table("t", "tt", 2));
	CHECK(!dyn_names_table("tt", "t", 1));
	CHECK(dyn_names_table(arn, arn, strlen(arn)));
	CHECK(dyn_names_table(arn, "t", 1));
	CHECK(!dyn_names_table(arn, "u", 1));
	CHECK(!dyn_names_table("t", arn, strlen(arn)));
}

/* The page at which a chain of keys is found to be a cycle; 0: never. */
static int
cycle_found(int before, int cycle, int pages)
{
	DynProgress progress = {0};
	int			found = 0;
	int			i;

	dyn_progress_begin(&progress);
	for (i = 0; i < pages && found == 0; i++)
	{
		char		key[16];
		int			n = i < before ? i : before + (i - before) % cycle;

		snprintf(key, sizeof(key), "%d", n);
		if (dyn_progress_note(&progress, key, strlen(key), "again") != NULL)
			found = i + 1;
	}
	dyn_progress_free(&progress);
	return found;
}

static void
cycles_are_found(void)
{
	int			before;
	int			cycle;

	CHECK_EQ_INT(cycle_found(1000, 1, 1000), 0);
	CHECK_EQ_INT(cycle_found(5, 1, 100), 7);
	for (before = 0; before < 40; before++)
		for (cycle = 1; cycle < 40; cycle++)
			CHECK(cycle_found(before, cycle, 1000) > before + cycle &&
				  cycle_found(before, cycle, 1000) <=
				  2 * (before + cycle) + cycle + 1);
}

int
main(void)
{
	dyn_buffer_init(&scratch, 0);
	RUN(get_item);
	RUN(scan);
	RUN(query);
	RUN(pages_follow_each_other);
	RUN(count);
	RUN(batch_get_item);
	RUN(a_batch_takes_several_requests);
	RUN(tables_are_named_as_in_the_request);
	RUN(cycles_are_found);
	dyn_buffer_free(&scratch);
	return DONE("page_check");
}

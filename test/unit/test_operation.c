/*
 * test_operation.c
 *		The request documents, byte for byte, and the response of ListTables.
 */
#include "harness.h"

#include "dynamodb/metadata.h"
#include "dynamodb/operation.h"

#include <jansson.h>
#include <stdlib.h>

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

#define S(text) {DYN_TYPE_S, text, sizeof(text) - 1}
#define N(text) {DYN_TYPE_N, text, sizeof(text) - 1}

static const DynKeyPart keys[] = {
	{"pk", S("a")}, {"sk", N("1")},
	{"pk", S("b")}, {"sk", N("2")},
};

static DynBuffer buf;

/* The document as text; it must be JSON whatever else it is. */
static const char *
document(const DynReadRequest *req)
{
	json_t	   *root;

	dyn_write_read(&buf, req);
	CHECK(!buf.failed);
	root = json_loadb(buf.data, buf.len, JSON_REJECT_DUPLICATES, NULL);
	CHECK(root != NULL);
	json_decref(root);
	return dyn_buffer_terminate(&buf);
}

/* Tokens with the name "n" and, if requested, the value 5. */
static DynTokens *
some_tokens(bool with_value)
{
	DynTokens  *tokens = dyn_tokens_create();
	DynStep		step = {"n", 1, 0};
	DynPath		path = {&step, 1};
	DynScalar	five = N("5");
	DynCond		cond = {0};
	DynBuffer	text;

	cond.kind = with_value ? DYN_COND_EQ : DYN_COND_EXISTS;
	cond.path = &path;
	cond.values = &five;
	cond.nvalues = 1;
	dyn_buffer_init(&text, 0);
	CHECK(dyn_expr_condition(tokens, &cond, &text));
	dyn_buffer_free(&text);
	return tokens;
}

/* Every attribute is defined once, whatever the keys that have it. */
static void
tables_are_created(void)
{
	const char *included[] = {"x\"y"};
	DynIndexMeta indexes[] = {
		{.name = "g", .global = true, .projection = DYN_PROJECT_INCLUDE,
			.nincluded = 1, .included = included,
			.key = {.nhash = 1, .nrange = 2, .hash = {{"s", DYN_TYPE_N}},
		.range = {{"p", DYN_TYPE_S}, {"b", DYN_TYPE_B}}}},
		{.name = "l", .projection = DYN_PROJECT_KEYS_ONLY,
			.key = {.nhash = 1, .nrange = 1, .hash = {{"p", DYN_TYPE_S}},
		.range = {{"b", DYN_TYPE_B}}}},
	};
	DynTableMeta table = {.name = "t", .nindexes = 2, .indexes = indexes,
		.key = {.nhash = 1, .nrange = 1, .hash = {{"p", DYN_TYPE_S}},
	.range = {{"s", DYN_TYPE_N}}}};

	dyn_write_create_table(&buf, &table);
	CHECK_EQ_STR(dyn_buffer_terminate(&buf),
				 "{\"TableName\":\"t\",\"BillingMode\":\"PAY_PER_REQUEST\","
				 "\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"},"
				 "{\"AttributeName\":\"s\",\"KeyType\":\"RANGE\"}],"
				 "\"AttributeDefinitions\":[{\"AttributeName\":\"p\",\"AttributeType\":\"S\"},"
				 "{\"AttributeName\":\"s\",\"AttributeType\":\"N\"},"
				 "{\"AttributeName\":\"b\",\"AttributeType\":\"B\"}],"
				 "\"LocalSecondaryIndexes\":[{\"IndexName\":\"l\","
				 "\"KeySchema\":[{\"AttributeName\":\"p\",\"KeyType\":\"HASH\"},"
				 "{\"AttributeName\":\"b\",\"KeyType\":\"RANGE\"}],"
				 "\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}}],"
				 "\"GlobalSecondaryIndexes\":[{\"IndexName\":\"g\","
				 "\"KeySchema\":[{\"AttributeName\":\"s\",\"KeyType\":\"HASH\"},"
				 "{\"AttributeName\":\"p\",\"KeyType\":\"RANGE\"},"
				 "{\"AttributeName\":\"b\",\"KeyType\":\"RANGE\"}],"
				 "\"Projection\":{\"ProjectionType\":\"INCLUDE\",\"NonKeyAttributes\":[\"x\\\"y\"]}}]}");
}

static void
operations_have_names(void)
{
	CHECK_EQ_STR(dyn_operation_name(DYN_OP_GET_ITEM), "GetItem");
	CHECK_EQ_STR(dyn_operation_name(DYN_OP_BATCH_GET_ITEM), "BatchGetItem");
	CHECK_EQ_STR(dyn_operation_name(DYN_OP_QUERY), "Query");
	CHECK_EQ_STR(dyn_operation_name(DYN_OP_SCAN), "Scan");
	CHECK_EQ_STR(dyn_operation_name(DYN_OP_DESCRIBE_TABLE), "DescribeTable");
	CHECK_EQ_STR(dyn_operation_name(DYN_OP_LIST_TABLES), "ListTables");
	CHECK_EQ_STR(dyn_operation_name(DYN_OP_PUT_ITEM), "PutItem");
	CHECK_EQ_STR(dyn_operation_name(DYN_OP_UPDATE_ITEM), "UpdateItem");
	CHECK_EQ_STR(dyn_operation_name(DYN_OP_DELETE_ITEM), "DeleteItem");
	CHECK_EQ_STR(dyn_operation_name(DYN_OP_TRANSACT_WRITE_ITEMS), "TransactWriteItems");
}

static void
get_item_requests_one_key(void)
{
	DynReadRequest req = {0};
	DynTokens  *tokens = some_tokens(false);

	req.op = DYN_OP_GET_ITEM;
	req.table = "t";
	req.keys = keys;
	req.nkeys = 1;
	req.nparts = 1;
	CHECK_EQ_STR(document(&req),
				 "{\"TableName\":\"t\",\"Key\":{\"pk\":{\"S\":\"a\"}}}");
	req.nparts = 2;
	req.projection = "#n0";
	req.tokens = tokens;
	req.consistent = true;
	req.report_units = true;
	req.limit = 3;				/* not for GetItem */
	CHECK_EQ_STR(document(&req),
				 "{\"TableName\":\"t\","
				 "\"Key\":{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}},"
				 "\"ConsistentRead\":true,\"ProjectionExpression\":\"#n0\","
				 "\"ExpressionAttributeNames\":{\"#n0\":\"n\"},"
				 "\"ReturnConsumedCapacity\":\"TOTAL\"}");
	dyn_tokens_free(tokens);
}

static void
batch_get_item_requests_many(void)
{
	static const uint8_t picked[] = {2, 0};
	DynReadRequest req = {0};
	DynTokens  *tokens = some_tokens(false);

	req.op = DYN_OP_BATCH_GET_ITEM;
	req.table = "a\"b";
	req.keys = keys;
	req.nkeys = 2;
	req.nparts = 2;
	CHECK_EQ_STR(document(&req),
				 "{\"RequestItems\":{\"a\\\"b\":{\"Keys\":["
				 "{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}},"
				 "{\"pk\":{\"S\":\"b\"},\"sk\":{\"N\":\"2\"}}]}}}");
	req.table = "t";
	req.nkeys = 4;
	req.nparts = 1;
	req.projection = "#n0";
	req.tokens = tokens;
	req.consistent = true;
	req.report_units = true;
	CHECK_EQ_STR(document(&req),
				 "{\"RequestItems\":{\"t\":{\"Keys\":["
				 "{\"pk\":{\"S\":\"a\"}},{\"sk\":{\"N\":\"1\"}},"
				 "{\"pk\":{\"S\":\"b\"}},{\"sk\":{\"N\":\"2\"}}],"
				 "\"ConsistentRead\":true,\"ProjectionExpression\":\"#n0\","
				 "\"ExpressionAttributeNames\":{\"#n0\":\"n\"}}},"
				 "\"ReturnConsumedCapacity\":\"TOTAL\"}");
	req.picked = picked;
	req.npicked = 2;
	CHECK_EQ_STR(document(&req),
				 "{\"RequestItems\":{\"t\":{\"Keys\":["
				 "{\"pk\":{\"S\":\"b\"}},{\"pk\":{\"S\":\"a\"}}],"
				 "\"ConsistentRead\":true,\"ProjectionExpression\":\"#n0\","
				 "\"ExpressionAttributeNames\":{\"#n0\":\"n\"}}},"
				 "\"ReturnConsumedCapacity\":\"TOTAL\"}");
	dyn_tokens_free(tokens);
}

static void
query_has_its_members(void)
{
	static const char key[] = "{\"pk\":{\"S\":\"\\u0041\"}}, junk behind";
	DynReadRequest req = {0};
	DynTokens  *tokens = some_tokens(true);

	req.op = DYN_OP_QUERY;
	req.table = "t";
	req.key_condition = "#n0 = :v0";
	req.tokens = tokens;
	CHECK_EQ_STR(document(&req),
				 "{\"TableName\":\"t\","
				 "\"KeyConditionExpression\":\"#n0 = :v0\","
				 "\"ExpressionAttributeNames\":{\"#n0\":\"n\"},"
				 "\"ExpressionAttributeValues\":{\":v0\":{\"N\":\"5\"}}}");
	req.index = "ix";
	req.filter = "#n0 > :v0";
	req.projection = "#n0";
	req.backward = true;
	req.consistent = true;
	req.report_units = true;
	req.limit = 25;
	req.segment = 1;			/* not for Query */
	req.total_segments = 4;
	req.start_key = key;
	req.start_key_len = 21;
	CHECK_EQ_STR(document(&req),
				 "{\"TableName\":\"t\",\"IndexName\":\"ix\","
				 "\"KeyConditionExpression\":\"#n0 = :v0\","
				 "\"FilterExpression\":\"#n0 > :v0\","
				 "\"ConsistentRead\":true,\"ProjectionExpression\":\"#n0\","
				 "\"ExpressionAttributeNames\":{\"#n0\":\"n\"},"
				 "\"ExpressionAttributeValues\":{\":v0\":{\"N\":\"5\"}},"
				 "\"ScanIndexForward\":false,\"Limit\":25,"
				 "\"ExclusiveStartKey\":{\"pk\":{\"S\":\"\\u0041\"}},"
				 "\"ReturnConsumedCapacity\":\"TOTAL\"}");
	dyn_tokens_free(tokens);
}

static void
scan_has_its_members(void)
{
	DynReadRequest req = {0};

	req.op = DYN_OP_SCAN;
	req.table = "t";
	CHECK_EQ_STR(document(&req), "{\"TableName\":\"t\"}");
	req.filter = "";
	req.projection = "";
	req.index = "";
	req.total_segments = 1;
	req.backward = true;		/* not for Scan */
	req.key_condition = "x";
	CHECK_EQ_STR(document(&req), "{\"TableName\":\"t\"}");
	req.index = "ix";
	req.total_segments = 4;
	req.limit = 7;
	req.start_key = "{}";
	req.start_key_len = 2;
	CHECK_EQ_STR(document(&req),
				 "{\"TableName\":\"t\",\"IndexName\":\"ix\",\"Segment\":0,"
				 "\"TotalSegments\":4,\"Limit\":7,\"ExclusiveStartKey\":{}}");
}

static void
counting_returns_no_attributes(void)
{
	DynReadRequest req = {0};

	req.op = DYN_OP_SCAN;
	req.table = "t";
	req.count_only = true;
	req.projection = "#n0";
	CHECK_EQ_STR(document(&req), "{\"TableName\":\"t\",\"Select\":\"COUNT\"}");
}

/* An index has those that it projects otherwise. */
static void
all_attributes_are_requested_for_by_name(void)
{
	DynReadRequest req = {0};

	req.op = DYN_OP_SCAN;
	req.table = "t";
	req.index = "i";
	req.all_attributes = true;
	CHECK_EQ_STR(document(&req), "{\"TableName\":\"t\",\"IndexName\":\"i\",\"Select\":\"ALL_ATTRIBUTES\"}");
	req.count_only = true;
	CHECK_EQ_STR(document(&req), "{\"TableName\":\"t\",\"IndexName\":\"i\",\"Select\":\"COUNT\"}");
}

static void
the_buffer_is_reused_and_reports_failure(void)
{
	DynReadRequest req = {0};
	DynBuffer	small;

	req.op = DYN_OP_SCAN;
	req.table = "t";
	document(&req);
	CHECK_EQ_STR(document(&req), "{\"TableName\":\"t\"}");
	dyn_buffer_init(&small, 16);
	dyn_write_read(&small, &req);
	CHECK(small.failed);
	dyn_buffer_free(&small);
}

static void
small_operations_are_written(void)
{
	dyn_write_describe_table(&buf, "t\\x");
	CHECK_EQ_STR(dyn_buffer_terminate(&buf), "{\"TableName\":\"t\\\\x\"}");
	dyn_write_list_tables(&buf, NULL);
	CHECK_EQ_STR(dyn_buffer_terminate(&buf), "{}");
	dyn_write_list_tables(&buf, "");
	CHECK_EQ_STR(dyn_buffer_terminate(&buf), "{}");
	dyn_write_list_tables(&buf, "t9");
	CHECK_EQ_STR(dyn_buffer_terminate(&buf),
				 "{\"ExclusiveStartTableName\":\"t9\"}");
}

static void
table_lists_are_read(void)
{
	static const struct
	{
		const char *response;
		const char *names;		/* NULL: refused */
		const char *last;
	}			rows[] = {
		{"{\"TableNames\":[]}", "", NULL},
		{"{\"TableNames\":[\"a\",\"b\"]}", "a;b;", NULL},
		{"{\"TableNames\":[\"a\"],\"LastEvaluatedTableName\":\"a\"}", "a;",
		"a"},
		{"{\"TableNames\":[\"a\"],\"LastEvaluatedTableName\":null}", "a;",
		NULL},
		{"{\"TableNames\":[\"a\"],\"LastEvaluatedTableName\":\"\"}", "a;",
		NULL},
		{"{\"More\":{},\"TableNames\":[\"a\"]}", "a;", NULL},
		{"{}", NULL, NULL},
		{"", NULL, NULL},
		{"[]", NULL, NULL},
		{"{\"TableNames\":{}}", NULL, NULL},
		{"{\"TableNames\":[\"a\"],\"LastEvaluatedTableName\":7}", NULL, NULL},
		{"{\"TableNames\":[\"a\"],\"LastEvaluatedTableName\":[\"a\"]}", NULL,
		NULL},
		{"{\"TableNames\":[\"a\"],\"__type\":\"x#y\"}", NULL, NULL},
		{"{\"TableNames\":[\"a\",1]}", NULL, NULL},
		{"{\"TableNames\":[\"a\"]", NULL, NULL},
	};
	DynBuffer	names;
	size_t		i;

	dyn_buffer_init(&names, 0);
	for (i = 0; i < LENGTHOF(rows); i++)
	{
		char	   *last = (char *) "unset";
		bool		ok;

		ok = dyn_read_list_tables(rows[i].response, strlen(rows[i].response),
								  &names, &last) == NULL;
		CHECK(ok == (rows[i].names != NULL));
		for (size_t at = 0; at < names.len; at++)
			if (names.data[at] == '\0')
				names.data[at] = ';';
		CHECK_EQ_STR(dyn_buffer_terminate(&names),
					 rows[i].names ? rows[i].names : "");
		if (rows[i].last == NULL)
			CHECK(last == NULL);
		else
			CHECK_EQ_STR(last, rows[i].last);
		free(last);
	}
	dyn_buffer_free(&names);
}

int
main(void)
{
	dyn_buffer_init(&buf, 0);
	RUN(operations_have_names);
	RUN(tables_are_created);
	RUN(get_item_requests_one_key);
	RUN(batch_get_item_requests_many);
	RUN(query_has_its_members);
	RUN(scan_has_its_members);
	RUN(counting_returns_no_attributes);
	RUN(all_attributes_are_requested_for_by_name);
	RUN(the_buffer_is_reused_and_reports_failure);
	RUN(small_operations_are_written);
	RUN(table_lists_are_read);
	dyn_buffer_free(&buf);
	return DONE("operation");
}

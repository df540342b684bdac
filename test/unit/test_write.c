/*
 * test_write.c
 *		The requests of writes, byte for byte, and what is accepted as their
 *		responses.
 */
#include "harness.h"

#include "dynamodb/page_check.h"
#include "dynamodb/write.h"

#include <jansson.h>
#include <stdlib.h>

#define LENGTHOF(array) (sizeof(array) / sizeof((array)[0]))

#define S(text) {DYN_TYPE_S, text, sizeof(text) - 1}
#define N(text) {DYN_TYPE_N, text, sizeof(text) - 1}

#define DIGITS "-12345678901234567890123456789012345678"

static const DynKeyPart key[] = {{"pk", S("a")}, {"s\"k", N("1")}};

static DynBuffer buf;

/* A condition on the attribute "n", as text, with its tokens. */
static DynTokens *
condition(DynBuffer *text)
{
	static const DynStep step = {"n", 1, 0};
	static const DynPath path = {&step, 1};
	static const DynScalar five = N("5");
	DynCond		cond = {.kind = DYN_COND_EQ, .path = &path, .values = &five,
	.nvalues = 1};
	DynTokens  *tokens = dyn_tokens_create();

	dyn_buffer_init(text, 0);
	CHECK(dyn_expr_condition(tokens, &cond, text));
	dyn_buffer_terminate(text);
	return tokens;
}

static const char *
document(void)
{
	json_t	   *root;

	CHECK(!buf.failed);
	root = json_loadb(buf.data, buf.len, JSON_REJECT_DUPLICATES, NULL);
	CHECK(root != NULL);
	json_decref(root);
	return dyn_buffer_terminate(&buf);
}

#define TOKENS \
	",\"ConditionExpression\":\"#n0 = :v0\"" \
	",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"" \
	",\"ExpressionAttributeNames\":{\"#n0\":\"n\"}" \
	",\"ExpressionAttributeValues\":{\":v0\":{\"N\":\"5\"}}"

static void
requests_are_written(void)
{
	DynBuffer	text;
	DynTokens  *tokens = condition(&text);
	DynWriteRequest put = {.op = DYN_OP_PUT_ITEM, .table = "t\"",
		.item = {DYN_TYPE_M, "{\"pk\":{\"S\":\"a\"}}", 16},
	.condition = text.data, .tokens = tokens};
	DynWriteRequest update = {.op = DYN_OP_UPDATE_ITEM, .table = "t",
		.key = key, .nparts = 2, .update = "SET #n0 = :v0",
	.condition = text.data, .tokens = tokens, .returning = true};
	DynWriteRequest gone = {.op = DYN_OP_DELETE_ITEM, .table = "t", .key = key,
	.nparts = 1, .condition = text.data, .tokens = tokens, .returning = true};

	dyn_write_write(&buf, &put, false);
	CHECK_EQ_STR(document(),
				 "{\"TableName\":\"t\\\"\",\"Item\":{\"pk\":{\"S\":\"a\"}}"
				 TOKENS ",\"ReturnConsumedCapacity\":\"TOTAL\"}");
	dyn_write_write(&buf, &update, false);
	CHECK_EQ_STR(document(),
				 "{\"TableName\":\"t\",\"Key\":{\"pk\":{\"S\":\"a\"},\"s\\\"k\":{\"N\":\"1\"}}"
				 ",\"UpdateExpression\":\"SET #n0 = :v0\"" TOKENS
				 ",\"ReturnConsumedCapacity\":\"TOTAL\",\"ReturnValues\":\"ALL_NEW\"}");
	dyn_write_write(&buf, &gone, false);
	CHECK_EQ_STR(document(),
				 "{\"TableName\":\"t\",\"Key\":{\"pk\":{\"S\":\"a\"}}" TOKENS
				 ",\"ReturnConsumedCapacity\":\"TOTAL\",\"ReturnValues\":\"ALL_OLD\"}");
	dyn_tokens_free(tokens);
	dyn_buffer_free(&text);
}

static void
transactions_are_written(void)
{
	DynBuffer	text;
	DynTokens  *tokens = condition(&text);
	DynWriteRequest req = {.op = DYN_OP_PUT_ITEM, .table = "t",
		.item = {DYN_TYPE_M, "{\"pk\":{\"S\":\"a\"}}", 16},
	.condition = text.data, .tokens = tokens};

	dyn_write_begin_transaction(&buf);
	dyn_write_write(&buf, &req, true);
	req = (DynWriteRequest) {.op = DYN_OP_UPDATE_ITEM, .table = "u", .key = key,
		.nparts = 1, .update = "REMOVE #n0", .condition = text.data,
	.tokens = tokens, .returning = true};
	dyn_write_write(&buf, &req, true);
	req.op = DYN_OP_DELETE_ITEM;
	req.update = NULL;
	dyn_write_write(&buf, &req, true);
	dyn_write_end_transaction(&buf, "token");
	CHECK_EQ_STR(document(),
				 "{\"TransactItems\":["
				 "{\"Put\":{\"TableName\":\"t\",\"Item\":{\"pk\":{\"S\":\"a\"}}" TOKENS
				 "}},"
				 "{\"Update\":{\"TableName\":\"u\",\"Key\":{\"pk\":{\"S\":\"a\"}},\"UpdateExpression\":\"REMOVE #n0\"" TOKENS "}},"
				 "{\"Delete\":{\"TableName\":\"u\",\"Key\":{\"pk\":{\"S\":\"a\"}}" TOKENS "}}],"
				 "\"ClientRequestToken\":\"token\",\"ReturnConsumedCapacity\":\"TOTAL\"}");
	dyn_buffer_free(&text);
	dyn_tokens_free(tokens);
}

/* A copy without anything after its end, which a sanitizer would notice. */
static char *
exact(const char *text)
{
	char	   *copy = malloc(strlen(text) + (text[0] == '\0'));

	memcpy(copy, text, strlen(text));
	return copy;
}

/* Checks a response: the units, or the text that rejects it. */
static void
check_response(const char *text, bool returning, double units,
			 const char *attributes, const char *err)
{
	char	   *copy = exact(text);
	DynWritten	written = {.units = -1};
	const char *seen = dyn_write_check(copy, strlen(text), "t", returning, &written);

	if (err != NULL)
	{
		CHECK(written.units == -1);
		CHECK_EQ_STR(seen, err);
	}
	else if (CHECK(seen == NULL))
	{
		CHECK(written.units == units);
		CHECK_EQ_INT(written.attributes.len, strlen(attributes));
		CHECK(written.attributes.len == 0 ||
			  memcmp(written.attributes.data, attributes, written.attributes.len) == 0);
	}
	else
		printf("#     %s: %s\n", text, seen);
	free(copy);
}

#define OURS "\"ConsumedCapacity\":{\"TableName\":\"t\",\"CapacityUnits\":1.5}"

static void
responses_are_accepted(void)
{
	check_response("{" OURS "}", false, 1.5, "", NULL);
	check_response(" { \"x\" : [1] , " OURS ",\"Attributes\":null } \n", false, 1.5, "", NULL);
	check_response("{\"Attributes\":{\"a\":{\"N\":\"" DIGITS "\"}}," OURS "}",
				 true, 1.5, "{\"a\":{\"N\":\"" DIGITS "\"}}", NULL);
	check_response("{\"ConsumedCapacity\":{\"TableName\":\"\\u0074\",\"CapacityUnits\":1e99}}",
				 false, 0, "", NULL);
	check_response("{\"ConsumedCapacity\":{\"TableName\":\"t\",\"CapacityUnits\":null}}",
				 false, 0, "", NULL);
	check_response("{\"ConsumedCapacity\":[{\"TableName\":\"o\",\"CapacityUnits\":2},"
				 "{\"CapacityUnits\":4,\"WriteCapacityUnits\":4,\"TableName\":\"t\"}]}",
				 false, 6, "", NULL);
}

static void
responses_are_rejected(void)
{
	const char *invalid = "is not a valid JSON object";
	const char *no_capacity = "does not report the consumed capacity of the table";
	const char *other = "has members of another operation's response";

	check_response("", false, 0, "", invalid);
	check_response("ok", false, 0, "", invalid);
	check_response("[{" OURS "}]", false, 0, "", invalid);
	check_response("{" OURS "} x", false, 0, "", invalid);
	check_response("{" OURS "," OURS "}", false, 0, "", invalid);
	check_response("{" OURS ",\"Attributes\":[]}", true, 0, "", invalid);
	check_response("{\"ConsumedCapacity\":{\"TableName\":7}}", false, 0, "", invalid);
	check_response("{\"ConsumedCapacity\":7}", false, 0, "", invalid);
	check_response("{}", false, 0, "", no_capacity);
	check_response("{\"ConsumedCapacity\":null}", false, 0, "", no_capacity);
	check_response("{\"ConsumedCapacity\":[]}", false, 0, "", no_capacity);
	check_response("{\"ConsumedCapacity\":{\"CapacityUnits\":1}}", false, 0, "", no_capacity);
	check_response("{\"ConsumedCapacity\":{\"TableName\":\"tt\",\"CapacityUnits\":1}}",
				 false, 0, "", "reports the capacity of another table");
	check_response("{\"__type\":\"x#InternalFailure\"," OURS "}", false,
				 0, "", "is an error document, but has a success status");
	check_response("{\"Item\":{}," OURS "}", false, 0, "", other);
	check_response("{\"UnprocessedItems\":{}," OURS "}", false, 0, "", other);
	check_response("{\"Attributes\":{}," OURS "}", false, 0, "", other);
	check_response("{" OURS "}", true, 0, "", "lacks the member Attributes");
}

/* Every prefix of a response is rejected. */
static void
truncated_responses_are_rejected(void)
{
	static const char response[] =
		"{\"Attributes\":{\"\xc3\xa9\":{\"S\":\"\\u00e9\"}}," OURS "}";
	char		truncated[sizeof(response)];

	for (size_t len = 0; len < sizeof(response) - 1; len++)
	{
		memcpy(truncated, response, len);
		truncated[len] = '\0';
		check_response(truncated, true, 0, "", "is not a valid JSON object");
	}
}

static void
check_failed_item(const char *text, const char *item)
{
	char	   *copy = exact(text);
	DynScalar	seen = dyn_write_failed_item(copy, strlen(text));

	CHECK_EQ_INT(seen.type, item == NULL ? DYN_TYPE_ABSENT : DYN_TYPE_M);
	if (seen.data != NULL && item != NULL)
		CHECK(seen.len == strlen(item) && memcmp(seen.data, item, seen.len) == 0);
	free(copy);
}

static void
failed_items_are_read(void)
{
	DynScalar	seen;
	const char *no_item = "{\"__type\":\"x#ConditionalCheckFailedException\",\"message\":\"no\"}";
	const char *item = "{\"__type\":\"x#ConditionalCheckFailedException\","
		"\"Item\":{\"pk\":{\"N\":\"" DIGITS "\"},\"\\u0000\":{\"S\":\"\\ud83d\\ude00\"}},\"Message\":null}";

	check_failed_item(no_item, NULL);
	check_failed_item("{\"Item\":null}", NULL);
	seen = dyn_write_failed_item(item, strlen(item));
	CHECK(seen.data != NULL && strncmp(seen.data, "{\"pk\":{\"N\":\"" DIGITS "\"", 40) == 0);
	check_failed_item("{\"Item\":{\"a\":{\"S\":\"x\"}}}", "{\"a\":{\"S\":\"x\"}}");
	check_failed_item("{\"Item\":[]}", NULL);
	check_failed_item("{\"Item\":{\"a\":1}", NULL);
}

static void
reasons_are_read(void)
{
	DynCancelReason reasons[3];
	const char *text = "{\"__type\":\"x#TransactionCanceledException\",\"CancellationReasons\":["
		"{\"Code\":\"None\"},{\"Item\":{\"a\":{\"N\":\"1\"}},\"Code\":\"ConditionalCheckFailed\",\"Message\":\"m\"},"
		"{\"Code\":null}],\"Message\":\"Transaction cancelled\"}";
	const char *missing = "does not give a reason for each write of the transaction";

	CHECK(dyn_write_cancel_reasons(text, strlen(text), reasons, 3) == NULL);
	CHECK_EQ_STR(reasons[0].code, "None");
	CHECK_EQ_STR(reasons[1].code, "ConditionalCheckFailed");
	CHECK_EQ_STR(reasons[2].code, "None");
	CHECK_EQ_STR(reasons[0].message, "");
	CHECK_EQ_STR(reasons[1].message, "m");
	CHECK(reasons[0].item.data == NULL && reasons[2].item.data == NULL);
	CHECK(reasons[1].item.len == 15 && memcmp(reasons[1].item.data, "{\"a\":{\"N\":\"1\"}}", 15) == 0);
	CHECK_EQ_STR(dyn_write_cancel_reasons(text, strlen(text), reasons, 2), missing);
	CHECK_EQ_STR(dyn_write_cancel_reasons("{}", 2, reasons, 1), missing);
	CHECK_EQ_STR(dyn_write_cancel_reasons("{\"CancellationReasons\":[]}", 26, reasons, 1), missing);
	CHECK_EQ_STR(dyn_write_cancel_reasons("{\"CancellationReasons\":[1]}", 27, reasons, 1),
				 "is not a valid JSON object");
	CHECK_EQ_STR(dyn_write_cancel_reasons("{\"CancellationReasons\":[{}", 26, reasons, 1),
				 "is not a valid JSON object");
}

int
main(void)
{
	dyn_buffer_init(&buf, 0);
	RUN(requests_are_written);
	RUN(transactions_are_written);
	RUN(responses_are_accepted);
	RUN(responses_are_rejected);
	RUN(truncated_responses_are_rejected);
	RUN(failed_items_are_read);
	RUN(reasons_are_read);
	dyn_buffer_free(&buf);
	return DONE("write");
}

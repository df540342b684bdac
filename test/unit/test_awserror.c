/*
 * test_awserror.c
 *		Error documents of every form, and texts that must not be shown.
 */
#include "harness.h"

#include <stdlib.h>

#include "aws/client_private.h"

static char access_key_id[] = "AKIDEXAMPLE";
static char secret[] = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
static char token[] = "FwoGZXIvYXdzEXAMPLETOKEN0123456789abcdef==";

static const DynCredentials credentials = {access_key_id, secret, token, 0};

static DynCall error;

static bool
parse(const char *body)
{
	error = (DynCall) {0};
	return dyn_awserror_parse(body, strlen(body), &credentials, &error) ==
		DYN_FAIL_SERVICE;
}

static const char *
excerpt(const char *text)
{
	static char dst[64];

	dyn_awserror_excerpt(text, strlen(text), &credentials, dst, sizeof(dst));
	return dst;
}

static void
reads_code_and_message(void)
{
	CHECK(parse("{\"__type\":\"com.amazonaws.dynamodb.v20120810#"
				"ResourceNotFoundException\",\"message\":\"no such table\"}"));
	CHECK_EQ_STR(error.code, "ResourceNotFoundException");
	CHECK_EQ_STR(error.message, "no such table");
	CHECK(parse("{\"Message\":\"denied\",\"__type\":\"com.amazon.coral."
				"service#AccessDeniedException:http://x/y#z\"}"));
	CHECK_EQ_STR(error.code, "AccessDeniedException");
	CHECK_EQ_STR(error.message, "denied");
	CHECK(parse("{\"__type\":\"SerializationException\"}"));
	CHECK_EQ_STR(error.code, "SerializationException");
	CHECK_EQ_STR(error.message, "");
}

static void
reads_throttling_reasons(void)
{
	CHECK(parse("{\"__type\":\"ThrottlingException\",\"message\":\"slow\","
				"\"throttlingReasons\":[{\"reason\":\"TableReadMaxOnDemand\","
				"\"resource\":\"arn:aws:x\"},{\"reason\":\"other\"}]}"));
	CHECK_EQ_STR(error.throttle_reason, "TableReadMaxOnDemand arn:aws:x");
	CHECK(!error.hot_partition);
	CHECK(parse("{\"__type\":\"a#ProvisionedThroughputExceededException\","
				"\"ThrottlingReasons\":[{\"reason\":\"KeyRange\"}]}"));
	CHECK_EQ_STR(error.throttle_reason, "KeyRange");
	CHECK(error.hot_partition);
	CHECK(parse("{\"__type\":\"T\",\"ThrottlingReasons\":[{\"reason\":"
				"\"IndexReadKeyRangeThroughputExceeded\"},{\"reason\":"
				"\"TableReadProvisionedThroughputExceeded\"}]}"));
	CHECK(!error.hot_partition);
	CHECK(parse("{\"__type\":\"T\",\"ThrottlingReasons\":[]}"));
	CHECK_EQ_STR(error.throttle_reason, "");
	CHECK(!error.hot_partition);
}

static void
refuses_other_documents(void)
{
	CHECK(!parse(""));
	CHECK(!parse("<html>"));
	CHECK(!parse("[]"));
	CHECK(!parse("{}"));
	CHECK(!parse("{\"__type\":1}"));
	CHECK(!parse("{\"__type\":\"\",\"message\":\"m\","
				 "\"ThrottlingReasons\":[{\"reason\":\"KeyRange\"}]}"));
	CHECK_EQ_STR(error.code, "");
	CHECK_EQ_STR(error.message, "");
	CHECK_EQ_STR(error.throttle_reason, "");
	CHECK(!error.hot_partition);
}

static void
leaves_out_items(void)
{
	char	   *body = malloc(400000);

	CHECK(parse("{\"Item\": {\"\\u0000\":{\"M\":{\"}\\\"{\":{\"L\":[{}]}}}},"
				"\"__type\":\"C\",\"CancellationReasons\":[{\"Code\":\"C\","
				"\"Item\":{\"\\u0000\":{\"S\":\"x\"}}}],\"message\":\"m\"}"));
	CHECK_EQ_STR(error.code, "C");
	CHECK_EQ_STR(error.message, "m");
	CHECK(!parse("{\"__type\":\"C\",\"Item\":{\"a\":{\"S\":\"x\"}"));
	CHECK(!parse("{\"Item\":{\"__type\":\"C\"}}"));
	snprintf(body, 400000, "{\"__type\":\"C\",\"Item\":{\"a\":{\"S\":\"%0300000d\"}}}", 0);
	CHECK(parse(body));
	CHECK_EQ_STR(error.code, "C");
	snprintf(body, 400000, "{\"__type\":\"C\",\"message\":\"%0300000d\"}", 0);
	CHECK(!parse(body));
	free(body);
}

static void
keeps_only_the_first_sentence_of_signature_errors(void)
{
	CHECK(parse("{\"__type\":\"x#InvalidSignatureException\",\"message\":"
				"\"The signature does not match. Check your key."
				"\\n\\nThe Canonical String should have been\\n'POST'\"}"));
	CHECK_EQ_STR(error.message, "The signature does not match.");
	CHECK(parse("{\"__type\":\"InvalidSignatureException\",\"message\":"
				"\"Signature expired: 20260102T030405Z is now earlier than "
				"20260102T031000Z (20260102T032500Z - 15 min.)\"}"));
	CHECK_EQ_STR(error.message, "Signature expired: 20260102T030405Z is now "
				 "earlier than 20260102T031000Z (20260102T032500Z - 15 min.)");
}

static void
shows_no_secret(void)
{
	char		body[512];

	CHECK_EQ_STR(excerpt("key wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY!"),
				 "key ***!");
	snprintf(body, sizeof(body), "{\"__type\":\"E\",\"message\":"
			 "\"token %s, cut %.20s\"}", token, token);
	CHECK(parse(body));
	CHECK_EQ_STR(error.message, "token ***, cut ***");
	CHECK_EQ_STR(excerpt("Authorization: AWS4-HMAC-SHA256 Credential=a"),
				 "Authorization:");
}

static void
shows_printable_utf8_only(void)
{
	char		small[6];

	CHECK_EQ_STR(excerpt(" a\r\n\t b\x7f\x01 "), "a b");
	CHECK_EQ_STR(excerpt("caf\xc3\xa9 \xff \xc3"), "caf\xc3\xa9 ? ?");
	CHECK_EQ_STR(excerpt("x\xc2\x85y\xe2\x80\xaez"), "x y z");
	dyn_awserror_excerpt("abcd\xc3\xa9", 6, NULL, small, sizeof(small));
	CHECK_EQ_STR(small, "abcd");
}

int
main(void)
{
	RUN(reads_code_and_message);
	RUN(reads_throttling_reasons);
	RUN(refuses_other_documents);
	RUN(leaves_out_items);
	RUN(keeps_only_the_first_sentence_of_signature_errors);
	RUN(shows_no_secret);
	RUN(shows_printable_utf8_only);
	return DONE("awserror");
}

/*
 * test_provider_response.c
 *		Times, JSON documents with keys, failures that sources have in common,
 *		and the URLs that they make.
 */
#include "replies.h"

#include "harness.h"
#include "headers.h"

#include "read_json.h"
#include "credentials/url.h"

static const DynResponseNames names = {
	.access_key_id = "AccessKeyId",
	.secret_access_key = "SecretAccessKey",
	.session_token = "Token",
	.expires = "Expiration"
};

static DynCredentials credentials;
static DynError err;

/* ---- times -------------------------------------------------------------- */

static int64_t
time_of(const char *text)
{
	int64_t		seconds = -1;

	return dyn_response_read_time(text, &seconds) ? seconds : -1;
}

static void
reads_times(void)
{
	CHECK_EQ_INT(time_of("1970-01-01T00:00:00Z"), 0);
	CHECK_EQ_INT(time_of("2026-01-02T03:04:05Z"), EXPIRES);
	CHECK_EQ_INT(time_of("2026-01-02T03:04:05UTC"), EXPIRES);
	CHECK_EQ_INT(time_of("2026-01-02T03:04:05.999999Z"), EXPIRES);
	CHECK_EQ_INT(time_of("2026-01-02T04:04:05+01:00"), EXPIRES);
	CHECK_EQ_INT(time_of("2026-01-01T21:34:05.5-0530"), EXPIRES);
	CHECK_EQ_INT(time_of("2026-01-02T03:04:05+00:00"), EXPIRES);
	CHECK_EQ_INT(time_of("2024-02-29T12:00:00Z"), 1709208000);
	CHECK_EQ_INT(time_of("2000-02-29T00:00:00Z"), 951782400);
	CHECK_EQ_INT(time_of("2016-12-31T23:59:60Z"), 1483228800);
	CHECK_EQ_INT(time_of("9999-12-31T23:59:59Z"), INT64_C(253402300799));
	CHECK_EQ_INT(time_of("1969-12-31T23:59:58Z"), -2);
	CHECK_EQ_INT(time_of("0000-03-01T00:00:00Z"), INT64_C(-62162035200));
}

static void
refuses_other_texts(void)
{
	static const char *const wrong[] = {
		"", "2026", "2026-01-02", "2026-01-02T03:04:05",
		"2026-01-02 03:04:05Z", "2026-01-02T03:04Z", "2026-1-2T03:04:05Z",
		"2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
		"2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
		"2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z",
		"2026-01-02T24:00:00Z", "2026-01-02T03:60:00Z",
		"2026-01-02T03:04:61Z", "2026-01-02T03:04:05.Z",
		"2026-01-02T03:04:05Zx", "2026-01-02T03:04:05+1",
		"2026-01-02T03:04:05ZZ", "2026-01-02T03:04:05+",
		"2026-01-02T03:04:05+01:00Z", "2026-01-02T03:04:05+010",
		"2026-01-02T03:04:05 0100", "2026-01-02T03:04:05+ 1:00",
		"2026-01-02T+3:04:05Z", "2026-01-02T 3:04:05Z",
		"2026-00-31T00:00:00Z", "2100-02-29T00:00:00Z",
		"2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+01:60",
		"2026-01-02T03:04:05+01:", "2026-01-02T03:04:05z",
		"-026-01-02T03:04:05Z", "tomorrow", "1767323045"
	};
	size_t		i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (!CHECK_EQ_INT(time_of(wrong[i]), -1))
			printf("#     %s\n", wrong[i]);
}

/* ---- JSON --------------------------------------------------------------- */

static bool
read_with(const char *json, const DynResponseNames *with)
{
	dyn_credentials_clear(&credentials);
	memset(&err, 0, sizeof(err));
	return read_json_credentials(json, strlen(json), with, "the reply",
								 &credentials, &err);
}

static bool
read_json(const char *json)
{
	return read_with(json, &names);
}

static void
reads_all_members(void)
{
	CHECK(read_json("{\"Code\":\"Success\",\"AccessKeyId\":\"" KEY_ID "\","
					"\"SecretAccessKey\":\"" SECRET "\",\"Token\":\"" TOKEN "\","
					"\"Expiration\":\"2026-01-02T03:04:05Z\"}"));
	CHECK_EQ_STR(credentials.access_key_id, KEY_ID);
	CHECK_EQ_STR(credentials.secret_access_key, SECRET);
	CHECK_EQ_STR(credentials.session_token, TOKEN);
	CHECK_EQ_INT(credentials.expires, EXPIRES);
	CHECK_EQ_STR(err.message, "");
	dyn_credentials_clear(&credentials);
}

#define KEYS	"\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"S\""

static void
some_members_may_be_missing(void)
{
	CHECK(read_json("{" KEYS "}"));
	CHECK(credentials.session_token == NULL);
	CHECK_EQ_INT(credentials.expires, 0);
	CHECK(read_json("{" KEYS ",\"Token\":null,\"Expiration\":null}"));
	CHECK(credentials.session_token == NULL);
	CHECK_EQ_INT(credentials.expires, 0);
	CHECK(read_json("{" KEYS ",\"Token\":\"\"}"));
	CHECK(credentials.session_token == NULL);
	dyn_credentials_clear(&credentials);
}

static void
reads_milliseconds_and_inner_objects(void)
{
	static const DynResponseNames inner = {
		.object = "roleCredentials", .access_key_id = "accessKeyId",
		.secret_access_key = "secretAccessKey", .expires = "expiration"
	};

	CHECK(read_with("{\"roleCredentials\":{\"accessKeyId\":\"A\","
					"\"secretAccessKey\":\"S\",\"sessionToken\":\"T\","
					"\"expiration\":1767323045678}}", &inner));
	CHECK_EQ_INT(credentials.expires, EXPIRES);
	CHECK(credentials.session_token == NULL);
	CHECK(!read_with("{}", &inner));
	CHECK_EQ_STR(err.message, "the reply: \"roleCredentials\" is missing");
	CHECK(!read_with("{\"roleCredentials\":[]}", &inner));
	CHECK_EQ_STR(err.message, "the reply: not a JSON object");
	dyn_credentials_clear(&credentials);
}

/* 0 would mean that they never expire. */
static void
what_expired_long_ago_expires(void)
{
	CHECK(read_json("{" KEYS ",\"Expiration\":\"1970-01-01T00:00:00Z\"}"));
	CHECK_EQ_INT(credentials.expires, 1);
	CHECK(read_json("{" KEYS ",\"Expiration\":\"0001-01-01T00:00:00Z\"}"));
	CHECK_EQ_INT(credentials.expires, 1);
	CHECK(read_json("{" KEYS ",\"Expiration\":0}"));
	CHECK_EQ_INT(credentials.expires, 1);
	CHECK(read_json("{" KEYS ",\"Expiration\":-1.5e4}"));
	CHECK_EQ_INT(credentials.expires, 1);
	dyn_credentials_clear(&credentials);
}

static void
refuses_wrong_documents(void)
{
	static const struct
	{
		const char *json;
		const char *message;
	}			facts[] = {
		{"", "the reply: not valid JSON"},
		{"{\"AccessKeyId\":\"A\"", "the reply: not valid JSON"},
		{"{" KEYS "} x", "the reply: not valid JSON"},
		{"{\"AccessKeyId\":\"\xff\"}", "the reply: not valid JSON"},
		{"{\"AccessKeyId\":\"A\\u0000\",\"SecretAccessKey\":\"S\"}",
		"the reply: not valid JSON"},
		{"\"text\"", "the reply: not valid JSON"},
		{"[]", "the reply: not a JSON object"},
		{"{}", "the reply: \"AccessKeyId\" is missing"},
		{"{\"AccessKeyId\":\"A\"}",
		"the reply: \"SecretAccessKey\" is missing"},
		{"{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"\"}",
		"the reply: \"SecretAccessKey\" is missing"},
		{"{\"AccessKeyId\":null,\"SecretAccessKey\":\"S\"}",
		"the reply: \"AccessKeyId\" is missing"},
		{"{\"AccessKeyId\":7,\"SecretAccessKey\":\"S\"}",
		"the reply: \"AccessKeyId\" is not a string"},
		{"{" KEYS ",\"Token\":7}", "the reply: \"Token\" is not a string"},
		{"{" KEYS ",\"Expiration\":\"soon\"}",
		"the reply: \"Expiration\" is not a time"},
		{"{" KEYS ",\"Expiration\":true}",
		"the reply: \"Expiration\" is not a time"},
		{"{" KEYS ",\"Expiration\":1e18}",
		"the reply: \"Expiration\" is not a time"},
		{"{" KEYS ",\"Expiration\":{}}",
		"the reply: \"Expiration\" is not a time"},
		{"{" KEYS ",\"Token\":\"a\\r\\nX-Evil: b\"}",
		"the reply: session_token contains control characters"}
	};
	size_t		i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		CHECK(!read_json(facts[i].json));
		CHECK_EQ_STR(err.message, facts[i].message);
		CHECK(credentials.access_key_id == NULL);
		CHECK(!err.passing);
	}
	CHECK(!read_json_credentials(NULL, 0, &names, "it", &credentials, &err));
}

static void
sets_texts(void)
{
	CHECK(dyn_response_set("A", "S", "T", "2026-01-02T03:04:05Z", "it",
						 &credentials, &err));
	CHECK_EQ_INT(credentials.expires, EXPIRES);
	CHECK_EQ_STR(credentials.session_token, "T");
	dyn_credentials_clear(&credentials);
	CHECK(!dyn_response_set("", "S", "T", NULL, "it", &credentials, &err));
	CHECK_EQ_STR(err.message, "it: the access key is empty");
	CHECK(!dyn_response_set("A", "S", "T", "never", "it", &credentials,
						  &err));
	CHECK_EQ_STR(err.message, "it: the expiration time is not valid");
	CHECK(!dyn_response_set("A", "S\n", "T", NULL, "it", &credentials, &err));
	CHECK_EQ_STR(err.message,
				 "it: secret_access_key contains control characters");
}

static void
overwrites_what_it_frees(void)
{
	if (count_on_heap(SECRET) < 0)
		SKIP("no heap to look at");
	CHECK(read_json("{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"" SECRET "\","
					"\"Token\":\"" TOKEN "\",\"Expiration\":5}"));
	CHECK_EQ_INT(count_on_heap(SECRET), 1);
	dyn_credentials_clear(&credentials);
	CHECK(!read_json("{\"SecretAccessKey\":\"" SECRET "\"}"));
	CHECK(!read_json("{\"SecretAccessKey\":\"" SECRET "\""));
	CHECK(!read_json("{\"a\":\"" SECRET TOKEN SECRET));
	CHECK_EQ_INT(count_on_heap(SECRET + 16), 0);
	CHECK_EQ_INT(count_on_heap(TOKEN), 0);
}

/* ---- failures ----------------------------------------------------------- */

static DynExchange *
exchange(void)
{
	return dyn_exchange_create("GET", "http://127.0.0.1/", DYN_ADDRESS_LOCAL);
}

static void
network_failures_may_pass(void)
{
	static const struct
	{
		DynFailure	failure;
		DynProviderResponse	response;
	}			facts[] = {
		{DYN_FAIL_DNS, DYN_RESPONSE_AGAIN},
		{DYN_FAIL_CONNECT, DYN_RESPONSE_AGAIN},
		{DYN_FAIL_TIMEOUT, DYN_RESPONSE_AGAIN},
		{DYN_FAIL_NETWORK, DYN_RESPONSE_AGAIN},
		{DYN_FAIL_TLS, DYN_RESPONSE_AGAIN},
		{DYN_FAIL_HTTP, DYN_RESPONSE_FAILED},
		{DYN_FAIL_TOO_LARGE, DYN_RESPONSE_FAILED},
		{DYN_FAIL_ADDRESS, DYN_RESPONSE_FAILED},
		{DYN_FAIL_CONFIG, DYN_RESPONSE_FAILED}
	};
	DynExchange *request = exchange();
	size_t		i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		break_off(request, facts[i].failure, "it did not work");
		CHECK_EQ_INT(dyn_response_failed(request, "the keys", &err),
					 facts[i].response);
		CHECK_EQ_INT(err.passing, facts[i].response == DYN_RESPONSE_AGAIN);
		CHECK(strstr(err.message, "could not obtain the keys: "));
		CHECK(strstr(err.message, ": it did not work"));
		CHECK_EQ_STR(err.excerpt, "");
	}
	request->lasting = true;
	break_off(request, DYN_FAIL_TLS, "a certificate of another");
	CHECK_EQ_INT(dyn_response_failed(request, "the keys", &err),
				 DYN_RESPONSE_FAILED);
	break_off(request, DYN_FAIL_MEMORY, "");
	CHECK_EQ_INT(dyn_response_failed(request, "the keys", &err),
				 DYN_RESPONSE_FAILED);
	CHECK(err.out_of_memory);
	dyn_exchange_destroy(request);
}

static void
statuses_are_reported(void)
{
	static const int again[] = {429, 500, 502, 503, 504};
	static const int never[] = {204, 301, 400, 401, 403, 404};
	DynExchange *request = exchange();
	size_t		i;

	for (i = 0; i < sizeof(again) / sizeof(again[0]); i++)
	{
		reply(request, again[i], "later");
		CHECK_EQ_INT(dyn_response_failed(request, "the keys", &err),
					 DYN_RESPONSE_AGAIN);
		CHECK(err.passing);
	}
	for (i = 0; i < sizeof(never) / sizeof(never[0]); i++)
	{
		reply(request, never[i], "no");
		CHECK_EQ_INT(dyn_response_failed(request, "the keys", &err),
					 DYN_RESPONSE_FAILED);
		CHECK(!err.passing);
	}
	CHECK_EQ_STR(err.message, "could not obtain the keys: HTTP status 404");
	CHECK_EQ_STR(err.excerpt, "no");
	reply(request, 404, "");
	(void) dyn_response_failed(request, "the keys", &err);
	CHECK_EQ_STR(err.excerpt, "");
	dyn_exchange_destroy(request);
}

static void
a_reply_with_keys_is_not_quoted(void)
{
	DynExchange *request = exchange();

	reply(request, 200, SECRET);
	(void) dyn_response_failed(request, "the keys", &err);
	CHECK_EQ_STR(err.excerpt, "");
	dyn_exchange_destroy(request);
}

#define ENCODED	"key%3dwJalrXUtnFEMI%2FK7MDENG%2fbPxRfiCYEXAMPLE%2BEY"
#define KEY	"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"

static void
excerpts_have_no_tokens(void)
{
	char		text[512];
	char		token[121];

	memset(token, 'x', 120);
	token[120] = '\0';
	snprintf(text, sizeof(text), "got %s, from arn:aws:iam::1:role/a\x01\xff"
			 " AWS4-HMAC-SHA256 Credential=x", token);
	dyn_response_excerpt(&err, text, strlen(text));
	CHECK_EQ_STR(err.excerpt, "got ***, from arn:aws:iam::1:role/a ?");
	memset(text, 'a', sizeof(text));
	dyn_response_excerpt(&err, text, sizeof(text));
	CHECK_EQ_STR(err.excerpt, "***");
	dyn_response_excerpt(&err, "key=" KEY, strlen("key=" KEY));
	CHECK_EQ_STR(err.excerpt, "key=***");
	dyn_response_excerpt(&err, "a=%3D" KEY "%26b", strlen("a=%3D" KEY "%26b"));
	CHECK_EQ_STR(err.excerpt, "a=%***%26b");
	dyn_response_excerpt(&err, ENCODED, strlen(ENCODED));
	CHECK_EQ_STR(err.excerpt, "key%***");
	dyn_response_excerpt(&err, "key=x" KEY, strlen("key=x" KEY));
	CHECK_EQ_STR(err.excerpt, "key=x" KEY);
	dyn_response_excerpt(&err, NULL, 0);
	CHECK_EQ_STR(err.excerpt, "");
}

/* ---- requests ----------------------------------------------------------- */

static void
headers_have_one_line(void)
{
	DynExchange *request = exchange();

	CHECK(dyn_response_header(request, "X-A", "b c", "it", &err));
	CHECK_EQ_STR(find_header(request, "X-A"), "b c");
	CHECK(!dyn_response_header(request, "X-B", "b\r\nX-C: d", "it", &err));
	CHECK_EQ_STR(err.message,
				 "it contains a line break or another control character");
	CHECK(!dyn_response_header(request, "X-B", "b\n", "it", &err));
	CHECK(!dyn_response_header(request, "X-B", "\x7f", "it", &err));
	CHECK(find_header(request, "X-B") == NULL);
	dyn_exchange_destroy(request);
}

static void
parses_urls(void)
{
	static const struct
	{
		const char *url;
		const char *host;
		const char *path;
	}			facts[] = {
		{"https://sts.eu-west-1.amazonaws.com/",
		"sts.eu-west-1.amazonaws.com", "/"},
		{"https://host", "host", "/"},
		{"HTTPS://host:443/", "host", "/"},
		{"http://host:80/a/b", "host", "/a/b"},
		{"http://host:443/", "host:443", "/"},
		{"https://host:8443/", "host:8443", "/"},
		{"http://127.0.0.1:4566/", "127.0.0.1:4566", "/"},
		{"http://[::1]:4566/", "[::1]:4566", "/"},
		{"http://[fd00:ec2::254]/x", "[fd00:ec2::254]", "/x"}
	};
	DynUrl		parts;
	size_t		i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		CHECK(dyn_url_parse(facts[i].url, "it", false, &parts, &err));
		CHECK_EQ_STR(parts.host, facts[i].host);
		CHECK_EQ_STR(parts.path, facts[i].path);
		dyn_url_clear(&parts);
	}
	CHECK(dyn_url_parse("http://h/?a=b", "it", true, &parts, &err));
	CHECK_EQ_STR(parts.path, "/");
	dyn_url_clear(&parts);
}

static void
refuses_urls(void)
{
	static const struct
	{
		const char *url;
		const char *message;
	}			facts[] = {
		{"", "it is not a valid URL"},
		{"/path", "it is not a valid URL"},
		{"host/path", "it is not a valid URL"},
		{"http://", "it is not a valid URL"},
		{"http://h:99999/", "it is not a valid URL"},
		{"http://a b/", "it is not a valid URL"},
		{"http://a/\r\nX: y", "it is not a valid URL"},
		{"http://h\xc3\xa4/", "it is not a valid URL"},
		{"ftp://h/", "it is not an http or https URL"},
		{"file:///etc/passwd", "it is not an http or https URL"},
		{"http://169.254.170.2@evil/", "it contains a user name"},
		{"http://u:p@h/", "it contains a user name"},
		{"http://h/?a=b", "it contains a query"},
		{"http://h?", "it contains a query"},	/* what is appended would be one */
		{"http://a%FFb/", "it contains a host name with characters that are not ASCII"},
		{"http://h/#f", "it contains a fragment"},
		{"http://h/#", "it contains a fragment"}
	};
	DynUrl		parts;
	size_t		i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		CHECK(!dyn_url_parse(facts[i].url, "it", false, &parts, &err));
		CHECK_EQ_STR(err.message, facts[i].message);
		CHECK(parts.host == NULL && parts.path == NULL);
	}
}

static void
regions_have_domains(void)
{
	char		longest[65];

	CHECK_EQ_STR(dyn_url_domain("eu-west-1"), "amazonaws.com");
	CHECK_EQ_STR(dyn_url_domain("us-gov-west-1"), "amazonaws.com");
	CHECK_EQ_STR(dyn_url_domain("cn-north-1"), "amazonaws.com.cn");
	CHECK_EQ_STR(dyn_url_domain("eusc-de-east-1"), "amazonaws.eu");
	CHECK_EQ_STR(dyn_url_domain("us-iso-east-1"), "c2s.ic.gov");
	CHECK_EQ_STR(dyn_url_domain("us-isob-east-1"), "sc2s.sgov.gov");
	CHECK(dyn_url_check_region("ap-southeast-2", &err));
	CHECK(!dyn_url_check_region(NULL, &err));
	CHECK(!dyn_url_check_region("", &err));
	CHECK_EQ_STR(err.message, "the region is missing");
	CHECK(!dyn_url_check_region("x.evil.com/", &err));
	CHECK_EQ_STR(err.message, "invalid name of a region");
	memset(longest, 'a', 64);
	longest[64] = '\0';
	CHECK(!dyn_url_check_region(longest, &err));
	CHECK(dyn_url_check_region(longest + 1, &err));
}

static void
encodes_percent(void)
{
	DynBuffer	buf;

	dyn_buffer_init(&buf, 0);
	CHECK(dyn_url_append_escaped(&buf, "aZ09-._~ /+=&?%\n\xc3\xa4"));
	CHECK_EQ_STR(dyn_buffer_terminate(&buf),
				 "aZ09-._~%20%2F%2B%3D%26%3F%25%0A%C3%A4");
	dyn_buffer_reset(&buf);
	CHECK(dyn_url_append_base(&buf, "http://h//"));
	CHECK_EQ_STR(dyn_buffer_terminate(&buf), "http://h");
	dyn_buffer_free(&buf);
}

static void
configured_endpoints_can_be_ignored(void)
{
	unsetenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
	unsetenv("AWS_ENDPOINT_URL_STS");
	CHECK(dyn_url_configured("AWS_ENDPOINT_URL_STS") == NULL);
	setenv("AWS_ENDPOINT_URL_STS", "", 1);
	CHECK(dyn_url_configured("AWS_ENDPOINT_URL_STS") == NULL);
	CHECK(dyn_response_environment("AWS_ENDPOINT_URL_STS") == NULL);
	setenv("AWS_ENDPOINT_URL_STS", "http://h/", 1);
	CHECK_EQ_STR(dyn_url_configured("AWS_ENDPOINT_URL_STS"), "http://h/");
	setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "false", 1);
	CHECK(dyn_url_configured("AWS_ENDPOINT_URL_STS") != NULL);
	setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "TRUE", 1);
	CHECK(dyn_url_configured("AWS_ENDPOINT_URL_STS") == NULL);
}

int
main(void)
{
	RUN(reads_times);
	RUN(refuses_other_texts);
	RUN(reads_all_members);
	RUN(some_members_may_be_missing);
	RUN(reads_milliseconds_and_inner_objects);
	RUN(what_expired_long_ago_expires);
	RUN(refuses_wrong_documents);
	RUN(sets_texts);
	RUN(overwrites_what_it_frees);
	RUN(network_failures_may_pass);
	RUN(statuses_are_reported);
	RUN(a_reply_with_keys_is_not_quoted);
	RUN(excerpts_have_no_tokens);
	RUN(headers_have_one_line);
	RUN(parses_urls);
	RUN(refuses_urls);
	RUN(regions_have_domains);
	RUN(encodes_percent);
	RUN(configured_endpoints_can_be_ignored);
	return DONE("answer");
}

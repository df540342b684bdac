/*
 * test_sso.c
 *		The request with the token of "aws sso login", and its replies.
 */
#include "replies.h"

#include "harness.h"
#include "headers.h"

#include <time.h>

#include "credentials/files.h"
#include "credentials/providers.h"

#define ENDPOINT	"AWS_ENDPOINT_URL_SSO"
#define BEARER		"aoaAAAAAExampleBearerToken0123456789"

#define NOW			(EXPIRES - 1)

static char text_profile[] = "reports";
static char text_region[] = "eu-west-1";
static char text_account[] = "123456789012";
static char text_role[] = "Read Only&x=y";

static DynSsoProfile sso;
static DynCredentials credentials;
static DynError err;

/* The service's clock. */
static int64_t now = NOW;

/* The request with a token file of this text. */
static DynExchange *
request_with(const char *contents)
{
	DynExchange *exchange;

	sso = (DynSsoProfile) {
		.profile = text_profile, .region = text_region,
		.account_id = text_account, .role_name = text_role
	};
	sso.cache_file = (char *) file_with(contents, strlen(contents));
	memset(&err, 0, sizeof(err));
	exchange = dyn_sso_request(&sso, now, &err);
	unlink(sso.cache_file);
	return exchange;
}

#define GOOD_FILE	\
	"{\"startUrl\":\"https://d-1.awsapps.com/start\"," \
	"\"region\":\"eu-west-1\",\"accessToken\":\"" BEARER "\"," \
	"\"expiresAt\":\"2026-01-02T03:04:05Z\",\"refreshToken\":\"r\"}"

static void
check_hint(void)
{
	char		user[128];
	char		wanted[256];

	dyn_file_user(user, sizeof(user));
	snprintf(wanted, sizeof(wanted), "Run \"aws sso login --profile reports\" as operating-system user \"%s\".",
			 user);
	CHECK_EQ_STR(err.hint, wanted);
}

static void
sends_a_request_to_the_portal(void)
{
	DynExchange *exchange;

	unsetenv(ENDPOINT);
	exchange = request_with(GOOD_FILE);
	if (!CHECK(exchange != NULL))
		return;
	CHECK_EQ_STR(exchange->method, "GET");
	CHECK_EQ_STR(exchange->url, "https://portal.sso.eu-west-1.amazonaws.com"
				 "/federation/credentials?role_name=Read%20Only%26x%3Dy"
				 "&account_id=123456789012");
	CHECK_EQ_INT(exchange->policy, DYN_ADDRESS_ENDPOINT);
	CHECK_EQ_STR(find_header(exchange, "x-amz-sso_bearer_token"),
				 BEARER);
	CHECK_EQ_STR(find_header(exchange, "Accept"),
				 "application/json");
	dyn_exchange_destroy(exchange);
}

static void
the_endpoint_can_be_set(void)
{
	DynExchange *exchange;

	setenv(ENDPOINT, "http://127.0.0.1:8080/x/", 1);
	exchange = request_with(GOOD_FILE);
	if (CHECK(exchange != NULL))
		CHECK(strncmp(exchange->url,
					  "http://127.0.0.1:8080/x/federation/", 35) == 0);
	dyn_exchange_destroy(exchange);
	setenv(ENDPOINT, "http://127.0.0.1/?x", 1);
	CHECK(request_with(GOOD_FILE) == NULL);
	CHECK_EQ_STR(err.message, ENDPOINT " contains a query");
	setenv(ENDPOINT, "portal", 1);
	CHECK(request_with(GOOD_FILE) == NULL);
	CHECK_EQ_STR(err.message, ENDPOINT " is not a valid URL");
	unsetenv(ENDPOINT);
}

static void
regions_are_checked(void)
{
	DynExchange *exchange;

	unsetenv(ENDPOINT);
	strcpy(text_region, "x.evil/");
	CHECK(request_with(GOOD_FILE) == NULL);
	CHECK_EQ_STR(err.message, "invalid name of a region");
	strcpy(text_region, "cn-nx-1");
	exchange = request_with(GOOD_FILE);
	if (CHECK(exchange != NULL))
		CHECK(strncmp(exchange->url, "https://portal.sso.cn-nx-1."
					  "amazonaws.com.cn/federation/", 55) == 0);
	dyn_exchange_destroy(exchange);
	strcpy(text_region, "eu-west-1");
}

static void
a_user_must_log_in(void)
{
	static const struct
	{
		const char *contents;
		const char *words;
	}			facts[] = {
		{"", "is not valid JSON"},
		{"{\"accessToken\":\"" BEARER, "is not valid JSON"},
		{"[]", "contains no accessToken"},
		{"{}", "contains no accessToken"},
		{"{\"accessToken\":\"\"}", "contains no accessToken"},
		{"{\"accessToken\":7,\"expiresAt\":\"2030-01-01T00:00:00Z\"}",
		"contains no accessToken"},
		{"{\"accessToken\":\"t\"}", "contains no valid expiresAt"},
		{"{\"accessToken\":\"t\",\"expiresAt\":\"soon\"}",
		"contains no valid expiresAt"},
		{"{\"accessToken\":\"t\",\"expiresAt\":1767323045}",
		"contains no valid expiresAt"},
		{"{\"accessToken\":\"t\",\"expiresAt\":\"2026-01-02T03:04:04Z\"}",
		"expired at 2026-01-02T03:04:04Z"},
		{"{\"accessToken\":\"t\",\"expiresAt\":\"2020-01-02T03:04:05UTC\"}",
		"expired at 2020-01-02T03:04:05UTC"}
	};
	size_t		i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		CHECK(request_with(facts[i].contents) == NULL);
		if (!CHECK(strstr(err.message, facts[i].words)))
			printf("#     %s\n", err.message);
		CHECK(strstr(err.message, sso.cache_file));
		CHECK(strstr(err.message, BEARER) == NULL);
		check_hint();
	}
}

/* The service's clock may have been misjudged. */
static void
a_token_is_valid_by_either_clock(void)
{
	int64_t		later = (int64_t) time(NULL) + 3600;
	char		contents[200];
	char		expires[40];
	DynExchange *exchange;

	strftime(expires, sizeof(expires), "%Y-%m-%dT%H:%M:%SZ",
			 gmtime(&(time_t) {later}));
	snprintf(contents, sizeof(contents),
			 "{\"accessToken\":\"t\",\"expiresAt\":\"%s\"}", expires);
	now = later + 1;
	exchange = request_with(contents);
	CHECK(exchange != NULL);
	dyn_exchange_destroy(exchange);
	now = NOW;
}

static void
the_file_may_be_missing(void)
{
	char		path[] = "/nonexistent/sso/cache/0.json";

	sso.cache_file = path;
	CHECK(dyn_sso_request(&sso, NOW, &err) == NULL);
	CHECK(strstr(err.message, path));
	check_hint();
}

static void
tokens_have_one_line(void)
{
	CHECK(request_with("{\"accessToken\":\"t\\r\\nX: y\","
					   "\"expiresAt\":\"2030-01-01T00:00:00Z\"}") == NULL);
	CHECK_EQ_STR(err.message, "the token of \"aws sso login\" contains a line break or another control character");
}

static void
replies_are_read(void)
{
	DynExchange *exchange = request_with(GOOD_FILE);

	reply(exchange, 200, "{\"roleCredentials\":{\"accessKeyId\":\"" KEY_ID
		  "\",\"secretAccessKey\":\"" SECRET "\",\"sessionToken\":\"" TOKEN
		  "\",\"expiration\":1767323045000}}");
	CHECK_EQ_INT(dyn_sso_response(&sso, exchange, &credentials, &err),
				 DYN_RESPONSE_CREDENTIALS);
	CHECK_EQ_STR(credentials.access_key_id, KEY_ID);
	CHECK_EQ_STR(credentials.secret_access_key, SECRET);
	CHECK_EQ_STR(credentials.session_token, TOKEN);
	CHECK_EQ_INT(credentials.expires, EXPIRES);
	dyn_credentials_clear(&credentials);
	reply(exchange, 200, "{\"accessKeyId\":\"" KEY_ID "\"}");
	CHECK_EQ_INT(dyn_sso_response(&sso, exchange, &credentials, &err),
				 DYN_RESPONSE_FAILED);
	CHECK(strstr(err.message, "\"roleCredentials\" is missing"));
	CHECK_EQ_STR(err.excerpt, "");
	dyn_exchange_destroy(exchange);
}

static void
failures_are_reported(void)
{
	DynExchange *exchange = request_with(GOOD_FILE);

	reply(exchange, 401, "{\"message\":\"Session token not found\"}");
	CHECK_EQ_INT(dyn_sso_response(&sso, exchange, &credentials, &err),
				 DYN_RESPONSE_FAILED);
	CHECK(strstr(err.message, "HTTP status 401"));
	CHECK_EQ_STR(err.excerpt, "{\"message\":\"Session token not found\"}");
	check_hint();
	reply(exchange, 403, "{\"message\":\"No access\"}");
	CHECK_EQ_INT(dyn_sso_response(&sso, exchange, &credentials, &err),
				 DYN_RESPONSE_FAILED);
	CHECK(strstr(err.hint, "\"Read Only&x=y\" of account \"123456789012\""));
	reply(exchange, 429, "");
	CHECK_EQ_INT(dyn_sso_response(&sso, exchange, &credentials, &err),
				 DYN_RESPONSE_AGAIN);
	CHECK_EQ_STR(err.hint, "");
	break_off(exchange, DYN_FAIL_DNS, "Could not resolve host");
	CHECK_EQ_INT(dyn_sso_response(&sso, exchange, &credentials, &err),
				 DYN_RESPONSE_AGAIN);
	CHECK_EQ_STR(err.hint, "");
	dyn_exchange_destroy(exchange);
}

static void
leaves_no_token_in_memory(void)
{
	if (count_on_heap(BEARER) < 0)
		SKIP("no heap to look at");
	dyn_exchange_destroy(request_with(GOOD_FILE));
	CHECK(request_with("{\"accessToken\":\"" BEARER "\"}") == NULL);
	CHECK(request_with("{\"accessToken\":\"" BEARER) == NULL);
	CHECK_EQ_INT(count_on_heap(BEARER + 16), 0);
}

int
main(void)
{
	RUN(sends_a_request_to_the_portal);
	RUN(the_endpoint_can_be_set);
	RUN(regions_are_checked);
	RUN(a_user_must_log_in);
	RUN(a_token_is_valid_by_either_clock);
	RUN(the_file_may_be_missing);
	RUN(tokens_have_one_line);
	RUN(replies_are_read);
	RUN(failures_are_reported);
	RUN(leaves_no_token_in_memory);
	return DONE("sso");
}

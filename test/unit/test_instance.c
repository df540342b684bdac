/*
 * test_instance.c
 *		The requests for the credentials of an EC2 instance, one after another.
 */
#include "replies.h"

#include "harness.h"
#include "headers.h"

#include "credentials/providers.h"

#define ENDPOINT		"AWS_EC2_METADATA_SERVICE_ENDPOINT"
#define ENDPOINT_MODE	"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"
#define DISABLED		"AWS_EC2_METADATA_DISABLED"

#define ROLES	"/latest/meta-data/iam/security-credentials/"

static DynInstance instance;
static DynCredentials credentials;
static DynError err;

/* One request and its reply. */
static DynProviderResponse
request(int status, const char *body)
{
	DynExchange *exchange = dyn_instance_request(&instance, &err);
	DynProviderResponse	response;

	memset(&err, 0, sizeof(err));
	if (!CHECK(exchange != NULL))
		return DYN_RESPONSE_FAILED;
	reply(exchange, status, body);
	response = dyn_instance_response(&instance, exchange, &credentials, &err);
	dyn_exchange_destroy(exchange);
	return response;
}

static void
begin(const char *token, const char *role)
{
	dyn_instance_clear(&instance);
	instance.token = token ? strdup(token) : NULL;
	instance.role = role ? strdup(role) : NULL;
	setenv(ENDPOINT, "", 1);
	setenv(ENDPOINT_MODE, "", 1);
}

static void
can_be_disabled(void)
{
	unsetenv(DISABLED);
	CHECK(dyn_instance_is_enabled());
	setenv(DISABLED, "false", 1);
	CHECK(dyn_instance_is_enabled());
	setenv(DISABLED, "True", 1);
	CHECK(!dyn_instance_is_enabled());
}

static void
requests_a_token_first(void)
{
	DynExchange *exchange;

	begin(NULL, NULL);
	exchange = dyn_instance_request(&instance, &err);
	if (!CHECK(exchange != NULL))
		return;
	CHECK_EQ_STR(exchange->method, "PUT");
	CHECK_EQ_STR(exchange->url, "http://169.254.169.254/latest/api/token");
	CHECK_EQ_INT(exchange->policy, DYN_ADDRESS_LOCAL);
	CHECK_EQ_STR(find_header(exchange,
							 "x-aws-ec2-metadata-token-ttl-seconds"), "21600");
	CHECK(find_header(exchange, "x-aws-ec2-metadata-token") ==
		  NULL);
	dyn_exchange_destroy(exchange);
}

static void
sends_the_token_then(void)
{
	DynExchange *exchange;

	begin("AQAE==", NULL);
	exchange = dyn_instance_request(&instance, &err);
	CHECK_EQ_STR(exchange->method, "GET");
	CHECK_EQ_STR(exchange->url, "http://169.254.169.254" ROLES);
	CHECK_EQ_STR(find_header(exchange,
							 "x-aws-ec2-metadata-token"), "AQAE==");
	dyn_exchange_destroy(exchange);
	begin("AQAE==", "app+role@1");
	exchange = dyn_instance_request(&instance, &err);
	CHECK_EQ_STR(exchange->method, "GET");
	CHECK_EQ_STR(exchange->url,
				 "http://169.254.169.254" ROLES "app%2Brole%401");
	dyn_exchange_destroy(exchange);
}

static void
the_endpoint_can_be_set(void)
{
	static const struct
	{
		const char *endpoint;
		const char *mode;
		const char *url;		/* NULL: see message */
		const char *message;
	}			facts[] = {
		{"", "IPv4", "http://169.254.169.254" ROLES, NULL},
		{"", "ipv6", "http://[fd00:ec2::254]" ROLES, NULL},
		{"http://127.0.0.1:1338/", "IPv6", "http://127.0.0.1:1338" ROLES,
		NULL},
		{"http://127.0.0.1:1338", "", "http://127.0.0.1:1338" ROLES, NULL},
		{"", "IPv5", NULL, ENDPOINT_MODE " is neither IPv4 nor IPv6"},
		{"ftp://h", "", NULL, ENDPOINT " is not an http or https URL"},
		{"http://h/?x", "", NULL, ENDPOINT " contains a query"},
		{"http://h\n", "", NULL, ENDPOINT " is not a valid URL"}
	};
	size_t		i;

	begin("t", NULL);
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		DynExchange *exchange;

		setenv(ENDPOINT, facts[i].endpoint, 1);
		setenv(ENDPOINT_MODE, facts[i].mode, 1);
		exchange = dyn_instance_request(&instance, &err);
		CHECK((exchange == NULL) == (facts[i].url == NULL));
		if (exchange == NULL)
			CHECK_EQ_STR(err.message, facts[i].message);
		else
			CHECK_EQ_STR(exchange->url, facts[i].url);
		dyn_exchange_destroy(exchange);
	}
}

#define CREDENTIALS	\
	"{\"Code\" : \"Success\",\n\"LastUpdated\":\"2026-01-01T21:00:00Z\",\n" \
	"\"Type\":\"AWS-HMAC\",\n\"AccessKeyId\":\"" KEY_ID "\"," \
	"\"SecretAccessKey\":\"" SECRET "\",\"Token\":\"" TOKEN "\"," \
	"\"Expiration\":\"2026-01-02T03:04:05Z\"}"

static void
three_requests_give_credentials(void)
{
	begin(NULL, NULL);
	CHECK_EQ_INT(request(200, "AQAEtoken=="), DYN_RESPONSE_NEXT);
	CHECK_EQ_STR(instance.token, "AQAEtoken==");
	CHECK_EQ_INT(request(200, "reports-role\nother"), DYN_RESPONSE_NEXT);
	CHECK_EQ_STR(instance.role, "reports-role");
	CHECK_EQ_INT(request(200, CREDENTIALS), DYN_RESPONSE_CREDENTIALS);
	CHECK_EQ_STR(credentials.access_key_id, KEY_ID);
	CHECK_EQ_STR(credentials.secret_access_key, SECRET);
	CHECK_EQ_STR(credentials.session_token, TOKEN);
	CHECK_EQ_INT(credentials.expires, EXPIRES);
	dyn_credentials_clear(&credentials);
	dyn_instance_clear(&instance);
	CHECK(instance.token == NULL && instance.role == NULL);
}

static void
a_refused_token_is_forgotten_once(void)
{
	begin("old", "role");
	CHECK_EQ_INT(request(401, ""), DYN_RESPONSE_NEXT);
	CHECK(instance.token == NULL);
	CHECK_EQ_STR(instance.role, "role");
	CHECK_EQ_INT(request(200, "new"), DYN_RESPONSE_NEXT);
	CHECK_EQ_INT(request(401, ""), DYN_RESPONSE_FAILED);
	CHECK(strstr(err.message, "HTTP status 401"));
	CHECK_EQ_INT(request(200, CREDENTIALS), DYN_RESPONSE_CREDENTIALS);
	dyn_credentials_clear(&credentials);
	CHECK_EQ_INT(request(401, ""), DYN_RESPONSE_NEXT);
	begin(NULL, NULL);
	CHECK_EQ_INT(request(401, ""), DYN_RESPONSE_FAILED);
}

static void
a_token_may_be_refused(void)
{
	static const int statuses[] = {400, 403, 404, 405};
	DynExchange *exchange;
	size_t		i;

	begin(NULL, NULL);
	for (i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
	{
		CHECK_EQ_INT(request(statuses[i], "<html>"), DYN_RESPONSE_FAILED);
		CHECK(strstr(err.hint, "version 2"));
	}
	CHECK_EQ_INT(request(503, ""), DYN_RESPONSE_AGAIN);
	CHECK_EQ_STR(err.hint, "");
	CHECK_EQ_INT(request(200, ""), DYN_RESPONSE_FAILED);
	CHECK(strstr(err.message, "returned an invalid token"));
	CHECK_EQ_INT(request(200, "a b"), DYN_RESPONSE_FAILED);
	CHECK_EQ_INT(request(200, "a\xff"), DYN_RESPONSE_FAILED);
	CHECK(instance.token == NULL);
	exchange = dyn_instance_request(&instance, &err);
	break_off(exchange, DYN_FAIL_TIMEOUT, "Connection timed out");
	CHECK_EQ_INT(dyn_instance_response(&instance, exchange, &credentials,
									 &err), DYN_RESPONSE_AGAIN);
	CHECK(strstr(err.hint, "hop limit"));
	dyn_exchange_destroy(exchange);
}

/* The hint has the variable and its value, not advice about the true one. */
static void
a_hint_names_an_endpoint_that_was_set(void)
{
	static const DynFailure failures[] = {DYN_FAIL_ADDRESS, DYN_FAIL_CONNECT};
	size_t		i;

	for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
	{
		DynExchange *exchange;

		begin(NULL, NULL);
		setenv(ENDPOINT, "http://10.1.2.3", 1);
		exchange = dyn_instance_request(&instance, &err);
		break_off(exchange, failures[i], "no");
		dyn_instance_response(&instance, exchange, &credentials, &err);
		CHECK(strstr(err.hint, ENDPOINT " of the server, which is \"http://10.1.2.3\""));
		CHECK(strstr(err.hint, "hop limit") == NULL);
		dyn_exchange_destroy(exchange);
	}
	setenv(ENDPOINT, "", 1);
}

static void
an_instance_may_have_no_role(void)
{
	begin("t", NULL);
	CHECK_EQ_INT(request(404, "<html>"), DYN_RESPONSE_FAILED);
	CHECK_EQ_STR(err.message, "the EC2 instance has no IAM role");
	CHECK_EQ_STR(err.hint, "Attach an IAM role to the instance.");
	CHECK_EQ_INT(request(200, ""), DYN_RESPONSE_FAILED);
	CHECK_EQ_STR(err.message, "the EC2 instance has no IAM role");
	CHECK_EQ_INT(request(200, "\n"), DYN_RESPONSE_FAILED);
	CHECK_EQ_STR(err.message, "the EC2 instance has no IAM role");
	begin("t", "gone");
	CHECK_EQ_INT(request(404, ""), DYN_RESPONSE_FAILED);
	CHECK_EQ_STR(err.message, "the EC2 instance has no IAM role");
}

static void
names_of_roles_are_one_segment(void)
{
	static const char *const wrong[] = {
		".", "..", "a/b", "../../api/token", "a b", "a?b", "a%2f", "<html>",
		"a\tb", "r\xc3\xa4"
	};
	char		longest[130];
	size_t		i;

	begin("t", NULL);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
	{
		CHECK_EQ_INT(request(200, wrong[i]), DYN_RESPONSE_FAILED);
		CHECK(strstr(err.message, "returned an invalid role name"));
		CHECK(instance.role == NULL);
	}
	memset(longest, 'a', 129);
	longest[129] = '\0';
	CHECK_EQ_INT(request(200, longest), DYN_RESPONSE_FAILED);
	CHECK_EQ_INT(request(200, longest + 1), DYN_RESPONSE_NEXT);
}

static void
codes_other_than_success_fail(void)
{
	begin("t", "reports");
	CHECK_EQ_INT(request(200, "{\"Code\":\"AssumeRoleUnauthorizedAccess\","
					 "\"Message\":\"EC2 cannot assume the role\"}"),
				 DYN_RESPONSE_FAILED);
	CHECK_EQ_STR(err.message, "the instance metadata service has no credentials for role \"reports\": AssumeRoleUnauthorizedAccess");
	CHECK(strstr(err.hint, "ec2.amazonaws.com"));
	CHECK_EQ_STR(err.excerpt, "EC2 cannot assume the role");
	CHECK_EQ_INT(request(200, "{\"Code\":\"Failed\"}"), DYN_RESPONSE_FAILED);
	CHECK(strstr(err.message, ": Failed"));
	CHECK_EQ_STR(err.hint, "");
	CHECK_EQ_INT(request(200, "{\"Code\":\"a b\"}"), DYN_RESPONSE_FAILED);
	CHECK(strstr(err.message, ": unknown code"));
	CHECK_EQ_INT(request(200, "{\"Code\":\"\"}"), DYN_RESPONSE_FAILED);
	CHECK(strstr(err.message, ": unknown code"));
}

static void
replies_may_be_damaged(void)
{
	begin("t", "reports");
	CHECK_EQ_INT(request(200, "{\"Code\":\"Success\",\"AccessKeyId\":\"A\","
					 "\"SecretAccessKey\":\"" SECRET), DYN_RESPONSE_FAILED);
	CHECK_EQ_STR(err.message,
				 "the credentials of the EC2 instance: not valid JSON");
	CHECK_EQ_STR(err.excerpt, "");
	CHECK_EQ_INT(request(200, "{\"Code\":\"Success\"}"), DYN_RESPONSE_FAILED);
	CHECK(strstr(err.message, "\"AccessKeyId\" is missing"));
	CHECK_EQ_INT(request(200, "[]"), DYN_RESPONSE_FAILED);
	CHECK_EQ_INT(request(500, ""), DYN_RESPONSE_AGAIN);
	CHECK(credentials.access_key_id == NULL);
}

static void
forgets_without_a_trace(void)
{
	if (count_on_heap(TOKEN) < 0)
		SKIP("no heap to look at");
	begin(NULL, NULL);
	CHECK_EQ_INT(request(200, TOKEN), DYN_RESPONSE_NEXT);
	CHECK_EQ_INT(request(200, "role"), DYN_RESPONSE_NEXT);
	CHECK_EQ_INT(request(200, CREDENTIALS), DYN_RESPONSE_CREDENTIALS);
	dyn_credentials_clear(&credentials);
	dyn_instance_clear(&instance);
	CHECK_EQ_INT(count_on_heap(TOKEN + 8), 0);
	CHECK_EQ_INT(count_on_heap(SECRET + 8), 0);
}

int
main(void)
{
	RUN(can_be_disabled);
	RUN(requests_a_token_first);
	RUN(sends_the_token_then);
	RUN(the_endpoint_can_be_set);
	RUN(three_requests_give_credentials);
	RUN(a_refused_token_is_forgotten_once);
	RUN(a_token_may_be_refused);
	RUN(a_hint_names_an_endpoint_that_was_set);
	RUN(an_instance_may_have_no_role);
	RUN(names_of_roles_are_one_segment);
	RUN(codes_other_than_success_fail);
	RUN(replies_may_be_damaged);
	RUN(forgets_without_a_trace);
	dyn_instance_clear(&instance);
	return DONE("instance");
}

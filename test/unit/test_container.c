/*
 * test_container.c
 *		The request for a container's credentials, as the environment has it,
 *		and its replies.
 */
#include "replies.h"

#include "harness.h"
#include "headers.h"

#include "credentials/providers.h"

#define RELATIVE_URI	"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
#define FULL_URI		"AWS_CONTAINER_CREDENTIALS_FULL_URI"
#define AUTH_TOKEN		"AWS_CONTAINER_AUTHORIZATION_TOKEN"
#define TOKEN_FILE		"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"

static DynCredentials credentials;
static DynError err;

/* Any may be NULL. */
static void
set(const char *relative, const char *full, const char *token,
	const char *file)
{
	setenv(RELATIVE_URI, relative ? relative : "", 1);
	setenv(FULL_URI, full ? full : "", 1);
	setenv(AUTH_TOKEN, token ? token : "", 1);
	setenv(TOKEN_FILE, file ? file : "", 1);
	memset(&err, 0, sizeof(err));
}

static const char *
authorization(const DynExchange *exchange)
{
	return find_header(exchange, "Authorization");
}

static void
nothing_is_set(void)
{
	set(NULL, NULL, NULL, NULL);
	CHECK(!dyn_container_is_set());
	CHECK(dyn_container_request(&err) == NULL);
	CHECK(strstr(err.message, "neither " RELATIVE_URI));
	CHECK(err.hint[0] != '\0');
	set("/x", NULL, NULL, NULL);
	CHECK(dyn_container_is_set());
	set(NULL, "http://127.0.0.1/", NULL, NULL);
	CHECK(dyn_container_is_set());
}

static void
relative_uris_are_of_the_agent(void)
{
	DynExchange *exchange;

	set("/v2/credentials/0123?a=b", "http://127.0.0.1/", NULL, NULL);
	exchange = dyn_container_request(&err);
	if (!CHECK(exchange != NULL))
		return;
	CHECK_EQ_STR(exchange->url,
				 "http://169.254.170.2/v2/credentials/0123?a=b");
	CHECK_EQ_STR(exchange->method, "GET");
	CHECK_EQ_INT(exchange->policy, DYN_ADDRESS_LOCAL);
	CHECK_EQ_INT(exchange->body.len, 0);
	CHECK(authorization(exchange) == NULL);
	CHECK_EQ_STR(find_header(exchange, "Accept"),
				 "application/json");
	dyn_exchange_destroy(exchange);
}

static void
full_uris_are_http_or_https(void)
{
	static const char *const right[] = {
		"http://127.0.0.1:1234/creds", "https://localhost/",
		"http://169.254.170.23/v1/credentials", "http://[fd00:ec2::23]/v1"
	};
	size_t		i;

	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++)
	{
		DynExchange *exchange;

		set(NULL, right[i], NULL, NULL);
		exchange = dyn_container_request(&err);
		if (!CHECK(exchange != NULL))
			continue;
		CHECK_EQ_STR(exchange->url, right[i]);
		CHECK_EQ_INT(exchange->policy, DYN_ADDRESS_LOCAL);
		dyn_exchange_destroy(exchange);
	}
}

static void
wrong_uris_are_refused(void)
{
	static const struct
	{
		const char *relative;
		const char *full;
		const char *message;
	}			facts[] = {
		{"@evil/", NULL, RELATIVE_URI " does not begin with a slash"},
		{".evil.example/", NULL, RELATIVE_URI " does not begin with a slash"},
		{"/a b", NULL, RELATIVE_URI " is not a valid URL"},
		{"/a\r\nX: y", NULL, RELATIVE_URI " is not a valid URL"},
		{NULL, "ftp://127.0.0.1/", FULL_URI " is not an http or https URL"},
		{NULL, "127.0.0.1/", FULL_URI " is not a valid URL"},
		{NULL, "http://a@127.0.0.1/", FULL_URI " contains a user name"}
	};
	size_t		i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
	{
		set(facts[i].relative, facts[i].full, NULL, NULL);
		CHECK(dyn_container_request(&err) == NULL);
		CHECK_EQ_STR(err.message, facts[i].message);
	}
}

static void
tokens_are_sent(void)
{
	DynExchange *exchange;
	const char *file = file_with("Of the file", 11);

	set("/x", NULL, "Basic abc", NULL);
	exchange = dyn_container_request(&err);
	if (CHECK(exchange != NULL))
		CHECK_EQ_STR(authorization(exchange), "Basic abc");
	dyn_exchange_destroy(exchange);
	set("/x", NULL, "Basic abc", file);
	exchange = dyn_container_request(&err);
	if (CHECK(exchange != NULL))
		CHECK_EQ_STR(authorization(exchange), "Of the file");
	dyn_exchange_destroy(exchange);
	unlink(file);
}

static void
the_file_is_read_each_time(void)
{
	DynExchange *exchange;
	const char *path = file_with("one", 3);
	FILE	   *file;

	set("/x", NULL, NULL, path);
	dyn_exchange_destroy(dyn_container_request(&err));
	file = fopen(path, "w");
	CHECK(file && fputs("two", file) >= 0 && fclose(file) == 0);
	exchange = dyn_container_request(&err);
	if (CHECK(exchange != NULL))
		CHECK_EQ_STR(authorization(exchange), "two");
	dyn_exchange_destroy(exchange);
	unlink(path);
	CHECK(dyn_container_request(&err) == NULL);
	CHECK(strstr(err.message, path));
}

static void
wrong_tokens_are_refused(void)
{
	static const struct
	{
		const char *text;
		size_t		len;
	}			wrong[] = {
		{"a\r\nX: y", 7}, {"a\n", 2}, {"a\r", 2}, {"", 0}, {"a\0b", 3}
	};
	size_t		i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
	{
		const char *file = file_with(wrong[i].text, wrong[i].len);

		set("/x", NULL, NULL, file);
		CHECK(dyn_container_request(&err) == NULL);
		CHECK(strstr(err.message, "token"));
		CHECK(strstr(err.message, "X: y") == NULL);
		unlink(file);
	}
	set("/x", NULL, "Basic\nabc", NULL);
	CHECK(dyn_container_request(&err) == NULL);
	CHECK_EQ_STR(err.message, AUTH_TOKEN
				 " contains a line break or another control character");
}

static void
replies_are_read(void)
{
	DynExchange *exchange;

	set("/secret-path", NULL, NULL, NULL);
	exchange = dyn_container_request(&err);
	reply(exchange, 200, "{\"AccessKeyId\":\"" KEY_ID "\","
		  "\"SecretAccessKey\":\"" SECRET "\",\"Token\":\"" TOKEN "\","
		  "\"RoleArn\":\"arn\",\"Expiration\":\"2026-01-02T03:04:05Z\"}");
	CHECK_EQ_INT(dyn_container_response(exchange, &credentials, &err),
				 DYN_RESPONSE_CREDENTIALS);
	CHECK_EQ_STR(credentials.access_key_id, KEY_ID);
	CHECK_EQ_STR(credentials.secret_access_key, SECRET);
	CHECK_EQ_STR(credentials.session_token, TOKEN);
	CHECK_EQ_INT(credentials.expires, EXPIRES);
	dyn_credentials_clear(&credentials);
	dyn_exchange_destroy(exchange);
}

static void
failures_are_reported(void)
{
	DynExchange *exchange;

	set("/secret-path", NULL, NULL, NULL);
	exchange = dyn_container_request(&err);
	reply(exchange, 200, "{\"SecretAccessKey\":\"" SECRET "\"}");
	CHECK_EQ_INT(dyn_container_response(exchange, &credentials, &err),
				 DYN_RESPONSE_FAILED);
	CHECK_EQ_STR(err.message,
				 "the container credentials: \"AccessKeyId\" is missing");
	CHECK_EQ_STR(err.excerpt, "");
	reply(exchange, 403, "{\"message\":\"no\"}");
	CHECK_EQ_INT(dyn_container_response(exchange, &credentials, &err),
				 DYN_RESPONSE_FAILED);
	CHECK_EQ_STR(err.message,
				 "could not obtain the container credentials: HTTP status 403");
	CHECK_EQ_STR(err.excerpt, "{\"message\":\"no\"}");
	reply(exchange, 500, "");
	CHECK_EQ_INT(dyn_container_response(exchange, &credentials, &err),
				 DYN_RESPONSE_AGAIN);
	break_off(exchange, DYN_FAIL_TIMEOUT, "Timeout was reached");
	CHECK_EQ_INT(dyn_container_response(exchange, &credentials, &err),
				 DYN_RESPONSE_AGAIN);
	CHECK(strstr(err.message, "secret-path") == NULL);
	CHECK(credentials.access_key_id == NULL);
	dyn_exchange_destroy(exchange);
}

int
main(void)
{
	RUN(nothing_is_set);
	RUN(relative_uris_are_of_the_agent);
	RUN(full_uris_are_http_or_https);
	RUN(wrong_uris_are_refused);
	RUN(tokens_are_sent);
	RUN(the_file_is_read_each_time);
	RUN(wrong_tokens_are_refused);
	RUN(replies_are_read);
	RUN(failures_are_reported);
	return DONE("container");
}

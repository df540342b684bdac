/*
 * test_once.c
 *		Calls that must not be executed twice, against the scripted service.
 *
 * The service counts what it receives, so that each test sees both sides.
 */
#include "harness.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "aws/client.h"
#include "aws/provider.h"
#include "aws/retry.h"
#include "end_client.h"
#include "service_process.h"
#include "waiting.h"

static char access_key_id[] = "AKIDEXAMPLE";
static char secret[] = "secret";
static DynProvider provider = {.current = {access_key_id, secret, NULL, 0}};
static DynClock service_clock;
static DynRetryQuota quota;
static DynService service;
static DynClient *client;
static DynCall *call;

static void
begin(bool once, const char *script, size_t padding)
{
	DynBuffer  *body = dyn_call_body(call);

	memset(&quota, 0, sizeof(quota));
	call->once = once;
	dyn_buffer_reset(body);
	dyn_buffer_printf(body, "{\"do\": [%s], \"padding\": \"", script);
	while (padding-- > 0)
		dyn_buffer_append_char(body, 'p');
	dyn_buffer_append_str(body, "\"}");
	dyn_call_start(call, &service, &quota, "PutItem");
}

static void
finish(void)
{
	for (int i = 0; i < 100 && (call->state != DYN_CALL_DONE || !dyn_call_unpack(call)); i++)
		dyn_client_wait(client, wait_readable, NULL, 1000);
	CHECK(call->state == DYN_CALL_DONE);
}

static void
run(bool once, const char *script)
{
	begin(once, script, 0);
	finish();
}

static void
check_call(DynFailure failure, int attempts, bool unanswered)
{
	CHECK_EQ_INT(call->failure, failure);
	CHECK_EQ_INT(call->attempts, attempts);
	CHECK_EQ_INT(call->unanswered, unanswered);
	if (failure == DYN_FAIL_NONE)
		CHECK_EQ_STR(dyn_buffer_terminate(&call->response), "{}");
}

/* How often requests with this key came. */
static void
check_count(const char *key, const char *count)
{
	char		script[64];

	snprintf(script, sizeof(script), "\"count\", \"%s\"", key);
	run(false, script);
	CHECK_EQ_STR(dyn_buffer_terminate(&call->response), count);
}

static void
pause_ms(long ms)
{
	nanosleep(&(struct timespec) {ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* A connection that is open and has served a request. */
static void
reuse_connection(void)
{
	dyn_client_close_idle(client);
	run(false, "\"bytes\", 1");
}

static void
set_limits(int request_timeout_ms)
{
	service.request_timeout_ms = request_timeout_ms;
	service.connect_timeout_ms = 5000;
	service.max_attempts = 4;
	service.url = url;
	service.host = host;
}

/*
 * libcurl sends a request again by itself if a reused connection ends without
 * a byte; the service has executed it.
 */
static void
libcurl_does_not_send_again(void)
{
	set_limits(5000);
	reuse_connection();
	run(false, "\"hang_up\", \"dead-read\"");
	check_call(DYN_FAIL_NONE, 1, false);
	check_count("dead-read", "2");
	reuse_connection();
	run(true, "\"hang_up\", \"dead-write\"");
	check_call(DYN_FAIL_NETWORK, 1, true);
	CHECK_EQ_STR(call->message, "the connection was closed without a response");
	check_count("dead-write", "1");
}

/*
 * Nothing is sent on a connection that has ended, which libcurl may not have
 * noticed, so the request may be sent on another one.
 */
static void
dead_connections_are_replaced(void)
{
	set_limits(5000);
	for (int i = 0; i < 3; i++)
	{
		run(true, "\"close_after\"");
		check_call(DYN_FAIL_NONE, 1, false);
		pause_ms(20);
		run(true, "\"brotli\"");
		check_call(DYN_FAIL_ENCODING, 1, true);
		run(true, "\"count\", \"none\"");
		CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
		CHECK_EQ_INT(call->attempts, 1);
	}
}

static void
lost_responses_are_not_repeated(void)
{
	set_limits(5000);
	dyn_client_close_idle(client);
	run(true, "\"hang_up\", \"new\"");
	check_call(DYN_FAIL_NETWORK, 1, true);
	check_count("new", "1");
	run(true, "\"truncate\", \"truncate\"");
	check_call(DYN_FAIL_NETWORK, 1, true);
	check_count("truncate", "1");
	run(true, "\"bad_crc\", \"crc\"");
	check_call(DYN_FAIL_CHECKSUM, 1, true);
	check_count("crc", "1");
	run(true, "\"bad_gzip\", \"gzip\", true");
	check_call(DYN_FAIL_ENCODING, 1, true);
	check_count("gzip", "1");
	run(true, "\"brotli\"");
	check_call(DYN_FAIL_ENCODING, 1, true);
	run(true, "\"bytes\", 20000000");
	check_call(DYN_FAIL_TOO_LARGE, 1, true);
}

static void
internal_errors_are_not_repeated(void)
{
	set_limits(5000);
	run(true, "\"fail\", \"500\", 1, 500");
	check_call(DYN_FAIL_SERVICE, 1, true);
	check_count("500", "1");
	run(true, "\"fail\", \"503\", 1, 503");
	check_call(DYN_FAIL_SERVICE, 1, true);
	run(true, "\"fail\", \"501\", 1, 501");
	check_call(DYN_FAIL_SERVICE, 1, true);
	/* what is not an error document shows nothing */
	run(true, "\"html\", 502");
	check_call(DYN_FAIL_HTTP, 1, true);
	run(true, "\"html\", 429");
	check_call(DYN_FAIL_HTTP, 1, true);
	run(true, "\"html\", 404");
	check_call(DYN_FAIL_HTTP, 1, true);
	run(true, "\"html\", 408");
	check_call(DYN_FAIL_HTTP, 1, true);
	run(true, "\"fail\", \"408\", 1, 408");
	check_call(DYN_FAIL_SERVICE, 1, true);
}

static void
refused_requests_are_repeated(void)
{
	static const char *const conflicts[] = {
		"TransactionConflictException", "TransactionInProgressException",
		"ReplicatedWriteConflictException"
	};
	char		script[128];

	set_limits(5000);
	for (int i = 0; i < 3; i++)
	{
		snprintf(script, sizeof(script), "\"refuse_once\", \"%s\", \"%s\"",
				 conflicts[i], conflicts[i]);
		run(true, script);
		check_call(DYN_FAIL_NONE, 2, false);
		CHECK_EQ_INT(call->throttles, 0);
	}
	snprintf(script, sizeof(script), "\"refuse\", \"%s\", \"no\"", conflicts[0]);
	run(true, script);
	check_call(DYN_FAIL_SERVICE, 4, false);
	CHECK(call->passing);
	run(true, "\"throttle\", \"slow\", 2");
	check_call(DYN_FAIL_NONE, 3, false);
	CHECK_EQ_INT(call->throttles, 2);
	run(true, "\"skew\", 3600, \"InvalidSignatureException\", \"Signature expired\"");
	check_call(DYN_FAIL_NONE, 2, false);
	memset(&service_clock, 0, sizeof(service_clock));
	run(true, "\"refuse\", \"ConditionalCheckFailedException\", \"no\"");
	check_call(DYN_FAIL_SERVICE, 1, false);
	CHECK(!call->passing);
}

/* Nothing was sent, so nothing was executed. */
static void
unsent_requests_are_repeated(void)
{
	set_limits(5000);
	service.max_attempts = 2;
	service.url = "http://127.0.0.1:1/";
	service.host = "127.0.0.1:1";
	run(true, "\"bytes\", 1");
	check_call(DYN_FAIL_CONNECT, 2, false);
}

static void
time_runs_while_we_wait(void)
{
	set_limits(300);
	run(true, "\"slow\", 1.5");
	check_call(DYN_FAIL_TIMEOUT, 1, true);
	CHECK(call->elapsed_ms >= 290 && call->elapsed_ms < 1400);
	run(true, "\"trickle\", 1.5");
	check_call(DYN_FAIL_TIMEOUT, 1, true);
}

/* The response is there long before the client is driven. */
static void
time_stands_still_while_we_do_not(void)
{
	set_limits(300);
	for (int fresh = 0; fresh <= 1; fresh++)
	{
		if (fresh)
			dyn_client_close_idle(client);
		begin(true, "\"slow\", 0.1", 0);
		pause_ms(1000);
		finish();
		check_call(DYN_FAIL_NONE, 1, false);
	}
	/* the service takes longer than the limit, but no caller waits for it */
	begin(true, "\"slow\", 1.0", 0);
	for (int i = 0; i < 6; i++)
	{
		pause_ms(200);
		dyn_client_drive(client);
	}
	finish();
	check_call(DYN_FAIL_NONE, 1, false);
}

/* Starting a call drives others, which must not end for that. */
static void
starting_others_takes_no_time(void)
{
	DynCall    *first = call;

	set_limits(300);
	begin(true, "\"slow\", 0.05", 0);
	pause_ms(700);
	call = dyn_call_create(client);
	begin(true, "\"slow\", 0.0", 0);
	finish();
	check_call(DYN_FAIL_NONE, 1, false);
	dyn_call_destroy(call);
	call = first;
	finish();
	check_call(DYN_FAIL_NONE, 1, false);
}

/* Long documents arrive in full, and a handle serves both kinds in turn. */
static void
documents_arrive(void)
{
	char		wanted[32];

	set_limits(5000);
	for (int i = 0; i < 6; i++)
	{
		size_t		padding = i % 3 * 400000;

		begin(i % 2 == 0, "\"length\"", padding);
		finish();
		CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
		snprintf(wanted, sizeof(wanted), "%zu", dyn_call_body(call)->len);
		CHECK_EQ_STR(dyn_buffer_terminate(&call->response), wanted);
	}
}

/* A response over the allowance pauses; the write is known to have its response. */
static void
responses_are_paused(void)
{
	set_limits(500);
	dyn_call_allow(call, 1000);
	begin(true, "\"bytes\", 500000", 0);
	for (int i = 0; i < 50 && !dyn_call_is_paused(call); i++)
		dyn_client_wait(client, wait_readable, NULL, 100);
	CHECK(dyn_call_is_paused(call));
	pause_ms(900);
	dyn_call_allow(call, SIZE_MAX);
	finish();
	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK_EQ_INT(call->response.len, 500000);
	CHECK(!call->unanswered);
}

int
main(void)
{
	pid_t		pid = -1;
	int			keep_open = -1;

	signal(SIGPIPE, SIG_IGN);
	if (!start_service(&pid, &keep_open))
	{
		printf("not ok - the scripted service does not start\n");
		return 1;
	}
	service = (DynService) {.region = "us-east-1", .signing_name = "dynamodb",
		.target_prefix = "DynamoDB_20120810.", .provider = &provider,
	.max_response = 1 << 20, .clock = &service_clock};
	client = dyn_client_create(NULL);
	call = dyn_call_create(client);
	RUN(libcurl_does_not_send_again);
	RUN(dead_connections_are_replaced);
	RUN(lost_responses_are_not_repeated);
	RUN(internal_errors_are_not_repeated);
	RUN(refused_requests_are_repeated);
	RUN(unsent_requests_are_repeated);
	RUN(time_runs_while_we_wait);
	RUN(time_stands_still_while_we_do_not);
	RUN(starting_others_takes_no_time);
	RUN(documents_arrive);
	RUN(responses_are_paused);
	dyn_call_destroy(call);
	end_client(client);
	close(keep_open);
	waitpid(pid, NULL, 0);
	return DONE("once");
}

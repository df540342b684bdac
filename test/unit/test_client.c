/*
 * test_client.c
 *		The client's requests and responses against a scripted service.
 */
#include "client_stage.h"

/* ---- sending ---------------------------------------------------------- */

static void
sends_the_signed_headers(void)
{
	DynCall    *call = run("\"echo\"");
	const char *text = dyn_buffer_terminate(&call->response);

	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK_EQ_INT(call->http_status, 200);
	CHECK_EQ_INT(call->attempts, 1);
	CHECK(strncmp(call->request_id, "REQUEST-", 8) == 0);
	CHECK(call->elapsed_ms > 0);
	CHECK(strstr(text, "\"content-type\": \"application/x-amz-json-1.0\""));
	CHECK(strstr(text, "\"x-amz-target\": \"DynamoDB_20120810.Query\""));
	CHECK(strstr(text, "\"accept-encoding\": \"gzip\""));
	CHECK(strstr(text, "\"x-amz-security-token\": \"TOKENTOKEN/"));
	CHECK(strstr(text, "SignedHeaders=content-type;host;x-amz-date;"
				 "x-amz-security-token;x-amz-target, Signature="));
	CHECK(strstr(text, host));
	CHECK(strstr(text, "\"path\": \"/\""));
	CHECK(strstr(text, "\"expect\"") == NULL);
	dyn_call_destroy(call);
}

/* In Turkish, "I" is not the capital of "i".  The locale is made here. */
static void
knows_headers_in_every_locale(void)
{
	char		directory[] = "/tmp/dynamo_fdw.XXXXXX";
	char		command[200];
	bool		made = mkdtemp(directory) != NULL;

	snprintf(command, sizeof(command),
			 "localedef -c -i tr_TR -f UTF-8 %s/tr_TR.UTF-8 >%s/log 2>&1",
			 directory, directory);
	(void) !system(command);
	setenv("LOCPATH", directory, 1);
	made = made && setlocale(LC_CTYPE, "tr_TR.UTF-8") != NULL;
	if (made && CHECK(strcasecmp("i", "I") != 0))
		sends_the_signed_headers();
	setlocale(LC_CTYPE, "C");
	unsetenv("LOCPATH");
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	(void) !system(command);
	if (!made)
		SKIP("no Turkish locale");
}

static void
keeps_the_connection(void)
{
	uint64_t	before = connections_of(client);
	DynCall    *call = run("\"bytes\", 10");
	int			i;

	for (i = 0; i < 20; i++)
	{
		start(call, "\"bytes\", 10");
		finish(call);
		CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
		CHECK_EQ_INT(call->response.len, 10);
	}
	CHECK(connections_of(client) - before <= 1);
	dyn_call_destroy(call);
}

static void
runs_calls_side_by_side(void)
{
	DynCall    *calls[8];
	double		begun = now_ms();
	int			i;

	for (i = 0; i < 8; i++)
	{
		calls[i] = dyn_call_create(client);
		start(calls[i], "\"slow\", 0.5");
	}
	for (i = 0; i < 8; i++)
	{
		finish(calls[i]);
		check_body(calls[i], "{}");
		dyn_call_destroy(calls[i]);
	}
	CHECK(now_ms() - begun < 3000);
}

static void
closes_idle_connections(void)
{
	dyn_client_close_idle(client);
	CHECK_EQ_INT(dyn_client_open_fds(client), 2);
	dyn_call_destroy(run("\"bytes\", 10"));
	CHECK_EQ_INT(dyn_client_open_fds(client), 3);
	dyn_client_close_idle(client);
	CHECK_EQ_INT(dyn_client_open_fds(client), 2);
}

static void
closes_idle_connections_after_calls_under_way(void)
{
	DynCall    *call = dyn_call_create(client);

	start(call, "\"slow\", 0.2");
	dyn_client_close_idle(client);
	finish(call);
	check_body(call, "{}");
	CHECK_EQ_INT(dyn_client_open_fds(client), 2);
	dyn_call_destroy(call);
}

/* That many calls at once, then the end of the statement; descriptors left. */
static int
run_statement(int n)
{
	DynCall    *calls[8];
	int			i;

	for (i = 0; i < n; i++)
	{
		calls[i] = dyn_call_create(client);
		start(calls[i], "\"slow\", 0.1");
	}
	for (i = 0; i < n; i++)
	{
		finish(calls[i]);
		check_body(calls[i], "{}");
		dyn_call_destroy(calls[i]);
	}
	dyn_client_end_statement(client);
	return dyn_client_open_fds(client) - 2;
}

static void
keeps_what_two_statements_used(void)
{
	dyn_client_close_idle(client);
	service.max_idle_connections = 8;
	CHECK_EQ_INT(run_statement(4), 4);
	CHECK_EQ_INT(run_statement(1), 4);
	dyn_client_end_statement(client);	/* sent nothing */
	CHECK_EQ_INT(dyn_client_open_fds(client), 6);
	CHECK_EQ_INT(run_statement(2), 0);
	CHECK_EQ_INT(run_statement(3), 3);
	service.max_idle_connections = 2;
	CHECK_EQ_INT(run_statement(3), 0);
	CHECK_EQ_INT(run_statement(2), 2);
	service.max_idle_connections = 0;
	CHECK_EQ_INT(run_statement(1), 0);
}

static void
closes_what_the_peer_closed(void)
{
	struct timespec moment = {0, 100 * 1000 * 1000};

	service.max_idle_connections = 8;
	check_success("\"close_after\"", 1);
	nanosleep(&moment, NULL);
	dyn_client_end_statement(client);
	CHECK_EQ_INT(dyn_client_open_fds(client), 2);
}

static int	descriptors_left;

static bool
acquire_descriptor(void)
{
	if (descriptors_left <= 0)
		return false;
	descriptors_left--;
	return true;
}

static void
reserve_descriptor(void)
{
	descriptors_left--;
}

static void
release_descriptor(void)
{
	descriptors_left++;
}

static void
sends_fewer_for_lack_of_descriptors(void)
{
	static const DynDescriptors account = {
		acquire_descriptor, reserve_descriptor, release_descriptor
	};
	DynClient  *before = client;
	int			allowed;

	for (allowed = 0; allowed < 4; allowed++)
	{
		DynCall    *calls[6];
		int			i;

		descriptors_left = allowed + 2;
		client = dyn_client_create(&account);
		CHECK_EQ_INT(descriptors_left, allowed);
		for (i = 0; i < 6; i++)
		{
			calls[i] = dyn_call_create(client);
			start(calls[i], "\"slow\", 0.05");
			CHECK(calls[i]->state == (i == 0 || i < allowed ? DYN_CALL_SENT
									  : DYN_CALL_BACKOFF));
		}
		for (i = 0; i < 6; i++)
		{
			finish(calls[i]);
			check_body(calls[i], "{}");
			CHECK_EQ_INT(calls[i]->attempts, 1);
			dyn_call_destroy(calls[i]);
		}
		CHECK_EQ_INT(connections_of(client), allowed > 1 ? allowed : 1);
		dyn_client_end_statement(client);
		CHECK_EQ_INT(descriptors_left, allowed);
		end_client(client);
		CHECK_EQ_INT(descriptors_left, allowed + 2);
	}
	client = before;
}

/* ---- bodies ----------------------------------------------------------- */

static void
reads_bodies_of_any_length(void)
{
	DynCall    *call = run("\"bytes\", 1000000");

	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK_EQ_INT(call->response.len, 1000000);
	CHECK_EQ_INT(call->bytes_received, 1000000);
	start(call, "\"bytes\", 0");
	finish(call);
	check_body(call, "");
	start(call, "\"chunked\", 1000");
	finish(call);
	CHECK_EQ_INT(call->response.len, 5000);
	dyn_call_destroy(call);
}

static void
reuses_the_memory_of_responses(void)
{
	DynCall    *call = run("\"bytes\", 300000");
	DynBuffer	taken;
	char	   *data;

	dyn_call_take_response(call, &taken);
	CHECK_EQ_INT(taken.len, 300000);
	CHECK_EQ_INT(call->response.cap, 0);
	data = taken.data;
	dyn_client_recycle(client, &taken);
	CHECK(taken.data == NULL);
	start(call, "\"bytes\", 290000");
	finish(call);
	CHECK(call->response.data == data);
	dyn_call_destroy(call);
}

static void
unpacks_gzip(void)
{
	DynCall    *call = run("\"gzip\", 200000");

	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK_EQ_INT(call->response.len, 200000);
	CHECK(call->bytes_received < 2000);
	CHECK(call->response.len > 0 && call->response.data[199999] == 'y');
	dyn_call_destroy(call);
	call = run("\"gzip_error\"");
	CHECK_EQ_INT(call->failure, DYN_FAIL_SERVICE);
	CHECK_EQ_STR(call->message, "packed");
	dyn_call_destroy(call);
}

static void
unpacks_up_to_the_bound(void)
{
	DynCall    *call = run("\"gzip\", 1048576");

	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK_EQ_INT(call->response.len, 1048576);
	dyn_call_destroy(call);
	check_failure("\"gzip\", 1048577", DYN_FAIL_TOO_LARGE, 1);
	check_failure("\"gzip\", 50000000", DYN_FAIL_TOO_LARGE, 1);
}

static void
refuses_what_is_too_large(void)
{
	DynCall    *call = run("\"bytes\", 1048576");

	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	dyn_call_destroy(call);
	check_failure("\"bytes\", 1048577", DYN_FAIL_TOO_LARGE, 1);
	check_failure("\"chunked\", 300000", DYN_FAIL_TOO_LARGE, 1);
	check_failure("\"headers\", 80, 1000", DYN_FAIL_TOO_LARGE, 1);
	check_failure("\"headers\", 1, 200000", DYN_FAIL_TOO_LARGE, 1);
}

static void
repeats_damaged_replies(void)
{
	check_success("\"bad_crc\", \"a\"", 2);
	check_success("\"no_crc\"", 1);
	check_success("\"truncate\", \"b\"", 2);
	dyn_client_close_idle(client);
	check_success("\"hang_up\", \"c\"", 2);
	/* on a connection that was idle libcurl itself tries another */
	check_success("\"hang_up\", \"n\"", 1);
}

static void
repeats_damaged_gzip(void)
{
	DynCall    *call = run("\"bad_gzip\", \"g\", true");

	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK_EQ_INT(call->attempts, 2);
	CHECK_EQ_INT(call->response.len, 1000);
	dyn_call_destroy(call);
	call = run("\"bad_gzip\", \"h\", false");
	CHECK_EQ_INT(call->attempts, 2);
	dyn_call_destroy(call);
	check_failure("\"brotli\"", DYN_FAIL_ENCODING, 4);
}

/* ---- pausing ---------------------------------------------------------- */

/*
 * A call that is paused with nearly that many bytes; or some more, if they came
 * in libcurl's first turn.
 */
static DynCall *
start_paused(const char *script, size_t allowance)
{
	DynCall    *call = dyn_call_create(client);
	double		deadline = now_ms() + 10000;

	dyn_call_allow(call, allowance);
	start(call, script);
	while (!dyn_call_is_paused(call) && call->state != DYN_CALL_DONE &&
		   now_ms() < deadline)
		dyn_client_wait(client, wait_readable, NULL, 1000);
	CHECK(dyn_call_is_paused(call));
	CHECK(dyn_call_held(call) <= allowance + DYN_RECEIVE_BUFFER);
	CHECK(dyn_call_held(call) > allowance - 16 * 1024);
	return call;
}

/* Lets it go on, and checks that it ends after that many attempts. */
static void
finish_resumed(DynCall *call, size_t len, int attempts)
{
	dyn_call_allow(call, SIZE_MAX);
	finish(call);
	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK_EQ_INT(call->attempts, attempts);
	CHECK_EQ_INT(call->response.len, len);
	dyn_call_destroy(call);
}

static void
receives_no_more_than_allowed(void)
{
	uint64_t	before = connections_of(client);
	DynCall    *call = start_paused("\"bytes\", 1000000", 300000);

	turn_for(50);
	CHECK(dyn_call_is_paused(call) && dyn_call_held(call) < 440000);
	/* no more than there is */
	dyn_call_allow(call, 200000);
	CHECK(dyn_call_is_paused(call));
	dyn_call_allow(call, 500000);
	turn_for(50);
	CHECK(dyn_call_is_paused(call));
	CHECK(dyn_call_held(call) > 480000 && dyn_call_held(call) <= 500000);
	finish_resumed(call, 1000000, 1);
	/* the connection is good for the next one */
	check_success("\"no_crc\"", 1);
	CHECK(connections_of(client) - before <= 1);
	/* exactly what is allowed */
	call = dyn_call_create(client);
	dyn_call_allow(call, 1000000);
	start(call, "\"bytes\", 1000000");
	finish(call);
	CHECK_EQ_INT(call->response.len, 1000000);
	dyn_call_destroy(call);
}

static void
pauses_replies_of_every_kind(void)
{
	DynCall    *call;

	finish_resumed(start_paused("\"chunked\", 200000", 300000), 1000000, 1);
	finish_resumed(start_paused("\"gzip_noise\", 700000", 300000), 700000, 1);
	/* the rest has arrived before it is resumed */
	call = dyn_call_create(client);
	dyn_call_allow(call, 310000);
	start(call, "\"bytes\", 320000");
	turn_for(50);
	finish_resumed(call, 320000, 1);
	if (tls_url[0] == '\0')
		SKIP("no openssl to make a certificate with");
	service.url = tls_url;
	service.ca_bundle = ca_bundle;
	finish_resumed(start_paused("\"bytes\", 1000000", 300000), 1000000, 1);
}

static void
runs_others_next_to_paused_calls(void)
{
	DynCall    *calls[4];
	int			i;

	for (i = 0; i < 4; i++)
		calls[i] = start_paused("\"bytes\", 1000000", 300000);
	check_success("\"no_crc\"", 1);
	for (i = 3; i >= 0; i--)
		finish_resumed(calls[i], 1000000, 1);
}

/* Bytes that libcurl holds arrive from within the call that resumes. */
static void
refuses_what_is_too_large_when_resumed(void)
{
	static const size_t allowances[] = {300000, (1 << 20) - 1000};
	size_t		i;

	for (i = 0; i < 2; i++)
	{
		DynCall    *call = start_paused("\"chunked\", 300000", allowances[i]);

		dyn_call_allow(call, SIZE_MAX);
		finish(call);
		CHECK_EQ_INT(call->failure, DYN_FAIL_TOO_LARGE);
		CHECK_EQ_INT(call->attempts, 1);
		dyn_call_destroy(call);
	}
	check_success("\"no_crc\"", 1);
}

static void
counts_no_time_of_pauses(void)
{
	DynCall    *call;
	double		resumed;

	service.request_timeout_ms = 300;
	service.max_attempts = 1;
	call = start_paused("\"bytes\", 1000000", 300000);
	turn_for(400);
	dyn_call_allow(call, 500000);
	turn_for(400);
	CHECK(dyn_call_is_paused(call));
	finish_resumed(call, 1000000, 1);
	/* but the time after them */
	call = start_paused("\"part\", \"p1\", 400000, 5", 300000);
	turn_for(400);
	resumed = now_ms();
	dyn_call_allow(call, SIZE_MAX);
	finish(call);
	CHECK_EQ_INT(call->failure, DYN_FAIL_TIMEOUT);
	CHECK(strncmp(call->message, "Operation timed out after 300 ", 30) == 0);
	CHECK(now_ms() - resumed > 50 && now_ms() - resumed < 2000);
	dyn_call_destroy(call);
}

/* The client is not driven after it was resumed. */
static void
gives_time_to_what_was_left_alone(void)
{
	struct timespec moment = {0, 500 * 1000 * 1000};
	DynCall    *call;
	int			i;

	service.request_timeout_ms = 200;
	service.max_attempts = 1;
	call = start_paused("\"bytes\", 1000000", 300000);
	for (i = 4; i < 9; i++)
	{
		dyn_call_allow(call, (size_t) i * 100000);
		nanosleep(&moment, NULL);
		dyn_client_drive(client);
		CHECK(call->state == DYN_CALL_SENT);
	}
	finish_resumed(call, 1000000, 1);
}

/* The peer does not wait for ever; that is not a failure of its. */
static void
repeats_what_was_lost_in_a_pause(void)
{
	DynCall    *call;

	service.max_attempts = 1;
	call = start_paused("\"part\", \"p2\", 400000, 0", 300000);
	turn_for(100);
	finish_resumed(call, 1000000, 2);
	/* all that the peer sent before it closed is read */
	call = start_paused("\"all_and_close\", 500000", 300000);
	turn_for(100);
	finish_resumed(call, 500000, 1);
	check_failure("\"part\", \"p3\", 400000, 0", DYN_FAIL_NETWORK, 1);
}

static void
is_destroyed_while_paused(void)
{
	DynCall    *call;
	int			i;

	dyn_client_close_idle(client);
	for (i = 0; i < 3; i++)
	{
		dyn_call_destroy(start_paused("\"bytes\", 1000000", 300000));
		CHECK_EQ_INT(dyn_client_open_fds(client), 2);
		/* no call gets the rest of it */
		check_success("\"no_crc\"", 1);
		dyn_client_close_idle(client);
	}
	/* idle connections are dropped when it has gone */
	call = start_paused("\"bytes\", 1000000", 300000);
	dyn_client_close_idle(client);
	dyn_client_end_statement(client);
	dyn_call_destroy(call);
	CHECK_EQ_INT(dyn_client_open_fds(client), 2);
}

/* What waits for a descriptor does not wait for a call that is paused. */
static void
sends_next_to_a_paused_call_without_descriptors(void)
{
	static const DynDescriptors account = {
		acquire_descriptor, reserve_descriptor, release_descriptor
	};
	DynClient  *before = client;
	DynCall    *call;

	descriptors_left = 3;
	client = dyn_client_create(&account);
	call = start_paused("\"bytes\", 1000000", 300000);
	check_success("\"no_crc\"", 1);
	finish_resumed(call, 1000000, 1);
	end_client(client);
	CHECK_EQ_INT(descriptors_left, 3);
	client = before;
}

/* ---- refusals --------------------------------------------------------- */

static void
repeats_server_errors(void)
{
	check_success("\"fail\", \"d\", 1, 500", 2);
	CHECK(quota.used == 0 && !quota.outage);
	check_failure("\"fail\", \"e\", 99, 503", DYN_FAIL_SERVICE, 4);
	CHECK(quota.used > 0 && quota.used <= 14 && quota.outage);
}

static void
is_patient_when_throttled(void)
{
	DynCall    *call = run("\"throttle\", \"f\", 2");

	check_body(call, "{}");
	CHECK_EQ_INT(call->attempts, 3);
	CHECK_EQ_INT(call->throttles, 2);
	CHECK_EQ_STR(call->code, "");
	dyn_call_destroy(call);
	call = run("\"throttle\", \"i\", 99");
	CHECK_EQ_INT(call->failure, DYN_FAIL_SERVICE);
	CHECK_EQ_STR(call->code, "ThrottlingException");
	CHECK_EQ_STR(call->throttle_reason, "TableRead arn:t");
	CHECK_EQ_INT(call->throttles, 4);
	dyn_call_destroy(call);
}

static void
waits_as_long_as_requested(void)
{
	DynCall    *call = run("\"throttle\", \"j\", 1, 700");

	check_body(call, "{}");
	CHECK(call->elapsed_ms >= 700);
	dyn_call_destroy(call);
}

/* Who watches the descriptor only must see the end of a pause, too. */
static void
wakes_through_the_descriptor_alone(void)
{
	DynCall    *call = dyn_call_create(client);
	double		deadline = now_ms() + 20000;

	start(call, "\"throttle\", \"k\", 1, 300");
	while (call->state != DYN_CALL_DONE && now_ms() < deadline)
	{
		wait_readable(NULL, dyn_client_fd(client), 10000);
		dyn_client_drive(client);
	}
	CHECK(now_ms() < deadline - 10000);
	check_body(call, "{}");
	dyn_call_destroy(call);
}

static void
stops_when_the_quota_is_spent(void)
{
	quota.used = 499;
	quota.refilled_us = (int64_t) (now_ms() * 1000);
	check_failure("\"fail\", \"l\", 99, 500", DYN_FAIL_SERVICE, 1);
}

static void
shows_pages_that_are_no_errors(void)
{
	DynCall    *call = run("\"html\", 404");

	CHECK_EQ_INT(call->failure, DYN_FAIL_HTTP);
	CHECK_EQ_INT(call->http_status, 404);
	CHECK_EQ_STR(call->code, "");
	CHECK_EQ_STR(call->message, "<html> <b>no ? such</b>");
	dyn_call_destroy(call);
}

/* On a connection in use, it may belong to something else. */
static void
repeats_what_is_no_http_on_an_old_connection(void)
{
	check_success("\"junk\", \"old\"", 2);
	dyn_client_close_idle(client);
	check_failure("\"junk\", \"new\"", DYN_FAIL_HTTP, 1);
	check_success("\"late\", \"408\"", 2);
}

static void
follows_no_redirect(void)
{
	DynCall    *call = run("\"redirect\"");

	CHECK_EQ_INT(call->failure, DYN_FAIL_HTTP);
	CHECK_EQ_INT(call->http_status, 302);
	CHECK_EQ_INT(call->attempts, 1);
	dyn_call_destroy(call);
}

static void
betrays_no_secret(void)
{
	DynCall    *call = run("\"leak\"");

	CHECK_EQ_STR(call->message, "The signature does not match.");
	start(call, "\"leak_page\"");
	finish(call);
	CHECK_EQ_INT(call->failure, DYN_FAIL_HTTP);
	CHECK(strstr(call->message, "TOKENTOKEN") == NULL);
	CHECK(strstr(call->message, "Signature=") == NULL);
	dyn_call_destroy(call);
}

/* ---- the clock -------------------------------------------------------- */

static void
corrects_a_wrong_clock_once(void)
{
	const char *script = "\"skew\", 7200, \"InvalidSignatureException\", "
		"\"Signature expired: 2026 is now earlier\"";

	check_success(script, 2);
	CHECK(service_clock.corrected);
	CHECK(service_clock.offset >= 7198 && service_clock.offset <= 7202);
	check_success(script, 1);
}

static void
knows_a_wrong_clock_by_the_date(void)
{
	service.max_attempts = 1;
	check_success("\"skew\", -3600, \"UnrecognizedClientException\", "
				  "\"The security token is invalid.\"", 2);
	CHECK(service_clock.offset < -3590);
	set_stage();
	check_failure("\"refuse\", \"UnrecognizedClientException\", \"no\"",
				  DYN_FAIL_SERVICE, 1);
	CHECK(!service_clock.corrected);
}

/* Attempts that were signed before the first of them taught the time. */
static void
corrects_the_clock_of_all_attempts(void)
{
	const char *script = "\"skew\", 7200, \"InvalidSignatureException\", "
		"\"Signature expired: 2026 is now earlier\", 0.3";
	DynCall    *calls[8];
	int			i;

	/* it was corrected before, and has stepped since */
	service_clock.corrected = true;
	service_clock.offset = -1000;
	for (i = 0; i < 8; i++)
	{
		calls[i] = dyn_call_create(client);
		start(calls[i], script);
	}
	for (i = 0; i < 8; i++)
	{
		finish(calls[i]);
		check_body(calls[i], "{}");
		CHECK_EQ_INT(calls[i]->attempts, 2);
		dyn_call_destroy(calls[i]);
	}
	CHECK(service_clock.offset >= 7198 && service_clock.offset <= 7202);
}

/*
 * The clock steps again and again while sixteen are in flight: each is signed
 * again as often as the attempts allow, and none sets the clock back.
 */
static void
corrects_a_clock_that_steps(void)
{
	DynCall    *calls[16];
	int			i;

	for (i = 0; i < 16; i++)
	{
		calls[i] = dyn_call_create(client);
		start(calls[i], "\"steps\", 7200, 14400, -7200");
	}
	for (i = 0; i < 16; i++)
	{
		finish(calls[i]);
		check_body(calls[i], "{}");
		CHECK(calls[i]->attempts <= 4);
		dyn_call_destroy(calls[i]);
	}
	set_stage();
	service.max_attempts = 3;
	check_failure("\"steps\", 7200, 14400, -7200", DYN_FAIL_SERVICE, 3);
	set_stage();
	service.max_attempts = 1;
	check_failure("\"steps\", 7200, 14400, -7200", DYN_FAIL_SERVICE, 2);
}

/* One outage, however many requests it hits. */
static void
pays_once_for_an_outage(void)
{
	DynCall    *calls[16];
	char		script[64];
	int			i;

	quota.used = DYN_RETRY_QUOTA - 15;
	quota.refilled_us = (int64_t) (now_ms() * 1000);
	for (i = 0; i < 16; i++)
	{
		sprintf(script, "\"fail\", \"outage %d\", 2, 500", i);
		calls[i] = dyn_call_create(client);
		start(calls[i], script);
	}
	for (i = 0; i < 16; i++)
	{
		finish(calls[i]);
		check_body(calls[i], "{}");
		CHECK_EQ_INT(calls[i]->attempts, 3);
		dyn_call_destroy(calls[i]);
	}
}
static void
run_tests(void)
{
	STAGED(sends_the_signed_headers);
	STAGED(knows_headers_in_every_locale);
	STAGED(keeps_the_connection);
	STAGED(runs_calls_side_by_side);
	STAGED(closes_idle_connections);
	STAGED(closes_idle_connections_after_calls_under_way);
	STAGED(keeps_what_two_statements_used);
	STAGED(closes_what_the_peer_closed);
	STAGED(sends_fewer_for_lack_of_descriptors);
	STAGED(reads_bodies_of_any_length);
	STAGED(reuses_the_memory_of_responses);
	STAGED(unpacks_gzip);
	STAGED(unpacks_up_to_the_bound);
	STAGED(refuses_what_is_too_large);
	STAGED(receives_no_more_than_allowed);
	STAGED(pauses_replies_of_every_kind);
	STAGED(runs_others_next_to_paused_calls);
	STAGED(refuses_what_is_too_large_when_resumed);
	STAGED(counts_no_time_of_pauses);
	STAGED(gives_time_to_what_was_left_alone);
	STAGED(repeats_what_was_lost_in_a_pause);
	STAGED(is_destroyed_while_paused);
	STAGED(sends_next_to_a_paused_call_without_descriptors);
	STAGED(repeats_damaged_replies);
	STAGED(repeats_damaged_gzip);
	STAGED(repeats_server_errors);
	STAGED(is_patient_when_throttled);
	STAGED(waits_as_long_as_requested);
	STAGED(wakes_through_the_descriptor_alone);
	STAGED(stops_when_the_quota_is_spent);
	STAGED(pays_once_for_an_outage);
	STAGED(shows_pages_that_are_no_errors);
	STAGED(repeats_what_is_no_http_on_an_old_connection);
	STAGED(follows_no_redirect);
	STAGED(betrays_no_secret);
	STAGED(corrects_a_wrong_clock_once);
	STAGED(corrects_the_clock_of_all_attempts);
	STAGED(corrects_a_clock_that_steps);
	STAGED(knows_a_wrong_clock_by_the_date);
}

int
main(void)
{
	return run_with_service("client", run_tests);
}

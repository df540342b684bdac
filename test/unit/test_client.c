/*
 * test_client.c
 *		The client against a scripted service on this machine.
 *
 * The service (fake_service.py) does what the request document requires, so
 * each test shows both sides of an exchange.  The service ends when the pipe to
 * it is closed.  Name resolution is replaced here by one that can be slow: the
 * executable's getaddrinfo is the one libcurl finds.
 */
#define _GNU_SOURCE				/* RTLD_NEXT */

#include "harness.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <locale.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include "aws/client.h"
#include "aws/provider.h"
#include "aws/retry.h"
#include "aws/loop.h"
#include "end_client.h"
#include "service_process.h"
#include "waiting.h"

#define SLOW_HOST	"slow.invalid"
#define SLOW_S		3

static char access_key_id[] = "AKIDEXAMPLE";
static char secret[] = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
static char token[] = "TOKENTOKEN/0123456789+abcdefghijklmnopqrstuvwxyz==";
static DynProvider provider = {
	.current = {access_key_id, secret, token, 0}
};

static DynClient *client;
static DynService service;
static DynClock service_clock;
static DynRetryQuota quota;

/* ---- the stage -------------------------------------------------------- */

/* One literal address; the slow host takes its time and is not found. */
int
getaddrinfo(const char *node, const char *port,
			const struct addrinfo *hints, struct addrinfo **result)
{
	struct
	{
		struct addrinfo info;
		struct sockaddr_in address;
	}		   *found;

	(void) hints;
	if (strcmp(node, SLOW_HOST) == 0)
		sleep(SLOW_S);
	found = calloc(1, sizeof(*found));
	if (found == NULL ||
		inet_pton(AF_INET, node, &found->address.sin_addr) != 1)
	{
		free(found);
		return EAI_NONAME;
	}
	found->address.sin_family = AF_INET;
	found->address.sin_port = htons((uint16_t) atoi(port ? port : "0"));
	found->info.ai_family = AF_INET;
	found->info.ai_socktype = SOCK_STREAM;
	found->info.ai_addrlen = sizeof(found->address);
	found->info.ai_addr = (struct sockaddr *) &found->address;
	*result = &found->info;
	return 0;
}

void
freeaddrinfo(struct addrinfo *info)
{
	free(info);
}

/* The client's setting of the system's certificates, if any. */
static const char *system_file;
static const char *system_directory;

/* Which library libcurl uses for TLS; NULL: as it is. */
static const char *tls_library;

curl_version_info_data *
curl_version_info(CURLversion age)
{
	static curl_version_info_data info;
	curl_version_info_data *(*real) (CURLversion);

	*(void **) &real = dlsym(RTLD_NEXT, "curl_version_info");
	info.age = age;
	info.cainfo = system_file;
	info.capath = system_directory;
	info.ssl_version = tls_library ? tls_library : real(age)->ssl_version;
	return &info;
}

/* Files of certificates that libcurl has read. */
static int	files_read;

int
X509_STORE_load_file(X509_STORE *store, const char *path)
{
	int			(*real) (X509_STORE *, const char *);

	*(void **) &real = dlsym(RTLD_NEXT, "X509_STORE_load_file");
	files_read++;
	return real(store, path);
}

/* Has libcurl an OpenSSL of its own?  Its objects show that. */
static bool foreign_openssl;

const SSL_METHOD *
SSL_CTX_get_ssl_method(const SSL_CTX *context)
{
	const SSL_METHOD *(*real) (const SSL_CTX *);

	*(void **) &real = dlsym(RTLD_NEXT, "SSL_CTX_get_ssl_method");
	return foreign_openssl ? NULL : real(context);
}

/* The store that was given to libcurl last. */
static X509_STORE *given_store;

void
SSL_CTX_set1_cert_store(SSL_CTX *context, X509_STORE *store)
{
	void		(*real) (SSL_CTX *, X509_STORE *);

	*(void **) &real = dlsym(RTLD_NEXT, "SSL_CTX_set1_cert_store");
	given_store = store;
	real(context, store);
}

static double
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec * 1000.0 + (double) now.tv_nsec / 1e6;
}

/* Fresh settings for each test; what was learned is forgotten. */
static void
set_stage(void)
{
	memset(&service, 0, sizeof(service));
	memset(&service_clock, 0, sizeof(service_clock));
	memset(&quota, 0, sizeof(quota));
	service.clock = &service_clock;
	service.url = url;
	service.host = host;
	service.region = "us-east-1";
	service.signing_name = "dynamodb";
	service.target_prefix = "DynamoDB_20120810.";
	service.provider = &provider;
	service.connect_timeout_ms = 5000;
	service.request_timeout_ms = 10000;
	service.max_attempts = 4;
	service.max_response = 1 << 20;
}

static void
start(DynCall *call, const char *script)
{
	DynBuffer  *body = dyn_call_body(call);

	dyn_buffer_reset(body);
	dyn_buffer_printf(body, "{\"do\": [%s]}", script);
	dyn_call_start(call, &service, &quota, "Query");
}

/* Waits with a hang bound. */
static void
finish(DynCall *call)
{
	double		deadline = now_ms() + 30000;

	while ((call->state != DYN_CALL_DONE || !dyn_call_unpack(call)) &&
		   now_ms() < deadline)
		dyn_client_wait(client, wait_readable, NULL, 5000);
	CHECK(call->state == DYN_CALL_DONE);
}

static DynCall *
run(const char *script)
{
	DynCall    *call = dyn_call_create(client);

	start(call, script);
	finish(call);
	return call;
}

static void
check_body(DynCall *call, const char *wanted)
{
	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK_EQ_STR(dyn_buffer_terminate(&call->response), wanted);
}

/* Runs a script that must fail in this way after that many attempts. */
static void
check_failure(const char *script, DynFailure failure, int attempts)
{
	DynCall    *call = run(script);

	CHECK_EQ_INT(call->failure, failure);
	CHECK_EQ_INT(call->attempts, attempts);
	dyn_call_destroy(call);
}

/* Runs a script that must respond "{}" after that many attempts. */
static void
check_success(const char *script, int attempts)
{
	DynCall    *call = run(script);

	check_body(call, "{}");
	CHECK_EQ_INT(call->attempts, attempts);
	dyn_call_destroy(call);
}

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

static void
turn_for(int ms)
{
	double		deadline = now_ms() + ms;

	while (now_ms() < deadline)
		dyn_client_wait(client, wait_readable, NULL, 10);
}

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

/* ---- connecting ------------------------------------------------------- */

static void
refuses_link_local_addresses(void)
{
	service.url = "http://169.254.169.254/";
	check_failure("\"echo\"", DYN_FAIL_ADDRESS, 1);
	service.url = "http://[fe80::1]/";
	check_failure("\"echo\"", DYN_FAIL_ADDRESS, 1);
	service.url = "http://[::ffff:169.254.169.254]/";
	check_failure("\"echo\"", DYN_FAIL_ADDRESS, 1);
	service.url = "http://[fd00:ec2::254]/";
	check_failure("\"echo\"", DYN_FAIL_ADDRESS, 1);
}

static void
gives_up_a_closed_port(void)
{
	struct sockaddr_in address = {0};
	socklen_t	len = sizeof(address);
	int			fd = socket(AF_INET, SOCK_STREAM, 0);
	char		closed[64];

	/* bound, but not listening: no other program gets this port */
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(bind(fd, (struct sockaddr *) &address, len) == 0);
	CHECK(getsockname(fd, (struct sockaddr *) &address, &len) == 0);
	snprintf(closed, sizeof(closed), "http://127.0.0.1:%d/",
			 ntohs(address.sin_port));
	service.url = closed;
	service.max_attempts = 2;
	check_failure("\"echo\"", DYN_FAIL_CONNECT, 2);
	close(fd);
}

static void
names_bad_settings(void)
{
	service.url = "ftp://127.0.0.1/";
	check_failure("\"echo\"", DYN_FAIL_CONFIG, 1);
	service.url = "http://";
	check_failure("\"echo\"", DYN_FAIL_CONFIG, 1);
	service.url = "http://nowhere.invalid/";
	service.max_attempts = 1;
	check_failure("\"echo\"", DYN_FAIL_DNS, 1);
}

static void
ignores_the_proxy_of_the_environment(void)
{
	DynCall    *call;

	setenv("http_proxy", "http://127.0.0.1:1/", 1);
	setenv("all_proxy", "http://127.0.0.1:1/", 1);
	call = run("\"bytes\", 3");
	check_body(call, "xxx");
	service.proxy = "http://127.0.0.1:1/";
	service.max_attempts = 1;
	setenv("no_proxy", "*", 1);
	start(call, "\"bytes\", 3");
	finish(call);
	CHECK_EQ_INT(call->failure, DYN_FAIL_CONNECT);
	unsetenv("http_proxy");
	unsetenv("all_proxy");
	unsetenv("no_proxy");
	dyn_call_destroy(call);
}

static void
trusts_known_certificates_only(void)
{
	DynCall    *call;

	if (tls_url[0] == '\0')
		SKIP("no openssl to make a certificate with");
	service.url = tls_url;
	check_failure("\"bytes\", 3", DYN_FAIL_TLS, 1);
	service.ca_bundle = ca_bundle;
	call = run("\"bytes\", 300000");
	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK_EQ_INT(call->response.len, 300000);
	dyn_call_destroy(call);
	service.ca_bundle = "/nonexistent";
	dyn_client_close_idle(client);
	check_failure("\"bytes\", 3", DYN_FAIL_CONFIG, 1);
	/* and the system's certificates are back afterwards */
	service.ca_bundle = NULL;
	check_failure("\"bytes\", 3", DYN_FAIL_TLS, 1);
}

/* A client that believes these to be the system's certificates. */
static void
check_system(const char *file, const char *directory, DynFailure failure)
{
	DynClient  *before = client;
	DynCall    *call;

	system_file = file;
	system_directory = directory;
	client = dyn_client_create(NULL);
	call = run("\"bytes\", 3");
	CHECK_EQ_INT(call->failure, failure);
	dyn_call_destroy(call);
	end_client(client);
	client = before;
	system_file = system_directory = NULL;
}

/* The certificate of the service as the only one of a CA directory. */
static bool
make_directory(char *directory, size_t size)
{
	char		command[1400];

	snprintf(directory, size, "%s.d", ca_bundle);
	snprintf(command, sizeof(command), "mkdir -p %s && cp %s %s/ca.pem && "
			 "openssl rehash %s >/dev/null 2>&1", directory, ca_bundle,
			 directory, directory);
	return system(command) == 0;
}

/* The CA directory counts only where there is no bundle. */
static void
reads_one_source_of_certificates(void)
{
	static const char *bundle = "/etc/ssl/certs/ca-certificates.crt";
	char		directory[300];

	if (tls_url[0] == '\0' || access(bundle, R_OK) != 0)
		SKIP("no openssl to make a certificate with, or no bundle");
	CHECK(make_directory(directory, sizeof(directory)));
	service.url = tls_url;
	service.max_attempts = 1;
	check_system(ca_bundle, "/nonexistent", DYN_FAIL_NONE);
	check_system(ca_bundle, NULL, DYN_FAIL_NONE);
	check_system(bundle, directory, DYN_FAIL_TLS);
	check_system("/nonexistent", directory, DYN_FAIL_NONE);
	check_system(NULL, directory, DYN_FAIL_NONE);
	/* a bundle that is there, but none of those */
	check_system(bundle, NULL, DYN_FAIL_TLS);
}

/* Another connection: is the file's certificate trusted? */
static void
check_file(const char *path, DynFailure failure)
{
	service.ca_bundle = path;
	service.max_attempts = 1;
	dyn_client_end_statement(client);
	check_failure("\"close_after\"", failure, 1);
}

/* Idle connections and sessions of one file are not those of another. */
static void
distinguishes_files(void)
{
	static const char *bundle = "/etc/ssl/certs/ca-certificates.crt";
	char		copies[12][300];
	char		command[4000];
	int			i;

	if (tls_url[0] == '\0' || access(bundle, R_OK) != 0)
		SKIP("no openssl to make a certificate with, or no bundle");
	service.url = tls_url;
	service.max_attempts = 1;
	service.ca_bundle = ca_bundle;
	check_failure("\"bytes\", 3", DYN_FAIL_NONE, 1);
	service.ca_bundle = bundle;
	check_failure("\"bytes\", 3", DYN_FAIL_TLS, 1);
	/* more files than are remembered */
	for (i = 0; i < 12; i++)
	{
		snprintf(copies[i], sizeof(copies[i]), "%s.%d", ca_bundle, i);
		snprintf(command, sizeof(command), "cp %s %s",
				 i % 2 ? bundle : ca_bundle, copies[i]);
		CHECK(system(command) == 0);
	}
	for (i = 0; i < 24; i++)
		check_file(copies[i % 12], i % 2 ? DYN_FAIL_TLS : DYN_FAIL_NONE);
	for (i = 0; i < 12; i++)
		unlink(copies[i]);
}

static void
note_end(void *arg)
{
	*(bool *) arg = true;
}

/* What a request of another kind ends with that trusts this file. */
static DynFailure
exchange_by(const char *path)
{
	DynExchangeLimits limits = {path, NULL, 5000, 10000};
	DynExchange *exchange = dyn_exchange_create("GET", tls_url,
												DYN_ADDRESS_ENDPOINT);
	DynFailure	failure;
	bool		ended = false;

	dyn_exchange_start(exchange, client, &limits, note_end, &ended);
	while (!ended)
		dyn_client_wait(client, wait_readable, NULL, 20000);
	failure = exchange->failure;
	dyn_exchange_destroy(exchange);
	return failure;
}

/* No call looks after the file. */
static void
exchanges_notice_other_certificates(void)
{
	static const char *bundle = "/etc/ssl/certs/ca-certificates.crt";
	char		copy[300];
	char		command[700];

	if (tls_url[0] == '\0' || access(bundle, R_OK) != 0)
		SKIP("no openssl to make a certificate with, or no bundle");
	snprintf(copy, sizeof(copy), "%s.copy", ca_bundle);
	snprintf(command, sizeof(command), "cp %s %s", ca_bundle, copy);
	CHECK(system(command) == 0);
	CHECK_EQ_INT(exchange_by(copy), DYN_FAIL_NONE);
	snprintf(command, sizeof(command), "cp %s %s", bundle, copy);
	CHECK(system(command) == 0);
	CHECK_EQ_INT(exchange_by(copy), DYN_FAIL_TLS);
	unlink(copy);
}

static bool
uses_openssl(void)
{
	return strncmp(curl_version_info(CURLVERSION_NOW)->ssl_version, "OpenSSL/3",
				   9) == 0;
}

/* Only files that OpenSSL cannot load are left to libcurl. */
static void
reads_files_of_certificates(void)
{
	char		trusted[300];
	char		command[700];
	int			before;

	if (tls_url[0] == '\0' || !uses_openssl())
		SKIP("no openssl to make a certificate with, or another libcurl");
	service.url = tls_url;
	before = files_read;
	check_file(ca_bundle, DYN_FAIL_NONE);
	check_file("/etc/ssl/certs/ca-certificates.crt", DYN_FAIL_TLS);
	CHECK_EQ_INT(files_read, before);
	/* libcurl's way to verify holds for it */
	CHECK(given_store != NULL && X509_VERIFY_PARAM_get_flags(
		  X509_STORE_get0_param(given_store)) & X509_V_FLAG_PARTIAL_CHAIN);
	snprintf(trusted, sizeof(trusted), "%s.trusted", ca_bundle);
	snprintf(command, sizeof(command), "openssl x509 -in %s -out %s -trustout "
			 "-addtrust serverAuth", ca_bundle, trusted);
	CHECK(system(command) == 0);
	check_file(trusted, DYN_FAIL_NONE);
	snprintf(command, sizeof(command), "openssl x509 -in %s -out %s -trustout "
			 "-addreject serverAuth", ca_bundle, trusted);
	CHECK(system(command) == 0);
	check_file(trusted, DYN_FAIL_TLS);
	CHECK_EQ_INT(files_read, before);
	snprintf(command, sizeof(command), "(cat %s; echo '-----BEGIN X509 CRL-----"
			 "') >%s", ca_bundle, trusted);
	CHECK(system(command) == 0);
	check_file(trusted, DYN_FAIL_CONFIG);
	CHECK(files_read > before);
}

/* The bundle of the system goes, and comes back. */
static void
notices_that_the_bundle_is_gone(void)
{
	static char bundle[300];
	char		command[700];
	DynClient  *before = client;

	if (tls_url[0] == '\0')
		SKIP("no openssl to make a certificate with");
	service.url = tls_url;
	snprintf(bundle, sizeof(bundle), "%s.system", ca_bundle);
	snprintf(command, sizeof(command), "cp %s %s", ca_bundle, bundle);
	CHECK(system(command) == 0);
	system_file = bundle;
	client = dyn_client_create(NULL);
	check_file(NULL, DYN_FAIL_NONE);
	unlink(bundle);
	check_file(NULL, DYN_FAIL_TLS);
	CHECK(system(command) == 0);
	check_file(NULL, DYN_FAIL_NONE);
	end_client(client);
	client = before;
	system_file = NULL;
	unlink(bundle);
}

/* Then libcurl reads all files; so this test must be the last of them. */
static void
leaves_files_to_a_libcurl_with_its_own_openssl(void)
{
	int			before = files_read;

	if (tls_url[0] == '\0' || !uses_openssl())
		SKIP("no openssl to make a certificate with, or another libcurl");
	service.url = tls_url;
	service.ca_bundle = ca_bundle;
	dyn_client_close_idle(client);
	foreign_openssl = true;
	check_failure("\"bytes\", 3", DYN_FAIL_NONE, 2);
	CHECK(files_read > before);
	foreign_openssl = false;
	check_failure("\"bytes\", 3", DYN_FAIL_NONE, 1);
}

/* ---- sessions --------------------------------------------------------- */

/* A request on a connection of its own; did that resume a session? */
static bool
resumes(void)
{
	DynCall    *call;
	bool		resumed;

	/* as when the peer had closed it */
	dyn_client_end_statement(client);
	call = run("\"echo\"");
	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK(strstr(call->response.data, "\"served\": 1") != NULL);
	resumed = strstr(call->response.data, "\"resumed\": true") != NULL;
	dyn_call_destroy(call);
	dyn_client_end_statement(client);
	return resumed;
}

static void
resumes_sessions(void)
{
	char		other[300];
	char		command[700];

	if (tls_url[0] == '\0')
		SKIP("no openssl to make a certificate with");
	service.url = tls_url;
	service.ca_bundle = ca_bundle;
	CHECK(!resumes());
	CHECK(resumes());
	CHECK(resumes());
	/* not after a request to forget everything */
	dyn_client_close_idle(client);
	CHECK(!resumes());
	CHECK(resumes());
	/* not what was verified with another file */
	snprintf(other, sizeof(other), "%s.other", ca_bundle);
	snprintf(command, sizeof(command), "cp %s %s", ca_bundle, other);
	CHECK(system(command) == 0);
	service.ca_bundle = other;
	CHECK(!resumes());
	CHECK(resumes());
	/* nor with a former state of the file */
	snprintf(command, sizeof(command), "echo >>%s", other);
	CHECK(system(command) == 0);
	CHECK(!resumes());
	CHECK(resumes());
	snprintf(command, sizeof(command), "echo >%s", other);
	CHECK(system(command) == 0);
	service.max_attempts = 1;
	check_failure("\"bytes\", 3", DYN_FAIL_CONFIG, 1);
	service.ca_bundle = NULL;
	check_failure("\"bytes\", 3", DYN_FAIL_TLS, 1);
}

/* ---- growth ----------------------------------------------------------- */

/* One idle connection over TLS; returns how many were opened so far. */
static uint64_t
warm_up(void)
{
	service.url = tls_url;
	service.ca_bundle = ca_bundle;
	dyn_client_close_idle(client);
	check_success("\"no_crc\"", 1);
	return connections_of(client);
}

static DynCall *
start_another(const char *script)
{
	DynCall    *call = dyn_call_create(client);

	start(call, script);
	return call;
}

static void
finish_all(DynCall **calls, int n)
{
	int			i;

	for (i = 0; i < n; i++)
	{
		finish(calls[i]);
		CHECK_EQ_INT(calls[i]->failure, DYN_FAIL_NONE);
		dyn_call_destroy(calls[i]);
	}
}

/* Starts a request while the response to another is there, but not yet read. */
static bool
waits_for_the_other(void)
{
	uint64_t	before = connections_of(client);
	DynCall    *calls[2];
	bool		waited;

	calls[0] = start_another("\"no_crc\"");
	usleep(100 * 1000);
	calls[1] = start_another("\"no_crc\"");
	waited = calls[1]->attempts == 0;
	finish_all(calls, 2);
	return waited && connections_of(client) == before;
}

/* It waits for a millisecond at least, which may pass without us. */
static void
waits_for_a_connection_in_use(void)
{
	int			tries = 0;

	if (tls_url[0] == '\0')
		SKIP("no openssl to make a certificate with");
	(void) warm_up();
	while (tries++ < 20 && !waits_for_the_other())
		continue;
	CHECK(tries <= 20);
}

/* All are sent soon, the idle connections are used, and no request waits for one. */
static void
makes_connections_as_demanded(void)
{
	DynCall    *calls[4];
	uint64_t	before;
	int			made;
	int			i;

	if (tls_url[0] == '\0')
		SKIP("no openssl to make a certificate with");
	before = warm_up();
	for (i = 0; i < 4; i++)
		calls[i] = start_another("\"slow\", 0.5");
	CHECK_EQ_INT(calls[0]->attempts, 1);
	finish(calls[0]);
	for (i = 0; i < 4; i++)
		CHECK_EQ_INT(calls[i]->attempts, 1);
	finish_all(calls, 4);
	made = (int) (connections_of(client) - before);
	CHECK(made >= 1 && made <= 4);
	for (i = 0; i < made; i++)
	{
		calls[i] = start_another("\"slow\", 0.1");
		CHECK_EQ_INT(calls[i]->attempts, 1);
	}
	finish_all(calls, made);
}

/* Calls that wait for a connection can be ended like others. */
static void
is_destroyed_while_waiting(void)
{
	DynCall    *calls[2];

	if (tls_url[0] == '\0')
		SKIP("no openssl to make a certificate with");
	(void) warm_up();
	calls[0] = start_another("\"slow\", 0.2");
	calls[1] = start_another("\"slow\", 0.2");
	CHECK_EQ_INT(calls[1]->state, DYN_CALL_BACKOFF);
	dyn_call_destroy(calls[1]);
	finish_all(calls, 1);
}

/*
 * A port that completes as many connections as given, and never replies; the
 * others are not completed.
 */
static int
listen_with_space(int *waiting, int nwaiting)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t	len = sizeof(address);
	int			fd = socket(AF_INET, SOCK_STREAM, 0);
	static char crowded[64];
	int			i;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(bind(fd, (struct sockaddr *) &address, len) == 0);
	CHECK(listen(fd, 0) == 0);
	CHECK(getsockname(fd, (struct sockaddr *) &address, &len) == 0);
	for (i = 0; i < nwaiting; i++)
	{
		waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void) connect(waiting[i], (struct sockaddr *) &address, len);
	}
	snprintf(crowded, sizeof(crowded), "https://127.0.0.1:%d/",
			 ntohs(address.sin_port));
	service.url = crowded;
	return fd;
}

static void
destroy_all(DynCall **calls, int n)
{
	int			i;

	for (i = 0; i < n; i++)
		dyn_call_destroy(calls[i]);
}

/* The others wait for it, but not for long. */
static void
makes_the_first_connection_alone(void)
{
	int			waiting[4];
	int			listener = listen_with_space(waiting, 4);
	uint64_t	before = connections_of(client);
	double		began = now_ms();
	DynCall    *calls[4];
	uint64_t	made;
	int			i;

	for (i = 0; i < 4; i++)
		calls[i] = start_another("\"no_crc\"");
	turn_for(50);
	made = connections_of(client) - before;
	if (now_ms() - began < 150)
		CHECK_EQ_INT(made, 1);
	while (connections_of(client) - before < 4 &&
		   now_ms() - began < 5000)
		turn_for(10);
	CHECK_EQ_INT(connections_of(client) - before, 4);
	destroy_all(calls, 4);
	for (i = 0; i < 4; i++)
		close(waiting[i]);
	close(listener);
}

/*
 * When it stands, the others do not wait for each other: the second would make
 * them, as it does not come to stand here.
 */
static void
makes_the_others_together(void)
{
	int			listener = listen_with_space(NULL, 0);
	uint64_t	before = connections_of(client);
	double		began = now_ms();
	DynCall    *calls[6];
	uint64_t	made;
	int			i;

	for (i = 0; i < 6; i++)
		calls[i] = start_another("\"no_crc\"");
	while ((made = connections_of(client) - before) == 1 &&
		   now_ms() - began < 5000)
		dyn_client_wait(client, wait_readable, NULL, 10);
	CHECK_EQ_INT(made, 6);
	destroy_all(calls, 6);
	close(listener);
}

/* ---- time ------------------------------------------------------------- */

static void
gives_up_in_time(void)
{
	service.request_timeout_ms = 200;
	service.max_attempts = 2;
	check_failure("\"slow\", 5", DYN_FAIL_TIMEOUT, 2);
	service.max_attempts = 1;
	check_failure("\"trickle\", 5", DYN_FAIL_TIMEOUT, 1);
}

/*
 * Its time stands still while the client is not driven, and the response that
 * has arrived is read.
 */
static void
counts_no_attempt_that_was_left_alone(void)
{
	struct timespec moment = {1, 500 * 1000 * 1000};
	DynCall    *call = dyn_call_create(client);
	int			i;

	service.request_timeout_ms = 1000;
	service.max_attempts = 1;
	start(call, "\"slow\", 0.3");
	for (i = 0; i < 2; i++)
	{
		nanosleep(&moment, NULL);
		dyn_client_drive(client);
	}
	CHECK(call->state == DYN_CALL_DONE);
	finish(call);
	check_body(call, "{}");
	CHECK_EQ_INT(call->attempts, 1);
	/* a peer that did not wait, either */
	start(call, "\"part\", \"p4\", 400000, 0.1");
	turn_for(50);
	nanosleep(&moment, NULL);
	finish(call);
	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK_EQ_INT(call->attempts, 2);
	/* the Date of a response that was read late is old */
	start(call, "\"skew\", -3600, \"UnrecognizedClientException\", \"\"");
	nanosleep(&moment, NULL);
	for (i = 0; i < 100 && call->attempts == 1; i++)
		dyn_client_wait(client, wait_readable, NULL, 100);
	CHECK(call->attempts == 2 && service_clock.offset == 0);
	finish(call);
	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK_EQ_INT(call->attempts, 3);
	dyn_call_destroy(call);
	service.request_timeout_ms = 200;
	check_failure("\"slow\", 5", DYN_FAIL_TIMEOUT, 1);
}

static void
is_destroyed_at_any_moment(void)
{
	static const char *const scripts[] = {
		"\"slow\", 5", "\"trickle\", 5", "\"throttle\", \"m\", 9, 4000"
	};
	double		begun = now_ms();
	DynCall    *call;
	size_t		i;

	dyn_call_destroy(dyn_call_create(client));
	for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
	{
		call = dyn_call_create(client);
		start(call, scripts[i]);
		if (i > 0)
			turn_for(100);
		CHECK(call->state == (i < 2 ? DYN_CALL_SENT : DYN_CALL_BACKOFF));
		dyn_call_destroy(call);
	}
	CHECK(now_ms() - begun < 2000);
	dyn_client_close_idle(client);
	CHECK_EQ_INT(dyn_client_open_fds(client), 2);
}

static void
does_not_wait_for_a_slow_resolver(void)
{
	double		begun = now_ms();
	DynCall    *call = dyn_call_create(client);

	service.url = "http://" SLOW_HOST "/";
	start(call, "\"echo\"");
	turn_for(50);
	CHECK(call->state == DYN_CALL_SENT);
	dyn_call_destroy(call);
	service.request_timeout_ms = 200;
	service.connect_timeout_ms = 200;
	service.max_attempts = 1;
	call = run("\"echo\"");
	CHECK_EQ_INT(call->failure, DYN_FAIL_TIMEOUT);
	CHECK(strstr(call->message, "the host name was not resolved in time"));
	dyn_call_destroy(call);
	dyn_client_close_idle(client);
	CHECK(now_ms() - begun < 2000);
	set_stage();
	service.connect_timeout_ms = 200;
	service.max_attempts = 1;
	service.request_timeout_ms = 300;
	call = run("\"slow\", 5");
	CHECK_EQ_INT(call->failure, DYN_FAIL_TIMEOUT);
	CHECK(strstr(call->message, "timed out"));
	dyn_call_destroy(call);
}

/* Signals are blocked only while libcurl runs. */
static void
keeps_the_signal_mask(void)
{
	sigset_t	mask;
	int			blocked = 0;
	int			i;

	dyn_call_destroy(run("\"bytes\", 1"));
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (i = 1; i < SIGRTMIN; i++)
		blocked += sigismember(&mask, i) == 1;
	CHECK_EQ_INT(blocked, 0);
}

/* ---- */

static void
check_it(const char *name, void (*test) (void))
{
	set_stage();
	harness_run(name, test);
}

#define STAGED(test) check_it(#test, test)

/* The same with a libcurl that reads the files. */
static void
check_left(const char *name, void (*test) (void))
{
	char		left[100];

	snprintf(left, sizeof(left), "%s_left_to_libcurl", name);
	tls_library = "another/1.0";
	dyn_client_close_idle(client);
	check_it(left, test);
	tls_library = NULL;
	dyn_client_close_idle(client);
}

#define LEFT(test) check_left(#test, test)

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
	STAGED(refuses_link_local_addresses);
	STAGED(gives_up_a_closed_port);
	STAGED(names_bad_settings);
	STAGED(ignores_the_proxy_of_the_environment);
	STAGED(trusts_known_certificates_only);
	STAGED(reads_one_source_of_certificates);
	STAGED(distinguishes_files);
	STAGED(exchanges_notice_other_certificates);
	STAGED(reads_files_of_certificates);
	STAGED(notices_that_the_bundle_is_gone);
	STAGED(resumes_sessions);
	LEFT(trusts_known_certificates_only);
	LEFT(reads_one_source_of_certificates);
	LEFT(distinguishes_files);
	LEFT(notices_that_the_bundle_is_gone);
	LEFT(resumes_sessions);
	STAGED(waits_for_a_connection_in_use);
	STAGED(makes_connections_as_demanded);
	STAGED(is_destroyed_while_waiting);
	STAGED(makes_the_first_connection_alone);
	STAGED(makes_the_others_together);
	STAGED(gives_up_in_time);
	STAGED(counts_no_attempt_that_was_left_alone);
	STAGED(is_destroyed_at_any_moment);
	STAGED(does_not_wait_for_a_slow_resolver);
	STAGED(keeps_the_signal_mask);
	STAGED(leaves_files_to_a_libcurl_with_its_own_openssl);
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
	client = dyn_client_create(NULL);
	run_tests();
	end_client(client);
	/* Threads left resolving must be gone before leaks are counted. */
	sleep(SLOW_S);
	close(keep_open);
	waitpid(pid, NULL, 0);
	return DONE("client");
}

/*
 * test_connections.c
 *		The client's connections against a scripted service.
 */
#include "client_stage.h"

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

/* The address of a host that has moved is not tried again. */
static void
looks_up_a_host_that_has_moved(void)
{
	char		moved[64];

	snprintf(moved, sizeof(moved), "http://" MOVED_HOST "%s", strrchr(url, ':'));
	service.url = moved;
	service.max_attempts = 2;
	check_success("\"no_crc\"", 2);
	CHECK_EQ_INT(moved_lookups, 2);
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
 * has arrived is read.  What was left alone once stays so until its attempt
 * ends.  The service's delays keep a response from arriving within the call
 * that sends the request, where it would be read at once.
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
	for (i = 0; i < 20 && call->state != DYN_CALL_DONE; i++)
	{
		nanosleep(&moment, NULL);
		dyn_client_drive(client);
	}
	CHECK(call->state == DYN_CALL_DONE);
	finish(call);
	check_body(call, "{}");
	CHECK_EQ_INT(call->attempts, 1);
	/* a peer that did not wait, either */
	service.request_timeout_ms = 10000;
	start(call, "\"part\", \"p4\", 400000, 0.1");
	nanosleep(&moment, NULL);
	finish(call);
	CHECK_EQ_INT(call->failure, DYN_FAIL_NONE);
	CHECK_EQ_INT(call->attempts, 2);
	/* the Date of a response that was read late is old: the next one's counts */
	start(call, "\"skew\", -3600, \"UnrecognizedClientException\", \"\", 0.5");
	nanosleep(&moment, NULL);
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
		while (i == 2 && call->state == DYN_CALL_SENT && now_ms() - begun < 1900)
			turn_for(10);
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
	STAGED(refuses_link_local_addresses);
	STAGED(gives_up_a_closed_port);
	STAGED(looks_up_a_host_that_has_moved);
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
	return run_with_service("connections", run_tests);
}

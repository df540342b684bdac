/*
 * test_source.c
 *		Every source of credentials, against fake services on this machine.
 *
 * The services (test/server/identity.py) end when the pipe to them is closed.
 * The request determines their response.
 */
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "aws/client.h"
#include "aws/loop.h"
#include "credentials/source.h"
#include "end_client.h"
#include "waiting.h"

#define ROLE	"arn:aws:iam::123456789012:role/"

static char url[64];
static char directory[] = "/tmp/dyn_source_XXXXXX";
static DynClient *client;
static DynProvider provider;
static DynSourceOptions spec;

/* ---- the stage -------------------------------------------------------- */

static const char *const variables[] = {
	"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
	"AWS_SECURITY_TOKEN", "AWS_CREDENTIAL_EXPIRATION", "AWS_PROFILE",
	"AWS_DEFAULT_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN",
	"AWS_ROLE_SESSION_NAME", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
	"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN",
	"AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_EC2_METADATA_DISABLED",
	"AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL_SSO"
};

static const char *
path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void
write_file(const char *name, const char *text)
{
	FILE	   *file = fopen(path_of(name), "w");

	CHECK(file != NULL && fputs(text, file) >= 0);
	if (file)
		fclose(file);
}

/* No variable is set, no file is there, and the instance is our service. */
static void
set_stage(DynSourceKind kind)
{
	size_t		i;

	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
	unlink(path_of("config"));
	unlink(path_of("credentials"));
	setenv("AWS_CONFIG_FILE", path_of("config"), 1);
	setenv("AWS_SHARED_CREDENTIALS_FILE", path_of("credentials"), 1);
	setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url, 1);
	dyn_provider_clear(&provider);
	memset(&spec, 0, sizeof(spec));
	spec.kind = kind;
	spec.region = strdup("eu-west-1");
	spec.sts_endpoint_url = strdup(url);
	spec.connect_timeout_ms = 2000;
	spec.request_timeout_ms = 5000;
}

static void
set_keys(void)
{
	const char *bad;

	CHECK(dyn_credentials_set(&spec.keys, "AKIDSTATIC", "static secret", NULL,
							  &bad));
}

static void
set_url(const char *variable, const char *path)
{
	char		value[128];

	snprintf(value, sizeof(value), "%s%s", url, path);
	setenv(variable, value, 1);
}

static DynReadiness
request(void)
{
	return dyn_provider_request(&provider, client);
}

/* Waits with a hang bound. */
static DynReadiness
obtain(void)
{
	int64_t		deadline = dyn_loop_now_us() + 30000000;
	DynReadiness readiness = request();

	while (readiness == DYN_CREDENTIALS_AWAITED &&
		   dyn_loop_now_us() < deadline)
	{
		dyn_client_wait(client, wait_readable, NULL, 5000);
		readiness = request();
	}
	return readiness;
}

/* Obtains them, and checks that they are of our services. */
static void
expect_key(const char *words)
{
	CHECK(dyn_source_open(&provider, &spec));
	if (!CHECK(obtain() == DYN_CREDENTIALS_READY))
	{
		printf("#   %s (%s)\n", dyn_provider_error(&provider)->message, dyn_provider_error(&provider)->hint);
		return;
	}
	CHECK(strncmp(provider.current.access_key_id, "ASIA", 4) == 0);
	CHECK(strncmp(provider.current.secret_access_key, "secret of ", 10) == 0);
	CHECK(strncmp(provider.current.session_token, "token of ", 9) == 0);
	CHECK(provider.current.expires > (int64_t) time(NULL));
	CHECK_EQ_STR(dyn_describe_source(&provider), words);
}

static void
expect_error(const char *part)
{
	CHECK(dyn_source_open(&provider, &spec));
	CHECK(obtain() == DYN_CREDENTIALS_FAILED);
	if (!CHECK(strstr(dyn_provider_error(&provider)->message, part) != NULL))
		printf("#   %s\n", dyn_provider_error(&provider)->message);
	CHECK(strstr(dyn_provider_error(&provider)->message, "secret of") == NULL);
}

static int
count_descriptors(void)
{
	DIR		   *listing = opendir("/proc/self/fd");
	int			n = 0;

	while (readdir(listing) != NULL)
		n++;
	closedir(listing);
	return n;
}

/* ---- sources ---------------------------------------------------------- */

static void
static_keys_need_no_source(void)
{
	set_stage(DYN_SOURCE_STATIC);
	set_keys();
	CHECK(dyn_source_open(&provider, &spec));
	CHECK(request() == DYN_CREDENTIALS_READY);
	CHECK_EQ_STR(provider.current.access_key_id, "AKIDSTATIC");
	CHECK_EQ_STR(dyn_describe_source(&provider), "static keys");
}

static void
static_keys_assume_a_role(void)
{
	set_stage(DYN_SOURCE_STATIC);
	set_keys();
	spec.role.arn = strdup(ROLE "reader");
	expect_key("static keys, role " ROLE "reader");
}

static void
the_environment_is_read(void)
{
	set_stage(DYN_SOURCE_ENVIRONMENT);
	setenv("AWS_ACCESS_KEY_ID", "AKIDENV", 1);
	setenv("AWS_SECRET_ACCESS_KEY", "s", 1);
	CHECK(dyn_source_open(&provider, &spec));
	CHECK(request() == DYN_CREDENTIALS_READY);
	CHECK_EQ_STR(provider.current.access_key_id, "AKIDENV");
	CHECK(provider.current.expires == 0);
}

static void
containers_give_keys(void)
{
	set_stage(DYN_SOURCE_CONTAINER);
	set_url("AWS_CONTAINER_CREDENTIALS_FULL_URI", "task");
	setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "letmein", 1);
	expect_key("container");
}

static void
instances_give_keys(void)
{
	set_stage(DYN_SOURCE_INSTANCE);
	expect_key("instance");
}

static void
a_role_over_the_instance(void)
{
	set_stage(DYN_SOURCE_INSTANCE);
	spec.role.arn = strdup(ROLE "reader");
	expect_key("instance, role " ROLE "reader");
}

static void
profiles_chain_roles(void)
{
	set_stage(DYN_SOURCE_PROFILE);
	spec.profile = strdup("second");
	write_file("config",
			   "[profile first]\nrole_arn = " ROLE "one\n"
			   "credential_source = Ec2InstanceMetadata\n"
			   "[profile second]\nrole_arn = " ROLE "two\n"
			   "source_profile = first\n");
	expect_key("profile \"second\", role " ROLE "one, role " ROLE "two");
}

static void
programs_print_keys(void)
{
	set_stage(DYN_SOURCE_PROFILE);
	write_file("program", "#!/bin/sh\n"
			   "echo '{\"Version\": 1, \"AccessKeyId\": \"ASIAPROGRAM\",'\n"
			   "echo '\"SecretAccessKey\": \"secret of it\",'\n"
			   "echo '\"SessionToken\": \"token of it\",'\n"
			   "echo '\"Expiration\": \"2099-01-01T00:00:00Z\"}'\n");
	CHECK(chmod(path_of("program"), 0700) == 0);
	{
		char		text[256];

		snprintf(text, sizeof(text), "[default]\ncredential_process = %s\n",
				 path_of("program"));
		write_file("config", text);
	}
	expect_key("profile \"default\"");
}

static void
web_identities_give_keys(void)
{
	set_stage(DYN_SOURCE_WEB_IDENTITY);
	write_file("token", "a.b.c");
	setenv("AWS_WEB_IDENTITY_TOKEN_FILE", path_of("token"), 1);
	setenv("AWS_ROLE_ARN", ROLE "pod", 1);
	expect_key("web identity, role " ROLE "pod");
}

static void
default_takes_what_is_there(void)
{
	set_stage(DYN_SOURCE_DEFAULT);
	expect_key("instance");
	set_stage(DYN_SOURCE_DEFAULT);
	set_url("AWS_CONTAINER_CREDENTIALS_FULL_URI", "task");
	expect_key("container");
}

/* ---- failures --------------------------------------------------------- */

static void
short_troubles_pass(void)
{
	set_stage(DYN_SOURCE_CONTAINER);
	set_url("AWS_CONTAINER_CREDENTIALS_FULL_URI", "first-503");
	expect_key("container");
}

static void
lasting_ones_do_not(void)
{
	set_stage(DYN_SOURCE_CONTAINER);
	set_url("AWS_CONTAINER_CREDENTIALS_FULL_URI", "status-500");
	expect_error("500");
}

static void
replies_are_bounded(void)
{
	set_stage(DYN_SOURCE_CONTAINER);
	set_url("AWS_CONTAINER_CREDENTIALS_FULL_URI", "huge");
	expect_error("longer than allowed");
}

static void
redirects_are_not_followed(void)
{
	set_stage(DYN_SOURCE_CONTAINER);
	set_url("AWS_CONTAINER_CREDENTIALS_FULL_URI", "redirect");
	expect_error("307");
}

static void
expired_ones_are_refused(void)
{
	set_stage(DYN_SOURCE_CONTAINER);
	set_url("AWS_CONTAINER_CREDENTIALS_FULL_URI", "lifetime--60");
	expect_error(" UTC at their provider");
}

/*
 * A wrong clock is corrected by the reply, and the request signed again.  What
 * is obtained is valid until the time that its issuer gives.
 */
static void
clocks_are_corrected(void)
{
	static const char *const roles[] = {
		ROLE "ahead--34560000", ROLE "ahead--7200", ROLE "ahead-7200",
		ROLE "ahead-34560000"
	};
	size_t		i;

	for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
	{
		int64_t		ahead = atoll(strstr(roles[i], "ahead-") + 6);
		int64_t		left;

		set_stage(DYN_SOURCE_STATIC);
		set_keys();
		spec.role.arn = strdup(roles[i]);
		CHECK(dyn_source_open(&provider, &spec));
		CHECK(obtain() == DYN_CREDENTIALS_READY);
		CHECK_EQ_INT(provider.generation, 1);
		CHECK(llabs(provider.current.expires - ahead - 3600 -
					(int64_t) time(NULL)) < 60);
		left = provider.ends_at - dyn_loop_uptime_s();
		CHECK(left > 3600 - 60 && left <= 3600);
	}
}

/* A reply that was read late shows an old time: its source starts again. */
static void
late_replies_correct_no_clock(void)
{
	struct timespec moment = {0, 500 * 1000 * 1000};
	bool		rested = false;

	set_stage(DYN_SOURCE_STATIC);
	set_keys();
	spec.role.arn = strdup(ROLE "ahead--7200");
	CHECK(dyn_source_open(&provider, &spec));
	CHECK(request() == DYN_CREDENTIALS_AWAITED);
	nanosleep(&moment, NULL);
	for (int i = 0; i < 100 && !rested && provider.generation == 0; i++)
	{
		dyn_client_wait(client, wait_readable, NULL, 1000);
		rested = provider.client == NULL && provider.generation == 0;
	}
	CHECK(rested);
	CHECK(obtain() == DYN_CREDENTIALS_READY);
}

/* A service whose Date is not the clock that it judges by. */
static void
clocks_that_cannot_be_corrected_are_named(void)
{
	const DynError *err;

	set_stage(DYN_SOURCE_STATIC);
	set_keys();
	spec.role.arn = strdup(ROLE "never-ahead-7200");
	CHECK(dyn_source_open(&provider, &spec));
	CHECK(obtain() == DYN_CREDENTIALS_FAILED);
	err = dyn_provider_error(&provider);
	CHECK(strstr(err->message, "SignatureDoesNotMatch"));
	CHECK(strstr(err->hint, "The time is 20"));
	CHECK(strstr(err->hint, " UTC on this machine."));
}

static void
no_responses(void)
{
	set_stage(DYN_SOURCE_CONTAINER);
	setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:9/", 1);
	expect_error("onnect");
}

/* ---- stopping --------------------------------------------------------- */

static void
note(void *arg)
{
	*(bool *) arg = true;
}

/* Where it has grown, copies of secrets are left. */
static void
replies_do_not_grow(void)
{
	DynExchangeLimits limits = {NULL, NULL, 2000, 5000};
	int64_t		deadline = dyn_loop_now_us() + 30000000;
	bool		done = false;
	DynExchange *exchange = dyn_exchange_create("GET", url, DYN_ADDRESS_LOCAL);

	dyn_exchange_start(exchange, client, &limits, note, &done);
	while (!done && dyn_loop_now_us() < deadline)
		dyn_client_wait(client, wait_readable, NULL, 5000);
	CHECK(done && exchange->status == 200 && exchange->response.len > 0);
	CHECK_EQ_INT(exchange->response.cap, DYN_EXCHANGE_LONGEST + 1);
	dyn_exchange_destroy(exchange);
}

/* Each is stopped at another moment. */
static void
everything_is_released(void)
{
	int			before;
	int			i;

	set_stage(DYN_SOURCE_CONTAINER);
	set_url("AWS_CONTAINER_CREDENTIALS_FULL_URI", "hang");
	CHECK(dyn_source_open(&provider, &spec));
	CHECK(request() == DYN_CREDENTIALS_AWAITED);
	dyn_provider_rest(&provider);
	before = count_descriptors();
	for (i = 0; i < 1000; i++)
	{
		int			turns = i % 4;

		CHECK(request() == DYN_CREDENTIALS_AWAITED);
		while (turns-- > 0)
			dyn_client_wait(client, wait_readable, NULL, 1);
		dyn_provider_rest(&provider);
	}
	CHECK_EQ_INT(count_descriptors(), before);
}

static void
programs_are_killed(void)
{
	int			before = count_descriptors();
	int			i;
	int			status;

	set_stage(DYN_SOURCE_PROFILE);
	write_file("config", "[default]\ncredential_process = /bin/sleep 1000\n");
	CHECK(dyn_source_open(&provider, &spec));
	for (i = 0; i < 1000; i++)
	{
		CHECK(request() == DYN_CREDENTIALS_AWAITED);
		dyn_client_wait(client, wait_readable, NULL, 1);
		dyn_provider_rest(&provider);
	}
	CHECK_EQ_INT(count_descriptors(), before);
	CHECK_EQ_INT(waitpid(-1, &status, WNOHANG), 0);	/* the services only */
	dyn_provider_clear(&provider);
}

static void
refreshes_leave_nothing(void)
{
	int			before;
	int			i;

	set_stage(DYN_SOURCE_INSTANCE);
	CHECK(dyn_source_open(&provider, &spec));
	CHECK(obtain() == DYN_CREDENTIALS_READY);
	before = count_descriptors();
	for (i = 0; i < 1000; i++)
	{
		provider.obtained_us -= 60000000;	/* they have served */
		CHECK(dyn_provider_reject(&provider, provider.generation, NULL));
		CHECK(obtain() == DYN_CREDENTIALS_READY);
	}
	CHECK_EQ_INT(count_descriptors(), before);
	CHECK_EQ_INT(provider.generation, 1001);
}

/* ---- */

static void
remove_directory(void)
{
	static const char *const files[] = {
		"config", "credentials", "program", "token"
	};
	size_t		i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlink(path_of(files[i]));
	CHECK(rmdir(directory) == 0);
}

static bool
start_services(int *lifeline, pid_t *pid)
{
	int			in[2];
	int			out[2];
	char		line[32] = "";

	if (pipe(in) != 0 || pipe(out) != 0)
		return false;
	*pid = fork();
	if (*pid == 0)
	{
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		execlp("python3", "python3", "../server/identity.py", (char *) NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	*lifeline = in[1];
	fcntl(in[1], F_SETFD, FD_CLOEXEC);
	if (read(out[0], line, sizeof(line) - 1) <= 0)
		return false;
	close(out[0]);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/", atoi(line));
	return true;
}

/* A port of this machine that leaves requests for connections awaited. */
static int
open_silent_port(int *fds, int n)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t	len = sizeof(address);
	int			i;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	CHECK(bind(fds[0], (struct sockaddr *) &address, len) == 0 &&
		  listen(fds[0], 0) == 0 &&
		  getsockname(fds[0], (struct sockaddr *) &address, &len) == 0);
	for (i = 1; i < n; i++)
	{
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void) connect(fds[i], (struct sockaddr *) &address, len);
	}
	return ntohs(address.sin_port);
}

/* No call was there ever, and the network reports nothing; the time is kept. */
static void
time_runs_for_a_source_alone(void)
{
	DynClient  *others = client;
	int			fds[4];
	char		silent[64];
	size_t		i;

	set_stage(DYN_SOURCE_CONTAINER);
	snprintf(silent, sizeof(silent), "http://127.0.0.1:%d/",
			 open_silent_port(fds, 4));
	setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", silent, 1);
	CHECK(dyn_source_open(&provider, &spec));
	client = dyn_client_create(NULL);
	CHECK(request() == DYN_CREDENTIALS_AWAITED);
	CHECK(dyn_client_wait(client, wait_readable, NULL, 5000) ==
		  DYN_WAIT_READY);
	dyn_provider_clear(&provider);
	end_client(client);
	client = others;
	for (i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		close(fds[i]);
}

int
main(void)
{
	int			lifeline;
	pid_t		pid;

	signal(SIGPIPE, SIG_IGN);
	if (!start_services(&lifeline, &pid) || mkdtemp(directory) == NULL)
		return 1;
	client = dyn_client_create(NULL);
	RUN(static_keys_need_no_source);
	RUN(static_keys_assume_a_role);
	RUN(the_environment_is_read);
	RUN(containers_give_keys);
	RUN(instances_give_keys);
	RUN(a_role_over_the_instance);
	RUN(profiles_chain_roles);
	RUN(programs_print_keys);
	RUN(web_identities_give_keys);
	RUN(default_takes_what_is_there);
	RUN(short_troubles_pass);
	RUN(lasting_ones_do_not);
	RUN(replies_are_bounded);
	RUN(redirects_are_not_followed);
	RUN(expired_ones_are_refused);
	RUN(clocks_are_corrected);
	RUN(late_replies_correct_no_clock);
	RUN(clocks_that_cannot_be_corrected_are_named);
	RUN(no_responses);
	RUN(replies_do_not_grow);
	RUN(everything_is_released);
	RUN(programs_are_killed);
	RUN(refreshes_leave_nothing);
	RUN(time_runs_for_a_source_alone);
	set_stage(DYN_SOURCE_STATIC);
	dyn_source_options_clear(&spec);
	end_client(client);
	remove_directory();
	close(lifeline);
	waitpid(pid, NULL, 0);
	return DONE("source");
}

/*
 * client_stage.h
 *		A scripted service on this machine, and a client, for tests of the client.
 *
 * The service (fake_service.py) does what the request document requires, so
 * each test shows both sides of an exchange.  The service ends when the pipe to
 * it is closed.  Name resolution is replaced here by one that can be slow: the
 * executable's getaddrinfo is the one libcurl finds.
 */
#ifndef DYN_TEST_CLIENT_STAGE_H
#define DYN_TEST_CLIENT_STAGE_H

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
#define MOVED_HOST	"moved.invalid"

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

/* How often the moved host was looked up. */
static int	moved_lookups;

/*
 * One literal IPv4 address; the slow host takes its time and is not found.  The
 * moved host is first found where nothing listens.
 */
int
getaddrinfo(const char *node, const char *port,
			const struct addrinfo *hints, struct addrinfo **result)
{
	struct
	{
		struct addrinfo info;
		struct sockaddr_in address;
	}		   *found;

	/* newer versions of libcurl look up both families, one after the other */
	if (hints != NULL && hints->ai_family == AF_INET6)
		return EAI_NONAME;
	if (strcmp(node, SLOW_HOST) == 0)
		sleep(SLOW_S);
	if (strcmp(node, MOVED_HOST) == 0)
		node = moved_lookups++ > 0 ? "127.0.0.1" : "127.0.0.2";
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

static inline void
turn_for(int ms)
{
	double		deadline = now_ms() + ms;

	while (now_ms() < deadline)
		dyn_client_wait(client, wait_readable, NULL, 10);
}

/* ---- running ---------------------------------------------------------- */

static void
check_it(const char *name, void (*test) (void))
{
	set_stage();
	harness_run(name, test);
}

#define STAGED(test) check_it(#test, test)

/*
 * Runs the tests of a program with a service and a client of its own; returns
 * the exit status.
 */
static inline int
run_with_service(const char *name, void (*run_tests) (void))
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
	return DONE(name);
}

#endif

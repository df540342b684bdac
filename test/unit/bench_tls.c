/*
 * bench_tls.c
 *		CPU time of the first connections of a session over TLS.
 *
 * usage: bench_tls URL CA_FILE COUNT
 *
 * Sends one request, then COUNT at once, through a new client, and prints
 * the CPU milliseconds of each, the elapsed ones, and how many connections
 * were made.  CA_FILE "-" stands for the certificates of the system.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "aws/client.h"
#include "aws/provider.h"
#include "aws/retry.h"
#include "end_client.h"
#include "waiting.h"

#define MOST_CALLS	100

static char name[] = "AKIDEXAMPLE";
static char secret[] = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
static DynProvider provider = {.current = {name, secret, NULL, 0}};
static DynClock service_clock;
static DynService service = {
	.clock = &service_clock,
	.host = "localhost",
	.region = "us-east-1",
	.signing_name = "dynamodb",
	.target_prefix = "DynamoDB_20120810.",
	.provider = &provider,
	.connect_timeout_ms = 5000,
	.request_timeout_ms = 10000,
	.max_attempts = 1,
	.max_response = 1 << 20
};
static DynRetryQuota quota;

static double
now_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double) now.tv_sec * 1000.0 + (double) now.tv_nsec / 1e6;
}

/* Sends that many requests at once, and prints what it took. */
static void
measure(DynClient *client, int n)
{
	DynCall    *calls[MOST_CALLS];
	double		cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID);
	double		began = now_ms(CLOCK_MONOTONIC);
	int			failed = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		calls[i] = dyn_call_create(client);
		dyn_buffer_printf(dyn_call_body(calls[i]),
						  "{\"do\": [\"slow\", 0.1]}");
		dyn_call_start(calls[i], &service, &quota, "Query");
	}
	for (i = 0; i < n; i++)
	{
		while (calls[i]->state != DYN_CALL_DONE)
			(void) dyn_client_wait(client, wait_readable, NULL, -1);
		if (calls[i]->failure != DYN_FAIL_NONE && failed++ == 0)
			fprintf(stderr, "%s\n", calls[i]->message);
	}
	printf("%.2f %.2f %d %d\n", now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu,
		   now_ms(CLOCK_MONOTONIC) - began,
		   (int) connections_of(client), failed);
	for (i = 0; i < n; i++)
		dyn_call_destroy(calls[i]);
}

int
main(int argc, char **argv)
{
	DynClient  *client;
	int			n = argc == 4 ? atoi(argv[3]) : 0;

	if (n < 1 || n > MOST_CALLS)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	service.url = argv[1];
	service.ca_bundle = strcmp(argv[2], "-") == 0 ? NULL : argv[2];
	client = dyn_client_create(NULL);
	if (client == NULL)
		return 1;
	measure(client, 1);
	measure(client, n);
	end_client(client);
	return 0;
}

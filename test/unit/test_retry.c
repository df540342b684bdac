/*
 * test_retry.c
 *		The retry policy: classes, pauses, quota.
 */
#include "harness.h"

#include <unistd.h>

#include "aws/retry.h"

static DynRetryClass
of_service(int status, const char *code, const char *message, int64_t skew)
{
	DynCall		call = {.failure = DYN_FAIL_SERVICE, .http_status = status};

	strcpy(call.code, code);
	strcpy(call.message, message);
	return dyn_retry_classify(&call, false, &skew);
}

static DynRetryClass
of_failure(DynFailure failure, int status)
{
	DynCall		call = {.failure = failure, .http_status = status};

	return dyn_retry_classify(&call, false, NULL);
}

static void
repeats_what_may_pass(void)
{
	CHECK_EQ_INT(of_failure(DYN_FAIL_DNS, 0), DYN_RETRY_TRANSIENT);
	CHECK_EQ_INT(of_failure(DYN_FAIL_CONNECT, 0), DYN_RETRY_TRANSIENT);
	CHECK_EQ_INT(of_failure(DYN_FAIL_TLS, 0), DYN_RETRY_TRANSIENT);
	CHECK_EQ_INT(of_failure(DYN_FAIL_TIMEOUT, 0), DYN_RETRY_TRANSIENT);
	CHECK_EQ_INT(of_failure(DYN_FAIL_NETWORK, 200), DYN_RETRY_TRANSIENT);
	CHECK_EQ_INT(of_failure(DYN_FAIL_CHECKSUM, 200), DYN_RETRY_TRANSIENT);
	CHECK_EQ_INT(of_failure(DYN_FAIL_ENCODING, 200), DYN_RETRY_TRANSIENT);
	CHECK_EQ_INT(of_failure(DYN_FAIL_HTTP, 503), DYN_RETRY_TRANSIENT);
	CHECK_EQ_INT(of_failure(DYN_FAIL_HTTP, 408), DYN_RETRY_TRANSIENT);
	CHECK_EQ_INT(of_failure(DYN_FAIL_HTTP, 429), DYN_RETRY_THROTTLING);
	CHECK_EQ_INT(of_service(500, "InternalServerError", "", 0),
				 DYN_RETRY_TRANSIENT);
	CHECK_EQ_INT(of_service(500, "Unheard", "", 0), DYN_RETRY_TRANSIENT);
	CHECK_EQ_INT(of_service(400, "ThrottlingException", "", 0),
				 DYN_RETRY_THROTTLING);
	CHECK_EQ_INT(of_service(400, "ProvisionedThroughputExceededException",
							"", 0), DYN_RETRY_THROTTLING);
	CHECK_EQ_INT(of_service(400, "TransactionConflictException", "", 0),
				 DYN_RETRY_CONFLICT);
	CHECK_EQ_INT(of_service(400, "ExpiredTokenException", "", 0),
				 DYN_RETRY_CREDENTIALS);
}

static void
gives_up_what_stays(void)
{
	DynCall		refused_certificate = {.failure = DYN_FAIL_TLS};

	CHECK_EQ_INT(dyn_retry_classify(&refused_certificate, true, NULL),
				 DYN_RETRY_FINAL);
	CHECK_EQ_INT(of_failure(DYN_FAIL_TOO_LARGE, 200), DYN_RETRY_FINAL);
	CHECK_EQ_INT(of_failure(DYN_FAIL_ADDRESS, 0), DYN_RETRY_FINAL);
	CHECK_EQ_INT(of_failure(DYN_FAIL_CONFIG, 0), DYN_RETRY_FINAL);
	CHECK_EQ_INT(of_failure(DYN_FAIL_MEMORY, 0), DYN_RETRY_FINAL);
	CHECK_EQ_INT(of_failure(DYN_FAIL_HTTP, 404), DYN_RETRY_FINAL);
	CHECK_EQ_INT(of_failure(DYN_FAIL_HTTP, 302), DYN_RETRY_FINAL);
	CHECK_EQ_INT(of_service(400, "ValidationException", "", 9999),
				 DYN_RETRY_FINAL);
	CHECK_EQ_INT(of_service(400, "UnrecognizedClientException", "", 10),
				 DYN_RETRY_FINAL);
}

static void
knows_a_wrong_clock(void)
{
	DynCall		undated = {
		.failure = DYN_FAIL_SERVICE, .http_status = 400,
		.code = "RequestTimeTooSkewed"
	};

	CHECK_EQ_INT(of_service(400, "InvalidSignatureException",
							"Signature expired: 2026...", 100),
				 DYN_RETRY_CLOCK);
	CHECK_EQ_INT(of_service(400, "InvalidSignatureException",
							"Signature not yet current: 2026...", -100),
				 DYN_RETRY_CLOCK);
	CHECK_EQ_INT(of_service(400, "InvalidSignatureException",
							"The request signature we calculated", 3),
				 DYN_RETRY_FINAL);
	CHECK_EQ_INT(of_service(400, "UnrecognizedClientException",
							"The security token is invalid.", -3600),
				 DYN_RETRY_CLOCK);
	CHECK_EQ_INT(of_service(400, "RequestTimeTooSkewed", "", 0),
				 DYN_RETRY_CLOCK);
	CHECK_EQ_INT(dyn_retry_classify(&undated, false, NULL), DYN_RETRY_FINAL);
}

static void
doubles_the_pause_up_to_a_bound(void)
{
	CHECK(dyn_retry_delay_ms(DYN_RETRY_TRANSIENT, 1, 1.0, -1) == 25);
	CHECK(dyn_retry_delay_ms(DYN_RETRY_TRANSIENT, 2, 1.0, -1) == 50);
	CHECK(dyn_retry_delay_ms(DYN_RETRY_THROTTLING, 1, 1.0, -1) == 100);
	CHECK(dyn_retry_delay_ms(DYN_RETRY_THROTTLING, 4, 0.5, -1) == 400);
	CHECK(dyn_retry_delay_ms(DYN_RETRY_THROTTLING, 4, 0.0, -1) == 0);
	CHECK(dyn_retry_delay_ms(DYN_RETRY_THROTTLING, 900, 1.0, -1) == 20000);
}

static void
honours_retry_after_within_bounds(void)
{
	CHECK(dyn_retry_delay_ms(DYN_RETRY_THROTTLING, 1, 0.5, 1500) == 1500);
	CHECK(dyn_retry_delay_ms(DYN_RETRY_THROTTLING, 1, 0.5, 10) == 50);
	CHECK(dyn_retry_delay_ms(DYN_RETRY_THROTTLING, 1, 0.5, 99999) == 5050);
}

static void
spends_and_refunds_tokens(void)
{
	DynRetryQuota quota = {0};
	int			n = 0;

	while (dyn_retry_take(&quota, DYN_RETRY_THROTTLING, 0, 0))
		n++;
	CHECK_EQ_INT(n, 100);
	CHECK(quota.used == 500);
	dyn_retry_refund(&quota, DYN_RETRY_THROTTLING, 0, 0);
	CHECK(quota.used == 495);
	dyn_retry_refund(&quota, DYN_RETRY_TRANSIENT, 0, 0);
	CHECK(quota.used == 481);
	dyn_retry_refund(&quota, DYN_RETRY_FINAL, 0, 0);
	CHECK(quota.used == 480);
	quota.used = 0;
	dyn_retry_refund(&quota, DYN_RETRY_FINAL, 0, 0);
	CHECK(quota.used == 0);
}

static void
refills_with_time(void)
{
	DynRetryQuota quota = {.used = 500, .refilled_us = 1000000};

	CHECK(!dyn_retry_take(&quota, DYN_RETRY_THROTTLING, 5000000, 5900000));
	CHECK(dyn_retry_take(&quota, DYN_RETRY_THROTTLING, 5000000, 6000000));
	CHECK(quota.used == 500);
	CHECK(!dyn_retry_take(&quota, DYN_RETRY_THROTTLING, 1, 1));
	CHECK(dyn_retry_take(&quota, DYN_RETRY_THROTTLING, 1, 1000000000));
	CHECK(quota.used == 5);
}

/* Times in us; nothing is refilled worth noting. */
static void
charges_an_outage_once(void)
{
	DynRetryQuota quota = {.used = 400, .refilled_us = 100};

	CHECK(dyn_retry_take(&quota, DYN_RETRY_TRANSIENT, 90, 100));
	CHECK(quota.used > 413 && quota.outage);
	CHECK(dyn_retry_take(&quota, DYN_RETRY_TRANSIENT, 95, 101));
	CHECK(dyn_retry_take(&quota, DYN_RETRY_TRANSIENT, 150, 160));
	CHECK(quota.used > 413 && quota.used <= 414);
	/* an attempt from before does not end it */
	dyn_retry_refund(&quota, DYN_RETRY_FINAL, 99, 161);
	CHECK(quota.outage);
	dyn_retry_refund(&quota, DYN_RETRY_FINAL, 155, 170);
	CHECK(!quota.outage);
	/* one that was begun in it and fails after it belongs to it */
	CHECK(dyn_retry_take(&quota, DYN_RETRY_TRANSIENT, 169, 180));
	CHECK(quota.used <= 412 && !quota.outage);
	CHECK(dyn_retry_take(&quota, DYN_RETRY_TRANSIENT, 175, 190));
	CHECK(quota.used > 425 && quota.outage);
	quota.outage = false;
	quota.used = 490;
	CHECK(!dyn_retry_take(&quota, DYN_RETRY_TRANSIENT, 195, 200));
}

static void
draws_evenly(void)
{
	double		first;
	double		other = -1;
	double		sum = 0;
	int			outside = 0;
	int			fds[2];
	int			i;

	/* two processes draw different numbers */
	CHECK_EQ_INT(pipe(fds), 0);
	if (fork() == 0)
	{
		first = dyn_random_unit();
		_exit(write(fds[1], &first, sizeof(first)) != (ssize_t) sizeof(first));
	}
	CHECK_EQ_INT(read(fds[0], &other, sizeof(other)), sizeof(other));
	first = dyn_random_unit();
	CHECK(first != other);
	for (i = 0; i < 10000; i++)
	{
		double		unit = dyn_random_unit();

		outside += unit < 0 || unit >= 1;
		sum += unit;
	}
	CHECK_EQ_INT(outside, 0);
	CHECK(sum > 4800 && sum < 5200);
}

/* Each correction is for another offset than the attempt was signed by. */
static void
corrects_the_clock(void)
{
	DynClock	clock = {0};

	CHECK(dyn_retry_set_clock(&clock, 10, 0));
	CHECK_EQ_INT(clock.offset, 10);
	CHECK(!dyn_retry_set_clock(&clock, 20, 10));
	CHECK_EQ_INT(clock.offset, 10);
	CHECK(dyn_retry_set_clock(&clock, 7200, 10));
	CHECK_EQ_INT(clock.offset, 7200);
	CHECK(dyn_retry_set_clock(&clock, 3600, 20));	/* signed before that */
	CHECK_EQ_INT(clock.offset, 7200);
	CHECK(dyn_retry_set_clock(&clock, 3600, 7200));
	CHECK_EQ_INT(clock.offset, 3600);
}

int
main(void)
{
	RUN(repeats_what_may_pass);
	RUN(gives_up_what_stays);
	RUN(knows_a_wrong_clock);
	RUN(corrects_the_clock);
	RUN(doubles_the_pause_up_to_a_bound);
	RUN(honours_retry_after_within_bounds);
	RUN(spends_and_refunds_tokens);
	RUN(refills_with_time);
	RUN(charges_an_outage_once);
	RUN(draws_evenly);
	return DONE("retry");
}

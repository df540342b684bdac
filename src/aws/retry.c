/*
 * retry.c
 *		Decides whether a failed attempt is retried, and after which delay.
 *
 * The rules are those of the AWS SDKs' standard mode, with delays that suit
 * interactive queries.  attempt.c decides which attempts may be repeated: all
 * reads, but only writes that were not executed.
 *
 * The delay is random between zero and a bound that doubles with every attempt
 * ("full jitter"), so throttled clients do not retry together.
 *
 * A wrong clock causes a signature error with a specific text.  Some services
 * return an authentication error instead, in a reply whose Date header differs
 * by minutes from the signed time.
 */
#include "retry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../base/macros.h"
#include "loop.h"

#define LONGEST_PAUSE_MS		20000.0
#define LONGEST_EXTRA_MS		5000.0	/* most that x-amz-retry-after adds */
#define REFILL_A_SECOND			1.0 /* tokens given back per second */
#define NOTABLE_SKEW			(4 * 60)	/* clock skew in seconds; services
											 * accept requests with a smaller
											 * skew */
#define NOTEWORTHY_SHIFT		(5 * 60)	/* seconds; offsets that differ
											 * by less count as equal */

typedef struct ClassRule
{
	double		base_ms;		/* upper bound of the first delay (ms) */
	int			cost;			/* tokens per retry */
} ClassRule;

static const ClassRule class_rules[] = {
	[DYN_RETRY_FINAL] = {0, 1}, /* a success without retry returns 1 token */
	[DYN_RETRY_THROTTLING] = {100, 5},
	[DYN_RETRY_TRANSIENT] = {25, 14},
	[DYN_RETRY_CONFLICT] = {25, 5},
	[DYN_RETRY_CLOCK] = {0, 0},
	[DYN_RETRY_CREDENTIALS] = {0, 0}
};

typedef struct CodeRule
{
	const char *code;
	DynRetryClass class;
} CodeRule;

static const CodeRule code_rules[] = {
	{"ProvisionedThroughputExceededException", DYN_RETRY_THROTTLING},
	{"ThrottlingException", DYN_RETRY_THROTTLING},
	{"Throttling", DYN_RETRY_THROTTLING},
	{"ThrottledException", DYN_RETRY_THROTTLING},
	{"RequestThrottledException", DYN_RETRY_THROTTLING},
	{"RequestThrottled", DYN_RETRY_THROTTLING},
	{"RequestLimitExceeded", DYN_RETRY_THROTTLING},
	{"TooManyRequestsException", DYN_RETRY_THROTTLING},
	{"LimitExceededException", DYN_RETRY_THROTTLING},
	{"BandwidthLimitExceeded", DYN_RETRY_THROTTLING},
	{"PriorRequestNotComplete", DYN_RETRY_THROTTLING},
	{"SlowDown", DYN_RETRY_THROTTLING},
	{"EC2ThrottledException", DYN_RETRY_THROTTLING},
	{"InternalServerError", DYN_RETRY_TRANSIENT},
	{"InternalFailure", DYN_RETRY_TRANSIENT},
	{"ServiceUnavailable", DYN_RETRY_TRANSIENT},
	{"RequestTimeout", DYN_RETRY_TRANSIENT},
	{"RequestTimeoutException", DYN_RETRY_TRANSIENT},
	{"TransactionConflictException", DYN_RETRY_CONFLICT},
	{"TransactionInProgressException", DYN_RETRY_CONFLICT},
	{"ReplicatedWriteConflictException", DYN_RETRY_CONFLICT},
	{"RequestTimeTooSkewed", DYN_RETRY_CLOCK},
	{"RequestExpired", DYN_RETRY_CLOCK},
	{"ExpiredTokenException", DYN_RETRY_CREDENTIALS},
	{"ExpiredToken", DYN_RETRY_CREDENTIALS}
};

/* Errors that a wrong clock may cause. */
static const char *const auth_codes[] = {
	"InvalidSignatureException",
	"UnrecognizedClientException",
	"AuthFailure",
	"SignatureDoesNotMatch",
	"IncompleteSignatureException"
};

static DynRetryClass
classify_status(int status)
{
	if (status == 429)
		return DYN_RETRY_THROTTLING;
	/* load balancers send 408 when they close an idle connection */
	return status == 408 || status == 500 || (status >= 502 && status <= 504)
		? DYN_RETRY_TRANSIENT : DYN_RETRY_FINAL;
}

/*
 * Classifies an error document.  To correct our clock, we need the server's
 * time, so the error of a wrong clock is final if the reply has no time.
 */
static DynRetryClass
classify_code(const DynCall *call, const int64_t *skew)
{
	DynRetryClass wrong_clock = skew != NULL ? DYN_RETRY_CLOCK : DYN_RETRY_FINAL;
	bool		is_skewed = (skew != NULL && llabs(*skew) > NOTABLE_SKEW) ||
		strstr(call->message, "Signature expired") == call->message ||
		strstr(call->message, "Signature not yet current") == call->message;

	for (size_t i = 0; is_skewed && i < LENGTHOF(auth_codes); i++)
		if (strcmp(call->code, auth_codes[i]) == 0)
			return wrong_clock;
	for (size_t i = 0; i < LENGTHOF(code_rules); i++)
		if (strcmp(call->code, code_rules[i].code) == 0)
			return code_rules[i].class == DYN_RETRY_CLOCK ? wrong_clock
				: code_rules[i].class;
	return classify_status(call->http_status);
}

DynRetryClass
dyn_retry_classify(const DynCall *call, bool lasting, const int64_t *skew)
{
	if (lasting)
		return DYN_RETRY_FINAL;
	switch (call->failure)
	{
		case DYN_FAIL_DNS:
		case DYN_FAIL_CONNECT:
		case DYN_FAIL_TLS:
		case DYN_FAIL_TIMEOUT:
		case DYN_FAIL_NETWORK:
		case DYN_FAIL_CHECKSUM:
		case DYN_FAIL_ENCODING:
			return DYN_RETRY_TRANSIENT;
		case DYN_FAIL_HTTP:
			return classify_status(call->http_status);
		case DYN_FAIL_SERVICE:
			return classify_code(call, skew);
		default:
			return DYN_RETRY_FINAL;
	}
}

bool
dyn_retry_set_clock(DynClock *clock, int64_t offset, int64_t signed_offset)
{
	if (llabs(clock->offset - signed_offset) > NOTEWORTHY_SHIFT)
		return true;
	if (clock->corrected && llabs(offset - signed_offset) <= NOTEWORTHY_SHIFT)
		return false;
	clock->corrected = true;
	clock->offset = offset;
	return true;
}

double
dyn_retry_delay_ms(DynRetryClass class, int attempts, double unit,
				   long retry_after_ms)
{
	double		bound = class_rules[class].base_ms;
	double		delay;

	while (--attempts > 0 && bound < LONGEST_PAUSE_MS)
		bound *= 2;
	delay = unit * fmin(bound, LONGEST_PAUSE_MS);
	if (retry_after_ms >= 0)
		delay = fmin(fmax((double) retry_after_ms, delay),
					 delay + LONGEST_EXTRA_MS);
	return delay;
}

/* Gives back one token per second that has passed, and `more` tokens. */
static void
refill(DynRetryQuota *quota, int64_t now_us, double more)
{
	if (now_us > quota->refilled_us)
		more += (double) (now_us - quota->refilled_us) * REFILL_A_SECOND / 1e6;
	quota->used = fmax(quota->used - more, 0);
	quota->refilled_us = now_us;
}

bool
dyn_retry_take(DynRetryQuota *quota, DynRetryClass class, int64_t began_us,
			   int64_t now_us)
{
	refill(quota, now_us, 0);
	/* in an outage, transient failures after the first take no tokens */
	if (class == DYN_RETRY_TRANSIENT &&
		(quota->outage || began_us <= quota->outage_us))
		return true;
	if (quota->used + class_rules[class].cost > DYN_RETRY_QUOTA)
		return false;
	quota->used += class_rules[class].cost;
	if (class == DYN_RETRY_TRANSIENT)
	{
		quota->outage = true;
		quota->outage_us = now_us;
	}
	return true;
}

void
dyn_retry_refund(DynRetryQuota *quota, DynRetryClass last, int64_t began_us,
				 int64_t now_us)
{
	refill(quota, now_us, class_rules[last].cost);
	if (quota->outage && began_us >= quota->outage_us)
	{
		quota->outage = false;
		quota->outage_us = now_us;
	}
}

/* Uses splitmix64; if `state` is 0, it is not seeded yet. */
double
dyn_random_unit(void)
{
	static uint64_t state;
	uint64_t	z;

	if (state == 0 && getrandom(&state, sizeof(state), GRND_NONBLOCK) !=
		(ssize_t) sizeof(state))
		state = (uint64_t) dyn_loop_now_us();
	z = (state += 0x9E3779B97F4A7C15ULL);
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
	z ^= z >> 31;
	return (double) (z >> 11) / 9007199254740992.0;
}

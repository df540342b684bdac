/*
 * retry.c
 *		Decides whether a failed attempt is retried, and after which delay.
 *
 * The rules are those of the AWS SDKs' standard mode, with delays that suit
 * interactive queries.  Every operation of this project is a read, so retrying
 * after a lost reply is always safe; except CreateTable, which has one attempt.
 *
 * A failure is classified by its kind, then by its code, then by its HTTP
 * status.  The delay is random between zero and a bound that doubles with
 * every attempt ("full jitter"), so that clients that were throttled together
 * do not retry together.
 *
 * A wrong clock causes a signature error with a specific text or, at some
 * services, an authentication error whose Date header differs by minutes from
 * the time that was signed.
 *
 * Layer: aws.  Knows no network and no clock.
 */
#include "retry.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

#define lengthof(array) (sizeof(array) / sizeof((array)[0]))

#define LONGEST_PAUSE_MS		20000.0
#define LONGEST_EXTRA_MS		5000.0	/* by x-amz-retry-after */
#define REFILL_A_SECOND			1.0 /* tokens of the quota */
#define TELLING_SKEW			(4 * 60)	/* seconds */
#define NOTEWORTHY_SHIFT		(5 * 60)	/* seconds, of a corrected clock */

typedef struct ClassRule
{
	double		base_ms;		/* bound of the first delay */
	int			cost;			/* tokens per retry */
} ClassRule;

static const ClassRule class_rules[] = {
	[DYN_RETRY_FINAL] = {0, 1}, /* "cost" is the refund of a plain success */
	[DYN_RETRY_THROTTLING] = {100, 5},
	[DYN_RETRY_TRANSIENT] = {25, 14},
	[DYN_RETRY_CLOCK] = {0, 0},
	[DYN_RETRY_CREDENTIALS] = {0, 0}
};

static const DynFailure transient_failures[] = {
	DYN_FAIL_DNS,
	DYN_FAIL_CONNECT,
	DYN_FAIL_TLS,
	DYN_FAIL_TIMEOUT,
	DYN_FAIL_NETWORK,
	DYN_FAIL_CHECKSUM,
	DYN_FAIL_ENCODING
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
	{"TransactionInProgressException", DYN_RETRY_THROTTLING},
	{"PriorRequestNotComplete", DYN_RETRY_THROTTLING},
	{"SlowDown", DYN_RETRY_THROTTLING},
	{"EC2ThrottledException", DYN_RETRY_THROTTLING},
	{"InternalServerError", DYN_RETRY_TRANSIENT},
	{"InternalFailure", DYN_RETRY_TRANSIENT},
	{"ServiceUnavailable", DYN_RETRY_TRANSIENT},
	{"RequestTimeout", DYN_RETRY_TRANSIENT},
	{"RequestTimeoutException", DYN_RETRY_TRANSIENT},
	{"ReplicatedWriteConflictException", DYN_RETRY_TRANSIENT},
	{"RequestTimeTooSkewed", DYN_RETRY_CLOCK},
	{"RequestExpired", DYN_RETRY_CLOCK},
	{"ExpiredTokenException", DYN_RETRY_CREDENTIALS},
	{"ExpiredToken", DYN_RETRY_CREDENTIALS}
};

typedef struct StatusRule
{
	int			status;
	DynRetryClass class;
} StatusRule;

static const StatusRule status_rules[] = {
	{429, DYN_RETRY_THROTTLING},
	{500, DYN_RETRY_TRANSIENT},
	{502, DYN_RETRY_TRANSIENT},
	{503, DYN_RETRY_TRANSIENT},
	{504, DYN_RETRY_TRANSIENT}
};

/* Errors that a wrong clock may cause. */
static const char *const auth_codes[] = {
	"InvalidSignatureException",
	"UnrecognizedClientException",
	"AuthFailure",
	"SignatureDoesNotMatch",
	"IncompleteSignatureException"
};

static const char *const skew_texts[] = {
	"Signature expired",
	"Signature not yet current"
};

static bool
is_transient(DynFailure failure)
{
	size_t		i;

	for (i = 0; i < lengthof(transient_failures); i++)
		if (transient_failures[i] == failure)
			return true;
	return false;
}

static bool
is_auth_code(const char *code)
{
	size_t		i;

	for (i = 0; i < lengthof(auth_codes); i++)
		if (strcmp(code, auth_codes[i]) == 0)
			return true;
	return false;
}

static bool
tells_skew(const DynOutcome *outcome)
{
	size_t		i;

	for (i = 0; i < lengthof(skew_texts); i++)
		if (strncmp(outcome->message, skew_texts[i],
					strlen(skew_texts[i])) == 0)
			return true;
	return outcome->skew > TELLING_SKEW || outcome->skew < -TELLING_SKEW;
}

static DynRetryClass
classify_status(int status)
{
	size_t		i;

	for (i = 0; i < lengthof(status_rules); i++)
		if (status_rules[i].status == status)
			return status_rules[i].class;
	return DYN_RETRY_FINAL;
}

static DynRetryClass
classify_code(const DynOutcome *outcome)
{
	size_t		i;

	if (is_auth_code(outcome->code) && tells_skew(outcome))
		return DYN_RETRY_CLOCK;
	for (i = 0; i < lengthof(code_rules); i++)
		if (strcmp(outcome->code, code_rules[i].code) == 0)
			return code_rules[i].class;
	return classify_status(outcome->http_status);
}

DynRetryClass
dyn_retry_classify(const DynOutcome *outcome)
{
	DynRetryClass class;

	if (outcome->lasting)
		return DYN_RETRY_FINAL;
	if (is_transient(outcome->failure))
		return DYN_RETRY_TRANSIENT;
	if (outcome->failure == DYN_FAIL_HTTP)
		return classify_status(outcome->http_status);
	if (outcome->failure != DYN_FAIL_SERVICE)
		return DYN_RETRY_FINAL;
	class = classify_code(outcome);
	/* Without the server's time the clock cannot be corrected. */
	if (class == DYN_RETRY_CLOCK && !outcome->has_date)
		return DYN_RETRY_FINAL;
	return class;
}

static double
clamp(double value, double low, double high)
{
	return value < low ? low : value > high ? high : value;
}

static bool
is_noteworthy(int64_t shift)
{
	return shift > NOTEWORTHY_SHIFT || shift < -NOTEWORTHY_SHIFT;
}

/*
 * A reply to an attempt that was signed before another one corrected the clock
 * could set it back.
 */
bool
dyn_retry_set_clock(DynClock *clock, int64_t offset, int64_t signed_offset)
{
	if (is_noteworthy(clock->offset - signed_offset))
		return true;
	if (clock->corrected && !is_noteworthy(offset - signed_offset))
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
	delay = unit * clamp(bound, 0, LONGEST_PAUSE_MS);
	if (retry_after_ms >= 0)
		delay = clamp((double) retry_after_ms, delay, delay + LONGEST_EXTRA_MS);
	return delay;
}

static void
give_back(DynRetryQuota *quota, double tokens)
{
	quota->used = quota->used > tokens ? quota->used - tokens : 0;
}

static void
refill(DynRetryQuota *quota, int64_t now_us)
{
	if (now_us > quota->refilled_us)
		give_back(quota, (double) (now_us - quota->refilled_us) *
				  REFILL_A_SECOND / 1e6);
	quota->refilled_us = now_us;
}

/* Does the failure belong to an outage whose tokens were taken already? */
static bool
is_paid(const DynRetryQuota *quota, DynRetryClass class, int64_t began_us)
{
	return class == DYN_RETRY_TRANSIENT &&
		(quota->outage || began_us <= quota->outage_us);
}

bool
dyn_retry_take(DynRetryQuota *quota, DynRetryClass class, int64_t began_us,
			   int64_t now_us)
{
	refill(quota, now_us);
	if (is_paid(quota, class, began_us))
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
	refill(quota, now_us);
	give_back(quota, class_rules[last].cost);
	if (quota->outage && began_us >= quota->outage_us)
	{
		quota->outage = false;
		quota->outage_us = now_us;
	}
}

/* If the kernel provides no randomness, use the time. */
void
dyn_random_seed(DynRandom *random)
{
	struct timespec now;

	if (getrandom(&random->state, sizeof(random->state), GRND_NONBLOCK) ==
		(ssize_t) sizeof(random->state))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	random->state = (uint64_t) now.tv_sec * 1000000000u +
		(uint64_t) now.tv_nsec;
}

/* The splitmix64 generator. */
double
dyn_random_unit(DynRandom *random)
{
	uint64_t	z = (random->state += 0x9E3779B97F4A7C15ULL);

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
	z ^= z >> 31;
	return (double) (z >> 11) / 9007199254740992.0;
}

/*
 * retry.h
 *		Whether a failed attempt is repeated, and after which pause.
 *
 * Pure policy: no clock, no network, no state but what is handed in.
 */
#ifndef DYN_AWS_RETRY_H
#define DYN_AWS_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "client.h"

typedef enum DynRetryClass
{
	DYN_RETRY_FINAL,			/* repeating would not help */
	DYN_RETRY_THROTTLING,		/* the service asks for patience */
	DYN_RETRY_TRANSIENT,		/* may be gone the next time */
	DYN_RETRY_CLOCK,			/* our clock is wrong: sign again with
								 * another */
	DYN_RETRY_CREDENTIALS		/* temporary credentials ran out */
} DynRetryClass;

/* What an attempt came to, as far as the policy looks at it. */
typedef struct DynOutcome
{
	DynFailure	failure;
	bool		lasting;		/* the failure cannot go away by itself (a
								 * certificate that does not verify) */
	int			http_status;
	const char *code;			/* of the error document, or "" */
	const char *message;
	bool		has_date;		/* the reply told the server's time... */
	int64_t		skew;			/* ...ahead of the time signed, in seconds */
} DynOutcome;

extern DynRetryClass dyn_retry_classify(const DynOutcome *outcome);

/*
 * The pause before the next attempt, in ms.  `attempts` counts those made,
 * `unit` is a random number in [0, 1), retry_after_ms what the service asked
 * for (-1: nothing).
 */
extern double dyn_retry_delay_ms(DynRetryClass class, int attempts, double unit,
								 long retry_after_ms);

/*
 * The quota: a bucket of tokens that the requests of one statement share, so that
 * a service in trouble is not met with a multiple of the load.  It is full when
 * zero-initialised.  Time gives one token back each second, successes give some.
 *
 * An outage costs tokens once, however many requests it hits and however often
 * each is tried (their attempts are bounded by max_attempts): it begins when an
 * attempt fails, and is over when one succeeds that was begun after that.
 * Throttled attempts are paid for one by one.
 */
#define DYN_RETRY_QUOTA	500

typedef struct DynRetryQuota
{
	double		used;			/* tokens taken, as of refilled_us */
	int64_t		refilled_us;
	bool		outage;			/* one is under way */
	int64_t		outage_us;		/* when it began; when the last one was over */
} DynRetryQuota;

/*
 * Takes the tokens of one retry of an attempt that was begun at began_us and has
 * failed now; false, taking nothing, if too few are left.
 */
extern bool dyn_retry_take(DynRetryQuota *quota, DynRetryClass class,
						   int64_t began_us, int64_t now_us);

/*
 * Notes the success of an attempt and gives tokens back; `last` is the class of
 * the request's last retry, DYN_RETRY_FINAL if the first attempt succeeded.
 */
extern void dyn_retry_refund(DynRetryQuota *quota, DynRetryClass last,
							 int64_t began_us, int64_t now_us);

/* A small generator of its own: the pauses need spread, not secrecy. */
typedef struct DynRandom
{
	uint64_t	state;
} DynRandom;

extern void dyn_random_seed(DynRandom *random);
extern double dyn_random_unit(DynRandom *random);	/* in [0, 1) */

#endif

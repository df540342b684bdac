/*
 * retry.h
 *		Decides whether a failed attempt is retried, and after which delay.
 *
 * All functions except dyn_random_unit depend only on their arguments.
 */
#ifndef DYN_AWS_RETRY_H
#define DYN_AWS_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "client.h"

typedef enum DynRetryClass
{
	DYN_RETRY_FINAL,			/* a retry would not help */
	DYN_RETRY_THROTTLING,		/* the service throttles us */
	DYN_RETRY_TRANSIENT,		/* the failure may be temporary */
	DYN_RETRY_CONFLICT,			/* another write of the item is in progress;
								 * this one was not executed */
	DYN_RETRY_CLOCK,			/* our clock is wrong; sign again */
	DYN_RETRY_CREDENTIALS		/* temporary credentials have expired */
} DynRetryClass;

/*
 * Classifies the failure of a call's attempt.  `lasting` is true if another
 * attempt would fail, too.  *skew is the server's time minus the signed time
 * (s); `skew` is NULL if the reply does not have the server's time.
 */
extern DynRetryClass dyn_retry_classify(const DynCall *call, bool lasting,
										const int64_t *skew);

/*
 * Returns the delay (ms) before the next attempt.  `unit` is a random number
 * in [0, 1); retry_after_ms is the delay that the service requested, or -1.
 */
extern double dyn_retry_delay_ms(DynRetryClass class, int attempts, double unit,
								 long retry_after_ms);

/*
 * Corrects the clock to `offset` (s), computed from a reply's Date header.  If
 * another attempt has corrected the clock since this attempt was signed (with
 * signed_offset), that correction stays.  Returns false if a correction does
 * not help, because the clock was corrected before to nearly this offset.
 */
extern bool dyn_retry_set_clock(DynClock *clock, int64_t offset,
								int64_t signed_offset);

/*
 * The quota is a bucket of tokens that the requests of one statement share, so
 * that retries do not multiply the load of a service in trouble.  A
 * zero-initialized quota is full.
 *
 * Each retry after throttling or a conflict takes tokens.  After transient
 * failures, the first retry in an outage takes tokens, and max_attempts alone
 * limits the others.  An outage begins with the first transient failure, and
 * ends when an attempt that was started later succeeds.
 */
#define DYN_RETRY_QUOTA	500

typedef struct DynRetryQuota
{
	double		used;			/* tokens taken, as of refilled_us */
	int64_t		refilled_us;
	bool		outage;			/* true while an outage lasts */
	int64_t		outage_us;		/* start of the current or end of the last
								 * outage (monotonic us) */
} DynRetryQuota;

/* Takes the tokens for a retry; returns false if too few are left. */
extern bool dyn_retry_take(DynRetryQuota *quota, DynRetryClass class,
						   int64_t began_us, int64_t now_us);

/*
 * Records the success of an attempt, and gives tokens back.  `last` is the
 * class of the request's last retry, or DYN_RETRY_FINAL if there was none.
 */
extern void dyn_retry_refund(DynRetryQuota *quota, DynRetryClass last,
							 int64_t began_us, int64_t now_us);

/*
 * Returns a random number in [0, 1), for delays; need not be secure.  A child
 * forked after the first call returns the same numbers as its parent.
 */
extern double dyn_random_unit(void);

#endif

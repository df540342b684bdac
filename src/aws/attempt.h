/*
 * attempt.h
 *		The attempts of calls: beginning, ending, repeating and pausing them.
 */
#ifndef DYN_AWS_ATTEMPT_H
#define DYN_AWS_ATTEMPT_H

#include "client_private.h"

/* Adds a call to those that are active, and removes it. */
extern void dyn_attempt_link(DynActiveCall *call);
extern void dyn_attempt_unlink(DynActiveCall *call);

/* Sends an active call, or holds it until that is possible. */
extern void dyn_attempt_begin(DynActiveCall *call);

/* Ends an active call that was not sent, with this failure. */
extern void dyn_attempt_refuse(DynActiveCall *call, DynFailure failure);

/* The transfer has ended: repeats the attempt later, or finishes the call. */
extern void dyn_attempt_end(DynActiveCall *call, CURLcode code);

/*
 * The time of an attempt that has been paused is over.  If we are late, nobody
 * has looked, and what the peer sent may not have been read: it gets the time
 * again.
 */
extern void dyn_attempt_end_overdue(DynActiveCall *call, int64_t now);

/* Removes a running transfer from the loop. */
extern void dyn_attempt_abandon(DynActiveCall *call);

/* Decides whether to retry an attempt; takes the tokens if so. */
extern bool dyn_attempt_may_repeat(DynActiveCall *call, DynRetryClass class);

/* Lets an active call wait before its next attempt. */
extern void dyn_attempt_delay(DynActiveCall *call, DynRetryClass class,
							  long retry_after_ms);

/* Lets a paused transfer go on. */
extern void dyn_attempt_resume(DynActiveCall *call);

/* Stops the time of the transfers that have been paused in this turn. */
extern void dyn_attempts_suspend_paused(DynClient *client);

/*
 * A transfer or a source of credentials has ended, or a connection may stand:
 * calls that wait for one (`connections_only`: for a connection) may try.
 */
extern void dyn_attempts_try_held(DynClient *client, bool connections_only);

/* When the next call is due; DYN_LOOP_NEVER if none is. */
extern int64_t dyn_attempts_next_due(const DynClient *client);

#endif

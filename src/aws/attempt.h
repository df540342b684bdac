/*
 * attempt.h
 *		Begins, ends, repeats and pauses the attempts of calls.
 */
#ifndef DYN_AWS_ATTEMPT_H
#define DYN_AWS_ATTEMPT_H

#include "client_private.h"

/* Adds a call to the list of active calls; removes it. */
extern void dyn_attempt_link(DynActiveCall *call);
extern void dyn_attempt_unlink(DynActiveCall *call);

/* Sends an active call, or holds it until that is possible. */
extern void dyn_attempt_begin(DynActiveCall *call);

/* Ends an active call that was not sent, with the given failure. */
extern void dyn_attempt_refuse(DynActiveCall *call, DynFailure failure);

/*
 * Handles the end of a transfer: repeats the attempt later, or finishes the
 * call.
 */
extern void dyn_attempt_end(DynActiveCall *call, CURLcode code);

/*
 * Ends an attempt that has been paused and whose time is over.  If we are
 * late, the caller did not drive the client, and bytes from the peer may not
 * have been read: then the attempt gets its time again.
 */
extern void dyn_attempt_end_overdue(DynActiveCall *call, int64_t now);

/* Removes a running transfer from the loop. */
extern void dyn_attempt_abandon(DynActiveCall *call);

/*
 * Decides whether to retry an attempt; takes the tokens if so, and returns
 * true.
 */
extern bool dyn_attempt_may_repeat(DynActiveCall *call, DynRetryClass class);

/* Lets an active call wait before its next attempt. */
extern void dyn_attempt_delay(DynActiveCall *call, DynRetryClass class,
							  long retry_after_ms);

/* Resumes a paused transfer. */
extern void dyn_attempt_resume(DynActiveCall *call);

/* Stops the clock for the transfers that were paused in this turn. */
extern void dyn_attempts_suspend_paused(DynClient *client);

/*
 * Lets waiting calls try again, because a transfer or a source of credentials
 * has ended, or a connection may be established.  With `connections_only`,
 * these are the calls that wait for a connection.
 */
extern void dyn_attempts_try_held(DynClient *client, bool connections_only);

/*
 * Returns the time at which the next call is due; DYN_LOOP_NEVER if none is.
 */
extern int64_t dyn_attempts_next_due(const DynClient *client);

#endif

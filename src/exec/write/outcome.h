/*
 * outcome.h
 *		Determines what the outcome of a request means for its row.
 *
 * | response                      | INSERT              | UPDATE, DELETE
 * | confirmed                     | written             | written
 * | condition failed, no item     | as in the next line | no row
 * | condition failed, with item   | 23505 or ON CONFLICT| evaluated again
 * | outcome unknown               | sent again          | sent again
 * | another failure               | error               | error
 *
 * If the outcome of an earlier attempt is unknown, a condition may fail
 * because that attempt was executed.  The attempt is considered executed if
 * the item is equal to the inserted one (INSERT), if the item has the assigned
 * values and these do not depend on the row (UPDATE), or if the item, which
 * was read before, does not exist any more (DELETE).  Otherwise an INSERT, and
 * an UPDATE whose item does not exist, are handled as in the table.  Any other
 * UPDATE or DELETE is sent again if the guarded values have not changed, or
 * else fails, because its outcome remains unknown: SQLSTATE 08007.
 */
#ifndef DYN_EXEC_OUTCOME_H
#define DYN_EXEC_OUTCOME_H

#include "writer.h"

/*
 * Handles the response to a write whose call is done.  Sets the state of the
 * write: WRITTEN, NO_ROW, PAUSED (to be sent again), NEW (with another
 * request, to be sent at due_ms), or FAILED.
 */
extern void dyn_write_judge(DynWrite *write);

/*
 * Handles the response to a write after another write of the statement has
 * failed: repeats nothing, and sets the state WRITTEN or NO_ROW.  A write of
 * unknown outcome is counted as maybe written (dyn_written_maybe).
 */
extern void dyn_write_judge_only(DynWrite *write);

/*
 * Handles a failed condition, of a single write or of a member of a
 * transaction.  `item` is the item with the key of the write, or ABSENT.
 */
extern void dyn_write_judge_condition(DynWrite *write, const DynScalar *item);

/* Reads the item of the write; returns true if it is a row of the table. */
extern bool dyn_write_has_row(const DynWrite *write);

/*
 * Handles any response except a failed condition, to a single write or to a
 * transaction.  Returns true, and sets *written, if the response confirms the
 * request.  `written` may be NULL if the call has failed.
 */
extern bool dyn_write_judge_call(DynWrite *write, DynWritten *written);

/*
 * Pause a throttled write, or a transaction that was canceled because of a
 * conflict with another transaction, so that the write is sent again.  Set the
 * state FAILED if all attempts to write the target's rows were throttled for
 * throttle_timeout, or after max_attempts conflicts.
 */
extern void dyn_write_retry_throttled(DynWrite *write);
extern void dyn_write_retry_conflict(DynWrite *write);

/* Records the cost of a successful request, for the pace of later requests. */
extern void dyn_write_grant(DynWrite *write, double units);

/*
 * Corrects the statement's number of rows, after core has counted a row for
 * which nothing was written (DYN_WRITE_NO_ROW).
 */
extern void dyn_write_uncount(const struct DynModify *modify);

/*
 * Counts the write's item as written.  Corrects the write's charge to `units`
 * write units, unless they are unknown (0), as for an earlier attempt whose
 * outcome was unknown.  `item` is what RETURNING shows; NULL or ABSENT if the
 * response does not contain it.
 */
extern void dyn_write_confirm(DynWrite *write, double units, const DynScalar *item);

#endif

/*
 * outcome.h
 *		Determines what the outcome of a request means for its row.
 *
 * | response                      | INSERT              | UPDATE, DELETE
 * | confirmed                     | written             | written
 * | condition failed, no item     | 23505 or ON CONFLICT| no row
 * | condition failed, with item   | 23505 or ON CONFLICT| evaluated again
 * | outcome unknown               | sent again          | sent again
 * | another failure               | error               | error
 *
 * If the outcome of an earlier attempt is unknown, a condition may fail because
 * that attempt was executed.  The first case below that applies decides the
 * outcome of the write:
 * - If an INSERT's key was already inserted by an earlier row of the
 *   statement, the outcome is as listed above, because no attempt can have
 *   succeeded.
 * - If the item equals the one that an INSERT would insert, the write counts
 *   as written.  But the write fails with error 08007 if DO UPDATE would
 *   change the item.
 * - If the item of a DO UPDATE no longer exists, the write fails with 08007.
 * - For any other INSERT, the outcome is as listed above.  But the write fails
 *   with 08007 if DO UPDATE computes values from the item.
 * - If the item of an UPDATE does not exist, the outcome is as listed above.
 * - If the item of a DELETE was read before, but no longer exists, the write
 *   counts as written.
 * - If none of the guarded (row_write.h), assigned and returned values of an
 *   UPDATE or DELETE has changed since it was read, the write is sent again.
 * - If the item has the values that an UPDATE assigns, and the values on which
 *   they depend have not changed, the write counts as written.
 * - Any other UPDATE or DELETE fails with 08007.
 */
#ifndef DYN_EXEC_OUTCOME_H
#define DYN_EXEC_OUTCOME_H

#include "writer.h"

/* Checks the response before the call is counted; sets call->unanswered. */
extern void dyn_write_check_call(DynWrite *write);

/*
 * Handles the response to a write whose call is done.  Sets the state of the
 * write: WRITTEN, NO_ROW, PAUSED (to be sent again), NEW (with another
 * request, to be sent at due_ms), UNREAD, or FAILED.
 */
extern void dyn_write_judge(DynWrite *write);

/*
 * Handles the response to a write after another write of the statement has
 * failed: sets the state WRITTEN or NO_ROW, and never sends the write again.
 * A write of unknown outcome is counted as maybe written (dyn_written_maybe).
 */
extern void dyn_write_judge_only(DynWrite *write);

/*
 * Handles the failed condition of a write that was sent alone or in a
 * transaction.  `item` is the item with the key of the write, or ABSENT if the
 * response lacks it.  If the item must then be read, sets the state UNREAD.
 */
extern void dyn_write_judge_condition(DynWrite *write, DynScalar item);

/*
 * Reads the items of `writes`, which have one target and different keys, by as
 * few requests as possible.  Returns an array in the order of the writes: each
 * item, in memory of its write, or ABSENT if the item does not exist.
 */
extern DynScalar *dyn_writes_read_items(const List *writes);

/*
 * Handles a failed condition.  `item` is the item that has the key now, or
 * ABSENT.  If this replaces the write's guard and values, frees the old ones.
 */
extern void dyn_write_judge_item(DynWrite *write, const DynScalar *item);

/* Returns "Key (pk)=(a)", or "The key" if the user may not read the key. */
extern const char *dyn_write_describe_key(const DynWrite *write);

/* Raises core's error for a row that a nested statement has changed. */
extern void dyn_write_report_nested(DynWrite *write);

/* Raises a unique violation: the key of an INSERT already exists. */
extern void dyn_write_report_duplicate(DynWrite *write);

/* Returns true if a waiting atomic statement will insert this row. */
extern bool dyn_write_is_collected(const DynWrite *write);

/*
 * Handles a response to a write or a transaction, except a failed condition.
 * Returns true if the response confirms the request.  Otherwise, the state
 * remains PAUSED if the request will be sent again; it becomes FAILED after an
 * error, after max_attempts, or after throttle_timeout without a success.
 */
extern bool dyn_write_judge_call(DynWrite *write);

/* Records that a request of `units` (0 if unknown) was not throttled. */
extern void dyn_write_grant(DynWrite *write, double units);

/*
 * Corrects the statement's number of rows: core has counted a row for which
 * nothing was written (DYN_WRITE_NO_ROW).
 */
extern void dyn_write_uncount(const struct DynModify *modify);

/*
 * Counts the write's item as written.  Corrects the write's charge to `units`
 * write units, unless `units` is 0 (unknown).  `item` is what RETURNING shows;
 * NULL or ABSENT if the response does not contain the item.
 */
extern void dyn_write_confirm(DynWrite *write, double units, const DynScalar *item);

/* Marks a write as written, although it changes nothing; counts no item. */
extern void dyn_write_confirm_unchanged(DynWrite *write, const DynScalar *item);

#endif

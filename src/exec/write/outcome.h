/*
 * outcome.h
 *		Determines what the outcome of a request means for its row.
 *
 * | response                          | INSERT               | UPDATE, DELETE
 * | confirmed                         | written              | written
 * | condition failed, item is missing | 23505 or ON CONFLICT | no row
 * | condition failed, item exists     | 23505 or ON CONFLICT | evaluated again
 * | outcome unknown                   | sent again           | sent again
 * | another failure                   | error                | error
 *
 * "The item" is the item that is stored after the condition has failed.  (The
 * item of an INSERT is missing if it was deleted in the meantime.)
 *
 * If the outcome of an earlier attempt is unknown, a condition may also fail
 * because that attempt was executed.  Then the first rule below that applies
 * decides the outcome of the write; if none applies, the table above does.
 *
 * Rules for an INSERT, until DO UPDATE sends its update:
 * - If an earlier row of the statement has inserted the key, no attempt can
 *   have succeeded, so the table above applies.
 * - If the item equals the one that the INSERT would insert, the write counts
 *   as written.  But the write fails with error 08007 if DO UPDATE would
 *   change the item.
 * - An INSERT with DO UPDATE fails with 08007 if the item is missing, or if DO
 *   UPDATE computes values from the item.
 *
 * Rules for an UPDATE, a DELETE, and the update that DO UPDATE sends:
 * - If the item is missing, the table above applies to an UPDATE, but the
 *   update of DO UPDATE fails with 08007.
 * - If the item of a DELETE is missing, but was read before, the write counts
 *   as written.
 * - If no value that the write's condition compares, that the UPDATE assigns,
 *   or that the DELETE returns has changed since it was read, the write is
 *   sent again.
 * - If the item has the values that an UPDATE assigns, and the values on which
 *   they depend have not changed, the write counts as written.
 * - Otherwise, the write fails with 08007.
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

/* Handles a failed condition.  `item` is the stored item, or ABSENT. */
extern void dyn_write_judge_item(DynWrite *write, const DynScalar *item);

/* Returns "Key (pk)=(a)", or "The key" if the user may not read the key. */
extern const char *dyn_write_describe_key(const DynWrite *write);

/* Raises core's error for a row that a nested statement has changed. */
extern void dyn_write_report_nested(DynWrite *write);

extern void dyn_write_report_duplicate(DynWrite *write);

/*
 * Returns true if an outer statement (one that waits for this statement) is
 * atomic, and will insert the item of `write` at its end.
 */
extern bool dyn_write_is_collected(const DynWrite *write);

/*
 * Handles a response to a write or a transaction, except a failed condition.
 * Returns true if the response confirms the request.  Otherwise, the state
 * remains PAUSED if the request will be sent again, or becomes FAILED.
 */
extern bool dyn_write_judge_call(DynWrite *write);

/* Records that a request of `units` (0 if unknown) was not throttled. */
extern void dyn_write_grant(DynWrite *write, double units);

/* Subtracts a row that core has counted, but for which nothing was written. */
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

/*
 * outcome.h
 *		Decides what the end of a request means for its row.
 *
 * | response                      | INSERT              | UPDATE, DELETE
 * | confirmed                     | written             | written
 * | condition failed, no item     | (cannot happen)     | no row
 * | condition failed, with item   | 23505, or DO NOTHING| evaluated again
 * | outcome unknown               | sent again          | sent again
 * | another failure               | error               | error
 *
 * After an attempt whose outcome is unknown, a failed condition may be the
 * effect of that attempt.  An INSERT was written if
 * the item equals ours; a DELETE if the item is gone; an UPDATE whose values
 * do not depend on the row if the item has them.  Otherwise the error
 * reports that the outcome is not known: SQLSTATE 08007.
 */
#ifndef DYN_EXEC_OUTCOME_H
#define DYN_EXEC_OUTCOME_H

#include "../../base/attributes.h"
#include "writer.h"

/*
 * Handles a write whose call is done.  Sets its state: WRITTEN, NO_ROW, PAUSED
 * (to be sent again), NEW (with another request, to be sent at once), or
 * FAILED.
 */
extern void dyn_write_judge(DynWriter *writer, DynWrite *write);

/*
 * Handles it while another write has failed: nothing is sent again, so the
 * state is WRITTEN or NO_ROW.
 */
extern void dyn_write_judge_only(DynWrite *write);

/* Counts an item as written; `units` is the write units that it cost. */
extern void dyn_write_confirm(DynWrite *write, double units);

/* Raises the error of a write that has failed. */
DYN_NORETURN extern void dyn_write_report(DynWrite *write);

#endif

/*
 * upsert.h
 *		Executes ON CONFLICT DO UPDATE.
 *
 * The insertion is tried first.  If the key exists, the response contains the
 * item.  SET and WHERE are evaluated for the item's row, and the result is
 * sent as an UPDATE with a guard.  If the item has been changed in the
 * meantime, SET and WHERE are evaluated again; if it has been deleted, the
 * insertion is repeated.
 */
#ifndef DYN_EXEC_UPSERT_H
#define DYN_EXEC_UPSERT_H

#include "modify.h"

typedef struct DynUpsert
{
	ExprContext *econtext;
	ProjectionInfo *projection;
	ExprState  *where;			/* WHERE; NULL: every row is updated */
} DynUpsert;

/*
 * Prepares DO UPDATE; returns NULL if the statement does not contain it.
 * Raises an error if the table has triggers that would miss the updates.
 */
extern DynUpsert *dyn_upsert_create(ModifyTableState *mtstate, ResultRelInfo *rinfo,
									TupleDesc desc);

/*
 * Copies the existing row from modify->scratch to modify->old, and composes
 * its update.  Sets the state of the write: NEW, or WRITTEN if nothing
 * changes, or NO_ROW if WHERE is not true.
 */
extern void dyn_upsert_evaluate(DynWrite *write);

#endif

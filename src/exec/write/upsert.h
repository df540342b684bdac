/*
 * upsert.h
 *		ON CONFLICT DO UPDATE: the row exists, so it is updated instead.
 *
 * The insertion is tried first.  If its key exists, the response contains the
 * item; SET and WHERE are evaluated for it, and the result is sent as an
 * UPDATE with its guard.  If the item has changed or gone, that is
 * repeated.
 */
#ifndef DYN_EXEC_UPSERT_H
#define DYN_EXEC_UPSERT_H

#include "modify.h"

typedef struct DynUpsert
{
	TupleTableSlot *existing;	/* the table's row */
	TupleTableSlot *excluded;	/* the row that was to be inserted */
	TupleTableSlot *updated;	/* result of the projection */
	ExprContext *econtext;
	ProjectionInfo *projection;
	ExprState  *where;			/* NULL: always */
} DynUpsert;

/* Prepares DO UPDATE; returns NULL if the statement does not have it. */
extern DynUpsert *dyn_upsert_create(ModifyTableState *mtstate, ResultRelInfo *rinfo,
									const char *name);

/* Frees its slots. */
extern void dyn_upsert_free(DynUpsert *upsert);

/*
 * Composes the update of the existing row, which is in modify->scratch.  Sets
 * the state of the write: NEW, or WRITTEN if nothing changes, or NO_ROW if
 * WHERE is not true.
 */
extern void dyn_upsert_evaluate(DynWrite *write);

/* The existing row is gone: the insertion is tried again. */
extern void dyn_upsert_insert_again(DynWrite *write);

#endif

/*
 * met_keys.h
 *		Set of the keys of rows that a statement has written, or is about to
 *		write, if it may try to write a row twice.
 */
#ifndef DYN_EXEC_MET_KEYS_H
#define DYN_EXEC_MET_KEYS_H

#include "modify.h"

/* Creates an empty set in CurrentMemoryContext. */
extern struct HTAB *dyn_met_create(void);

/*
 * Adds the key of the row.  Returns true if the set had the key before.
 * Always returns false if a row cannot be met twice (modify->met is NULL).
 */
extern bool dyn_met_add(DynModify *modify, TupleTableSlot *row);

/*
 * Removes the key of a write whose row DO UPDATE does not affect, because the
 * WHERE is not true.
 */
extern void dyn_met_forget(const DynWrite *write);

#endif

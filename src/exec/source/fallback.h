/*
 * fallback.h
 *		Executions that the table answers, since the planned index may not hold
 *		all that they select (plan/keys/index_complete.h).
 *
 * Whether it does depends on an execution's values.  The table is then read by
 * its key or by a Scan; since the plan leaves out the checks that the index's
 * requests would make, all of them are made here (checked.h), and rows that the
 * index would give in order are sorted.
 *
 * Legal order: dyn_fallback_create once; for an execution of this kind
 * dyn_fallback_start, and if that returned a reader dyn_fallback_open.
 */
#ifndef DYN_EXEC_FALLBACK_H
#define DYN_EXEC_FALLBACK_H

#include "input.h"
#include "items.h"

typedef struct DynFallback DynFallback;

/* NULL if the access plan has none. */
extern DynFallback *dyn_fallback_create(const DynInput *input);

/*
 * What reads the table for the execution that begins; NULL if one with the same
 * values is known to have found nothing.
 */
extern DynReader *dyn_fallback_start(DynFallback *fallback);

/*
 * A source of those rows of the reader's items that satisfy all conditions, in
 * the planned order.  It closes the items.
 */
extern DynItems *dyn_fallback_open(DynFallback *fallback, DynItems *items);

/* Executions so far. */
extern uint64 dyn_fallback_executions(const DynFallback *fallback);

#endif

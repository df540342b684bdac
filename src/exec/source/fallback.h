/*
 * fallback.h
 *		Serves executions from the table if the planned index may lack items
 *		that they select (plan/keys/index_complete.h).
 *
 * Whether the index may lack items depends on the values of the execution.
 * The table is then read by its key or by a Scan.  The plan omits checks that
 * the index's requests would make, so all conditions are checked here
 * (DynChecker).  Rows that the index would return in order are sorted.
 */
#ifndef DYN_EXEC_FALLBACK_H
#define DYN_EXEC_FALLBACK_H

#include "input.h"
#include "items.h"

typedef struct DynFallback DynFallback;

/* Returns a fallback; NULL if the access plan has none. */
extern DynFallback *dyn_fallback_create(DynInput *input);

/*
 * Returns the source of the execution that begins, in CurrentMemoryContext.
 * It sends no request if an execution with the same values found no row
 * before.
 */
extern DynItems *dyn_fallback_open(DynFallback *fallback);

#endif

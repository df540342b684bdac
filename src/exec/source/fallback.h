/*
 * fallback.h
 *		Executions that the table answers, since the planned index may not hold
 *		all that they select (plan/keys/index_complete.h).
 *
 * Whether it does depends on an execution's values.  The table is then read by
 * its key or by a Scan; since the plan leaves out the checks that the index's
 * requests would make, all of them are made here (checked.h), and rows that the
 * index would give in order are sorted.
 */
#ifndef DYN_EXEC_FALLBACK_H
#define DYN_EXEC_FALLBACK_H

#include "input.h"
#include "items.h"

typedef struct DynFallback DynFallback;

/* NULL if the access plan has none. */
extern DynFallback *dyn_fallback_create(DynInput *input);

/*
 * The source of the execution that begins, in CurrentMemoryContext.  It reads
 * nothing if one with the same values is known to have found nothing.
 */
extern DynItems *dyn_fallback_open(DynFallback *fallback);

#endif

/*
 * run.h
 *		Detects whether a statement is being run to its end.
 */
#ifndef DYN_EXEC_RUN_H
#define DYN_EXEC_RUN_H

#include "nodes/execnodes.h"

/*
 * Returns true if the current call of the executor fetches all rows of the
 * plan.  False if a client or a cursor fetches some of them.
 */
extern bool dyn_run_is_to_end(const EState *estate);

/* Installs the hook. Called once, when the library is loaded. */
extern void dyn_run_init(void);

#endif

/*
 * target.h
 *		Finds the servers and foreign tables that SQL-callable functions are
 *		given.
 */
#ifndef DYN_COMMAND_TARGET_H
#define DYN_COMMAND_TARGET_H

#include "foreign/foreign.h"

#include "../model/session/session.h"

/*
 * Returns the server of that name; raises an error if it is not of this
 * wrapper.
 */
extern ForeignServer *dyn_target_find_server(const char *name);

/*
 * Returns the current user's connection to the server of that name.  Raises an
 * error if there is none, if it is not of this wrapper, or if the user lacks
 * USAGE.
 */
extern DynConnection *dyn_target_server(const char *name);

/*
 * Locks a relation until the transaction ends.  Raises an error if it is not a
 * foreign table of this wrapper that the current user owns.
 */
extern void dyn_target_check(Oid relid);

#endif

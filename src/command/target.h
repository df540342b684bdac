/*
 * target.h
 *		The servers and foreign tables that SQL-callable functions are given.
 */
#ifndef DYN_COMMAND_TARGET_H
#define DYN_COMMAND_TARGET_H

#include "../model/session/session.h"

/*
 * The current user's connection to the server of that name.  Raises an error if
 * there is none, if it is not of this wrapper, or if the user lacks USAGE.
 */
extern DynConnection *dyn_target_server(const char *name);

/*
 * Locks a relation until the transaction ends.  Raises an error if it is not a
 * foreign table of this wrapper that the current user owns.
 */
extern void dyn_target_check(Oid relid);

#endif

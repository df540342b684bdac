/*
 * target.h
 *		The servers and foreign tables that SQL-callable functions are given.
 */
#ifndef DYN_COMMAND_TARGET_H
#define DYN_COMMAND_TARGET_H

#include "foreign/foreign.h"

#include "../model/relation.h"

/*
 * Is the server one of this wrapper?  Others may have options of the same
 * names.
 */
extern bool dyn_server_is_ours(const ForeignServer *server);

/*
 * Opens a foreign table of this wrapper, which the current user must own, for
 * requests with the current user's keys; locks it until the transaction ends.
 * Raises errors.
 */
extern DynRelation *dyn_target_open(Oid relid);

#endif

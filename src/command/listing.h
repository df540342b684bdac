/*
 * listing.h
 *		Lists the DynamoDB tables of a server.
 */
#ifndef DYN_COMMAND_LISTING_H
#define DYN_COMMAND_LISTING_H

#include "../model/session/session.h"

/*
 * Runs ListTables, and calls `each` for every table whose name begins with the
 * server's table_prefix.  `name` is the name without this prefix.  Names are
 * NUL-terminated, and valid only during the call; `each` may raise an error.
 */
extern void dyn_list_tables(DynConnection *connection,
							void (*each) (void *arg, const char *name),
							void *arg);

#endif

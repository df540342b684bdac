/*
 * privilege.h
 *		Who may aim requests where.
 *
 * The owner of a server may set its endpoint, and every user's requests then
 * go there, signed with the user's key.  Plain http shows them to the network,
 * so it takes a server that a superuser owns.
 */
#ifndef DYN_MODEL_PRIVILEGE_H
#define DYN_MODEL_PRIVILEGE_H

#include "foreign/foreign.h"

/* Raises an error if the server's endpoint is plain http without that right. */
extern void dyn_check_endpoint(Oid server_owner, const char *server_name,
							   const char *url);

#endif

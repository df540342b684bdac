/*
 * privilege.h
 *		Checks who may direct requests to an endpoint.
 *
 * The owner of a server may set its endpoint, and the requests of all users
 * then go there, signed with their keys.  Plain http makes them visible to the
 * network, so it is only allowed for a server that a superuser owns.
 */
#ifndef DYN_MODEL_PRIVILEGE_H
#define DYN_MODEL_PRIVILEGE_H

#include "foreign/foreign.h"

/* Raises an error if the endpoint is plain http but not allowed to be. */
extern void dyn_check_endpoint(Oid server_owner, const char *server_name,
							   const char *url);

#endif

/*
 * privilege.h
 *		Checks who may direct requests to an endpoint.
 *
 * The owner of a server may set its endpoint.  The requests of all users then
 * go there, signed with their keys.  Plain http makes them visible to the
 * network, so it is only allowed for a server that a superuser owns.
 *
 * Credentials from a provider belong to the database server.  They are sent
 * only to AWS, and only for a user in whose mapping a superuser has set a
 * provider.  The catalogs do not record who set an option, and a server's
 * owner may change.  So a server with endpoint_url, proxy or ca_bundle, which
 * redirect requests, must have a superuser as its current owner, and the
 * mapping must name the endpoint.  The mapping must also name the endpoint if
 * the server's owner, who can change the region, is not a superuser.
 */
#ifndef DYN_MODEL_PRIVILEGE_H
#define DYN_MODEL_PRIVILEGE_H

#include "foreign/foreign.h"

#include "connection.h"

/* Raises an error if the endpoint is plain http and that is not allowed. */
extern void dyn_check_endpoint(const ForeignServer *server, const char *url);

/*
 * Raises an error if the connection must not use credentials from a provider
 * other than "static".  `allowed` is allowed_endpoint_url, normalized like the
 * service's URL, or NULL.
 */
extern void dyn_check_source(const DynConnection *connection,
							 const ForeignServer *server, const char *allowed);

#endif

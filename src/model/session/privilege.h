/*
 * privilege.h
 *		Checks whether a connection may send requests to its endpoint.
 *
 * The owner of a server may set its endpoint.  The requests of all users are
 * then sent to this endpoint, signed with the users' keys.  Plain http makes
 * requests visible to the network, so it requires a server that a superuser
 * owns.
 *
 * Credentials from a provider belong to the database server.  They are used
 * only for a user in whose mapping a superuser has set a provider.  They are
 * sent only to AWS, or to an endpoint that this mapping names.  If the server
 * has endpoint_url, proxy or ca_bundle, which redirect requests, the mapping
 * must name the endpoint, and the server's owner must be a superuser.  The
 * mapping must also name the endpoint if the owner, who can change the region,
 * is not a superuser.  All this is checked for the current owner, because the
 * catalogs do not record who set an option.
 */
#ifndef DYN_MODEL_PRIVILEGE_H
#define DYN_MODEL_PRIVILEGE_H

#include "foreign/foreign.h"

#include "connection.h"

/* Raises an error for plain http, unless a superuser owns the server. */
extern void dyn_check_endpoint(const ForeignServer *server, const char *url);

/*
 * Raises an error if the connection must not use credentials from a provider
 * other than "static".  `allowed` is allowed_endpoint_url, normalized like the
 * service's URL, or NULL.
 */
extern void dyn_check_source(const DynConnection *connection,
							 const ForeignServer *server, const char *allowed);

#endif

/*
 * privilege.h
 *		Checks who may direct requests to an endpoint.
 *
 * The owner of a server may set its endpoint.  The requests of all users then
 * go there, signed with their keys.  Plain http makes them visible to the
 * network, so it is only allowed for a server that a superuser owns.
 *
 * Credentials from a provider belong to the database server.  They go to AWS
 * only, and only for the user whose mapping a superuser gave a provider.  The
 * catalogs do not record who set an option, and a server's owner may change.
 * Therefore endpoint_url, proxy or ca_bundle, which redirect requests, require
 * that a superuser owns the server now, and that the mapping names the
 * endpoint.  The mapping must also name it if the server's owner, who can
 * change the region, is not a superuser.
 */
#ifndef DYN_MODEL_PRIVILEGE_H
#define DYN_MODEL_PRIVILEGE_H

#include "foreign/foreign.h"

/* Raises an error if the endpoint is plain http and that is not allowed. */
extern void dyn_check_endpoint(const ForeignServer *server, const char *url);

/* Intended use of credentials from a provider other than "static". */
typedef struct DynSourceUse
{
	const ForeignServer *server;
	Oid			userid;
	bool		for_public;		/* true if the mapping is for PUBLIC */
	const char *source;			/* value of credential_provider */
	const char *region;
	const char *url;			/* URL of the service */
	const char *detour;			/* first option of the server that redirects
								 * requests, or NULL */
	const char *allowed;		/* allowed_endpoint_url, normalized like `url`,
								 * or NULL */
} DynSourceUse;

/* Raises an error if that use is not allowed. */
extern void dyn_check_source(const DynSourceUse *use);

#endif

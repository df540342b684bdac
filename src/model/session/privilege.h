/*
 * privilege.h
 *		Checks who may direct requests to an endpoint.
 *
 * The owner of a server may set its endpoint, and the requests of all users
 * then go there, signed with their keys.  Plain http makes them visible to the
 * network, so it is only allowed for a server that a superuser owns.
 *
 * Credentials of a source, which are those of the database server, go to AWS
 * only, and only for the user whose mapping a superuser gave a source.  Who set
 * an option is not in the catalogs, and a server may get another owner.  So
 * with endpoint, proxy or ca_bundle, which direct requests elsewhere, a superuser
 * must own the server now, and the mapping must name the endpoint.  It must, too,
 * if the server's owner, who can change the region, is not a superuser.
 */
#ifndef DYN_MODEL_PRIVILEGE_H
#define DYN_MODEL_PRIVILEGE_H

#include "foreign/foreign.h"

/* Raises an error if the endpoint is plain http but not allowed to be. */
extern void dyn_check_endpoint(const ForeignServer *server, const char *url);

/* What credentials of a source, which is not "static", are to be used for. */
typedef struct DynSourceUse
{
	const ForeignServer *server;
	Oid			userid;
	bool		for_public;		/* by a mapping for PUBLIC */
	const char *source;			/* as in credential_provider */
	const char *region;
	const char *url;			/* of the service */
	const char *detour;			/* the first option of the server that directs
								 * requests elsewhere; NULL: there is none */
	const char *allowed;		/* allowed_endpoint_url in the form of `url`, or
								 * NULL */
} DynSourceUse;

/* Raises an error if that is not allowed. */
extern void dyn_check_source(const DynSourceUse *use);

#endif

/*
 * route.h
 *		How credentials are obtained: an origin, and the roles assumed from
 *		there.
 *
 * The environment and the files of AWS's tools are read anew for each route,
 * so that what was changed there is found at the next refresh.
 */
#ifndef DYN_CREDENTIALS_ROUTE_H
#define DYN_CREDENTIALS_ROUTE_H

#include "../aws/fault.h"
#include "spec.h"

#define DYN_ROUTE_MOST_ROLES	8

typedef enum DynOrigin
{
	DYN_ORIGIN_KEYS,			/* they are known */
	DYN_ORIGIN_PROCESS,			/* credential_process (process.h) */
	DYN_ORIGIN_SSO,				/* sso.h */
	DYN_ORIGIN_WEB_IDENTITY,	/* sts.h */
	DYN_ORIGIN_CONTAINER,		/* container.h */
	DYN_ORIGIN_INSTANCE			/* instance.h */
} DynOrigin;

/* What an SSO profile names; the strings are malloc'd. */
typedef struct DynSsoProfile
{
	char	   *profile;		/* its name, for "aws sso login" */
	char	   *session;		/* sso_session, or NULL */
	char	   *start_url;
	char	   *region;			/* sso_region */
	char	   *account_id;
	char	   *role_name;
	char	   *cache_file;		/* with the token: ~/.aws/sso/cache/... */
} DynSsoProfile;

/* Zero-initialise it; the strings are malloc'd. */
typedef struct DynRoute
{
	DynOrigin	origin;
	char	   *words;			/* for people: "environment", "static keys",
								 * "profile \"x\", role arn:..." ... */
	DynCredentials keys;		/* KEYS */
	char	   *command;		/* PROCESS, as it is in the file */
	DynSsoProfile sso;			/* SSO */
	char	   *token_file;		/* WEB_IDENTITY */
	DynRole		web_role;		/* WEB_IDENTITY */
	DynRole		roles[DYN_ROUTE_MOST_ROLES];	/* assumed in this order */
	int			nroles;
} DynRoute;

/*
 * Finds the route that the spec asks for.  Returns false, with *fault set and
 * *route empty, if something is missing, unreadable, contradictory, a circle,
 * or needs somebody to answer (mfa_serial).
 */
extern bool dyn_route_find(const DynSourceSpec *spec, DynRoute *route,
						   DynFault *fault);

/* Wipes and frees everything. */
extern void dyn_route_clear(DynRoute *route);

#endif

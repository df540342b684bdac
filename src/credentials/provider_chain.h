/*
 * provider_chain.h
 *		How credentials are obtained: an origin, and the roles assumed from
 *		there.
 *
 * The environment and the files of AWS's tools are read anew for each route,
 * so that what was changed there is found at the next refresh.
 */
#ifndef DYN_CREDENTIALS_CHAIN_H
#define DYN_CREDENTIALS_CHAIN_H

#include "../aws/error.h"
#include "source_options.h"

#define DYN_MAX_CHAINED_ROLES	8

typedef enum DynProviderKind
{
	DYN_PROVIDER_KEYS,			/* they are known */
	DYN_PROVIDER_PROCESS,		/* credential_process (process.h) */
	DYN_PROVIDER_SSO,			/* sso.h */
	DYN_PROVIDER_WEB_IDENTITY,	/* sts.h */
	DYN_PROVIDER_CONTAINER,		/* container.h */
	DYN_PROVIDER_INSTANCE		/* instance.h */
} DynProviderKind;

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
typedef struct DynProviderChain
{
	DynProviderKind provider_kind;
	char	   *words;			/* for people: "environment", "static keys",
								 * "profile \"x\", role arn:..." ... */
	DynCredentials keys;		/* KEYS */
	char	   *command;		/* PROCESS, as it is in the file */
	DynSsoProfile sso;			/* SSO */
	char	   *token_file;		/* WEB_IDENTITY */
	DynRole		web_role;		/* WEB_IDENTITY */
	DynRole		roles[DYN_MAX_CHAINED_ROLES];	/* assumed in this order */
	int			nroles;
} DynProviderChain;

/*
 * Finds the route that the spec asks for.  Returns false, with *fault set and
 * *route empty, if something is missing, unreadable, contradictory, a circle,
 * or needs somebody to answer (mfa_serial).
 */
extern bool dyn_chain_find(const DynSourceOptions *spec, DynProviderChain *chain,
						   DynError *err);

/* Wipes and frees everything. */
extern void dyn_chain_clear(DynProviderChain *chain);

#endif

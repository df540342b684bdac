/*
 * provider_chain.h
 *		Finds the provider chain: a provider, and the roles assumed with its
 *		credentials.
 *
 * The environment and the files of AWS's tools are read again for each chain,
 * so that each refresh of the credentials uses their current contents.
 */
#ifndef DYN_CREDENTIALS_PROVIDER_CHAIN_H
#define DYN_CREDENTIALS_PROVIDER_CHAIN_H

#include "../aws/error.h"
#include "config.h"
#include "source_options.h"

#define DYN_MAX_CHAINED_ROLES	8

typedef enum DynProviderKind
{
	DYN_PROVIDER_KEYS,			/* keys of the user mapping, a file or the
								 * environment */
	DYN_PROVIDER_PROCESS,		/* credential_process (process.h) */
	DYN_PROVIDER_SSO,			/* sso.h */
	DYN_PROVIDER_WEB_IDENTITY,	/* sts.h */
	DYN_PROVIDER_CONTAINER,		/* machine.h */
	DYN_PROVIDER_INSTANCE
} DynProviderKind;

/* The settings of an SSO profile; the strings are malloc'd. */
typedef struct DynSsoProfile
{
	char	   *profile;		/* name of the profile, for "aws sso login" */
	char	   *session;		/* value of sso_session, or NULL */
	char	   *start_url;
	char	   *region;			/* value of sso_region */
	char	   *account_id;
	char	   *role_name;
	char	   *cache_file;		/* file with the token: ~/.aws/sso/cache/... */
} DynSsoProfile;

/*
 * Zero-initialize it; the strings are malloc'd.  Members marked with a kind of
 * provider are used only for that kind.
 */
typedef struct DynProviderChain
{
	DynProviderKind provider_kind;
	char	   *words;			/* description for users, such as
								 * "environment", "static keys" or "profile
								 * \"x\", role arn:..." */
	DynCredentials keys;		/* keys (KEYS) */
	char	   *command;		/* command as in the file (PROCESS) */
	DynSsoProfile sso;			/* profile (SSO) */
	char	   *token_file;		/* path of the token file (WEB_IDENTITY) */
	DynRole		web_role;		/* role for the token (WEB_IDENTITY) */
	DynRole		roles[DYN_MAX_CHAINED_ROLES];	/* roles in the order in which
												 * they are assumed */
	int			nroles;
} DynProviderChain;

/*
 * Finds the chain that `source_options` selects.  Returns false, with *err set and
 * *chain empty, if settings are missing, unreadable, contradictory or cyclic,
 * or if they need a person's input (mfa_serial).
 */
extern bool dyn_chain_find(const DynSourceOptions *source_options, DynProviderChain *chain,
						   DynError *err);

/* Wipes and frees everything. */
extern void dyn_chain_clear(DynProviderChain *chain);

/* ---- the parts of a chain (environment.c, profile.c) -------------------- */

typedef enum DynFound
{
	DYN_FOUND_ERROR = false,	/* *err is set; false, so that results of
								 * error.h's functions can be returned */
	DYN_FOUND_NOTHING,			/* not configured; *err has details */
	DYN_FOUND
} DynFound;

/*
 * Reads AWS_ACCESS_KEY_ID and the related variables into zeroed credentials.
 */
extern DynFound dyn_environment_keys(DynCredentials *keys, DynError *err);

/*
 * Reads AWS_WEB_IDENTITY_TOKEN_FILE and the related variables into a malloc'd
 * path and a zeroed role.  The caller frees both, even after a failure.
 */
extern DynFound dyn_environment_web_identity(char **token_file, DynRole *role,
											 DynError *err);

/*
 * Returns true if the profile assumes its role with the credentials of a
 * source, not with a web identity token.  In the default order, such a profile
 * precedes the environment's web identity.
 */
extern bool dyn_profile_assumes_role(const DynConfig *config,
									 const char *profile);

/*
 * Sets the provider and the roles of *chain, which must be zeroed.  Returns
 * NOTHING if the profile does not exist, or has no credentials.  The caller
 * clears the chain, even after a failure.
 */
extern DynFound dyn_profile_find(const DynConfig *config, const char *profile,
								 DynProviderChain *chain, DynError *err);

#endif

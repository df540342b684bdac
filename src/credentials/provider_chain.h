/*
 * provider_chain.h
 *		Finds the provider chain: a provider and the roles to assume.
 *
 * A role is assumed with the credentials of the provider or of the previous
 * role.  The environment and the files of AWS's tools are read again for each
 * chain, so each refresh of the credentials uses their current contents.
 */
#ifndef DYN_CREDENTIALS_PROVIDER_CHAIN_H
#define DYN_CREDENTIALS_PROVIDER_CHAIN_H

#include "../aws/error.h"
#include "source.h"

#define DYN_MAX_CHAINED_ROLES	8

typedef enum DynProviderKind
{
	DYN_PROVIDER_KEYS,			/* access keys of a user mapping, a file or the
								 * environment */
	DYN_PROVIDER_PROCESS,		/* credential_process (process.c) */
	DYN_PROVIDER_SSO,			/* sso.c */
	DYN_PROVIDER_WEB_IDENTITY,	/* sts.c */
	DYN_PROVIDER_CONTAINER,		/* machine.c */
	DYN_PROVIDER_INSTANCE
} DynProviderKind;

/* The settings of an SSO profile; the strings are malloc'd. */
typedef struct DynSsoProfile
{
	char	   *profile;		/* name of the profile, for "aws sso login" */
	char	   *region;			/* value of sso_region */
	char	   *account_id;
	char	   *role_name;
	char	   *cache_file;		/* file with the token: ~/.aws/sso/cache/... */
} DynSsoProfile;

/*
 * Must be zero-initialized; the strings are malloc'd.  A member whose comment
 * ends with a kind of provider, such as (SSO), is used only by that kind.
 */
typedef struct DynProviderChain
{
	DynProviderKind provider_kind;
	char	   *words;			/* description for users, such as "static keys"
								 * or "profile \"x\", role arn:..." */
	DynCredentials keys;		/* access keys (KEYS) */
	char	   *command;		/* command to execute (PROCESS) */
	DynSsoProfile sso;			/* settings (SSO) */
	char	   *token_file;		/* path of the token file (WEB_IDENTITY) */
	DynRole		web_role;		/* role for the token (WEB_IDENTITY) */
	DynRole		roles[DYN_MAX_CHAINED_ROLES];	/* assumed in this order */
	int			nroles;
} DynProviderChain;

/*
 * Finds the chain that `source_options` selects.  On failure, returns false,
 * with *err set and *chain empty.
 */
extern bool dyn_chain_find(const DynSourceOptions *source_options, DynProviderChain *chain,
						   DynError *err);

/* Wipes and frees everything. */
extern void dyn_chain_clear(DynProviderChain *chain);

#endif

/*
 * profile.h
 *		Finds the provider chain of a profile in AWS's files.
 */
#ifndef DYN_CREDENTIALS_PROFILE_H
#define DYN_CREDENTIALS_PROFILE_H

#include "config.h"
#include "environment.h"
#include "provider_chain.h"

/*
 * Returns true if it assumes a role with the credentials of another source.
 * Such a profile precedes the environment's web identity.
 */
extern bool dyn_profile_assumes_role(const DynConfig *config,
									 const char *profile);

/*
 * Sets the provider and the roles of a zeroed chain.  Returns NOTHING if the
 * profile does not exist, or has no credentials.  After a failure, some
 * members of *chain may be set.
 */
extern DynFound dyn_profile_find(const DynConfig *config, const char *profile,
								 DynProviderChain *chain, DynError *err);

#endif

/*
 * profile.h
 *		How a profile of AWS's files obtains its credentials.
 */
#ifndef DYN_CREDENTIALS_PROFILE_H
#define DYN_CREDENTIALS_PROFILE_H

#include "config.h"
#include "environment.h"
#include "provider_chain.h"

/*
 * Does it assume a role with the credentials of another source?  Such a
 * profile precedes the environment's web identity.
 */
extern bool dyn_profile_assumes_role(const DynConfig *config,
									 const char *profile);

/*
 * Sets the origin and the roles of a zeroed route.  NOTHING if the profile
 * does not exist, or has no credentials.  After a failure, some of *route may
 * be set.
 */
extern DynFound dyn_profile_find(const DynConfig *config, const char *profile,
								 DynProviderChain *chain, DynError *err);

#endif

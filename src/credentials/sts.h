/*
 * sts.h
 *		Credentials of roles, from the security token service.
 */
#ifndef DYN_CREDENTIALS_STS_H
#define DYN_CREDENTIALS_STS_H

#include "provider_response.h"
#include "source_options.h"

/* Seconds; a role that is assumed by a role may have no more. */
#define DYN_STS_LONGEST_CHAINED		3600

/*
 * AssumeRole, signed by `keys` for the time `now` (seconds since the epoch by
 * the service's clock).  `chained`: the keys are a role's.  Returns NULL with
 * *fault set.
 */
extern DynExchange *dyn_sts_assume_role(const DynSourceOptions *spec,
										const DynRole *role,
										const DynCredentials *keys,
										bool chained, int64_t now,
										DynError *err);

/* AssumeRoleWithWebIdentity, not signed, with the contents of the file. */
extern DynExchange *dyn_sts_web_identity(const DynSourceOptions *spec,
										 const DynRole *role,
										 const char *token_file,
										 DynError *err);

/*
 * Of both; *fault contains the service's code, and its text as an excerpt.
 * AGAIN also for a signature whose time is wrong: another request must be made,
 * by the clock that exchange->date shows.
 */
extern DynProviderResponse dyn_sts_response(const DynRole *role,
											const DynExchange *exchange,
											DynCredentials *credentials, DynError *err);

#endif

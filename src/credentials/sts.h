/*
 * sts.h
 *		Obtains the credentials of roles from the security token service.
 */
#ifndef DYN_CREDENTIALS_STS_H
#define DYN_CREDENTIALS_STS_H

#include "provider_response.h"
#include "source_options.h"

/* Limit in seconds for a role that is assumed by a role. */
#define DYN_STS_LONGEST_CHAINED		3600

/*
 * Returns an AssumeRole request, signed by `keys` for the time `now` (seconds
 * since the epoch by the service's clock).  `chained` is true if the keys are
 * a role's.  Returns NULL with *err set on failure.
 */
extern DynExchange *dyn_sts_assume_role(const DynSourceOptions *source_options,
										const DynRole *role,
										const DynCredentials *keys,
										bool chained, int64_t now,
										DynError *err);

/*
 * Returns an AssumeRoleWithWebIdentity request, not signed, with the contents
 * of the token file.
 */
extern DynExchange *dyn_sts_web_identity(const DynSourceOptions *source_options,
										 const DynRole *role,
										 const char *token_file,
										 DynError *err);

/*
 * Reads the reply to either request.  On failure, *err contains the service's
 * code, and its text as an excerpt.  The result is AGAIN also for a signature
 * with a wrong time: then another request must be created, by the clock that
 * exchange->date shows.
 */
extern DynProviderResponse dyn_sts_response(const DynRole *role,
											const DynExchange *exchange,
											DynCredentials *credentials, DynError *err);

#endif

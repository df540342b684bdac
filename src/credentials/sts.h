/*
 * sts.h
 *		Obtains the credentials of roles from the security token service.
 */
#ifndef DYN_CREDENTIALS_STS_H
#define DYN_CREDENTIALS_STS_H

#include "provider_response.h"
#include "source_options.h"

/* Maximum duration (s) if another role's credentials assume the role. */
#define DYN_STS_LONGEST_CHAINED		3600

/*
 * Returns an AssumeRole request, signed with `keys` at the time `now` (seconds
 * since the epoch according to the service's clock).  `chained` is true if the
 * keys may be those of another role; then the duration is at most
 * DYN_STS_LONGEST_CHAINED.  Returns NULL with *err set on failure.
 */
extern DynExchange *dyn_sts_assume_role(const DynSourceOptions *source_options,
										const DynRole *role,
										const DynCredentials *keys,
										bool chained, int64_t now,
										DynError *err);

/*
 * Returns an unsigned AssumeRoleWithWebIdentity request with the contents of
 * the token file; NULL with *err set on failure.
 */
extern DynExchange *dyn_sts_web_identity(const DynSourceOptions *source_options,
										 const DynRole *role,
										 const char *token_file,
										 DynError *err);

/*
 * Reads the reply to one of these requests.  If the reply is an error
 * document, *err contains its code, and its message as an excerpt.  The result
 * is AGAIN if the same request may succeed later.
 */
extern DynProviderResponse dyn_sts_response(const DynRole *role,
											const DynExchange *exchange,
											DynCredentials *credentials, DynError *err);

#endif

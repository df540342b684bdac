/*
 * sts.h
 *		Credentials of roles, from the security token service.
 */
#ifndef DYN_CREDENTIALS_STS_H
#define DYN_CREDENTIALS_STS_H

#include "answer.h"
#include "spec.h"

/* Seconds; a role that is assumed by a role may have no more. */
#define DYN_STS_LONGEST_CHAINED		3600

/*
 * AssumeRole, signed by `keys` for the time `now` (seconds since the epoch by
 * the service's clock).  `chained`: the keys are a role's.  Returns NULL with
 * *fault set.
 */
extern DynExchange *dyn_sts_assume_role(const DynSourceSpec *spec,
										const DynRole *role,
										const DynCredentials *keys,
										bool chained, int64_t now,
										DynFault *fault);

/* AssumeRoleWithWebIdentity, not signed, with the contents of the file. */
extern DynExchange *dyn_sts_web_identity(const DynSourceSpec *spec,
										 const DynRole *role,
										 const char *token_file,
										 DynFault *fault);

/*
 * Of both; *fault contains the service's code, and its text as an excerpt.
 * AGAIN also for a signature whose time is wrong: another request must be made,
 * by the clock that exchange->date shows.
 */
extern DynAnswer dyn_sts_answer(const DynRole *role,
								const DynExchange *exchange,
								DynCredentials *credentials, DynFault *fault);

#endif

/*
 * providers.h
 *		Obtains credentials from containers and instances (machine.c), IAM
 *		Identity Center (sso.c), STS (sts.c) and programs (process.c).
 */
#ifndef DYN_CREDENTIALS_PROVIDERS_H
#define DYN_CREDENTIALS_PROVIDERS_H

#include "provider_chain.h"
#include "provider_response.h"

/* ---- containers: ECS tasks and EKS pods ------------------------------- */

/* Returns true if the environment names a container's endpoint. */
extern bool dyn_container_is_set(void);

/*
 * Returns the request, whose policy is DYN_ADDRESS_LOCAL; NULL with *err set
 * on failure.
 */
extern DynExchange *dyn_container_request(DynError *err);

extern DynProviderResponse dyn_container_response(const DynExchange *exchange,
												  DynCredentials *credentials,
												  DynError *err);

/* ---- EC2 instances: a token, the role's name, the credentials ---------- */

/* Results of the requests so far (malloc'd); must be zero-initialized. */
typedef struct DynInstance
{
	char	   *token;
	char	   *role;
	bool		renewed;		/* true if a refused token was discarded,
								 * and no credentials were obtained since */
} DynInstance;

/* Returns false if AWS_EC2_METADATA_DISABLED is "true". */
extern bool dyn_instance_is_enabled(void);

/* Returns the next request; NULL with *err set on failure. */
extern DynExchange *dyn_instance_request(const DynInstance *instance,
										 DynError *err);

/*
 * Handles the reply.  If the service refuses the token (401), discards the
 * token and returns NEXT.  Fails if the service refuses the new token as well.
 */
extern DynProviderResponse dyn_instance_response(DynInstance *instance,
												 const DynExchange *exchange,
												 DynCredentials *credentials,
												 DynError *err);

/* Wipes and frees the strings. */
extern void dyn_instance_clear(DynInstance *instance);

/* ---- IAM Identity Center, with the token of "aws sso login" ------------- */

/*
 * Returns the request to the URL in AWS_ENDPOINT_URL_SSO or, if this variable
 * is not set, to the portal of sso->region.  The token is read from its file
 * each time, and is not refreshed here.  `now` is the service's time (s since
 * the epoch).  Returns NULL with *err set on failure.
 */
extern DynExchange *dyn_sso_request(const DynSsoProfile *sso, int64_t now,
									DynError *err);

extern DynProviderResponse dyn_sso_response(const DynSsoProfile *sso,
											const DynExchange *exchange,
											DynCredentials *credentials, DynError *err);

/* ---- the security token service ------------------------------------------ */

/*
 * Returns an AssumeRole request, signed with `keys`.  `now` is the service's
 * time (seconds since the epoch).  If `chained` is true, the keys may be those
 * of another role, so the duration is limited to an hour.  Returns NULL with
 * *err set on failure.
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
 * Reads the reply to an STS request.  Returns AGAIN if the same request may
 * succeed later.
 */
extern DynProviderResponse dyn_sts_response(const DynRole *role,
											const DynExchange *exchange,
											DynCredentials *credentials, DynError *err);

/*
 * ---- programs (credential_process)
 *
 * The program is executed without a shell, in a session of its own and in the
 * root directory.  It gets only the variables PATH, HOME and AWS_*, only
 * descriptors 0 to 2, and default signal handling.  It is killed if the server
 * process ends for any reason.
 *
 * The result is the output until the program ends; processes that the program
 * leaves running are not awaited.
 */

typedef struct DynProcess DynProcess;

/*
 * Starts the command, which is split as in a shell, but only quotes and
 * backslashes are special.  Returns NULL with *err set on failure.  However,
 * only dyn_process_response reports that the program could not be executed.
 */
extern DynProcess *dyn_process_start(const char *command, DynError *err);

/* Returns a descriptor that is readable if the program wrote or ended. */
extern int	dyn_process_fd(const DynProcess *process);

/* Number of descriptors that a DynProcess holds open. */
#define DYN_PROCESS_FDS		5

/*
 * Reads the available output, without waiting.  Returns AGAIN, with *err not
 * set, while the program runs; after any other result, destroy *process.
 */
extern DynProviderResponse dyn_process_response(DynProcess *process,
												DynCredentials *credentials,
												DynError *err);

/*
 * Kills the program's process group, reaps the program, and frees everything.
 * If the program cannot be killed, because it now runs as another user, it is
 * reaped when another program is started later.  NULL is allowed.
 */
extern void dyn_process_destroy(DynProcess *process);

#endif

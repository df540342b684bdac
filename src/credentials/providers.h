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
 * Returns the request to the endpoint that the environment names, with the
 * token in the environment or in the file that the environment names.  A full
 * URI must be http or https, and DYN_ADDRESS_LOCAL must allow its host.
 * Returns NULL with *err set on failure.
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
	bool		renewed;		/* true if a token was refused, and no
								 * credentials were obtained since */
} DynInstance;

/* Returns false if AWS_EC2_METADATA_DISABLED is "true". */
extern bool dyn_instance_is_enabled(void);

/* Returns the next request; NULL with *err set on failure. */
extern DynExchange *dyn_instance_request(const DynInstance *instance,
										 DynError *err);

/*
 * Handles the reply.  If the service refused the token (401), discards the
 * token and returns NEXT; but fails if a second token is refused, too.
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
 * each time, and is not refreshed here.  Returns NULL with *err set on
 * failure.  If the token is missing or has expired at `now` (seconds since the
 * epoch), the hint shows the command to log in, and the operating-system user.
 */
extern DynExchange *dyn_sso_request(const DynSsoProfile *sso, int64_t now,
									DynError *err);

extern DynProviderResponse dyn_sso_response(const DynSsoProfile *sso,
											const DynExchange *exchange,
											DynCredentials *credentials, DynError *err);

/* ---- the security token service ------------------------------------------ */

/*
 * Returns an AssumeRole request, signed with `keys` at the time `now` (of the
 * service's clock, seconds since the epoch).  If the keys are `chained`, which
 * means that they may be those of another role, the duration is at most an
 * hour.  Returns NULL with *err set on failure.
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
 * Reads the reply to an STS request.  For an error document, *err contains its
 * code, and its message as an excerpt.  Returns AGAIN if the same request may
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
 * leaves running are not awaited.  We wait only for the program's own pid, and
 * accept that a SIGCHLD handler or another wait() has reaped it.
 */

typedef struct DynProcess DynProcess;

/*
 * Starts the command, which is split as by a shell in which only quotes and
 * backslashes are special.  Returns NULL with *err set on failure.  If the
 * program cannot be executed, only dyn_process_response reports this.
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

/*
 * process.h
 *		Credentials that a program prints (credential_process).
 *
 * The program is executed without a shell, in a session of its own and in the
 * root directory, with PATH, HOME and AWS_* of the environment only (see
 * program.h), descriptors 0 to 2 only, and default signals.  It is killed,
 * with the processes that it started in its group, when it is destroyed; and
 * when this process ends, however it does.
 *
 * The result is what it has printed when it ends: processes that it leaves
 * behind are not waited for.  Nothing but its own pid is waited for, and
 * neither a handler of SIGCHLD nor somebody else's wait() does harm.
 */
#ifndef DYN_CREDENTIALS_PROCESS_H
#define DYN_CREDENTIALS_PROCESS_H

#include "provider_response.h"

typedef struct DynProcess DynProcess;

/*
 * Starts the command; quotes and backslashes are as in a shell, nothing else
 * is.  Returns NULL with *fault set, also if it cannot be executed.
 */
extern DynProcess *dyn_process_start(const char *command, DynError *err);

/*
 * A descriptor that is readable when there is something to do: the program
 * writes, or has ended.
 */
extern int	dyn_process_fd(const DynProcess *process);

/* Descriptors that it holds open. */
#define DYN_PROCESS_FDS		4

/*
 * Reads what there is, without waiting.  AGAIN, with *fault not set, while the
 * program runs.  After another result, the process can only be destroyed.
 */
extern DynProviderResponse dyn_process_response(DynProcess *process,
												DynCredentials *credentials,
												DynError *err);

/*
 * Kills and reaps it if it runs, and frees everything.  A program that cannot
 * be killed (one that became another user) is reaped when the next one starts.
 * NULL is allowed.
 */
extern void dyn_process_destroy(DynProcess *process);

#endif

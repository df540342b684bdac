/*
 * process.h
 *		Obtains credentials that a program prints (credential_process).
 *
 * The program is executed without a shell, in a session of its own and in the
 * root directory.  It gets PATH, HOME and AWS_* of the environment only (see
 * program.h), descriptors 0 to 2 only, and default signals.  It is killed,
 * with the processes that it started in its group, when it is destroyed, and
 * when this process ends for any reason.
 *
 * The result is its output at the time when it ends.  Processes that it leaves
 * running are not waited for.  Only its own pid is waited for, so a handler of
 * SIGCHLD or another wait() does no harm.
 */
#ifndef DYN_CREDENTIALS_PROCESS_H
#define DYN_CREDENTIALS_PROCESS_H

#include "provider_response.h"

typedef struct DynProcess DynProcess;

/*
 * Starts the command; only quotes and backslashes are special, as in a shell.
 * Returns NULL with *err set on failure, also if the program cannot be
 * executed.
 */
extern DynProcess *dyn_process_start(const char *command, DynError *err);

/*
 * Returns a descriptor that is readable when there is work to do: the program
 * writes, or has ended.
 */
extern int	dyn_process_fd(const DynProcess *process);

/* Number of descriptors that a process holds open. */
#define DYN_PROCESS_FDS		4

/*
 * Reads the available output, without waiting.  Returns AGAIN, with *err not
 * set, while the program runs.  After another result, the process can only be
 * destroyed.
 */
extern DynProviderResponse dyn_process_response(DynProcess *process,
												DynCredentials *credentials,
												DynError *err);

/*
 * Kills and reaps the program if it runs, and frees everything.  A program
 * that cannot be killed, because it runs as another user now, is reaped when
 * the next one starts.  NULL is allowed.
 */
extern void dyn_process_destroy(DynProcess *process);

#endif

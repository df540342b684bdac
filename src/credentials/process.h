/*
 * process.h
 *		Obtains credentials that a program prints (credential_process).
 *
 * The program is executed without a shell, in a session of its own and in the
 * root directory.  It gets only the variables PATH, HOME and AWS_*, only
 * descriptors 0 to 2, and default signal handling.
 * dyn_process_destroy kills the program and the other processes of its group.
 * The program is also killed if the server process ends for any reason.
 *
 * The result is the program's output until the program ends; we do not wait
 * for processes that it leaves running.  We wait only for the program's own
 * pid, and accept that a SIGCHLD handler or another wait() has reaped it.
 */
#ifndef DYN_CREDENTIALS_PROCESS_H
#define DYN_CREDENTIALS_PROCESS_H

#include "provider_response.h"

typedef struct DynProcess DynProcess;

/*
 * Starts the command, which is split like by a shell in which only quotes and
 * backslashes are special.  Returns NULL with *err set on failure, for example
 * if the program cannot be executed.
 */
extern DynProcess *dyn_process_start(const char *command, DynError *err);

/*
 * Returns a descriptor that is readable when the program has written or ended.
 */
extern int	dyn_process_fd(const DynProcess *process);

/* Number of descriptors that a DynProcess holds open. */
#define DYN_PROCESS_FDS		4

/*
 * Reads the available output, without waiting.  Returns AGAIN, with *err not
 * set, while the program runs.  After any other result, *process can only be
 * destroyed.
 */
extern DynProviderResponse dyn_process_response(DynProcess *process,
												DynCredentials *credentials,
												DynError *err);

/*
 * Kills the program's process group, reaps the program, and frees everything.
 * A program that cannot be killed, because it now runs as another user, is
 * reaped when a later program is started.  NULL is allowed.
 */
extern void dyn_process_destroy(DynProcess *process);

#endif

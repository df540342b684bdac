/*
 * process.h
 *		Credentials that a program prints (credential_process).
 *
 * The program is executed without a shell, in a session of its own, with PATH,
 * HOME and AWS_* of the environment only, descriptors 0 to 2 only, and default
 * signals; it is killed when this process ends, when its time is over and when
 * it is destroyed.
 */
#ifndef DYN_CREDENTIALS_PROCESS_H
#define DYN_CREDENTIALS_PROCESS_H

#include "answer.h"

typedef struct DynProcess DynProcess;

/*
 * Starts the command; quotes and backslashes are as in a shell, nothing else
 * is.  Returns NULL with *fault set.
 */
extern DynProcess *dyn_process_start(const char *command, DynFault *fault);

/*
 * A descriptor that is readable when there is something to do: the program
 * writes, or has ended.
 */
extern int	dyn_process_fd(const DynProcess *process);

/* Descriptors that it holds open. */
#define DYN_PROCESS_FDS		3

/*
 * Reads what there is, without waiting.  AGAIN, with *fault not set, while the
 * program runs.
 */
extern DynAnswer dyn_process_answer(DynProcess *process,
									DynCredentials *credentials,
									DynFault *fault);

/* Kills and reaps it if it runs, and frees everything.  NULL is allowed. */
extern void dyn_process_destroy(DynProcess *process);

#endif

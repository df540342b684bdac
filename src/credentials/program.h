/*
 * program.h
 *		Prepares the arguments and environment of a credential_process program.
 *
 * Everything is prepared before the fork: between fork and exec, memory must
 * not be allocated.
 */
#ifndef DYN_CREDENTIALS_PROGRAM_H
#define DYN_CREDENTIALS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "../aws/error.h"

/* Zero-initialize it; the arrays and strings are malloc'd. */
typedef struct DynProgram
{
	char	  **argv;			/* words of the command, ended by NULL */
	char	  **paths;			/* files that may be the program, ended by
								 * NULL; the first one that can be executed is
								 * used */
	char	  **envp;			/* variables, ended by NULL; the AWS_*
								 * variables are not copied */
	char	   *words;			/* memory of the words */
	char	   *path_text;		/* memory of the paths */
	char	   *path_setting;	/* "PATH=..." */
	char	   *home_setting;	/* "HOME=...", or NULL */
} DynProgram;

/*
 * Splits the command like a shell in which only quotes and backslashes are
 * special.  Lists the files that the first word may refer to, and selects the
 * environment: PATH, HOME (from the system's user database) and AWS_*.  The
 * environment must not change while the program is in use.  On failure,
 * returns false with *err set and *program empty.
 */
extern bool dyn_program_prepare(DynProgram *program, const char *command,
								DynError *err);

/* Frees everything; wipes the words. */
extern void dyn_program_clear(DynProgram *program);

#endif

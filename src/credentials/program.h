/*
 * program.h
 *		What a program of credential_process is executed with.
 *
 * Everything is prepared before the fork: between fork and exec no memory may
 * be allocated.
 */
#ifndef DYN_CREDENTIALS_PROGRAM_H
#define DYN_CREDENTIALS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "../aws/error.h"

/* Zero-initialise it; the arrays and strings are malloc'd. */
typedef struct DynProgram
{
	char	  **argv;			/* into words; NULL ends it */
	char	  **paths;			/* of files: the first that can be executed is;
								 * NULL ends it */
	char	  **envp;			/* into the environment; NULL ends it */
	char	   *words;
	size_t		words_size;
	char	   *path_text;		/* what paths points to */
	char	   *path_setting;	/* "PATH=..." */
	char	   *home_setting;	/* "HOME=...", or NULL */
} DynProgram;

/*
 * Splits the command as a shell does, in which quotes and backslashes are
 * special, and nothing else is; finds the files that the first word may mean;
 * and chooses the environment: PATH, HOME (by the system's user database) and
 * AWS_*.  The environment must not change while the program is in use.
 * Returns false with *fault set and *program empty.
 */
extern bool dyn_program_prepare(DynProgram *program, const char *command,
								DynError *err);

/* Wipes and frees everything. */
extern void dyn_program_clear(DynProgram *program);

#endif

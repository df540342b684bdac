/*
 * files.h
 *		Small files of the operating-system user, and who that is.
 */
#ifndef DYN_CREDENTIALS_FILES_H
#define DYN_CREDENTIALS_FILES_H

#include "../aws/error.h"
#include "../base/buffer.h"

/* Bytes of a file. */
#define DYN_FILE_LONGEST_CONFIG	((size_t) 1024 * 1024)
#define DYN_FILE_LONGEST_TOKEN	((size_t) 64 * 1024)

typedef enum DynFileRead
{
	DYN_FILE_READ,
	DYN_FILE_MISSING,			/* there is no such file; *fault says so */
	DYN_FILE_FAILED				/* *fault says why */
} DynFileRead;

/*
 * Reads a regular file of at most `longest` bytes into *contents, which is
 * initialised here, and NUL-terminated unless it could not be read.  What is
 * not a regular file is not waited for.  dyn_file_wipe ends the use of the
 * contents; it is allowed, and not needed, after a failure.
 */
extern DynFileRead dyn_file_read(const char *path, size_t longest,
								 DynBuffer *contents, DynError *err);

/* Overwrites and frees the contents. */
extern void dyn_file_wipe(DynBuffer *contents);

/*
 * The path of `file` below the home directory of the operating-system user, by
 * the system's user database, not by $HOME; malloc'd.  NULL with *fault set if
 * the user has no home directory; or, then with `passing`, if the database
 * cannot be read now.
 */
extern char *dyn_file_below_home(const char *file, DynError *err);

/* The user's name, or its number if it has none; truncated if need be. */
extern void dyn_file_user(char *name, size_t size);

#endif

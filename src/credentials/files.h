/*
 * files.h
 *		Reads small files, and finds the server's operating-system user.
 */
#ifndef DYN_CREDENTIALS_FILES_H
#define DYN_CREDENTIALS_FILES_H

#include "../aws/credentials.h"
#include "../aws/error.h"

/* Maximum sizes of configuration and token files (bytes). */
#define DYN_FILE_LONGEST_CONFIG	((size_t) 1024 * 1024)
#define DYN_FILE_LONGEST_TOKEN	((size_t) 64 * 1024)

typedef enum DynFileRead
{
	DYN_FILE_READ,
	DYN_FILE_MISSING,			/* the file does not exist; *err is set */
	DYN_FILE_FAILED				/* *err has the reason */
} DynFileRead;

/*
 * Initializes *contents, and reads a regular file of at most `longest` bytes
 * into it, followed by a NUL.  The caller wipes the contents with
 * dyn_secret_free_buffer, which is allowed after a failure, too.
 */
extern DynFileRead dyn_file_read(const char *path, size_t longest,
								 DynBuffer *contents, DynError *err);

/*
 * Returns the malloc'd path of `file` below the home directory of the server's
 * operating-system user.  This directory comes from the user database, not
 * from $HOME.  Returns NULL with *err set on failure.  If the user database
 * cannot be read at the moment, err->passing is also set.
 */
extern char *dyn_file_below_home(const char *file, DynError *err);

/* Writes the operating-system user's name, or else the user id, to `name`. */
extern void dyn_file_user(char *name, size_t size);

#endif

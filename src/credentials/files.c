/*
 * files.c
 *		Reads small files, and finds the server's operating-system user.
 *
 * The buffer for a file is allocated once, one byte larger than the largest
 * accepted file, because a buffer that grows would leave copies of secrets.
 *
 * A path may come from a file or the environment, and may name anything.  So a
 * file is opened without waiting (a named pipe without a writer would block
 * the session), and is only read if it is regular.
 */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Initial and maximum size of the memory for an entry of the user database. */
#define SMALLEST_ENTRY	((size_t) 1024)
#define LARGEST_ENTRY	((size_t) 1024 * 1024)

static DynFileRead
cannot_read(const char *path, int error, DynError *err)
{
	char		user[64];
	char		text[100];

	if (error == ENOMEM)
	{
		dyn_error_memory(err);
		return DYN_FILE_FAILED;
	}
	dyn_error_errno_text(error, text, sizeof(text));
	dyn_error_set(err, "could not read file \"%s\": %s", path, text);
	dyn_file_user(user, sizeof(user));
	dyn_error_hint(err, "The operating-system user \"%s\" of the server must be able to read the file.", user);
	return error == ENOENT || error == ENOTDIR ? DYN_FILE_MISSING :
		DYN_FILE_FAILED;
}

DynFileRead
dyn_file_read(const char *path, size_t longest, DynBuffer *contents,
			  DynError *err)
{
	DynFileRead result = DYN_FILE_FAILED;
	int			fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	bool		failed = fd < 0 || fstat(fd, &st) != 0;
	int			error = errno;
	ssize_t		n = 0;

	dyn_buffer_init(contents, 0);
	if (!failed && S_ISREG(st.st_mode) &&
		dyn_buffer_enlarge(contents, longest + 1))
	{
		while (contents->len < contents->cap &&
			   ((n = read(fd, contents->data + contents->len,
						  contents->cap - contents->len)) > 0 ||
				(n < 0 && errno == EINTR)))
			contents->len += n > 0 ? (size_t) n : 0;
		error = errno;
	}
	if (failed || n < 0)
		result = cannot_read(path, error, err);
	else if (!S_ISREG(st.st_mode))
		dyn_error_set(err, "\"%s\" is not a regular file", path);
	else if (contents->cap == 0)
		dyn_error_memory(err);
	else if (contents->len > longest)
		dyn_error_set(err, "file \"%s\" has more than %zu bytes", path,
					  longest);
	else
	{
		contents->data[contents->len] = '\0';
		result = DYN_FILE_READ;
	}
	if (fd >= 0)
		close(fd);
	if (result != DYN_FILE_READ)
		dyn_secret_free_buffer(contents);
	return result;
}

/*
 * Sets *entry to the effective user's entry in the user database.  Returns the
 * memory of the entry's strings, which the caller frees.  On failure, returns
 * NULL, and sets *error to an errno, or to 0 if the user has no entry.
 */
static char *
read_user(struct passwd *entry, int *error)
{
	for (size_t size = SMALLEST_ENTRY; size <= LARGEST_ENTRY; size *= 2)
	{
		char	   *memory = malloc(size);
		struct passwd *found = NULL;

		*error = memory == NULL ? ENOMEM :
			getpwuid_r(geteuid(), entry, memory, size, &found);
		if (*error == 0 && found != NULL)
			return memory;
		free(memory);
		if (*error != ERANGE)
			break;
	}
	/* POSIX and the Linux manual allow these errors if there is no entry */
	if (*error == ENOENT || *error == ESRCH || *error == EBADF ||
		*error == EPERM)
		*error = 0;
	return NULL;
}

char *
dyn_file_below_home(const char *file, DynError *err)
{
	struct passwd entry;
	int			error;
	char	   *memory = read_user(&entry, &error);
	char	   *path = NULL;
	char		text[100];

	if (memory != NULL && entry.pw_dir != NULL && entry.pw_dir[0] == '/')
	{
		size_t		size = strlen(entry.pw_dir) + strlen(file) + 2;

		path = malloc(size);
		if (path != NULL)
			snprintf(path, size, "%s/%s", entry.pw_dir, file);
		error = ENOMEM;
	}
	free(memory);
	if (path != NULL)
		return path;
	if (error == ENOMEM)
		dyn_error_memory(err);
	else if (error == 0)
		dyn_error_set(err, "the operating-system user of the server, %lu, has no home directory", (unsigned long) geteuid());
	else
	{
		dyn_error_errno_text(error, text, sizeof(text));
		dyn_error_set(err, "could not find the home directory of operating-system user %lu: %s", (unsigned long) geteuid(), text);
		err->passing = true;
	}
	return NULL;
}

void
dyn_file_user(char *name, size_t size)
{
	struct passwd entry;
	int			error;
	char	   *memory = read_user(&entry, &error);

	if (memory != NULL && entry.pw_name != NULL && entry.pw_name[0] != '\0')
		snprintf(name, size, "%s", entry.pw_name);
	else
		snprintf(name, size, "%lu", (unsigned long) geteuid());
	free(memory);
}

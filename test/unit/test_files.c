/*
 * test_files.c
 *		Small files: what is read, what is refused, and what is not waited for.
 */
#include "harness.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "credentials/files.h"

#define LONGEST	((size_t) 1000)

static char directory[] = "/tmp/test_files.XXXXXX";

static const char *
path_of(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static const char *
write_file(const char *name, size_t len)
{
	const char *path = path_of(name);
	FILE	   *file = fopen(path, "w");

	while (CHECK(file != NULL) && len-- > 0)
		fputc('x', file);
	if (file)
		fclose(file);
	return path;
}

static bool
refuses(const char *path, DynFileRead wanted, const char *message)
{
	DynBuffer	contents;
	DynError	err = {0};
	DynFileRead seen = dyn_file_read(path, LONGEST, &contents, &err);

	dyn_secret_free_buffer(&contents);
	if (strstr(err.message, path) == NULL)
		printf("#     %s\n", err.message);
	return CHECK_EQ_INT(seen, wanted) && CHECK(contents.data == NULL) &&
		CHECK(strstr(err.message, path) != NULL) &&
		CHECK(strstr(err.message, message) != NULL);
}

static void
reads_full_files(void)
{
	static const size_t lengths[] = {0, 1, 999, 1000};
	size_t		i;

	for (i = 0; i < 4; i++)
	{
		DynBuffer	contents;
		DynError	err;

		CHECK_EQ_INT(dyn_file_read(write_file("file", lengths[i]), LONGEST,
								   &contents, &err), DYN_FILE_READ);
		CHECK_EQ_INT(contents.len, lengths[i]);
		CHECK_EQ_INT(strlen(contents.data), lengths[i]);
		dyn_secret_free_buffer(&contents);
		CHECK(contents.data == NULL && contents.len == 0);
		dyn_secret_free_buffer(&contents);
	}
}

static void
refuses_large_files(void)
{
	refuses(write_file("file", 1001), DYN_FILE_FAILED,
			"has more than 1000 bytes");
	refuses("/dev/zero", DYN_FILE_FAILED, "is not a regular file");
}

static void
reports_missing_files(void)
{
	char		path[300];

	refuses(path_of("none"), DYN_FILE_MISSING, "No such file or directory");
	snprintf(path, sizeof(path), "%s/more", write_file("file", 3));
	refuses(path, DYN_FILE_MISSING, "Not a directory");
}

static void
reports_unreadable_files(void)
{
	DynBuffer	contents;
	DynError	err;
	char		user[64];

	CHECK(symlink("loop", path_of("loop")) == 0);
	refuses(path_of("loop"), DYN_FILE_FAILED,
			"Too many levels of symbolic links");
	CHECK_EQ_INT(dyn_file_read(path_of("loop"), LONGEST, &contents, &err),
				 DYN_FILE_FAILED);
	dyn_file_user(user, sizeof(user));
	CHECK(strstr(err.hint, user) != NULL);
	unlink(path_of("loop"));
	if (geteuid() == 0)
		return;
	CHECK(chmod(write_file("closed", 3), 0) == 0);
	refuses(path_of("closed"), DYN_FILE_FAILED, "Permission denied");
	unlink(path_of("closed"));
}

/* A pipe without a writer would block. */
static void
waits_for_nothing(void)
{
	alarm(10);
	CHECK(mkfifo(path_of("pipe"), 0600) == 0);
	refuses(path_of("pipe"), DYN_FILE_FAILED, "is not a regular file");
	unlink(path_of("pipe"));
	refuses(directory, DYN_FILE_FAILED, "is not a regular file");
	refuses("/dev/null", DYN_FILE_FAILED, "is not a regular file");
	alarm(0);
}

static void
closes_descriptors(void)
{
	int			first = open("/dev/null", O_RDONLY);
	int			second;

	close(first);
	reads_full_files();
	refuses_large_files();
	reports_missing_files();
	waits_for_nothing();
	second = open("/dev/null", O_RDONLY);
	CHECK_EQ_INT(second, first);
	close(second);
}

/* $HOME may be anybody's. */
static void
knows_the_user(void)
{
	const struct passwd *entry = getpwuid(geteuid());
	DynError	err;
	char		user[64];
	char		wanted[500];
	char	   *path;

	if (entry == NULL)
		SKIP("the user has no entry");
	setenv("HOME", "/elsewhere", 1);
	setenv("USER", "somebody", 1);
	snprintf(wanted, sizeof(wanted), "%s/.aws/config", entry->pw_dir);
	path = dyn_file_below_home(".aws/config", &err);
	CHECK_EQ_STR(path, wanted);
	free(path);
	dyn_file_user(user, sizeof(user));
	CHECK_EQ_STR(user, getpwuid(geteuid())->pw_name);
}

/* As in a container that is run with any number. */
static void
knows_users_without_entry(void)
{
	uid_t		before = geteuid();
	DynError	err = {0};
	char		user[64];

	if (before != 0 || getpwuid(54321) != NULL)
		SKIP("needs root, and user 54321 without an entry");
	CHECK(seteuid(54321) == 0);
	dyn_file_user(user, sizeof(user));
	CHECK(dyn_file_below_home("x", &err) == NULL);
	CHECK(seteuid(before) == 0);
	CHECK_EQ_STR(user, "54321");
	CHECK(strstr(err.message, "54321") && !err.out_of_memory);
}

int
main(void)
{
	if (mkdtemp(directory) == NULL)
		return 1;
	RUN(reads_full_files);
	RUN(refuses_large_files);
	RUN(reports_missing_files);
	RUN(reports_unreadable_files);
	RUN(waits_for_nothing);
	RUN(closes_descriptors);
	RUN(knows_the_user);
	RUN(knows_users_without_entry);
	unlink(path_of("file"));
	rmdir(directory);
	return DONE("files");
}

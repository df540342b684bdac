/*
 * test_json_suite.c
 *		The public JSON parsing suite against dyn_json_valid: every y_* file
 *		is legal, every n_* file is not, i_* files may be either, and none
 *		crashes.
 *
 * The files are looked for in DYN_TEST_DATA/json, by default beside the
 * checkout; without them the test is skipped.
 */
#include "harness.h"

#include "dynamodb/page.h"

#include <dirent.h>
#include <stdlib.h>

#define DEFAULT_DATA "../../../shared/data"

/* The suite has 318 files; fewer would mean that the wrong folder was read. */
#define FEWEST_FILES 300

static char *
read_file(const char *path, size_t *len)
{
	FILE	   *file = fopen(path, "rb");
	char	   *bytes;
	long		size;

	if (file == NULL)
		return NULL;
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	/* exactly as long as the file, so that reading on would be noticed */
	bytes = malloc(size > 0 ? size : 1);
	*len = fread(bytes, 1, size, file);
	fclose(file);
	return bytes;
}

static void
judge(const char *folder, const char *name)
{
	char		path[1024];
	char		what[300];
	DynPageError error;
	size_t		len;
	char	   *bytes;
	bool		valid;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	bytes = read_file(path, &len);
	if (!CHECK(bytes != NULL))
		return;
	valid = dyn_json_valid(bytes, len, &error);
	snprintf(what, sizeof(what), "%s: %s", name,
			 valid ? "accepted" : error.reason);
	if (name[0] != 'i')
		harness_check(valid == (name[0] == 'y'), what, __FILE__, __LINE__);
	if (!valid)
		CHECK(error.offset <= len);
	free(bytes);
}

static void
suite_is_judged_rightly(void)
{
	const char *data = getenv("DYN_TEST_DATA");
	char		folder[512];
	struct dirent *entry;
	int			files = 0;
	DIR		   *dir;

	snprintf(folder, sizeof(folder), "%s/json", data ? data : DEFAULT_DATA);
	dir = opendir(folder);
	if (dir == NULL)
		SKIP("no JSON suite; set DYN_TEST_DATA");
	while ((entry = readdir(dir)) != NULL)
	{
		if (strlen(entry->d_name) > 2 && entry->d_name[1] == '_')
		{
			judge(folder, entry->d_name);
			files++;
		}
	}
	closedir(dir);
	CHECK(files >= FEWEST_FILES);
}

int
main(void)
{
	RUN(suite_is_judged_rightly);
	return DONE("json_suite");
}

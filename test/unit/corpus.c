/*
 * corpus.c
 *		Runs a fuzz target over its corpus, without libFuzzer.
 *
 * So a target that was not adapted to a change of the code fails without clang.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>

#include "harness.h"

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
run_file(const char *path)
{
	static uint8_t data[1 << 20];
	FILE	   *file = fopen(path, "rb");
	size_t		size = file != NULL ? fread(data, 1, sizeof(data), file) : 0;

	if (!CHECK(file != NULL && !ferror(file) && feof(file)))
		exit(1);
	fclose(file);
	printf("# %s\n", path);		/* the last one if the target aborts */
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, size);
}

static void
corpus(void)
{
	DIR		   *dir = opendir(CORPUS);
	int			n = 0;

	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
	{
		char		path[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", CORPUS, entry->d_name);
		run_file(path);
		n++;
	}
	CHECK(n > 0);
	if (dir != NULL)
		closedir(dir);
}

int
main(void)
{
	RUN(corpus);
	return DONE("corpus " CORPUS);
}

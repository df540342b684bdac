/*
 * test_names.c
 *		Sets of attribute names.
 */
#include "harness.h"

#include "dynamodb/names.h"

static void
names_are_found(void)
{
	const char *texts[] = {"b", "", "ab", "\xc3\xa9", "a.b", "b", "abc", "Z"};
	DynNames	names = {8, texts};

	dyn_names_sort(&names);
	for (int i = 0; i < names.n; i++)
		CHECK(dyn_names_have(&names, names.names[i], strlen(names.names[i])));
	CHECK(dyn_names_have(&names, "abcd", 2) && dyn_names_have(&names, "abcd", 3));
}

static void
others_are_not(void)
{
	const char *texts[] = {"ab", "abc", "b"};
	DynNames	names = {3, texts};
	DynNames	none = {0, NULL};

	dyn_names_sort(&names);
	CHECK(!dyn_names_have(&names, "a", 1) && !dyn_names_have(&names, "abcd", 4));
	CHECK(!dyn_names_have(&names, "", 0) && !dyn_names_have(&names, "c", 1));
	/* U+0000 in a name is a character like others */
	CHECK(!dyn_names_have(&names, "ab\0", 3) && !dyn_names_have(&names, "b\0x", 3));
	CHECK(!dyn_names_have(&none, "a", 1));
}

int
main(void)
{
	RUN(names_are_found);
	RUN(others_are_not);
	return DONE("names");
}

/*
 * names.c
 *		Sorts and searches a set of attribute names.
 */
#include "names.h"

#include <stdlib.h>
#include <string.h>

static int
compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

void
dyn_names_sort(DynNames *names)
{
	if (names->n > 0)
		qsort(names->names, names->n, sizeof(*names->names), compare);
}

bool
dyn_names_have(const DynNames *names, const char *name, size_t len)
{
	int			low = 0;
	int			high = names->n;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;
		const char *other = names->names[middle];
		size_t		other_len = strlen(other);
		int			order = memcmp(name, other, len < other_len ? len : other_len);

		if (order == 0)
			order = (len > other_len) - (len < other_len);
		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

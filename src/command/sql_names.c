/*
 * sql_names.c
 *		Makes names unique, and short enough.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "../base/crc32.h"
#include "sql_names.h"

#define LONGEST_NAME	(NAMEDATALEN - 1)
#define CHECKSUM_DIGITS	8

HTAB *
dyn_names_create(void)
{
	HASHCTL		ctl = {
		.keysize = NAMEDATALEN,
		.entrysize = NAMEDATALEN,
		.hcxt = CurrentMemoryContext
	};

	return hash_create("dynamo_fdw names", 64, &ctl,
					   HASH_ELEM | HASH_STRINGS | HASH_CONTEXT);
}

void
dyn_names_reserve(HTAB *taken, const char *name)
{
	(void) hash_search(taken, name, HASH_ENTER, NULL);
}

/* Takes the name, if it is unused. */
static bool
take(HTAB *taken, const char *name)
{
	bool		found;

	(void) hash_search(taken, name, HASH_ENTER, &found);
	return !found;
}

static char *
split(const char *text, int len)
{
	return pnstrdup(text, pg_mbcliplen(text, strlen(text), len));
}

static char *
name_with_checksum(HTAB *taken, const char *text)
{
	char	   *start = split(text, LONGEST_NAME - CHECKSUM_DIGITS - 1);
	uint32		checksum = 0;
	char	   *name;

	do
	{
		checksum = dyn_crc32(checksum, text, strlen(text));
		name = psprintf("%s_%08x", start, checksum);
	} while (!take(taken, name));
	return name;
}

static bool
is_too_long(const char *text)
{
	return strlen(text) > LONGEST_NAME;
}

/*
 * Returns the text truncated as in PostgreSQL; NULL if another text becomes
 * the same.
 */
static char *
unique_split(List *texts, int i)
{
	char	   *name = split(list_nth(texts, i), LONGEST_NAME);
	ListCell   *lc;

	foreach(lc, texts)
	{
		if (foreach_current_index(lc) != i && is_too_long(lfirst(lc)) &&
			strcmp(split(lfirst(lc), LONGEST_NAME), name) == 0)
			return NULL;
	}
	return name;
}

List *
dyn_names_assign(HTAB *taken, List *texts)
{
	List	   *names = NIL;
	ListCell   *lc;

	foreach(lc, texts)
	{
		char	   *text = lfirst(lc);

		names = lappend(names, !is_too_long(text) && take(taken, text) ? text : NULL);
	}
	foreach(lc, names)
	{
		int			i = foreach_current_index(lc);
		char	   *text = list_nth(texts, i);
		char	   *name = is_too_long(text) ? unique_split(texts, i) : NULL;

		if (lfirst(lc) == NULL)
			lfirst(lc) = name != NULL && take(taken, name) ? name
				: name_with_checksum(taken, text);
	}
	return names;
}

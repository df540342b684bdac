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

/* Takes the name, if it is free. */
static bool
take(HTAB *taken, const char *name)
{
	bool		found;

	(void) hash_search(taken, name, HASH_ENTER, &found);
	return !found;
}

static char *
cut(const char *text, int len)
{
	return pnstrdup(text, pg_mbcliplen(text, strlen(text), len));
}

static const char *
name_with_checksum(HTAB *taken, const char *text)
{
	char	   *start = cut(text, LONGEST_NAME - CHECKSUM_DIGITS - 1);
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

/* The text as PostgreSQL cuts it, NULL if another text becomes the same. */
static char *
unique_cut(const char *const *texts, int n, int i)
{
	char	   *name = cut(texts[i], LONGEST_NAME);

	for (int k = 0; k < n; k++)
	{
		if (k != i && is_too_long(texts[k]) &&
			strcmp(cut(texts[k], LONGEST_NAME), name) == 0)
			return NULL;
	}
	return name;
}

const char **
dyn_names_assign(HTAB *taken, const char *const *texts, int n)
{
	const char **names = palloc0(Max(n, 1) * sizeof(char *));

	for (int i = 0; i < n; i++)
	{
		if (!is_too_long(texts[i]) && take(taken, texts[i]))
			names[i] = texts[i];
	}
	for (int i = 0; i < n; i++)
	{
		char	   *name = is_too_long(texts[i]) ? unique_cut(texts, n, i) : NULL;

		if (names[i] == NULL)
			names[i] = name != NULL && take(taken, name) ? name
				: name_with_checksum(taken, texts[i]);
	}
	return names;
}

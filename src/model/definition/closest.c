/*
 * closest.c
 *		Finds the name that is most similar to a misspelled one.
 */
#include "postgres.h"

#include "utils/varlena.h"

#include "closest.h"

/* Maximum length of a misspelled name (bytes); longer ones get no hint. */
#define MAX_WORD_BYTES	64

void
dyn_closest_init(DynClosest *closest, const char *word)
{
	closest->word = word;
	closest->distance = Max(1, (int) strlen(word) / 2) + 1;
	closest->best = NULL;
}

bool
dyn_closest_try(DynClosest *closest, const char *candidate)
{
	int			distance;

	if (strlen(closest->word) > MAX_WORD_BYTES)
		return false;
	distance = pg_strcasecmp(closest->word, candidate) == 0 ? 0
		: varstr_levenshtein_less_equal(closest->word, strlen(closest->word),
										candidate, strlen(candidate), 1, 1, 1,
										closest->distance, true);
	if (distance >= closest->distance)
		return false;
	closest->distance = distance;
	closest->best = candidate;
	return true;
}

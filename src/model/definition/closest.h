/*
 * closest.h
 *		Finds the name that is most similar to a misspelled one, for hints.
 */
#ifndef DYN_MODEL_CLOSEST_H
#define DYN_MODEL_CLOSEST_H

typedef struct DynClosest
{
	const char *word;			/* misspelled name (not copied) */
	int			distance;		/* edit distance of `best`; 0 if the names
								 * differ only in case.  While `best` is NULL:
								 * the least distance that is too large */
	const char *best;			/* most similar candidate, or NULL */
} DynClosest;

extern void dyn_closest_init(DynClosest *closest, const char *word);
/* If the candidate is the best one so far, stores it and returns true. */
extern bool dyn_closest_try(DynClosest *closest, const char *candidate);

#endif

/*
 * closest.h
 *		Finds the word that is closest to a misspelled one, for hints.
 */
#ifndef DYN_MODEL_CLOSEST_H
#define DYN_MODEL_CLOSEST_H

typedef struct DynClosest
{
	const char *word;			/* misspelled word */
	int			distance;		/* distance a better candidate must be below */
	const char *best;			/* best candidate, or NULL */
} DynClosest;

extern void dyn_closest_init(DynClosest *closest, const char *word);
/* Returns true if `candidate` is closer than all before, and stores it. */
extern bool dyn_closest_try(DynClosest *closest, const char *candidate);

#endif

/*
 * closest.h
 *		The word that is closest to a misspelled one, for hints.
 */
#ifndef DYN_MODEL_CLOSEST_H
#define DYN_MODEL_CLOSEST_H

typedef struct DynClosest
{
	const char *word;			/* misspelled */
	int			distance;		/* what is closer replaces the best */
	const char *best;			/* NULL: none is close */
} DynClosest;

extern void dyn_closest_init(DynClosest *closest, const char *word);
/* Returns true if this one is closer than those before. */
extern bool dyn_closest_try(DynClosest *closest, const char *candidate);

#endif

/*
 * template_search.h
 *		Texts that share columns, and can be cut in more than one way.
 *
 * A column may stand in several texts, or several times in one: CUSTOMER#${name}
 * in both key attributes.  If a text fits only if a part contains its edge, as
 * CUSTOMER#o#neil does, it is not known what the part is; but another place of
 * the column may decide it.
 */
#ifndef DYN_EXEC_TEMPLATE_SEARCH_H
#define DYN_EXEC_TEMPLATE_SEARCH_H

#include "template_split.h"

typedef enum DynWaysFound
{
	DYN_WAYS_NONE,				/* a text does not fit, or texts disagree */
	DYN_WAYS_ONE,				/* the decisive texts are cut so */
	DYN_WAYS_SEVERAL,			/* or one that nothing else confirms */
	DYN_WAYS_UNRESOLVED			/* a part must contain its edge, but no value
								 * of its column fits all its places */
} DynWaysFound;

/*
 * Searches all ways to cut the decisive texts of the item in hand, of which one
 * was not cut, or not as others are.  Of SEVERAL *about is a text to name in a
 * message; UNRESOLVED texts are marked.  Uses memory of CurrentMemoryContext.
 */
extern DynWaysFound dyn_find_ways(DynCuttings *all, const DynParsedAttr **about);

/* The same for texts of other attributes, which all fit afterwards, or none. */
extern void dyn_break_cycle(DynCuttings *all, const Bitmapset *circle);

#endif

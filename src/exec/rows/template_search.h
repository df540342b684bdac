/*
 * template_search.h
 *		Searches all ways to split texts that share columns.
 *
 * A column may occur in several texts, or several times in one:
 * CUSTOMER#${name} in both key attributes.  If a text matches only if a part
 * contains its separator, as CUSTOMER#o#neil does, the part is unknown; but
 * another occurrence of the column may decide it.
 */
#ifndef DYN_EXEC_TEMPLATE_SEARCH_H
#define DYN_EXEC_TEMPLATE_SEARCH_H

#include "template_split.h"

typedef enum DynWaysFound
{
	DYN_WAYS_NONE,				/* text does not match, or texts disagree */
	DYN_WAYS_ONE,				/* decisive texts are split in one way */
	DYN_WAYS_SEVERAL,			/* several ways, or one that is not confirmed
								 * elsewhere */
	DYN_WAYS_UNRESOLVED			/* part must contain its separator, but no
								 * value of its column matches in all places */
} DynWaysFound;

/*
 * Searches all ways to split the decisive texts of the current item.  To be
 * called if one of them could not be split, or disagrees with others.  For
 * SEVERAL, *about is a text to name in a message; UNRESOLVED texts are marked.
 * Allocates in CurrentMemoryContext.
 */
extern DynWaysFound dyn_find_ways(DynItemSplit *all, const DynParsedAttr **about);

/*
 * Splits the texts of a cycle, which are not decisive, in the same way.
 * Afterwards all of them match, or none.
 */
extern void dyn_break_cycle(DynItemSplit *all, const Bitmapset *cycle);

#endif

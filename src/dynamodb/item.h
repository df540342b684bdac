/*
 * item.h
 *		Reading one item: name -> attribute value, nested to DYN_MAX_DEPTH.
 *
 * A DynReader lives as long as one response is read.  For each item the
 * response reader calls dyn_item_read, which validates it and puts its wanted
 * attributes on the tape.  Nothing recurses: open lists and maps are frames.
 */
#ifndef DYN_DYNAMODB_ITEM_H
#define DYN_DYNAMODB_ITEM_H

#include "jsonscan.h"
#include "tape.h"

/* A list or map that is open; frames[0] is the item. */
typedef struct DynFrame
{
	const DynPathNode *want;	/* at or below it, or NULL */
	const char *start;			/* its bracket */
	uint32_t	nuls;			/* U+0000 met before it */
	uint32_t	object;			/* its number, for the lexicon */
	uint32_t	base;			/* its first name in the name set */
	uint32_t	index;			/* of the next element */
	uint16_t	entry;			/* context of the names in it */
	uint16_t	prev;			/* word of the member before */
	uint16_t	guess;			/* the word expected next */
	bool		map;
} DynFrame;

typedef struct DynReader
{
	DynScan		scan;
	DynPageTape *tape;
	const DynPathTree *tree;
	uint32_t	objects;		/* numbers given to objects so far */
	int			depth;			/* of the innermost frame; -1: none is open */
	DynFrame	frames[DYN_MAX_DEPTH + 1];
} DynReader;

/*
 * Reads the item whose brace is at p; returns what is behind it, or NULL.
 * With `wanted` false it is only validated (LastEvaluatedKey).
 */
extern const char *dyn_item_read(DynReader *reader, const char *p,
								 bool wanted);

#endif

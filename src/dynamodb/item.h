/*
 * item.h
 *		Reads one item: names and attribute values, nested up to DYN_MAX_DEPTH.
 *
 * A DynItemParser exists while one response is read.  For each item the
 * response parser calls dyn_item_read, which validates it and appends its
 * wanted attributes to the tape.  There is no recursion: open lists and maps
 * are frames.
 */
#ifndef DYN_DYNAMODB_ITEM_H
#define DYN_DYNAMODB_ITEM_H

#include "jsonscan.h"
#include "tape.h"

/* A list or map that is open; frames[0] is the item. */
typedef struct DynFrame
{
	const DynPathNode *want;	/* node in the path tree, or NULL if nothing
								 * here is wanted */
	const char *start;			/* its opening bracket */
	uint32_t	nuls;			/* number of U+0000 before it */
	uint32_t	object;			/* number of the object, for the name cache */
	uint32_t	base;			/* index of its first name in tape->names */
	uint32_t	index;			/* index of the next element */
	uint16_t	context;		/* context of its names: the entry of its own
								 * name */
	uint16_t	prev;			/* entry of the previous member */
	uint16_t	guess;			/* expected next entry */
	bool		map;
} DynFrame;

typedef struct DynItemParser
{
	DynJson		scan;
	DynPageTape *tape;
	const DynPathTree *tree;
	uint32_t	objects;		/* last number given to an object */
	int			depth;			/* depth of the innermost frame; -1: none is
								 * open */
	DynFrame	frames[DYN_MAX_DEPTH + 1];
} DynItemParser;

/*
 * Reads the item whose brace is at `p`.  Returns the position after it, or
 * NULL on error.  With `wanted` false the item is only validated
 * (LastEvaluatedKey).
 */
extern const char *dyn_item_read(DynItemParser *parser, const char *p,
								 bool wanted);

#endif

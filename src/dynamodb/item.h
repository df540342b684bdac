/*
 * item.h
 *		Reads one item: names and attribute values, nested up to DYN_MAX_DEPTH.
 *
 * The tape is an array of small entries in the order of the items.  It has one
 * entry for each wanted attribute that is present; the last entry of an item
 * is marked.  Successive items without any wanted attribute (a run) share one
 * entry.  The item parser writes the tape; dyn_page_next reads it, through
 * cursors.  The memory is reused for the next page.
 *
 * A DynItemParser exists while one response is read.  For each item the
 * response parser calls dyn_item_read, which validates the item and appends
 * its wanted attributes to the tape.  Instead of recursion, dyn_item_read uses
 * an array of frames for open lists and maps.
 */
#ifndef DYN_DYNAMODB_ITEM_H
#define DYN_DYNAMODB_ITEM_H

#include "name_cache.h"

/* Flag of an entry, in addition to the flags of the value */
#define DYN_TAPE_LAST	0x80	/* last entry of its item */

typedef struct DynTapeEntry
{
	uint32_t	offset;			/* offset of the value in the response */
	uint32_t	len;			/* length of the value (bytes); for type
								 * ABSENT, number of items in the run */
	uint16_t	slot;
	uint8_t		type;			/* DynType; ABSENT: run of items without wanted
								 * attributes */
	uint8_t		flags;
} DynTapeEntry;

typedef struct DynPageTape
{
	DynTapeEntry *entries;
	size_t		count;
	size_t		cap;

	/* path tree and response of the page that was parsed last */
	const DynPathTree *tree;
	const char *buf;

	/* scratch memory of the parser */
	DynDuplicateNames names;
	DynNameCache name_cache;
} DynPageTape;

/* A list or map that is open; frames[0] is the item. */
typedef struct DynFrame
{
	const DynPathNode *want;	/* node in the path tree, or NULL */
	const char *start;			/* opening bracket in the response */
	uint32_t	nuls;			/* number of U+0000 in the response before
								 * `start` */
	uint32_t	object;			/* number of this list or map, for the name
								 * cache */
	uint32_t	base;			/* height of the stack tape->names when the
								 * list or map was opened */
	uint32_t	index;			/* list: index of the next element */
	uint16_t	context;		/* name cache entry that is the context of the
								 * frame's names */
	uint16_t	prev;			/* name cache entry of the previous member */
	uint16_t	guess;			/* name cache entry expected next */
	bool		map;
} DynFrame;

typedef struct DynItemParser
{
	DynJson		scan;
	DynPage    *page;			/* page that is being filled */
	DynPageTape *tape;			/* page->tape */
	const DynPathTree *tree;
	uint32_t	objects;		/* last number given to an object */
	int			depth;			/* index of the innermost frame; -1: none */
	DynFrame	frames[DYN_MAX_DEPTH + 1];
} DynItemParser;

/*
 * Reads the item whose brace is at `p`.  Returns the position after the item,
 * or NULL on error.  If `wanted` is false, the item is only validated
 * (LastEvaluatedKey).
 */
extern const char *dyn_item_read(DynItemParser *parser, const char *p,
								 bool wanted);

#endif

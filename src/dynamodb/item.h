/*
 * item.h
 *		Reads one item: names and attribute values, nested up to DYN_MAX_DEPTH.
 *
 * The tape is an array of small entries in the order of the items.  It has one
 * entry for each wanted attribute that is present; the last entry of an item
 * is marked.  Successive items without any wanted attribute (a run) have one
 * entry together.  The item parser writes it; dyn_page_next reads it, through
 * cursors.  The memory is reused from page to page.
 *
 * A DynItemParser exists while one response is read.  For each item the
 * response parser calls dyn_item_read, which validates it and appends its
 * wanted attributes to the tape.  There is no recursion: open lists and maps
 * are frames.
 */
#ifndef DYN_DYNAMODB_ITEM_H
#define DYN_DYNAMODB_ITEM_H

#include "duplicate_names.h"
#include "name_cache.h"

/* A flag of an entry, in addition to those of the value. */
#define DYN_TAPE_LAST	0x80	/* the item ends here */

typedef struct DynTapeEntry
{
	uint32_t	offset;			/* offset of the value in the response */
	uint32_t	len;			/* length of the value; type ABSENT: number of
								 * items in the run */
	uint16_t	slot;
	uint8_t		type;			/* DynType; ABSENT: a run of items without
								 * wanted attributes */
	uint8_t		flags;
} DynTapeEntry;

typedef struct DynPageTape
{
	DynTapeEntry *entries;
	size_t		count;
	size_t		cap;

	/* tree of the page that was parsed last */
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
	const char *start;			/* its opening bracket */
	uint32_t	nuls;			/* number of U+0000 before it */
	uint32_t	object;			/* number of the object, for the name cache */
	uint32_t	base;			/* index of its first name in tape->names */
	uint32_t	index;			/* index of the next element */
	uint16_t	context;		/* context of its names: its own entry */
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
	int			depth;			/* innermost frame; -1: none is open */
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

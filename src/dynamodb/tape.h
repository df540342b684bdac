/*
 * tape.h
 *		The positions of the wanted attributes in a page, and the parser's
 *		memory.
 *
 * The tape is an array of small entries in the order of the items.  It has one
 * entry for each wanted attribute that is present, with a mark on the last of
 * an item, and one for a run of items that have none.  The item parser
 * (item.c) writes it; dyn_page_next reads it, through cursors.  The memory is
 * reused from page to page.
 */
#ifndef DYN_DYNAMODB_TAPE_H
#define DYN_DYNAMODB_TAPE_H

#include "duplicate_names.h"
#include "name_cache.h"
#include "path_tree.h"

/* A flag of an entry, in addition to those of the value. */
#define DYN_TAPE_LAST	0x80	/* the item ends here */

typedef struct DynTapeEntry
{
	uint32_t	offset;			/* offset of the value in the response */
	uint32_t	len;			/* length of the value; type ABSENT: number of
								 * items in the run */
	uint16_t	slot;
	uint8_t		type;			/* DynType; ABSENT: items without entries */
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

#endif

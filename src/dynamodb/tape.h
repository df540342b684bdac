/*
 * tape.h
 *		The positions of the wanted attributes of a page's items, and the
 *		reader's memory that is reused from page to page.
 *
 * The tape is an array of small entries in the order of the items: one for
 * each wanted attribute that is present, with a mark on the last of an item,
 * and one for a run of items that have none.  The item reader (item.c) writes
 * it; dyn_page_next reads it, through cursors.
 */
#ifndef DYN_DYNAMODB_TAPE_H
#define DYN_DYNAMODB_TAPE_H

#include "duplicate_names.h"
#include "name_cache.h"
#include "path_tree.h"

/* Set in an entry's flags beside those of the value. */
#define DYN_TAPE_LAST	0x80	/* the item ends here */

typedef struct DynTapeEntry
{
	uint32_t	offset;			/* of the value in the response */
	uint32_t	len;			/* its length; type ABSENT: items in the run */
	uint16_t	slot;
	uint8_t		type;			/* DynType; ABSENT: items without entries */
	uint8_t		flags;
} DynTapeEntry;

typedef struct DynPageTape
{
	DynTapeEntry *entries;
	size_t		count;
	size_t		cap;

	/* of the page that was parsed last */
	const DynPathTree *tree;
	const char *buf;

	/* scratch of the reader */
	DynDuplicateNames names;
	DynNameCache name_cache;
} DynPageTape;

#endif

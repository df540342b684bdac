/*
 * item.h
 *		Reads one item: names and attribute values, nested up to DYN_MAX_DEPTH.
 *
 * A page's tape is an array with a small entry for each wanted attribute that
 * an item has; the last entry of each item is marked.  Successive items
 * without any wanted attribute form a run, which has a single entry.  The item
 * parser writes the tape; dyn_page_next reads it.
 *
 * A DynItemParser exists while one response is read.  For each item the
 * response parser calls dyn_item_read, which validates the item and appends
 * its wanted attributes to the tape.  Instead of recursion, dyn_item_read uses
 * an array of frames for open lists and maps.
 */
#ifndef DYN_DYNAMODB_ITEM_H
#define DYN_DYNAMODB_ITEM_H

#include "jsonscan.h"
#include "path_tree.h"

/*
 * A cache of the attribute names of a page predicts the next name.
 *
 * The items of a page usually have the same names in the same order.  So each
 * entry records an entry that has followed it before.  The parser compares a
 * name with a few expected names, in steps of 16 bytes, and usually need not
 * scan it, hash it and look it up.  The cache also detects duplicates: objects
 * are numbered, and an entry records the number of the last object that
 * contained the entry's name.  If this is the number of the current object,
 * the name is a duplicate.
 *
 * An entry is a name in a context.  The context is another entry: the
 * attribute whose map contains the name (ignoring lists in between), or the
 * root for the attributes of an item.  An object and an object nested in it
 * never have the same context, so one object number per entry is enough.
 *
 * Only names without escapes become entries, and at most DYN_NAME_CACHE_MAX of
 * them; duplicates of all other names are detected by DynDuplicateNames.
 *
 * Entries point into the response, so the cache is emptied for each page.  The
 * cache is also emptied if it is full at the beginning of an item.
 */
#define DYN_NAME_CACHE_MAX		1024
#define DYN_NAME_CACHE_SLOTS	2048
#define DYN_NAME_ROOT		0	/* entry of the item itself (the parent of
								 * top-level names); a lookup also returns it
								 * if the name is not in the cache */
#define DYN_NAME_NONE		UINT16_MAX	/* context of uncached names */
#define DYN_NAME_PREFIX		24

typedef struct DynNameEntry
{
	char		prefix[DYN_NAME_PREFIX];	/* name in quotes, and a colon;
											 * padded with zeros */
	uint32_t	mask;			/* has a bit for each byte of `prefix` that is
								 * not padding; 0 if the name is too long */
	uint32_t	seen;			/* number (DynFrame.object) of the last JSON
								 * object in which the name was found, to
								 * detect duplicate names in one object */
	const char *name;			/* name in the response */
	uint32_t	len;
	uint32_t	hash;
	uint16_t	parent;			/* index of the context */
	uint16_t	next;			/* entry that is expected after this one */
	uint16_t	first;			/* for a map: entry that is expected first */
	const DynPathNode *want;	/* node in the path tree, or NULL */
} DynNameEntry;

/* Must be zero-initialized; the owner frees the entries. */
typedef struct DynNameCache
{
	DynNameEntry *entries;
	uint32_t	count;
	uint32_t	cap;
	uint16_t	table[DYN_NAME_CACHE_SLOTS];	/* entries' indexes; 0: free */
} DynNameCache;

/* Flag of a tape entry, in addition to the flags of its value (attrvalue.h) */
#define DYN_TAPE_LAST	0x80	/* last entry of its item */

typedef struct DynTapeEntry
{
	uint32_t	offset;			/* offset of the value in the response */
	uint32_t	len;			/* length of the value (bytes); for an entry
								 * that stands for successive items without a
								 * wanted attribute (a run), the number of
								 * these items */
	uint16_t	slot;
	uint8_t		type;			/* DynType; ABSENT for a run */
	uint8_t		flags;
} DynTapeEntry;

typedef struct DynPageTape
{
	DynTapeEntry *entries;
	size_t		count;
	size_t		cap;

	/* path tree and response that the entries refer to */
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
	uint32_t	nuls;			/* number of U+0000 before `start` */
	uint32_t	object;			/* ordinal number of this object, compared with
								 * DynNameEntry.seen to detect duplicate
								 * names */
	uint32_t	base;			/* tape->names.count when the object or list
								 * was opened */
	uint32_t	index;			/* for a list: index of the next element */
	uint16_t	context;		/* name cache entry of this list or map itself;
								 * names inside it are looked up among the
								 * entries that have this entry as parent */
	uint16_t	prev;			/* name cache entry that was taken last */
	uint16_t	guess;			/* name cache entry expected next */
	bool		map;
} DynFrame;

typedef struct DynItemParser
{
	DynJson		scan;
	DynPage    *page;			/* page that is being filled */
	DynPageTape *tape;			/* page->tape */
	const DynPathTree *tree;
	uint32_t	objects;		/* number of the frame that was opened last */
	int			depth;			/* index of the innermost frame; -1: none */
	DynFrame	frames[DYN_MAX_DEPTH + 1];
} DynItemParser;

/*
 * Removes all entries except the root entry, whose `want` becomes the root of
 * the path tree.  Returns false if memory runs out.
 */
extern bool dyn_name_cache_reset(DynNameCache *name_cache,
								 const DynPathTree *tree);

/*
 * Reads the item whose brace is at `p`.  Returns the position after the item,
 * or NULL on error.  If `wanted` is false (for a LastEvaluatedKey), only
 * validates the item.
 */
extern const char *dyn_item_read(DynItemParser *parser, const char *p,
								 bool wanted);

#endif

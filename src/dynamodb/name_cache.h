/*
 * name_cache.h
 *		A cache of the attribute names of a page, which predicts the next name.
 *
 * The items of a page usually have the same names in the same order.  The
 * cache uses this in two ways.  First, an entry records which entry followed
 * it last time.  So the parser compares a name with a few expected names, in
 * steps of 16 bytes, instead of scanning, hashing and looking it up.  Second,
 * each object has a number, and an entry records the object in which it was
 * last seen.  A name is a duplicate if its entry was last seen in the current
 * object.
 *
 * An entry is a name in a context.  The context is another entry: the
 * attribute whose map contains the name (ignoring lists in between), or the
 * root for the attributes of an item.  An object and an object nested in it
 * never have the same context, so one object number per entry is enough.
 *
 * Only names without escapes become entries, and at most DYN_NAME_CACHE_MAX of
 * them; duplicates of all other names are detected by DynDuplicateNames.  An
 * open object may already have a member with the name of a new entry, so the
 * caller must check for a duplicate before it adds the entry.
 *
 * Entries point into the response, so the cache is emptied for each page.  The
 * cache is also emptied if it is full at the beginning of an item.
 */
#ifndef DYN_DYNAMODB_NAME_CACHE_H
#define DYN_DYNAMODB_NAME_CACHE_H

#include "jsonscan.h"
#include "path_tree.h"

#define DYN_NAME_CACHE_MAX		1024
#define DYN_NAME_CACHE_SLOTS	2048
#define DYN_NAME_ROOT		0	/* root entry, for the item itself; as `next`,
								 * `first` or a result: no entry */
#define DYN_NAME_NONE		UINT16_MAX	/* context of names that are not
										 * cached */
#define DYN_NAME_PREFIX		24
#define DYN_NAME_GUESSES	4	/* number of expected entries that are tried
								 * before a lookup */

typedef struct DynNameEntry
{
	char		prefix[DYN_NAME_PREFIX];	/* the text "name": in the
											 * response, padded with zeros */
	uint32_t	mask;			/* one bit for each byte of the text in
								 * `prefix`; 0 if the text is too long */
	uint32_t	seen;			/* number of the object in which the name was
								 * last seen */
	const char *name;			/* name in the response */
	uint32_t	len;
	uint32_t	hash;
	uint16_t	parent;			/* index of the context, which is another
								 * entry */
	uint16_t	next;			/* index of the entry that followed this entry
								 * last time */
	uint16_t	first;			/* index of the entry that was the first in
								 * this entry's map last time */
	const DynPathNode *want;	/* node in the path tree, or NULL */
} DynNameEntry;

/* The owner initializes it with zeros, and frees the entries. */
typedef struct DynNameCache
{
	DynNameEntry *entries;
	uint32_t	count;
	uint32_t	cap;
	uint16_t	table[DYN_NAME_CACHE_SLOTS];	/* indexes of entries; 0: free
												 * slot */
} DynNameCache;

/*
 * Removes all entries except the root entry, whose node becomes the root of
 * the path tree.  Returns false if memory runs out.
 */
extern bool dyn_name_cache_reset(DynNameCache *name_cache,
								 const DynPathTree *tree);

/*
 * Returns the index of the entry for this name in this context; DYN_NAME_ROOT
 * if there is none.
 */
extern uint16_t dyn_name_cache_find(const DynNameCache *name_cache,
									uint16_t context, const char *name,
									size_t len, uint32_t hash);

/*
 * Adds an entry, and returns its index; returns DYN_NAME_ROOT if the cache is
 * full, or memory runs out.
 */
extern uint16_t dyn_name_cache_add(DynNameCache *name_cache, uint16_t context,
								   const char *name, size_t len, uint32_t hash,
								   const DynPathNode *want);

/*
 * Returns true if `"name":` is at `p`, where at least 32 bytes must be left.
 * A name that is too long for the prefix is compared with its first occurrence
 * in the response.
 */
static DYN_HOT bool
dyn_name_entry_matches(const DynNameEntry *entry, const char *p,
					   const char *end)
{
#ifdef DYN_SCAN_SSE2
	const __m128i *want = (const __m128i *) entry->prefix;
	const __m128i *have = (const __m128i *) p;
	uint32_t	same;

	same = (uint32_t) _mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_loadu_si128(have), _mm_loadu_si128(want)));
	/* the second step also reads `mask` and `seen`, which are masked out */
	same |= (uint32_t) _mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_loadu_si128(have + 1),
					   _mm_loadu_si128(want + 1))) << 16;
	if (DYN_LIKELY(entry->mask != 0))
		return (same & entry->mask) == entry->mask;
#else
	if (DYN_LIKELY(entry->mask != 0))
		return memcmp(p, entry->prefix, entry->len + 3) == 0;
#endif
	return entry->len > 0 && (size_t) (end - p) >= entry->len + 3 &&
		memcmp(p + 1, entry->name, entry->len) == 0 &&
		p[0] == '"' && p[entry->len + 1] == '"' && p[entry->len + 2] == ':';
}

#endif

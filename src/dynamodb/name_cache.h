/*
 * name_cache.h
 *		The names met so far in a page, each with what is wanted of it and the
 *		name that came next.
 *
 * The items of a page mostly carry the same names in the same order.  The
 * lexicon makes use of it twice.  It predicts: each word knows which word
 * followed it last time, so the reader compares one name with a few expected
 * ones, 16 bytes at a step, instead of scanning, hashing and looking up.  And
 * it proves names unique without a set: each object has a number, a word holds
 * the number of the object it was last met in, and a word met twice in one
 * object is a duplicate.
 *
 * A word stands for a name in a context, which is another word: the attribute
 * whose map holds the name (lists between them do not count), or the root for
 * the attributes of an item.  An object and one inside it never share a
 * context, so one number in each word is enough.
 *
 * Only names written without escapes become entries, and at most
 * DYN_NAME_CACHE_MAX of them; the rest is left to the name set.  A word may come
 * to be while an object with its name in the name set is open, so who adds a
 * word must look there first.
 *
 * Words refer to the response they were met in: the lexicon is emptied for
 * each page, and whenever an item begins and it is full.
 */
#ifndef DYN_DYNAMODB_NAME_CACHE_H
#define DYN_DYNAMODB_NAME_CACHE_H

#include "jsonscan.h"
#include "path_tree.h"

#define DYN_NAME_CACHE_MAX		1024
#define DYN_NAME_CACHE_SLOTS	2048
#define DYN_NAME_ROOT		0	/* the item; as a follower: none is known */
#define DYN_NAME_NONE		UINT16_MAX	/* a context that has no words */
#define DYN_NAME_PREFIX		24
#define DYN_NAME_GUESSES	4	/* followers tried before looking up */

typedef struct DynNameEntry
{
	char		prefix[DYN_NAME_PREFIX];	/* "name": as it stands in the
										 * response, padded with zeros */
	uint32_t	mask;			/* a bit for each byte of the head; 0: the name
								 * does not fit */
	uint32_t	seen;			/* number of the object it was last met in */
	const char *name;			/* in the response */
	uint32_t	len;
	uint32_t	hash;
	uint16_t	parent;			/* the context */
	uint16_t	next;			/* what followed it last time */
	uint16_t	first;			/* what came first in its map last time */
	const DynPathNode *want;	/* NULL: nothing at or below it */
} DynNameEntry;

typedef struct DynNameCache
{
	DynNameEntry    *entries;
	uint32_t	count;
	uint32_t	cap;
	uint16_t	table[DYN_NAME_CACHE_SLOTS];	/* index of a entry; 0 is free */
} DynNameCache;

extern void dyn_name_cache_init(DynNameCache *name_cache);
extern void dyn_name_cache_free(DynNameCache *name_cache);
extern size_t dyn_name_cache_memory(const DynNameCache *name_cache);

/* Forgets all entries; the root's wish is the shape's.  False: no memory. */
extern bool dyn_name_cache_reset(DynNameCache *name_cache, const DynPathTree *tree);

/* The word of this name in this context, or DYN_NAME_ROOT if there is none. */
extern uint16_t dyn_name_cache_find(const DynNameCache *name_cache, uint16_t context,
								 const char *name, size_t len, uint32_t hash);

/* Adds a entry; DYN_NAME_ROOT if there is no room. */
extern uint16_t dyn_name_cache_add(DynNameCache *name_cache, uint16_t context,
								const char *name, size_t len, uint32_t hash,
								const DynPathNode *want);

/*
 * Does `"name":` stand at p?  At least 32 bytes must be left there.  A word
 * that is too long for its head is compared where it was met.
 */
static DYN_HOT bool
dyn_name_entry_matches(const DynNameEntry *entry, const char *p, const char *end)
{
#ifdef DYN_SCAN_SSE2
	const __m128i *want = (const __m128i *) entry->prefix;
	const __m128i *have = (const __m128i *) p;
	uint32_t	same;

	same = (uint32_t) _mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_loadu_si128(have), _mm_loadu_si128(want)));
	/* the second step runs on into `mask`, whose bits are not asked for */
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

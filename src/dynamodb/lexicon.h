/*
 * lexicon.h
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
 * Only names written without escapes become words, and at most
 * DYN_LEXICON_MAX of them; the rest is left to the name set.  A word may come
 * to be while an object with its name in the name set is open, so who adds a
 * word must look there first.
 *
 * Words refer to the response they were met in: the lexicon is emptied for
 * each page, and whenever an item begins and it is full.
 */
#ifndef DYN_DYNAMODB_LEXICON_H
#define DYN_DYNAMODB_LEXICON_H

#include "jsonscan.h"
#include "shape.h"

#define DYN_LEXICON_MAX		1024
#define DYN_LEXICON_SLOTS	2048
#define DYN_WORD_ROOT		0	/* the item; as a follower: none is known */
#define DYN_WORD_NONE		UINT16_MAX	/* a context that has no words */
#define DYN_WORD_HEAD		24
#define DYN_WORD_GUESSES	4	/* followers tried before looking up */

typedef struct DynWord
{
	char		head[DYN_WORD_HEAD];	/* "name": as it stands in the
										 * response, padded with zeros */
	uint32_t	need;			/* a bit for each byte of the head; 0: the name
								 * does not fit */
	uint32_t	seen;			/* number of the object it was last met in */
	const char *name;			/* in the response */
	uint32_t	len;
	uint32_t	hash;
	uint16_t	parent;			/* the context */
	uint16_t	next;			/* what followed it last time */
	uint16_t	first;			/* what came first in its map last time */
	const DynShapeNode *want;	/* NULL: nothing at or below it */
} DynWord;

typedef struct DynLexicon
{
	DynWord    *words;
	uint32_t	count;
	uint32_t	cap;
	uint16_t	table[DYN_LEXICON_SLOTS];	/* index of a word; 0 is free */
} DynLexicon;

extern void dyn_lexicon_init(DynLexicon *lexicon);
extern void dyn_lexicon_free(DynLexicon *lexicon);
extern size_t dyn_lexicon_memory(const DynLexicon *lexicon);

/* Forgets all words; the root's wish is the shape's.  False: no memory. */
extern bool dyn_lexicon_reset(DynLexicon *lexicon, const DynShape *shape);

/* The word of this name in this context, or DYN_WORD_ROOT if there is none. */
extern uint16_t dyn_lexicon_find(const DynLexicon *lexicon, uint16_t context,
								 const char *name, size_t len, uint32_t hash);

/* Adds a word; DYN_WORD_ROOT if there is no room. */
extern uint16_t dyn_lexicon_add(DynLexicon *lexicon, uint16_t context,
								const char *name, size_t len, uint32_t hash,
								const DynShapeNode *want);

/*
 * Does `"name":` stand at p?  At least 32 bytes must be left there.  A word
 * that is too long for its head is compared where it was met.
 */
static DYN_HOT bool
dyn_word_matches(const DynWord *word, const char *p, const char *end)
{
#ifdef DYN_SCAN_SSE2
	const __m128i *want = (const __m128i *) word->head;
	const __m128i *have = (const __m128i *) p;
	uint32_t	same;

	same = (uint32_t) _mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_loadu_si128(have), _mm_loadu_si128(want)));
	/* the second step runs on into `need`, whose bits are not asked for */
	same |= (uint32_t) _mm_movemask_epi8(
		_mm_cmpeq_epi8(_mm_loadu_si128(have + 1),
					   _mm_loadu_si128(want + 1))) << 16;
	if (DYN_LIKELY(word->need != 0))
		return (same & word->need) == word->need;
#else
	if (DYN_LIKELY(word->need != 0))
		return memcmp(p, word->head, word->len + 3) == 0;
#endif
	return word->len > 0 && (size_t) (end - p) >= word->len + 3 &&
		memcmp(p + 1, word->name, word->len) == 0 &&
		p[0] == '"' && p[word->len + 1] == '"' && p[word->len + 2] == ':';
}

#endif

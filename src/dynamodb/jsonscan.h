/*
 * jsonscan.h
 *		Reads JSON tokens from a byte slice.
 *
 * Unless noted otherwise, a function takes the position where its
 * token begins, and returns the position after the token.  On error, it
 * returns NULL, and records the error in the DynJson unless an error is
 * recorded already.  No byte at or after `end` is ever read: steps of 16 and
 * 32 bytes are taken only where enough bytes are left.
 *
 * The inline functions handle the common case: no white space, short ASCII
 * strings without escapes.  They call jsonscan.c for everything else.
 */
#ifndef DYN_DYNAMODB_JSONSCAN_H
#define DYN_DYNAMODB_JSONSCAN_H

#include "slice.h"

/*
 * Duplicate names in JSON objects are detected with a stack of the names of
 * open objects.  The names of an object are above the names of the objects
 * around it.  `base` is the height of the stack when the object was opened; a
 * name is a duplicate if an equal name is at or above that height.  Names are
 * compared after unescaping.
 *
 *		base = set.count;
 *		dyn_duplicate_names_has, then _push					for each name
 *		dyn_duplicate_names_truncate(&set, base);			when the object ends
 */
typedef struct DynOpenName
{
	const char *name;			/* name in the response, still escaped */
	uint32_t	len;
	uint32_t	hash;
	uint32_t	place;			/* slot of this name in the hash table */
} DynOpenName;

typedef struct DynDuplicateNames
{
	DynOpenName *names;			/* stack, innermost object last */
	uint32_t	count;
	uint32_t	cap;
	uint32_t   *table;			/* hash table: a slot has the index of a name,
								 * plus 1, or is 0 if it is free */
	uint32_t	mask;			/* number of slots in `table`, minus 1 */
	char	   *text;			/* memory of DynJsonText.text */
	size_t		text_cap;
	uint64_t	seed;
} DynDuplicateNames;

extern void dyn_duplicate_names_init(DynDuplicateNames *set);
extern void dyn_duplicate_names_free(DynDuplicateNames *set);
extern size_t dyn_duplicate_names_memory(const DynDuplicateNames *set);

/*
 * Adds a name that is not a duplicate.  `name` is the JSON text between the
 * quotes, which must not change while the object is open; `hash` is the hash
 * of the decoded name.  Returns false if memory runs out.
 */
extern bool dyn_duplicate_names_push(DynDuplicateNames *set, const char *name,
									 size_t len, uint32_t hash);

/* Returns true if `text`, which is an unescaped name, is a duplicate. */
extern bool dyn_duplicate_names_has(const DynDuplicateNames *set,
									uint32_t base, const char *text,
									size_t len, uint32_t hash);

extern void dyn_duplicate_names_truncate(DynDuplicateNames *set, uint32_t base);

extern uint32_t dyn_duplicate_names_hash(const DynDuplicateNames *set,
										 const char *text, size_t len);

/* Maximum depth of arrays and objects in dyn_scan_value */
#define DYN_SCAN_MAX_DEPTH	256

/* Callers set `buf`, `end` and `names`, and set all other members to zero. */
typedef struct DynJson
{
	const char *buf;
	const char *end;
	const char *err;			/* position of the error, or NULL */
	const char *reason;			/* reason for the error (static string) */
	uint32_t	nuls;			/* number of U+0000 in all strings so far */
	int			depth;			/* number of open arrays and objects */
	DynDuplicateNames *names;	/* names of the open objects */
} DynJson;

/* Records an error, unless an earlier error is recorded; returns NULL. */
extern const char *dyn_scan_fail(DynJson *scan, const char *at,
								 const char *reason);

/* Slow paths of the inline functions below */
extern const char *dyn_scan_skip_slow(DynJson *scan, const char *p);
extern const char *dyn_scan_string_slow(DynJson *scan, const char *p,
										uint8_t *flags);

extern const char *dyn_scan_number(DynJson *scan, const char *p);

/* Reads a number into *value; ignores characters after the 63rd. */
extern const char *dyn_scan_double(DynJson *scan, const char *p, double *value);

/* Skips white space up to the end of the input; any other byte is an error. */
extern const char *dyn_scan_end(DynJson *scan, const char *p);

/* Validates and skips one value of any type.  Duplicate names are an error. */
extern const char *dyn_scan_value(DynJson *scan, const char *p);

/*
 * Returns the position of the element or member after the one that ends at
 * `p`.  If no element or member follows, sets *done, and returns the position
 * after the closing bracket.
 */
extern const char *dyn_scan_separator(DynJson *scan, const char *p, char closer,
									  bool *done);

/* A string, such as the name of a member of an object */
typedef struct DynJsonText
{
	const char *text;			/* unescaped; valid until the next read */
	size_t		len;
	DynValue	value;			/* string in the response (type S) */
} DynJsonText;

/*
 * Reads the string whose opening quote is at `p`, and returns the position
 * after the string.  `expected` is the error if no string is at `p`.
 */
extern const char *dyn_scan_text(DynJson *scan, const char *p,
								 DynJsonText *text, const char *expected);

/* Skips the colon after the name that ends at `p`, up to the next token. */
extern const char *dyn_scan_colon(DynJson *scan, const char *p);

static inline bool
dyn_member_is(const DynJsonText *name, const char *text)
{
	return name->len == strlen(text) && memcmp(name->text, text, name->len) == 0;
}

/*
 * Reads the object at `p`, and calls `read` for each member with the position
 * of its value; `read` returns the position after the value, or NULL after
 * recording an error.  Invalid and repeated names are errors.
 */
typedef const char *(*DynMemberReader) (void *arg, const char *p,
										const DynJsonText *name);
extern const char *dyn_scan_object(DynJson *scan, const char *p,
								   DynMemberReader read, void *arg);

/* Skips white space; returns the position after it.  The end is an error. */
static DYN_HOT const char *
dyn_scan_skip(DynJson *scan, const char *p)
{
	if (DYN_LIKELY(p < scan->end && (unsigned char) *p > ' '))
		return p;
	return dyn_scan_skip_slow(scan, p);
}

/* Reads the byte `c`; returns the position of the next token. */
static DYN_HOT const char *
dyn_scan_expect(DynJson *scan, const char *p, char c, const char *reason)
{
	if (DYN_UNLIKELY(*p != c))
		return dyn_scan_fail(scan, p, reason);
	return dyn_scan_skip(scan, p + 1);
}

/*
 * Reads the array at `p`, and calls `read` for each element as dyn_scan_object
 * does, but with NULL instead of a name.  `expected` is the error if no array
 * is at `p`.  Inline, so that the compiler can inline `read`.
 */
static DYN_HOT const char *
dyn_scan_array(DynJson *scan, const char *p, DynMemberReader read, void *arg,
			   const char *expected)
{
	bool		done = false;

	p = dyn_scan_expect(scan, p, '[', expected);
	if (p != NULL && *p == ']')
		return p + 1;
	while (p != NULL && !done)
	{
		p = read(arg, p, NULL);
		if (p != NULL)
			p = dyn_scan_separator(scan, p, ']', &done);
	}
	return p;
}

/* Reads `word`, which is true, false or null. */
static DYN_HOT const char *
dyn_scan_literal(DynJson *scan, const char *p, const char *word)
{
	size_t		len = strlen(word);

	if ((size_t) (scan->end - p) < len || memcmp(p, word, len) != 0)
		return dyn_scan_fail(scan, p, "invalid literal");
	return p + len;
}

#ifdef DYN_SCAN_SSE2
/*
 * Returns one bit for each of 16 bytes.  A bit is set if its byte needs
 * special treatment in a string: a quote, a backslash, a control character, or
 * a part of a non-ASCII character.
 */
static DYN_HOT uint32_t
dyn_scan_specials(const char *p)
{
	__m128i		v = _mm_loadu_si128((const __m128i *) p);
	__m128i		low = _mm_min_epu8(v, _mm_set1_epi8(0x1f));
	__m128i		hit = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
								   _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));

	/* non-ASCII bytes have their top bit set */
	hit = _mm_or_si128(_mm_or_si128(hit, v), _mm_cmpeq_epi8(low, v));
	return (uint32_t) _mm_movemask_epi8(hit);
}
#endif

/*
 * Reads the string whose first character is at `p`, and sets *flags
 * (DYN_VALUE_...).  Returns the position of the closing quote.
 */
static DYN_HOT const char *
dyn_scan_string(DynJson *scan, const char *p, uint8_t *flags)
{
	*flags = 0;
#ifdef DYN_SCAN_SSE2
	if (DYN_LIKELY(scan->end - p >= 32))
	{
		uint32_t	hits = dyn_scan_specials(p) |
			dyn_scan_specials(p + 16) << 16;

		if (DYN_UNLIKELY(hits == 0))
			return dyn_scan_string_slow(scan, p + 32, flags);
		p += __builtin_ctz(hits);
		if (DYN_LIKELY(*p == '"'))
			return p;
	}
#endif
	return dyn_scan_string_slow(scan, p, flags);
}

#endif

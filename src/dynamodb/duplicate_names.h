/*
 * duplicate_names.h
 *		A stack of the member names of open JSON objects, to detect duplicates.
 *
 * The names of an object are above those of the objects around it, and are
 * removed when it ends.  `base` is the height of the stack when the object was
 * opened; a name is a duplicate if an equal name is at or above that height.
 * Names are compared after unescaping.
 *
 *		base = set.count;
 *		dyn_duplicate_names_has, then _push					for each name
 *		dyn_duplicate_names_truncate(&set, base);			when the object ends
 *
 * Cost: constant time per name (a hash table with a secret seed), and 24 to 40
 * bytes per name of an open object.  This is used for rare names; for names
 * that repeat from item to item the name cache detects duplicates
 * (name_cache.h).
 */
#ifndef DYN_DYNAMODB_DUPLICATE_NAMES_H
#define DYN_DYNAMODB_DUPLICATE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct DynOpenName
{
	const char *name;			/* name in the response, still escaped */
	uint32_t	len;
	uint32_t	hash;
	uint32_t	place;			/* slot in the table */
} DynOpenName;

typedef struct DynDuplicateNames
{
	DynOpenName *names;			/* stack */
	uint32_t	count;
	uint32_t	cap;
	uint32_t   *table;			/* indexes into names plus one; 0: free slot */
	uint32_t	mask;			/* number of slots in the table, less one */
	char	   *text;			/* text of the last escaped name, unescaped */
	size_t		text_cap;
	uint64_t	seed;
} DynDuplicateNames;

extern void dyn_duplicate_names_init(DynDuplicateNames *set);
extern void dyn_duplicate_names_free(DynDuplicateNames *set);
extern size_t dyn_duplicate_names_memory(const DynDuplicateNames *set);

/*
 * Adds a name, given as the JSON text between the quotes, and the hash of its
 * text without escapes.  It must not be a duplicate.  Returns false if
 * memory runs out.
 */
extern bool dyn_duplicate_names_push(DynDuplicateNames *set, const char *name,
									 size_t len, uint32_t hash);

/*
 * Returns true if the stack contains the name at or above `base`.  `text` is
 * unescaped.
 */
extern bool dyn_duplicate_names_has(const DynDuplicateNames *set,
									uint32_t base, const char *text,
									size_t len, uint32_t hash);

/*
 * Returns the name without escapes, valid until the next call, or NULL if
 * memory runs out.
 */
extern const char *dyn_duplicate_names_text(DynDuplicateNames *set,
											const char *name, size_t len,
											size_t *text_len);

/* Removes all names at or above `base`. */
extern void dyn_duplicate_names_truncate(DynDuplicateNames *set, uint32_t base);

extern uint32_t dyn_duplicate_names_hash(const DynDuplicateNames *set,
										 const char *text, size_t len);

#endif

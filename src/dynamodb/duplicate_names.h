/*
 * duplicate_names.h
 *		Detects duplicate names in JSON objects with a stack of the names of
 *		open objects.
 *
 * The names of an object are above the names of the objects around it, and are
 * removed when the object ends.  `base` is the height of the stack when the
 * object was opened; a name is a duplicate if an equal name is at or above
 * that height.  Names are compared after unescaping.
 *
 *		base = set.count;
 *		dyn_duplicate_names_has, then _push					for each name
 *		dyn_duplicate_names_truncate(&set, base);			when the object ends
 *
 * Within items, the stack is used only for names without an entry in the name
 * cache, which detects duplicates of all other names (item.h).
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
	uint32_t	place;			/* slot of this name in the hash table */
} DynOpenName;

typedef struct DynDuplicateNames
{
	DynOpenName *names;			/* stack, innermost object last */
	uint32_t	count;
	uint32_t	cap;
	uint32_t   *table;			/* hash table of indexes into `names`, plus 1;
								 * 0: free slot */
	uint32_t	mask;			/* number of slots in `table`, minus 1 */
	char	   *text;			/* result of dyn_duplicate_names_text */
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

/*
 * Returns true if the stack contains the name at or above `base`.  `text` and
 * `hash` are the decoded name and its hash.
 */
extern bool dyn_duplicate_names_has(const DynDuplicateNames *set,
									uint32_t base, const char *text,
									size_t len, uint32_t hash);

/*
 * Returns the name with its JSON escapes decoded, valid until the next call;
 * NULL if memory runs out.
 */
extern const char *dyn_duplicate_names_text(DynDuplicateNames *set,
											const char *name, size_t len,
											size_t *text_len);

/* Removes all names at or above `base`. */
extern void dyn_duplicate_names_truncate(DynDuplicateNames *set, uint32_t base);

extern uint32_t dyn_duplicate_names_hash(const DynDuplicateNames *set,
										 const char *text, size_t len);

#endif

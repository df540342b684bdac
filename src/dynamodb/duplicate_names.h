/*
 * duplicate_names.h
 *		The names of the objects that are open, to find one that stands twice.
 *
 * Reading nested objects makes a stack of names: an object's names lie above
 * those of the objects around it, and go when it ends.  `base` is the height
 * of the stack when the object was opened; a name is a duplicate if the same
 * name lies at or above it.  Names are compared as they read after their
 * escapes are undone.
 *
 *		base = set.count;
 *		dyn_duplicate_names_add(&set, base, ...);		for each name
 *		dyn_duplicate_names_cut(&set, base);			when the object ends
 *
 * Costs: constant time for each name (a hash table with a seed that is not
 * known outside), 24 to 40 bytes for each name of an open object.  This is the
 * way for names met rarely; those that repeat from item to item are proven
 * unique by the lexicon.
 */
#ifndef DYN_DYNAMODB_DUPLICATE_NAMES_H
#define DYN_DYNAMODB_DUPLICATE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct DynOpenName
{
	const char *name;			/* in the response, escapes not undone */
	uint32_t	len;
	uint32_t	hash;
	uint32_t	place;			/* its slot in the table */
} DynOpenName;

typedef struct DynDuplicateNames
{
	DynOpenName *names;			/* the stack */
	uint32_t	count;
	uint32_t	cap;
	uint32_t   *table;			/* index into names plus one; 0 is free */
	uint32_t	mask;			/* slots of the table less one */
	char	   *text;			/* the last name with escapes, undone */
	size_t		text_cap;
	uint64_t	seed;
} DynDuplicateNames;

extern void dyn_duplicate_names_init(DynDuplicateNames *set);
extern void dyn_duplicate_names_free(DynDuplicateNames *set);
extern size_t dyn_duplicate_names_memory(const DynDuplicateNames *set);

typedef enum DynNameAdded
{
	DYN_NAME_ADDED,
	DYN_NAME_DUPLICATE,			/* it was there already */
	DYN_NAME_NO_MEMORY
} DynNameAdded;

/* Adds a name: its JSON text between the quotes. */
extern DynNameAdded dyn_duplicate_names_add(DynDuplicateNames *set, uint32_t base,
									const char *name, size_t len, bool escaped);

/*
 * The same for a name that is known not to be there, with its hash.  False if
 * memory fails.
 */
extern bool dyn_duplicate_names_push(DynDuplicateNames *set, const char *name, size_t len,
							 uint32_t hash);

/* Is the name there?  (Its text, escapes undone.) */
extern bool dyn_duplicate_names_has(const DynDuplicateNames *set, uint32_t base,
							const char *text, size_t len, uint32_t hash);

/*
 * Undoes the escapes of a name; the text is good until the next call.  NULL if
 * memory fails.
 */
extern const char *dyn_duplicate_names_text(DynDuplicateNames *set, const char *name,
									size_t len, size_t *text_len);

/* Takes off all names above base. */
extern void dyn_duplicate_names_cut(DynDuplicateNames *set, uint32_t base);

extern uint32_t dyn_duplicate_names_hash(const DynDuplicateNames *set, const char *text,
								 size_t len);

#endif

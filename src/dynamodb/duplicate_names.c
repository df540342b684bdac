/*
 * duplicate_names.c
 *		Implements the stack of names of open objects, and a hash table of
 *		these names.
 *
 * The table uses linear probing.  Names are removed in the reverse order of
 * their insertion, so a slot can simply be cleared: all remaining names were
 * inserted earlier.  When the table grows, the names are inserted again in
 * their original order.
 *
 * Anyone who can write to the DynamoDB table chooses the names, so the hash
 * has a secret seed and mixes all bits: names cannot be crafted to collide.
 */
#include "duplicate_names.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "slice.h"

#define FIRST_NAMES		32		/* initial capacity; a power of two */

static inline uint64_t
mix(uint64_t x)
{
	x ^= x >> 32;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 29;
	x *= UINT64_C(0xd6e8feb86659fd93);
	return x ^ x >> 32;
}

void
dyn_duplicate_names_init(DynDuplicateNames *set)
{
	struct timespec now;

	memset(set, 0, sizeof(*set));
	/* seed from the clock and from addresses of memory */
	clock_gettime(CLOCK_MONOTONIC, &now);
	set->seed = mix((uint64_t) now.tv_nsec << 32 ^ (uint64_t) now.tv_sec ^
					(uint64_t) (uintptr_t) set ^
					mix((uint64_t) (uintptr_t) &now));
}

void
dyn_duplicate_names_free(DynDuplicateNames *set)
{
	free(set->names);
	free(set->table);
	free(set->text);
}

size_t
dyn_duplicate_names_memory(const DynDuplicateNames *set)
{
	return set->cap * (sizeof(DynOpenName) + 2 * sizeof(uint32_t)) +
		set->text_cap;
}

uint32_t
dyn_duplicate_names_hash(const DynDuplicateNames *set, const char *text, size_t len)
{
	uint64_t	h = set->seed ^ len;
	uint64_t	w;

	for (; len >= 8; text += 8, len -= 8)
	{
		memcpy(&w, text, 8);
		h = mix(h ^ w);
	}
	w = 0;
	memcpy(&w, text, len);
	h = mix(h ^ w);
	return (uint32_t) (h ^ h >> 32);
}

static void
enter(DynDuplicateNames *set, uint32_t index)
{
	uint32_t	slot = set->names[index].hash & set->mask;

	while (set->table[slot] != 0)
		slot = (slot + 1) & set->mask;
	set->table[slot] = index + 1;
	set->names[index].place = slot;
}

static bool
grow(DynDuplicateNames *set)
{
	uint32_t	cap = set->cap == 0 ? FIRST_NAMES : set->cap * 2;
	DynOpenName *names;
	uint32_t   *table;

	names = realloc(set->names, cap * sizeof(*names));
	if (names == NULL)
		return false;
	set->names = names;
	table = calloc((size_t) cap * 2, sizeof(*table));
	if (table == NULL)
		return false;
	free(set->table);
	set->table = table;
	set->cap = cap;
	set->mask = cap * 2 - 1;
	for (uint32_t i = 0; i < set->count; i++)
		enter(set, i);
	return true;
}

const char *
dyn_duplicate_names_text(DynDuplicateNames *set, const char *name, size_t len,
						 size_t *text_len)
{
	if (len > set->text_cap)
	{
		char	   *text = realloc(set->text, len);

		if (text == NULL)
			return NULL;
		set->text = text;
		set->text_cap = len;
	}
	*text_len = dyn_escape_undo(name, len, set->text);
	return set->text;
}

/* Returns true if the open name, after unescaping, is equal to `text`. */
static bool
reads_as(const DynOpenName *open, const char *text, size_t len)
{
	char	   *undone;
	bool		same;

	if (open->len == len && memcmp(open->name, text, len) == 0)
		return memchr(text, '\\', len) == NULL;
	if (open->len < len || memchr(open->name, '\\', open->len) == NULL)
		return false;

	/*
	 * The hashes are equal, so this is almost certainly a duplicate.  The name
	 * contains an escape, so it is decoded for the comparison.
	 */
	undone = malloc(open->len);
	same = undone != NULL &&
		dyn_escape_undo(open->name, open->len, undone) == len &&
		memcmp(undone, text, len) == 0;
	free(undone);
	return same;
}

bool
dyn_duplicate_names_has(const DynDuplicateNames *set, uint32_t base,
						const char *text, size_t len, uint32_t hash)
{
	uint32_t	entry;

	if (set->count == base)
		return false;
	for (uint32_t slot = hash & set->mask; (entry = set->table[slot]) != 0;
		 slot = (slot + 1) & set->mask)
	{
		const DynOpenName *open = &set->names[entry - 1];

		if (entry > base && open->hash == hash && reads_as(open, text, len))
			return true;
	}
	return false;
}

bool
dyn_duplicate_names_push(DynDuplicateNames *set, const char *name, size_t len,
						 uint32_t hash)
{
	DynOpenName *open;

	if (set->count == set->cap && !grow(set))
		return false;
	open = &set->names[set->count];
	open->name = name;
	open->len = (uint32_t) len;
	open->hash = hash;
	enter(set, set->count);
	set->count++;
	return true;
}

void
dyn_duplicate_names_truncate(DynDuplicateNames *set, uint32_t base)
{
	while (set->count > base)
		set->table[set->names[--set->count].place] = 0;
}

/*
 * name_cache.c
 *		Adds, finds and removes entries of the name cache.
 *
 * This code runs when a name occurs for the first time in a page, or not in
 * its usual order.  The hot path is dyn_name_entry_matches, in the header.
 */
#include "name_cache.h"

#include <stdlib.h>

#define INITIAL_ENTRIES		32

static bool
grow(DynNameCache *name_cache)
{
	uint32_t	cap = name_cache->cap == 0 ? INITIAL_ENTRIES : name_cache->cap * 2;
	DynNameEntry *entries = realloc(name_cache->entries,
									cap * sizeof(*entries));

	if (entries == NULL)
		return false;
	name_cache->entries = entries;
	name_cache->cap = cap;
	return true;
}

bool
dyn_name_cache_reset(DynNameCache *name_cache, const DynPathTree *tree)
{
	if (name_cache->cap == 0 && !grow(name_cache))
		return false;
	if (name_cache->count > 1)
		memset(name_cache->table, 0, sizeof(name_cache->table));
	memset(&name_cache->entries[0], 0, sizeof(name_cache->entries[0]));
	name_cache->entries[0].want = &tree->nodes[0];
	name_cache->count = 1;
	return true;
}

static inline uint32_t
first_slot(uint16_t context, uint32_t hash)
{
	return (hash + context * UINT32_C(0x9e3779b1)) % DYN_NAME_CACHE_SLOTS;
}

uint16_t
dyn_name_cache_find(const DynNameCache *name_cache, uint16_t context,
					const char *name, size_t len, uint32_t hash)
{
	uint32_t	slot = first_slot(context, hash);
	uint16_t	index;

	while ((index = name_cache->table[slot]) != 0)
	{
		const DynNameEntry *entry = &name_cache->entries[index];

		if (entry->hash == hash && entry->parent == context &&
			entry->len == len && memcmp(entry->name, name, len) == 0)
			return index;
		slot = (slot + 1) % DYN_NAME_CACHE_SLOTS;
	}
	return DYN_NAME_ROOT;
}

uint16_t
dyn_name_cache_add(DynNameCache *name_cache, uint16_t context, const char *name,
				   size_t len, uint32_t hash, const DynPathNode *want)
{
	uint32_t	slot = first_slot(context, hash);
	size_t		size = len + 3;
	DynNameEntry *entry;

	if (name_cache->count == DYN_NAME_CACHE_MAX ||
		(name_cache->count == name_cache->cap && !grow(name_cache)))
		return DYN_NAME_ROOT;
	while (name_cache->table[slot] != 0)
		slot = (slot + 1) % DYN_NAME_CACHE_SLOTS;
	name_cache->table[slot] = (uint16_t) name_cache->count;

	entry = &name_cache->entries[name_cache->count];
	memset(entry, 0, sizeof(*entry));
	entry->name = name;
	entry->len = (uint32_t) len;
	entry->hash = hash;
	entry->parent = context;
	entry->want = want;
	if (size <= sizeof(entry->prefix))
	{
		entry->prefix[0] = '"';
		memcpy(entry->prefix + 1, name, len);
		entry->prefix[size - 2] = '"';
		entry->prefix[size - 1] = ':';
		entry->mask = (UINT32_C(1) << size) - 1;
	}
	return (uint16_t) name_cache->count++;
}
